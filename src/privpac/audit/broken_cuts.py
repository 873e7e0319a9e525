"""Zoom and private cuts that are deliberately broken, each in one place.

Main declarations
    HeldOnly           stretches without records are not candidates
    RangeOfRecords     a stretch from its least to its largest record
    SteepZoom          ε instead of ε/2
    MergedBySplits     cuts that split the records alike are one cut
    unlabeled, read    records on a line as private cuts see them
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.audit.cases import Records
from privpac.data.sample import Sample
from privpac.learners.private_cuts import PrivateCuts
from privpac.mechanisms.adaptive import Ask
from privpac.mechanisms.selection import Menu
from privpac.mechanisms.zoom import Held, Zoom, ZoomLevel
from privpac.privacy.ledger import Opened


@dataclass(frozen=True)
class HeldOnly(Zoom):
    """Nodes without records are not candidates, unless there are no others."""

    def without(self, level: ZoomLevel) -> int:
        return 0 if level.inside.any() else super().without(level)


@dataclass(frozen=True)
class RangeOfRecords(Zoom):
    """A stretch is cut to the least and the largest value in it."""

    def menu(self, data: Held) -> Menu:
        weights, outcome = super().menu(data)

        def cut(group: int, member: int) -> tuple[int, int]:
            first, stop = outcome(group, member)
            inside = [value for value in data.values.tolist() if first <= value < stop]
            return (min(inside), max(inside) + 1) if inside else (first, stop)

        return weights, cut


@dataclass(frozen=True)
class SteepZoom(Zoom):
    """ε instead of ε/2 in the exponent."""

    @property
    def rate(self) -> Fraction:
        return self.cost.epsilon


@dataclass(frozen=True)
class MergedBySplits(PrivateCuts):
    """Cuts that split the records alike are merged."""

    def run(self, data: Opened, ask: Ask) -> tuple[tuple[int, ...], ...]:  # type: ignore[override]
        values = sorted(data.records.points.tolist())
        return tuple(tuple({bisect_left(values, cut): cut for cut in cuts}.values()) for cuts in super().run(data, ask))


def read(sample: Sample) -> list[NDArray[Any]]:
    """The only column."""
    return [sample.points]


def unlabeled(records: Records) -> Opened:
    """Values on a line, None if void, as records without labels.

    >>> unlabeled((3, None)).records.points
    array([3], dtype=uint64)
    """
    values = [value for value in records if value is not None]
    sample = Sample(np.array(values, dtype=np.uint64), np.ones(len(values), dtype=bool), None, len(records))
    return Opened(sample, len(records))
