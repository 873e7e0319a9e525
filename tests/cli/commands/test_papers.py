"""The command `privpac papers`: its list, plans, runs, and audits; what it refuses spends nothing."""

import json

import pytest

from privpac.papers.editions import EDITIONS
from privpac.privacy.budget import Budget

RULES = "concept,child,adult,senior\nnone,0,0,0\nseniors,0,0,1\ngrown,0,1,1\nall,1,1,1\n"
LISTED = ("--class-file", "rules.csv")
COLUMNS = ("--x", "age", "--y", "ill")
DATA = ("--data", "table.csv", *COLUMNS)


@pytest.fixture(autouse=True)
def files(folder):
    """Four rules about three ages, and a table that one of them fits."""
    (folder / "rules.csv").write_text(RULES, "utf-8")
    rows = [f"{age},{int(age == 'senior')}" for age in ("child", "adult", "senior")] * 500
    (folder / "table.csv").write_text("\n".join(["age,ill", *rows]) + "\n", "utf-8")


def test_the_list_has_one_line_for_each_algorithm(run):
    code, out, _ = run("papers")
    assert code == 0
    lines = out.splitlines()
    assert [line.split()[0] for line in lines[1 : len(EDITIONS) + 1]] == [each.key for each in EDITIONS]
    assert [line for line in lines if "NOT PRIVATE" in line] == [line for line in lines if "HCT24" in line]
    code, out, _ = run("papers", "--json")
    assert code == 0
    rows = json.loads(out)
    assert len(rows) == len(EDITIONS)
    assert next(row for row in rows if row["key"] == "polypri")["theorem"] == "ggkm21, Theorem 2"


def test_a_plan(run):
    code, out, _ = run("papers", "plan", "occam", *LISTED)
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()[1:4]] == [
        "PrivateOccam-printed",
        "PrivateOccam",
        "FiniteLearner",
    ]
    code, out, _ = run(
        "papers",
        "plan",
        "interval-exponential",
        "--class",
        "thresholds",
        "--low",
        "1",
        "--high",
        "2^64",
        "--direction",
        "below",
        "--json",
    )
    assert code == 0
    printed, tight, _ = json.loads(out)
    assert (tight["n"], tight["kind"], tight["source"]) == (1180, "certified", "bbkn14, Theorem 2")
    assert printed["kind"] == "published, O-constants = 1"


def test_a_run_writes_a_model_that_predicts(run):
    code, out, _ = run("papers", "run", "occam", *LISTED, *DATA, "--out", "m.json", "--proofs")
    assert code == 0
    assert "rule:    ill = 1 if age = senior, otherwise 0" in out
    assert "error ≤ 0.1 with probability ≥ 0.95" in out
    assert "bbkn14, Theorem 2" in out.replace("\n         ", " ")
    code, out, _ = run("predict", "m.json", "table.csv")
    assert code == 0
    assert out.splitlines()[3] == "senior,1,1"


def test_a_run_writes_a_report(run, folder):
    assert run("papers", "run", "occam", *LISTED, *DATA, "--report", "r.html")[0] == 0
    assert "PrivateOccam of [BBKN14, Thm 3.2]" in (folder / "r.html").read_text("utf-8")


def test_records_that_do_not_fit_count_if_asked(run, account, folder):
    durable, paying = account
    with (folder / "table.csv").open("a") as table:
        table.write("unknown,0\n" * 30)
    asked = "papers", "run", "occam", *LISTED, *DATA, "--alpha", "0.4", *paying
    code, _, err = run(*asked)
    assert code == 2 and "--on-invalid default" in err.replace("\n", " ") and durable.spent == Budget(0)
    code, out, _ = run(*asked, "--on-invalid", "default")
    assert code == 0 and "rule:" in out and durable.spent == Budget(1)


def test_so_they_do_without_a_list_of_values(run, account, folder):
    """The refusal names an option that works, and the value that then stands for a record is told."""
    durable, paying = account
    with (folder / "table.csv").open("a") as table:
        table.write(",0\n" * 30)
    points = "--class", "points", "--delta", "1e-6"
    asked = "papers", "run", "polypri", *points, *DATA, "--alpha", "0.4", *paying
    code, _, err = run(*asked)
    assert code == 2 and "--on-invalid default" in err.replace("\n", " ") and durable.spent == Budget(0)
    certified = "--alpha", "0.3", "--beta", "1e-6"  # never to answer 1 errs on a third of the records
    code, out, _ = run("papers", "run", "polypri", *points, *DATA, *certified, "--on-invalid", "default")
    assert code == 0 and "rule:    ill = 1 if age = senior, otherwise 0" in out
    told = " ".join(out.split())
    assert "provided that the best rule is negative at '', which stands for records that do not fit" in told


