"""The claims of the mechanisms, as cases small enough to try all neighbors.

Each mechanism is tested with small and large ε and δ and on the smallest samples, where claims are tightest.

A quantile uses up ε if one substitution makes the likely values worse and the released value better. So most samples of
quantiles consist of a few heavy values, and one record moves from one end to the other. δ is used up only if one record
brings as many new candidates as it may, and there are few others.

The learners of rules with private cuts need long lines, where only their first release can be listed. ``CutsThenRule``
runs the same steps on six values, and its outcome is everything that it releases.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import ceil, inf, log
from typing import Any, ClassVar

import numpy as np

from privpac.audit.claims.boosting import boosting_cases
from privpac.audit.claims.case import (
    POINTS,
    ROOT_PATHS,
    SUBTREES,
    THRESHOLDS,
    Case,
    Joint,
    Records,
    Subsampled,
    counts_by_value,
    labeled,
    strings,
    support,
    tally_of,
    votes,
    with_answers,
)
from privpac.audit.claims.releases import release_cases
from privpac.classes.lines.thresholds import Thresholds
from privpac.data.domains.line import Line
from privpac.data.samples.sample import Sample
from privpac.learners.grids.grids import ColumnPart, rules_of
from privpac.learners.grids.private_cuts import FEWEST, PrivateCuts
from privpac.learners.rules.private_cut_rules import PrivateCutLearner
from privpac.mechanisms.algorithm import Algorithm, Ask
from privpac.mechanisms.histograms.stability import SignedHistogram, StabilityHistogram
from privpac.mechanisms.histograms.truncated import TruncatedHistogram
from privpac.mechanisms.lines.zoom import Zoom
from privpac.mechanisms.noise.disjoint_counts import DisjointCounts
from privpac.mechanisms.noise.gaussian import DiscreteGaussian, GaussianCounts
from privpac.mechanisms.noise.laplace import AboveThreshold, DiscreteLaplace
from privpac.mechanisms.quantiles.joint_quantiles import JointQuantiles
from privpac.mechanisms.quantiles.one_quantile import QuantileDyadic, QuantileExponential
from privpac.mechanisms.quantiles.several_quantiles import QuantileTree, SeparateQuantiles
from privpac.mechanisms.selection.exponential import Exponential, SparseExponential
from privpac.mechanisms.selection.permute_and_flip import PermuteAndFlip
from privpac.mechanisms.selection.public_stable import DiscountedExponential, PublicStableExponential
from privpac.mechanisms.selection.regret import RegretExponential
from privpac.papers.yan25.recprefix import RecPrefix
from privpac.privacy.accounting.amplification import redrawn, subsampled
from privpac.privacy.accounting.composition import optimal_at_epsilon, sequential
from privpac.privacy.accounting.concentrated import Concentrated
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Opened
from privpac.refusals.refusal import Refused

QUARTERS = Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)
TAILS = Fraction(1, 10), Fraction(9, 10)
SKEW = Fraction(1, 10), Fraction(1, 2), Fraction(9, 10)
STEEP = Budget(8)  # with this ε, a draw leaves values far from the quantile off its list until it needs them


def _times(*counts: int) -> Records:
    """This many records at 0, at 1, at 2, …"""
    return tuple(value for value, times in enumerate(counts) for _ in range(times))


def _one_quantile() -> Iterator[Case]:
    long, ends = Line(0, 999), (0, 998, 999)  # Almost all values lie between the records and have the same errors.
    for ε in ("0.1", "1", "6"):
        cost = Budget(ε)
        middle, high = QuantileExponential(cost, long), QuantileExponential(cost, long, TAILS[1])
        yield Case(middle, tuple, "median in 0 … 999, 8 more records", ends, 1, cost, crowd=(0,) * 2 + (998,) * 6)
        yield Case(high, tuple, "quantile 0.9 in 0 … 999, 10 more records", ends, 1, cost, crowd=(0,) * 6 + (998,) * 4)
    yield Case(QuantileExponential(STEEP, Line(0, 2)), tuple, "median in 0 … 2", range(3), 15, STEEP)


def _quantile_trees() -> Iterator[Case]:
    """In each node that matters, the likely cut lies just before the wanted rank, and the next cut far beyond it.

    A record that moves from the first value to the last one makes the likely cuts of all nodes worse and the other cuts
    better, by as much as the bound allows.
    """
    for taus, kind, ε, counts in (
        (QUARTERS, "quartiles", 1, (158, 120, 42, 118, 120, 2)),
        (SKEW, "quantiles 0.1, 0.5, 0.9", 1, (160, 440, 220, 308, 70, 10)),
        (SKEW, "quantiles 0.1, 0.5, 0.9", 6, (40, 110, 55, 76, 19, 3)),
    ):
        cost, crowd = Budget(ε), _times(*counts)
        about = f"{kind} in 0 … 5, {len(crowd)} more records"
        yield Case(QuantileTree(cost, Line(0, 5), taus), tuple, about, (0, 5), 1, cost, crowd=crowd)
    yield Case(QuantileTree(STEEP, Line(0, 2), QUARTERS), tuple, "quartiles in 0 … 2", range(3), 15, STEEP)


def _joint_quantiles() -> Iterator[Case]:
    """Moving a record from one end to the other makes the likely cuts worse and other cuts better, each by two."""
    thirds = Fraction(1, 3), Fraction(2, 3)
    for taus, kind, ε, counts, ends in (
        (thirds, "thirds", 1, (1, 49, 28, 31), (0, 3)),
        (thirds, "thirds", 6, (23, 10, 20), (1, 3)),
        (QUARTERS, "quartiles", 1, (3, 9, 4), (0, 2)),
    ):
        cost, crowd = Budget(ε), _times(*counts)
        about = f"{kind} in 0 … 3, {len(crowd)} more records"
        yield Case(JointQuantiles(cost, Line(0, 3), taus), tuple, about, ends, 1, cost, crowd=crowd)
    about, cost = "thirds in 0 … 19, 4 more records", Budget(1)  # where both cuts often lie in one gap
    yield Case(JointQuantiles(cost, Line(0, 19), thirds), tuple, about, (0, 1, 19), 1, cost, crowd=(0, 0, 10, 19))


def _dyadic_quantiles() -> Iterator[Case]:
    """Cases that use up ε, and cases that use much of δ.

    Public values weigh at least 1, so half of a small δ remains unused.
    """
    # In each: the cost, the last value of the line, how many values are kept, the universe, and the crowd.
    windows: Sequence[tuple[Budget, int, int, tuple[int, ...], Records]] = (
        (Budget(6, "1e-6"), 63, 7, (1, 62), (32,) * 7 + (62,) * 3),
        (Budget(6, "1e-6"), 63, 13, (1, 32), (16,) * 6 + (31,) * 6 + (63,) * 8),
        (Budget(3, "1e-6"), 7, 17, (4, 6), (2,) * 6 + (4,) * 8 + (6,) * 8),
        (Budget(6, "1e-4"), 7, 8, (1, 7), (1,) + (2,) * 6 + (6,) * 9),
    )
    for cost, last, kept, universe, crowd in windows:
        about = f"0 … {last}, {kept} kept, {len(crowd)} more records"
        yield Case(QuantileDyadic(cost, Line(0, last), window=kept), tuple, about, universe, 1, cost, crowd=crowd)
    for cost in (Budget(1, "0.9"), Budget(3, "0.7")):
        yield Case(QuantileDyadic(cost, Line(0, 1023), window=1), tuple, "0 … 1023, 1 kept", (0, 512), 1, cost)


def _separate_quantiles() -> Iterator[Case]:
    crowd: Records
    cost = Budget("0.1")
    separate = SeparateQuantiles(cost, Line(0, 99), TAILS, 21, "exponential")
    about, crowd = "quantiles 0.1, 0.9 in 0 … 99, 20 more records", (0,) + (98,) * 19
    yield Case(separate, tuple, about, (0, 50, 99), 1, cost, crowd=crowd)
    near = Fraction(2, 5), Fraction(3, 5)
    for last, universe, crowd in ((7, (1, 6), (3,) * 3), (63, (1, 62), (32,) * 7 + (62,) * 3)):
        cost, n = Budget(12, "1e-6"), len(crowd)
        separate = SeparateQuantiles(cost, Line(0, last), near, n + 1, "dyadic")
        about = f"quantiles 0.4, 0.6 in 0 … {last}, {n} more records"
        yield Case(separate, tuple, about, universe, 1, cost, crowd=crowd)


@dataclass(frozen=True)
class CutsThenRule(Algorithm):
    """The steps of ``PrivateCutLearner`` on six values; the outcome is the tuple of all releases."""

    cost: Budget
    name: ClassVar[str] = "private cuts and a rule"
    theorem: ClassVar[str] = "private cuts, Theorem 2"

    def run(self, data: Opened, ask: Ask) -> tuple[Any, ...]:
        ask, releases = with_answers(ask)
        line, (cuts, selection) = Line(0, 5), self.cost.split(PrivateCutLearner.shares)
        rules = rules_of((ColumnPart.of(Thresholds(0, 5, direction="above")),), line, FEWEST)
        assert rules is not None
        (cells,) = PrivateCuts(cuts, (line,), lambda sample: [sample.points], FEWEST).run(data, ask)
        private = rules.cut_at({None: cells})
        ask(PermuteAndFlip(selection), data.see(lambda sample: -private.errors(sample, (False, True)).ravel()))
        return tuple(tuple(release) if isinstance(release, list) else release for release in releases)


def labeled_values(records: Records) -> Opened:
    """Labeled values on the line, None if void.

    >>> labeled_values(((3, 1), None)).records.points
    array([3], dtype=uint64)
    """
    valid = [record for record in records if record is not None]
    points, labels = np.array([x for x, _ in valid], dtype=np.uint64), np.array([y for _, y in valid], dtype=bool)
    return Opened(Sample(points, labels, None, len(records)), len(records))


def cut_cases() -> Iterator[Case]:
    """Zoom, quantile, and rule all reveal the same record, so neighbors use up more than nine tenths of the claim."""
    cost, universe = Budget(12), [(1, 0), (4, 1), None]
    crowd = ((0, 1),) * 5 + ((2, 1),) * 3 + ((4, 1),) * 5 + ((0, 0), (4, 0), (5, 0)) * 2
    yield Case(CutsThenRule(cost), labeled_values, "6 values, 19 more records", universe, 1, cost, crowd=crowd)


PURE = (Budget("0.1"), Budget(1), Budget(6))
APPROXIMATE = (Budget(1, 1e-6), Budget("0.1", "0.3"), Budget(6, "0.9"))
RARE = APPROXIMATE[0]  # its δ is too small to make up for an ε that is exceeded
DEEP = "0" * 16  # where levels are unbounded, the sixteen of this node use up 16/17 of δ


def _selections() -> Iterator[Case]:
    def correct(records: Records) -> list[int]:
        return [sum((x >= t) == y for x, y in records) for t in range(5)]

    for cost, n in product(PURE, (1, 2)):
        for_a = ("a",) * ceil(14 / cost.epsilon)
        about = f"2 candidates, {len(for_a)} more records for one"
        yield Case(Exponential(cost), votes, about, "abc", n, cost, crowd=for_a)
        yield Case(Exponential(cost, [1, 10**9]), votes, "one candidate against 10⁹", "abc", n, cost)
    for cost, n in product(PURE, (2, 4)):
        yield Case(PermuteAndFlip(cost), votes, "2 candidates, 3 kinds of records", "abc", n, cost)
    for listed in (Exponential(Budget(1)), PermuteAndFlip(Budget(1))):
        yield Case(listed, correct, "5 threshold rules", labeled(range(4)), 3, Budget(1))
    for cost, n in (*product(APPROXIMATE, (1,)), (RARE, 2), (RARE, 4)):
        yield Case(SparseExponential(cost), support, "3 keys", "abc", n, cost)
    crowd = ("a",) * 45 + ("b",) * 30
    yield Case(SparseExponential(RARE), support, "3 keys, 75 more records", "abc", 1, RARE, crowd=crowd)
    sets = ["", "a", "b", "ab", "bc", "cd"]
    for cost, n in product(APPROXIMATE, (1, 3)):
        yield Case(SparseExponential(cost, k=2), support, "records name up to 2 of 4 keys", sets, n, cost)


def _stable_selections() -> Iterator[Case]:
    crowd: Records
    nodes, leaves, points = labeled(strings(0, 1, 2)), labeled(strings(2)), labeled("abc")
    deep, below = labeled(("", DEEP)), labeled((DEEP, "1"))
    for cost in APPROXIMATE:
        three = PublicStableExponential(cost, 3, 1)
        yield Case(three, ROOT_PATHS.alone, "root paths, C = 1, 3 levels", nodes, 1, cost)
    for cost in APPROXIMATE[:2]:
        unbounded = PublicStableExponential(cost, None, 1)
        yield Case(unbounded, ROOT_PATHS.alone, "root paths, C = 1, unbounded levels", deep, 1, cost)
    crowd = (("0", 1),) * 24
    capped = PublicStableExponential(RARE, 3, 26)
    yield Case(capped, ROOT_PATHS.alone, "root paths, C = 26, 24 more records", nodes, 1, RARE, crowd=crowd)
    for cost, C in ((RARE, -5), (Budget("0.1", "0.3"), -38), (Budget(6, "0.001"), -2)):
        two, three = PublicStableExponential(cost, 2, 0), PublicStableExponential(cost, 3, C)
        somewhere = [*leaves, ("", 0)]
        yield Case(two, THRESHOLDS.against_constants, "thresholds on 4 points, C = 0", somewhere, 1, cost)
        yield Case(three, SUBTREES.with_public, f"subtrees and public rules, C = {C}", leaves, 1, cost)
    # Here the limit of the weights is about to change from support to errors, which is where they rise most.
    cost, around = Budget(1, 7.9e-7), (("00", 0),) * 31 + (("10", 0),) * 6
    about = "thresholds on 4 points, C = 8, 37 more records"
    yield Case(PublicStableExponential(cost, 2, 8), THRESHOLDS.against_constants, about, leaves, 2, cost, crowd=around)
    cost, crowd = Budget(6, 1e-6), (("00", 0),) * 6 + (("00", 1),) * 3  # A public rule is likely.
    about, records = "subtrees and public rules, C = 11, 9 more records", [("11", 0), ("10", 1)]
    yield Case(PublicStableExponential(cost, 3, 11), SUBTREES.with_public, about, records, 1, cost, crowd=crowd)
    for cost in APPROXIMATE:
        for n in (1, 3):
            yield Case(DiscountedExponential(cost, 1), POINTS.against_nothing, "3 points", points, n, cost)
        yield Case(DiscountedExponential(cost, 3), SUBTREES.against_nothing, "subtrees, 3 levels", leaves, 1, cost)
        discounted = DiscountedExponential(cost, None)
        yield Case(discounted, SUBTREES.against_nothing, "subtrees, unbounded levels", below, 1, cost)
    crowd, about = (("a", 1),) * 14, "3 points, 14 more records"
    yield Case(DiscountedExponential(RARE, 1), POINTS.against_nothing, about, points, 1, RARE, crowd=crowd)


def _regrets() -> Iterator[Case]:
    """One record that brings candidates on all levels uses up δ, and a chain of many candidates uses up ε."""
    crowd: Records
    deep, four = labeled(("", DEEP, "1")), labeled(("", "0", "000", "0000", "01"))
    for cost, near in product((RARE, Budget("0.1", "0.3"), Budget(6, "0.1")), (False, True)):
        about = "root paths, ancestors vouch" if near else "root paths"
        unbounded, five = RegretExponential(cost, None, near), RegretExponential(cost, 5, near)
        yield Case(unbounded, ROOT_PATHS.with_spare, f"{about}, unbounded levels", deep, 1, cost)
        yield Case(five, ROOT_PATHS.with_spare, f"{about}, 5 levels", four, 2, cost)
    # With so few records, a mechanism that spends ε twice as fast has the same candidates.
    crowd, universe = (("000", 1), *(("0", 1),) * 3, *(("00", 1),) * 3), [(DEEP, 1), ("0", 0)]
    cost, about = Budget(3, 1e-6), "root paths, 17 levels, 7 more records"
    yield Case(RegretExponential(cost, 17, False), ROOT_PATHS.with_spare, about, universe, 1, cost, crowd=crowd)
    # The fallback's regret grows with the trust in the first of many candidates, which together outweigh the fallback.
    cost, chain = Budget(1, "0.001"), "0" * 160
    crowd, universe = ((chain, 1),) * 22 + (("0", 1),) * 3, [(chain, 1), ("1", 0)]
    about = "root paths, 161 levels, 25 more records"
    yield Case(RegretExponential(cost, 161, False), ROOT_PATHS.with_spare, about, universe, 1, cost, crowd=crowd)
    chain = "0" * 40
    for near, records in ((False, 35), (True, 38)):
        many = RegretExponential(RARE, 41, near)
        crowd = ((chain, 1),) * records + (("1", 1),) * 25
        about = f"root paths, 41 levels, {len(crowd)} more records"
        yield Case(many, ROOT_PATHS.with_spare, about, labeled((chain, "1")), 1, RARE, crowd=crowd)


def _noise() -> Iterator[Case]:
    def columns(records: Records) -> list[int]:
        return [sum(column) for column in zip(*records, strict=True)]

    def kinds(records: Records) -> list[int]:
        return [records.count(name) for name in "abc"]

    for cost, n in product(PURE[:2], (1, 3)):
        yield Case(DiscreteLaplace(cost), sum, "bits", (0, 1), n, cost)
    for cost, n in product(PURE, (1, 3)):
        yield Case(DiscreteLaplace(cost, 3, 0, 3 * n), sum, f"0 … 3, kept in 0 … {3 * n}", range(4), n, cost)
    for cost, size in ((Budget(1), 12), (Budget(6), 4)):
        bits, crowd = list(product((0, 1), repeat=4)), ((1, 1, 1, 0),) * size  # a high bar favors the last count
        yield Case(AboveThreshold(cost, 1), columns, f"4 counts of bits, {size} more", bits, 1, cost, crowd=crowd)
    for cost, n in product(PURE, (1, 2)):
        yield Case(DisjointCounts(cost, n), kinds, "3 kinds of records, and a fourth", "abcd", n, cost)
    for cost, n in product((RARE, Budget(6, "1e-6"), Budget(6, "0.9")), (1, 2)):
        for noise in (DiscreteGaussian(cost, 2), GaussianCounts(cost, 2)):  # One record changes two of these counts.
            yield Case(noise, votes, "2 kinds of records, and a third", "abc", n, cost)
    cost = Budget("0.1", "1e-6")  # so much noise that discrete and continuous noise are almost the same
    yield Case(GaussianCounts(cost, 1), lambda records: [sum(records)], "bits", (0, 1), 1, cost)
    for n in (1, 2, 3):
        yield Case(StabilityHistogram(APPROXIMATE[1]), Counter, "3 keys", "abc", n, APPROXIMATE[1])
    for cost, shown in ((RARE, 28), (Budget(6, "0.001"), 4)):
        about = f"3 keys, {2 * shown} more records"
        yield Case(StabilityHistogram(cost), Counter, about, "abc", 1, cost, crowd=("a", "b") * shown)
    for cost in (Budget(1, "0.0725"), Budget(3, "0.00315")):
        truncated = TruncatedHistogram(cost)
        pairs = ("a", "b") * (2 * truncated.most + 2)  # truncation matters only with many records
        yield Case(truncated, Counter, f"3 keys, {len(pairs)} more records", "abc", 1, cost, crowd=pairs)


def _signed_histograms() -> Iterator[Case]:
    """Cases whose δ is barely above the probability that a value of a single record is shown."""
    for cost, n in product((Budget(1, "8.534e-7"), Budget("0.1", "0.31086"), Budget(6, "0.047426")), (1, 2, 3)):
        yield Case(SignedHistogram(cost), tally_of, "2 values", labeled("ab"), n, cost)
    cost, about, crowd = Budget(1, "8.534e-7"), "2 values, 55 more records", (("a", 1), ("b", 1)) * 27 + (("b", 0),)
    yield Case(SignedHistogram(cost), tally_of, about, labeled("ab"), 1, cost, crowd=crowd)


def _zooms() -> Iterator[Case]:
    for cost, n in product(PURE, (1, 2)):
        crowd = (0,) * ceil(14 / cost.epsilon)
        about = f"64 values, {len(crowd)} more records"
        yield Case(Zoom(cost, 64), counts_by_value, about, (0, 63, None), n, cost, crowd=crowd)


def _accounting() -> Iterator[Case]:
    response = DiscreteLaplace(Budget(1), 1, 0, 1)  # a bit whose true value is e times as likely as the false one
    for k, ε in ((2, 1), (4, 2), (6, 0)):
        claimed = optimal_at_epsilon(response.cost, k, ε)
        yield Case(Joint((response,) * k), sum, f"{k} uses, optimal composition", (0, 1), 1, claimed)
    yield Case(Joint((response,) * 3), sum, "3 uses, basic composition", (0, 1), 1, sequential([response.cost] * 3))
    sparse = SparseExponential(Budget(1, "0.1"))
    for k in (2, 3):  # the claim is at k·ε, so only δ matters
        claimed = optimal_at_epsilon(sparse.cost, k, k)
        yield Case(Joint((sparse,) * k), support, f"{k} uses, optimal composition", "ab", 2, claimed)
    vote = Exponential(Budget(1))
    for k, δ in ((4, "0.1"), (8, "0.01")):
        claimed = sum([Concentrated.of_bounded_range(vote.cost)] * k, Concentrated(0)).at_delta(δ)
        yield Case(Joint((vote,) * k), votes, f"{k} uses, zCDP", "ab", 1, claimed)
    sparse = SparseExponential(Budget(1, "0.01"))
    for m, n in ((1, 3), (2, 3)):
        yield Case(Subsampled(response, max, m), tuple, f"{m} of {n} bits", (0, 1), n, subsampled(response.cost, m, n))
        yield Case(Subsampled(sparse, support, m), tuple, f"{m} of {n} keys", "abc", n, subsampled(sparse.cost, m, n))
    count = DiscreteLaplace(Budget(1), 1, 0, 3)
    for m, n in ((2, 2), (2, 3), (3, 2)):
        claimed = redrawn(count.cost, m, n)
        yield Case(
            Subsampled(count, sum, m, with_replacement=True), tuple, f"{m} draws from {n} bits", (0, 1), n, claimed
        )


def _interior_points() -> Iterator[Case]:
    for cost, n in ((Budget(1, "0.01"), 2), (Budget(1, "0.01"), 3), (Budget(4, "0.01"), 2)):
        yield Case(RecPrefix(cost, Line(0, 3), base=3), tuple, "interior point in 0 … 3", range(4), n, cost)


CATALOGUE = (
    *(*_selections(), *_stable_selections(), *_regrets(), *_noise(), *_signed_histograms()),
    *(*_one_quantile(), *_quantile_trees(), *_joint_quantiles(), *_dyadic_quantiles(), *_separate_quantiles()),
    *(*_zooms(), *_interior_points(), *_accounting(), *boosting_cases()),
    *cut_cases(),
    *release_cases(),
)


def cases_named(name: str, cases: Sequence[Case] = CATALOGUE) -> Sequence[Case]:
    """The cases about the mechanism or learner with this name; case, spaces, and hyphens do not matter.

    >>> {case.name for case in cases_named("Stability-Histogram")}
    {'stability histogram'}
    """
    if matches := [case for case in cases if _plain(case.name) == _plain(name)]:
        return matches
    known = ", ".join(dict.fromkeys(case.name for case in cases))
    raise Refused("name", f"no audited mechanism is called {name!r}; choose one of: {known}")


def one_each(cases: Sequence[Case] = CATALOGUE) -> Sequence[Case]:
    """One case for each name: the one whose ε is nearest to 1, where an excess matters and is likely to be seen.

    >>> [str(case.claimed) for case in one_each() if case.name == "zoom"]
    ['ε = 1']
    """
    nearest: dict[str, Case] = {}
    for case in cases:
        if case.name not in nearest or _from_one(case) < _from_one(nearest[case.name]):
            nearest[case.name] = case
    return tuple(nearest.values())


def _from_one(case: Case) -> float:
    return abs(log(case.claimed.epsilon)) if case.claimed.epsilon else inf


def _plain(name: str) -> str:
    return name.casefold().replace(" ", "").replace("-", "")
