"""Candidates counted by their errors: exactly as many as a list of all candidates has, of any size of integers."""

from collections import Counter

import numpy as np
import pytest

from privpac.mechanisms.half_spaces.dual_lines import MOST_BITS, MOST_POINTS, DualLines, level_sizes, turns
from privpac.mechanisms.half_spaces.half_planes import slope_bits


def some_lines(rng, N, bits, k, most=3):
    """Distinct points of the grid with records of both labels."""
    points = np.unique(rng.integers(0, N + 1, (k, 2)), axis=0)
    w = rng.integers(1, most, len(points)) * rng.choice([-1, 1], len(points))
    both = int(rng.integers(0, 3))  # records of each label at points that favor none
    return DualLines(*points.T, w, both + int(-w[w < 0].sum()), both + int(w[w > 0].sum()), N, bits)


def listed(lines):
    """By definition: the rules "S·y − u·x ≥ c", as (j, c), by their errors, in order."""
    S, N, found = 1 << lines.bits, lines.N, {}
    for j in range(S):
        u = 2 * j + 1 - S
        most = max(S * y - u * x for x in range(N + 1) for y in range(N + 1))
        least = min(-S - u * x for x in range(N + 1))
        for c in range(least + 1, most + 1):
            says = S * lines.y - u * lines.x >= c
            found.setdefault(lines.zeros + int(lines.w[~says].sum()), []).append((j, c))
    return found


@pytest.mark.slow
def test_levels_have_as_many_candidates_as_a_list():
    """Also where many lines meet in one place, points are vertically aligned, and S is barely larger than N."""
    rng = np.random.default_rng(1)
    for _ in range(40):
        N = int(rng.integers(0, 6))
        lines = some_lines(rng, N, max(1, N.bit_length()) + int(rng.integers(0, 3)), int(rng.integers(0, 14)))
        assert level_sizes(lines) == {level: len(members) for level, members in listed(lines).items()}


def test_sums_are_exact_in_the_widest_integers():
    """At the largest side the values of a level add up to more than 2^90; gaps at every slope would be too many."""
    rng = np.random.default_rng(2)
    N = 2**17 - 1
    lines = some_lines(rng, N, MOST_BITS, 300)
    sizes, S = level_sizes(lines), 1 << MOST_BITS
    assert sum(sizes.values()) == S * S * (N + 1) + S * S * N // 2 > 2**90
    assert min(sizes.values()) > 0
    slow = Counter()
    for edges in lines.edges():
        for x, y, start, stop, below, above in zip(*(column.tolist() for column in edges), strict=True):
            total = sum(S * y + S * x - x * (2 * j + 1) for j in (start, stop - 1)) * (stop - start)
            assert total % 2 == 0  # twice the sum of an arithmetic progression
            slow[below] += total // 2
            slow[above] -= total // 2
    del slow[-1]
    assert sizes == {level: size for level, size in slow.items() if size}


def test_a_point_between_its_edges_has_the_level_of_its_errors():
    """At random slopes of a large grid, by sorting the values there."""
    rng = np.random.default_rng(3)
    lines = some_lines(rng, 2**16 - 1, 36, 80)
    everything = list(lines.edges())
    for j in [0, 2**36 - 1, *rng.integers(0, 2**36, 20).tolist()]:
        values, levels = lines.gaps(j)
        expected = Counter(zip(values, [-1, *levels], [*levels, -1], strict=True))
        found = Counter()
        for edges in everything:
            here = edges.at((edges.start <= j) & (j < edges.stop))
            at = (here.y << lines.bits) - (2 * j + 1 - (1 << lines.bits)) * here.x
            found.update(zip(at.tolist(), here.below.tolist(), here.above.tolist(), strict=True))
        assert found == expected


def test_sums_of_parts_cannot_overflow():
    """As many edges as points allow, each of them in one level with the largest factors."""
    largest = (2**19 - 1) ** 2 * (5 * MOST_POINTS * (MOST_POINTS + 1) // 4 + 4)
    assert largest < 2**63


def test_there_are_few_turns_wherever_they_are_swept():
    most = 5 * MOST_POINTS * (MOST_POINTS + 1) // 4
    assert all(len(turns(N, slope_bits(N))[1]) * min((N + 1) ** 2, MOST_POINTS) < most for N in range(1, 91))
