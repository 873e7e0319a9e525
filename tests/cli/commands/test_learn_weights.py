"""Weights of errors from the shell and from a schema."""

import json

import pytest

SCHEMA = """
[label]
column = "back"
classes = ["no", "yes"]
{weights}
[columns.age]
kind = "integer"
low = 0
high = 99
"""


@pytest.fixture
def visits(tmp_path):
    """One visit in 25 leads to another, all of them above 70."""
    path = tmp_path / "visits.csv"
    lines = [f"{i % 100},{'yes' if i % 100 >= 70 and i % 7 == 0 else 'no'}" for i in range(3000)]
    path.write_text("age,back\n" + "\n".join(lines), "utf-8")
    return str(path)


CUT = ("--class", "thresholds", "--low", "0", "--high", "99", "--x", "age", "--y", "back", "--classes", "no,yes")


@pytest.mark.parametrize("weights", [("1,15",), ("balanced", "--prevalence", "0.04"), ("balanced",)])
def test_a_cost_is_said_in_place_of_an_error(run, visits, weights):
    code, out, _ = run("learn", visits, *CUT, "--weights", *weights, "--epsilon", "5", "--report-error")
    assert code == 0
    assert "per 100 new records" in out and "an error on no costs 1" in out


def test_a_schema_declares_weights(run, visits, tmp_path):
    (tmp_path / "visits.toml").write_text(SCHEMA.format(weights="weights = [1, 15]"), "utf-8")
    asked = ("learn", visits, "--schema", str(tmp_path / "visits.toml"), "--depth", "1", "--epsilon", "5")
    code, out, _ = run(*asked)
    assert code == 0 and "where errors cost 1 and 15" in out.replace("\n", " ").replace("         ", "")
    code, _, err = run(*asked, "--weights", "1,9")
    assert code == 2 and "--weights is declared by the schema" in err


@pytest.mark.parametrize(
    "weights", ["weights = [1, 0]", "weights = [1]", 'weights = "even"', 'weights = [1, "many"]', "weights = 3"]
)
def test_wrong_weights_in_a_schema_name_their_line(run, visits, tmp_path, weights):
    (tmp_path / "visits.toml").write_text(SCHEMA.format(weights=weights), "utf-8")
    code, _, err = run("learn", visits, "--schema", str(tmp_path / "visits.toml"))
    assert code == 2 and "weights" in err and "line" in err


@pytest.mark.parametrize("weights", ["0,1", "1", "1,-2", "1,2,3", "1,100000", "one,two", ""])
def test_wrong_weights_are_usage_errors(run, visits, weights):
    code, _, err = run("learn", visits, *CUT, "--weights", weights)
    assert code == 2 and "weight" in err


def test_a_plan_with_weights(run):
    code, out, _ = run("plan", "--class", "thresholds", "--low", "0", "--high", "99", "--weights", "1,9", "--json")
    assert code == 0 and json.loads(out)["weights"] == [1, 9]


def test_a_hint_about_weights_can_be_typed(run):
    code, _, err = run("plan", "--class", "thresholds", "--low", "0", "--high", "99", "--weights", "balanced")
    assert code == 2 and "--weights 1,9" in err


@pytest.mark.slow
def test_a_rule_with_one_answer_has_a_hint_that_works(run, visits):
    """Without weights, hardly a tree of few tests is better than a constant; the hint is gone once it is followed."""
    hint = "hint:    if yes is rare, --weights balanced gives it more weight in a new, paid run"
    narrow = tuple("19" if word == "99" else word for word in CUT)
    asked = ("learn", visits, *narrow, "--on-invalid", "default", "--epsilon", "9")
    code, out, _ = run(*asked)
    assert code == 0 and "back = no always" in out and hint in " ".join(out.split("\n"))
    for more in (("--weights", "balanced"), ("--weights", "1,2"), ("--report-error",), ("--regime", "realizable")):
        code, out, err = run(*asked, *more)
        assert code == 0 and "hint:" not in out, err


def test_a_bound_that_promises_less_than_a_constant_says_so(run, visits, tmp_path):
    asked = ("learn", visits, *CUT, "--weights", "1,10", "--report", str(tmp_path / "page.html"))
    vague, clear = (run(*asked, "--epsilon", epsilon)[1] for epsilon in ("0.03", "9"))
    assert "two constant answers costs at most 0.91 on average, so this bound promises less" in " ".join(vague.split())
    assert "promises less" not in clear and "promises" not in (tmp_path / "page.html").read_text("utf-8")
    run(*asked, "--epsilon", "0.03")
    page = (tmp_path / "page.html").read_text("utf-8")
    assert "less than a constant promises" in page and "costs at most 90.91 on average" in page
