"""The numbers that published bounds are made of."""

import math

import numpy as np
import pytest

from privpac.classes import And, ExplicitClass, HalfPlanes, Intervals, Not, Or, Points, RootPaths, Thresholds
from privpac.dimensions import littlestone_dimension, threshold_dimension, vc_dimension
from privpac.planning.dimension_bounds import at_most


def test_dimensions_of_explicit_classes_are_measured():
    H = ExplicitClass(np.random.default_rng(5).random((12, 8)) < 0.5)
    searches = {"VC": vc_dimension, "Littlestone": littlestone_dimension, "threshold": threshold_dimension}
    assert {kind: at_most(H, kind) for kind in searches} == {kind: f(H).value for kind, f in searches.items()}


def test_closed_forms_are_taken():
    assert at_most(Thresholds(0, 2**64 - 1, direction="above"), "threshold") == 2**64
    assert at_most(RootPaths(), "Littlestone") == math.inf
    assert at_most(HalfPlanes(10), "Littlestone") is None


@pytest.mark.parametrize(
    "H",
    [
        And(Thresholds(0, 5, direction="above"), Thresholds(0, 5, direction="below")),
        Or(Intervals(0, 6), Intervals(0, 6)),
        And(Points(5), Thresholds(0, 4, direction="above")),
        Not(Intervals(0, 5)),
    ],
    ids=str,
)
def test_a_composition_shatters_no_more_than_its_parts_allow(H):
    points = list(range(H.parts[0].domain.size))
    assert at_most(H, "VC") >= vc_dimension(H.materialize(points)).value


def test_a_composition_of_unknown_parts_is_unknown():
    assert at_most(And(HalfPlanes(4), HalfPlanes(4)), "Littlestone") is None
