"""Littlestone dimensions of large classes, exactly.

Predicted: normal forms and sizes prune all but some ten thousand sub-classes of each of these; a memoised recursion by
the definition, which prunes nothing, is 10² to 10⁵ times slower, and soon does not finish.
The bar: at most 10 seconds each, exact, the witness verified.

Main declarations
    CLASSES    the classes, by name
    tables     the figures
"""

from __future__ import annotations

from functools import cache
from math import gcd
from time import perf_counter

import numpy as np
from measure import Table

from privpac.classes.explicit import ExplicitClass
from privpac.dimensions.base import verify
from privpac.dimensions.littlestone import Littlestone, littlestone_dimension

PATIENCE = 5.0  # seconds for the recursion by the definition


def tables(quick: bool) -> list[Table]:
    """The large classes, and small ones beside the definition."""
    littlestone_dimension(intervals(79))  # compiled code is loaded
    return [large(quick), beside_the_definition(quick)]


def large(quick: bool) -> Table:
    rows = []
    for name, make in CLASSES.items():
        if quick and name == "thresholds on 16 383 points":
            continue
        concept_class = ExplicitClass(make())
        start = perf_counter()
        found = littlestone_dimension(concept_class)
        seconds = perf_counter() - start
        shape = "×".join(map(str, concept_class.matrix.shape))
        checked = "yes" if verify(concept_class, found) else "NO"
        rows.append((name, shape, found.value, seconds, checked, found.reason.split("; ")[1]))
    return Table("Exact dimensions: seconds", ("class", "concepts × points", "Ldim", "s", "verified", "search"), rows)


def beside_the_definition(quick: bool) -> Table:
    rows = []
    cases = {
        "thresholds on 200 points": np.tri(201, 200, -1, dtype=bool),
        "intervals on 13 points": intervals(13),
        "intervals on 19 points": intervals(19),
        "half-planes of the 4×4 grid": half_planes(4),
        "random 60×12, p = .5": coins(60, 12, 0.5),
        "intervals on 55 points": intervals(55),
    }
    for name, matrix in cases.items():
        start = perf_counter()
        H = Littlestone(matrix)
        value = H.dimension(H.everything)
        ours = perf_counter() - start
        start = perf_counter()
        naive = by_definition(H, start + PATIENCE)
        theirs = perf_counter() - start
        times = (1e3 * ours, 1e3 * theirs if naive is not None else f"> {1e3 * PATIENCE:.0f}")
        rows.append((name, value, *times, f"{'' if naive is not None else '> '}{theirs / ours:.0f}×"))
        if naive not in (None, value):
            raise AssertionError(f"{name}: {value}, by definition {naive}")
    header = ("class", "Ldim", "search", "definition", "ratio")
    return Table("Beside a memoised recursion by the definition: milliseconds", header, rows)


def by_definition(H: Littlestone, end: float) -> int | None:
    """max over points of 1 + min(Ldim of the parts), memoised; None if that takes too long."""

    class Late(Exception):
        pass

    @cache
    def ldim(rows: int) -> int:
        if perf_counter() > end:
            raise Late
        if rows.bit_count() <= 1:
            return rows.bit_count() - 1
        parts = [(rows & column, rows & ~column) for column in H.columns]
        return max(1 + min(ldim(one), ldim(zero)) for one, zero in parts if one and zero)

    try:
        return ldim(H.everything)
    except Late:
        return None


def intervals(n: int) -> np.ndarray:
    """The empty set and all [l, r]."""
    left, right = np.triu_indices(n)
    x = np.arange(n)
    return np.vstack([np.zeros(n, bool), (left[:, None] <= x) & (x <= right[:, None])])


def rectangles(a: int, b: int) -> np.ndarray:
    """The empty set and all products of two intervals."""
    I, J = intervals(a)[1:], intervals(b)[1:]
    products = (I[:, None, :, None] & J[None, :, None, :]).reshape(len(I) * len(J), a * b)
    return np.vstack([np.zeros(a * b, bool), products])


def half_planes(a: int) -> np.ndarray:
    """All affine dichotomies of the a×a grid: a line of lattice direction, turned a little about one of its points."""
    grid = np.array([(x, y) for x in range(a) for y in range(a)])
    found = {np.zeros(a * a, bool).tobytes(), np.ones(a * a, bool).tobytes()}
    for dx, dy in ((dx, dy) for dx in range(1 - a, a) for dy in range(1 - a, a) if gcd(dx, dy) == 1):
        side, along = grid @ [-dy, dx], grid @ [dx, dy]
        for level in np.unique(side):
            on, beyond = side == level, side > level
            for turn in np.unique(along[on]):
                found.update((beyond | (on & cut)).tobytes() for cut in (along > turn, along < turn))
            found.update((beyond.tobytes(), (beyond | on).tobytes()))
    return np.array([np.frombuffer(row, bool) for row in sorted(found)])


def coins(m: int, n: int, p: float) -> np.ndarray:
    """Independent labels; equal concepts are merged by the class."""
    return np.unique(np.random.default_rng(0).random((m, n)) < p, axis=0)


CLASSES = {
    "thresholds on 16 383 points": lambda: np.tri(16384, 16383, -1, dtype=bool),
    "intervals on 362 points": lambda: intervals(362),
    "intervals on 300 points": lambda: intervals(300),
    "rectangles of the 24×24 grid": lambda: rectangles(24, 24),
    "half-planes of the 17×17 grid": lambda: half_planes(17),
    "random, p = .5": lambda: coins(60_000, 500, 0.5),
    "random, p = .1": lambda: coins(20_000, 300, 0.1),
}
