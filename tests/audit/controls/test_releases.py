"""Broken releases are refuted, by as much as their faults explain.

The first two are shipped. Two more change what a mechanism takes, and not a line of the library, so they live here.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pytest

from privpac.audit.claims.case import Case
from privpac.audit.claims.releases import MARGINALS, largest_error, query_counts
from privpac.audit.controls.releases import RELEASE_CONTROLS
from privpac.exact.entropy import SYSTEM
from privpac.mechanisms.noise.laplace import DiscreteLaplaces
from privpac.mechanisms.noise.measured_gap import MeasuredGap
from privpac.privacy.budget import Budget

PURE = Budget(1)
INFINITE = float("inf")
RATIOS = {"categories inferred from the data": INFINITE, "every record counted in one cell": 2}
CONTROL = {control.about: control for control in RELEASE_CONTROLS}


def test_the_list_is_the_one_that_is_tested():
    assert list(CONTROL) == list(RATIOS)
    assert all(control.why for control in RELEASE_CONTROLS)


@pytest.mark.slow
@pytest.mark.parametrize("about", RATIOS)
def test_every_broken_release_is_refuted(about):
    worst = CONTROL[about].exact()
    assert worst.refuted
    assert float(worst.ratio) == pytest.approx(RATIOS[about], rel=1e-3)


def test_without_its_fault_a_release_is_not_refuted():
    control = CONTROL["every record counted in one cell"]
    assert not replace(control, mechanism=DiscreteLaplaces(PURE, 2 * len(MARGINALS.tables))).exact().refuted


def test_outputs_follow_the_law():
    inferred = CONTROL["categories inferred from the data"].mechanism
    shown = inferred.release(inferred.check({"b": 3, "a": 90}), SYSTEM)
    assert [key for key, _ in shown] == ["a", "b"]
    assert {tuple(key for key, _ in outcome) for outcome in inferred.law({"b": 1, "a": 2})} == {("a", "b")}


@dataclass(frozen=True)
class Fractional(MeasuredGap):
    """Noise is added to the largest error as it is, so that its fractional part shows."""

    def check(self, data):
        return data

    def release(self, data, coins):
        whole = data.__floor__()
        return super().release(whole, coins) + (data - whole)

    def law(self, data, reach=40):
        whole = data.__floor__()
        return {bound + (data - whole): p for bound, p in super().law(whole, reach).items()}


class CountedPoints(NamedTuple):
    """Counts of queries, and how many of them tell two records of the sample apart."""

    counts: list[int]
    changes: int


@dataclass(frozen=True)
class SensitivityOfSample(DiscreteLaplaces):
    """The sensitivity is taken from the points of the records."""

    def check(self, data):
        return data

    def _noise(self, data):
        return DiscreteLaplaces(self.cost, max(data.changes, 1))

    def release(self, data, coins):
        return self._noise(data).release(np.array(data.counts, dtype=np.int64), coins)

    def law(self, data, reach=3):
        return self._noise(data).law(data.counts, reach)


def counted_points(records):
    alone = [query_counts((each,)) for each in records]
    apart = (sum(a != b for a, b in zip(x, y, strict=True)) for x, y in combinations(alone, 2))
    return CountedPoints(query_counts(records), max(apart, default=0))


def test_a_certificate_of_fractions_names_the_query_that_errs_most():
    answers = {"a": Fraction(5, 4), "b": Fraction(1, 2)}
    fractional = Fractional(PURE, Fraction(1, 20))
    worst = Case(fractional, partial(largest_error, answers), "", "abc", 1, PURE).exact()
    assert worst.refuted and float(worst.ratio) == INFINITE
    assert fractional.release(largest_error({"a": 0.25}, "b"), SYSTEM) % 1 == 0.25


def test_noise_that_fits_the_records_seen_is_too_small_for_a_neighbor():
    """Outcomes up to ±3 are listed; those farther away show more."""
    worst = Case(SensitivityOfSample(PURE, 1), counted_points, "", "abcd", 2, PURE).exact()
    assert worst.refuted and float(worst.ratio) == pytest.approx(10.3189, rel=1e-3)
