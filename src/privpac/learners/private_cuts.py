"""Private cuts: where columns of any length are cut, so that no stretch between two cuts holds many records.

[MT07] [KSS22]  docs/references.bib        proof: docs/proofs/private_cuts.md

Each line is first zoomed to a stretch that holds most records. Quantiles divide this stretch into bins with about the
same number of records, and equal steps divide each bin. All cuts depend on released answers alone.

Throughout this file
    n      the number of records, public
    D      the tree of quantiles has D levels: 2^D − 1 quantiles, 2^D bins
    G      moving one cut of a rule to one of these cuts changes the labels of at most G records
    ε₂     the part of ε that the quantiles of one line cost

Main declarations
    PrivateCuts    the first number of each cell of each line; pure ε
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import ceil, factorial, log
from typing import Any, ClassVar

from numpy.typing import NDArray

from privpac.data.line import Line
from privpac.data.sample import Sample
from privpac.learners.views.grids import starts
from privpac.mechanisms.adaptive import Algorithm, Ask
from privpac.mechanisms.quantile_tree import MOST_RECORDS, QuantileTree
from privpac.mechanisms.zoom import Held, Zoom
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Records

SHARES = (1, 2)  # of ε: zoom, quantiles
FEWEST = 4  # cells: before and after a stretch, and two bins
CROWD = 3  # a bin must hold as many records as this many times the noise of one level
LONGEST = 2**128  # of a line: beyond that, zooming takes long


@dataclass(frozen=True)
class PrivateCuts(Algorithm):
    """At most ``cells`` cells of each of some lines, by their first numbers.

    ``read`` finds the numbers of the records of a sample on all lines. Privacy: ε, private cuts, Theorem 2.

    >>> import numpy as np
    >>> from privpac.exact.entropy import SYSTEM
    >>> from privpac.privacy.ledger import Opened
    >>> ages = Sample(np.arange(900) % 90, np.ones(900, dtype=bool), None, 900)
    >>> cuts = PrivateCuts(Budget(9), (Line(0, 2**64 - 1),), lambda sample: [sample.points], cells=24)
    >>> (first,) = cuts.release(Opened(ages, 900), SYSTEM)
    >>> first[0], sum(each < 90 for each in first) > 3
    (0, True)
    """

    cost: Budget
    lines: tuple[Line, ...]
    read: Callable[[Sample], Sequence[NDArray[Any]]]
    cells: int
    name: ClassVar[str] = "private cuts"
    theorem: ClassVar[str] = "private cuts, Theorem 2"

    def run(self, data: Records, ask: Ask) -> tuple[tuple[int, ...], ...]:
        found = [self._cells(number, data, ask) for number in range(len(self.lines))]
        return tuple(found)

    def _cells(self, number: int, records: Records, ask: Ask) -> tuple[int, ...]:
        def held(sample: Sample) -> Held:
            return Held.of(self.read(sample)[number], sample.counts, sample.size)

        line, D = self.lines[number], self.levels(records.size)
        low, stop = ask(self.zoom(line), records.see(held))
        taus = tuple(Fraction(i, 2**D) for i in range(1, 2**D))
        quantiles = QuantileTree(self.costs[1], Line(0, stop - low - 1), taus)
        chosen: Counter[int] = Counter(ask(quantiles, records.see(lambda sample: held(sample).within(low, stop))))
        heavy = {low + q + 1 for q, times in chosen.items() if times > 1}  # a value that fills a bin gets its own cell
        cuts = {low, stop, *(low + q for q in chosen), *heavy}  # by value, never by how they split the records
        finer = {each for a, b in pairwise(sorted(cuts)) for each in between(line, a, b, self.steps(D))}
        return tuple(sorted((finer | cuts | {0}) - {line.size}))

    def zoom(self, line: Line) -> Zoom:
        """No further than to a few values a cell."""
        return Zoom(self.costs[0], line.size, max(self.cells.bit_length() - 3, 0))

    def enough(self, n: int) -> bool:
        """Whether n records are enough to zoom, even if spread over the whole line, and not too many for quantiles."""
        return n < MOST_RECORDS and all(self.zoom(line).enough(n) for line in self.lines)

    @cached_property
    def costs(self) -> tuple[Budget, ...]:
        """Of the zoom and of the quantiles of each line."""
        return self.cost.split(len(self.lines))[0].split(SHARES)

    def levels(self, n: int) -> int:
        """D: as many as waste few cells, and as n allows bins that hold more than noise."""
        fits: list[int] = [D for D in range(1, self.cells.bit_length()) if 3 * self.steps(D) * 2**D >= 2 * self.cells]
        return max((D for D in fits if n * self.costs[1].epsilon >= CROWD * 2**D * 2 * D), default=1)

    def steps(self, D: int) -> int:
        """How many equal steps each bin is divided into."""
        return self.cells - 2 >> D

    def most_between(self, n: int, beta: float) -> int:
        """G; exceeded with probability at most β on some line, whatever the records are (private cuts, Theorem 3)."""
        D, share, longest = self.levels(n), beta / (3 * len(self.lines)), max(self.lines, key=lambda line: line.size)
        together = next(j for j in range(1, 200) if factorial(j) >= n / share) - 1  # records in one place
        nats = log(longest.size) + (n.bit_length() + D) * log(2) - log(share)
        e = together + ceil(nats * 2 * D / float(self.costs[1].epsilon))
        return max(self.zoom(longest).outside(share), (n >> D) + 2 * e + 1)


def between(line: Line, low: int, stop: int, steps: int) -> list[int]:
    """The first numbers of at most ``steps`` cells of low … stop − 1; among floats, half of the steps are in value.

    >>> between(Line(0, 99), 40, 60, 4)
    [40, 45, 50, 55]
    """
    part = Line(line.decode(low), line.decode(stop - 1)) if line.by_bits else Line(0, stop - low - 1)
    return [low + int(each) for each in starts(part, steps)]
