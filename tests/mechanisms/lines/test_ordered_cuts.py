"""Gaps and nodes that err on few records are exactly those of the definition, however many records are passed over."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privpac.data.samples.sample import Sample
from privpac.mechanisms.lines import ordered_cuts
from privpac.mechanisms.lines.dyadic_trie import MIDDLE, Proposal, bits, most_supported
from privpac.mechanisms.lines.ordered_cuts import EVERYTHING, ordered
from tests.grid import over

WAYS = ((True,), (False,), (True, False))
PROPOSALS = ((), (MIDDLE,), (Proposal(2, 1),), (Proposal(3, 4),), (MIDDLE, Proposal(5, 2)))


@st.composite
def samples(draw):
    """A size, points, labels, and counts or None; numpy's integers or Python's."""
    size = draw(st.integers(1, 70))
    n = draw(st.integers(0, 30))
    points = np.array(draw(st.lists(st.integers(0, size - 1), min_size=n, max_size=n)))
    labels = np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)), dtype=bool)
    counts = draw(
        st.none() | st.lists(st.integers(0, 5), min_size=n, max_size=n).map(lambda c: np.array(c, dtype=np.int64))
    )
    return size, Sample(points.astype(draw(st.sampled_from([np.uint64, object]))), labels, counts, n)


def wrong(sample, p, above):
    """Records that the split at p gets wrong, by definition."""
    counts = np.ones(len(sample.points), dtype=np.int64) if sample.counts is None else sample.counts
    return int(counts[(sample.points > p) ^ sample.labels ^ (not above)].sum())


def cuts_by_definition(size, sample, above, bound):
    return {p: wrong(sample, p, above) for p in range(size - 1) if wrong(sample, p, above) <= bound}


def nodes_by_definition(size, sample, above, bound, proposals):
    counts = np.ones(len(sample.points), dtype=np.int64) if sample.counts is None else sample.counts
    found = []
    for k, crowd in proposals:
        for width in (2**z for z in range(k, bits(size) + 1)):
            for low in range(0, 2 ** bits(size), width):
                q = int(counts[(sample.points >= low) & (sample.points < low + width)].sum())
                cuts = range(low + width // 2**k - 1, low + width - 1, width // 2**k) if q >= crowd else ()
                found += [(p, q - crowd + 1, wrong(sample, p, above)) for p in cuts]
    return sorted(entry for entry in found if entry[2] <= bound)


@pytest.mark.audit
@pytest.mark.parametrize("marks", [1, 3, 4096])
@settings(deadline=None)
@given(samples(), st.sampled_from(WAYS), st.sampled_from([0, 1, 4, EVERYTHING]), st.sampled_from(PROPOSALS))
def test_equals_the_definition(marks, given_sample, ways, slack, proposals):
    size, sample = given_sample
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ordered_cuts, "MARKS", marks)
        data = ordered(sample, size)
        assert data.least(ways) == min(wrong(sample, p, above) for p in range(-1, size) for above in ways)
        bound = min(data.least(ways) + slack, EVERYTHING)
        table = data.splits(bound, ways, proposals)
    for above in ways:
        errors = table.errors if above else data.records - table.errors
        listed = table.whole & (errors <= bound)
        gaps = [
            (int(table.starts[g]) + i, int(errors[g]))
            for g in np.flatnonzero(listed)
            for i in range(int(table.lengths[g]))
        ]
        assert len(gaps) == len(dict(gaps))
        assert dict(gaps) == cuts_by_definition(size, sample, above, bound)
        nodes = [
            (p, int(table.nodes.support[j]), int(errors[table.nodes.gap[j]]))
            for j in np.flatnonzero(listed[table.nodes.gap])
            for p in table.nodes.splits(int(j))
        ]
        assert sorted(nodes) == nodes_by_definition(size, sample, above, bound, proposals)
        entries = [table.nodes.splits(j) for j in range(len(table.nodes.gap))]
        assert [len(each) for each in entries] == [len(list(each)) for each in entries] == table.nodes.length.tolist()


@over("proposals", PROPOSALS)
@over("size", [1, 2, 3, 4, 16, 40])
def test_how_many_cuts_one_record_supports(size, proposals):
    one = Sample(np.array([size - 1], dtype=np.uint64), np.array([True]), np.array([9]), 9)
    nodes = ordered(one, size).splits(proposals=proposals).nodes
    assert nodes.length.sum() == most_supported(bits(size), proposals)


@pytest.mark.audit
@pytest.mark.parametrize("size", [2**64, 2**64 - 3, 2**200])
def test_wide_lines(size):
    rng = np.random.default_rng(1)
    kind = np.uint64 if size <= 2**64 else object
    points = np.array(
        [0, size - 1, size // 3, *(int(x) * (size // 2**40) for x in rng.integers(0, 2**40, 3000))], dtype=kind
    )
    labels = np.asarray(points > size // 3, dtype=bool) ^ (rng.random(len(points)) < 0.2)
    data = ordered(Sample(points, labels, None, len(points)), size)
    proposals = (MIDDLE, Proposal(5, 16))
    full = data.splits(proposals=proposals)
    assert full.whole.all()
    assert sum(int(length) for length in full.lengths) == size - 1
    least = data.least((True,))
    assert least == full.errors.min()
    near = data.splits(least + 20, proposals=proposals)
    assert len(near.starts) < len(full.starts) / 2
    few = near.whole & (near.errors <= least + 20)
    assert sorted(near.starts[few].tolist()) == sorted(full.starts[full.errors <= least + 20].tolist())

    def nodes(table):
        chosen = np.flatnonzero((table.whole & (table.errors <= least + 20))[table.nodes.gap])
        return sorted((p, int(table.nodes.support[j])) for j in chosen for p in table.nodes.splits(int(j)))

    assert nodes(near) == nodes(full)


def test_a_million_records_are_passed_over_quickly():
    """Of 10^6 records around a noisy cut, some thousands at most are looked at one by one."""
    rng = np.random.default_rng(2)
    points = rng.integers(0, 2**63, 10**6).astype(np.uint64)
    labels = (points > 2**62) ^ (rng.random(10**6) < 0.1)
    data = ordered(Sample(points, labels, None, 10**6), 2**64)
    assert len(data.splits(data.least((True,)) + 200).starts) < 20_000
