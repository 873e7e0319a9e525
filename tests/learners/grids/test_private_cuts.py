"""Private cuts: what they are, how many records lie between them, exact audits of the whole algorithm, broken twins."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

from privpac.audit.claims.case import Case
from privpac.data.domains.line import Line
from privpac.data.samples.sample import Sample
from privpac.exact.entropy import SYSTEM
from privpac.learners.grids.private_cuts import PrivateCuts, between
from privpac.mechanisms.lines.zoom import Zoom
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Opened
from tests.audit.mechanism_mutants import MERGED_BY_SPLITS
from tests.audit.mutants import Mutant, planted
from tests.grid import over

WIDE = Line(0, 2**64 - 1)


def read(sample):
    return [sample.points]


def opened(values, size=None):
    points = np.array(values, dtype=np.uint64)
    n = len(points) if size is None else size
    return Opened(Sample(points, np.ones(len(points), dtype=bool), None, n), n)


def between_cuts(cuts, values):
    """The most records between any cut and the nearer one of its neighbors in ``cuts``, by definition."""
    ordered = np.sort(values)
    tried = np.unique(ordered)
    ranks = np.searchsorted(ordered, tried)  # records below
    below = np.append(np.searchsorted(ordered, np.array(cuts, dtype=np.uint64)), len(ordered))
    after = np.searchsorted(np.array(cuts, dtype=np.uint64), tried, side="left")  # the first cut at or beyond
    return max(min(below[i] - rank, rank - below[i - 1] if i else rank) for i, rank in zip(after, ranks, strict=True))


def test_records_between_cuts_are_those_of_the_definition():
    assert between_cuts((0, 10), np.array([0, 1, 1, 2, 3, 9, 12], dtype=np.uint64)) == 3  # x ≥ 2 to x ≥ 0 or 10
    assert between_cuts((0, 1, 2, 3), np.array([0, 1, 1, 2, 3, 3], dtype=np.uint64)) == 0


@pytest.mark.audit
@over("cells", (5, 9, 29, 66, 140, 214))
@over("n", (1, 7, 500, 5000))
@over("line", (Line(0, 300), WIDE, Line(-1e9, 1e9)))
def test_cuts_begin_at_0_increase_and_are_few(cells, n, line):
    values = np.random.default_rng(n).integers(0, 300, n)
    (cuts,) = PrivateCuts(Budget(1), (line,), read, cells).release(opened(values), SYSTEM)
    assert cuts[0] == 0
    assert all(a < b for a, b in zip(cuts, (*cuts[1:], line.size), strict=True))
    assert len(cuts) <= cells


def test_what_is_spent():
    """Zoom and quantiles of each line, together ε."""
    spent = []
    algorithm = PrivateCuts(Budget(1), (WIDE, WIDE, WIDE), lambda sample: [sample.points] * 3, 100)

    def ask(mechanism, seen):
        spent.append(mechanism.cost.epsilon)
        return mechanism.release(mechanism.check(seen), SYSTEM)

    algorithm.run(opened(range(1000)), ask)
    assert len(spent) == 6 and sum(spent) == 1


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["even", "skewed", "two heaps", "thin between heaps", "one value", "void"])
def test_few_records_lie_between_cuts(kind):
    """Fewer than the theorem says, a twentieth of them; it may fail with probability 1e-9. Half a bin is fewer yet."""
    rng, n = np.random.default_rng(5), 60_000
    values = {
        "even": rng.integers(0, 2**64, n, dtype=np.uint64),
        "skewed": (2 ** (rng.random(n) * 63)).astype(np.uint64),
        "two heaps": rng.integers(0, 1000, n, dtype=np.uint64)
        + np.where(rng.random(n) < 0.5, 0, 2**63).astype(np.uint64),
        "thin between heaps": np.repeat(
            np.append(rng.integers(2**62, 2**63, 600, dtype=np.uint64), np.array([0, 2**64 - 1], dtype=np.uint64)),
            [1] * 600 + [n // 2 - 300] * 2,
        ),
        "one value": np.full(n, 12345, dtype=np.uint64),
        "void": np.zeros(0, dtype=np.uint64),
    }[kind]
    algorithm = PrivateCuts(Budget(60), (WIDE,), read, 66)
    most = algorithm.most_between(n, 1e-9)
    assert n / 128 < most < n / 20
    (cuts,) = algorithm.release(opened(values, n), SYSTEM)
    assert (between_cuts(cuts, values) if len(values) else 0) <= most


@pytest.mark.audit
def test_the_bound_on_records_between_cuts_is_kept_where_it_is_closest():
    """The theorem allows 1 in 2. If it were so, 30 of 30 would keep it with probability 1e-9: it is far from tight."""
    n, algorithm = 4000, PrivateCuts(Budget(20), (WIDE,), read, 24)
    assert (n >> algorithm.levels(n)) < 2 * algorithm.most_between(n, 0.5) < n
    places = np.sort(2.0 ** (64 * np.random.default_rng(1).random(n)))  # empty stretches of each length everywhere
    values = np.minimum(places, 2.0**63).astype(np.uint64)
    for _ in range(30):
        (cuts,) = algorithm.release(opened(values), SYSTEM)
        assert between_cuts(cuts, values) <= algorithm.most_between(n, 0.5)


def test_a_heavy_value_gets_a_cell_of_its_own():
    """Three quarters of the records: with ε = 60, quantiles miss it with probability below e^-1000."""
    values = np.append(np.full(30_000, 777), np.arange(10_000))
    (cuts,) = PrivateCuts(Budget(60), (WIDE,), read, 66).release(opened(values), SYSTEM)
    assert {777, 778} <= set(cuts)


def test_steps_between_floats_are_in_value_and_in_number():
    line = Line(0.0, 1e300)
    numbers = line.encode(np.array([1.0, 2.0])).tolist()
    steps = [line.decode(each) for each in between(line, *numbers, 4)]
    assert steps[0] == 1.0 and any(abs(step - 1.5) < 1e-9 for step in steps)


UNIVERSE = (0, 3, 7, None)


def view(records):
    return opened([x for x in records if x is not None], len(records))


def case(kind, epsilon=6, claimed=None, n=3, crowd=()):
    algorithm = kind(Budget(epsilon), (Line(0, 7),), read, 6)
    return Case(algorithm, view, "8 values", UNIVERSE, n, Budget(claimed or epsilon), crowd=crowd)


@pytest.mark.audit
def test_no_neighbors_refute_the_whole_algorithm():
    """The law is without tie bits, as that of the quantiles; half of the claim is refuted."""
    assert not case(PrivateCuts).exact().refuted
    assert not case(PrivateCuts, 12, n=1, crowd=(None,) * 2).exact().refuted
    assert case(PrivateCuts, 12, claimed=6, n=1, crowd=(None,) * 2).exact().refuted


@dataclass(frozen=True)
class EndsFromRecords(PrivateCuts):
    """The stretch ends at the largest value in it."""

    def run(self, data, ask):
        def instead(mechanism, seen):
            answer = ask(mechanism, seen)
            if not isinstance(mechanism, Zoom):
                return answer
            first, stop = answer
            return first, max([x for x in seen.values.tolist() if first <= x < stop], default=stop - 1) + 1

        return super().run(data, instead)


@pytest.mark.slow
def test_ends_at_records_and_cuts_merged_by_what_they_split_are_refuted():
    """A stretch, or a cut, that one sample allows is impossible for its neighbor."""
    assert float(case(EndsFromRecords).exact().ratio) == float("inf")
    with planted(Mutant("private cuts", *MERGED_BY_SPLITS)):
        assert float(case(PrivateCuts).exact().ratio) == float("inf")


def test_bins_follow_n():
    algorithm = PrivateCuts(Budget("0.4"), (WIDE, WIDE), lambda sample: [], 140)
    assert [algorithm.levels(n) for n in (1, 1000, 5000, 30_000, 10**6)] == [1, 2, 4, 6, 6]
    assert Fraction(2, 5) == 2 * sum(cost.epsilon for cost in algorithm.costs)
