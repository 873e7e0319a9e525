"""The front of all releases: reading, refusing, charging, and what it says."""

import json
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from privpac import (
    And,
    Budget,
    BudgetExceeded,
    Ledger,
    Marginals,
    Points,
    PrivateRelease,
    Release,
    StartsWith,
    Thresholds,
    certified,
)
from privpac.data.open_table import open_table
from privpac.refusals.refusal import Refused, RefusedType
from privpac.release.release import Guarantee
from privpac.report.pages.release import release_page

CARRIERS = ["EV"] * 100 + ["UA"] * 200
SENTINEL = "a secret value"
JOBS = Points().among(("clerk", "nurse"))


@pytest.mark.parametrize(
    "X",
    [CARRIERS, np.array(CARRIERS), pd.Series(CARRIERS), pd.DataFrame({"c": CARRIERS}), {"c": CARRIERS}],
    ids=["list", "array", "series", "frame", "dict"],
)
def test_records_may_come_in_any_form(X):
    release = PrivateRelease(Points(), epsilon=9, delta=1e-6).fit(X)
    assert release.counts()["value"] == ["UA", "EV"]


def test_tables_call_the_values_by_their_column():
    release = PrivateRelease(Points(), epsilon=9, delta=1e-6, feature="c").fit({"c": CARRIERS, "d": CARRIERS})
    assert list(release.counts()) == ["c", "records"] and list(release.synthetic(2)) == ["c"]
    ages = PrivateRelease(Thresholds(0, 9, direction="above"), epsilon=9, feature="age").fit(
        {"age": [3, 4] * 99, "d": [0, 1] * 99}
    )
    assert list(ages.counts()) == ["age from", "age to", "records"]
    assert Release.from_json(ages.to_json()) == ages.release_


@pytest.mark.parametrize(
    ("cls", "feature", "headings"),
    [
        (Points().on("records"), (), ["records (column)", "records"]),
        (Points(), "records", ["records (column)", "records"]),
        (StartsWith(height=2).on("records"), (), ["records (column)", "records"]),
        (And(Points().on("records"), Points().on("d")), (), ["records (column)", "d", "records"]),
        (Marginals(Points().on("records", values=("EV", "UA")), order=1), (), ["records (column)", "records"]),
    ],
)
def test_a_column_called_records_is_not_lost(cls, feature, headings):
    table = {"records": CARRIERS, "d": CARRIERS}
    release = PrivateRelease(cls, epsilon=50, delta=1e-6, feature=feature).fit(table)
    assert list(release.counts()) == headings and release.counts()[headings[0]][-1].strip()
    assert next(iter(release.synthetic(1))) == "records"


def test_records_may_live_in_an_engine(tmp_path):
    file = tmp_path / "flights.csv"
    file.write_text("carrier,late\n" + "\n".join(f"{c},1" for c in CARRIERS) + "\n")
    release = PrivateRelease(Points(), epsilon=9, delta=1e-6, feature="carrier").fit(open_table(file))
    assert release.counts()["carrier"] == ["UA", "EV"]


