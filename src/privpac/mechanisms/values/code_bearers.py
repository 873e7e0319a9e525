"""Records that bear codes: which records bear which codes, and how many of them are positive.

Throughout this file
    entry     equal records of a sample
    v         the number of a code; codes with more positive records come first
    H         a number of codes
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

    ``pos[v]`` positive records bear code v, whose name is ``codes[v]``. Codes that no positive record bears are left
    out: their number is −1, and so is that of an empty place of a row. P is the number of all positive records.
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
        all_codes = list(chain.from_iterable(cells))
        names = sorted(set(all_codes))
        index = {name: i for i, name in enumerate(names)}
        code = np.fromiter(map(index.__getitem__, all_codes), np.int64, len(all_codes))
        lengths = np.fromiter(map(len, cells), np.int64, len(cells))
        entry = np.repeat(np.arange(len(cells)), lengths)
        pos = np.zeros(len(names), dtype=np.int64)
        np.add.at(pos, code, (counts * sample.labels)[entry])
        order = np.argsort(-pos, kind="stable")[: np.count_nonzero(pos)]
        v_of = np.full(len(names), -1, dtype=np.int64)
        v_of[order] = np.arange(len(order))
        column = np.arange(len(code)) - np.repeat(np.cumsum(lengths) - lengths, lengths)  # of a code in its row
        number = np.full((len(cells), lengths.max(initial=0)), -1, dtype=np.int64)
        number[entry, column] = v_of[code]
        zeros, ones = np.where(sample.labels, 0, counts), np.where(sample.labels, counts, 0)
        return Bearers([names[i] for i in order], pos[order], number, zeros, ones, sample.positives)

    def errors(self, A: tuple[int, ...]) -> int:
        """The errors of the rule that labels 1 the records that bear a code of A."""
        positive = np.unique(np.concatenate([self.entries(v) for v in A])) if A else np.empty(0, dtype=np.int64)
        return self.P + int((self.zeros - self.ones)[positive].sum())

    def entries(self, v: int) -> NDArray[np.intp]:
        """The entries that bear v."""
        by_code, first = self._by_code
        return by_code[first[v] : first[v + 1]]

    def bearer_counts(self, entries: NDArray[np.intp]) -> tuple[Ints, Ints]:
        """For each code, how many negative and positive records of these entries bear it."""
        counts = np.zeros((2, len(self.codes) + 1), dtype=np.int64)  # the last place is for codes that are left out
        for label, records in enumerate((self.zeros, self.ones)):
            np.add.at(counts[label], self.number[entries], records[entries][:, None])
        return counts[0, :-1], counts[1, :-1]

    @cached_property
    def _by_code(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The entries in the order of their codes, and where each code begins."""
        codes = self.number.ravel()
        order = np.argsort(codes, kind="stable")
        return order // max(self.number.shape[1], 1), np.searchsorted(codes[order], np.arange(len(self.codes) + 1))

    def first(self, H: int) -> Bearers:
        """The records with the first H codes only: one entry for each combination of these that occurs."""
        number = np.sort(np.where(self.number < H, self.number, -1), axis=1)
        bearing = number.max(axis=1, initial=-1) >= 0
        distinct, where = np.unique(number[bearing], axis=0, return_inverse=True)
        zeros, ones = np.zeros((2, len(distinct)), dtype=np.int64)
        np.add.at(zeros, where.reshape(-1), self.zeros[bearing])
        np.add.at(ones, where.reshape(-1), self.ones[bearing])
        return Bearers(self.codes[:H], self.pos[:H], distinct, zeros, ones, self.P)

    def shared(self, k: int) -> Ints | None:
        """An array of k rows: ``shared[q, v]`` bounds how many negative records v shares with q rarer codes.

        It counts the negative records that bear v and one of the q codes, once for each of these codes. It is largest
        over all choices of q codes that fewer negative records bear than v. None if counting takes too long.
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
        pair = (u >= 0) & (w >= 0)
        u, w, times = u[pair], w[pair], np.repeat(times, len(places[0]))[pair]
        common, rare = np.where(rank[u] > rank[w], (u, w), (w, u))  # borne by more, and by fewer negative records
        distinct, where = np.unique(common * H + rare, return_inverse=True)
        counts = np.zeros(len(distinct), dtype=np.int64)
        np.add.at(counts, where, times)
        order = np.lexsort((-counts, distinct // H))  # for each code, the largest counts first
        code, counts = (distinct // H)[order], counts[order]
        place = np.arange(len(code)) - np.searchsorted(code, code)
        for q in range(1, k):
            shared[q] = shared[q - 1]
            shared[q, code[place == q - 1]] += counts[place == q - 1]
        return shared
