"""Rows of plans for the papers' algorithms: as printed, as proved, and none where the algorithm does not learn."""

from fractions import Fraction

import pytest

import privpac as pp
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.values.points import Points
from privpac.learners.classifier import PrivateClassifier
from privpac.papers.editions import BY_NAME, edition_named
from privpac.papers.methods import METHODS
from privpac.planning import plan
from privpac.planning.paper_rows import printed_row, tight_row
from privpac.planning.rows import Sought
from privpac.requests.conditions import Conditions
from tests.grid import over

GOAL = {"alpha": 0.25, "delta": 1e-6}
BELOW = Thresholds(1, 50, direction="below")
FORK = pp.ExplicitClass([[0, 0, 0], [1, 1, 0], [1, 0, 1]])
PAIR = pp.And(Thresholds(0, 7).on("a"), Thresholds(0, 7).on("b"))


def of_papers(H, **question):
    return {row.learner: row for row in plan(H, **question).rows if row.paper}


@pytest.mark.slow
def test_what_is_proved_asks_for_fewer_records_than_what_is_printed():
    edition = edition_named("polypri")
    printed = printed_row(edition, Points(40), Conditions.of(**GOAL))
    tight = tight_row(edition, Points(40), Conditions.of(**GOAL, regime="realizable"))
    assert (printed.n, tight.n) == (5210688, 285)
    assert printed.learner.startswith("PolyPriLearn") and str(tight.kind) == "certified"
    assert all(row.paper and not row.automatic for row in (printed, tight))  # both run only if they are named


def test_without_the_labels_of_the_theorem_nothing_is_certified():
    row = tight_row(edition_named("polypri"), Points(4), Conditions.of(**GOAL, regime="agnostic"))
    assert row is None or row.n is None


def test_a_class_that_cannot_be_listed_has_no_row():
    assert tight_row(edition_named("polypri"), Thresholds(0, 2**64 - 1), Conditions.of(**GOAL)) is None


def test_a_plan_lists_what_is_certified_next_to_what_is_printed():
    rows = plan(Points(40), regime="realizable", **GOAL).rows
    proved, printed = (row for row in rows if row.learner == "PolyPriLearn")
    assert (proved.n, proved.source, str(proved.kind), proved.proper) == (285, "ggkm21, Theorem 2", "certified", False)
    assert (printed.source, printed.kind.certified) == ("[GGKM21, Alg. 2]", False)
    assert [*proved.plain()][-1] == "paper"  # it came last, so all others are where they were


@pytest.mark.papers
@over("H", [Points(40), Points(), BELOW, FORK, PAIR])
@over("regime", ["agnostic", "realizable"])
def test_each_row_is_what_the_method_certifies(H, regime):
    """All three questions, and the one contract with `privpac papers plan`."""
    asked = {"alpha": 0.2, "epsilon": 2, "delta": 1e-9, "regime": regime}
    conditions = Conditions.of(**asked)
    for name, row in of_papers(H, **asked).items():
        clf = PrivateClassifier(H, method=name, feature=None, allow_large_delta=True, **asked)
        assert clf.certified_n() == row.n
        assert row == tight_row(BY_NAME[name], H, conditions)
    n = 400_000
    errors = of_papers(H, n=n, epsilon=2, delta=1e-9, regime=regime)
    assert errors or (H, regime) == (Points(), "agnostic")
    for name, row in errors.items():
        aimed = {"alpha": Fraction(str(row.alpha)), "epsilon": 2, "delta": 1e-9, "regime": regime}
        clf = PrivateClassifier(H, method=name, feature=None, allow_large_delta=True, **aimed)
        assert clf.preview(n).utility.alpha == aimed["alpha"]
        aimed["alpha"] -= Fraction(1, 10_000)  # nothing smaller is certified
        if α := aimed["alpha"]:
            assert not METHODS[name](H, Conditions.of(**aimed).terms(n)).certifies(n, float(α), 0.05)
    for name, row in of_papers(H, n=n, alpha=0.2, delta=1e-9, regime=regime).items():
        asked["epsilon"] = Fraction(str(row.epsilon))
        learner = METHODS[name](H, Conditions.of(**asked).terms(n))
        assert learner.certifies(n, 0.2, 0.05) and learner.cost.epsilon <= asked["epsilon"]


