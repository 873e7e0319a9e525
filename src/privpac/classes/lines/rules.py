"""Rules about the place of a value on a line: cuts and intervals.

A missing value lies on neither side of a cut and in no interval: its label is False. In a column of floats, a cut is
compared as the nearest float. Times with a zone are compared as clocks in the zone of the rule show them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from privpac.classes.hypothesis import Column, Hypothesis, Labels, Value, value_name
from privpac.classes.picture_shapes import CutLine, Shape
from privpac.data.domains.domain import Domain
from privpac.data.domains.line import Line
from privpac.data.values.value_text import readable_bound, readable_cut

OPPOSITE = {"≥": "<", ">": "≤"}


@dataclass(frozen=True)
class Threshold(Hypothesis):
    """x ≥ ``cut`` if ``above``, else x < ``cut``.

    If the cut is a text that nobody can read, the sentence shows a readable one that separates the same readable texts.

    >>> late = Threshold(37)
    >>> print(late, late([36, 37, None]))
    x ≥ 37 [False  True False]
    """

    cut: Value
    above: bool = True
    places: int | None = field(default=None, kw_only=True, compare=False)  # decimals that the sentence shows
    zone: str | None = field(default=None, kw_only=True)  # the zone whose clocks show the times; None: UTC

    def __post_init__(self) -> None:
        super().__post_init__()
        Line(self.cut, self.cut, zone=self.zone)  # refuses a value that has no place on a line

    def __call__(self, column: Column, /) -> Labels:
        sides = Line(self.cut, self.cut, zone=self.zone).sides(column)  # −1 below the cut, 0 at it, 1 above, 2 missing
        return np.asarray((sides == 0) | (sides == 1) if self.above else sides == -1)

    @property
    def opposite(self) -> Threshold:
        """The other side of the cut."""
        return replace(self, above=not self.above)

    def sentence(self, *names: str) -> str:
        sign, cut = self.inequality
        return f"{value_name(names)} {sign if self.above else OPPOSITE[sign]} {cut}{_zone_suffix(self.zone)}"

    @property
    def inequality(self) -> tuple[str, str]:
        """The sign "≥" or ">" that the sentence shows, and the cut, readable."""
        return readable_cut(self.cut) if isinstance(self.cut, str) else ("≥", readable_bound(self.cut, self.places))

    def drawing(self, domain: Domain | None, columns: Sequence[str]) -> tuple[Shape, ...]:
        return (_cut_line(domain, columns, (self.cut,), (not self.above, self.above)),)


@dataclass(frozen=True)
class Interval(Hypothesis):
    """``low`` ≤ x ≤ ``high``, or ``low`` ≤ x < ``high`` if it is ``half_open``.

    >>> print(Interval(37, 52), Interval(37, 52)([36, 37, 52, 53]))
    37 ≤ x ≤ 52 [False  True  True False]
    >>> print(Interval(0.5, 0.75, half_open=True, places=2))
    0.50 ≤ x < 0.75
    """

    low: Value
    high: Value
    half_open: bool = field(default=False, kw_only=True)
    places: int | None = field(default=None, kw_only=True, compare=False)  # decimals that the sentence shows
    zone: str | None = field(default=None, kw_only=True)  # the zone whose clocks show the times; None: UTC

    def __post_init__(self) -> None:
        super().__post_init__()
        Line(self.low, self.high, zone=self.zone)  # refuses invalid ends

    def __call__(self, column: Column, /) -> Labels:
        if self.half_open:
            above, below = Threshold(self.low, zone=self.zone), Threshold(self.high, above=False, zone=self.zone)
            return above(column) & below(column)
        return np.asarray(Line(self.low, self.high, zone=self.zone).sides(column) == 0)

    def sentence(self, *names: str) -> str:
        low, high = (readable_bound(end, self.places) for end in (self.low, self.high))
        return f"{low} ≤ {value_name(names)} {'<' if self.half_open else '≤'} {high}{_zone_suffix(self.zone)}"

    def drawing(self, domain: Domain | None, columns: Sequence[str]) -> tuple[Shape, ...]:
        return (_cut_line(domain, columns, (self.low, self.high), (False, True, False)),)


def _zone_suffix(zone: str | None) -> str:
    return "" if zone is None else f" ({zone})"


def _cut_line(
    domain: Domain | None, columns: Sequence[str], cuts: tuple[Value, ...], labels: tuple[bool, ...]
) -> CutLine:
    return CutLine(domain.line if domain else None, columns[0] if columns else None, cuts, labels)
