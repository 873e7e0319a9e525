"""Private cuts: where columns of any length are cut, so that no stretch between two cuts holds many records.

[MT07] [KSS22]  docs/references.bib        proof: docs/proofs/private_cuts.md

Each line is first zoomed to a stretch that holds most records. Quantiles divide this stretch into bins with about the
same number of records. Each quantile is a cell of its own, and equal steps divide each bin. All cuts depend only on
released answers.

Throughout this file
    n      the number of records, public
    D      the tree of quantiles has D levels: 2^D − 1 quantiles, 2^D bins
    G      a cut of a rule lies between two of these cuts; moving it to the nearer one relabels at most G records
    ρ      a level's share of ε, halved: a quantile that is one record off weighs e^(−ρ) as much
    w      among 2w + 2 records, some neighboring places are at least w·2^b/n apart, b the number of tie bits
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import pairwise
from math import ceil, e, log
from typing import Any, ClassVar

from numpy.typing import NDArray

from privpac.data.domains.domain import Domain
from privpac.data.domains.line import Line
from privpac.data.samples.sample import Sample
from privpac.learners.grids.grids import ColumnPart, cell_starts
from privpac.mechanisms.algorithm import Algorithm, Ask
from privpac.mechanisms.lines.zoom import ValueCounts, Zoom
from privpac.mechanisms.quantiles.several_quantiles import MOST_RECORDS, QuantileTree
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Records

SHARES = (1, 2)  # zoom and quantiles share ε as 1 : 2
FEWEST = 5  # the fewest cells: before and after a stretch, a quantile, and two bins
CROWD = 8  # a bin must hold at least this many times as many records as the noise of the last level
GROWTH = Fraction(3, 2)  # a level costs this many times as much as the level above it, whose errors halve below it
LONGEST = 2**128  # the longest line: beyond that, zooming takes a long time


@dataclass(frozen=True)
class PrivateCuts(Algorithm):
    """The first numbers of at most ``cells`` cells (FEWEST or more) of each of several lines.

    ``read`` gives the numbers of the records of a sample on each line. Privacy: ε, private cuts, Theorem 2.
    """

    cost: Budget
    lines: tuple[Line, ...]
    read: Callable[[Sample], Sequence[NDArray[Any]]]
    cells: int
    name: ClassVar[str] = "private cuts"
    theorem: ClassVar[str] = "private cuts, Theorem 2"

    @staticmethod
    def of_columns(cost: Budget, columns: Sequence[ColumnPart], whole: Domain, cells: int) -> PrivateCuts:
        """The cuts of some columns of the domain ``whole``."""

        def read(sample: Sample) -> list[NDArray[Any]]:
            return [column.codes(sample, whole) for column in columns]

        lines = tuple(line for column in columns if (line := column.domain(whole).line))
        return PrivateCuts(cost, lines, read, cells)

    def run(self, data: Records, ask: Ask) -> tuple[tuple[int, ...], ...]:
        return tuple([self._cells(number, data, ask) for number in range(len(self.lines))])

    def _cells(self, number: int, records: Records, ask: Ask) -> tuple[int, ...]:
        """The first numbers of the cells of the line with this number."""

        def counts(sample: Sample) -> ValueCounts:
            return ValueCounts.of(self.read(sample)[number], sample.counts, sample.size)

        line, D = self.lines[number], self.levels(records.size)
        low, stop = ask(self.zoom(line), records.see(counts))
        taus = tuple(Fraction(i, 2**D) for i in range(1, 2**D))
        quantiles = QuantileTree(self.costs[1], Line(0, stop - low - 1), taus, GROWTH)
        answers = ask(quantiles, records.see(lambda sample: counts(sample).places_within(low, stop)))
        cuts = {low, stop, *(low + q + i for q in answers for i in (0, 1))}  # before and after each quantile
        steps = self.steps(records.size, D)
        finer = {cut for a, b in pairwise(sorted(cuts)) for cut in between(line, a, b, steps)}
        return tuple(sorted((finer | cuts | {0}) - {line.size}))

    def zoom(self, line: Line) -> Zoom:
        """The zoom of a line. Its stretches have at least a quarter as many values as there are cells."""
        return Zoom(self.costs[0], line.size, max(self.cells.bit_length() - 3, 0))

    def enough(self, n: int) -> bool:
        """Whether n records are enough to zoom, even if spread over the whole line, and not too many for quantiles."""
        return n < MOST_RECORDS and all(self.zoom(line).enough(n) for line in self.lines)

    @cached_property
    def costs(self) -> tuple[Budget, ...]:
        """What the zoom and the quantiles of each line cost."""
        return self.cost.split(len(self.lines))[0].split(SHARES)

    def levels(self, n: int) -> int:
        """D: the most levels for which two thirds of the cells are used, and bins hold far more records than noise."""
        cells = no_more_than(n, self.cells)
        steps = {D: self.steps(n, D) for D in range(1, cells.bit_length())}
        fits = [D for D, step_count in steps.items() if step_count > 0 and 3 * (step_count + 1) << D >= 2 * cells]
        return max((D for D in fits if n * level_rates(self.costs[1], D)[-1] >= CROWD << D), default=1)

    def steps(self, n: int, D: int) -> int:
        """How many equal steps divide each bin; each quantile takes a cell of its own."""
        return (no_more_than(n, self.cells) - 1 >> D) - 1

    def most_between(self, n: int, beta: float) -> int:
        """G: some line exceeds it with probability at most β, whatever the records are (private cuts, Theorem 3)."""
        D, share, longest = self.levels(n), beta / (3 * len(self.lines)), max(self.lines, key=lambda line: line.size)
        rates = level_rates(self.costs[1], D)
        noise = [1 / (float(ρ) * (1 << D - 1 - level)) for level, ρ in enumerate(rates)]  # in a bin, by level
        w = ceil(max((log(n) - log(share)) / log(4 / e), sum(noise) / 2))
        log_odds = max(log(longest.size) + n.bit_length() * log(2) - log((w << n.bit_length()) // n), 0.0)
        log_tail = D * log(2) - log(share) - sum(log(1 - level_noise / noise[-1]) for level_noise in noise[:-1])
        bin_size = n / (1 << D) + 2 * (w + 1) + sum(noise) * log_odds + noise[-1] * log_tail
        return max(self.zoom(longest).outside(share), ceil(bin_size / 2))


@lru_cache(maxsize=256)
def level_rates(cost: Budget, D: int) -> tuple[Fraction, ...]:
    """ρ of each level, if all quantiles of a line cost this much."""
    return tuple(share.epsilon / 2 for share in cost.split([GROWTH**level for level in range(D)]))


def no_more_than(n: int, cells: int) -> int:
    """At most one cell for each record, since records could not tell more apart; but enough for private cuts."""
    return min(cells, max(n, FEWEST))


def between(line: Line, low: int, stop: int, steps: int) -> list[int]:
    """The first numbers of at most ``steps`` cells of low … stop − 1; among floats, half of the steps are in value.

    >>> between(Line(0, 99), 40, 60, 4)
    [40, 45, 50, 55]
    """
    part = Line(line.decode(low), line.decode(stop - 1)) if line.by_bits else Line(0, stop - low - 1)
    return [low + int(start) for start in cell_starts(part, steps)]
