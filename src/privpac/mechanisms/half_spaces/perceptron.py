"""A noisy perceptron: each round adds up the records that the current half-space misses, with Gaussian noise.

[Nov63] [BDMN05] [CKS20]  docs/references.bib        proof: docs/proofs/half_space_learner.md

Throughout this file
    x, y     a record on the grid {0 … a − 1}^d, and its label as a sign
    R, c     a − 1, and the public length of the lift
    v(x)     (2x − R, c): a half-space of x is a half-space through the origin of v(x)
    r²       d·R² + c², the largest square of the length of v(x)
    w        integer weights; the rule is w·v(x) ≥ 0, and w is counted in units of 1/UNIT
    ρ        what the promise allows in zero-concentrated privacy (zCDP)        T      the number of rounds

A round sees only the number of missed records and the sum of y·v(x) over them. One substitution either moves the sum by
at most 2r and leaves the number as it is, or moves the sum by at most r and the number by 1. With the variances below,
both cost the same: (2r)²·ρ/(4Tr²) = ρ/T, and r²·ρ/(4Tr²) + 3ρ/(4T) = ρ/T. So the number comes free.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import chain, groupby
from math import ceil, isqrt
from typing import Any, ClassVar

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from privpac.data.samples.sample import Ints, Sample
from privpac.exact.bulk_noise import discrete_gaussians
from privpac.exact.entropy import Entropy
from privpac.mechanisms.algorithm import Algorithm, Ask
from privpac.mechanisms.noise.gaussian import jointly, noisy_law
from privpac.privacy.accounting.concentrated import Concentrated
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Mechanism

EXACT = 2**53  # floats add integers exactly while all sums are smaller
UNIT = 2**14  # weights are multiples of 1/UNIT
FINENESS = 2**6  # variances are multiples of 1/FINENESS
NEAR = 5  # a law lists noise of up to this many standard deviations

Sums = tuple[int, ...]  # the number of missed records, and each coordinate of their sum
Weights = tuple[int, ...]


@lru_cache(maxsize=64)
def rho_of(promise: Budget) -> Fraction:
    """ρ: what the promise allows."""
    return Concentrated.within(promise).rho


@dataclass(frozen=True)
class Lift:
    """The grid {0 … ``side`` − 1}^``dim``, lifted by ``length`` (c).

    >>> Lift(dim=2, side=3, length=1).rows(np.array([[0, 1]])).tolist()
    [[-2, 0, 1]]
    """

    dim: int
    side: int
    length: int

    @property
    def width(self) -> int:
        """R, the largest coordinate."""
        return self.side - 1

    @property
    def square(self) -> int:
        """r², the largest square of the length of v(x)."""
        return self.dim * self.width**2 + self.length**2

    @property
    def norm(self) -> int:
        """r, rounded up."""
        return isqrt(self.square - 1) + 1

    @property
    def largest(self) -> tuple[int, ...]:
        """The largest absolute value of each coordinate of v(x)."""
        return (*[self.width] * self.dim, self.length)

    def rows(self, points: NDArray[Any]) -> NDArray[Any]:
        """v(x) of all points."""
        return np.hstack([2 * points - self.width, np.full((len(points), 1), self.length, dtype=points.dtype)])


@dataclass(frozen=True, eq=False)
class SignedRecords:
    """Entry i is y·v(x) in ``rows[i]``; ``positive`` is where y = 1; ``size`` is n, the public number of records."""

    lift: Lift
    rows: NDArray[Any]
    positive: NDArray[np.bool_]
    counts: Ints | None
    size: int

    @staticmethod
    def of(lift: Lift, sample: Sample) -> SignedRecords:
        """The records of a sample, as floats if sums of n rows are exact, else as Python's integers."""
        floats = max(lift.largest) * sample.size < EXACT
        wide = sample.points.astype(np.int64 if floats else object).reshape(-1, lift.dim)
        rows = lift.rows(wide) * np.where(sample.labels, 1, -1)[:, None]
        return SignedRecords(
            lift, rows.astype(np.float64 if floats else object), sample.labels, sample.counts, sample.size
        )

    @cached_property
    def integers(self) -> NDArray[Any]:
        """The rows as Python's integers, for weights that floats do not multiply exactly."""
        return self.rows if self.rows.dtype.kind == "O" else self.rows.astype(np.int64).astype(object)

    def missed(self, w: Weights) -> Sums:
        """How many records the rule w·v(x) ≥ 0 labels wrongly, and the sum of y·v(x) over them.

        >>> sample = Sample(np.array([[0], [2], [2]]), np.array([True, True, False]), None, 3)
        >>> records = SignedRecords.of(Lift(1, 3, 1), sample)
        >>> records.missed((0, 0)), records.missed((1, 0))
        ((1, -2, -1), (2, -4, 0))
        """
        reach = sum(abs(weight) * most for weight, most in zip(w, self.lift.largest, strict=True))
        floats = reach < EXACT and self.rows.dtype.kind == "f"
        margins = self.rows @ np.array(w, dtype=np.float64) if floats else self.integers @ np.array(w, dtype=object)
        wrong = np.where(self.positive, margins < 0, margins <= 0).astype(np.int64)
        times = wrong if self.counts is None else wrong * self.counts
        return int(times.sum()), *map(int, times.astype(self.rows.dtype) @ self.rows)


