"""Private cuts: where columns of any length are cut, so that no stretch between two cuts holds many records.

[MT07] [KSS22]  docs/references.bib        proof: docs/proofs/private_cuts.md

Each line is first zoomed to a stretch that holds most records. Quantiles divide this stretch into bins with about as many
records each, and equal steps divide each bin. All cuts depend on released answers alone.

Throughout this file
    n      the number of records, public
    D      the tree of quantiles has D levels: 2^D − 1 quantiles, 2^D bins
    G      the most records strictly between two neighboring cuts: in a cell with more than one value
    ε₂     the part of ε that the quantiles of one line cost

Main declarations
    PrivateCuts    the first number of each cell of each line; pure ε
"""

from __future__ import annotations

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
from privpac.mechanisms.quantile_tree import QuantileTree
from privpac.mechanisms.zoom import Held, Zoom
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Records

SHARES = (1, 2)  # of ε: zoom, quantiles
FEWEST = 5  # cells: the ends of a stretch, a quantile and the value after it
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
    >>> ((first, *_, last),) = cuts.release(Opened(ages, 900), SYSTEM)
    >>> first, last
    (0, 128)
    """

    cost: Budget
    lines: tuple[Line, ...]
    read: Callable[[Sample], Sequence[NDArray[Any]]]
    cells: int
    name: ClassVar[str] = "private cuts"
    theorem: ClassVar[str] = "private cuts, Theorem 2"

    def run(self, data: Records, ask: Ask) -> tuple[tuple[int, ...], ...]:
        return tuple(self._cells(number, data, ask) for number in range(len(self.lines)))

    def _cells(self, number: int, records: Records, ask: Ask) -> tuple[int, ...]:
        def held(sample: Sample) -> Held:
            return Held.of(self.read(sample)[number], sample.counts, sample.size)

        line, D = self.lines[number], self.levels(records.size)
        low, stop = ask(Zoom(self.costs[0], line.size), records.see(held))
        stretch, taus = Line(0, stop - low - 1), tuple(Fraction(i, 2**D) for i in range(1, 2**D))
        quantiles = QuantileTree(self.costs[1], stretch, taus)
        chosen = ask(quantiles, records.see(lambda sample: held(sample).within(low, stop)))
        cuts = {low, stop, *(low + q for q in chosen), *(low + q + 1 for q in chosen)}  # by value, never by what they split
        steps = 1 + (self.cells - 1 - 2 * 2**D) // 2**D
        finer = {each for a, b in pairwise(sorted(cuts)) for each in between(line, a, b, steps)}
        return tuple(sorted((finer | cuts | {0}) - {line.size}))

    @cached_property
    def costs(self) -> tuple[Budget, ...]:
        """Of the zoom and of the quantiles of each line."""
        return self.cost.split(len(self.lines))[0].split(SHARES)

    def levels(self, n: int) -> int:
        """D: as many as cells allow, and as n allows bins that hold more than noise."""
        fits = [D for D in range(1, self.cells.bit_length()) if 3 * 2**D + 1 <= self.cells]
        noisy = [D for D in fits if CROWD * 2**D * 2 * D <= n * self.costs[1].epsilon]
        return max(noisy, default=1)

    def most_between(self, n: int, beta: float) -> int:
        """G; exceeded with probability at most β on some line, whatever the records are (private cuts, Theorem 3)."""
        D, share = self.levels(n), beta / (3 * len(self.lines))
        longest = max(line.size for line in self.lines)
        together = next(j for j in range(1, 200) if factorial(j) >= n / share) - 1  # records in one place
        cuts = log(longest) + n.bit_length() * log(2) + D * log(2)
        e = together + ceil((cuts - log(share)) * 2 * D / float(self.costs[1].epsilon))
        return max(Zoom(self.costs[0], longest).outside(share), n // 2**D + 2 * e + 1)


def between(line: Line, low: int, stop: int, steps: int) -> list[int]:
    """The first numbers of at most ``steps`` cells of low … stop − 1; among floats, half of the steps are in value.

    >>> between(Line(0, 99), 40, 60, 4)
    [40, 45, 50, 55]
    """
    part = Line(line.decode(low), line.decode(stop - 1)) if line.kind == "float" else Line(0, stop - low - 1)
    return [low + int(each) for each in starts(part, steps)]
