"""The algorithm for a class: the one whose certificate needs the fewest records. No record is read for this choice.

Algorithms of papers are never chosen; ``method`` may name one. For almost all classes and goals, some learner here
promises as much from as few records.
"""

from __future__ import annotations

from functools import lru_cache
from pkgutil import resolve_name

from privpac.classes.concept_class import ConceptClass
from privpac.learners.algorithm import Learner
from privpac.learners.alternatives import advice
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
from privpac.learners.public.boxes import PublicBoxLearner
from privpac.learners.public.nets import PublicNetLearner
from privpac.learners.public.patterns import PublicPatternLearner
from privpac.learners.rules.boxes import RectangleLearner
from privpac.learners.rules.grid_rules import RuleLearner
from privpac.learners.rules.named_rules import NamedRuleLearner
from privpac.learners.rules.private_cut_rules import PrivateCutBoxes, PrivateCutRules
from privpac.learners.sample_sizes import certified_n
from privpac.learners.subspaces.flats import FlatLearner, HeavyFlatLearner
from privpac.learners.tree_orders.learners import NameLearner, OrderLearner, PathLearner, SpiderLearner, SubtreeLearner
from privpac.learners.values.buckets import BucketLearner
from privpac.learners.values.code_lists import AnyCodeLearner
from privpac.learners.values.equalities import EqualityLearner
from privpac.learners.values.points import PointLearner, ProperPointLearner
from privpac.learners.values.sets import SetLearner
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
    PublicPatternLearner,
    PublicNetLearner,
    PublicBoxLearner,
)
TWO_ONLY = (
    "classes must be two different labels, (negative, positive), for rules of this class; for more labels, learn a "
    "decision tree over the same columns, as in ",
    Setting.to("concept_class", Sketch("Trees(Thresholds(0, 120).on('age'), depth=\"auto\")")),
    ", or one rule for each label, by privpac.learners.one_per_label",
)
# Algorithms, each with the number of records that its certificate needs; None without a certificate.
Ranking = tuple[tuple[type[Learner], int | None], ...]


def ranking(concept_class: ConceptClass, conditions: Conditions) -> Ranking:
    """The algorithms for a class, the best one first. If δ = 0, only pure algorithms are listed.

    Algorithms with a certificate come first: those that compare with the best rule of the class, then those that
    compare only with some rules (on a public grid, or with a margin), each group by the number of records that they
    need. Those without a certificate follow. Last come the last resorts, which are not ``automatic``: their rules are
    hard to read, or cut long columns too coarsely.
    """
    return _ranking(LEARNERS, concept_class, conditions)


@lru_cache(maxsize=64)
def _ranking(learners: tuple[type[Learner], ...], concept_class: ConceptClass, conditions: Conditions) -> Ranking:
    """The ranking of ``learners``; these are an argument so that the cache notices if tests replace the list."""
    candidates = [kind for kind in learners if kind.for_class(concept_class, conditions.terms(1))]
    entries = [(kind, certified_n(kind, concept_class, conditions)) for kind in candidates]

    def rank(entry: tuple[type[Learner], int | None]) -> tuple[bool, bool, bool, int]:
        kind, n = entry
        learner = kind.for_class(concept_class, conditions.terms(n or 1))
        last_resort, among_some_rules = not (learner and learner.automatic), bool(learner and learner.within)
        return last_resort, n is None, among_some_rules, n or 0

    return tuple(sorted(entries, key=rank))


def learner_for(concept_class: ConceptClass, conditions: Conditions, method: str = "auto") -> type[Learner]:
    """The algorithm that ``method`` names, or the first of the ranking; Refused, with a reason, if there is none.

    >>> from privpac.classes.lines.thresholds import Thresholds
    >>> learner_for(Thresholds(0, 9, direction="above"), Conditions.of(delta=0)).title
    'exponential mechanism over all cuts'
    """
    if not isinstance(concept_class, ConceptClass):
        example = Setting.to("concept_class", Sketch("Thresholds(low, high)"))
        raise RefusedType("concept_class", "choose a concept class to learn, for example ", example)
    # With a large ε and units of several records, the δ that is left for each record may be rounded down to 0.
    if conditions.delta != 0 and not conditions.terms(1).cost.delta:
        wanted = [kind for kind in LEARNERS if method in ("auto", kind.__name__) and kind.supports(concept_class)]
        if not all(kind.for_class(concept_class, conditions.terms(1)) for kind in wanted):
            ε = Setting("epsilon")
            too_large = "for units of this size, this ", ε, " leaves no ", Setting("delta"), "; ask for a smaller ", ε
            raise Refused("epsilon", *too_large)
    if conditions.labels > 2 and not learns_several(concept_class):
        raise Refused("classes", *TWO_ONLY)
    if (edition := _paper_edition(method, concept_class, conditions)) is not None:
        return edition
    by_name = {kind.__name__: kind for kind, _ in ranking(concept_class, conditions)}
    if not by_name and any(kind.supports(concept_class) for kind in LEARNERS):
        δ = Setting("delta")
        raise Refused("delta", "every learner of this class needs a ", δ, " above 0; leave out ", δ, " for the default")
    if not by_name:
        raise Refused("concept_class", f"no learner supports this class; {advice(concept_class)}")
    if method != "auto" and method not in list(by_name):  # A list, because a method need not be hashable.
        raise Refused.must("method", f"be auto or, for this class, one of {', '.join(by_name)}")
    return next(iter(by_name.values())) if method == "auto" else by_name[method]


def _paper_edition(method: object, concept_class: ConceptClass, conditions: Conditions) -> type[Learner] | None:
    """The algorithm of a paper that ``method`` names; None for another name.

    ``papers`` imports this room, so it is loaded only here, by name.
    """
    if not isinstance(method, str) or method == "auto" or method in {kind.__name__ for kind in LEARNERS}:
        return None
    named: type[Learner] | None = resolve_name("privpac.papers.methods:method_named")(method, concept_class, conditions)
    return named


def learns_several(concept_class: ConceptClass) -> bool:
    """Whether one rule of this class may have more than two labels."""
    return any(kind.several and kind.supports(concept_class) for kind in LEARNERS)