@dataclass(frozen=True)
class GaussianSums(Mechanism):
    """Each of some integers plus discrete Gaussian noise of its own variance; costs at most ``cost``.

    >>> from privpac.exact.entropy import SYSTEM
    >>> GaussianSums(Budget(1, 1e-6), (Fraction(1, 10**6),) * 2, (1, 1), 3).release((2, -7), SYSTEM)
    (2, -7)
    """

    cost: Budget
    variances: tuple[Fraction, ...]
    largest: tuple[int, ...]  # the most that one record adds to each integer
    size: int  # n, the number of records
    name: ClassVar[str] = "Gaussian sums"
    theorem: ClassVar[str] = "half space learner, Lemma 2"

    def check(self, data: Sequence[int]) -> Sums:
        return tuple(map(int, data))

    def release(self, data: Sums, coins: Entropy) -> Sums:
        runs = ((variance, len(list(group))) for variance, group in groupby(self.variances))
        noise = chain.from_iterable(discrete_gaussians(variance, count, coins).tolist() for variance, count in runs)
        return tuple(value + z for value, z in zip(data, noise, strict=True))

    def law(self, data: Sequence[int]) -> dict[Sums, arb]:
        """The exact law. Far outcomes are merged, and sums that no record changes are left out (they are 0 here)."""
        with ctx.workprec(128):
            return jointly(self._sum_law(*part) for part in zip(data, self.variances, self.largest, strict=True))

    def _sum_law(self, value: int, variance: Fraction, largest: int) -> dict[int, arb]:
        """The law of one noisy sum."""
        if not largest:
            return {0: arb(1)}
        return noisy_law(value, variance, self.size * largest + NEAR * (isqrt(ceil(variance)) + 1))


@dataclass(frozen=True, eq=False)
class NoisyPerceptron(Algorithm):
    """At most T noisy sums of the records that the weights so far miss; costs at most ``promise``.

    The weights of the next round are a function of the sums so far: ``path``. ``bar`` is the smallest number of missed
    records that a step is divided by.

    >>> from privpac.exact.entropy import SYSTEM
    >>> x = np.arange(10).repeat(20_000)[:, None]
    >>> perceptron = NoisyPerceptron(Budget(1, 1e-6), Lift(1, 10, 6), rounds=30, bar=1000)
    >>> records = SignedRecords.of(perceptron.lift, Sample(x, x[:, 0] >= 7, None, len(x)))
    >>> w = perceptron.path(perceptron.release(records, SYSTEM))[-1]
    >>> records.missed(w)[0] < 30_000
    True
    """

    promise: Budget
    lift: Lift
    rounds: int
    bar: int
    name: ClassVar[str] = "noisy perceptron"
    theorem: ClassVar[str] = "half space learner, Theorem 3"

    @property
    def cost(self) -> Budget:  # type: ignore[override]
        return self.promise

    @cached_property
    def variances(self) -> tuple[Fraction, ...]:
        """2T/(3ρ) of the number and 2Tr²/ρ of each coordinate, rounded up."""
        unit = 2 * self.rounds / rho_of(self.promise)
        number, coordinate = (Fraction(ceil(FINENESS * x), FINENESS) for x in (unit / 3, unit * self.lift.square))
        return (number, *[coordinate] * (self.lift.dim + 1))

    def run(self, data: SignedRecords, ask: Ask) -> tuple[Sums, ...]:
        sums: tuple[Sums, ...] = ()
        w = self.start
        # ``cost`` pays for all rounds together (Theorem 3), so every round may use this one mechanism.
        noisy = GaussianSums(self.cost, self.variances, (1, *self.lift.largest), data.size)
        for _ in range(self.rounds):
            sums += (ask(noisy, data.missed(w)),)
            if sums[-1][0] <= 0:
                break  # noise would hide whether other weights miss fewer
            w = self.moved(w, sums[-1])
        return sums

    @property
    def start(self) -> Weights:
        """The first weights: the rule labels every record 1."""
        return (0,) * (self.lift.dim + 1)

    def moved(self, w: Weights, sums: Sums) -> Weights:
        """w + UNIT·sum/(r·missed), toward 0; ``missed`` is at least the bar."""
        missed, *total = sums
        divisor = max(missed, self.bar) * self.lift.norm
        return tuple(_toward_zero(weight * divisor + UNIT * s, divisor) for weight, s in zip(w, total, strict=True))

    def path(self, sums: Sequence[Sums]) -> list[Weights]:
        """The weights before each round, and those after the last."""
        weights = [self.start]
        for round_sums in sums:
            weights.append(self.moved(weights[-1], round_sums))
        return weights


def _toward_zero(numerator: int, divisor: int) -> int:
    return numerator // divisor if numerator >= 0 else -(-numerator // divisor)