def test_units_pay_for_all_their_records():
    units = [i // 2 for i in range(300)]
    release = PrivateRelease(Points(), epsilon=8, delta=1e-6, max_records=2).fit(CARRIERS, unit=units)
    assert release.privacy_.epsilon == 8 and release.privacy_.delta <= Budget(8, 1e-6).delta
    assert "one unit, of which 2 records count" in str(release.guarantee_)
    assert release.n_records_ == 300


@pytest.mark.parametrize(
    ("parameters", "named"),
    [
        ({"epsilon": 0}, "epsilon"),
        ({"epsilon": float("nan")}, "epsilon"),
        ({"delta": 0}, "delta"),
        ({"delta": 2}, "delta"),
        ({"beta": 0}, "beta"),
        ({"certify": 1}, "certify"),
        ({"certify": -1}, "certify"),
        ({"method": "LineSanitizer"}, "method"),
        ({"method": None}, "method"),
        ({"on_invalid": "hope"}, "on_invalid"),
        ({"max_records": 2}, "max_records"),
        ({"concept_class": "points"}, "concept_class"),
        ({"concept_class": None}, "concept_class"),
    ],
)
def test_wrong_parameters_are_refused_before_anything_is_spent(parameters, named):
    ledger = Ledger(Budget(9, 1e-3))
    with pytest.raises((Refused, RefusedType)) as refused:
        PrivateRelease(**{"concept_class": Points(), "delta": 1e-6, "budget": ledger} | parameters).fit(CARRIERS)
    assert refused.value.parameter == named
    assert ledger.spent == Budget(0)


@pytest.mark.parametrize("X", [[], ["EV", None], [[1, 2], [3]], {"a": [1], "b": [2]}, 7, None])
def test_records_that_cannot_be_read_are_refused(X):
    ledger = Ledger(Budget(9, 1e-3))
    with pytest.raises((ValueError, TypeError)) as refused:
        PrivateRelease(Points(), delta=1e-6, budget=ledger).fit(X)
    assert "\n" not in str(refused.value)
    assert ledger.spent == Budget(0)


def test_a_value_that_is_not_declared_is_never_quoted():
    with pytest.raises(Refused) as refused:
        PrivateRelease(JOBS, epsilon=1, feature=None).fit(["clerk", SENTINEL])
    assert SENTINEL not in str(refused.value)
    release = PrivateRelease(JOBS, epsilon=50, feature=None, on_invalid="default").fit(["clerk"] * 50 + [SENTINEL] * 50)
    assert release.answer(JOBS.hypothesis("clerk")) == pytest.approx(0.5, abs=0.1)


def test_an_account_that_does_not_hold_enough_is_not_charged():
    ledger = Ledger(Budget(0.5, 1e-6))
    with pytest.raises(BudgetExceeded):
        PrivateRelease(Points(), epsilon=1, delta=1e-6, budget=ledger).fit(CARRIERS)
    assert ledger.spent == Budget(0)


def test_one_account_pays_for_several_releases():
    ledger = Ledger(Budget(3, 1e-5))
    for _ in range(2):
        PrivateRelease(Points(), epsilon=1, delta=1e-6, budget=ledger).fit(CARRIERS)
    assert ledger.spent == Budget(2, "2e-6")


@pytest.mark.parametrize("n", [1, 2])
def test_few_records_are_enough(n):
    assert PrivateRelease(Points(), epsilon=1, delta=1e-6).fit(["a"] * n).counts()["records"] in ([], [28], [29])
    assert PrivateRelease(JOBS, epsilon=1, feature=None).fit(["clerk"] * n).guarantee_.measured <= n


def test_json_tells_all_and_nothing_else_is_read():
    release = PrivateRelease(JOBS, epsilon=1, feature=None).fit(["clerk"] * 300 + ["nurse"] * 700).release_
    again = Release.from_json(release.to_json())
    assert again == release and str(again) == str(release)
    assert again.interval(JOBS.hypothesis("nurse")) == release.interval(JOBS.hypothesis("nurse"))
    for text in (
        "",
        "{}",
        "[]",
        '{"privpac release": 2}',
        release.to_json().replace("KeyCounts", "Budget"),
        release.to_json().replace('"n": 1000', '"n": 7', 1),
    ):
        with pytest.raises(ValueError, match=r"JSON|format|records"):
            Release.from_json(text)


@pytest.mark.parametrize(
    ("cls", "changes"),
    [
        (
            Points(),
            [
                ("most", 3),
                ("most", -1),
                ("certain_shown", 0),
                ("numbers", [-5]),
                ("numbers", [10**400]),
                ("protected", 10**400),
                ("least", {"fraction": "3/2"}),
                ("keys", [[]]),
                ("keys", [["a", "b"]]),
            ],
        ),
        (JOBS, [("measured", -1), ("measured", 301), ("beta", None), ("measured", None), ("n", 2**63)]),
        (
            StartsWith(height=2),
            [("nodes", ["b", "a", "c"]), ("nodes", [1, 2, 3]), ("numbers", [300, 301, 0]), ("kind", "x")],
        ),
    ],
)
def test_a_file_that_contradicts_itself_is_refused(cls, changes):
    text = PrivateRelease(cls, epsilon=20, delta="1e-6").fit(["clerk" if cls is JOBS else "cl"] * 300).to_json()
    assert Release.from_json(text).to_json() == text
    for name, other in [*changes, ("epsilon", {"fraction": "1/2"}), ("private", False), ("unit_records", 0)]:
        with pytest.raises(ValueError, match=r"JSON|node|key|count|number|record|paths"):
            Release.from_json(json.dumps(_with(json.loads(text), name, other)))


def _with(plain, name, other):
    """The JSON with another value at the first place of this name."""
    if not isinstance(plain, dict):
        return plain
    if name in plain:
        return plain | {name: other}
    for key, part in plain.items():
        if (changed := _with(part, name, other)) != part:
            return plain | {key: changed}
    return plain


def test_without_a_certificate_there_is_no_interval():
    release = PrivateRelease(JOBS, epsilon=1, feature=None, certify=0).fit(["clerk"] * 300)
    assert [str(entry.cost) for entry in release.ledger_.entries] == ["ε = 1"]
    assert "accuracy: not measured" in str(release.guarantee_)
    with pytest.raises(Refused, match=r"certify=0\.1"):
        release.interval(JOBS.hypothesis("clerk"))


def test_only_lines_have_quantiles():
    release = PrivateRelease(JOBS, epsilon=1, feature=None).fit(["clerk"] * 300)
    with pytest.raises(Refused, match="Thresholds"):
        release.quantile(0.5)
    with pytest.raises(Refused, match="between 0 and 1"):
        release.quantile(2)


def test_synthetic_records_have_the_released_shares():
    release = PrivateRelease(JOBS, epsilon=50, feature=None).fit(["clerk"] * 300 + ["nurse"] * 700)
    rows = release.synthetic(100)
    assert sorted(rows) == ["value"] and rows["value"].count("nurse") == 70
    assert release.synthetic(0) == {"value": []}
    with pytest.raises(RefusedType):
        release.synthetic("many")


def test_a_seed_makes_a_release_that_is_not_private():
    first, second = (PrivateRelease(JOBS, feature=None, random_state=7).fit(["clerk"] * 300) for _ in range(2))
    assert first.counts() == second.counts()
    assert "NOT PRIVATE" in str(first.guarantee_)


@pytest.mark.slow
def test_measured_bounds_miss_as_rarely_as_they_say():
    """Of 400 certificates of answers that are far off, 45 or more miss with probability below 10⁻⁶ at β = 0.05."""
    ages, records = Thresholds(0, 120, direction="above"), [12] * 30 + [40] * 70
    misses = sum(
        certified(ages, [ages.hypothesis(18)], [0.2], records, epsilon=1).guarantee.measured < 50 for _ in range(400)
    )
    assert 0 < misses < 45  # Pr[Z < −q] = 0.036 at ε = 1, so there is no miss with probability below 10⁻⁶


@pytest.mark.parametrize(("queries", "answers"), [([], []), ([1], [0.5]), ("one", [0.5, 0.5]), ("one", [2])])
def test_answers_made_elsewhere_must_be_fractions_of_rules(queries, answers):
    ages = Thresholds(0, 120, direction="above")
    asked = [ages.hypothesis(18)] if queries == "one" else queries
    with pytest.raises((Refused, RefusedType)):
        certified(ages, asked, answers, [12], epsilon=1)


def test_given_answers_cost_only_their_certificate():
    ages = Thresholds(0, 120, direction="above")
    release = certified(ages, [ages.hypothesis(18)], [0.7], [12] * 30 + [40] * 70, epsilon=2)
    assert [str(entry.cost) for entry in release.ledger] == ["ε = 2"]
    assert release.counts() == {"query": ["x ≥ 18"], "records": [70]}
    with pytest.raises(Refused, match="only the queries"):
        release.answer(ages.hypothesis(19))
    assert isinstance(release.guarantee, Guarantee) and Release.from_json(release.to_json()) == release


def test_a_column_may_be_chosen_by_its_position():
    table = np.array([[1, 7], [2, 7]] * 50)
    assert PrivateRelease(Thresholds(0, 9, direction="above"), epsilon=1, feature=1).fit(table).n_records_ == 100


def test_bounds_are_never_rounded_in_their_own_favor():
    certificate = PrivateRelease(JOBS, feature=None).fit(["clerk"] * 9).guarantee_.certificate
    said = str(Guarantee(certificate, 30_000, measured=400, beta=Fraction(1, 20), least=Fraction(19, 10_000)))
    assert "(0.0134)" in said and "an error of 0.0019 or more" in said  # 400/30000 is 0.01333…
    assert "an error of 0.00166 or" in str(Guarantee(certificate, 600, least=Fraction(1, 600)))


def of_units(k, per_unit=1, units=3000):
    X = {"x": np.arange(units * per_unit) % 100, "p": np.arange(units * per_unit) % units}
    return PrivateRelease(Thresholds(0, 100, direction="above"), epsilon=1, feature="x", max_records=k).fit(X, unit="p")


def test_with_units_n_counts_places_and_everything_says_so():
    """Most places stay empty, so a query that every record satisfies is a fifth; nothing calls a place a record."""
    release = of_units(5).release_
    assert release.n == 15_000 and abs(release.answer(Thresholds(0, 100, direction="above").hypothesis(0)) - 0.2) < 0.05
    said = str(release.guarantee)
    assert " of 15,000 places (" in said and "15000 records" not in said.replace(",", "")
    places = "15,000 places, 5 for each of 3,000 units; a unit with fewer records leaves places empty"
    assert f"fractions: of {places}" in said
    assert release.subject == "How many of the at most 5 records counted per unit lie at or below each x"
    assert "the fraction of their places" in Release.answer.__doc__ and "places" in Release.interval.__doc__
    page = release_page(release).replace("\N{NO-BREAK SPACE}", " ")
    assert places in page and "15,000 records" not in page
    assert "share of places at or below" in page
    assert Release.from_json(release.to_json()) == release


def test_with_one_record_of_each_unit_n_counts_units():
    release = of_units(1, per_unit=2).release_
    assert release.n == 3000 and " of 3000 units (" in str(release.guarantee)
    assert release.subject == "How many units lie at or below each x"
    page = release_page(release).replace("\N{NO-BREAK SPACE}", " ")
    assert "3,000 units" in page and "3,000 records" not in page and "places" not in str(release.guarantee)
