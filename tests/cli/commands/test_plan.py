"""``privpac plan``: the table, JSON, the picture, refusals."""

import json
import re
import xml.etree.ElementTree as ET
from functools import partial

import pytest

from privpac.classes import ExplicitClass, Thresholds
from privpac.planning import plan

RULES = "concept,child,adult,senior\nnobody,0,0,0\nseniors,0,0,1\nadults,0,1,1\n"
EXPLICIT = ("--class", "explicit", "--matrix", "rules.csv")


@pytest.fixture
def run(tmp_path, monkeypatch, typed):
    """The command: exit code, stdout, stderr."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rules.csv").write_text(RULES, encoding="utf-8")
    return partial(typed, "plan")


def test_a_table(run):
    code, out, err = run(*EXPLICIT, "--alpha", "0.2", "--epsilon", "0.5")
    assert (code, err) == (0, "")
    answer, question, table = (block.splitlines() for block in out.split("\n\n")[:3])
    assert re.match(r"\d+ records are enough at ε = 0.5 to learn a rule whose error is at most 0.2 above ", answer[0])
    assert question[1].startswith("error ≤ that of the best rule + 0.2, with probability ≥ 0.95; ε = 0.5, δ = min(")
    assert table[0].split() == ["learner", "n", "privacy", "how"]
    assert table[1].startswith("FiniteLearner  ") and table[1].endswith("  permute-and-flip over all concepts")


def test_proofs_name_the_theorem_of_each_row(run):
    brief, whole = run(*EXPLICIT)[1], run(*EXPLICIT, "--proofs")[1]
    assert "Theorem" not in brief and "finite learner, Theorem" in whole
    assert whole.split("\n\n")[2].split()[:7] == ["learner", "n", "proper", "privacy", "δ·n", "kind", "source"]


@pytest.mark.slow
def test_no_line_is_longer_than_people_read(run):
    for words in (EXPLICIT, ("--class", "points"), ("--class", "thresholds", "--low", "0", "--high", "2^64-1")):
        for more in (
            (),
            ("--proofs",),
            ("--published",),
            ("--n", "500"),
            ("--n", "500", "--alpha", "0.01"),
            ("--epsilon", "0.1,1"),
        ):
            assert max(map(len, run(*words, *more)[1].splitlines())) <= 100


def test_a_plan_without_a_certificate_says_so_first(run):
    assert run("--class", "points", "--n", "20", "--alpha", "0.001")[1].startswith("No learner has a certificate")


HUGE = "1" + "0" * 400


@pytest.mark.parametrize(
    ("option", "value"),
    [
        *[(option, value) for option in ("alpha", "beta") for value in ("1e-999", "1e-320", "1", "nan", "")],
        *[("epsilon", value) for value in ("1e-999", "1e-300", "1e999", "0", "inf")],
        *[("delta", value) for value in ("1e-999", "1e-320", "1", "-1")],
        *[("n", value) for value in ("0", "-1", "nan", "")],
    ],
)
def test_a_number_that_is_none_to_plan_for_is_refused(run, option, value):
    code, out, err = run("--class", "points", "--size", "5", "--regime", "realizable", f"--{option}={value}")
    assert (code, out) == (2, "")
    assert option in err


@pytest.mark.slow
@pytest.mark.parametrize("option", ["--alpha=1e-300", "--beta=1e-300", "--delta=1e-300", f"--n={HUGE}", "--alpha=1e-9"])
def test_a_number_far_from_usual_ones_is_planned_for(run, option):
    code, out, _ = run("--class", "points", "--size", "5", "--regime", "realizable", "--published", option)
    assert code == 0
    assert "PointLearner" in out


@pytest.mark.parametrize(
    "described",
    [
        ("half-planes", "--side", "10^400"),
        ("central-half-planes", "--low", "0", "--high", "10^400"),
        ("starts-with", "--height", "1000000"),
        ("root-paths", "--height", str(2**31)),
    ],
)
def test_a_large_class_is_planned(run, described):
    assert run("--class", *described)[0] == 0


@pytest.mark.parametrize(
    ("described", "reason"),
    [
        (("root-paths", "--height", HUGE), "height must be"),
        (("starts-with", "--height", HUGE), "height must be"),
        (("spider", "--bits", HUGE), "bits must be"),
        (("rectangles", "--low", "0", "--high", "9", "--dim", HUGE), "at most 1048576 coordinates"),
    ],
)
def test_a_class_that_no_memory_holds_is_refused(run, described, reason):
    code, out, err = run("--class", *described)
    assert (code, out) == (2, "")
    assert reason in err


def test_published_bounds_are_shown_if_asked_for(run):
    brief, whole = run(*EXPLICIT)[1], run(*EXPLICIT, "--published")[1]
    rows = plan(ExplicitClass.from_csv("rules.csv")).rows
    published = [row for row in rows if row.title == ""]
    assert brief.splitlines()[-1] == f"{len(published)} published bounds not shown; add --published"
    assert "[BBKN14" not in brief
    assert "guarantees nothing" not in brief
    assert all(row.source in whole for row in rows)
    assert "guarantees nothing" in whole
    assert "--published" not in whole


def test_json_says_what_the_library_says(run):
    code, out, _ = run("--class", "thresholds", "--low", "0", "--high", "2^16-1", "--regime", "realizable", "--json")
    assert code == 0
    told, made = json.loads(out), plan(Thresholds(0, 2**16 - 1, direction="either"), regime="realizable")
    assert told["rows"] == [row.__dict__ | {"kind": str(row.kind)} for row in made.rows]
    assert told["best"] == (made.best and made.best.learner)
    assert (told["alpha"], told["beta"], told["epsilon"], told["delta"], told["n"]) == (0.1, 0.05, 1.0, None, None)
    assert json.loads(run(*EXPLICIT, "--n", "1000000", "--json")[1])["delta"] == 1e-8
    assert json.loads(run(*EXPLICIT, "--delta", "1e-6", "--json")[1])["delta"] == 1e-6


def test_a_delta_that_learning_would_refuse(run):
    code, out, _ = run("--class", "points", "--alpha", "0.01", "--delta", "1e-6")
    assert code == 0
    assert "Learning is refused when δ·n exceeds 0.1; ask for a smaller --delta, or say --allow-large-delta." in out


def test_with_n_the_error(run):
    code, out, _ = run(*EXPLICIT, "--n", "5000", "--json")
    assert code == 0
    rows = json.loads(out)["rows"]
    assert {row["n"] for row in rows} == {5000}
    assert 0 < rows[0]["alpha"] < 0.1


@pytest.mark.slow
def test_a_picture(run, tmp_path):
    code, _, _ = run("--class", "points", "--plot", "plan.svg")
    assert code == 0
    assert ET.parse(tmp_path / "plan.svg").getroot().tag.endswith("svg")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--class", "circles"), "there is no class 'circles'; choose one of and, "),
        ((*EXPLICIT, "--alpha", "2"), "alpha must lie strictly between 0 and 1"),
        ((*EXPLICIT, "--epsilon", "much"), "epsilon must be a finite number"),
        ((*EXPLICIT, "--n", "0"), "n must be at least 1"),
        ((*EXPLICIT, "--plot", "nowhere/plan.svg"), "nowhere/plan.svg cannot be written"),
        ((*EXPLICIT, "--plot", "rules.csv"), "--plot is also an input file"),
        (("--class", "thresholds", "--low", "0", "--high", "2020-01-01"), "--low and --high"),
    ],
)
def test_refusals_are_sentences(run, refusals, arguments, words):
    code, out, err = run(*arguments)
    assert len(refusals) == 1
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert words in err


def test_the_smallest_epsilon(run):
    code, out, _ = run(*EXPLICIT, "--n", "3000", "--alpha", "0.1")
    assert code == 0
    assert "n = 3,000, error ≤ that of the best rule + 0.1, with probability ≥ 0.95; the smallest ε" in out
    told = json.loads(run(*EXPLICIT, "--n", "3000", "--alpha", "0.1", "--json")[1])
    assert told["epsilon"] == plan(ExplicitClass.from_csv("rules.csv"), n=3000, alpha=0.1).best.epsilon


def test_several_epsilons_make_a_table(run):
    code, out, _ = run(*EXPLICIT, "--n", "3000", "--epsilon", "0.1,0.5, 1")
    assert code == 0
    rows = out.splitlines()[3:7]
    assert [row.split()[0] for row in rows] == ["ε", "0.1", "0.5", "1"]
    assert "error" in rows[0]
    told = json.loads(run(*EXPLICIT, "--epsilon", "0.1,0.5", "--json")[1])
    assert [each["epsilon"] for each in told["plans"]] == [0.1, 0.5]


@pytest.mark.parametrize("several", ["0.1,,1", "0.1,nan", ",", "1,0"])
def test_each_of_several_epsilons_is_checked(run, several):
    code, out, err = run(*EXPLICIT, "--epsilon", several)
    assert (code, out) == (2, "")
    assert "epsilon" in err


def test_a_plan_of_a_release(run):
    code, out, _ = run("--class", "points", "--task", "release", "--delta", "1e-6", "--epsilon", "1")
    assert code == 0 and "PointSanitizer" in out and "540" in out and "all queries at once" in out
    code, out, _ = run("--class", "points", "--task", "release", "--delta", "1e-6", "--epsilon", "1,3")
    assert code == 0 and "the best release for each ε" in out
    code, _, err = run("--class", "points", "--task", "both")
    assert code == 2 and "--task" in err


def test_a_plan_of_a_release_of_a_table_plans_what_release_runs(run, tmp_path):
    schema = tmp_path / "schema.toml"
    schema.write_text('[columns.age]\nkind = "integer"\nlow = 0\nhigh = 120\n[columns.city]\nkind = "text"\n')
    code, out, _ = run("--schema", str(schema), "--task", "release", "--n", "5000")
    assert code == 0 and "TableSanitizer" in out and "measures its error on the records" in out
    code, out, _ = run("--schema", str(schema), "--class", "trees", "--task", "release", "--n", "5000")
    assert code == 0 and "no release for this class" in out


def test_a_plan_honors_the_unit_of_a_schema(run, tmp_path):
    schema = tmp_path / "schema.toml"
    columns = '[columns.age]\nkind = "integer"\nlow = 0\nhigh = 120\n'
    schema.write_text(f'[unit]\ncolumn = "patient"\nmax_records = 2\n{columns}')
    asked = ("--schema", str(schema), "--class", "trees")
    code, out, _ = run(*asked, "--n", "12000")
    assert code == 0 and "No learner has a certificate" in out and "max_records = 1" in out and "--report-error" in out
    assert "max_records = 1" in run(*asked, "--epsilon", "0.5,1")[1]
    code, _, err = run(*asked, "--max-records", "1")
    assert code == 2 and "--max-records is declared by the schema" in err
    schema.write_text(columns)
    code, out, _ = run(*asked, "--n", "12000", "--max-records", "1")
    assert code == 0 and out.startswith("12,000 units are enough") and "n counts units" in out
    assert json.loads(run(*asked, "--max-records", "1", "--json")[1])["max_records"] == 1


COLUMNS = """
[label]
column = "ill"
classes = ["no", "yes"]

