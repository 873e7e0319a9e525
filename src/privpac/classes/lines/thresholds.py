"""Thresholds and intervals on an ordered line.

Lines declared by their bounds, by a kind, or by both.

Throughout this file
    N      how many values the line has, numbered 0 … N − 1 in order
    t      a cut                    l, r   the ends of an interval

Constants give every value the same label. Values outside the declared bounds are compared like all others. The rules
are those of privpac.classes.lines.rules.
"""

from __future__ import annotations

import sys
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import date, datetime
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from privpac.classes.base import ConceptClass, Constant, Family, Hypothesis, Known, Labels, bits_family
from privpac.classes.finite.patterns import PatternClass
from privpac.classes.lines.rules import Interval, Threshold
from privpac.classes.matrices import check_room
from privpac.classes.shell import Direction, High, Kind, Low, Step, Zone, both_bounds, step_of
from privpac.classes.values.declared import DeclaredCuts
from privpac.data.domains.line import Line
from privpac.data.domains.line_steps import FINEST, GivenStep, usual_step
from privpac.data.values.codes import BOTH
from privpac.refusals.option_words import EndlessKind, ThresholdDirection, one_of
from privpac.refusals.refusal import Refused, RefusedType, Setting

WHOLE: dict[EndlessKind, tuple[Any, Any]] = {
    "float64": (-sys.float_info.max, sys.float_info.max),
    "date": (date.min, date.max),
    "datetime": (datetime.min, datetime.max),
    "string": ("", chr(sys.maxunicode) * 16),  # sixteen characters count
}


def declared_line(
    low: Any, high: Any, kind: EndlessKind | None, step: GivenStep | None = None, zone: str | None = None
) -> Line:
    """The line between the bounds; ``kind`` supplies missing ones. Without a ``step``, it has the usual one.

    >>> declared_line(0, None, "float64").high == sys.float_info.max
    True
    >>> declared_line(0.0, 150.0, None).size, declared_line(0, 9, None, step=2).size
    (1501, 5)
    """
    if kind is None:
        if low is None or high is None:
            raise Refused("low", "declare ", *BOTH, ", or a ", Setting("kind"), f": {', '.join(WHOLE)}")
    else:
        one_of("kind", kind, EndlessKind, "; declare other lines by low and high")
        low, high = (whole if bound is None else bound for bound, whole in zip((low, high), WHOLE[kind], strict=True))
    if isinstance(step, str) and step != FINEST:
        raise Refused.must("step", f"be a number, a duration, or {FINEST!r}")
    given = None if isinstance(step, str) else step
    line = Line(low, high, step=given, zone=zone)
    if kind == "float64" and line.kind == "integer":
        line = Line(float(low), float(high), step=given)
    if kind is not None and line.kind != Line(*WHOLE[kind]).kind:
        raise RefusedType("kind", *BOTH, f" are not of kind {kind}")
    return line if step is not None else replace(line, step=usual_step(line.low, line.high, line.kind))


