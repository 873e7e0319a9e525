"""What every domain can do, and that using one does not change what it is."""

from copy import copy
from pickle import dumps, loads

import numpy as np
import pytest

from privpac.classes.finite.explicit import ExplicitClass
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.tree_orders.taxonomy import Taxonomy
from privpac.data.domains.anything import Anything
from privpac.data.domains.grid import Grid
from privpac.data.domains.hierarchy import Hierarchy
from privpac.data.domains.line import Line
from privpac.data.domains.listing import Listing
from privpac.data.domains.named_columns import Columns
from privpac.data.domains.pairs import Pairs
from privpac.data.domains.paths import Paths


@pytest.mark.parametrize(
    ("value", "use"),
    [
        (Line(0.0, 9.0), lambda line: line.encode([1.5, 2.5])),
        (Line("a", "zz"), lambda line: line.decode(3)),
        (Listing(("a", "b")), lambda listing: listing.encode(["b"])),
        (Hierarchy.read({"J10": "J", "K": "J"}), lambda tree: (tree.depth, tree.encode(["K"]))),
        (Thresholds(0, 99, direction="above"), lambda thresholds: thresholds.domain.encode([5])),
        (Taxonomy({"J10": "J", "K": "J"}), lambda taxonomy: taxonomy.domain.encode(["K"])),
        (ExplicitClass([[0, 1], [1, 1]]), lambda explicit: explicit.domain.encode([1])),
    ],
)
def test_use_leaves_no_trace(value, use):
    before = dumps(value)
    use(value)
    assert dumps(value) == before
    for again in (loads(before), copy(value)):
        use(again)
        assert again == value or isinstance(value, ExplicitClass)


@pytest.mark.parametrize(
    ("domain", "values"),
    [
        (Line(0, 9), [3, 0]),
        (Listing(("a", "b")), ["b", "a"]),
        (Hierarchy.read({"J10": "J", "K": "J"}), ["K", "J10"]),
        (Anything(), ["x", ("y", 1)]),
        (Paths("/"), ["usr/lib", ""]),
        (Grid(0, 9, dim=2), [(1, 2), (9, 0)]),
        (Grid(0, 9, dim=1), [(1,), (9,)]),
        (Pairs(8), [("Boeing", 3), ("Airbus", 255)]),
        (Columns(("a", "b"), (Line(0, 9), Listing(("x", "y")))), {"a": [3, 4], "b": ["y", "x"]}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_every_domain_keeps_the_contract(domain, values):
    columns = domain.split(values)
    assert len(columns) == len(domain.columns) and all(len(column) == 2 for column in columns)
    for each, column in zip(domain.columns, columns, strict=True):
        fitted, fits = each.fit(column, clamp=False)
        assert fits.all() and fitted.tolist() == column.tolist()
        assert each.spell(column).tolist() == column.tolist()
        assert each.fit(np.array([Hostile(), None], dtype=object), clamp=True)[1].tolist() == [False, False]
    points = domain.points(values)
    assert np.array_equal(domain.points(domain.join(columns)), points) and len(points) == 2
    assert domain.tabular == (points.ndim == 2 or isinstance(domain, Pairs))
    if domain.numbered:
        assert [domain.decode(i) for i in domain.numbers(points).tolist()] == domain.named(values)
        assert len(domain.listed()) == domain.size


class Hostile:
    """A value that does nothing but fail."""

    __hash__ = None

    def __eq__(self, other):
        raise RuntimeError


def test_a_vector_in_one_cell_fits_or_is_void_by_itself():
    cells = np.empty(4, dtype=object)
    cells[:] = [(1, 2), (1, 99), (1,), "x"]
    assert Grid(0, 9, dim=2).fit(cells, clamp=False)[1].tolist() == [True, False, False, False]
