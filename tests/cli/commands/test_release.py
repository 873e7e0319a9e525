"""``privpac release``: answers, guarantees, synthetic records; refusals spend nothing, and nothing paid is lost."""

import csv
import json
from collections import Counter

import pytest

import privpac as pp
from privpac.cli.commands.release import _quantiles
from privpac.privacy.budget import Budget
from privpac.release.release import Release
from privpac.release.sanitizer import Answers
from tests.cli.printed import plain
from tests.cli.release_runs import CARRIERS, N

POINTS = ("release", "flights.csv", "--class", "points", "--x", "carrier")
CUTS = ("release", "flights.csv", "--class", "thresholds", "--low", "0", "--high", "119", "--x", "delay")
TRUE = Counter(CARRIERS.tolist())
SCHEMA = """
owner = "the airport"

[columns.carrier]
kind = "category"
values = ["UA", "EV", "B6", "YV", "OO"]

[columns.origin]
kind = "text"

[columns.delay]
kind = "integer"
low = 0
high = 119

[unit]
column = "plane"
max_records = 2
"""


@pytest.fixture
def schema(folder):
    (folder / "schema.toml").write_text(SCHEMA, encoding="utf-8")
    return ("--schema", "schema.toml")


def test_what_is_printed_is_what_is_written(run, folder):
    files = ("--out", "r.json", "--synthetic", "s.csv", "--rows", "500")
    code, out, err = run(*POINTS, "--delta", "1e-6", *files)
    assert (code, err) == (0, "")
    release = Release.from_json((folder / "r.json").read_text("utf-8"))
    assert all(claim in plain(out) for claim in release.guarantee.claims) and "Theorem" not in out
    assert "not shown is at most 54, with certainty" in plain(out)
    assert out.startswith("carrier  records\nUA ")
    assert out.endswith("release: r.json\nsynthetic: s.csv\n")
    assert abs(release.answer(pp.Points().hypothesis("EV")) * N - TRUE["EV"]) <= 27
    with (folder / "s.csv").open(encoding="utf-8") as lines:
        heading, *rows = csv.reader(lines)
    assert (heading, len(rows)) == (["carrier"], 500)
    drawn = Counter(row[0] for row in rows)
    assert all(abs(drawn[name] / 500 - TRUE[name] / N) < 0.05 for name in TRUE)


def test_the_report_is_about_this_release(run, folder):
    about = ("--title", "Flights by carrier", "--purpose", "a dashboard", "--owner", "the airport")
    code, out, err = run(*POINTS, "--out", "r.json", "--report", "r.html", *about)
    assert (code, err) == (0, "")
    assert out.endswith("release: r.json\nreport:  r.html\n")
    page = (folder / "r.html").read_text("utf-8")
    assert all(words in page for words in ("Flights by carrier", "a dashboard", "the airport", "r.json", "UA"))


@pytest.mark.slow
def test_a_report_is_written_beside_the_release(run, folder):
    files = ("--out", "r.json", "--report", "r.html", "--title", "Flights <2013>")
    code, out, err = run(*POINTS, "--delta", "1e-6", *files)
    assert (code, err) == (0, "")
    assert out.endswith("release: r.json\nreport:  r.html\n")
    page = (folder / "r.html").read_text("utf-8")
    assert page.startswith("<!doctype html>") and "Flights &lt;2013&gt;" in page
    assert "How many records have each carrier" in page and "from_json(open(&#x27;r.json&#x27;" in page
    assert run(*POINTS, "--report", "only.html")[0] == 0
    assert "from_json" not in (folder / "only.html").read_text("utf-8")


def test_a_release_without_synthetic_records_has_its_report(run, folder):
    """Nothing is frequent enough to be shown: the report says so, and only the synthetic records are missing."""
    (folder / "few.csv").write_text("carrier\n" + "UA\n" * 3, encoding="utf-8")
    files = ("--synthetic", "none.csv", "--report", "r.html")
    code, _, err = run("release", "few.csv", "--class", "points", "--x", "carrier", "--delta", "1e-12", *files)
    assert code == 2 and "synthetic" in err and not (folder / "none.csv").exists()
    assert "No count is large enough to be shown." in (folder / "r.html").read_text("utf-8")


