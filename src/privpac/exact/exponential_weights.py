"""The exact draw by exponential weights: group j with probability ∝ counts[j]·exp(rate·scores[j] + log_prior[j]).

proof: docs/proofs/exact_draw.md

Throughout this file
    group    candidates with the same score, drawn together; ``counts`` says how many each group has
    U        the random number, uniform on [0, 1); only its first bits are known, and more are read when needed
    t_j      the exponent of group j, minus the largest exponent
    S_j      the weight of groups 0 … j; the draw is the j with S_(j−1) ≤ U·S < S_j, where S is the total
    η        a bound on the absolute error of the exponents as computed in floats
    band     a bound on the error of every computed S_j, so that outside the band the comparison is decided

Floats *decide a comparison only if they prove its outcome*; inside the band, Arb's balls take over and read more bits
of the same U. No library's exp is trusted: e^t is computed from two tables, which Arb makes, and a cubic polynomial.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, lru_cache
from itertools import accumulate
from typing import Any

import numpy as np
from flint import arb, ctx, fmpq
from numpy.typing import ArrayLike, NDArray

from privpac.data.values.columns import column
from privpac.exact.entropy import Entropy

Integers = NDArray[Any]  # exact integers: machine integers, or Python's if these are too short
FLOOR = -700.0  # smaller exponents are raised to it: together, such groups weigh less than 2^-800 of the total
FINE_BITS = 12
FINE = 1 << FINE_BITS  # steps of the fine table per unit of the exponent
LN2 = 0.6931471805599453  # ln 2, rounded to nearest
BLOCK = 1 << 15  # groups per pass: each pass stays in the processor's cache, and the sums stay short
LN2_ABOVE = 0.69315  # a little more than ln 2
MOST_SCORES = BLOCK  # the most different scores whose candidates are counted before a draw
STEEPEST = 2.0**500  # stands for any larger rate: with such a rate, only the best score matters
MANY = 64  # the fewest candidates that are worth counting by score
TINY = 1e-9  # stands for any smaller rate as a divisor; so many scores matter then that none are counted
LARGEST_SCORE = 2**62 - 1  # so that the difference of two scores is an int64
UNLISTED_BITS = 64  # the groups that a shortened list omits weigh at most 2^-64 of those that it has


@dataclass(frozen=True, eq=False)
class Weights:
    """Group j weighs counts[j]·exp(rate·scores[j] + log_prior[j]); scores and counts are integers of any size.

    ``complete``, if given, returns the full list, which starts with this one; the caller promises that the omitted rest
    weighs at most 2^-64 of what is listed.

    >>> [round(float(p), 4) for p in probabilities(Weights([0, 2], Fraction(1, 2)))]
    [0.2689, 0.7311]
    """

    scores: NDArray[np.int64]
    rate: Fraction
    counts: Integers | None
    log_prior: NDArray[np.float64] | None
    complete: Callable[[], Weights] | None
    top: int = field(init=False)  # the largest score

    def __init__(
        self,
        scores: ArrayLike,
        rate: Fraction,
        counts: ArrayLike | None = None,
        log_prior: ArrayLike | None = None,
        complete: Callable[[], Weights] | None = None,
    ) -> None:
        s = integers(scores, "scores")
        if s.size == 0:
            raise ValueError("there are no candidates to choose from; give at least one")
        if s.dtype.kind == "O" or s.min() < -LARGEST_SCORE or (top := s.max()) > LARGEST_SCORE:
            raise ValueError("scores must lie strictly between -2^62 and 2^62")
        m = None if counts is None else integers(counts, "counts")
        if m is not None and (m.shape != s.shape or m.min() < 0 or not m.any()):
            raise ValueError("counts must be nonnegative, one per score, and not all zero")
        p = None if log_prior is None else np.asarray(log_prior, dtype=np.float64)
        if p is not None and (p.shape != s.shape or not (np.abs(p) <= 2.0**50).all()):
            raise ValueError("log_prior must lie within ±2^50, one per score; the count 0 excludes a candidate")
        if rate.numerator < 0:  # integers compare much faster than fractions
            raise ValueError("rate must not be negative")
        values = s.astype(np.int64), rate, m, p, complete, int(top)
        for name, value in zip(self.__dataclass_fields__, values, strict=True):
            object.__setattr__(self, name, value)

    def count(self, group: int) -> int:
        """The number of members of ``group`` in the full list."""
        if self.complete and group >= len(self.scores):
            return self.complete().count(group)
        return 1 if self.counts is None else int(self.counts[group])


def integers(values: ArrayLike, name: str) -> Integers:
    """A one-dimensional array of exact integers: a numpy integer type where they fit, Python integers otherwise."""
    if type(values) is np.ndarray and values.dtype.kind in "iu" and values.ndim == 1:
        return values
    if isinstance(values, list) and set(map(type, values)) <= {int}:
        with suppress(OverflowError):
            return np.fromiter(values, np.int64, len(values))
    array = column(values, name)
    kinds = set(map(type, array)) if array.dtype.kind == "O" else {object}
    if all(issubclass(kind, (int, np.integer)) and not issubclass(kind, bool) for kind in kinds):
        exact = np.array([int(v) for v in array], dtype=object)  # numpy's own integers would wrap
        fits = not exact.size or (exact.min() >= -(2**63) and exact.max() < 2**63)
        return exact.astype(np.int64) if fits else exact
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} must be integers; scale and round them first")
    return array


def draw(weights: Weights, coins: Entropy) -> int:
    """A group, drawn with exactly its probability.

    >>> from privpac.exact.entropy import SYSTEM
    >>> draw(Weights([0, 10_000], Fraction(1, 2)), SYSTEM)
    1
    """
    only_scores = weights.counts is None and weights.log_prior is None and weights.complete is None
    if only_scores and weights.scores.size >= MANY:
        gaps = weights.top - weights.scores
        far = int((UNLISTED_BITS + gaps.size.bit_length()) * LN2_ABOVE / max(_as_float(weights.rate), TINY)) + 1
        if far <= MOST_SCORES:
            return _draw_by_score(gaps, far, weights.rate, coins)
    number = coins.bits(64)
    if weights.scores.size == 1 and weights.complete is None:
        # NumPy takes longer for one number than for two, so a draw from two groups takes the usual time.
        _decided(*_cumulative(_pair(weights.counts is not None, weights.log_prior is not None)), number)
        return 0
    group = _decided(*_cumulative(weights), number)
    return _decide_in_balls(weights, number, 64, coins) if group is None else group


@cache
def _pair(has_counts: bool, has_prior: bool) -> Weights:
    """Two groups, from which to draw in place of a single one."""
    return Weights([0, 0], Fraction(1), [1, 1] if has_counts else None, [0.0, 0.0] if has_prior else None)


def _draw_by_score(gaps: NDArray[np.int64], far: int, rate: Fraction, coins: Entropy) -> int:
    """A candidate: first its gap (to the best score) is drawn, then one of the candidates with this gap.

    Gaps of ``far`` or more weigh so little that they are listed only if U falls where they matter. Arrays have the same
    sizes whatever the gaps are, so that time does not tell how many candidates are near the best.
    """
    counts, number = np.bincount(np.minimum(gaps, far), minlength=far + 1)[:far], coins.bits(64)
    cumulative = (counts * _powers(_as_float(rate), far)).cumsum()
    band = _band(float(cumulative[-1]), -FLOOR * 2.0**-48, counts.size, 2.0**-UNLISTED_BITS)
    gap = _decided(cumulative, band, number)
    if gap is None:
        distinct, counts = np.unique(gaps, return_counts=True)
        gap = int(distinct[_decide_in_balls(Weights(LARGEST_SCORE - distinct, rate, counts), number, 64, coins)])
    return any_of(gaps == gap, coins)


def any_of(members: NDArray[np.bool_], coins: Entropy) -> int:
    """The index of a uniformly drawn member. The same work is done however many members there are."""
    members_up_to = np.cumsum(members)
    return int(np.searchsorted(members_up_to, coins.below(int(members_up_to[-1])), side="right"))


@lru_cache(16)
def _powers(rate: float, far: int) -> NDArray[np.float64]:
    """e^(−rate·gap) for the gaps 0 … far − 1."""
    powers = np.arange(far, dtype=np.float64) * -rate
    exponentiate(powers)
    return powers


def probabilities(weights: Weights, bits: int = 128) -> list[arb]:
    """The probability of each group, as balls of about ``bits`` bits."""
    with ctx.workprec(bits):
        balls = _balls(weights)
        total = sum(balls, arb(0))
        return [ball / total for ball in balls]


def _decided(cumulative: NDArray[np.float64], band: float, number: int) -> int | None:
    """The group that U, whose first 64 bits are ``number``, selects; None if that is not yet certain."""
    point = number / 2**64 * float(cumulative[-1])
    j = int(cumulative.searchsorted(point, side="right"))
    if j == len(cumulative) or cumulative[j] - point <= band or (j > 0 and point - cumulative[j - 1] <= band):
        return None
    return j


def _band(total: float, η: float, groups: int, unlisted: float) -> float:
    """A bound on the error of a sum of ``groups`` weights, added in blocks, with a share ``unlisted`` left out."""
    additions = min(groups, BLOCK) + groups // BLOCK
    return total * (8 * η + (additions + 64) * 2.0**-50 + 4 * unlisted)


def _cumulative(weights: Weights) -> tuple[NDArray[np.float64], float]:
    """S_0, S_1, … up to a common factor, and the band. Lemmas 1–3 of the proof bound the errors of its three steps."""
    t, sizes, η = _exponents(weights)
    total = 0.0
    for start in range(0, t.size, BLOCK):
        block = t[start : start + BLOCK]
        exponentiate(block)
        if sizes is not None:
            block *= sizes[start : start + BLOCK]
        np.cumsum(block, out=block)
        block += total
        total = float(block[-1])
    return t, _band(total, η, t.size, 0.0 if weights.complete is None else 2.0**-UNLISTED_BITS)


def _exponents(weights: Weights) -> tuple[NDArray[np.float64], NDArray[np.float64] | None, float]:
    """(t, sizes, η): group j weighs sizes[j]·e^(t[j]), t ≤ 0 with maximum 0 among groups of positive size."""
    t = np.asarray((weights.top - weights.scores) * -_as_float(weights.rate), dtype=np.float64)
    magnitude, sizes = -FLOOR, None
    if weights.log_prior is not None:
        t += weights.log_prior
        magnitude += 2 * float(np.abs(weights.log_prior).max())
    if weights.counts is not None:
        if weights.counts.dtype.kind == "O":
            sizes, exponents = _mantissas(weights.counts)
            t += exponents * LN2
            magnitude += 2 * float(exponents.max())
        else:
            sizes = weights.counts.astype(np.float64)
        t[sizes == 0] = -np.inf
    top = float(t.max())
    t -= top
    return t, sizes, (magnitude + abs(top)) * 2.0**-48


def _as_float(rate: Fraction) -> float:
    """The rate, or STEEPEST if it is larger."""
    try:
        return min(rate.numerator / rate.denominator, STEEPEST)
    except OverflowError:
        return STEEPEST


def _mantissas(counts: Integers) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The arrays of m and e: each count is m·2^e, truncated, where m has at most 64 bits."""
    exponents = [max(int(c).bit_length() - 64, 0) for c in counts]
    return (
        np.array([float(int(c) >> e) for c, e in zip(counts, exponents, strict=True)]),
        np.array(exponents, dtype=np.float64),
    )


