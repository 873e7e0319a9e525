"""What learners on trees count, against the definitions; and how one record changes it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from privpac.classes.finite.explicit import ExplicitClass
from privpac.classes.tree_orders.paths import EndsWith, RootPaths, StartsWith
from privpac.classes.tree_orders.taxonomy import Taxonomy
from privpac.dimensions.tree_orders.laminar import tree_order
from privpac.learners.tree_orders.candidates import OrderCandidates, Taxa, Texts
from tests.grid import over
from tests.learners.tree_definitions import GAPS, TABLE, TREE, WORDS, check, drawn, sample, supports

SIZES = [0, 1, 1, 2, 2, 3, 5, 8, 13, 20, 30]


@pytest.mark.slow
@over("height", [None, 6])
@over("kind", [RootPaths, StartsWith, EndsWith])
@over("separator", [None, "/"])
def test_texts_are_counted_as_defined(height: int | None, kind: Any, separator: str | None) -> None:
    rng = np.random.default_rng(1)
    tree = kind(separator, height)
    points = WORDS if separator is None else ["/".join(word) for word in WORDS]
    view = Texts(tree)
    every = [view.fallback, *{node[:l] for node in tree.encode(points) for l in range(7)}]
    for n in SIZES:
        records = drawn(points[: 2 + n], rng, n)
        check(view, tree, records, list(supports(tree, records).items()), every)


@pytest.mark.parametrize("kind", [RootPaths, StartsWith])
def test_without_a_height_every_depth_is_a_level_of_its_own(kind: Any) -> None:
    tree, top = kind(None), int(kind is RootPaths)
    stable = Texts(tree).counts(sample(tree, drawn(WORDS, np.random.default_rng(2), 40))).stable
    for entry, level in zip(stable.names, stable.level, strict=True):
        assert {len(name) - top for name in entry} == {int(level)}


@pytest.mark.parametrize("kind", ["root_path", "subtree"])
@pytest.mark.parametrize("parents", [TREE, {"only": None}])
def test_taxonomies_are_counted_as_defined(kind: str, parents: Any) -> None:
    rng = np.random.default_rng(3)
    tree = Taxonomy(parents, kind=kind)
    view = Taxa(tree)
    for n in SIZES:
        records = drawn(list(tree.domain.names), rng, n)
        expected = [(int(tree.encode([v])[0]), q) for v, q in supports(tree, records).items()]
        check(view, tree, records, expected, [*range(tree.size), view.fallback])
        drawn_sample = sample(tree, records)
        every = [drawn_sample.errors(view.rule(v)) if records else 0 for v in range(tree.size)]
        assert view.errors(drawn_sample).tolist() == every


@pytest.mark.parametrize("table", [TABLE, GAPS, [[0, 1]]])
def test_tree_orders_are_counted_as_defined_for_every_reference(table: Any) -> None:
    rng = np.random.default_rng(4)
    c = ExplicitClass([[*row, row[0]] for row in table], points=[*"abcde"[: len(table[0])], "twin"])
    for reference in c.concepts:
        order = tree_order(c, reference)
        for n in SIZES:
            records = drawn(list(c.all_points), rng, n)
            check(
                OrderCandidates(order),
                c,
                records,
                list(supports(order, records).items()),
                list(range(len(order.parents))),
            )


def test_rules_of_proper_nodes_are_concepts_and_others_are_not() -> None:
    for table in (TABLE, GAPS):
        c = ExplicitClass(table)
        order = tree_order(c)
        concepts = {c.hypothesis(name) for name in c.concepts}
        assert {OrderCandidates(order).rule(v) in concepts for v in range(len(order.parents))} >= {table is TABLE}
        for v in range(len(order.parents)):
            assert (OrderCandidates(order).rule(v) in concepts) == order.is_proper(v)
