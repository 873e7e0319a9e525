"""The claims of quantiles, on lines and samples where neighbors come near them.

A quantile loses all of ε where the likely values lose a record on one side and the released value gains it. So most
samples here consist of a few heavy values, and one record moves from one end to the other. δ is used up only if a new
record brings all its candidates and little else is there.

Main declarations
    quantile_cases    all claims
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from privpac.audit.cases import Case, Records
from privpac.data.line import Line
from privpac.mechanisms.quantile_mechanisms import QuantileDyadic, QuantileExponential
from privpac.mechanisms.quantile_tree import QuantileTree, SeparateQuantiles
from privpac.privacy.budget import Budget

QUARTERS = Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)
TAILS = Fraction(1, 10), Fraction(9, 10)
SKEW = TAILS[0], Fraction(1, 2), TAILS[1]
STEEP = Budget(8)  # with this ε, records far away are left out of the list until they matter


def quantile_cases() -> Iterator[Case]:
    """One quantile by two methods, several by one tree, several one by one."""
    yield from _exponential()
    yield from _tree()
    yield from _dyadic()
    yield from _separate()


def _times(*counts: int) -> Records:
    """So many records at 0, 1, 2, …"""
    return tuple(value for value, times in enumerate(counts) for _ in range(times))


def _exponential() -> Iterator[Case]:
    long, ends = Line(0, 999), (0, 998, 999)  # almost all values lie between the records and have the same errors
    for ε in ("0.1", "1", "6"):
        cost = Budget(ε)
        middle, high = QuantileExponential(cost, long), QuantileExponential(cost, long, TAILS[1])
        yield Case(middle, tuple, "median in 0 … 999, 8 more records", ends, 1, cost, crowd=(0,) * 2 + (998,) * 6)
        yield Case(high, tuple, "quantile 0.9 in 0 … 999, 10 more records", ends, 1, cost, crowd=(0,) * 6 + (998,) * 4)
    yield Case(QuantileExponential(STEEP, Line(0, 2)), tuple, "median in 0 … 2", range(3), 15, STEEP)


def _tree() -> Iterator[Case]:
    """In each node that matters, the likely cut lies just before the wanted rank, and the next one far beyond it.

    A record that moves from the first value to the last one makes the likely cuts of all nodes worse and the others
    better, by as much as the bound allows.
    """
    for taus, about, ε, counts in (
        (QUARTERS, "quartiles", 1, (158, 120, 42, 118, 120, 2)),
        (SKEW, "quantiles 0.1, 0.5, 0.9", 1, (160, 440, 220, 308, 70, 10)),
        (SKEW, "quantiles 0.1, 0.5, 0.9", 6, (40, 110, 55, 76, 19, 3)),
    ):
        cost, crowd = Budget(ε), _times(*counts)
        told = f"{about} in 0 … 5, {len(crowd)} more records"
        yield Case(QuantileTree(cost, Line(0, 5), taus), tuple, told, (0, 5), 1, cost, crowd=crowd)
    yield Case(QuantileTree(STEEP, Line(0, 2), QUARTERS), tuple, "quartiles in 0 … 2", range(3), 15, STEEP)


def _dyadic() -> Iterator[Case]:
    """Where ε is used up, and where much of δ is: public values weigh 1 or more, so half of a small δ is not used."""
    of_support: Sequence[tuple[Budget, int, int, tuple[int, ...], Records]] = (
        (Budget(6, "1e-6"), 63, 7, (1, 62), (32,) * 7 + (62,) * 3),
        (Budget(6, "1e-6"), 63, 13, (1, 32), (16,) * 6 + (31,) * 6 + (63,) * 8),
        (Budget(3, "1e-6"), 7, 17, (4, 6), (2,) * 6 + (4,) * 8 + (6,) * 8),
        (Budget(6, "1e-4"), 7, 8, (1, 7), (1,) + (2,) * 6 + (6,) * 9),
    )
    for cost, last, kept, some, crowd in of_support:
        about = f"0 … {last}, {kept} kept, {len(crowd)} more records"
        yield Case(QuantileDyadic(cost, Line(0, last), kept=kept), tuple, about, some, 1, cost, crowd=crowd)
    for cost in (Budget(1, "0.9"), Budget(3, "0.7")):
        yield Case(QuantileDyadic(cost, Line(0, 1023), kept=1), tuple, "0 … 1023, 1 kept", (0, 512), 1, cost)


def _separate() -> Iterator[Case]:
    crowd: Records
    cost = Budget("0.1")
    separate = SeparateQuantiles(cost, Line(0, 99), TAILS, 21, "exponential")
    about, crowd = "quantiles 0.1, 0.9 in 0 … 99, 20 more records", (0,) + (98,) * 19
    yield Case(separate, tuple, about, (0, 50, 99), 1, cost, crowd=crowd)
    near = Fraction(2, 5), Fraction(3, 5)
    for last, some, crowd in ((7, (1, 6), (3,) * 3), (63, (1, 62), (32,) * 7 + (62,) * 3)):
        cost, n = Budget(12, "1e-6"), len(crowd)
        separate = SeparateQuantiles(cost, Line(0, last), near, n + 1, "dyadic")
        about = f"quantiles 0.4, 0.6 in 0 … {last}, {n} more records"
        yield Case(separate, tuple, about, some, 1, cost, crowd=crowd)
