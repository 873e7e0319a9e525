"""Two logarithmic axes: where a point stands, and the curve through points.

Main declarations
    LogAxes    the box of a drawing, and the numbers at its sides
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, floor, log10


@dataclass(frozen=True)
class LogAxes:
    """The box from ``left`` to ``right`` and ``top`` to ``bottom`` shows x and y of these ranges; y runs upwards.

    >>> axes = LogAxes((0, 100), (0, 50), (1, 100), (0.1, 10))
    >>> axes.place(10, 1), axes.tens((20, 3000))
    ('50.0,25.0', range(2, 4))
    """

    across: tuple[float, float]  # left, right
    down: tuple[float, float]  # top, bottom
    xs: tuple[float, float]
    ys: tuple[float, float]

    def x(self, value: float) -> float:
        """How far to the right ``value`` stands."""
        first, last = map(log10, self.xs)
        return self.across[0] + (self.across[1] - self.across[0]) * (log10(value) - first) / (last - first or 1)

    def y(self, value: float) -> float:
        """How far down ``value`` stands."""
        low, high = map(log10, self.ys)
        return self.down[0] + (self.down[1] - self.down[0]) * (high - log10(value)) / (high - low)

    def place(self, x: float, y: float) -> str:
        """A point, as SVG writes it."""
        return f"{self.x(x):.1f},{self.y(y):.1f}"

    @staticmethod
    def tens(range_: tuple[float, float]) -> range:
        """The powers of ten within a range, by their exponents."""
        return range(ceil(log10(range_[0])), floor(log10(range_[1])) + 1)

    def curve(self, points: Iterable[tuple[float, float]], kind: str = "curve", more: str = "") -> str:
        """The line through some points."""
        return f'<polyline class="{kind}"{more} points="{" ".join(self.place(x, y) for x, y in points)}"/>'
