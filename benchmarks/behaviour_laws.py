"""What benchmarks/behaviour.py takes laws of: mechanisms and learners on small universes.

These are the cases that the audit tried when the record of the version before was made; the audit has better ones now.

Main declarations
    SUBJECTS    all of them
    released    the law of one on one sample
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from privpac.audit.cases import (
    POINTS,
    ROOT_PATHS,
    SUBTREES,
    THRESHOLDS,
    Case,
    Joint,
    Records,
    Subsampled,
    labelled,
    strings,
    support,
    votes,
)
from privpac.audit.learning import Learned, fit_of
from privpac.classes.base import ConceptClass
from privpac.classes.boxes import Rectangles
from privpac.classes.central_half_planes import CentralHalfPlanes
from privpac.classes.compose import And
from privpac.classes.explicit import ExplicitClass
from privpac.classes.line import Intervals, Thresholds
from privpac.classes.paths import RootPaths, StartsWith
from privpac.classes.plane import HalfSpaces
from privpac.classes.points import Points
from privpac.classes.spider import Spider
from privpac.classes.taxonomy import Taxonomy
from privpac.classes.tree import TwoSided
from privpac.classes.union import Union
from privpac.data.line import Line
from privpac.learners import (
    algorithm,
    boxes,
    buckets,
    category_rules,
    central_half_planes,
    finite,
    half_spaces,
    intervals,
    points,
    rules,
    stumps,
    thresholds,
    trees,
)
from privpac.learners.certificates.deviation import REGIMES
from privpac.mechanisms.adaptive import law_of
from privpac.mechanisms.histogram import StabilityHistogram
from privpac.mechanisms.noise import AboveThreshold, DiscreteLaplace
from privpac.mechanisms.permute_and_flip import PermuteAndFlip
from privpac.mechanisms.public_stable import DiscountedExponential, PublicStableExponential
from privpac.mechanisms.quantile_mechanisms import QuantileDyadic, QuantileExponential
from privpac.mechanisms.quantile_tree import QuantileTree, SeparateQuantiles
from privpac.mechanisms.recprefix import RecPrefix
from privpac.mechanisms.selection import Exponential, SparseExponential
from privpac.privacy.accounting import optimal_at_epsilon, sequential
from privpac.privacy.amplification import subsampled
from privpac.privacy.budget import Budget, Number
from privpac.privacy.concentrated import Concentrated
from privpac.privacy.ledger import Opened

Law = Mapping[Any, Any]
Tried = Sequence[tuple[Number, Number, int]]

USUAL: Tried = ((1, 1e-6, 1), (0.2, 0.3, 2), (6, 0.3, 3))  # ε, δ, n
MANY: Tried = ((6, 0.3, 2),)  # where there are many outcomes
BETA = 0.9
TREE = {"b": "a", "c": "b", "d": "a"}
ORDER = ExplicitClass([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 0, 1]], points="abc")
RULES = ExplicitClass([[0, 0, 1], [0, 1, 1], [1, 0, 0]], points="abc")
STUMPS = Union(Thresholds(0, 2).on(0), Thresholds(0, 1, direction="either").on(1))
LATE = And(Thresholds(0, 2).on(0), Thresholds(0, 1).on(1))
LATE_AT = And(Thresholds(0, 1).on(0), Points().on(1))


def _learner(made: Any, about: str, universe: Sequence[Any], n: int) -> Case:
    learned = Learned(made, n)
    return Case(learned, learned.sample, about, universe, n, learned.cost)


def _each(
    kind: type[algorithm.Learner],
    concept_class: ConceptClass,
    about: str,
    values: Iterable[Any],
    tried: Tried = USUAL,
    **parameters: Any,
) -> Iterator[Case]:
    """The learner in both regimes."""
    universe = [*labelled(values), None]
    for regime, (ε, δ, n) in product(REGIMES, tried):
        made = fit_of(kind, concept_class, epsilon=ε, delta=δ, beta=BETA, regime=regime, **parameters)
        yield _learner(made, f"{about}, {regime}", universe, n)


def _lines() -> Iterator[Case]:
    yield from _each(thresholds.ThresholdLearner, Thresholds(0, 3), "4 values", (1, 3))
    yield from _each(
        thresholds.ThresholdLearner, Thresholds(0, 2, direction="either"), "3 values, both directions", (0, 2)
    )
    wide = fit_of(thresholds.ThresholdLearner, Thresholds(0, 255), epsilon=8, delta=0.5, beta=0.99, regime="realizable")
    yield _learner(
        wide, "256 values, realizable", [*labelled((0, 200)), None], 3
    )  # no cut is likely by its prior alone
    yield from _each(thresholds.PureThresholdLearner, Thresholds(0, 3), "4 values", (0, 1, 3))
    yield from _each(
        thresholds.PureThresholdLearner, Thresholds(0, 2, direction="either"), "3 values, both directions", (0, 2)
    )
    yield from _each(intervals.IntervalLearner, Intervals(0, 3), "4 values", (0, 1, 3))


def _names() -> Iterator[Case]:
    yield from _each(points.PointLearner, Points(), "any values", ("a", "b", 7))
    yield from _each(points.ProperPointLearner, Points(4), "4 values", (0, 1, 3))
    yield from _each(buckets.BucketLearner, Points(), "any values, one key", ("a", "b", 7), alpha=0.9, random_state=3)
    yield from _each(finite.FiniteLearner, RULES, "3 rules", "abc")


def _trees() -> Iterator[Case]:
    yield from _each(trees.PathLearner, RootPaths("/", height=2), "2 steps", ("", "a", "a/b"))
    yield from _each(trees.PathLearner, RootPaths("/"), "any number of steps", ("", "a/b"))
    yield from _each(trees.PathLearner, Taxonomy(TREE), "4 names", "abc")
    yield from _each(trees.PathLearner, TwoSided(0, 4, center=2), "5 values around 2", (2, 3))
    yield from _each(trees.SpiderLearner, Spider(bits=1), "any groups, 2 values", (("g", 1), ("h", 0)))
    yield from _each(trees.OrderLearner, ORDER, "4 rules", "abc")
    yield from _each(trees.SubtreeLearner, StartsWith(height=2), "2 letters", ("", "a", "ab"))
    yield from _each(trees.SubtreeLearner, StartsWith(), "any number of letters", ("", "a", "ab"))
    yield from _each(trees.SubtreeLearner, Taxonomy(TREE, kind="subtree"), "4 names", "abc")
    yield from _each(trees.NameLearner, Taxonomy(TREE), "4 names", "abc")


def _grids() -> Iterator[Case]:
    yield from _each(central_half_planes.ArcLearner, CentralHalfPlanes(-1, 1), "9 points", ((1, 0), (0, 0)), MANY)
    yield from _each(half_spaces.NetLearner, HalfSpaces(1, 3), "3 points of a line", ((2,),), MANY)
    yield from _each(boxes.RectangleLearner, Rectangles(0, 2, dim=2), "9 points", ((0, 0), (1, 2)))


def _tables() -> Iterator[Case]:
    yield from _each(stumps.StumpLearner, STUMPS, "2 columns", ((0, 0), (2, 1)))
    yield from _each(rules.RuleLearner, LATE, "2 columns", ((0, 0), (2, 1)))
    yield from _each(category_rules.NamedRuleLearner, LATE_AT, "a column of names", ((0, "x"), (1, "x"), (1, "y")))


def _more() -> Iterator[Case]:
    """What a learner releases besides its rule, and promises per unit."""
    told: dict[str, Any] = {"report_error": True}
    yield from _each(finite.FiniteLearner, RULES, "3 rules, error reported", "ab", **told)
    yield from _each(points.PointLearner, Points(), "any values, error reported", "ab", **told)
    yield from _each(thresholds.ThresholdLearner, Thresholds(0, 1), "2 values, error reported", (0,), MANY, **told)
    a, b, no = ("a", 1), ("b", 1), ("a", 0)
    units = [(a,), (b,), (no,), (a, a), (a, b), (b, no), (a, b, b), (no, no, no)]
    for kind, H, k, given in (
        (points.PointLearner, Points(), 2, {"delta": 0.1}),
        (points.PointLearner, Points(), 3, {"delta": 0.1}),
        (finite.FiniteLearner, RULES, 2, told),
    ):
        made = fit_of(kind, H, epsilon=2, max_records=k, **given)
        for n in (1, 2):
            yield _learner(made, f"units of up to 3 records, {k} count", units, n)


PURE = (Budget("0.1"), Budget(1), Budget(6))
APPROXIMATE = (Budget(1, 1e-6), Budget("0.1", "0.3"), Budget(6, "0.9"))


def _selections() -> Iterator[Case]:
    def correct(records: Records) -> list[int]:
        return [sum((x >= t) == y for x, y in records) for t in range(5)]

    for cost, n in product(PURE, (1, 2, 4)):
        yield Case(Exponential(cost), votes, "2 candidates, 3 kinds of records", "abc", n, cost)
    for cost, n in product(PURE, (1, 2)):
        yield Case(Exponential(cost, [1, 10**9]), votes, "one candidate against 10⁹", "abc", n, cost)
    for cost, n in product(PURE, (1, 2, 4)):
        yield Case(PermuteAndFlip(cost), votes, "2 candidates, 3 kinds of records", "abc", n, cost)
    for listed in (Exponential(Budget(1)), PermuteAndFlip(Budget(1))):
        yield Case(listed, correct, "5 threshold rules", labelled(range(4)), 3, Budget(1))
    for cost, n in product(APPROXIMATE, (1, 2, 4)):
        yield Case(SparseExponential(cost), support, "3 keys", "abc", n, cost)
    sets = ["", "a", "b", "ab", "bc", "cd"]
    for cost, n in product(APPROXIMATE, (1, 3)):
        yield Case(SparseExponential(cost, k=2), support, "records name up to 2 of 4 keys", sets, n, cost)


def _stable_selections() -> Iterator[Case]:
    nodes, leaves, three_points = labelled(strings(0, 1, 2)), labelled(strings(2)), labelled("abc")
    for cost, cap, levels in product(APPROXIMATE, (0, 2), (3, None)):
        about = f"root paths, C = {cap}, {levels or 'unbounded'} levels"
        yield Case(PublicStableExponential(cost, levels, cap), ROOT_PATHS.alone, about, nodes, 2, cost)
    for cost, n in product(APPROXIMATE, (1, 3)):
        two, three = PublicStableExponential(cost, 2, 1), PublicStableExponential(cost, 3, 3)
        yield Case(two, THRESHOLDS.against_constants, "thresholds on 4 points, C = 1", leaves, n, cost)
        yield Case(three, SUBTREES.with_public, "subtrees and public rules, C = 3", leaves, n, cost)
        yield Case(DiscountedExponential(cost, 1), POINTS.against_nothing, "3 points", three_points, n, cost)
        yield Case(DiscountedExponential(cost, 3), SUBTREES.against_nothing, "subtrees, 3 levels", leaves, n, cost)
        unbounded = DiscountedExponential(cost, None)
        yield Case(unbounded, SUBTREES.against_nothing, "subtrees, unbounded levels", leaves, n, cost)


def _noise() -> Iterator[Case]:
    def columns(records: Records) -> list[int]:
        return [sum(column) for column in zip(*records, strict=True)]

    for cost, n in product(PURE[:2], (1, 3)):
        yield Case(DiscreteLaplace(cost), sum, "bits", (0, 1), n, cost)
    for cost, n in product(PURE, (1, 3)):
        yield Case(DiscreteLaplace(cost, 3, 0, 3 * n), sum, f"0 … 3, kept in 0 … {3 * n}", range(4), n, cost)
    for cost, (width, n) in product(PURE[1:], ((4, 1), (2, 2))):
        bits = list(product((0, 1), repeat=width))
        yield Case(AboveThreshold(cost, 1), columns, f"{width} counts of bits", bits, n, cost)
    for cost, n in product(APPROXIMATE, (1, 2, 3)):
        yield Case(StabilityHistogram(cost), Counter, "3 keys", "abc", n, cost)


@dataclass(frozen=True)
class Apart(SeparateQuantiles):
    """Methods as they are by default."""

    @property
    def parts(self) -> Any:
        """One selection for each quantile."""
        make = QuantileDyadic if self.cost.delta else QuantileExponential
        shares = zip(self.cost.split(len(self.taus)), self.taus, strict=True)
        return tuple(make(share, self.line, τ) for share, τ in shares)


def _quantiles() -> Iterator[Case]:
    quarters, tails = (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)), (Fraction(1, 10), Fraction(9, 10))
    for cost, n in product(PURE, (1, 4)):
        line, values = Line(0, 4), range(5)
        yield Case(QuantileExponential(cost, line), tuple, "median in 0 … 4", values, n, cost)
        yield Case(QuantileExponential(cost, line, tails[1]), tuple, "quantile 0.9 in 0 … 4", values, n, cost)
        yield Case(QuantileTree(cost, line, quarters), tuple, "quartiles in 0 … 4", values, n, cost)
        yield Case(QuantileTree(cost, line, tails), tuple, "quantiles 0.1, 0.9 in 0 … 4", values, n, cost)
    steep = Budget(8)  # at which far records are left out of the list until they matter
    yield Case(QuantileExponential(steep, Line(0, 2)), tuple, "median in 0 … 2", range(3), 15, steep)
    yield Case(QuantileTree(steep, Line(0, 2), quarters), tuple, "quartiles in 0 … 2", range(3), 15, steep)
    for cost, (n, kept) in product(APPROXIMATE, ((1, 1), (3, 3), (4, 2))):
        yield Case(QuantileDyadic(cost, Line(0, 7), kept=kept), tuple, f"0 … 7, {kept} kept", (0, 1, 3, 4, 7), n, cost)
    for cost in (PURE[1], APPROXIMATE[1]):
        yield Case(Apart(cost, Line(0, 4), tails, 3), tuple, "quantiles 0.1, 0.9 in 0 … 4", range(5), 3, cost)
    wide, far = Budget("0.1", "0.05"), (0, 1, 499, 500, 999)  # δ beyond the reach of public candidates
    for n in (1, 3):
        yield Case(QuantileDyadic(wide, Line(0, 999), kept=2), tuple, "0 … 999, 2 kept", far, n, wide)


def _accounting() -> Iterator[Case]:
    response = DiscreteLaplace(Budget(1), 1, 0, 1)  # the truthful bit is e times as likely as the other
    for k, ε in ((2, 1), (4, 2), (6, 0)):
        claimed = optimal_at_epsilon(response.cost, k, ε)
        yield Case(Joint((response,) * k), sum, f"{k} uses, optimal composition", (0, 1), 1, claimed)
    yield Case(Joint((response,) * 3), sum, "3 uses, basic composition", (0, 1), 1, sequential([response.cost] * 3))
    sparse = SparseExponential(Budget(1, "0.1"))
    for k in (2, 3):
        claimed = optimal_at_epsilon(sparse.cost, k, 1)
        yield Case(Joint((sparse,) * k), support, f"{k} uses, optimal composition", "ab", 2, claimed)
    vote = Exponential(Budget(1))
    for k, δ in ((4, "0.1"), (8, "0.01")):
        claimed = sum([Concentrated.of_bounded_range(vote.cost)] * k, Concentrated(0)).at_delta(δ)
        yield Case(Joint((vote,) * k), votes, f"{k} uses, zCDP", "ab", 1, claimed)
    for m, n in ((1, 3), (2, 3)):
        yield Case(Subsampled(response, max, m), tuple, f"{m} of {n} bits", (0, 1), n, subsampled(response.cost, m, n))
        yield Case(Subsampled(sparse, support, m), tuple, f"{m} of {n} keys", "abc", n, subsampled(sparse.cost, m, n))


def _interior_points() -> Iterator[Case]:
    for cost, n in ((Budget(1, "0.1"), 2), (Budget(1, "0.1"), 3), (Budget(4, "0.5"), 4)):
        yield Case(RecPrefix(cost, Line(0, 3), base=3), tuple, "interior point in 0 … 3", range(4), n, cost)


LEARNERS = (*_lines(), *_names(), *_trees(), *_grids(), *_tables(), *_more())
MECHANISMS = (*_selections(), *_stable_selections(), *_noise(), *_quantiles(), *_interior_points(), *_accounting())
SUBJECTS = (*MECHANISMS, *LEARNERS)


class Said(str):
    """What a learner returned, after what it released."""

    __slots__ = ()


def released(case: Case, records: Records) -> tuple[Law, Law | None]:
    """The law of all that is released, and, of a learner, the law of the rule and of its error, as text."""
    if not isinstance(case.mechanism, Learned):
        return case.law(records), None
    learned, sample = case.mechanism, case.view(records)

    def run(ask: Any) -> tuple[Any, ...]:
        seen: list[Any] = []

        def heard(mechanism: Any, data: Any) -> Any:
            seen.append(ask(mechanism, data))
            return seen[-1]

        rule, error = learned.fit.run(Opened(sample, sample.size), heard)
        return *seen, Said(f"{rule}; {error}")

    law = law_of(run, learned.reach)
    return _summed(law, _releases), _summed(law, _said)


def _releases(outcome: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(each for each in outcome if not isinstance(each, Said))


def _said(outcome: tuple[Any, ...]) -> str:
    return next((str(each) for each in outcome if isinstance(each, Said)), "noise beyond what is listed")


def _summed(law: Law, of: Callable[[Any], Any]) -> Law:
    total: defaultdict[Any, Any] = defaultdict(int)
    for outcome, p in law.items():
        total[of(outcome)] += p
    return dict(total)
