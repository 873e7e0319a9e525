"""Counts of conjunctions: candidates and errors by definition."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privpac.classes.compositions.equalities import Equalities
from privpac.data.samples.sample import Sample
from privpac.learners.values.equalities import ALWAYS, NEVER, SeenConjunctions, constants_and_seen

CELLS = st.sampled_from(["a", "b", 1, 2**200])
ROWS = st.lists(st.tuples(st.tuples(CELLS, CELLS, CELLS), st.booleans(), st.integers(1, 3)), max_size=7)


def sample_of(records, void=0):
    points = np.empty((len(records), 3), dtype=object)
    for i, (row, _, _) in enumerate(records):
        points[i] = row
    labels = np.array([y for _, y, _ in records], dtype=bool)
    counts = np.array([m for *_, m in records], dtype=np.int64)
    return Sample(points, labels, counts, int(counts.sum()) + void)


@pytest.mark.audit
@settings(max_examples=200, deadline=None)
@given(ROWS, st.integers(1, 3))
def test_candidates_and_errors_are_those_of_the_definition(records, j):
    H = Equalities("x", "y", "z", at_most=j)
    fallback, stable = constants_and_seen(SeenConjunctions.of(sample_of(records, void=2), H.columns, j))
    levels = [places for i in range(1, j + 1) for places in combinations(range(3), i)]
    wanted = {tuple(("xyz"[p], row[p]) for p in places) for row, y, _ in records if y for places in levels}

    def count(says):
        return sum(m for row, y, m in records if says(dict(zip("xyz", row, strict=True))) != y)

    assert fallback == {NEVER: count(lambda _: False), ALWAYS: count(lambda _: True)}
    found = [
        member
        for names, m in zip(stable.names, stable.counts, strict=True)
        for member in map(names.__getitem__, range(m))
    ]
    assert set(found) == wanted and len(found) == len(wanted)
    for names, q, errors in zip(stable.names, stable.support, stable.errors, strict=True):
        for member in map(names.__getitem__, range(len(names))):
            support = sum(m for row, y, m in records if y and set(member) <= set(zip("xyz", row, strict=True)))
            assert errors == count(lambda row, member=member: all(row[c] == v for c, v in member))
            assert 1 <= q <= support and fallback[NEVER] - errors <= q


def test_records_count_alike_one_by_one_and_together():
    records = [(("a", 1, "b"), True, 3), (("a", 1, "c"), False, 2), (("b", 1, "b"), True, 1)]
    single = [(row, y, 1) for row, y, m in records for _ in range(m)]
    one, other = (
        constants_and_seen(SeenConjunctions.of(sample_of(each), (0, 1, 2), 2))[1] for each in (records, single)
    )
    bare = sample_of(single)
    plain = constants_and_seen(SeenConjunctions.of(Sample(bare.points, bare.labels, None, 6), (0, 1, 2), 2))[1]
    for each in (other, plain):
        assert each.errors.tolist() == one.errors.tolist() and each.counts.tolist() == one.counts.tolist()
