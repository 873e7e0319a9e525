"""Mechanisms that are deliberately broken, each in one place. An audit that passes one of them is itself broken."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from flint import arb, ctx
from numpy.typing import ArrayLike, NDArray

from privpac.audit.claims.boosting import MISSED, NormalizedVotes, UncappedVotes, next_vote
from privpac.audit.claims.case import (
    POINTS,
    ROOT_PATHS,
    THRESHOLDS,
    Case,
    Joint,
    Records,
    coded,
    labelled,
    placed,
    strings,
    support,
    tallied,
    votes,
)
from privpac.audit.controls.broken_mechanisms import (
    EarlyTrie,
    EarlyWeights,
    FloatQuantile,
    HeldOnly,
    InferredBounds,
    LateMinimum,
    MergedBySplits,
    MixedBases,
    NoFloor,
    OneNear,
    PositiveOnly,
    QuickNoise,
    QuietTrie,
    RangeOfRecords,
    SteepZoom,
    UnprunedTrie,
    WholeQuantiles,
    read,
    unlabeled,
)
from privpac.data.domains.line import Line
from privpac.exact.entropy import Entropy
from privpac.exact.weighted import Weights
from privpac.exact.weighted_coins import heads
from privpac.mechanisms.histograms.stability import StabilityHistogram
from privpac.mechanisms.histograms.truncated import TruncatedHistogram
from privpac.mechanisms.noise.laplace import AboveThreshold, DiscreteLaplace
from privpac.mechanisms.selection.exponential import Outcome, SparseExponential
from privpac.mechanisms.selection.permute_and_flip import PermuteAndFlip
from privpac.mechanisms.selection.public_stable import DiscountedExponential, PublicStableExponential
from privpac.mechanisms.selection.regret import RegretExponential
from privpac.privacy.budget import Budget, Number
from privpac.privacy.rounding import PRECISION, ball


@dataclass(frozen=True)
class Control(Case):
    """A false claim. ``about`` says what is broken, ``why`` what it leaks.

    >>> control = CONTROLS[0]
    >>> print(f"{control.about}: {control.why}")
    noise scale 30 % too small: the ratio of neighboring values is e^(ε/0.7)
    >>> print(control.exact())
    REFUTED: (0,) against (1,) costs 1.42857, more than the claimed ε = 1 (the worst of 1 pairs)
    """

    why: str


@dataclass(frozen=True)
class Undiscounted(DiscountedExponential):
    """A candidate weighs a_l·r^(−err), not (a_l/r)·r^(−err)."""

    def menu(self, data: Any) -> tuple[Weights, Outcome]:
        weights, outcome = super().menu(data)
        return replace(weights, scores=weights.scores + (np.arange(weights.scores.size) > 0)), outcome


@dataclass(frozen=True)
class FirstInList(PermuteAndFlip):
    """The first candidate of the list whose coin shows heads: flipped, not permuted."""

    def release(self, data: NDArray[np.int64], coins: Entropy) -> int:
        return int(np.argmax(heads(data, self.cost.epsilon / 2, coins)))

    def law(self, data: ArrayLike) -> dict[int, arb]:
        law, left = {}, arb(1)
        with ctx.workprec(PRECISION):
            for i, gap in enumerate(self.check(data).tolist()):
                p = ball(-self.cost.epsilon / 2 * gap).exp()
                law[i], left = left * p, left * (1 - p)
        return law


@dataclass(frozen=True)
class EarlyHistogram(StabilityHistogram):
    """Shows a key two counts too early."""

    @property
    def least(self) -> int:
        return super().least - 2


@dataclass(frozen=True)
class ShortNoise(TruncatedHistogram):
    """Truncates the noise one step early."""

    @property
    def most(self) -> int:
        return TruncatedHistogram(self.cost).most - 1


ON_LINE = (0, 3, 10, None)


def _columns(records: Records) -> list[int]:
    return [sum(column) for column in zip(*records, strict=True)]


def controls(delta: Number) -> tuple[Control, ...]:
    """The controls at ε = 1 and this δ. A sampled audit cannot see effects of size 10⁻⁶ and needs a larger δ.

    >>> all(control.exact().refuted for control in controls(0.05))
    True
    """
    claim = Budget(1, delta)
    pure, short = Budget(claim.epsilon), Budget("0.81093", delta)  # e^(ε/2) is 1.65 for one and 1.5 for the other
    rare = Budget(1, "1.14e-6")  # which a prefix of a single record uses up
    rootless = replace(ROOT_PATHS, level=lambda v: max(len(v) - 1, 0))
    response = DiscreteLaplace(pure, 1, 0, 1)
    ab, children, chain = labelled("ab"), labelled(strings(1)), labelled(("", "0" * 16))
    bits = list(product((0, 1), repeat=4))
    return (
        Control(
            DiscreteLaplace(Budget("10/7")), sum, "noise scale 30 % too small", (0, 1), 1, pure,
            "the ratio of neighboring values is e^(ε/0.7)",
        ),
        Control(
            FirstInList(pure), votes, "candidates in the order of the list", "ab", 1, pure,
            "those behind the first of the best are never released, and with one record more they are",
        ),
        Control(
            SparseExponential(claim), support, "a record supports 2 candidates, k = 1", ("ab", "cd"), 1, claim,
            "one record brings two candidates that its neighbor cannot release",
        ),
        Control(
            SparseExponential(claim), support, "a record supports one candidate twice", ("aa", "bb"), 1, claim,
            "a candidate of one record weighs r² where ⊥ is made to outweigh r",
        ),
        Control(
            MixedBases(short, 1, 0), POINTS.alone, "stability weight from ε, sampling with r = 1.5", ab, 1, claim,
            "T steps of ln r discount a new candidate less than T steps of ε/2",
        ),
        Control(
            PublicStableExponential(claim, 1, 0), rootless.alone, "the root's level not counted", children, 1, claim,
            "one record brings a candidate on each of two levels, and δ was divided by one",
        ),
        Control(
            NoFloor(claim, 1, 0), POINTS.alone, "the fallback's floor removed", ab, 4, claim,
            "errors shrink the fallback below the 1 that outweighs new candidates",
        ),
        Control(
            OneNear(claim, None, near=True), ROOT_PATHS.vouched, "one near candidate counted", chain, 1, claim,
            "one record brings two candidates that an ancestor vouches for, and δ was divided for one",
        ),
        Control(
            RegretExponential(claim, None, near=True), partial(ROOT_PATHS.vouched, steps=3),
            "an ancestor too far above", chain, 1, claim,
            "the node three steps above vouches for three candidates that one record brings",
        ),
        Control(
            Undiscounted(claim, 1), POINTS.against_nothing, "a gain of one record not discounted", ab, 2, claim,
            "a new candidate that gains one record over the fallback weighs r times too much",
        ),
        Control(
            AboveThreshold(Budget(2), 1), _columns, "noise of half the scale", bits, 1, pure,
            "the bar and the values move against each other at twice the rate that is charged",
        ),
        Control(
            EarlyHistogram(claim), Counter, "shown two counts too early", "ab", 1, claim,
            "a key of a single record is shown with probability above δ",
        ),
        Control(
            ShortNoise(claim), Counter, "noise truncated one step early", "ab", 1, claim,
            "the most extreme noise tells counts apart with probability above δ", crowd=("a", "b") * 60,
        ),
        Control(
            UnprunedTrie(claim, 6), coded, "a trie that is not pruned", ("a" * 6, "b" * 6), 1, claim,
            "each node of a path that only one sample has may be shown by itself",
        ),
        Control(
            EarlyTrie(rare, 1), coded, "prefixes shown one record too early", "ab", 1, rare,
            "a prefix of a single record is shown with probability above δ",
        ),
        Control(
            QuietTrie(claim, 1), coded, "a trie with noise for H counts", "ab", 1, claim,
            "a substitution changes 2H of them", crowd=("a", "b") * (QuietTrie(claim, 1).least + 8),
        ),
        Control(
            PositiveOnly(claim), tallied, "values that exist if w > 0", ab, 2, claim,
            "a label that is turned takes w from 0 to 2, so a value appears that is shown with probability above δ",
        ),
        Control(
            QuickNoise(claim), tallied, "noise for weights that move by 1", ab, 1, claim,
            "a label that is turned moves w by 2", crowd=(("a", 1),) * 14,
        ),
        Control(
            EarlyWeights(claim), tallied, "shown one weight too early", ab, 1, claim,
            "a value of a single record is shown with probability above δ",
        ),
        Control(
            InferredBounds(pure, 3), tuple, "bounds inferred from the data", range(4), 2, pure,
            "the output never leaves the range of the records and so reveals it",
        ),
        Control(
            FloatQuantile(Budget(4)), tuple, "quantile weights that underflow", (0, 1), 760, Budget(4),
            "one sample always raises an error where its neighbor never does",
        ),
        Control(
            LateMinimum(Budget(1, "7.9e-7"), 2, 8), THRESHOLDS.against_constants, "the minimum decided one step late",
            labelled(strings(2)), 2, Budget(1, "7.9e-7"), "a candidate that loses support gains weight, or the reverse",
            crowd=(("00", 0),) * 31 + (("10", 0),) * 6,
        ),
        Control(
            WholeQuantiles(pure, Line(0, 4), (Fraction(1, 10), Fraction(9, 10)), 3), tuple,
            "every quantile at the whole cost", range(5), 3, pure, "two selections cost twice what is charged for one",
        ),
        Control(
            HeldOnly(pure, 11), placed, "only stretches with records", ON_LINE, 2, pure,
            "a stretch that one sample allows is impossible for its neighbor",
        ),
        Control(
            RangeOfRecords(pure, 11), placed, "stretches from the least to the largest record", ON_LINE, 2, pure,
            "the ends are values of records",
        ),
        Control(
            SteepZoom(pure, 11), placed, "ε instead of ε/2 in the exponent", (0, 10), 1, pure,
            "what is in a stretch counts twice, there and in all others", crowd=(0,) * 20,
        ),
        Control(
            MergedBySplits(Budget(6), (Line(0, 7),), read, 5), unlabeled, "cuts merged if they split the records alike",
            (0, 3, 7), 2, Budget(6), "a cut that one sample allows is impossible for its neighbor",
        ),
        Control(
            *next_vote(UncappedVotes), "weights of boosting not capped", labelled((0, 1)), 1, pure,
            "a record that four votes miss weighs e^(4/5) where 1 is charged", crowd=MISSED,
        ),
        Control(
            *next_vote(NormalizedVotes), "weights of boosting that add up to n", labelled((0, 1)), 1, pure,
            "where votes label all others rightly, one record weighs more than 1", crowd=((0, 0), (1, 1)) * 20,
        ),
        Control(
            Joint((response,) * 3), sum, "an accountant that ignores the count", (0, 1), 1, pure,
            "three uses cost three times what is charged for one",
        ),
    )  # fmt: skip


CONTROLS = controls(1e-6)
