"""Using a domain does not change what it is."""

from copy import copy
from pickle import dumps, loads

import pytest

from privpac.classes.explicit import ExplicitClass
from privpac.classes.line import Thresholds
from privpac.classes.taxonomy import Taxonomy
from privpac.data.hierarchy import Hierarchy
from privpac.data.line import Line
from privpac.data.listing import Listing


@pytest.mark.parametrize(
    ("value", "use"),
    [
        (Line(0.0, 9.0), lambda line: line.encode([1.5, 2.5])),
        (Line("a", "zz"), lambda line: line.decode(3)),
        (Listing(("a", "b")), lambda listing: listing.encode(["b"])),
        (Hierarchy.read({"J10": "J", "K": "J"}), lambda tree: (tree.depth, tree.encode(["K"]))),
        (Thresholds(0, 99), lambda thresholds: thresholds.domain.encode([5])),
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
