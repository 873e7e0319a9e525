"""Concept classes: patterns, materialization, and labels for each record."""

import math
from dataclasses import dataclass

import numpy as np
import pytest

from privpac.classes.concept_class import ConceptClass
from privpac.classes.hypothesis import Constant
from privpac.classes.lines.rules import Threshold
from privpac.classes.tree_orders.spider import Spider
from privpac.classes.vectors.half_spaces import HalfPlanes
from privpac.data.domains.listing import Listing


@dataclass(frozen=True)
class Whole(ConceptClass):
    """Both constants on a declared number of points."""

    points: int

    @property
    def size(self):
        return 2

    @property
    def domain(self):
        return Listing(tuple(range(self.points)))

    def representatives(self, points):
        return [Constant(False), Constant(True), Constant(True)]


def test_all_concepts_of_a_class_have_a_label_for_each_record_of_a_table():
    table = {"x": [0, 1, 2], "y": [0, 1, 2]}
    assert {len(h(table)) for h in HalfPlanes(3).representatives(table)} == {3}
    pairs = (["a", "b", "c"], [1, 2, 3])
    assert Spider(8).hypothesis(())(pairs).tolist() == [False] * 3
    assert str(Spider(8).hypothesis(())) == "never"


def test_patterns_and_materialize_merge_repeats():
    assert Whole(3).patterns([0, 2]).tolist() == [[False, False], [True, True]]
    c = Whole(3).materialize()
    assert c.concepts == (Constant(False), Constant(True))
    assert c.all_points == (0, 1, 2)
    assert Whole(3).log_size == math.log(2)


def test_patterns_on_repeated_points_keep_the_repeats():
    assert Whole(3).patterns([1, 1]).tolist() == [[False, False], [True, True]]


def test_the_size_is_counted_once():
    counted = []

    class Counted(Whole):
        @property
        def size(self):
            counted.append(1)
            return 2

    assert (Counted(3).log_size, len(counted)) == (math.log(2), 1)


@pytest.mark.slow
def test_more_labels_than_there_is_room_for_are_refused():
    class Many(Whole):
        def representatives(self, points):
            return [Threshold(cut) for cut in range(300)]

    with pytest.raises(ValueError, match="too many to list"):
        Many(10**6).materialize()


def test_a_large_domain_must_name_its_points():
    with pytest.raises(ValueError, match="too large to list"):
        Whole(10**6 + 1).materialize()
    assert Whole(10**6 + 1).materialize([5]).size == 2


def test_no_points_are_refused():
    with pytest.raises(ValueError, match="at least one point"):
        Whole(3).materialize([])


def test_columns_are_encoded_by_the_domain():
    assert Whole(3).encode(np.array([2, 0])).tolist() == [2, 0]
    assert Whole(3).decode(2) == 2
    with pytest.raises(ValueError, match="not declared"):
        Whole(3).encode([7])