def test_json(run):
    code, out, _ = run(*POINTS, "--json")
    told = json.loads(out)
    assert (code, told["written"]) == (0, {})
    assert Release.from_json(json.dumps(told["release"])).n == N


def test_by_default_as_many_synthetic_records_as_there_are(run, folder):
    assert run(*POINTS, "--synthetic", "all.csv")[0] == 0
    assert len((folder / "all.csv").read_text("utf-8").splitlines()) == N + 1


@pytest.mark.slow
def test_a_schema_declares_columns_and_units(run, schema):
    code, out, err = run("release", "flights.csv", *schema, "--class", "points", "--x", "carrier", "--epsilon", "4")
    assert (code, err) == (0, "")
    assert "OO" in out  # declared values are all shown
    assert "with probability ≥ 0.95, as measured on these records" in plain(out)
    assert "one unit" in out
    for option in (("--unit", "plane"), ("--max-records", "2"), ("--owner", "us")):
        assert "is declared by the schema" in run("release", "flights.csv", *schema, "--x", "delay", *option)[2]


@pytest.mark.slow
def test_marginals_are_named(run, schema):
    words = ("release", "flights.csv", *schema, "--epsilon", "4", "--json", "--marginals")
    code, out, err = run(*words, "carrier*delay, carrier")
    assert code == 0, err
    told = json.loads(out)["release"]
    assert "carrier" in str(told)
    assert "origin" not in str(told)
    err = run(*words, "carier*delay")[2]
    assert "did you mean 'carrier'?" in err and err.endswith("as in --marginals 'age*sex,age*region*sex'\n")
    wrong = run("release", "flights.csv", "--class", "points", "--x", "carrier", "--marginals", "carrier")
    assert "--marginals names columns of a schema" in wrong[2]


def test_certificates_can_be_left_out(run, schema):
    words = ("release", "flights.csv", *schema, "--class", "points", "--x", "carrier")
    assert "accuracy: not measured" in run(*words, "--certify", "0")[1]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("flights.csv", "--class", "points"), "name it: --x COLUMN"),
        (("flights.csv",), "name the class of rules, --class thresholds"),
        (("flights.csv", "--class", "pints", "--x", "carrier"), "there is no class 'pints'; did you mean 'points'?"),
        (("flights.csv", "--class", "points", "--x", "carrier", "--rows", "5"), "--rows goes with --synthetic"),
        (("flights.csv", "--class", "points", "--x", "carrier", "--certify", "1"), "--certify must be a share"),
        (("flights.csv", "--class", "points", "--x", "carrier", "--beta", "2"), "--beta must"),
        (("flights.csv", "--class", "points", "--x", "carrier", "--delta", "0"), "only with --delta 1e-06"),
        (("flights.csv", "--class", "points", "--x", "carrier", "--method", "x"), "--method must be auto or"),
        (("flights.csv", "--class", "points", "--x", "carier"), "no column 'carier'"),
        (("flights.csv", "--class", "points", "--x", "carrier", "--unit", "plane"), "belong together"),
        (("flights.csv", "--class", "points", "--x", "carrier", "--out", "flights.csv"), "also an input file"),
        (("nothing.csv", "--class", "points", "--x", "carrier"), "there is no file nothing.csv"),
        ((*CUTS[1:], "--y", "nobody"), "no column 'nobody'"),
        ((*CUTS[1:], "--y", "origin", "--classes", "EWR,JFK,LGA"), "--classes takes two labels here"),
        ((*CUTS[1:], "--y", "origin", "--classes", "EWR,LGA"), "neither of the two declared classes"),
        ((*CUTS[1:], "--classes", "EWR,JFK"), "--classes goes with --y"),
        (("flights.csv", "--class", "points", "--x", "carrier", "--y", "origin"), "thresholds; or the cells of"),
    ],
)
def test_refusals_spend_nothing(run, account, words, told):
    durable, option = account
    code, out, err = run("release", *words, *option)
    assert (code, out) == (2, "")
    assert told in err
    assert durable.spent == Budget(0)


