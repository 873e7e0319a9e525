"""A point between the records, a median, a quantile, on a line of any size.

[BNSV15]  docs/references.bib        proof: docs/proofs/interior_point.md

Throughout this file
    X       the declared line, as numbers 0 … N − 1; b bits          n    records, public
    L, R    records strictly below and strictly above a value
    τ       the wanted quantile (½ for the median)
    m       records kept around the wanted rank by the dyadic method
    β       how often the certified rank error may be exceeded

Two methods. *Exponential*: every value of the line is a candidate; pure ε; its rank error grows with ln N.
*Dyadic*: public-stable selection over the trie of the m kept records; (ε, δ); its rank error grows with ln ln N.

Main declarations
    interior_point      a value with records at or below it and at or above it
    private_median      a value in the middle of the records
    interior_size       how many records make an interior point certain up to β
    median_rank_error   how far from the middle a median may be, certain up to β
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import ceil, floor
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privpac.data.line import Line
from privpac.exact.entropy import Entropy
from privpac.exact.weighted import Weights
from privpac.mechanisms.runs import Runs, pick, runs
from privpac.mechanisms.selection import Outcome, Selection, log_at_least
from privpac.mechanisms.stable import Public, PublicStableExponential, Stable
from privpac.mechanisms.trie import trie_entries
from privpac.privacy.budget import Budget, Number, as_rational, mechanism_budget
from privpac.privacy.ledger import Account, Ledger, spend

LN2 = Fraction(6931472, 10**7)  # a little more than ln 2
RARE = Fraction(1, 1000)  # β of the certified rank error by which ``auto`` compares the methods


@dataclass(frozen=True)
class _Quantile(Selection):
    """What both methods share: the declared line and the wanted quantile."""

    cost: Budget
    line: Line
    tau: Fraction = Fraction(1, 2)

    def check(self, data: Any) -> NDArray[Any]:
        numbers = self.line.encode(data)
        if not numbers.size:
            raise ValueError("there are no records; at least one is needed")
        numbers.sort()
        return numbers


@dataclass(frozen=True)
class QuantileExponential(_Quantile):
    """v with probability ∝ r^(−max(L − ⌊τn⌋, R − (n − ⌈τn⌉))); ε-DP."""

    name: ClassVar[str] = "exponential quantile"
    theorem: ClassVar[str] = "interior point, Theorem 1"

    def menu(self, data: NDArray[Any]) -> tuple[Weights, Outcome]:
        n, size, rate = len(data), self.line.size, self.cost.epsilon / 2
        at_most, at_least = floor(self.tau * n), ceil(self.tau * n)

        def weights(table: Runs, complete: Callable[[], Weights] | None = None) -> Weights:
            scores = -np.maximum(table.below - at_most, table.above - (n - at_least))
            return Weights(scores, rate, table.lengths, complete=complete)

        @cache
        def everything() -> Runs:
            full = runs(data, size)
            return pick(full, np.argsort(~np.isin(full.starts, near.starts), kind="stable"))

        # beyond this many ranks from the wanted one, all of the line together weighs less than 2^-64
        reach = ceil((size.bit_length() + 64) * LN2 / rate)
        near = runs(data, size, max(at_most - reach, 0), min(at_most + reach + 1, n))

        def outcome(group: int, member: int) -> Any:
            table = near if group < len(near.starts) else everything()
            return self.line.decode(int(table.starts[group]) + member)

        return weights(near, None if n <= reach else lambda: weights(everything())), outcome


@dataclass(frozen=True)
class QuantileDyadic(_Quantile):
    """Public-stable selection over the trie of the ``kept`` records around rank τn; (ε, δ)-DP.

    Where the line ends before the window does, the ends of the line stand in for records.
    """

    kept: int = 1
    name: ClassVar[str] = "dyadic quantile"
    theorem: ClassVar[str] = "interior point, Theorem 2"

    def menu(self, data: NDArray[Any]) -> tuple[Weights, Outcome]:
        n, m, size = len(data), min(self.kept, len(data)), self.line.size
        start = ceil(self.tau * n) - ceil(Fraction(m, 2))
        kept = _window(data, start, start + m, size)
        values, counts = np.unique(kept, return_counts=True)
        entries = list(trie_entries([int(v) for v in values], counts.tolist(), _bits(size)))
        stable = Stable(
            [entry.splits for entry in entries],
            level=np.zeros(len(entries), dtype=np.int64),
            support=[entry.weight for entry in entries],
            errors=[m - entry.balance for entry in entries],
            counts=[len(entry.splits) for entry in entries],
        )
        table = runs(kept, size)
        names = [range(int(start), int(start) + int(length)) for start, length in zip(*table[:2], strict=True)]
        public = Public(names, np.maximum(table.below, table.above), table.lengths, -log_at_least(Fraction(size)))
        selection = PublicStableExponential(self.cost, max(_bits(size), 1), cap=m)
        weights, number = selection.menu(selection.check(({size // 2: m}, stable, public)))
        return weights, lambda group, member: self.line.decode(min(number(group, member), size - 1))


def _window(ordered: NDArray[Any], start: int, stop: int, size: int) -> NDArray[Any]:
    """Records start … stop − 1 of the sorted sample; positions before its begin hold 0, those after its end N − 1."""
    n, ends = len(ordered), np.array([0, size - 1], dtype=ordered.dtype)
    padding = np.repeat(ends, [max(0 - start, 0), max(stop - n, 0)])
    return np.sort(np.concatenate([ordered[max(start, 0) : min(stop, n)], padding]))


def _bits(size: int) -> int:
    return (size - 1).bit_length()


def interior_size(size: int, *, epsilon: Number, delta: Number = 0, beta: Number, method: str = "auto") -> int:
    """The least n for which an interior point of n records of a line of ``size`` values fails at most β often.

    >>> [interior_size(2**b, epsilon=1, delta=1e-6, beta=0.05) for b in (16, 64, 1024)]
    [57, 83, 106]
    >>> interior_size(2**64, epsilon=1, beta=0.05, method="exponential")
    189
    """
    cost, β = mechanism_budget(epsilon, delta), _probability(beta)
    rate, odds = cost.epsilon / 2, (1 - β) / β
    pure = 2 * ceil(Fraction(log_at_least(max(size - 1, 1) * odds)) / rate) - 1
    if _pure(method, cost):
        return max(pure, 1)
    good = max(log_at_least((2 * _bits(size) + 1) * odds), 0.0)
    λ = max(log_at_least((1 - cost.delta) * max(_bits(size), 1) / cost.delta), 0.0)
    dyadic = 2 * ceil(Fraction(good) / rate) - 1 + ceil((Fraction(good) + Fraction(λ)) / rate)
    return max(dyadic if method == "dyadic" else min(pure, dyadic), 1)


def median_rank_error(
    size: int, *, epsilon: Number, delta: Number = 0, beta: Number = RARE, method: str = "auto"
) -> int:
    """The rank error that a quantile of records of a line of ``size`` values exceeds with probability at most β.

    The dyadic method needs at least ``interior_size`` records for it.

    >>> median_rank_error(2**64, epsilon=1, method="exponential")
    102
    >>> median_rank_error(2**64, epsilon=1, delta=1e-6, method="dyadic")
    54
    """
    cost, β = mechanism_budget(epsilon, delta), _probability(beta)
    pure = ceil(Fraction(log_at_least(size * (1 - β) / β)) / (cost.epsilon / 2)) - 1
    if _pure(method, cost):
        return max(pure, 0)
    dyadic = ceil(Fraction(interior_size(size, epsilon=epsilon, delta=delta, beta=β, method="dyadic"), 2))
    return dyadic if method == "dyadic" else min(max(pure, 0), dyadic)


def quantile_mechanism(cost: Budget, line: Line, τ: Fraction, n: int, method: str) -> Selection:
    """The quantile of ``n`` records by the named method.

    ``auto`` takes the pure one if it certifies an answer within a quarter of the ranks, else the one that certifies
    the smaller rank error.
    """
    if _pure(method, cost):
        return QuantileExponential(cost, line, τ)
    known = {"epsilon": cost.epsilon, "delta": cost.delta, "beta": RARE}
    pure = median_rank_error(line.size, **known, method="exponential")
    dyadic = median_rank_error(line.size, **known, method="dyadic")
    if method == "auto" and (4 * pure <= n or pure <= dyadic):
        return QuantileExponential(cost, line, τ)
    return QuantileDyadic(cost, line, τ, interior_size(line.size, **known, method="dyadic"))


def _pure(method: str, cost: Budget) -> bool:
    if method not in ("auto", "exponential", "dyadic"):
        raise ValueError("method must be auto, exponential or dyadic")
    if method == "dyadic" and not cost.delta:
        raise ValueError("the dyadic method needs a positive delta; use exponential for delta = 0")
    return method == "exponential" or not cost.delta


def _probability(value: Number) -> Fraction:
    if not 0 < (β := as_rational(value, "beta")) < 1:
        raise ValueError("beta must lie strictly between 0 and 1")
    return β


def interior_point(
    x: Any,
    *,
    low: Any,
    high: Any,
    epsilon: Number,
    delta: Number = 0,
    method: str = "auto",
    on_invalid: str = "raise",
    budget: Ledger | Account | Budget | None = None,
    rng: Entropy | int | None = None,
) -> Any:
    """A value with records at or below it and records at or above it: ε-DP, or (ε, δ)-DP by the dyadic method.

    Parameters are those of ``private_median``; ``interior_size`` tells how many records it takes.

    Examples
    --------
    >>> 5 <= interior_point([5] * 200 + [9] * 200, low=0, high=2**1024, epsilon=1, delta=1e-6) <= 9
    True
    """
    cost, line = mechanism_budget(epsilon, delta), Line(low, high, on_invalid)
    pure = _pure(method, cost)
    sizes = {
        m: interior_size(line.size, epsilon=epsilon, delta=delta, beta=RARE, method=m) for m in ("exponential", method)
    }
    mechanism: Selection = QuantileExponential(cost, line)
    if not pure and (method == "dyadic" or sizes[method] < sizes["exponential"]):
        mechanism = QuantileDyadic(cost, line, kept=len(x))
    return spend(mechanism, x, budget, rng, len(x))


def private_median(
    x: Any,
    *,
    low: Any,
    high: Any,
    epsilon: Number,
    delta: Number = 0,
    method: str = "auto",
    on_invalid: str = "raise",
    budget: Ledger | Account | Budget | None = None,
    rng: Entropy | int | None = None,
) -> Any:
    """A value in the middle of the records: ε-DP, or (ε, δ)-DP by the dyadic method.

    Parameters
    ----------
    x
        One value per record: integers of any width, floats, dates or times, like the bounds.
    low, high
        Public bounds of the possible values, declared, never taken from the records.
    method
        "exponential" (pure), "dyadic" (for huge lines; needs δ > 0) or "auto".
    on_invalid
        What happens to values that are missing or out of bounds: "raise" before anything is spent, or "clamp".

    Examples
    --------
    >>> from datetime import date, timedelta
    >>> private_median([40] * 500 + [41] * 500 + [99] * 9, low=0, high=120, epsilon=1)
    41
    >>> days = [date(2026, 3, 1)] * 1000
    >>> private_median(days, low=date(1900, 1, 1), high=date(2100, 1, 1), epsilon=1)
    datetime.date(2026, 3, 1)
    """
    cost, line = mechanism_budget(epsilon, delta), Line(low, high, on_invalid)
    return spend(quantile_mechanism(cost, line, Fraction(1, 2), len(x), method), x, budget, rng, len(x))
