"""Populations that make learning hard, one family per class.

Heavy atoms far from the target's boundary and a thin mass just beyond α next to it; atoms at many scales; one class
only; and smooth ones, for comparison. ``α`` is the error that is asked for: a rule that misses the thin mass fails.
Two kinds are harder than the rest and are told apart: two thin sides, which can be missed in two ways, and a target
next to the end of the list, so that all rules but two miss the thin mass.

Main declarations
    thresholds, points, root_paths, subtrees, spiders, taxonomies, explicit    the populations for each class
    listed, bush    thresholds, written out; a taxonomy of one long path and many short ones
    HARDER          the names of the harder ones
"""

from __future__ import annotations

from itertools import accumulate

import numpy as np
from simulate import Population

import privpac as pp

TWO_SIDES, ALL_BEYOND = HARDER = ("two thin sides", "thin atom above, all others beyond")
THIN = 1.02  # how much more than α the thin mass has


def thresholds(bits: int, alpha: float) -> list[Population]:
    """On 0 … 2^bits − 1, label 1 from a cut deep in the trie on."""
    last, thin = 2**bits - 1, THIN * alpha
    cut = int("01" * (bits // 2), 2) | 1
    near = [cut + i for i in range(64)]

    def labeled(name: str, places: dict[int, float]) -> Population:
        values = sorted(places)
        array = np.array(values, dtype=np.uint64)
        return Population.of(name, array, [v >= cut for v in values], [places[v] for v in values])

    scales = [2**j for j in range(1, bits - 2)]
    ladder = {cut + side * s: 1.0 for s in scales for side in (-1, 1)}
    falling = {cut + side * s: 1 / (j + 1) for j, s in enumerate(scales) for side in (-1, 1)}
    return [
        labeled("atoms at all scales", ladder),
        labeled("neighbor below, thin atom above", {cut - 1: 0.5, last: 0.5 - thin, cut: thin}),
        labeled("ends and thin mass above", {0: 0.5, last: 0.5 - thin} | dict.fromkeys(near, thin / 64)),
        labeled("ends and thin atom above", {0: 0.5, last: 0.5 - thin, cut: thin}),
        labeled(TWO_SIDES, {0: 0.5 - thin, last: 0.5 - thin, cut: thin, cut - 1: thin}),
        labeled("neighbors", {cut - 1: 0.5, cut: 0.5}),
        labeled("heavier atoms near the cut", falling),
        labeled("no positives but a thin atom", {0: 1 - thin, cut: thin}),
        labeled("smooth", {last * i // 4095: 1.0 for i in range(4096)}),
    ]


def points(alpha: float, *, numbered: bool = False) -> list[Population]:
    """Names, or numbers, one of which is positive."""
    thin = THIN * alpha
    names = [i if numbered else f"name {i}" for i in range(1000)]

    def one(name: str, masses: list[float]) -> Population:
        return Population.of(name, names[: len(masses)], [i == 0 for i in range(len(masses))], masses)

    return [
        one("a thin atom, many others", [thin, *[(1 - thin) / 999] * 999]),
        one("a thin atom, one other", [thin, 1 - thin]),
        one("a thin atom, others of its size", [thin, *[thin] * int(1 / thin - 1)]),
        one("half", [0.5, 0.5]),
        one("all", [1.0]),
        one("falling masses, thin target", [thin, *[(1 - thin) * 2.0**-i for i in range(1, 20)]]),
        one("nothing positive to find", [1e-9, 1 - 1e-9]),
    ]


def root_paths(height: int, alpha: float) -> list[Population]:
    """Texts of components; label 1 on the path from the root to a node at full depth."""
    thin = THIN * alpha
    path = list(accumulate(["a"] * height, lambda node, step: f"{node}/{step}"))
    beside = [f"{node}/b" for node in path[:-1]]

    def chain(name: str, on: list[float], off: list[float]) -> Population:
        values, labels = [*path, *beside[: len(off)]], [True] * height + [False] * len(off)
        return Population.of(name, values, labels, [*on, *off])

    flat, none = [1.0] * height, [0.0] * (height - 1)
    return [
        chain("thin last third", [1 - thin, *none[: height - 12], *[thin / 11] * 11], []),
        chain("all on the path, evenly", flat, []),
        chain("thin end", [1 - thin, *none[:-1], thin], []),
        chain("thin end, negatives beside it", [0.3, *none[:-1], thin], [0.0] * (height - 2) + [0.7 - thin]),
        chain("falling masses", [2.0**-i for i in range(height)], [2.0**-i for i in range(height - 1)]),
        chain("rising masses", [1.2**i for i in range(height)], []),
        chain("negatives at every depth", flat, [1.0] * (height - 1)),
    ]


def explicit(concepts: int, alpha: float, beyond: float = THIN) -> list[Population]:
    """Thresholds on as many points, written out: neighbors of the target err by just more than α, or by less."""
    thin, middle, k = beyond * alpha, concepts // 2, concepts - 1

    def masses(places: dict[int, float]) -> list[float]:
        return [places.get(i, 0.0) for i in range(k)]

    def of(name: str, places: dict[int, float], cut: int = middle) -> Population:
        return Population.of(name, list(range(k)), [i >= cut for i in range(k)], masses(places))

    return [
        of(TWO_SIDES, {0: 0.5 - thin, k - 1: 0.5 - thin, middle: thin, middle - 1: thin}),
        of(ALL_BEYOND, {0: 0.5, 1: thin, k - 1: 0.5 - thin}, cut=1),
        of("thin atom above", {middle - 1: 0.5, middle: thin, k - 1: 0.5 - thin}),
        of("thin atom below", {0: 0.5 - thin, middle - 1: thin, middle: 0.5}),
        of("neighbors", {middle - 1: 0.5, middle: 0.5}),
        of("even", dict.fromkeys(range(k), 1.0)),
        of("falling from the target", {i: 0.9 ** abs(i - middle) for i in range(k)}),
        of("all mass far below but thin", {0: 1 - thin, middle: thin}),
    ]


def subtrees(height: int, alpha: float) -> list[Population]:
    """Texts of components; label 1 at and below one node."""
    thin = THIN * alpha
    inside = [f"a/{i}" for i in range(8)]
    outside = [f"b/{i}/c" for i in range(8)]
    *above, deep = accumulate(["a"] * height, lambda node, step: f"{node}/{step}")

    def of(name: str, yes: dict[str, float], no: dict[str, float]) -> Population:
        return Population.of(name, [*yes, *no], [True] * len(yes) + [False] * len(no), [*yes.values(), *no.values()])

    return [
        of("a thin subtree", dict.fromkeys(inside, thin / 8), {"b": 1 - thin}),
        of("a thin node", {"a": thin}, {"b": 1 - thin}),
        of("a thin node at full depth, negatives above", {deep: thin}, {above[-1]: 1 - thin}),
        of("half", dict.fromkeys(inside, 1 / 16), dict.fromkeys(outside, 1 / 16)),
        of("everything", dict.fromkeys(inside, 1 / 8), {}),
        of("negatives at all depths", {deep: 2 * thin}, dict.fromkeys(above, (1 - 2 * thin) / len(above))),
    ]


def spiders(bits: int, alpha: float) -> list[Population]:
    """Groups with values 0 … 2^bits − 1; label 1 in one group from a value on."""
    thin, last = THIN * alpha, 2**bits - 1
    cut = int("01" * (bits // 2), 2) | 1

    def of(name: str, places: dict[tuple[str, int], float]) -> Population:
        labels = [group == "x" and value >= cut for group, value in places]
        return Population.of(name, list(places), labels, list(places.values()))

    groups = {(f"y{i}", last): (0.5 - thin) / 50 for i in range(50)}
    return [
        of("a thin atom above its neighbor", {("x", cut): thin, ("x", cut - 1): 0.5, ("x", last): 0.5 - thin}),
        of("thin, and other groups", {("x", cut): thin, ("x", cut - 1): 0.5} | groups),
        of("thin, in one group only", {("x", cut): thin, ("y", cut): 1 - thin}),
        of("atoms at all scales", {("x", cut + s * 2**j): 1.0 for j in range(1, bits - 2) for s in (-1, 1)}),
    ]


def taxonomies(size: int, kind: str, alpha: float) -> list[Population]:
    """Names of a bush; label 1 above or below one of them."""
    thin, depth = THIN * alpha, size // 2
    below = kind == "subtree"

    def of(name: str, places: dict[str, float], positive: set[str]) -> Population:
        return Population.of(name, list(places), [each in positive for each in places], list(places.values()))

    path = [f"path {i}" for i in range(depth)]
    other = "leaf 1" if below else "root"
    leaves = dict.fromkeys((f"leaf {i}" for i in range(1, depth)), (1 - thin) / (depth - 1))
    return [
        of("a thin leaf", {"leaf 0": thin, other: 1 - thin}, {"leaf 0", "root"}),
        of("a thin leaf, all others evenly", {"leaf 0": thin} | leaves, {"leaf 0"}),
        of("evenly along a path", dict.fromkeys(path, 1.0), set(path[depth // 2 :] if below else path[: depth // 2])),
    ]


def bush(size: int, kind: str) -> pp.Taxonomy:
    """A root, one path of half the names, and the other half as leaves."""
    half = size // 2
    path = {f"path {i}": f"path {i - 1}" if i else "root" for i in range(half)}
    return pp.Taxonomy(path | {f"leaf {i}": "root" for i in range(half)}, kind=kind)


def listed(size: int) -> pp.ExplicitClass:
    """Thresholds on size − 1 points, written out."""
    return pp.ExplicitClass(np.triu(np.ones((size, size - 1), dtype=int)), points=range(size - 1))
