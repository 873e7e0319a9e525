"""What a plan prints is what a fit certifies, and which learner a fit uses."""

import pytest

from privpac import PrivateClassifier, plan
from privpac.classes import (
    And,
    ExplicitClass,
    Intervals,
    Rectangles,
    RootPaths,
    Taxonomy,
    Thresholds,
)

NAMES = Taxonomy({"b": "a", "c": "b", "d": "a"})
LONG = Rectangles(0, 10**18, dim=3)
COLUMNS = [Thresholds(0, 10**6, direction="above").on(f"column {i}") for i in range(2)]


@pytest.mark.parametrize(
    ("H", "n", "alpha", "regime", "delta"),
    [
        (NAMES, 1000, 0.12345, "agnostic", None),  # certificates name multiples of 1/10000
        (NAMES, 2**32, 0.001, "agnostic", None),  # and improve up to 2^30 records
        (RootPaths("/", height=8), 2**32, 0.001, "agnostic", None),
        (Thresholds(0, 99, direction="above"), 50, 0.9, "agnostic", None),
        (Thresholds(0, 99, direction="above"), 2000, 0.1, "realizable", 0),
        (LONG, 2000, 0.1, "agnostic", None),
    ],
)
def test_the_smallest_epsilon_is_certified_by_a_fit(H, n, alpha, regime, delta):
    rows = [row for row in plan(H, n=n, alpha=alpha, regime=regime, delta=delta).rows if row.kind.certified]
    assert rows
    for row in rows:
        asked = {"epsilon": row.epsilon, "alpha": alpha, "regime": regime, "delta": delta}
        assert PrivateClassifier(H, method=row.learner, **asked).certified_alpha(n) <= alpha


def test_more_records_than_quantiles_take_certify_nothing_with_private_cuts():
    rows = {row.learner: row for row in plan(Rectangles(0, 10**18, dim=2), n=2**31, alpha=0.1).rows}
    assert not rows["PrivateCutBoxes"].kind.certified
    assert rows["RectangleLearner"].kind.certified


@pytest.mark.parametrize("given", [{}, {"n": 5000}, {"n": 5000, "alpha": 0.2}, {"alpha": 0.2}])
@pytest.mark.parametrize(
    "H", [Thresholds(0, 99, direction="above"), LONG, ExplicitClass([[0, 0, 1], [0, 1, 1]]), And(*COLUMNS)]
)
def test_a_plan_names_the_learner_that_a_fit_uses(H, given):
    made = plan(H, **given)
    ε = made.best.epsilon if "n" in given and "alpha" in given else 1
    assert made.default == PrivateClassifier(H, alpha=given.get("alpha", 0.1), epsilon=ε).learner().name
    told = [str(note) for note in made.notes if str(note).startswith("By default")]
    assert len(told) == (made.default != made.best.learner)


def test_a_plan_says_how_to_ask_for_its_best_row():
    told = "By default, PrivateCutBoxes learns this class, without a certificate here; "
    assert f"{told}method='RectangleLearner' uses the best row." in str(plan(LONG))


@pytest.mark.slow
def test_a_plan_says_which_learner_certifies_the_error():
    certified = "An error of at most 0.1 above that of the best rule is certified on a public grid"
    told = f"{certified}: these records and this ε suffice"
    rules = And(
        Thresholds(0, 999, direction="above").on("a"), Intervals(0, 99).on("b")
    )  # of all rules, only larger errors are certified
    assert f"{told} with method='RuleLearner'." in str(plan(rules, n=2000, alpha=0.1, epsilon=1))
    assert f"{told}." in str(plan(LONG, n=3000, alpha=0.1, epsilon=1))
    assert "is certified: these" in str(plan(Thresholds(0, 99, direction="above"), n=3000, alpha=0.1, epsilon=1))
    assert "is not certified" in str(plan(Thresholds(0, 99, direction="above"), n=30, alpha=0.1, epsilon=1))


def test_a_plan_without_certificates_names_no_best_row():
    assert "By default" not in str(plan(RootPaths("/")))
