"""Records without labels, and all neighbors of small universes."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from itertools import product
from typing import Any, ClassVar

import numpy as np

from privpac.data.samples.sample import Sample
from privpac.exact.entropy import SYSTEM
from privpac.mechanisms.algorithm import Algorithm
from privpac.privacy.ledger import Opened
from privpac.release.sanitizer import Sanitizer


def sample_of(domain, values):
    """The records as a release sees them; a value None is a void record."""
    there = [value for value in values if value is not None]
    columns = np.array(there, dtype=object)
    if domain.column_names or (there and len(domain.columns) > 1):
        entries = zip(*there, strict=True) if there else [()] * len(domain.columns)
        columns = domain.join([np.array(each, dtype=object) for each in entries])
    points = domain.points(columns)
    return Sample(points, np.ones(len(there), dtype=bool), None, len(values), columns)


def asked(mechanism, seen):
    """A release that no account pays for."""
    return mechanism.release(mechanism.check(seen), SYSTEM)


def assert_is_the_gap(answers, domain, universe, queries, n):
    """``gap`` is the largest error over ``queries`` on all samples of n records, and changes by at most 1."""
    gaps = {}
    for records in product(universe, repeat=n):
        sample = sample_of(domain, records)
        true = [sample.outcomes(query)[0] if len(sample.labels) else 0 for query in queries]
        expected = max(abs(answers.count(query) - count) for query, count in zip(queries, true, strict=True))
        gaps[records] = answers.gap(sample)
        assert gaps[records] == expected, records
        assert type(gaps[records]) is int
    for records, gap in gaps.items():
        for i, other in product(range(n), universe):
            assert abs(gap - gaps[(*records[:i], other, *records[i + 1 :])]) <= 1


@dataclass(frozen=True)
class Whole(Algorithm):
    """A whole run of a sanitizer on records; ``shown`` makes its answers hashable, so that they have a law."""

    sanitizer: Sanitizer
    shown: Callable[[Any], Hashable]
    name: ClassVar[str] = "a whole release"
    theorem: ClassVar[str] = "composition, Theorem 1"

    @property
    def cost(self):
        return self.sanitizer.cost

    def run(self, data, ask):
        return self.shown(self.sanitizer.run(Opened(sample_of(self.sanitizer.domain, data), len(data)), ask))
