"""Two logarithmic axes: the position of a point, and the curve through several.

Main declarations
    LogAxes    the box of a drawing and the range of each axis
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, floor, log10


@dataclass(frozen=True)
class LogAxes:
    """A box ``across`` and ``down`` the page that shows the ranges ``xs`` and ``ys``; y increases upward.

    >>> axes = LogAxes((0, 100), (0, 50), (1, 100), (0.1, 10))
    >>> axes.place(10, 1), axes.tens((20, 3000))
    ('50.0,25.0', range(2, 4))
    """

    across: tuple[float, float]  # left, right
    down: tuple[float, float]  # top, bottom
    xs: tuple[float, float]
    ys: tuple[float, float]

    def x(self, value: float) -> float:
        """The horizontal position of ``value``."""
        first, last = map(log10, self.xs)
        return self.across[0] + (self.across[1] - self.across[0]) * (log10(value) - first) / (last - first or 1)

    def y(self, value: float) -> float:
        """The vertical position of ``value``, measured downward."""
        low, high = map(log10, self.ys)
        return self.down[0] + (self.down[1] - self.down[0]) * (high - log10(value)) / (high - low)

    def place(self, x: float, y: float) -> str:
        """A point in SVG notation."""
        return f"{self.x(x):.1f},{self.y(y):.1f}"

    @staticmethod
    def tens(range_: tuple[float, float]) -> range:
        """The exponents of the powers of ten within a range."""
        return range(ceil(log10(range_[0])), floor(log10(range_[1])) + 1)

    def curve(self, points: Iterable[tuple[float, float]], kind: str = "curve", more: str = "") -> str:
        """The line through the points."""
        return f'<polyline class="{kind}"{more} points="{" ".join(self.place(x, y) for x, y in points)}"/>'
