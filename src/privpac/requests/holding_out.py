"""Held-out records: learning does not see them, and the error of the released rule is measured on them.

proof: docs/proofs/holding_out.md

How many records are held out is public, and coins that look at no record choose which. A record is in one of the two
parts, so it pays for learning or for measuring, never for both. With units, whole units are held out, and one record of
each is measured: the records measured are then independent if units are, and one unit moves two counts by 1. Records
that do not fit are divided like all others, and measured.

Throughout this file
    n, k     the number of records, and of records that count per unit           m    how many units are held out
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from privpac.data.domains.domain import Domain
from privpac.data.samples.sample import NO_VOID, Ints, Sample, Void
from privpac.exact.entropy import Entropy
from privpac.exact.subsets import chosen_of
from privpac.privacy.disjoint_parts import sample_parts
from privpac.privacy.ledger import Sealed

SHARE = 5  # one in five


class HeldOutSizes(NamedTuple):
    """How many records are learned from, and how many are measured.

    >>> HeldOutSizes.of(1002), HeldOutSizes.of(1002, k=3)
    (HeldOutSizes(learned=802, held=200), HeldOutSizes(learned=804, held=66))
    """

    learned: int
    held: int

    @staticmethod
    def of(n: int, k: int = 1) -> HeldOutSizes:
        """The sizes for n records, k of each unit."""
        m = n // k // SHARE
        return HeldOutSizes(n - k * m, m)


def split_sample(sample: Sample, domain: Domain, k: int, coins: Entropy) -> tuple[Sample, Sample]:
    """A sample of the records to learn from, and one of the records to measure on: one of each unit that is held out.

    >>> from privpac.data.domains.line import Line
    >>> from privpac.exact.entropy import SYSTEM
    >>> ages, counts = np.array([37, 52]), np.array([7, 3])
    >>> both = split_sample(Sample(ages, ages > 40, counts, 10, ages), Line(0, 120), 1, SYSTEM)
    >>> [part.size for part in both], sum(part.positives for part in both)
    ([8, 2], 3)
    """
    sizes = HeldOutSizes.of(sample.size, k)
    if k > 1:
        return _split_units(sample, domain, k, coins)
    counts = _counts(sample)
    void = sample.void.totals(sample.size - int(counts.sum()), sample.K)
    held, held_void = np.split(chosen_of(np.append(counts, void), sizes.held, coins), [-len(void)])
    measured = _subsample(sample, domain, held, sizes.held, Void(np.arange(len(void)), held_void))
    return _subsample(sample, domain, counts - held, sizes.learned), measured


def sealed_parts(sample: Sample, domain: Domain, k: int, coins: Entropy) -> tuple[Sealed, Sealed]:
    """The two parts, sealed; a record pays only for what is asked about its own part."""
    parts = sample_parts("records learned from", "held-out records")
    learned, held = (
        Sealed(each, each.size, part) for each, part in zip(split_sample(sample, domain, k, coins), parts, strict=True)
    )
    return learned, held


def _split_units(sample: Sample, domain: Domain, k: int, coins: Entropy) -> tuple[Sample, Sample]:
    """The same if k records of each unit count: a unit that is held out leaves the records to learn from entirely."""
    assert sample.units is not None
    sizes = HeldOutSizes.of(sample.size, k)
    counts, void = _counts(sample), sample.void
    units, records = np.append(sample.units, void.units), np.append(counts, void.counts)
    held = chosen_of(np.ones(sample.size // k, dtype=np.int64), sizes.held, coins)[units] > 0
    learned = _subsample(sample, domain, np.where(held[: len(counts)], 0, counts), sizes.learned)
    ones, void_ones = np.split(_one_of_each(units, np.where(held, records, 0), coins), [len(counts)])
    return learned, _subsample(sample, domain, ones, sizes.held, Void(void.kinds, void_ones))


def _counts(sample: Sample) -> Ints:
    return np.ones(len(sample.labels), dtype=np.int64) if sample.counts is None else sample.counts


def _one_of_each(units: NDArray[np.intp], counts: Ints, coins: Entropy) -> Ints:
    """How often each entry is chosen, 0 or 1: one record of each unit that has any, each with the same probability."""
    order = np.argsort(units, kind="stable")
    ends, totals = np.cumsum(counts[order]), np.zeros(int(units.max(initial=-1)) + 1, dtype=np.int64)
    np.add.at(totals, units, counts)
    stops = np.cumsum(totals).tolist()
    places = [stop - 1 - coins.below(total) for stop, total in zip(stops, totals.tolist(), strict=True) if total]
    chosen = np.zeros(len(units), dtype=np.int64)
    chosen[order[np.searchsorted(ends, np.array(places, dtype=np.int64), side="right")]] = 1
    return chosen


def _subsample(sample: Sample, domain: Domain, counts: Ints, size: int, void: Void = NO_VOID) -> Sample:
    """``size`` records: ``counts[i]`` of entry i, and all others void. Only measuring needs the kinds of these."""
    kept = counts > 0
    values = domain.join([each[kept] for each in domain.split(sample.values)])
    repeated = None if sample.counts is None else counts[kept]
    return Sample(sample.points[kept], sample.labels[kept], repeated, size, values, void=void, K=sample.K)