@pytest.mark.slow
def test_weights_of_the_schema_choose_the_best_rule(run, folder):
    head = '[label]\ncolumn = "died"\nclasses = ["no", "yes"]\n'
    column = '[columns.crp]\nkind = "integer"\nlow = 0\nhigh = 9\n'
    for name, weights in (("even", ""), ("rare", "weights = [1, 10]\n"), ("balanced", 'weights = "balanced"\n')):
        (folder / f"{name}.toml").write_text(head + weights + column, encoding="utf-8")
    rows = "".join(f"{i % 10},{'yes' if i % 10 == 9 and i % 40 == 39 else 'no'}\n" for i in range(8000))
    (folder / "labs.csv").write_text("crp,died\n" + rows, encoding="utf-8")
    asked = ("release", "labs.csv", "--class", "thresholds", "--x", "crp", "--y", "died", "--epsilon", "5")
    printed = {
        name: plain(run(*asked, "--schema", f"{name}.toml", "--report", f"{name}.html")[1]) for name in ("even", "rare")
    }
    assert "“never”" in printed["even"] and "weighed" not in printed["even"]
    assert "“crp ≥ 9”" in printed["rare"] and "with errors weighed 1 : 10, a record costs 0.0" in printed["rare"]
    assert "Least cost: “crp ≥ 9”" in (folder / "rare.html").read_text("utf-8")
    assert "Fewest errors: “never”" in (folder / "even.html").read_text("utf-8")
    assert "“never”" in plain(run(*asked, "--schema", "balanced.toml")[1])


@pytest.mark.slow
def test_a_curve_of_a_column_that_may_lack_entries_is_refused_with_advice_that_works(run, folder):
    column = '[columns."Lab CRP"]\nkind = "decimal"\nlow = 0\nhigh = 400\n'
    (folder / "gaps.toml").write_text(column + 'missing = true\nna = ["NA"]\n', encoding="utf-8")
    (folder / "copy.toml").write_text(column, encoding="utf-8")
    rows = "".join(f"{i % 400 if i % 7 else 'NA'},{int(i % 400 > 300)}\n" for i in range(800))
    (folder / "labs.csv").write_text("Lab CRP,died\n" + rows, encoding="utf-8")
    asked, labels = ("--class", "thresholds", "--x", "Lab CRP"), ("--y", "died")
    code, out, err = run("release", "labs.csv", "--schema", "gaps.toml", *asked, *labels)
    assert (code, out) == (2, "") and "'Lab CRP' may be missing (missing = true), and an ROC curve has no place" in err
    assert "in a copy of the schema, and say --on-invalid default;" in err
    assert err.endswith("without a class: --marginals 'Lab CRP'\n")
    curve = run("release", "labs.csv", "--schema", "copy.toml", *asked, *labels, "--on-invalid", "default")
    assert curve[0] == 0 and "under the ROC curve" in curve[1], curve[2]
    cells = run("release", "labs.csv", "--schema", "gaps.toml", *labels, "--marginals", "Lab CRP")
    assert cells[0] == 0 and "best:" in cells[1], cells[2]


@pytest.mark.slow
def test_records_that_do_not_fit_are_refused_without_being_quoted(run, account, folder):
    (folder / "short.toml").write_text(SCHEMA.replace('"UA", ', ""), encoding="utf-8")
    durable, option = account
    words = ("release", "flights.csv", "--schema", "short.toml", "--class", "points", "--x", "carrier", *option)
    code, _, err = run(*words)
    assert (code, durable.spent) == (2, Budget(0))
    assert "UA" not in err
    assert run(*words, "--on-invalid", "default")[0] == 0


