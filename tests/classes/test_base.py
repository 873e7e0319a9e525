"""Hypotheses are values: frozen, readable, in JSON and back."""

import json
import math
from dataclasses import FrozenInstanceError, dataclass

import numpy as np
import pytest

from privpac.classes.base import ConceptClass, Constant, Hypothesis
from privpac.data.listing import Listing


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


def test_a_constant_is_a_frozen_value():
    assert Constant(True) == Constant(True)
    assert Constant(True)([1, 2]).tolist() == [True, True]
    with pytest.raises(FrozenInstanceError):
        Constant(True).label = False


def test_json_round_trip():
    assert Hypothesis.from_json(Constant(False).to_json()) == Constant(False)


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("", "not JSON"),
        ("[1]", "not a privpac hypothesis"),
        ('{"label": true}', "not a privpac hypothesis"),
        ('{"hypothesis": "Constant", "label": true}', "another format"),
        ('{"privpac": 2, "hypothesis": "Constant", "label": true}', "another format"),
        ('{"privpac": 1, "hypothesis": "Popen", "label": true}', "does not know"),
        ('{"privpac": 1, "hypothesis": "Constant"}', "does not know"),
        ('{"privpac": 1, "hypothesis": "Constant", "label": true, "more": 1}', "does not know"),
        ('{"privpac": 1, "hypothesis": ["Constant"], "label": true}', "does not know"),
        ('{"privpac": 1, "hypothesis": "Constant", "label": {"pickle": "x"}}', "does not hold"),
        ('{"privpac": 1, "hypothesis": "Constant", "label": "yes"}', "true or false"),
    ],
)
def test_foreign_json_is_refused(text, match):
    with pytest.raises(ValueError, match=match):
        Hypothesis.from_json(text)


def test_json_is_plain():
    assert json.loads(Constant(True).to_json()) == {"privpac": 1, "hypothesis": "Constant", "label": True}


def test_patterns_and_materialize_merge_repeats():
    assert Whole(3).patterns([0, 2]).tolist() == [[False, False], [True, True]]
    c = Whole(3).materialize()
    assert c.concepts == (Constant(False), Constant(True))
    assert c.all_points == (0, 1, 2)
    assert Whole(3).log_size == math.log(2)


def test_patterns_on_repeated_points_keep_the_repeats():
    assert Whole(3).patterns([1, 1]).tolist() == [[False, False], [True, True]]


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
    with pytest.raises(ValueError, match="unknown"):
        Whole(3).encode([7])
