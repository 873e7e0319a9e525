"""Rules with two cuts on long lines: what is learned, certified, and chosen."""

import numpy as np
import pytest

from privpac import PrivateClassifier, plan
from privpac.classes.compositions.compose import And, Compose, Or, Xor
from privpac.classes.lines.thresholds import Thresholds
from privpac.learners.choice import learner_for
from privpac.learners.lines.cut_pairs import CutPairLearner
from privpac.learners.rules.grid_rules import RuleLearner
from privpac.requests.conditions import Conditions
from tests.grid import over

WIDE = 2**64 - 1


def table(n=5000, seed=3):
    rng = np.random.default_rng(seed)
    return {"a": rng.integers(0, 1000, n), "b": rng.integers(0, 1000, n)}


def two(high=WIDE, make=And, **how):
    how = {"direction": "above"} | how
    return make(Thresholds(0, high, **how).on("a"), Thresholds(0, high, **how).on("b"))


@pytest.mark.slow
@over("high", (999, 10**6, WIDE))
def test_the_length_of_a_line_does_not_spoil_the_rule(high):
    """5000 records without noise, ε = 1: three fits err on less than 2 %; a grid errs as a constant does."""
    X = table()
    y = (X["a"] >= 400) & (X["b"] >= 300)
    for _ in range(3):
        clf = PrivateClassifier(two(high), method="CutPairLearner").fit(X, y)
        assert (clf.predict(X) != y).mean() < 0.02
    grid = PrivateClassifier(two(high), method="RuleLearner").fit(X, y)
    assert ((grid.predict(X) != y).mean() > 0.3) == (high > 999)


@pytest.mark.slow
def test_every_function_and_direction_is_learned():
    X = table(2000)
    a, b = X["a"] >= 400, X["b"] >= 300
    cases = {
        two(make=Or): a | b,
        two(make=Or, direction="either"): ~a | b,
        two(make=Xor): a ^ b,
        two(make=And, direction="below"): ~a & ~b,
        Compose(lambda first, second: first and not second, *two().parts): a & ~b,
    }
    for H, y in cases.items():
        clf = PrivateClassifier(H, method="CutPairLearner", epsilon=3).fit(X, y)
        assert (clf.predict(X) != y).mean() < 0.03


def test_two_cuts_of_one_column():
    x = np.arange(1000)
    H = And(Thresholds(0, WIDE, direction="above"), Thresholds(0, WIDE, direction="below"))
    y = (x >= 200) & (x < 700)
    clf = PrivateClassifier(H, method="CutPairLearner", epsilon=3, feature=None).fit(x, y)
    assert (clf.predict(x) != y).mean() < 0.05


def test_the_whole_class_comes_before_a_grid():
    asked = Conditions.of()
    assert learner_for(two(), asked) is CutPairLearner
    assert learner_for(two(99), asked) is RuleLearner  # its grid is the whole class
    best = plan(two()).best
    assert (best.learner, str(best.kind)) == ("CutPairLearner", "certified")
    assert [row.learner for row in plan(two(), n=10**5).rows[:2]] == ["CutPairLearner", "RuleLearner"]
    assert str(plan(two()).rows[1].kind) == "certified on a public grid"


def test_what_is_certified_on_long_lines():
    H = two(2**32 - 1)
    α = [float(PrivateClassifier(H, method="CutPairLearner").certified_alpha(n)) for n in (10**4, 3 * 10**4, 10**5)]
    assert α == [0.0569, 0.0318, 0.0173]


@over("y", ([0] * 50, [1] * 50, [0, 1] * 25))
@over("n", (0, 1, 2, 50))
def test_few_records_and_one_label(y, n):
    X = {name: column[:n] for name, column in table(50).items()}
    if n:
        PrivateClassifier(two(), method="CutPairLearner").fit(X, y[:n])
    else:
        with pytest.raises(ValueError, match="record"):
            PrivateClassifier(two(), method="CutPairLearner").fit(X, y[:n])


@pytest.mark.parametrize("on_invalid", ["clamp", "default"])
def test_values_out_of_the_domain(on_invalid):
    X = {"a": [-5, 10**30, 3, None, 7] * 20, "b": [1, 2, float("nan"), 4, 5] * 20}
    clf = PrivateClassifier(two(10**6), method="CutPairLearner", on_invalid=on_invalid)
    assert len(clf.fit(X, [0, 1, 1, 0, 1] * 20).predict(X)) == 100


def test_tiny_epsilon_is_left_to_other_learners():
    assert learner_for(two(), Conditions.of(epsilon="1e-7")) is RuleLearner


def test_lines_beyond_reach_are_left_to_the_grid():
    longest, longer = (
        And(Thresholds(0, 2**bits - 1, direction="above").on("a"), Thresholds(0, 9, direction="above").on("b"))
        for bits in (900, 901)
    )
    assert CutPairLearner.supports(longest) and not CutPairLearner.supports(longer)
    assert RuleLearner.supports(longer)