[columns.age]
kind = "integer"
low = 0
high = 120

[columns.stay]
kind = "integer"
low = 0
high = 3650

[columns.ward]
kind = "category"
values = ["A", "B", "C", "D"]
"""


@pytest.mark.slow
def test_a_plan_of_a_schema_without_a_certificate_says_what_has_one(run, tmp_path):
    (tmp_path / "schema.toml").write_text(COLUMNS, encoding="utf-8")
    words = ("--schema", "schema.toml")
    first = run(*words)[1]
    assert first.startswith("No learner has a certificate for these numbers.")
    assert "have a certificate; say --class trees, or --n for how many records you have." in " ".join(first.split())
    assert "records are enough" in run(*words, "--class", "trees")[1] and "are enough" in run(*words, "--n", "1000")[1]
    for more in (("--n", "5000"), ("--class", "scorecards")):
        assert "certificate; say --class trees.\n" in run(*words, *more)[1]
    assert "--class trees" not in run(*words, "--n", "20", "--alpha", "0.001")[1]  # these have none, either


@pytest.mark.slow
def test_with_weights_the_table_shows_the_cost_of_the_headline(run, tmp_path):
    (tmp_path / "schema.toml").write_text(COLUMNS, encoding="utf-8")
    out = run("--schema", "schema.toml", "--class", "trees", "--n", "5000", "--weights", "1,10")[1]
    headline = float(re.search(r"average\s+cost\s+is\s+at\s+most\s+([\d.]+)", out)[1])
    heading, row = out.split("\n\n")[2].splitlines()[:2]
    assert heading.split()[1:3] == ["average", "cost"] and 0 <= headline - float(row.split()[1]) < 0.001 * headline
