"""Thresholds and intervals on an ordered line.

Throughout this file
    N      how many values the line has, numbered 0 … N − 1 in order
    t      a cut                    l, r   the ends of an interval

A missing value lies on neither side of a cut and in no interval: its label is False. Constants give every value the
same label. Values outside the declared bounds are compared like all others.

Main declarations
    Threshold     x ≥ t, or x < t
    Interval      l ≤ x ≤ r
    Thresholds    all cuts of a line, in one direction or in both
    Intervals     the empty interval and all others
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from privpac.classes.base import Constant, Family, Hypothesis, Known, Labels, bits_family, value_name
from privpac.classes.drawing import CutLine, Shape
from privpac.classes.matrices import check_room
from privpac.classes.patterns import PatternClass
from privpac.classes.shell import Direction, High, Kind, Low, both_bounds
from privpac.classes.whole_lines import WHOLE, declared_line
from privpac.data.domain import Domain
from privpac.data.line import Line
from privpac.data.refusal import Refused, RefusedType
from privpac.data.values import begun, shown

DIRECTIONS = ("above", "below", "either")


@dataclass(frozen=True)
class Threshold(Hypothesis):
    """x ≥ ``cut`` if ``above``, else x < ``cut``. The sentence shows text up to its first unprintable character.

    >>> late = Threshold(37)
    >>> print(late, late([36, 37, None]))
    x ≥ 37 [False  True False]
    """

    cut: Any
    above: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        Line(self.cut, self.cut)  # refuses a value that has no place on a line

    def __call__(self, column: Any, /) -> Labels:
        sides = Line(self.cut, self.cut).sides(column)
        return np.asarray((sides == 0) | (sides == 1) if self.above else sides == -1)

    @property
    def opposite(self) -> Threshold:
        """The other side of the cut."""
        return Threshold(self.cut, not self.above)

    def sentence(self, *names: str) -> str:
        return f"{value_name(names)} {'≥' if self.above else '<'} {begun(self.cut)}"

    def drawing(self, domain: Domain | None, columns: Sequence[str]) -> tuple[Shape, ...]:
        return (_cut_line(domain, columns, (self.cut,), (not self.above, self.above)),)


@dataclass(frozen=True)
class Interval(Hypothesis):
    """``low`` ≤ x ≤ ``high``.

    >>> print(Interval(37, 52), Interval(37, 52)([36, 37, 52, 53]))
    37 ≤ x ≤ 52 [False  True  True False]
    """

    low: Any
    high: Any

    def __post_init__(self) -> None:
        Line(self.low, self.high)  # refuses invalid ends

    def __call__(self, column: Any, /) -> Labels:
        return np.asarray(Line(self.low, self.high).sides(column) == 0)

    def sentence(self, *names: str) -> str:
        return f"{shown(self.low)} ≤ {value_name(names)} ≤ {shown(self.high)}"

    def drawing(self, domain: Domain | None, columns: Sequence[str]) -> tuple[Shape, ...]:
        return (_cut_line(domain, columns, (self.low, self.high), (False, True, False)),)


@dataclass(frozen=True)
class Thresholds(PatternClass):
    """All cuts of the values from ``low`` to ``high``: integers of any width, floats, decimals, dates, times or text.

    ``kind`` (float64, date, datetime, string) supplies the bounds that are not given. ``direction`` is "above"
    (x ≥ t for every value t, and never), "below" (x < t for every value t, and always), or "either".
    Text is ordered by its characters; as many of them count as the longer bound has, sixteen with ``kind="string"``.

    >>> Thresholds(low=0, high=2**64 - 1).known("Littlestone").value
    64
    >>> [str(h) for h in Thresholds(0, 9).representatives([3, 7])]
    ['x ≥ 3', 'x ≥ 7', 'never']
    >>> from datetime import date
    >>> print(Thresholds(kind="date").hypothesis(date(1999, 9, 4)))
    x ≥ 1999-09-04
    """

    shell_name: ClassVar[str] = "thresholds"
    shell_words: ClassVar[tuple[str, ...]] = ("low", "high", "direction")
    low: Any = field(default=None, compare=False)
    high: Any = field(default=None, compare=False)
    kind: str | None = field(default=None, kw_only=True, compare=False)
    direction: str = field(default="above", kw_only=True)
    _line: Line = field(init=False, repr=False)  # compared in place of its bounds: 0 and 0.0 bound different lines

    def __post_init__(self) -> None:
        if self.direction not in DIRECTIONS:
            raise Refused.must("direction", f"be one of {', '.join(DIRECTIONS)}")
        line = declared_line(self.low, self.high, self.kind)
        for name, value in (("low", line.low), ("high", line.high), ("_line", line)):
            object.__setattr__(self, name, value)

    @classmethod
    def from_shell(cls, low: Low = None, high: High = None, kind: Kind = None, direction: Direction = None) -> Self:
        return cls(*both_bounds(low, high, kind), kind=kind if kind in WHOLE else None, direction=direction or "above")

    def family(self) -> Family:
        return bits_family(self.domain.size, lambda b: Thresholds(0, 2**b - 1, direction=self.direction))

    @property
    def domain(self) -> Line:
        return self._line

    @property
    def size(self) -> int:
        """N + 1 in one direction; 2N in both, since they share always and never."""
        return 2 * self.domain.size if self.direction == "either" else self.domain.size + 1

    def hypothesis(self, cut: Any, above: bool | None = None) -> Hypothesis:
        """x ≥ ``cut``, or x < ``cut`` in the direction "below"; in both directions ``above`` says which.

        >>> print(Thresholds(18, 90).hypothesis(37), "|", Thresholds(18, 90, direction="below").hypothesis(37))
        x ≥ 37 | x < 37
        """
        above = self.direction != "below" if above is None else above
        if self.direction == ("below" if above else "above"):
            raise ValueError(f"this class has direction {self.direction!r}; leave out above, or use direction='either'")
        return self.at(int(self.encode([cut])[0]), above)

    def at(self, t: int, above: bool = True) -> Hypothesis:
        """x ≥ the value with *number* ``t`` (or x < it), 0 ≤ t ≤ N: at either end all values are on the same side.

        >>> print(Thresholds(18, 90).at(0), Thresholds(18, 90).at(1), Thresholds(18, 90).at(73))
        always x ≥ 19 never
        """
        if t in (0, self.domain.size):
            return Constant(above == (t == 0))
        return Threshold(self.decode(t), above)

    def known(self, kind: str) -> Known | None:
        N, either = self.domain.size, self.direction == "either"
        value = {
            "VC": min(2, N) if either else 1,
            "Littlestone": N.bit_length() if either else (N + 1).bit_length() - 1,
            "threshold": N,
            "dual VC": min(1, N - 1),
            "dual Littlestone": N.bit_length() - 1,
            "dual threshold": N,
        }.get(kind)
        return None if value is None else Known(value, "docs/proofs/dimensions.md, Thresholds")

    def shown(self, points: Sequence[Any]) -> tuple[Labels, list[Hypothesis]]:
        """A cut at every point, and one above all; in the second direction only those that add a pattern."""
        codes = self.encode(points).tolist()
        cuts = [*dict.fromkeys(codes), self.domain.size]
        inner = sorted(cuts)[1:-1]
        sides = {"above": [(True, cuts)], "below": [(False, cuts)], "either": [(True, cuts), (False, inner)]}
        chosen = [(t, above) for above, some in sides[self.direction] for t in some]
        check_room(len(chosen), len(codes))
        labels = _ranks(codes, cuts) >= _ranks([t for t, _ in chosen], cuts)[:, None]
        labels ^= np.array([[not above] for _, above in chosen])
        return labels, [self.at(t, above) for t, above in chosen]


@dataclass(frozen=True)
class Intervals(PatternClass):
    """The empty interval and all l ≤ x ≤ r with ``low`` ≤ l ≤ r ≤ ``high``, on any line but text.

    >>> Intervals(1, 111).known("Littlestone").value, Intervals(1, 111).size
    (12, 6217)
    >>> [str(h) for h in Intervals(0, 9).representatives([3, 7])]
    ['never', '3 ≤ x ≤ 3', '3 ≤ x ≤ 7', '7 ≤ x ≤ 7']
    """

    shell_name: ClassVar[str] = "intervals"
    shell_words: ClassVar[tuple[str, ...]] = ("low", "high")
    low: Any = field(compare=False)
    high: Any = field(compare=False)
    _line: Line = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_line", Line(self.low, self.high))
        if self._line.kind == "string":
            only = "intervals of text are not supported: only its beginning counts; use Thresholds or StartsWith"
            raise RefusedType("low", only)

    @classmethod
    def from_shell(cls, low: Low, high: High, kind: Kind = None) -> Self:
        return cls(*both_bounds(low, high, kind))

    def family(self) -> Family:
        return bits_family(self.domain.size, lambda b: Intervals(0, 2**b - 1))

    @property
    def domain(self) -> Line:
        return self._line

    @property
    def size(self) -> int:
        """1 + N(N + 1)/2."""
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

    def hypothesis(self, low: Any, high: Any) -> Interval:
        """``low`` ≤ x ≤ ``high``.

        >>> print(Intervals(0, 99).hypothesis(37, 52))
        37 ≤ x ≤ 52
        """
        self.encode([low, high])
        return Interval(low, high)

    def shown(self, points: Sequence[Any]) -> tuple[Labels, list[Hypothesis]]:
        """The empty interval, and every interval that begins and ends at points."""
        codes = self.encode(points).tolist()
        ends = sorted(set(codes))
        check_room(1 + len(ends) * (len(ends) + 1) // 2, len(codes))
        place, (first, last) = _ranks(codes, ends), np.triu_indices(len(ends))
        labels = (place >= first[:, None]) & (place <= last[:, None])
        values = [self.decode(code) for code in ends]
        intervals = [Interval(values[l], values[r]) for l, r in zip(first.tolist(), last.tolist(), strict=True)]
        return np.vstack([np.zeros_like(labels[:1]), labels]), [Constant(False), *intervals]


def _cut_line(
    domain: Domain | None, columns: Sequence[str], cuts: tuple[Any, ...], labels: tuple[bool, ...]
) -> CutLine:
    return CutLine(domain.line if domain else None, columns[0] if columns else None, cuts, labels)


def _ranks(codes: list[int], among: list[int]) -> NDArray[np.intp]:
    """The ranks of ``codes`` in the order of ``among``: small integers, whatever the codes are."""
    rank = {code: i for i, code in enumerate(sorted(among))}
    return np.array([rank[code] for code in codes])


def _interval_littlestone(N: int) -> int:
    """The largest k with F(k) ≤ N + 1 for F = 2, 3, 5, 7, 10, 14, 20, 28 …, where F(k + 2) = 2·F(k) from k = 3 on."""
    k, least, following = 0, 2, [3, 5, 7]
    while least <= N + 1:
        k, least = k + 1, following.pop(0)
        if k >= 2:
            following.append(2 * least)
    return k
