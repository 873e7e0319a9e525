"""Held-out records: learning does not see them, and the error of the released rule is measured on them.

proof: docs/proofs/holding_out.md

How many records are held out is public, and coins that depend on no record choose which. Each record is in only one of
the two parts, so it pays for learning or for measuring, never for both. With units, whole units are held out, and one
record of each is measured: these records are then independent if units are, and one unit moves two counts by 1. Records
that do not fit are divided and measured like all others.

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

SHARE = 5  # one record or unit in five is held out


class HeldOutSizes(NamedTuple):
    """How many records are ``learned`` from, and how many are ``held`` out and measured.

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
    """The records to learn from, and the records to measure on, of which each held-out unit has one.

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
    learned = _subsample(sample, domain, counts - held, sizes.learned)
    return learned, _subsample(sample, domain, held, sizes.held, Void(np.arange(len(void)), held_void))


def sealed_parts(sample: Sample, domain: Domain, k: int, coins: Entropy) -> tuple[Sealed, Sealed]:
    """The two parts, sealed; a record pays only for what is asked about its own part."""
    learned_part, held_part = sample_parts("records learned from", "held-out records")
    learned, held = split_sample(sample, domain, k, coins)
    return Sealed(learned, learned.size, learned_part), Sealed(held, held.size, held_part)


def _split_units(sample: Sample, domain: Domain, k: int, coins: Entropy) -> tuple[Sample, Sample]:
    """``split_sample`` if several records of a unit count: no record of a held-out unit is learned from."""
    assert sample.units is not None
    sizes = HeldOutSizes.of(sample.size, k)
    counts, void = _counts(sample), sample.void
    units, all_counts = np.append(sample.units, void.units), np.append(counts, void.counts)
    is_held = chosen_of(np.ones(sample.size // k, dtype=np.int64), sizes.held, coins)[units] > 0
    learned = _subsample(sample, domain, np.where(is_held[: len(counts)], 0, counts), sizes.learned)
    measured, void_measured = np.split(_one_of_each(units, np.where(is_held, all_counts, 0), coins), [len(counts)])
    return learned, _subsample(sample, domain, measured, sizes.held, Void(void.kinds, void_measured))


def _counts(sample: Sample) -> Ints:
    """How many records each entry stands for."""
    return np.ones(len(sample.labels), dtype=np.int64) if sample.counts is None else sample.counts


def _one_of_each(units: NDArray[np.intp], counts: Ints, coins: Entropy) -> Ints:
    """How often each entry is chosen, 0 or 1: one record of each unit that has any, each with the same probability."""
    order = np.argsort(units, kind="stable")
    ends, totals = np.cumsum(counts[order]), np.zeros(int(units.max(initial=-1)) + 1, dtype=np.int64)
    np.add.at(totals, units, counts)
    stops = np.cumsum(totals).tolist()
    # Records are numbered unit by unit; those of a unit are the ``total`` numbers before its ``stop``.
    numbers = [stop - 1 - coins.below(total) for stop, total in zip(stops, totals.tolist(), strict=True) if total]
    chosen = np.zeros(len(units), dtype=np.int64)
    chosen[order[np.searchsorted(ends, np.array(numbers, dtype=np.int64), side="right")]] = 1
    return chosen


def _subsample(sample: Sample, domain: Domain, counts: Ints, size: int, void: Void = NO_VOID) -> Sample:
    """``size`` records: ``counts[i]`` of entry i, and all others void. Only measuring needs their kinds (``void``)."""
    kept = counts > 0
    values = domain.join([column[kept] for column in domain.split(sample.values)])
    kept_counts = None if sample.counts is None else counts[kept]
    return Sample(sample.points[kept], sample.labels[kept], kept_counts, size, values, void=void, K=sample.K)