def exponentiate(t: NDArray[np.float64]) -> None:
    """e^t in place, for t ≤ 0, within a relative error of 2^-49, by IEEE additions and multiplications alone.

    >>> t = np.array([0.0, -1.0])
    >>> exponentiate(t)
    >>> t.round(6)
    array([1.      , 0.367879])
    """
    whole, fine = _tables()
    np.maximum(t, FLOOR, out=t)
    steps = np.floor(t * FINE)
    t -= steps / FINE  # in [0, 1/FINE], off by at most 2^-66
    index = (-steps).astype(np.intp)
    cubic = 1 + t * (1 + t * (0.5 + t * (1 / 6)))
    np.multiply(whole.take(index >> FINE_BITS), fine.take(index & (FINE - 1)), out=t)
    t *= cubic


@cache
def _tables() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """e^(−a), a = 0 … 701, and e^(−b/FINE), b = 0 … FINE − 1, each within a relative error of 2^-52."""
    return _exps([fmpq(-a) for a in range(int(-FLOOR) + 2)]), _exps([fmpq(-b, FINE) for b in range(FINE)])


def _exps(exponents: list[fmpq]) -> NDArray[np.float64]:
    """e^x of each. Threads share Arb's precision: if another one lowered it and a ball is too wide, start over."""
    with ctx.workprec(96):
        balls = [arb(x).exp() for x in exponents]
    if min(ball.rel_accuracy_bits() for ball in balls) < 64:
        return _exps(exponents)
    return np.array([float(ball) for ball in balls])


