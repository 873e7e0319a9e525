"""Records that bear codes: which records bear which codes, and how many of them are positive.

Throughout this file
    entry     equal records of a sample        v    a code, by its number
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from privpac.data.samples.sample import Ints, Sample

MOST_PAIRS = 2 * 10**7  # the most pairs of codes, over all records, that are counted


@dataclass(frozen=True, eq=False)
class Bearers:
    """Entry i bears the codes ``number[i]`` and stands for ``zeros[i]`` and ``ones[i]`` records with label 0 and 1.

    Codes that no positive record bears are left out (−1); the others are numbered by ``pos``, the positive records that
    bear them, largest first. P is the number of all positive records.
    """

    codes: list[str]
    pos: Ints
    number: NDArray[np.int64]
    zeros: Ints
    ones: Ints
    P: int

    @staticmethod
    def of(sample: Sample) -> Bearers:
        """The records as a learner sees them: points are tuples of codes."""
        counts = np.ones(len(sample.labels), dtype=np.int64) if sample.counts is None else sample.counts
        cells = sample.points.tolist()
        borne = list(chain.from_iterable(cells))
        names = sorted(set(borne))
        code = np.fromiter(
            map(dict(zip(names, range(len(names)), strict=True)).__getitem__, borne), np.int64, len(borne)
        )
        lengths = np.fromiter(map(len, cells), np.int64, len(cells))
        entry = np.repeat(np.arange(len(cells)), lengths)
        pos = np.zeros(len(names), dtype=np.int64)
        np.add.at(pos, code, (counts * sample.labels)[entry])
        ordered = np.argsort(-pos, kind="stable")[: np.count_nonzero(pos)]
        place = np.full(len(names), -1, dtype=np.int64)
        place[ordered] = np.arange(len(ordered))
        number = np.full((len(cells), lengths.max(initial=0)), -1, dtype=np.int64)
        number[entry, np.arange(len(code)) - np.repeat(np.cumsum(lengths) - lengths, lengths)] = place[code]
        zeros, ones = np.where(sample.labels, 0, counts), np.where(sample.labels, counts, 0)
        return Bearers([names[i] for i in ordered], pos[ordered], number, zeros, ones, sample.positives)

    def errors(self, chosen: tuple[int, ...]) -> int:
        """The errors of the rule that labels 1 the records that bear one of these codes."""
        hit = np.unique(np.concatenate([self.entries(v) for v in chosen])) if chosen else np.empty(0, dtype=np.int64)
        return self.P + int((self.zeros - self.ones)[hit].sum())

    def entries(self, v: int) -> NDArray[np.intp]:
        """The entries that bear v."""
        by_code, first = self._by_code
        return by_code[first[v] : first[v + 1]]

    def bearer_counts(self, entries: NDArray[np.intp]) -> tuple[Ints, Ints]:
        """For each code, how many negative and positive records of these entries bear it."""
        both = np.zeros((2, len(self.codes) + 1), dtype=np.int64)  # the last place is for codes that are left out
        for counts, records in zip(both, (self.zeros, self.ones), strict=True):
            np.add.at(counts, self.number[entries], records[entries][:, None])
        return both[0, :-1], both[1, :-1]

    @cached_property
    def _by_code(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The entries in the order of their codes, and where each code begins."""
        codes = self.number.ravel()
        order = np.argsort(codes, kind="stable")
        return order // max(self.number.shape[1], 1), np.searchsorted(codes[order], np.arange(len(self.codes) + 1))

    def first(self, H: int) -> Bearers:
        """The first H codes only, with entries that bear the same of them joined."""
        number = np.sort(np.where(self.number < H, self.number, -1), axis=1)
        some = number.max(axis=1, initial=-1) >= 0
        distinct, where = np.unique(number[some], axis=0, return_inverse=True)
        zeros, ones = np.zeros((2, len(distinct)), dtype=np.int64)
        np.add.at(zeros, where.reshape(-1), self.zeros[some])
        np.add.at(ones, where.reshape(-1), self.ones[some])
        return Bearers(self.codes[:H], self.pos[:H], distinct, zeros, ones, self.P)

    def shared(self, k: int) -> Ints | None:
        """For q < k, at most ``shared[q, v]`` negative records bear v and one of q codes that fewer negative ones bear.

        A record counts once for each of the q codes. None if that would take too long to count.
        """
        negative, times, H = self.number[self.zeros > 0], self.zeros[self.zeros > 0], len(self.codes)
        width = negative.shape[1]
        if len(negative) * width * (width - 1) // 2 > MOST_PAIRS:
            return None
        shared, rank = np.zeros((k, H), dtype=np.int64), np.empty(H, dtype=np.int64)
        rank[np.argsort(self.bearer_counts(np.arange(len(self.zeros)))[0], kind="stable")] = np.arange(H)
        if not len(negative) or width < 2 or not H:  # wide positive records alone must not fill the memory with pairs
            return shared
        places = np.triu_indices(width, 1)
        u, w = (negative[:, place].ravel() for place in places)
        both = (u >= 0) & (w >= 0)
        u, w, times = u[both], w[both], np.repeat(times, len(places[0]))[both]
        more, fewer = np.where(rank[u] > rank[w], (u, w), (w, u))
        distinct, where = np.unique(more * H + fewer, return_inverse=True)
        counts = np.zeros(len(distinct), dtype=np.int64)
        np.add.at(counts, where, times)
        order = np.lexsort((-counts, distinct // H))  # for each code, the largest counts first
        code, counts = (distinct // H)[order], counts[order]
        place = np.arange(len(code)) - np.searchsorted(code, code)
        for q in range(1, k):
            shared[q] = shared[q - 1]
            shared[q, code[place == q - 1]] += counts[place == q - 1]
        return shared
