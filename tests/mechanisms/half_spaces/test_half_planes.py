"""Selecting a half-plane: every member of a level, the public number of candidates, the law, and some of n records."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from privpac.audit.claims.case import Case, labeled
from privpac.classes.vectors.half_spaces import HalfPlanes
from privpac.data.samples.sample import Sample
from privpac.exact.entropy import SYSTEM
from privpac.mechanisms.half_spaces import half_planes
from privpac.mechanisms.half_spaces.dual_lines import at_level
from privpac.mechanisms.half_spaces.half_planes import (
    HalfPlaneExponential,
    PlaneTally,
    SubsampledHalfPlane,
    _member,
    grid_gaps,
    log_rivals,
    slope_bits,
)
from privpac.privacy.accounting.amplification import cost_on_subsample, subsampled
from privpac.privacy.budget import Budget
from tests.grid import over
from tests.mechanisms.half_spaces.test_dual_lines import listed, some_lines
from tests.statistics import assert_matches


def seen(records):
    """Labeled records on a grid; None is void."""
    points, labels = [r[0] for r in records if r], [r[1] for r in records if r]
    sample = Sample(np.array(points, dtype=np.int64).reshape(-1, 2), np.array(labels, dtype=bool), None, len(records))
    return PlaneTally.of(sample)


def test_every_member_of_a_level_is_found_in_order():
    rng = np.random.default_rng(4)
    for _ in range(8):
        N = int(rng.integers(1, 4))
        lines = some_lines(rng, N, N.bit_length() + 1, int(rng.integers(0, 9)))
        for level, members in listed(lines).items():
            for number in {0, len(members) - 1, *rng.integers(0, len(members), 12).tolist()}:
                assert _member(lines, at_level(lines.edges(), level), level, number) == members[number]


@over("N", [7, 40])
def test_a_short_list_is_the_beginning_of_the_full_one(N):
    """On a crowded grid, where turns are swept, and on one with few points; what is left out weighs almost nothing."""
    rng = np.random.default_rng(5)
    X = rng.integers(0, N + 1, (3000, 2)) if N == 7 else rng.integers(0, N + 1, (100, 2)).repeat(30, axis=0)
    y = (3 * X[:, 0] >= 2 * X[:, 1] + 3) ^ (rng.random(3000) < 0.2)
    mechanism = HalfPlaneExponential(Budget(2), N)
    weights, outcome = mechanism.menu(PlaneTally.of(Sample(X, y, None, 3000)))
    full = weights.complete()
    near = len(weights.scores)
    assert near < len(full.scores)
    assert full.scores[:near].tolist() == weights.scores.tolist()
    assert full.counts[:near].tolist() == weights.counts.tolist()
    assert sum(full.counts.tolist()) == 2 * (3 * N + 2) << (2 * mechanism.bits)
    assert full.scores[near] < weights.scores[0] - 64 * np.log(2)
    for group in (0, near - 1):
        w, b = outcome(group, weights.count(group) - 1)
        assert np.count_nonzero((X @ np.array(w) >= b) != y) == -weights.scores[group]


@pytest.mark.audit
@over("N", [1, 2, 3, 4])
def test_every_half_plane_has_as_many_candidates_as_the_certificate_counts_on(N):
    """Lemma 2: there are T candidates, all half-planes of the class have some, and none fewer than g."""
    listed, S = Counter(), 1 << slope_bits(N)
    for gap in grid_gaps(N, slope_bits(N)):
        listed[gap.rule] += gap.following - gap.value
    T = 2 * S * S * (3 * N + 2)
    assert len(listed) == HalfPlanes(N + 1).size
    assert sum(listed.values()) == T
    assert np.log(T / min(listed.values())) <= log_rivals(N) < np.log(T / min(listed.values())) + 2.2


@over("N", [7, 23])
def test_the_smallest_faces_of_larger_grids_are_as_large(N):
    """Lemma 2 where a list would be long: on slopes around 1/(N − 1), where faces are smallest."""
    S = 1 << slope_bits(N)
    g = S * (S - 2 * N**2) / (2 * N**3)
    x, y = (column.ravel() for column in np.indices((N + 1, N + 1)))
    names = np.random.default_rng(N).integers(0, 2**63, len(x))  # a set of points is named by a sum that may wrap
    found, seen_at = Counter(), []
    for j in range(int(S * (1 + Fraction(1, N + 1)) / 2), int(S * (1 + Fraction(1, N - 5)) / 2)):
        values = S * y - (2 * j + 1 - S) * x
        order = np.argsort(values)
        below = np.cumsum(names[order]).tolist()
        found.update(dict(zip(below[:-1], np.diff(values[order]).tolist(), strict=True)))
        seen_at.append(set(below))
    inside = [size for face, size in found.items() if face not in seen_at[0] | seen_at[-1]]
    assert g <= min(inside) < 3 * g


def test_the_law_is_that_of_the_exponential_mechanism():
    """Over the half-planes of the class with their public numbers of candidates, by another list of the class."""
    records = [((0, 0), 0), ((2, 1), 1), ((1, 1), 1), ((1, 1), 0), ((0, 2), 1), ((0, 2), 1), None]
    selection, tally = HalfPlaneExponential(Budget(2), 2), seen(records)
    listed = Counter()
    for gap in grid_gaps(2, selection.bits):
        listed[gap.rule] += gap.following - gap.value
    labels = np.array([y for _, y in filter(None, records)], dtype=bool)
    X = np.array([x for x, _ in filter(None, records)])
    weights = {(w, b): m * np.exp(-int(((X @ np.array(w) >= b) != labels).sum())) for (w, b), m in listed.items()}
    law = selection.law(tally)
    assert law.keys() == weights.keys()
    for rule, weight in weights.items():
        assert float(law[rule]) == pytest.approx(weight / sum(weights.values()), rel=1e-12)


@pytest.mark.audit
def test_draws_follow_the_law():
    """300 draws: a χ² of at most 57 degrees in groups of some size; above 150 has a probability below 1e-9."""
    tally = seen([((0, 0), 0), ((2, 1), 1), ((1, 1), 1), ((1, 1), 0), ((0, 2), 1)])
    selection = HalfPlaneExponential(Budget(2), 2)
    drawn = Counter(selection.release(tally, SYSTEM) for _ in range(300))
    law = {rule: float(probability) for rule, probability in selection.law(tally).items()}
    large = [rule for rule in law if law[rule] > 0.02]
    cells = [(drawn[rule], 300 * law[rule]) for rule in large]
    cells.append((300 - sum(k for k, _ in cells), 300 - sum(mean for _, mean in cells)))
    assert len(cells) > 10
    assert sum((k - mean) ** 2 / mean for k, mean in cells) < 120


@pytest.mark.audit
@over(("m", "crowd", "epsilon"), [(5, 9, 6), (7, 9, 3)])
def test_some_of_the_records_cost_what_is_claimed(m, crowd, epsilon):
    """The worst loss is near the claim, and a selection that costs a tenth more is refuted."""
    universe, n, cost = [*labeled([(0, 0), (1, 1)]), None], crowd + 2, Budget(epsilon)

    def found(inner):
        made = SubsampledHalfPlane(cost, HalfPlaneExponential(inner, 1), m)
        return Case(made, seen, "four points", universe, 2, cost, crowd=(((0, 0), 1),) * crowd).exact()

    inner = cost_on_subsample(cost, m, n)
    assert subsampled(inner, m, n).epsilon <= cost.epsilon < subsampled(inner, m, n).epsilon * Fraction(1001, 1000)
    assert not found(inner).refuted
    assert float(found(inner).ratio) > 0.999
    assert found(Budget(inner.epsilon * Fraction(11, 10))).refuted


@pytest.mark.audit
def test_releases_are_those_on_some_of_the_records():
    tally, selection = seen([((0, 0), 0)] * 6 + [((1, 1), 1)] * 6), HalfPlaneExponential(Budget(3), 1)
    made = SubsampledHalfPlane(Budget(1), selection, 3)
    law, on_all = made.law(tally), selection.law(tally)
    assert_matches(lambda: made.release(tally, SYSTEM), law, must_reject=on_all, draws=300)


def test_chosen_records_are_records():
    tally = seen([((0, 0), 0)] * 30 + [((1, 1), 1)] * 20 + [None] * 10)
    some = tally.subsample(25, SYSTEM)
    assert some.counts.sum() == 25
    assert (some.counts <= tally.counts).all()
    assert SubsampledHalfPlane(Budget(9), HalfPlaneExponential(Budget(9), 1), 40).release(tally, SYSTEM) in {
        gap.rule for gap in grid_gaps(1, slope_bits(1))
    }


def test_more_records_than_can_be_sorted_are_refused_by_their_number():
    """Whatever the records are: the number of distinct points is private."""
    many = seen([((0, 0), 1)] * 4097)
    with pytest.raises(ValueError, match="at most 4096 records"):
        HalfPlaneExponential(Budget(1), 99).check(many)
    assert HalfPlaneExponential(Budget(1), 63).check(many) is many
    with pytest.raises(ValueError, match=r"2\^17"):
        HalfPlaneExponential(Budget(1), 2**17).check(seen([]))


def test_there_are_no_ties_on_any_grid_that_is_served():
    for N in (1, 2, 3, 999, 2**16, 2**17 - 1):
        assert 1 << slope_bits(N) > 16 * N * N
    assert half_planes.SPARE_BITS == 4
