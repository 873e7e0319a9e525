"""Intervals of an ordered line.

Throughout this file
    N      the number of values of the line, numbered 0 … N − 1 in order
    l, r   the ends of an interval
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Self

import numpy as np

from privpac.classes.concept_class import Family, Known, bits_family
from privpac.classes.finite.patterns import PatternClass, PatternTable
from privpac.classes.hypothesis import Constant, Value
from privpac.classes.lines.declared_line import call_text, declared_line, ranks
from privpac.classes.lines.rules import Interval
from privpac.classes.matrices import check_matrix_size
from privpac.classes.shell_options import High, Kind, Low, Step, Zone, both_bounds, step_of
from privpac.data.domains.line import Line
from privpac.data.domains.line_steps import StepArgument
from privpac.refusals.refusal import Refused, RefusedType


@dataclass(frozen=True)
class Intervals(PatternClass):
    """The empty interval and all l ≤ x ≤ r with ``low`` ≤ l ≤ r ≤ ``high``, on any line but text.

    Ends are multiples of ``step``, as for :class:`Thresholds`; an interval then holds all values up to its next step.

    >>> Intervals(1, 111).known("Littlestone").value, Intervals(1, 111).size
    (12, 6217)
    >>> [str(h) for h in Intervals(0, 9).representatives([3, 7])]
    ['never', '3 ≤ x ≤ 3', '3 ≤ x ≤ 7', '7 ≤ x ≤ 7']
    """

    shell_name: ClassVar[str] = "intervals"
    shell_words: ClassVar[tuple[str, ...]] = ("low", "high")
    low: Value = field(compare=False)
    high: Value = field(compare=False)
    step: StepArgument | None = field(default=None, kw_only=True, compare=False)
    zone: str | None = field(default=None, kw_only=True, compare=False)
    _line: Line = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_line", declared_line(self.low, self.high, None, self.step, self.zone))
        if self._line.kind == "string":
            only = "intervals of text are not supported: only its beginning counts; use Thresholds or StartsWith"
            raise RefusedType("low", only)

    __repr__ = call_text

    @classmethod
    def from_shell(cls, low: Low, high: High, kind: Kind = None, step: Step = None, zone: Zone = None) -> Self:
        return cls(*both_bounds(low, high, kind), step=step_of(step), zone=zone)

    def family(self) -> Family:
        return bits_family(self.domain.size, lambda b: Intervals(0, 2**b - 1))

    @property
    def domain(self) -> Line:
        return self._line

    @property
    def size(self) -> int:
        return 1 + self.domain.size * (self.domain.size + 1) // 2

    def known(self, kind: str) -> Known | None:
        N = self.domain.size
        if kind == "Littlestone":
            return Known(_interval_littlestone(N), "docs/proofs/dimensions.md, Intervals")
        value = {
            "VC": min(2, N),
            "threshold": N,
            "dual VC": min(2, N.bit_length() - 1),
            "dual Littlestone": N.bit_length() - 1,
            "dual threshold": N,
        }.get(kind)
        return None if value is None else Known(value, "docs/proofs/dimensions.md, Intervals")

    def hypothesis(self, low: Value, high: Value) -> Interval:
        """``low`` ≤ x ≤ ``high``, up to the next step.

        >>> print(Intervals(0, 99).hypothesis(37, 52), "|", Intervals(0, 99, step=0.5).hypothesis(37, 52))
        37 ≤ x ≤ 52 | 37.0 ≤ x < 52.5
        """
        first, last = self.encode([low, high]).tolist()
        if first > last:
            raise Refused("low", "low must not exceed high")
        return self.at(first, last)

    def at(self, first: int, last: int) -> Interval:
        """The interval of all values whose numbers on the line lie between ``first`` and ``last``, inclusive."""
        line = self.domain
        closed = line.step is None or last == line.size - 1
        high = line.high if last == line.size - 1 else line.decode(last if closed else last + 1)
        return Interval(line.decode(first), high, half_open=not closed, places=line.places, zone=line.zone)

    def pattern_table(self, points: Sequence[Value]) -> PatternTable:
        """The empty interval, and every interval that begins and ends at points."""
        codes = self.encode(points).tolist()
        ends = sorted(set(codes))
        check_matrix_size(1 + len(ends) * (len(ends) + 1) // 2, len(codes))
        first, last = np.triu_indices(len(ends))  # an interval for each pair of positions in ``ends``
        place = ranks(codes, ends)
        labels = (place >= first[:, None]) & (place <= last[:, None])
        intervals = [self.at(ends[l], ends[r]) for l, r in zip(first.tolist(), last.tolist(), strict=True)]
        return np.vstack([np.zeros_like(labels[:1]), labels]), [Constant(False), *intervals]


def _interval_littlestone(N: int) -> int:
    """The largest k with F(k) ≤ N + 1 (docs/proofs/dimensions.md, Intervals).

    F(0), F(1), … are 1, 2, 3, 5, 7, 10, 14, 20, 28, …; F(k + 2) = 2·F(k) for k ≥ 3.
    """
    F = [1, 2, 3, 5, 7]
    while F[-1] <= N + 1:
        F.append(2 * F[-2])
    return bisect_right(F, N + 1) - 1
