"""Which algorithm learns a class: the one certified with the fewest records. The choice never depends on the data."""

from __future__ import annotations

from functools import lru_cache

from privpac.classes.base import ConceptClass
from privpac.learners.algorithm import Learner
from privpac.learners.alternatives import instead
from privpac.learners.certificates.deviation import MOST
from privpac.learners.decision_trees.auto import AutoLearner
from privpac.learners.decision_trees.private_cut_trees import PrivateCutTrees
from privpac.learners.decision_trees.scorecards import ScorecardLearner
from privpac.learners.decision_trees.trees import DecisionTreeLearner
from privpac.learners.finite import FiniteLearner
from privpac.learners.half_spaces.central_half_planes import ArcLearner
from privpac.learners.half_spaces.half_planes import HalfPlaneLearner
from privpac.learners.half_spaces.nets import NetLearner
from privpac.learners.half_spaces.perceptron import PerceptronLearner
from privpac.learners.lines.cut_pairs import CutPairLearner
from privpac.learners.lines.intervals import IntervalLearner
from privpac.learners.lines.stumps import StumpLearner
from privpac.learners.lines.thresholds import PureThresholdLearner, ThresholdLearner
from privpac.learners.rules.boxes import RectangleLearner
from privpac.learners.rules.grid_rules import RuleLearner
from privpac.learners.rules.named_rules import NamedRuleLearner
from privpac.learners.rules.private_cut_rules import PrivateCutBoxes, PrivateCutRules
from privpac.learners.subspaces.flats import FlatLearner, HeavyFlatLearner
from privpac.learners.tree_orders.learners import NameLearner, OrderLearner, PathLearner, SpiderLearner, SubtreeLearner
from privpac.learners.values.buckets import BucketLearner
from privpac.learners.values.code_lists import AnyCodeLearner
from privpac.learners.values.equalities import EqualityLearner
from privpac.learners.values.points import PointLearner, ProperPointLearner
from privpac.learners.values.sets import SetLearner
from privpac.privacy.bisection import smallest, smallest_in_stretches, smallest_upto
from privpac.refusals.refusal import Refused, RefusedType, Setting, Sketch
from privpac.requests.conditions import Conditions

LEARNERS: tuple[type[Learner], ...] = (
    ThresholdLearner,
    PureThresholdLearner,
    IntervalLearner,
    PointLearner,
    ProperPointLearner,
    BucketLearner,
    SetLearner,
    PathLearner,
    NameLearner,
    SpiderLearner,
    SubtreeLearner,
    ArcLearner,
    HalfPlaneLearner,
    NetLearner,
    PerceptronLearner,
    RectangleLearner,
    StumpLearner,
    RuleLearner,
    CutPairLearner,
    PrivateCutRules,
    PrivateCutBoxes,
    PrivateCutTrees,
    NamedRuleLearner,
    DecisionTreeLearner,
    EqualityLearner,
    AnyCodeLearner,
    ScorecardLearner,
    AutoLearner,
    HeavyFlatLearner,
    FlatLearner,
    FiniteLearner,
    OrderLearner,
)


Ranked = tuple[tuple[type[Learner], int | None], ...]


def ranked(concept_class: ConceptClass, conditions: Conditions) -> Ranked:
    """The algorithms for a class, with the number of records each needs for its certificate, fewest first.

    Those certified only against some rules of the class (on a public grid, with a margin) follow, then those without a
    certificate; those that should not come first (their rules are unreadable, or cut long columns too coarsely) come
    last. If δ = 0, only pure algorithms are listed.
    """
    return _ranked(LEARNERS, concept_class, conditions)


@lru_cache(maxsize=64)
def _ranked(learners: tuple[type[Learner], ...], concept_class: ConceptClass, conditions: Conditions) -> Ranked:
    able = [each for each in learners if each.for_class(concept_class, conditions.terms(1))]
    found = [(each, certified_n(each, concept_class, conditions)) for each in able]

    def order(pair: tuple[type[Learner], int | None]) -> tuple[bool, bool, bool, int]:
        kind, n = pair
        learner = kind.for_class(concept_class, conditions.terms(n or 1))
        return not (learner and learner.automatic), n is None, bool(learner and learner.within), n or 0

    return tuple(sorted(found, key=order))


def chosen(concept_class: ConceptClass, conditions: Conditions, method: str = "auto") -> type[Learner]:
    """The algorithm that ``method`` names, or the one certified with the fewest records.

    >>> from privpac.classes.lines.thresholds import Thresholds
    >>> chosen(Thresholds(0, 9), Conditions.of(delta=0)).title
    'exponential mechanism over all cuts'
    """
    if not isinstance(concept_class, ConceptClass):
        asked_for = Setting.to("concept_class", Sketch("Thresholds(low, high)"))
        raise RefusedType("concept_class", "choose a concept class to learn, for example ", asked_for)
    if conditions.delta != 0 and not conditions.terms(1).cost.delta:
        asked = [each for each in LEARNERS if method in ("auto", each.__name__) and each.supports(concept_class)]
        if not all(each.for_class(concept_class, conditions.terms(1)) for each in asked):
            ε = Setting("epsilon")
            few = "for units of this size, this ", ε, " leaves no ", Setting("delta"), "; ask for a smaller ", ε
            raise Refused("epsilon", *few)
    named = {each.__name__: each for each, _ in ranked(concept_class, conditions)}
    if not named and any(each.supports(concept_class) for each in LEARNERS):
        δ = Setting("delta")
        raise Refused("delta", "every learner of this class needs a ", δ, " above 0; leave out ", δ, " for the default")
    if not named:
        raise Refused("concept_class", f"no learner supports this class; {instead(concept_class)}")
    if method != "auto" and method not in list(named):  # which need not be a text
        raise Refused.must("method", f"be auto or, for this class, one of {', '.join(named)}")
    return next(iter(named.values())) if method == "auto" else named[method]


def certified_n(
    kind: type[Learner],
    concept_class: ConceptClass,
    conditions: Conditions,
    alpha: float | None = None,
    beta: float | None = None,
) -> int | None:
    """The smallest number of records that certifies an error of at most α; None if no number does.

    It treats all records as independent, even those of one unit, because it serves only to compare algorithms.
    """
    α, β = float(conditions.alpha if alpha is None else alpha), float(conditions.beta if beta is None else beta)
    ε = conditions.terms(1).cost.epsilon

    def holds(n: int) -> bool:
        return certifies(kind, concept_class, conditions, n, alpha=α, beta=β)

    def last_before(turn: int) -> int:
        """The most records with which the algorithm does not yet turn to another one, which may need more."""
        return smallest(lambda n: ε * conditions.sizes(n).learned >= turn) - 1

    ends = list(map(last_before, kind.turns))
    return smallest_in_stretches(holds, ends) or smallest_upto(MOST, holds, max(ends, default=0))


def certifies(
    kind: type[Learner], concept_class: ConceptClass, conditions: Conditions, n: int, *, alpha: float, beta: float
) -> bool:
    """Whether an error of at most α is certified with n records."""
    learner = kind.for_class(concept_class, conditions.terms(n))
    return learner is not None and learner.certifies(conditions.sizes(n).learned, alpha, beta)
