"""Candidates on trees by their definitions, record by record: what the counting is held against."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from privpac.data.samples.sample import Sample
from privpac.learners.tree_orders.candidates import Counts

TREE = {"a": "top", "b": "top", "aa": "a", "ab": "a", "aaa": "aa", "aab": "aa", "ba": "b"}
TABLE = [[0, 0, 1, 0, 1], [1, 0, 1, 0, 1], [1, 1, 1, 0, 1], [0, 0, 0, 0, 1], [0, 0, 1, 1, 1]]
GAPS = [[0, 0, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0], [1, 0, 0, 1]]  # no concept ends at the node of the first point
WORDS = ["", "a", "b", "ab", "abc", "abd", "abcdef", "ba", "a\0", "a\0\0", "\ud800a", "zzzz"]


def sample(concept_class: Any, records: Any, grouped: bool = False) -> Sample:
    """The records as a sample; with ``grouped``, one entry for equal records, and two void ones beside them."""
    listed = list(Counter(records).items()) if grouped else [(record, 1) for record in records]
    values, labels = [x for (x, _), _ in listed], np.array([y for (_, y), _ in listed], dtype=bool)
    counts = np.array([count for _, count in listed], dtype=np.int64) if grouped else None
    return Sample(concept_class.domain.points(values), labels, counts, len(records) + 2 * grouped, values)


def drawn(points: list[Any], rng: np.random.Generator, n: int) -> list[tuple[Any, bool]]:
    """n records, with few, many or only positive ones."""
    bias = rng.choice([0.0, 0.3, 0.8, 1.0])
    return [(points[rng.integers(len(points))], bool(rng.random() < bias)) for _ in range(n)]


def candidates(counts: Counts) -> list[tuple[Any, int, int]]:
    """Every candidate with its support and errors."""
    names, _, support, errors = counts.stable[:4]
    return [
        (name, int(q), int(err)) for entry, q, err in zip(names, support, errors, strict=True) for name in entry
    ]  # an entry lists as many candidates as it counts, which the mechanism checks


def supports(tree: Any, records: Any) -> Counter[Any]:
    """q(v) for all v: the relabeled ones at or below it."""
    q: Counter[Any] = Counter()
    below = getattr(tree, "kind", "root_path") == "subtree"
    for x, y in records:
        v = tree.canon(x)
        if v is not None and bool(y) != tree.ref_label(x):
            q.update(tree.ancestor(v, l) for l in range(int(not below), tree.depth(v) + 1))
    return q


def splits(bits: int, positions: list[int]) -> Counter[int]:
    """Supports of the cuts of one leg: the split of each dyadic node at each depth, and the whole leg."""
    q: Counter[int] = Counter({1 << bits: len(positions)} if positions else {})
    for l in range(bits):
        for p in positions:
            q[(p >> (bits - l) << (bits - l)) + (1 << (bits - l - 1))] += 1
    return q


def check(view: Any, concept_class: Any, records: Any, expected: list[tuple[Any, int]], every: list[Any]) -> None:
    """``expected`` holds each candidate with its support, ``every`` all rules that may be the best."""
    points = list({x for x, _ in records})
    labels: dict[Any, Any] = {}

    def errors(name: Any) -> int:
        if name not in labels:
            labels[name] = dict(zip(points, view.rule(name)(points), strict=True)) if points else {}
        return sum(bool(labels[name][x]) != bool(y) for x, y in records)

    for grouped in (False, True):
        counts = view.counts(sample(concept_class, records, grouped))
        found = candidates(counts)
        assert Counter((name, q) for name, q, _ in found) == Counter(expected)
        assert all(err == errors(name) for name, _, err in found)
        assert counts.fallback == errors(view.fallback)
        assert min(err for _, _, err in [(None, 0, counts.fallback), *found]) >= min(map(errors, every))