def test_printed_constants_promise_nothing(run):
    code, out, _ = run("papers", "run", "PrivateOccam", *LISTED, *DATA, "--constants", "printed", "--json")
    assert code == 0
    model = json.loads(out)["model"]
    assert model["certificate"]["utility"] is None
    assert model["learner"] == "PrivateOccam of [BBKN14, Thm 3.2]"


def test_an_account_pays_once_for_a_key(run, account):
    durable, paying = account
    command = ("papers", "run", "occam", *LISTED, *DATA, *paying)
    first, again = (run(*command, "--once", "monday") for _ in range(2))
    assert first[0] == again[0] == 0
    assert "charged before" in again[2]
    assert durable.spent == Budget(1)
    assert run(*command, "--epsilon", "2.5")[0] == 1
    assert durable.spent == Budget(1)


PARTS = ("--class", "and", "--part", "a thresholds 0 7", "--part", "b thresholds 0 7")


@pytest.mark.papers
def test_a_composition_over_columns(run, folder):
    """Its own plan says what it takes, in the plan of the class, too; a run on fewer records says that they are few."""
    code, out, _ = run("papers", "plan", "ClosureLearn", *PARTS, "--json")
    rows = {row["learner"]: row for row in json.loads(out)}
    code, out, _ = run("plan", *PARTS, "--json")
    assert rows["ClosureLearn"] in json.loads(out)["rows"]
    assert rows["ClosureLearn"]["n"] == 3_565_295
    lines = [f"{a},{b},{int(a >= 2 and b >= 5)}" for a in range(8) for b in range(8)] * 40
    (folder / "two.csv").write_text("\n".join(["a,b,y", *lines]) + "\n", "utf-8")
    code, out, _ = run("papers", "run", "ClosureLearn", *PARTS, "--data", "two.csv", "--y", "y", "--epsilon", "3")
    assert code == 0
    assert "2,560 records are too few" in " ".join(out.split())
    assert "ε = 2.57721" in out


def test_an_audit(run):
    code, out, _ = run("papers", "audit", "occam", "--json")
    assert code == 0
    (row,) = json.loads(out)
    assert (row["key"], row["verdict"]) == ("occam", "NOT_REFUTED")


WRONG = [
    (("run", "polyprii", *LISTED, *DATA), 2, "did you mean 'polypri'"),
    (("run", "SimpleH", *LISTED, *DATA), 1, "SimpleH is not private"),
    (("audit", "simple-h"), 1, "SimpleH is not private"),
    (("audit", "make-tree"), 2, "no case small enough"),
    (("run", "a2", *LISTED, *DATA), 2, "in Python, use privpac.papers.bbkn14.A2"),
    (("run", "proper-points", *LISTED, *DATA), 2, "declare their number"),
    (("run", "occam", *DATA), 2, "list the rules of the class in a file, --class-file rules.csv"),
    (("run", "occam", *LISTED, "--class", "points", *DATA), 2, "leave out --class"),
    (("run", "occam", "--class-file", "absent.csv", *DATA), 2, "there is no file absent.csv"),
    (("run", "occam", "--class-file", "table.csv", *DATA), 2, "neither 0/1 nor false/true"),
    (("run", "occam", *LISTED, "--data", "absent.csv", *COLUMNS), 2, "there is no file absent.csv"),
    (("run", "occam", *LISTED, "--data", "table.csv", "--y", "ill"), 2, "name it: --x"),
    (("run", "occam", *LISTED, "--data", "table.csv", "--x", "age"), 2, "name the column of labels: --y"),
    (("run", "occam", *LISTED, *DATA, "--classes", "0,1,2"), 2, "--classes takes two labels here"),
    (("run", "occam", *LISTED, *DATA, "--alpha", "2"), 2, "alpha must lie strictly between 0 and 1"),
    (("run", "polypri", *LISTED, *DATA, "--delta", "0"), 2, "a delta strictly between 0 and 1"),
    (("plan", "corollary-6-5", *LISTED, "--epsilon", "3"), 2, "epsilon must lie in (0, 1]"),
    (("plan", "occam"), 2, "--class-file rules.csv"),
]


@pytest.mark.parametrize(("words", "code", "sentence"), WRONG)
def test_bad_input_ends_with_a_sentence_and_spends_nothing(run, account, words, code, sentence):
    durable, paying = account
    end, out, err = run("papers", *words, *(paying if words[0] == "run" else ()))
    assert (end, out) == (code, "")
    assert sentence in err.replace("\n", " ")
    assert durable.spent == Budget(0)


def test_values_that_are_not_points_are_refused_without_being_quoted(run, account, folder):
    durable, paying = account
    (folder / "other.csv").write_text("age,ill\nsecretvalue,1\n", "utf-8")
    code, _, err = run("papers", "run", "occam", *LISTED, "--data", "other.csv", *COLUMNS, *paying)
    assert code == 2
    assert "secretvalue" not in err
    assert durable.spent == Budget(0)