@pytest.mark.slow
def test_an_algorithm_for_clean_labels_is_no_row_of_a_plan_for_noisy_ones():
    clean, noisy = (of_papers(FORK, regime=regime) for regime in ("realizable", "agnostic"))
    assert set(noisy) == {"PrivateAgnostic"} < set(clean)
    assert {"OPTPrivateLearner", "ProperLearner", "PrivateOccam"} < set(clean)


@pytest.mark.slow
@over(
    "more",
    [{"max_records": 1}, {"max_records": 3}, {"classes": list("abc")}, {"public": 1000}, {"class_weight": (1, 3)}],
)
def test_what_an_algorithm_refuses_is_no_row(more):
    assert of_papers(Points(40), regime="realizable")
    assert not of_papers(Points(40), **more)


def test_without_delta_only_pure_algorithms_are_listed():
    pure = {name for name, kind in METHODS.items() if kind.pure}
    assert set(of_papers(Points(40), regime="realizable", delta=0)) <= pure


@pytest.mark.papers
def test_the_best_row_is_what_learning_chooses_unless_only_a_paper_is_certified():
    made = plan(Points(40), regime="realizable", delta=0)
    assert made.best.learner == made.default == "ProperPointLearner"
    alone = plan(pp.AffineSubspaces(2, 10, 1), regime="realizable", n=2000, delta=1e-9)
    assert alone.best.paper and alone.default == "FlatLearner"
    notes = " ".join(map(str, alone.notes))
    assert "By default, FlatLearner learns this class, without a certificate here; method='PolyPriLearn'" in notes
    assert f"certified only for the error that you ask for, here alpha={alone.best.alpha}" in notes


@pytest.mark.slow
def test_what_takes_long_to_decide_is_left_out():
    """It would be certified: `privpac papers plan` says so."""
    left_out = {"PolyPriPropLearn", "corollary_6_5", "KeyedOccam"}
    assert not left_out & set(of_papers(Points(40), regime="realizable"))
    assert "PolyPriLearn" not in of_papers(FORK, regime="realizable")
    assert tight_row(BY_NAME["KeyedOccam"], Points(4), Conditions.of(**GOAL, regime="realizable")).kind.certified


@pytest.mark.slow
def test_an_algorithm_that_refuses_its_own_number_is_left_out():
    """The patterns of intervals on 390,000 points are too many to look at one by one."""
    H, conditions = pp.Intervals(0, 2**64 - 1), Conditions.of(delta=1e-9)
    row = tight_row(BY_NAME["PrivateAgnostic"], H, conditions)
    assert row.kind.certified
    with pytest.raises(ValueError, match="too many to list"):
        METHODS["PrivateAgnostic"](H, conditions.terms(row.n)).algorithm.check_size(row.n)
    assert not of_papers(H, delta=1e-9)
    for bits, listed in ((12, True), (64, False)):  # hypotheses are looked at point by point
        rows = of_papers(Thresholds(1, 2**bits, direction="below"), regime="realizable", **GOAL)
        assert ("SwitchingLearner" in rows) == listed


@pytest.mark.papers
@over("H", [Points(40), Points(2**5000), BELOW, FORK])
def test_numbers_beyond_every_sample_are_no_rows(H):
    assert all(row.n for row in of_papers(H, alpha="1e-300", regime="realizable").values())


def test_a_budget_that_an_algorithm_leaves_is_not_spent():
    row = of_papers(FORK, epsilon=50)["PrivateAgnostic"]
    assert 2 < row.epsilon < 3 and row.privacy == f"ε = {row.epsilon:g}"


def test_one_question_has_one_kind_of_number():
    row = tight_row(edition_named("polypri"), Points(), Conditions.of(**GOAL, regime="realizable"), 10, Sought.ERROR)
    assert (row.n, row.alpha, row.kind.certified) == (10, None, False)
