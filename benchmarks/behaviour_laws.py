"""What benchmarks/behaviour.py takes laws of: mechanisms and learners on small universes.

These are the cases that the audit tried when the record of the version before was made; the audit has better ones now.

Main declarations
    SUBJECTS    all of them
    released    the law of one on one sample
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from behaviour_learners import LEARNERS

from privpac.audit.claims.case import (
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
from privpac.audit.claims.fits import Halves, Learned
from privpac.data.domains.line import Line
from privpac.mechanisms.algorithm import law_of
from privpac.mechanisms.histograms.stability import StabilityHistogram
from privpac.mechanisms.noise.laplace import AboveThreshold, DiscreteLaplace
from privpac.mechanisms.quantiles.one_quantile import QuantileDyadic, QuantileExponential
from privpac.mechanisms.quantiles.several_quantiles import QuantileTree, SeparateQuantiles
from privpac.mechanisms.selection.exponential import Exponential, SparseExponential
from privpac.mechanisms.selection.permute_and_flip import PermuteAndFlip
from privpac.mechanisms.selection.public_stable import DiscountedExponential, PublicStableExponential
from privpac.papers.yan25.recprefix import RecPrefix
from privpac.privacy.accounting.amplification import subsampled
from privpac.privacy.accounting.composition import optimal_at_epsilon, sequential
from privpac.privacy.accounting.concentrated import Concentrated
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Opened

Law = Mapping[Any, Any]
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

        used, held = sample if isinstance(sample, Halves) else Halves(sample)
        rule, error, *_ = learned.fit.run(
            Opened(used, used.size), heard, None if held is None else Opened(held, held.size)
        )
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
