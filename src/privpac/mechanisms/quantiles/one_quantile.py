"""One quantile of the records, as one selection, with two methods.

proof: docs/proofs/interior_point.md

Throughout this file
    X       the declared line, as numbers 0 … N − 1; b bits          n    records, public
            (numbers are unsigned integers up to N = 2^64, Python's beyond it)
    L, R    the number of records strictly below a value, and strictly above it
    τ       the wanted quantile (½ for the median)                   m    records in the window around rank τn
    β       the probability that a certificate fails

*Exponential*: every value of the line is a candidate; pure ε; its rank error grows with ln N. *Dyadic*: public-stable
selection over the trie of the m records in the window; (ε, δ); its rank error grows with ln ln N.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privpac.data.domains.line import Line
from privpac.exact.exponential_weights import Integers, Weights
from privpac.mechanisms.lines.dyadic_trie import bits, trie_entries
from privpac.mechanisms.selection.exponential import Menu, Selection, log_at_least, near_first, reach, short_list
from privpac.mechanisms.selection.public_stable import Public, PublicStableExponential, Stable
from privpac.privacy.budget import Budget

LineValue = int | float | Decimal | date | str | np.datetime64  # dates include datetimes


class Runs(NamedTuple):
    """Values of the line in runs of equal L and R: run j has ``lengths[j]`` values from ``starts[j]`` on."""

    starts: Integers
    lengths: Integers
    below: NDArray[np.int64]  # L
    above: NDArray[np.int64]  # R


def runs(ordered: Integers, size: int, first: int = 0, last: int | None = None) -> Runs:
    """The runs at and around records first … last − 1 of the sorted sample: their values, then the gaps beside these.

    >>> r = runs(np.array([2, 2, 5], dtype=np.uint64), 8)
    >>> list(zip(r.starts.tolist(), r.lengths.tolist(), r.below.tolist(), r.above.tolist()))
    [(2, 1, 0, 1), (5, 1, 2, 0), (0, 2, 0, 3), (3, 2, 2, 1), (6, 2, 3, 0)]
    """
    n = len(ordered)
    last = n if last is None else last
    inner = ordered[first:last]
    values = inner[np.concatenate([[True], inner[1:] != inner[:-1]])]
    below, upto = np.searchsorted(ordered, values, side="left"), np.searchsorted(ordered, values, side="right")
    end = np.array([size], dtype=object) if values.dtype.kind == "O" else np.array([size % 2**64], dtype=np.uint64)
    starts, ends = np.concatenate([end * 0, values + 1]), np.concatenate([values, end])  # exact modulo 2^64
    # The gap at either end is left out if records lie beyond it.
    gaps = slice(0 if first == 0 else 1, None if last == n else -1)
    table = Runs(
        np.concatenate([values, starts[gaps]]),
        np.concatenate([values * 0 + 1, (ends - starts)[gaps]]),
        np.concatenate([below, np.append(0, upto)[gaps]]),
        np.concatenate([n - upto, np.append(n - below, 0)[gaps]]),
    )
    return chosen_runs(table, np.asarray(table.lengths != 0))


def chosen_runs(table: Runs, choice: NDArray[np.bool_] | NDArray[np.intp]) -> Runs:
    """The chosen runs, by a mask or by indices."""
    return Runs(*(column[choice] for column in table))


@dataclass(frozen=True)
class Quantile(Selection):
    """One quantile ``tau`` of the records of a declared line, by either method."""

    cost: Budget
    line: Line
    tau: Fraction = Fraction(1, 2)

    def check(self, data: ArrayLike) -> Integers:
        numbers = self.line.encode_all(data)
        if not numbers.size:
            raise ValueError("there are no records; give at least one")
        numbers.sort()
        return numbers

    @abstractmethod
    def rank_error(self, n: int, beta: Fraction) -> int | None:
        """The rank error exceeded with probability at most β on n records; None if none is certified."""


@dataclass(frozen=True)
class QuantileExponential(Quantile):
    """v with probability ∝ r^(−max(L − ⌊τn⌋, R − (n − ⌈τn⌉))); ε-DP."""

    name: ClassVar[str] = "exponential quantile"
    theorem: ClassVar[str] = "interior point, Theorem 1"

    def menu(self, data: Integers) -> Menu:
        n, size, rate, room = len(data), self.line.size, self.cost.epsilon / 2, self.line.room
        at_most, at_least = floor(self.tau * n), ceil(self.tau * n)

        def menu_of(table: Runs) -> Menu:
            scores = -np.maximum(table.below - at_most, table.above - (n - at_least))
            lengths = room.lengths(table.starts, table.lengths)

            def outcome(group: int, member: int) -> LineValue:
                value: LineValue = self.line.decode(room.number_at(room.at(int(table.starts[group])) + member))
                return value

            return Weights(scores, rate, lengths), outcome

        far = reach(room.choices.bit_length(), rate)
        near = runs(data, size, max(at_most - far, 0), min(at_most + far + 1, n))

        def everything() -> Menu:
            full = runs(data, size)
            order = near_first((full.starts >= near.starts.min()) & (full.starts <= near.starts.max()))
            return menu_of(chosen_runs(full, order))

        return menu_of(near) if n <= far else short_list(menu_of(near), everything)

    def rank_error(self, n: int, beta: Fraction) -> int:
        return max(ceil((ln(self.line.room.choices) + ln((1 - beta) / beta)) / (self.cost.epsilon / 2)) - 1, 0)


@dataclass(frozen=True)
class QuantileDyadic(Quantile):
    """Public-stable selection over the trie of a ``window`` of this many records around rank τn; (ε, δ)-DP.

    If the window extends past the sample, the ends of the line stand in for records.
    """

    window: int = 1
    name: ClassVar[str] = "dyadic quantile"
    theorem: ClassVar[str] = "interior point, Theorem 2"

    def menu(self, data: Integers) -> Menu:
        n, m, size = len(data), min(self.window, len(data)), self.line.size
        start = ceil(self.tau * n) - ceil(Fraction(m, 2))
        in_window = _window(data, start, start + m, size)
        values, counts = np.unique(in_window, return_counts=True)
        entries = list(trie_entries([int(v) for v in values], counts.tolist(), bits(size)))
        stable = Stable(
            [entry.splits for entry in entries],
            level=np.zeros(len(entries), dtype=np.int64),
            support=[entry.weight for entry in entries],
            errors=[m - entry.balance for entry in entries],
            counts=[len(entry.splits) for entry in entries],
        )
        table = runs(in_window, size)
        names = [range(int(start), int(start) + int(length)) for start, length in zip(*table[:2], strict=True)]
        public = Public(names, np.maximum(table.below, table.above), table.lengths, -log_at_least(Fraction(size)))
        selection = PublicStableExponential(self.cost, max(bits(size), 1), cap=m)
        weights, number = selection.menu(selection.check(({size // 2: m}, stable, public)))
        return weights, lambda group, member: self.line.decode(min(number(group, member), size - 1))

    def rank_error(self, n: int, beta: Fraction) -> int | None:
        m = min(self.window, n)
        certified = certified_log_odds(m, self.line.size, self.cost) >= ln((1 - beta) / beta)
        return ceil(Fraction(m, 2)) if certified else None


def _window(ordered: Integers, start: int, stop: int, size: int) -> Integers:
    """Records start … stop − 1 of the sorted sample; positions before its start hold 0, those after its end N − 1."""
    n, ends = len(ordered), np.array([0, size - 1], dtype=ordered.dtype)
    padding = np.repeat(ends, [max(0 - start, 0), max(stop - n, 0)])
    return np.sort(np.concatenate([ordered[max(start, 0) : min(stop, n)], padding]))


@lru_cache(maxsize=256)
def certified_log_odds(n: int, size: int, cost: Budget) -> Fraction:
    """A lower bound on ln((1 − β)/β), where β is the probability that n records get no interior point.

    The method is the exponential one if the cost is pure, and the dyadic one otherwise; the line has ``size`` values.
    """
    rate = cost.epsilon / 2
    if not cost.delta:
        return ceil(Fraction(n, 2)) * rate - ln(max(size - 1, 1))
    λ = ln((1 - cost.delta) * max(bits(size), 1) / cost.delta)
    # The minimum below is largest where its two parts are about equal.
    balanced = floor((n + 1 - λ / rate) / 3)
    balances = {min(max(j, 1), (n + 1) // 2) for j in (balanced, balanced + 1)}
    return max(min(j * rate, (n - 2 * j + 1) * rate - λ) for j in balances) - ln(2 * bits(size) + 1)


@lru_cache(maxsize=256)
def ln(value: Fraction | int) -> Fraction:
    """A tight upper bound on the logarithm of a positive number.

    >>> ln(1)
    Fraction(0, 1)
    """
    return Fraction(log_at_least(Fraction(value)))
