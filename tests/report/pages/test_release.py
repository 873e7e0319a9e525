"""The page about a release: self-contained, complete, small, and silent about records."""

import re
from dataclasses import replace
from datetime import date
from fractions import Fraction

import numpy as np
import pytest

from privpac.classes.compositions.compose import And
from privpac.classes.tables.column_cells import cells_of
from privpac.classes.values.points import Points
from privpac.data.domains.anything import Anything
from privpac.data.domains.line import Line
from privpac.data.domains.paths import Paths
from privpac.privacy.budget import Budget
from privpac.privacy.certificate import Certificate, Entry
from privpac.release.code_trees.answers import CodeCounts
from privpac.release.histograms import KeyCounts
from privpac.release.lines.answers import LineCounts
from privpac.release.private_release import PrivateRelease
from privpac.release.release import Guarantee, Release
from privpac.release.tables.marginals import MarginalAnswers
from privpac.report.notebook import release_view
from privpac.report.pages.frame import PageNames
from privpac.report.pages.release import release_page
from privpac.report.pages.rule import write_report
from tests.report.pages.test_rule import Reader

COST = Budget(1, 1e-6)
CERTAIN = Guarantee(Certificate(COST, ("stability, Theorem 3",), protected=5000), 5000, 27, 54)
MEASURED = replace(
    CERTAIN, certain_shown=None, certain_unseen=None, measured=31, beta=Fraction(1, 20), least=Fraction(1, 500)
)
LEDGER = (Entry("truncated histogram", COST, "stability, Theorem 3"),)


def release(guarantee=CERTAIN, keys=(("EV",), ("UA",)), numbers=(1300, 12), domain=None):
    most = None if guarantee.certain is None else guarantee.certain.shown
    answers = KeyCounts(guarantee.n, domain or Anything(), keys, numbers, most)
    return Release(answers, guarantee, LEDGER, "truncated histogram of the values seen")


def read(*args, named=None, **parts):
    return Reader(release_page(release(*args, **parts), named)).text


def test_it_tells_counts_bounds_privacy_and_use():
    text = read(named=PageNames("Flights", {"Purpose": "plan <crews>"}, "r.json"))
    for told in (
        "Flights", "How many records have each value",
        "5,000 records. Every count shown is off by at most 27, with certainty.",
        "any other value at most 54", "EV 1,300 1,273 1,327", "UA 12 0 39",  # a count, and its bounds
        "ε = 1, δ = 1e-06 per record; δ·n = 0.005", "≤ 27 certain; a value not shown has at most 54",
        "A value that does not appear has at most 54 records; it may have none. This always holds",
        "truncated histogram ε = 1, δ = 1e-06 stability, Theorem 3", "δ = 1e-06 is a small exception",
        "Purpose plan <crews>", "Protected each record", "pp.Release.from_json(open('r.json'",
        "release.synthetic(1000)",
        "What the guarantee does not cover", "what this page and the release reveal about any one record",
    ):  # fmt: skip
        assert told in text, told
    assert "probability at least" not in text
    assert "NOT PRIVATE" not in text


def test_measured_bounds_hold_for_all_queries_at_once_with_a_probability():
    text = read(MEASURED)
    for told in (
        "With probability at least 95 %, no answer is off by more than 31 records.",
        "≤ 31 0.62 %; 95 % certain, all queries at once; no private method guarantees less than 10",
        "by more than 31 of 5,000 records, which is 0.62 %. This holds for all queries of the class at once",
        "In at most 5 % of all releases", "it cannot keep the error below 10 of 5,000 records, with this certainty,",
    ):  # fmt: skip
        assert told in text, told
    assert "with certainty" not in text and "any other value" not in text


def test_without_a_certificate_it_says_how_to_get_one():
    text = read(replace(MEASURED, measured=None, beta=None, least=None))
    assert "Error not measured" in text and "release with certify=0.1" in text
    assert "at least" not in text


def test_units_and_seeds_are_named():
    units = Certificate(COST, ("x",), unit_records=2, protected=2500)
    text = read(replace(CERTAIN, certificate=units))
    assert "per unit; δ·n = 0.0025" in text and "2 for each of 2,500 units" in text
    assert "each unit, of whose records at most 2 count" in text and "per record" not in text
    seeded = release_page(release(replace(CERTAIN, certificate=Certificate(COST, private=False))))
    assert seeded.index("NOT PRIVATE") < seeded.index("<h1>") and "<title>NOT PRIVATE: " in seeded


def test_everything_is_escaped_and_shortened():
    nasty = "<script>alert('x')</script>&\""
    keys = ((nasty,), ("x" * 300,), ("東京",), (date(2026, 11, 16),), ("\ud800",), (-3,))
    shown = release(keys=keys, numbers=(6, 5, 4, 3, 2, 1))
    for text in (release_page(shown, PageNames(nasty, {nasty: nasty}, nasty)), release_view(shown)):
        assert "<script" not in text
        text.encode("utf-8")
    said = Reader(release_page(shown)).text
    assert "x" * 81 not in said.partition("How to use it")[0]
    assert all(each in said for each in ("東京 4", "2026-11-16 3", "−3 1"))


def test_names_of_columns_are_escaped():
    nasty = "<b>&"
    pairs = And(Points().on(nasty), Points().on("job")).domain
    page = release_page(release(keys=(("f", "clerk"), ("m", "nurse")), numbers=(3, 5), domain=pairs))
    assert "<b>" not in page and "&lt;b&gt;&amp;" in page


