"""``privpac audit``: what is printed, and the exit codes."""

import json
import re
from functools import partial

import pytest

from privpac.audit.claims import holding_out, sensitivities
from privpac.audit.claims import learners as learner_cases
from privpac.audit.claims import mechanisms as catalogue
from privpac.audit.claims.case import Case, support
from privpac.mechanisms.selection.exponential import SparseExponential
from privpac.privacy.budget import Budget
from tests.cli.printed import plain

FALSE = Case(SparseExponential(Budget(1, 0.5)), support, "2 keys", "ab", 1, Budget(1, 0.1))


@pytest.fixture
def run(typed):
    """The command: exit code, stdout, stderr."""
    return partial(typed, "audit")


def test_one_mechanism(run):
    code, out, err = run("subsampled-geometric")
    assert (code, err) == (0, "")
    assert out == (
        "mechanism             n  claim         of the claim  verdict      audited on\n"
        "subsampled geometric  3  ε = 0.452832  1.0           NOT_REFUTED  1 of 3 bits\n"
        "subsampled geometric  3  ε = 0.763383  1.0           NOT_REFUTED  2 of 3 bits\n"
    )


@pytest.mark.parametrize("name", ["NameLearner", "name-learner"])
def test_one_learner(run, name):
    code, out, err = run(name)
    assert (code, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 100
    lines = [line for line in out.splitlines()[1:] if not line.startswith(" ")]
    assert len(lines) == 4 + 2
    assert all(line.startswith("NameLearner  ") and "  NOT_REFUTED  " in line for line in lines)
    assert plain(out).count("sensitivity, ") == 2


@pytest.mark.audit
def test_every_control_is_refuted(run):
    code, out, err = run("--controls")
    assert (code, err) == (0, "")
    rows = [line for line in out.splitlines()[1:] if not line.startswith(" ")]
    verdicts = [re.search(r"  (\w*REFUTED)  ", row)[1] for row in rows]
    assert len(verdicts) == 12
    assert set(verdicts) == {"REFUTED"}
    assert "noise scale 30 % too small: the probabilities of neighbors differ by a factor of e^(ε/0.7)" in plain(out)


def test_a_refuted_claim_is_exit_1(run, monkeypatch):
    monkeypatch.setattr(catalogue, "CATALOGUE", (FALSE,))
    monkeypatch.setattr(learner_cases, "LEARNER_CLAIMS", ())
    monkeypatch.setattr(sensitivities, "SENSITIVITIES", ())
    monkeypatch.setattr(holding_out, "HOLDING_OUT_CLAIMS", ())
    code, out, _ = run()
    assert code == 1
    assert "  REFUTED  " in out.splitlines()[1]
    assert run("--sampled", "--runs", "500")[0] == 1


def test_a_control_that_survives_is_exit_1(run):
    assert run("discrete-laplace", "--controls", "--sampled", "--runs", "4")[0] == 1


def test_outputs(run):
    code, out, _ = run("repeated-geometric", "--sampled", "--runs", "100", "--confidence", "0.999999999")
    assert code == 0
    assert out.splitlines()[0].endswith("ε at least  runs  verdict      audited on")


@pytest.mark.slow
def test_json(run):
    rows = json.loads(run("--controls", "float-quantile", "--json")[1])
    assert rows == [
        {
            "mechanism": "float quantile",
            "audited on": "quantile weights that underflow",
            "n": 760,
            "claim": {"epsilon": 4.0, "delta": 0.0},
            "worst": "∞",
            "of the claim": "∞",
            "pairs": 760,
            "verdict": "REFUTED",
        }
    ]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["nosuch"], "no audited mechanism is called 'nosuch'"),
        (["geometric", "--sampled", "--confidence", "2"], "confidence must lie strictly between 0 and 1"),
    ],
)
def test_bad_input_is_explained_in_a_sentence(run, arguments, reason):
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert reason in err


def test_bad_usage(run):
    assert run("--sampled", "--runs", "3")[:2] == (2, "")


@pytest.mark.slow
def test_a_stopwatch(run):
    code, out, err = run("discrete-laplace", "--timing", "--runs", "300", "--confidence", "0.999999999")
    assert (code, err) == (0, "")
    heading, *lines = out.splitlines()
    assert heading.split("  ")[-1] == "audited on" and "time and noise" in heading
    assert sum("NOT_REFUTED" in line for line in lines) >= 4 and " REFUTED" not in out  # names may take a second line


@pytest.mark.audit
def test_a_stopwatch_refutes_its_controls(run):
    """A busy machine hides less than a tenth of what they tell."""
    code, out, _ = run("--timing", "--controls", "--runs", "12000", "--json")
    rows = json.loads(out)
    assert code == 0 and [row["verdict"] for row in rows] == ["REFUTED"] * 2
    assert all("µs" in row["event"] for row in rows)
