"""Counts of the cells of a line, in two or three rounds. No record is read here.

With few records, yes-or-no answers of a tree cost more than they tell. Here every round counts cells that cover the
whole line. The first cells are groups of magnitudes. Then cells that hold many records are cut, and neighbors that hold
few are counted together. In the end, all noisy counts of all rounds are put together.

Throughout this file
    edges        where cells begin, in order, and where the last one ends; records beside the line, if there may be
                 some, have a last cell of their own, beyond the line
    magnitude    the values whose distance from the origin of the line lies between two powers of two
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import floor, sqrt
from typing import NamedTuple

import numpy as np

from privpac.mechanisms.lines.line_tree import LineTree
from privpac.release.postprocessing.consistency import Floats, nonnegative

Edges = tuple[int, ...]
FIRST_CELLS = 16  # about how many cells the first round counts
MOST_PARTS = 16  # parts of a cell that holds all records
HEAVY = 0.25  # cells with at least this share of n are cut
MOST_OF_NEIGHBORS = 0.2  # cells that are counted together hold at most this share of n
FAR = 3.5  # standard deviations; noise hardly ever exceeds them
STEPS = 200  # steps of the descent


class RoundPlan(NamedTuple):
    """The ``edges`` of the first cells, and the share of ε of each round."""

    edges: Edges
    shares: tuple[Fraction, ...]

    @staticmethod
    def of(tree: LineTree) -> RoundPlan:
        """First cells that group equally many magnitudes each, from the ends of the line inward; two or three rounds.

        >>> RoundPlan.of(LineTree(2**16)).edges
        (0, 1, 4, 16, 64, 256, 1024, 4096, 16384, 65536)
        >>> [[float(share) for share in RoundPlan.of(LineTree(2**bits)).shares] for bits in (16, 64)]
        [[0.3, 0.7], [0.2, 0.3, 0.5]]
        """
        ends = [0, *tree.magnitudes(), tree.size]
        per_cell = -(-(len(ends) - 1) // FIRST_CELLS)  # magnitudes in a cell
        # ``below`` and ``above`` go outward from the origin. Every per_cell-th end is an edge, counted from outside in.
        below, above = ([end for end in ends if (end - tree.origin) * side >= 0][::side] for side in (-1, 1))
        edges = tuple(sorted({tree.origin, *below[::-per_cell], *above[::-per_cell]}))
        return RoundPlan(edges, tuple(Fraction(tenth, 10) for tenth in ((3, 7) if per_cell <= 2 else (2, 3, 5))))


class Round(NamedTuple):
    """Noisy counts of cells, and the variance of their noise."""

    edges: Edges
    counts: tuple[int, ...]
    variance: float


def nearest(rounds: Sequence[Round], n: int) -> tuple[Edges, Floats]:
    """The finest cells, and their counts by least squares: not negative, n in all, nearest to the counts of all rounds.

    Squares are weighted by their precision. The descent is accelerated, and each step is projected to possible counts.

    >>> nearest([Round((0, 4, 8), (90, 12), 1.0), Round((0, 2, 4, 8), (88, -7, 9), 1.0)], 100)[1].round(1).tolist()
    [89.2, 0.0, 10.8]
    """
    edges = tuple(sorted({edge for one_round in rounds for edge in one_round.edges}))
    finest = min(one_round.variance for one_round in rounds)
    place = {edge: i for i, edge in enumerate(edges)}
    system, wanted = np.zeros((len(edges) - 1, len(edges) - 1)), np.zeros(len(edges) - 1)
    for one_round in rounds:
        for count, (start, stop) in zip(one_round.counts, pairwise(one_round.edges), strict=True):
            inside = slice(place[start], place[stop])
            system[inside, inside] += finest / one_round.variance
            wanted[inside] += count * finest / one_round.variance
    step = 1 / float(np.linalg.eigvalsh(system)[-1])
    counts = ahead = np.full(len(wanted), n / len(wanted))
    for k in range(STEPS):
        possible = nonnegative(ahead - step * (system @ ahead - wanted), n)
        before, counts = counts, np.minimum(possible, n)  # noise far above n must not leave more by rounding
        ahead = counts + k / (k + 3) * (counts - before)
    return edges, counts


def cut_again(tree: LineTree, edges: Edges, counts: Floats, n: int) -> Edges:
    """The edges of the next round: heavy cells are cut, in more parts if they are heavier, and light neighbors merged.

    >>> cut_again(LineTree(2**16), (0, 256, 1024, 4096, 2**16), np.array([9.0, 9.0, 60.0, 22.0]), 100)
    (0, 1024, 1365, 1706, 2048, 2730, 3413, 4096, 65536)
    """
    new, in_group = [edges[0]], 0.0  # the edges so far; how many records lie in light cells after the last of them
    for (start, stop), count in zip(pairwise(edges), counts.tolist(), strict=True):
        parts = min(round(MOST_PARTS * (count / max(n, 1)) ** 2), stop - start) if count >= HEAVY * n else 1
        if parts > 1:
            new, in_group = [*new, *_parts(tree, start, stop, parts)], 0.0
            continue
        if in_group + count > MOST_OF_NEIGHBORS * n:
            new, in_group = [*new, start], 0.0
        in_group += count
        if stop >= tree.size:
            new, in_group = [*new, stop], 0.0
    return tuple(sorted({*new, edges[-1]}))


def _parts(tree: LineTree, start: int, stop: int, parts: int) -> list[int]:
    """The edges of about ``parts`` parts: groups of magnitudes, or even parts of each of them."""
    ends = [start, *(end for end in tree.magnitudes() if start < end < stop), stop]
    if len(ends) > parts:
        return [ends[round(i * (len(ends) - 1) / parts)] for i in range(parts + 1)]
    per_magnitude = parts // (len(ends) - 1)
    shares = [Fraction(i, per_magnitude) for i in range(per_magnitude + 1)]
    return [low + floor((high - low) * share) for low, high in pairwise(ends) for share in shares]


def all_even(one_round: Round, size: int, n: int) -> bool:
    """Whether the noisy counts of a round look like those of records that lie evenly on the line.

    For every i, the sum of the first i counts must be within FAR standard deviations of its noise.

    >>> [all_even(Round((0, 2, 4, 8), counts, 18.0), 8, 100) for counts in ((22, 27, 51), (22, 77, 1))]
    [True, False]
    """
    m, even = len(one_round.counts), np.diff([n * (edge / size) for edge in one_round.edges])
    apart = np.array(one_round.counts) - even
    # Less their mean, m noises add up to 0, and the sum of i of them has i·(m − i)/m times the variance of one noise.
    sums, i = np.cumsum(apart - apart.mean())[:-1], np.arange(1, m)
    return bool((np.abs(sums) <= FAR * sqrt(one_round.variance) * np.sqrt(i * (m - i) / m)).all())
