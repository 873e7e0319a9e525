"""Populations that make learning hard, for classes of many rules: a thin positive atom that few of them find.

Almost all rules label the heavy negative atoms around the thin one rightly and miss it, and err by just more than α.
The even populations are for comparison: there rules err by all degrees.

Main declarations
    intervals, rectangles, stumps, rules, named_rules, arcs, half_spaces    the populations for each class
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from populations import THIN
from simulate import Population


def intervals(size: int, alpha: float) -> list[Population]:
    """On 0 … size − 1, label 1 on a few values in the middle."""
    thin, c, k = THIN * alpha, size // 2, size // 16

    def of(name: str, places: dict[int, float], first: int = c, last: int = c) -> Population:
        values = np.array(sorted(places))
        return Population.of(name, values, (values >= first) & (values <= last), [places[v] for v in values.tolist()])

    return [
        of("a thin atom between neighbors", {c - 1: (1 - thin) / 2, c: thin, c + 1: (1 - thin) / 2}),
        of("a thin atom, others at the ends", {0: (1 - thin) / 2, c: thin, size - 1: (1 - thin) / 2}),
        of("thin ends", {c - 1: 0.3, c: thin, c + k: 0.7 - 2 * thin, c + 2 * k: thin}, last=c + 2 * k),
        of("even", dict.fromkeys(range(0, size, max(size // 1024, 1)), 1.0), last=c + k),
    ]


def rectangles(side: int, alpha: float) -> list[Population]:
    """On a square grid, label 1 on a box."""
    thin, c = THIN * alpha, side // 2
    around = [(c - 1, c), (c + 1, c), (c, c - 1), (c, c + 1)]

    def of(name: str, places: dict[tuple[int, int], float], low: tuple[int, int], high: tuple[int, int]) -> Population:
        points = np.array(list(places))
        return Population.of(name, points, ((points >= low) & (points <= high)).all(axis=1), list(places.values()))

    beside = dict.fromkeys(around, (1 - thin) / 4)
    half = {(c, c): 0.5 - thin, (c + 3, c): thin, (c + 4, c): 0.25, (c, c + 1): 0.25}
    grid = {(x, y): 1.0 for x in range(side) for y in range(side)}
    return [
        of("a thin atom between neighbors", {(c, c): thin} | beside, (c, c), (c, c)),
        of("a thin end", half, (c, c), (c + 3, c)),
        of("even", grid, (c // 2, c // 2), (c + c // 2, c + c // 2)),
    ]


def _on_columns(names: Sequence[str], label: Callable[..., bool]) -> Callable[..., Population]:
    def of(name: str, places: dict[tuple[Any, ...], float]) -> Population:
        columns = {each: list(column) for each, column in zip(names, zip(*places, strict=True), strict=True)}
        return Population.of(name, columns, [label(*row) for row in places], list(places.values()))

    return of


def stumps(size: int, alpha: float) -> list[Population]:
    """Columns "a" and "b" with values 0 … size − 1, label 1 where a is at least the middle."""
    thin, c = THIN * alpha, size // 2
    of = _on_columns(("a", "b"), lambda a, b: a >= c)
    return [
        of("a thin atom above its neighbor", {(c, 0): thin, (c - 1, 0): 1 - thin}),
        of("the other column nearly as good", {(c, c): 0.5, (c, 0): thin, (c - 1, 0): 0.5 - thin}),
        of("even", {(a, b): 1.0 for a in range(size) for b in range(size)}),
    ]


def rules(size: int, alpha: float) -> list[Population]:
    """Columns "a" and "b" with values 0 … size − 1, label 1 where both are at least the middle."""
    thin, c = THIN * alpha, size // 2
    of = _on_columns(("a", "b"), lambda a, b: a >= c and b >= c)
    beside = {(c - 1, c): (1 - thin) / 2, (c, c - 1): (1 - thin) / 2}
    return [
        of("a thin atom between neighbors", {(c, c): thin} | beside),
        of("a thin end", {(c, c): thin, (size - 1, c): 0.5 - thin, (c - 1, c): 0.3, (c, c - 1): 0.2}),
        of("even", {(a, b): 1.0 for a in range(size) for b in range(size)}),
    ]


def named_rules(size: int, alpha: float) -> list[Population]:
    """A column "a" with values 0 … size − 1 and a column "name"; label 1 for one name, from the middle on."""
    thin, c = THIN * alpha, size // 2
    of = _on_columns(("a", "name"), lambda a, name: a >= c and name == "x")
    many = {(c, f"y{i}"): (0.7 - thin) / 50 for i in range(50)}
    return [
        of("a thin atom, its neighbor, another name", {(c, "x"): thin, (c - 1, "x"): 0.5, (c, "y"): 0.5 - thin}),
        of("a thin atom, its neighbor, many names", {(c, "x"): thin, (c - 1, "x"): 0.3} | many),
        of("even, four names", {(a, name): 1.0 for a in range(size) for name in "xyzw"}),
    ]


def arcs(reach: int, alpha: float) -> list[Population]:
    """On the grid from −reach to reach, label 1 to the left of a direction just above the first axis."""
    thin, S = THIN * alpha, reach

    def of(name: str, places: dict[tuple[int, int], float]) -> Population:
        points = np.array(list(places))
        left = 2 * S * points[:, 1] > points[:, 0]  # of the direction (2S, 1); (0, 0) is no place here
        return Population.of(name, points, left, list(places.values()))

    grid = range(-S, S + 1, max(S // 8, 1))
    return [
        of("a thin atom above its neighbor", {(S, 1): thin, (S, 0): 1 - thin}),
        of("thin atoms on both sides", {(S, 1): thin, (S, 0): thin, (0, S): 1 - 2 * thin}),
        of("all directions", {(x, y): 1.0 for x in grid for y in grid if (x, y) != (0, 0)}),
    ]


GOLDEN = (8, 13), (21, 34), (144, 233), (377, 610)  # slopes p/q


def half_planes(side: int, alpha: float) -> list[Population]:
    """Points whose half-plane has no margin: those next to a line through grid points, label 1 on the line."""
    thin, N = THIN * alpha, side - 1

    def along(name: str, p: int, q: int, *masses: float) -> Population:
        """Two points with q·y − p·x = 0 and two with −1, the first and the last of each."""
        x = np.arange(side)
        on, off = x[p * x % q == 0], x[(p * x - 1) % q == 0]
        points = [(i, p * i // q) for i in (on[0], on[-1], off[0], off[-1])]
        return Population.of(name, np.array(points), [1, 1, 0, 0], masses)

    some = [("the flattest line", 1, N - 1)]
    if side > 20:
        some += [("a golden slope", *max(slope for slope in GOLDEN if 1.4 * slope[1] < N))]
    return [
        *(along(f"{name}, one thin atom", p, q, thin, 0.4, 0.3, 0.3 - thin) for name, p, q in some),
        *(along(f"{name}, three thin atoms", p, q, 1 - 3 * thin, thin, thin, thin) for name, p, q in some),
        *half_spaces(2, side, alpha)[:2],
    ]


def half_spaces(dim: int, side: int, alpha: float) -> list[Population]:
    """On the grid {0 … side − 1}^dim in one or two dimensions, label 1 from the middle of the first coordinate on."""
    thin, c, last = THIN * alpha, side // 2, side - 1

    def of(name: str, places: dict[tuple[int, ...], float]) -> Population:
        points = np.array(list(places))
        return Population.of(name, points, points[:, 0] >= c, list(places.values()))

    if dim == 1:
        line = {(x,): 1.0 for x in range(side)}
        return [of("a thin atom beside its neighbor", {(c,): thin, (c - 1,): 1 - thin}), of("even", line)]
    return [
        of("a thin atom beside its neighbor", {(c, last): thin, (c - 1, last): 0.6, (c - 1, 0): 0.4 - thin}),
        of("a thin corner", {(last, last): thin, (c - 1, last): 0.4, (last, 0): 0.2, (c - 1, 0): 0.4 - thin}),
        of("even", {(x, y): 1.0 for x in range(0, side, 4) for y in range(0, side, 4)}),
    ]
