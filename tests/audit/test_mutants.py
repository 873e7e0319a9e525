"""An audit by name refutes each mutant that is planted in what it audits."""

from collections import Counter

import pytest

from privpac.audit.claims.case import Case, labeled, tally_of
from privpac.audit.claims.holding_out import HOLDING_OUT_CLAIMS
from privpac.audit.claims.learners import LEARNER_CLAIMS
from privpac.audit.claims.mechanisms import CATALOGUE, cases_named
from privpac.audit.claims.sensitivities import SENSITIVITIES
from privpac.audit.sampling import audit
from privpac.classes.finite.explicit import ExplicitClass
from privpac.classes.lines.intervals import Intervals
from privpac.learners.choice import LEARNERS
from privpac.learners.classifier import PrivateClassifier
from privpac.mechanisms.histograms.stability import SignedHistogram
from privpac.privacy.budget import Budget
from tests.audit.learner_mutants import BALANCED_LABELS, COUNTED_TWICE, LEARNER_MUTANTS, LINE_FROM_RECORDS
from tests.audit.mechanism_mutants import EARLY_WEIGHTS, MECHANISM_MUTANTS, POSITIVE_ONLY, QUICK_NOISE
from tests.audit.mutants import Mutant, fresh, planted
from tests.audit.release_mutants import RELEASE_MUTANTS

PLANTED = [*MECHANISM_MUTANTS, *LEARNER_MUTANTS, *RELEASE_MUTANTS]
MUTANTS = [*PLANTED, *COUNTED_TWICE]
CLAIMS = (*CATALOGUE, *HOLDING_OUT_CLAIMS, *LEARNER_CLAIMS, *SENSITIVITIES)
BY_ZCDP = {"PerceptronLearner"}  # Twice the change of a Gaussian multiplies a small δ.

pytestmark = pytest.mark.audit


def first_refuted(mutant):
    """The first claim that the mutant breaks, by its verdict; None if there is none. The last claims are quick."""
    cases = [mutant.case] if mutant.case else cases_named(mutant.audited, CLAIMS)[::-1]
    try:
        with planted(mutant):
            return next((worst for case in cases if (worst := fresh(case).exact()).refuted), None)
    finally:
        for case in cases:
            fresh(case)


@pytest.mark.parametrize("mutant", PLANTED, ids=str)
def test_a_mutant_is_refuted(mutant):
    worst = first_refuted(mutant)
    assert worst is not None
    assert mutant.ratio is None or float(worst.ratio) == pytest.approx(mutant.ratio, rel=1e-3)


@pytest.mark.parametrize("mutant", COUNTED_TWICE, ids=str)
def test_a_record_that_counts_twice_costs_twice_as_much(mutant):
    """In the first claim of each learner: almost twice ε or, where a new candidate weighs δ, at least √e·δ."""
    assert 1.59 < float(first_refuted(mutant).ratio) <= (3000 if mutant.audited in BY_ZCDP else 2.0001)


@pytest.mark.parametrize("mutant", [mutant for mutant in PLANTED if mutant.case], ids=str)
def test_without_the_mutant_its_claim_holds(mutant):
    assert not mutant.case.exact().refuted


def test_there_are_many():
    assert len(MUTANTS) >= 220
    several = Counter(mutant.audited for mutant in PLANTED)
    assert sum(many >= 8 for many in several.values()) >= 11
    assert {mutant.audited for mutant in COUNTED_TWICE} == {kind.__name__ for kind in LEARNERS}


def test_the_right_library_is_back():
    (mutant,) = [mutant for mutant in MUTANTS if mutant.function.endswith("AboveThreshold.law")]
    assert first_refuted(mutant) is not None
    assert not any(case.exact().refuted for case in cases_named(mutant.audited))


def test_a_line_that_is_not_there_is_noticed():
    with (
        pytest.raises(AssertionError, match="the line is not there"),
        planted(MUTANTS[0]._replace(line="no such line")),
    ):
        pass


TIGHT = Budget(1, "8.534e-7")  # δ is barely above α₀, the probability that a value of a single record is shown.


@pytest.mark.parametrize(
    ("fault", "points", "n", "crowd", "expected"),
    [
        (POSITIVE_ONLY, "ab", 1, (), 1),  # With a single record, w > 0 exactly if it is positive.
        (POSITIVE_ONLY, "ab", 2, (), 2),  # 2 − α₀, by (a, 0) → (b, 1) beside (a, 1): two values appear.
        (POSITIVE_ONLY, "a", 1, (("a", 1),), 1.6487),  # e^(ε/2): a label that is turned brings a weight of two.
        (EARLY_WEIGHTS, "ab", 1, (), 1.6487),  # e^(ε/2)
        (QUICK_NOISE, "ab", 1, (("a", 1),) * 14, 541500),  # Half the noise is seen among others only.
    ],
)
def test_broken_signed_histograms_cost_what_theory_says(fault, points, n, crowd, expected):
    case = Case(SignedHistogram(TIGHT), tally_of, "", labeled(points), n, TIGHT, crowd=crowd)
    with planted(Mutant("signed histogram", *fault)):
        assert float(case.exact().ratio) == pytest.approx(expected, rel=1e-3)
    assert not case.exact().refuted


AT_REAL_SIZES = {  # two neighbors of sixty records, and what tells them apart
    "the only positive record weighs as much as all others": (
        Mutant("FiniteLearner", *BALANCED_LABELS),
        ExplicitClass([[0, 0], [1, 0]], points="ab"),
        ((["a"] * 60, [0] * 60), (["a"] * 60, [0] * 59 + [1])),
    ),
    "no interval beyond the largest record": (
        Mutant("IntervalLearner", *LINE_FROM_RECORDS),
        Intervals(0, 9),
        (([1] * 60, [0] * 60), ([1] * 59 + [9], [0] * 60)),
    ),
}


@pytest.mark.parametrize("about", AT_REAL_SIZES)
def test_fits_at_real_sizes_refute_them(about):
    """The least likely of the two events has a probability of 1/2 beyond what the claim allows; 400 runs see 1/8."""
    mutant, concept_class, pair = AT_REAL_SIZES[about]
    with planted(mutant):
        made = PrivateClassifier(concept_class, epsilon=1, feature=None, method=mutant.audited)
        assert audit(made, pair, claimed=Budget(1), runs=400, confidence=0.999).refuted