@pytest.mark.slow
def test_accounts_are_charged_and_refuse(run, account):
    durable, option = account
    assert run(*POINTS, "--epsilon", "2", *option)[0] == 0
    assert durable.spent == Budget(2, 1e-6)
    code, out, _ = run(*POINTS, "--epsilon", "2", *option)
    assert (code, out) == (1, "")


def test_what_is_paid_for_is_printed_if_it_cannot_be_written(run, folder):
    code, out, err = run(*POINTS, "--out", "/dev/full", "--synthetic", "s.csv")
    assert (code, err) == (
        2,
        "error: /dev/full could not be written; the budget is spent, so save the release printed above\n",
    )
    assert Release.from_json(out[out.index("{") :]).n == N
    code, _, err = run(*POINTS, "--out", "r.json", "--synthetic", "/dev/full")
    assert (code, err) == (2, "error: /dev/full could not be written\n")
    assert Release.from_json((folder / "r.json").read_text("utf-8")).n == N


def test_a_release_that_shows_nothing_is_kept_although_no_record_can_be_drawn(run, folder):
    (folder / "empty.json").unlink(missing_ok=True)
    words = ("release", "flights.csv", "--class", "points", "--x", "plane", "--delta", "1e-12")  # once in 10⁸ runs
    code, out, err = run(*words, "--out", "empty.json", "--synthetic", "none.csv")
    assert code == 2
    assert "no synthetic ones can be drawn" in err
    assert out.startswith("no value occurs often enough to be shown\n")
    assert Release.from_json((folder / "empty.json").read_text("utf-8")).n == N
    assert not (folder / "none.csv").exists()


def test_quantiles_are_told_where_values_are_in_an_order():
    release = pp.PrivateRelease(pp.Points(), delta=1e-6).fit(CARRIERS).release_
    assert _quantiles(release) == {}

    class Ordered(type(release.answers_)):
        quantile = staticmethod(float)

    ordered = Release(Ordered(**vars(release.answers_)), release.guarantee, release.ledger, release.sanitizer)
    assert _quantiles(ordered)["50 %"] == 0.5
    assert "quantile" not in vars(type(release.answers_))
    assert Ordered.quantile is not Answers.quantile


def test_labels_give_every_cut_at_once(run, folder):
    files = ("--out", "cuts.json", "--report", "roc.html", "--synthetic", "both.csv", "--rows", "50")
    code, out, err = run(*CUTS, "--y", "origin", "--classes", "EWR,JFK", *files)
    assert (code, err) == (0, "")
    release = pp.load(folder / "cuts.json")
    assert release.labels == ("EWR", "JFK") and release.n == N
    told = plain(out)
    assert told.startswith("rule") and "finds of JFK" in told and "under the ROC curve of these records" in told
    assert "not for new ones" in told and all(claim in told for claim in release.guarantee.claims)
    assert abs(release.error(pp.Thresholds(0, 119, direction="above").hypothesis(60)) - 0.5) < 0.1
    page = (folder / "roc.html").read_text("utf-8")
    assert "ROC curve of these records" in page and "<svg" in page
    assert (folder / "both.csv").read_text("utf-8").startswith("delay,origin\n")


def test_a_schema_may_name_the_labels(run, folder):
    text = SCHEMA.partition("[unit]")[0] + '[label]\ncolumn = "late"\nclasses = [0, 1]\n'
    (folder / "labeled.toml").write_text(text.replace('[columns.origin]\nkind = "text"\n', ""), encoding="utf-8")
    rows = (folder / "flights.csv").read_text("utf-8").splitlines()
    named = [rows[0] + ",late", *(f"{row},{i % 2}" for i, row in enumerate(rows[1:]))]
    (folder / "late.csv").write_text("\n".join(named), encoding="utf-8")
    asked = ("release", "late.csv", "--schema", "labeled.toml", "--marginals", "carrier", "--y", "late")
    code, out, err = run(*asked, "--delta", "1e-6")
    assert (code, err) == (0, "") and "best:" in out and "area" not in out
    assert "declared by the schema" in run(*asked, "--classes", "0,1")[2]
