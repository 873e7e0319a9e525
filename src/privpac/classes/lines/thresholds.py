"""Thresholds on an ordered line.

Throughout this file
    N      the number of values of the line, numbered 0 … N − 1 in order
    t      a cut; its number is that of the first value at or above it, N if there is none

Values outside the declared bounds are compared like all others.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Self

import numpy as np

from privpac.classes.concept_class import ConceptClass, Family, Known, bits_family
from privpac.classes.finite.patterns import PatternClass, PatternTable
from privpac.classes.hypothesis import Constant, Hypothesis, Value
from privpac.classes.lines.declared_line import ENDS, call_text, declared_line, ranks
from privpac.classes.lines.rules import Threshold
from privpac.classes.matrices import check_matrix_size
from privpac.classes.shell_options import Direction, High, Kind, Low, Step, Zone, both_bounds, step_of
from privpac.classes.values.declared_values import DeclaredCuts
from privpac.data.domains.line import Line
from privpac.data.domains.line_steps import StepArgument
from privpac.refusals.option_words import ThresholdDirection, UnboundedKind, one_of


@dataclass(frozen=True)
class Thresholds(PatternClass):
    """All cuts of the values from ``low`` to ``high``: integers of any width, floats, decimals, dates, times or text.

    ``kind`` (float64, date, datetime, string) supplies the bounds that are not given. ``direction`` is "above" (x ≥ t
    for every value t, and never) or "below" (x < t for every value t, and always) if it is known; the default is
    "either".
    Text is ordered by its characters; only the first ones count, as many as the longer bound has (sixteen with
    ``kind="string"``).
    Cuts are multiples of ``step``, a number or a timedelta. By default, floats have the step of the fourth digit of
    ``high`` − ``low`` (0.1 if that is 150; none if it exceeds 10^12), dates a day, and times a minute. With
    ``step="finest"``, every value of the kind is a cut. ``zone`` is the time zone to which times with a zone or an
    offset are converted (default: UTC).

    >>> Thresholds(low=0, high=2**64 - 1, direction="above").known("Littlestone").value
    64
    >>> [str(h) for h in Thresholds(0, 9, direction="above").representatives([3, 7])]
    ['x ≥ 3', 'x ≥ 7', 'never']
    >>> from datetime import date
    >>> print(Thresholds(kind="date").hypothesis(date(1999, 9, 4)))
    x ≥ 1999-09-04
    >>> print(Thresholds(0, 150, step=0.1).hypothesis(37))
    x ≥ 37.0
    """

    shell_name: ClassVar[str] = "thresholds"
    shell_words: ClassVar[tuple[str, ...]] = ("low", "high", "direction")
    low: Value = field(default=None, compare=False)
    high: Value = field(default=None, compare=False)
    kind: UnboundedKind | None = field(default=None, kw_only=True, compare=False)
    direction: ThresholdDirection = field(default="either", kw_only=True)
    step: StepArgument | None = field(default=None, kw_only=True, compare=False)
    zone: str | None = field(default=None, kw_only=True, compare=False)
    _line: Line = field(init=False, repr=False)  # compared in place of its bounds: 0 and 0.0 bound different lines

    def __post_init__(self) -> None:
        one_of("direction", self.direction, ThresholdDirection)
        line = declared_line(self.low, self.high, self.kind, self.step, self.zone)
        for name, value in (("low", line.low), ("high", line.high), ("_line", line)):
            object.__setattr__(self, name, value)

    __repr__ = call_text

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
        bounds = both_bounds(low, high, kind)
        unbounded = kind if kind in ENDS else None  # the bounds alone show every other kind
        return cls(*bounds, kind=unbounded, direction=direction or "either", step=step_of(step), zone=zone)

    def family(self) -> Family:
        return bits_family(self.domain.size, lambda b: Thresholds(0, 2**b - 1, direction=self.direction))

    @property
    def domain(self) -> Line:
        return self._line

    @property
    def size(self) -> int:
        """N + 1 in one direction; 2N in both, since they share always and never."""
        return 2 * self.domain.size if self.direction == "either" else self.domain.size + 1

    def hypothesis(self, cut: Value, above: bool | None = None) -> Hypothesis:
        """x ≥ ``cut``, or x < ``cut`` in the direction "below"; if the direction is "either", ``above`` says which.

        >>> print(Thresholds(18, 90).hypothesis(37), "|", Thresholds(18, 90, direction="below").hypothesis(37))
        x ≥ 37 | x < 37
        """
        above = self.direction != "below" if above is None else above
        if self.direction == ("below" if above else "above"):
            remedy = "leave out the argument 'above', or use direction='either'"
            raise ValueError(f"this class has direction {self.direction!r}; {remedy}")
        return self.at(int(self.encode([cut])[0]), above)

    def at(self, t: int, above: bool = True) -> Hypothesis:
        """x ≥ the value with number ``t`` (or x < it). For t = 0 and t = N, all values are on the same side.

        >>> print(Thresholds(18, 90).at(0), Thresholds(18, 90).at(1), Thresholds(18, 90).at(73))
        always x ≥ 19 never
        """
        if t in (0, self.domain.size):
            return Constant(above == (t == 0))
        return Threshold(self.decode(t), above, places=self.domain.places, zone=self.domain.zone)

    def among(self, values: Sequence[Hashable]) -> ConceptClass:
        """The declared cuts only; they lie above ``low`` and are in order."""
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

    def pattern_table(self, points: Sequence[Value]) -> PatternTable:
        """A cut at every point, and one above them all.

        If the direction is "either", x < t is listed only for the cuts that add a pattern.
        """
        codes = self.encode(points).tolist()
        cuts = [*dict.fromkeys(codes), self.domain.size]
        inner = sorted(cuts)[1:-1]
        sides = {"above": [(True, cuts)], "below": [(False, cuts)], "either": [(True, cuts), (False, inner)]}
        chosen = [(t, above) for above, side_cuts in sides[self.direction] for t in side_cuts]
        check_matrix_size(len(chosen), len(codes))
        labels = ranks(codes, cuts) >= ranks([t for t, _ in chosen], cuts)[:, None]
        labels ^= np.array([[not above] for _, above in chosen])
        return labels, [self.at(t, above) for t, above in chosen]