def test_a_page_of_many_keys_is_small():
    keys = tuple((f"key {i}",) for i in range(100_000))
    page = release_page(release(replace(CERTAIN, n=10**9), keys, tuple(range(200_000, 100_000, -1))))
    assert len(page) < 40_000
    said = Reader(page).text
    assert said.count("and 99,970 more") == 2  # below the bars and below the table
    assert "key 29 " in said and "key 30 " not in said


def test_nothing_shown_is_a_sentence():
    text = read(keys=(), numbers=())
    assert "No count is large enough to be shown." in text and "any value at most 54" in text


def test_it_needs_nothing_from_elsewhere():
    page = release_page(release())
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)|@import|url\(|<script|<link|<img", page)
    assert '<meta name="viewport"' in page and "prefers-color-scheme: dark" in page and "@media print" in page


def test_numbers_stay_on_one_line():
    page = release_page(release(MEASURED))
    assert "95\N{NO-BREAK SPACE}%, no answer" in page and "95 %" not in page


def test_a_fitted_release_and_what_it_ships_have_the_same_page(tmp_path):
    front = PrivateRelease(Points(), epsilon=1, delta=1e-6).fit(np.array(["EV"] * 300 + ["UA"] * 700))
    write_report(front, tmp_path / "a.html")
    write_report(Release.from_json(front.to_json()), tmp_path / "b.html")
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()


def test_an_unfitted_release_has_no_page(tmp_path):
    with pytest.raises(ValueError, match="not fitted"):
        write_report(PrivateRelease(Points()), tmp_path / "a.html")


def test_notebooks_show_a_heading_a_small_picture_and_the_guarantees():
    shown = release(keys=tuple((i,) for i in range(20)), numbers=tuple(range(40, 20, -1)))
    html = shown._repr_html_()
    assert html == release_view(shown)
    said = Reader(html.replace("<br>", " ")).text
    assert "How many records have each value Every count shown is off by at most 27, with certainty." in said
    assert "and 12 more" in said and all(line in said for line in CERTAIN.lines)
    assert "--ink: currentColor" in html  # dark notebooks


def test_notebooks_show_a_fitted_release_instead_of_its_parameters():
    front = PrivateRelease(Points(), epsilon=1, delta=1e-6)
    assert "How many records" not in front._repr_mimebundle_()["text/html"]
    assert "How many records" in front.fit(["EV"] * 300)._repr_mimebundle_()["text/html"]


def test_tables_of_trees_are_indented():
    shown = CodeCounts(5000, Paths(None, 7), "subtree", ("", "J", "J1"), (5000, 600, 400))
    page = release_page(Release(shown, MEASURED, LEDGER, "x"))
    indent = "\N{EM SPACE}"
    assert all(f">{each}</td>" in page for each in ("all", f"{indent}J", f"{2 * indent}J1"))
    assert "any other code at most 31" in Reader(page).text


def test_spaces_of_other_keys_are_told():
    assert ">&#x27; x&#x27;</td>" in release_page(release(keys=((" x",),), numbers=(9,)))


def test_values_without_a_name_have_that_of_their_column():
    front = PrivateRelease(Points(), epsilon=1, delta=1e-6, feature="carrier").fit({"carrier": ["EV"] * 300})
    said = Reader(release_page(front.release_)).text
    assert "How many records have each carrier" in said and "carrier EV " in said.partition("The counts")[0]
    assert "value records" not in said


def test_lines_tell_quantiles_and_keep_their_order():
    ages = LineCounts(5000, Line(0, 99), tuple(range(100)), tuple(50 * i for i in range(101)))
    text = Reader(release_page(Release(ages, MEASURED, LEDGER, "x", "age"))).text
    assert "How many records lie at or below each age" in text and "Band: ± 31 records." in text
    assert "Quantiles share of the records lies at or below 5 % 4 10 % 9 25 % 24 50 % 49 75 % 74" in text
    assert "The counts age from age to records at least at most 0 0 50 0 112 1 1 50 0 112" in text  # ± twice 31
    assert "and 70 more" in text
    assert "Quantiles" not in read(MEASURED)


def test_the_largest_of_many_counts_come_first():
    keys = tuple((i,) for i in range(100))
    text = read(MEASURED, keys, tuple(range(100)))
    assert "The largest counts value records at least at most 99 99 68 130 98 98 67 129" in text


def test_tables_of_several_columns_say_any_and_what_dependence_is():
    cells = tuple(cells_of(Points().on(name, values=(0, 1))) for name in "abcd")
    singles, pairs = [(2500, 2500)] * 4, [(2500, 0, 0, 2500)] * 6
    answers = MarginalAnswers(5000, cells, 2, ((5000,), *singles, *pairs))
    text = Reader(release_page(Release(answers, MEASURED, LEDGER, "x"))).text
    assert "any any any any 5,000 4,969 5,000 0 any any any 2,500" in text
    assert "Each count ± 31: with probability at least 95 %" in text and "50 % dependence" in text
    assert "Dependence: the share of records that would have to change" in text


def test_columns_without_an_entry_are_left_out():
    """Of a table's many counts, the page shows those of single columns."""
    ages = tuple(range(40))
    cells = tuple(cells_of(Points().on(name, values=ages)) for name in ("age", "other"))
    answers = MarginalAnswers(5000, cells, 2, ((5000,), (125,) * 40, (125,) * 40, (3,) * 1600))
    page = release_page(Release(answers, MEASURED, LEDGER, "x"))
    assert '<th class="">age</th>' in page and '<th class="">other</th>' not in page
