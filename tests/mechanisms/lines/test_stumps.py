"""Stumps: the law is that of the exponential mechanism over all cuts of all columns."""

from fractions import Fraction

import numpy as np
import pytest

from privpac.audit.claims.case import Case, labeled
from privpac.data.samples.sample import Sample
from privpac.mechanisms.lines.stumps import StumpExponential
from privpac.mechanisms.selection.exponential import Exponential
from privpac.privacy.budget import Budget

COLUMNS = ((3, "above"), (2, "below"), (4, "either"))


def view(records):
    records = [record for record in records if record is not None]  # void ones have no point
    labels = np.array([y for _, y in records], dtype=bool)
    points = np.array([x for x, _ in records], dtype=np.uint64).reshape(-1, 3)
    return [Sample(column, labels, None, len(records)).tally() for column in points.T]


def every_stump():
    for number, (size, direction) in enumerate(COLUMNS):
        if direction != "below":
            yield from ((number, t, True) for t in range(size + 1))
        if direction != "above":
            ends = (1, size) if direction == "either" else (0, size + 1)
            yield from ((number, t, False) for t in range(*ends))


def errors(stump, records):
    number, t, above = stump
    return sum(((x[number] >= t) == above) != y for x, y in records)


@pytest.mark.parametrize("epsilon", [Fraction(1, 20), 1, 90])
def test_the_law_is_that_of_the_exponential_mechanism(epsilon):
    rng = np.random.default_rng(1)
    for n in (0, 1, 2, 5, 5):
        rows = np.column_stack([rng.integers(0, size, n) for size, _ in COLUMNS]).tolist()
        records = [(tuple(x), bool(y)) for x, y in zip(rows, rng.random(n) < 0.5, strict=True)]
        law = StumpExponential(Budget(epsilon), COLUMNS).law(view(records))
        stumps = list(every_stump())
        expected = Exponential(Budget(epsilon)).law([-errors(stump, records) for stump in stumps])
        assert set(law) == set(stumps)
        assert all(law[stump].overlaps(expected[i]) for i, stump in enumerate(stumps))


def case(mechanism, epsilon=1):
    universe = [*labeled([(0, 0, 0), (2, 1, 3), (1, 0, 1)]), None]
    return Case(mechanism, view, "stumps on three columns", universe, 3, Budget(epsilon))


@pytest.mark.slow
def test_no_neighbors_refute_it():
    assert not case(StumpExponential(Budget(1), COLUMNS)).exact().refuted
    assert case(StumpExponential(Budget(1), COLUMNS), Fraction(3, 5)).exact().refuted


class FirstCut(StumpExponential):
    """A broken twin: the first cut of a run is released, which lies next to a record."""

    def menu(self, data):
        weights, outcome = super().menu(data)
        return weights, lambda group, _: outcome(group, 0)


def test_a_broken_twin_is_refuted():
    assert case(FirstCut(Budget(1), COLUMNS)).exact().refuted


def test_what_is_left_out_weighs_next_to_nothing():
    n = 5000
    sample = Sample(np.arange(n, dtype=np.uint64), np.arange(n) >= n // 2, None, n)
    weights, _ = StumpExponential(Budget(1), ((2**64, "either"),)).menu([sample.tally()])
    full, listed = weights.complete(), len(weights.scores)
    assert listed < 1000 < len(full.scores)
    assert full.scores[:listed].tolist() == weights.scores.tolist()
    assert sum(full.counts) == 2**65
    assert full.scores[listed:].max() < weights.scores.max() - 2 * 0.69 * (64 + 65)