@dataclass(frozen=True)
class Thresholds(PatternClass):
    """All cuts of the values from ``low`` to ``high``: integers of any width, floats, decimals, dates, times or text.

    ``kind`` (float64, date, datetime, string) supplies the bounds that are not given. ``direction`` is "above"
    (x ≥ t for every value t, and never), "below" (x < t for every value t, and always), or "either".
    Text is ordered by its characters; as many of them count as the longer bound has, sixteen with ``kind="string"``.
    Cuts are multiples of ``step``, a number or a timedelta. By default floats have four significant digits of the
    width, dates the day, times the minute; with ``step="finest"`` every value of the kind is a cut. ``zone`` says which
    clocks show times that come with a zone or an offset (UTC).

    >>> Thresholds(low=0, high=2**64 - 1).known("Littlestone").value
    64
    >>> [str(h) for h in Thresholds(0, 9).representatives([3, 7])]
    ['x ≥ 3', 'x ≥ 7', 'never']
    >>> from datetime import date
    >>> print(Thresholds(kind="date").hypothesis(date(1999, 9, 4)))
    x ≥ 1999-09-04
    >>> print(Thresholds(0, 150, step=0.1).hypothesis(37))
    x ≥ 37.0
    """

    shell_name: ClassVar[str] = "thresholds"
    shell_words: ClassVar[tuple[str, ...]] = ("low", "high", "direction")
    low: Any = field(default=None, compare=False)
    high: Any = field(default=None, compare=False)
    kind: EndlessKind | None = field(default=None, kw_only=True, compare=False)
    direction: ThresholdDirection = field(default="above", kw_only=True)
    step: GivenStep | None = field(default=None, kw_only=True, compare=False)
    zone: str | None = field(default=None, kw_only=True, compare=False)
    _line: Line = field(init=False, repr=False)  # compared in place of its bounds: 0 and 0.0 bound different lines

    def __post_init__(self) -> None:
        one_of("direction", self.direction, ThresholdDirection)
        line = declared_line(self.low, self.high, self.kind, self.step, self.zone)
        for name, value in (("low", line.low), ("high", line.high), ("_line", line)):
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        return _called(self)

    @classmethod
    def from_shell(
        cls,
        low: Low = None,
        high: High = None,
        kind: Kind = None,
        direction: Direction = None,
        *,
        step: Step = None,
        zone: Zone = None,
    ) -> Self:
        """In a shell the direction is not known unless it is said; Thresholds() is the theory's class."""
        ends, whole = both_bounds(low, high, kind), kind if kind in WHOLE else None
        return cls(*ends, kind=whole, direction=direction or "either", step=step_of(step), zone=zone)

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
        return Threshold(self.decode(t), above, places=self.domain.places, zone=self.domain.zone)

    def among(self, values: Sequence[Hashable]) -> ConceptClass:
        """The declared cuts only; they lie above ``low`` and are in order.

        >>> [str(h) for h in Thresholds(0, 120).on("age", values=(18, 65)).representatives({"age": [7, 37, 70]})]
        ['age ≥ 18', 'age ≥ 65']
        """
        return DeclaredCuts(self, values)  # type: ignore[arg-type]

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

    Ends are multiples of ``step``, as for :class:`Thresholds`; an interval then holds all values up to its next step.

    >>> Intervals(1, 111).known("Littlestone").value, Intervals(1, 111).size
    (12, 6217)
    >>> [str(h) for h in Intervals(0, 9).representatives([3, 7])]
    ['never', '3 ≤ x ≤ 3', '3 ≤ x ≤ 7', '7 ≤ x ≤ 7']
    """

    shell_name: ClassVar[str] = "intervals"
    shell_words: ClassVar[tuple[str, ...]] = ("low", "high")
    low: Any = field(compare=False)
    high: Any = field(compare=False)
    step: GivenStep | None = field(default=None, kw_only=True, compare=False)
    zone: str | None = field(default=None, kw_only=True, compare=False)
    _line: Line = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_line", declared_line(self.low, self.high, None, self.step, self.zone))
        if self._line.kind == "string":
            only = "intervals of text are not supported: only its beginning counts; use Thresholds or StartsWith"
            raise RefusedType("low", only)

    def __repr__(self) -> str:
        return _called(self)

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
        """``low`` ≤ x ≤ ``high``, up to the next step.

        >>> print(Intervals(0, 99).hypothesis(37, 52), "|", Intervals(0, 99, step=0.5).hypothesis(37, 52))
        37 ≤ x ≤ 52 | 37.0 ≤ x < 52.5
        """
        first, last = self.encode([low, high]).tolist()
        if first > last:
            raise Refused("low", "low must not exceed high")
        return self.at(first, last)

    def at(self, first: int, last: int) -> Interval:
        """The interval of all values with *numbers* from ``first`` to ``last``.

        >>> print(Intervals(0, 99).at(37, 52))
        37 ≤ x ≤ 52
        """
        line = self.domain
        ended = line.step is None or last == line.size - 1
        high = line.high if last == line.size - 1 else line.decode(last if ended else last + 1)
        return Interval(line.decode(first), high, half_open=not ended, places=line.places, zone=line.zone)

    def shown(self, points: Sequence[Any]) -> tuple[Labels, list[Hypothesis]]:
        """The empty interval, and every interval that begins and ends at points."""
        codes = self.encode(points).tolist()
        ends = sorted(set(codes))
        check_room(1 + len(ends) * (len(ends) + 1) // 2, len(codes))
        place, (first, last) = _ranks(codes, ends), np.triu_indices(len(ends))
        labels = (place >= first[:, None]) & (place <= last[:, None])
        intervals = [self.at(ends[l], ends[r]) for l, r in zip(first.tolist(), last.tolist(), strict=True)]
        return np.vstack([np.zeros_like(labels[:1]), labels]), [Constant(False), *intervals]


def _called(concept_class: Thresholds | Intervals) -> str:
    """The call that makes the class, with everything that was said."""
    said = {part.name: getattr(concept_class, part.name) for part in fields(concept_class) if part.repr}
    given = ", ".join(f"{name}={value!r}" for name, value in said.items() if value is not None)
    return f"{type(concept_class).__name__}({given})"


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
