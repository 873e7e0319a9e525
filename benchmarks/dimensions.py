"""Dimensions of large classes, exactly.

Predicted: normal forms and sizes prune all but some ten thousand sub-classes of each of these; a memoised recursion by
the definition, which prunes nothing, is 10² to 10⁵ times slower, and soon does not finish.
The bar: at most 10 seconds for each Littlestone dimension, 1 second for the VC dimension of 256 random concepts on 64
points, and 10 seconds on two idle processors for that of 5000 on 60; all exact, the witness verified. Even random
labels are the hardest: ten of the points are shattered; to refute every eleven, the search compares some 3·10⁹ pairs of
points, each on sixteen small blocks, in 20 seconds of processor time (with AVX-512), which two processors share evenly.

Main declarations
    CLASSES    the classes, by name
    tables     the figures
"""

from __future__ import annotations

import resource
from collections.abc import Callable
from functools import cache, partial
from time import perf_counter
from typing import Any

import numpy as np
from measure import Table

from privpac.classes import ExplicitClass, HalfPlanes, Intervals, Rectangles
from privpac.dimensions import Dimension, Littlestone, littlestone_dimension, vc_dimension, verify
from privpac.dimensions.littlestone import by_search
from privpac.dimensions.time_limit import Clock

PATIENCE = 5.0  # seconds for the recursion by the definition


def tables(quick: bool) -> list[Table]:
    """The large classes, and small ones beside the definition."""
    by_search(Intervals(1, 79).materialize(), Clock(None, None))  # compiled code is loaded
    vc_dimension(ExplicitClass.random(200, 30, np.random.default_rng(0)))
    return [vc(quick), littlestone(quick), beside_the_definition()]


def littlestone(quick: bool) -> Table:
    """By search, except where the tree order answers."""
    rows = []
    for name, make in CLASSES.items():
        if not (quick and "16 383" in name):
            rows.append(solved(name, make(), lambda c: by_search(c, Clock(None, None))))
    if not quick:
        rows.append(solved("thresholds on 16 383 points, by the tree", thresholds(16_383), littlestone_dimension))
    return Table("Littlestone dimension: seconds, and the largest memory of the process so far", HEADER, rows)


def vc(quick: bool) -> Table:
    rng = np.random.default_rng(1)
    rows = [
        solved("random, p = .5", ExplicitClass.random(256, 64, rng), vc_dimension) for _ in range(1 if quick else 3)
    ]
    rows += [
        solved(f"random, p = {p}", ExplicitClass.random(5000, 60, rng, p=p), partial(vc_dimension, time_limit=60))
        for p in (0.1, 0.3, 0.5)
    ]
    rows.append(solved("rectangles of the 12×12 grid", Rectangles(0, 11, 2).materialize(), vc_dimension))
    return Table("VC dimension: seconds, and the largest memory of the process so far", HEADER, rows)


HEADER = ("class", "concepts × points", "dimension", "s", "verified", "MB", "because")


def solved(name: str, c: ExplicitClass, solve: Callable[[ExplicitClass], Dimension]) -> tuple[Any, ...]:
    """One row."""
    start = perf_counter()
    found = solve(c)
    seconds = perf_counter() - start
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1000
    checked = "yes" if verify(c, found) else "NO"
    value = found.lower if found.lower == found.upper else f"{found.lower}–{found.upper}"
    return name, "×".join(map(str, c.matrix.shape)), value, seconds, checked, megabytes, found.reason


def beside_the_definition() -> Table:
    rows = []
    cases = {
        "thresholds on 200 points": thresholds(200),
        "intervals on 13 points": Intervals(1, 13).materialize(),
        "intervals on 19 points": Intervals(1, 19).materialize(),
        "half-planes of the 4×4 grid": HalfPlanes(4).materialize(),
        "random 60×12, p = .5": ExplicitClass.random(60, 12, np.random.default_rng(2)),
        "intervals on 55 points": Intervals(1, 55).materialize(),
    }
    for name, c in cases.items():
        start = perf_counter()
        H = Littlestone(c.matrix)
        value = H.dimension(H.everything)
        ours = perf_counter() - start
        start = perf_counter()
        naive = by_definition(H, start + PATIENCE)
        theirs = perf_counter() - start
        late = "> " if naive is None else ""
        rows.append((name, value, 1e3 * ours, f"{late}{1e3 * theirs:.0f}", f"{late}{theirs / ours:.0f}×"))
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


def thresholds(n: int) -> ExplicitClass:
    return ExplicitClass(np.tri(n + 1, n, -1, dtype=bool))


CLASSES = {
    "thresholds on 16 383 points": lambda: thresholds(16_383),
    "intervals on 362 points": lambda: Intervals(1, 362).materialize(),
    "intervals on 300 points": lambda: Intervals(1, 300).materialize(),
    "rectangles of the 24×24 grid": lambda: Rectangles(0, 23, 2).materialize(),
    "half-planes of the 17×17 grid": lambda: HalfPlanes(17).materialize(),
    "random, p = .5": lambda: ExplicitClass.random(60_000, 500, np.random.default_rng(0)),
    "random, p = .1": lambda: ExplicitClass.random(20_000, 300, np.random.default_rng(0), p=0.1),
}
