"""Half-planes in small numbers: they label the grid alike, and none with smaller coefficients does."""

from fractions import Fraction
from itertools import product
from math import gcd

import numpy as np
import pytest

from privpac.classes.vectors.half_spaces import HalfPlanes
from privpac.mechanisms.half_spaces.simplest_half_plane import simplest_between, smallest_numbers
from tests.grid import over


def test_the_simplest_fraction_has_the_smallest_denominator():
    rng = np.random.default_rng(1)
    for _ in range(300):
        left, right = sorted(Fraction(int(rng.integers(-30, 30)), int(rng.integers(1, 20))) for _ in range(2))
        if left < right:
            found = simplest_between(left, right)
            assert left < found < right
            for q in range(1, found.denominator):
                assert not any(left < Fraction(p, q) < right for p in range(-30 * q, 30 * q))


@pytest.mark.slow
@over("N", [0, 1, 2, 3])
def test_each_set_of_grid_points_is_told_by_one_half_plane(N):
    """By as many as the class has, and by no larger coefficients than any that were given."""
    grid, names = np.array(list(product(range(N + 1), repeat=2))), {}
    for u, v in product(range(-N - 1, N + 2), repeat=2):
        for b in range(min(0, u * N) + min(0, v * N), max(0, u * N) + max(0, v * N) + 2):
            labels = grid @ np.array([u, v]) >= b
            (w, c) = smallest_numbers((u, v), b, N)
            assert ((grid @ np.array(w) >= c) == labels).all()
            assert names.setdefault(labels.tobytes(), (w, c)) == (w, c)
            assert not labels.any() or labels.all() or max(map(abs, w)) <= max(abs(u), abs(v)) // gcd(u, v)
    assert len(names) == HalfPlanes(N + 1).size


def test_large_grids_keep_their_labels():
    rng = np.random.default_rng(5)
    N = 2**17 - 1
    for _ in range(5):
        u, c = int(rng.integers(-(2**37), 2**37)) * 2 + 1, int(rng.integers(0, N << 38))
        for w, b in (((-u, 2**38), c), ((2**38, -u), c), ((u, -(2**38)), 1 - c)):
            small, bias = smallest_numbers(w, b, N)
            assert max(map(abs, small)) <= N
            X = rng.integers(0, N + 1, (4000, 2))
            x = X[:2000, 0]  # and points beside the boundary
            X[:2000, 1] = np.clip((b - w[0] * x) // w[1] + rng.integers(-1, 3, 2000), 0, N)
            assert ((X @ np.array(small) >= bias) == (X @ np.array(w) >= b)).all()