def _decide_in_balls(weights: Weights, number: int, width: int, coins: Entropy) -> int:
    """The group that U selects, reading more bits of U until it is certain. Ends with probability one."""
    full = weights.complete() if weights.complete else weights
    nonempty = [j for j in range(len(full.scores)) if full.count(j)]
    while True:
        number, width = (number << 64) | coins.bits(64), width + 64
        with ctx.workprec(width + 64):
            balls = _balls(full)
            sums = list(accumulate(balls[j] for j in nonempty))
            point = arb(2 * number + 1, 1) * sums[-1] / arb(2) ** (width + 1)  # U·S, for all U with these first bits
            i = min(bisect_right([s.mid() for s in sums], point.mid()), len(nonempty) - 1)
            if (i == 0 or sums[i - 1] <= point) and (i == len(nonempty) - 1 or point < sums[i]):
                return nonempty[i]


def _balls(weights: Weights) -> list[arb]:
    """The weight of each group at the working precision, up to a common factor."""
    top, rate = weights.top, fmpq(weights.rate.numerator, weights.rate.denominator)
    priors = np.zeros(len(weights.scores)) if weights.log_prior is None else weights.log_prior
    power = cache(lambda score, prior: (arb(rate * (score - top)) + arb(prior)).exp())
    return [
        weights.count(j) * power(score, prior)
        for j, (score, prior) in enumerate(zip(weights.scores.tolist(), priors.tolist(), strict=True))
    ]
