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
