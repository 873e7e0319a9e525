"""Boxes: the errors of all of them, their law, and what the certificate means on a coarse grid."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from privpac.audit.claims.case import Case, labeled
from privpac.classes.hypothesis import Constant
from privpac.classes.vectors.boxes import Box, Rectangles
from privpac.data.domains.grid import Grid
from privpac.data.samples.sample import Sample
from privpac.learners.classifier import PrivateClassifier
from privpac.learners.rules.boxes import MOST_BOXES, BoxCells, BoxStrips, RectangleLearner
from privpac.mechanisms.selection.blockwise_exponential import BlockExponential
from privpac.privacy.budget import Budget
from tests.grid import over


def sample_of(records, dim, counts=None, size=None):
    """None is a void record."""
    records, size = [record for record in records if record is not None], size or len(records)
    points = np.array([x for x, _ in records], dtype=np.int64).reshape(-1, dim)
    labels = np.array([y for _, y in records], dtype=bool)
    return Sample(points, labels, counts, size, points)


def strips(cells, sample):
    return BoxStrips.of(cells.balance(sample), sample.positives)


@over(("dim", "side", "most"), [(1, 5, 5), (2, 3, 3), (2, 7, 3), (3, 2, 2), (3, 5, 2), (2, 1, 1)])
def test_errors_are_those_of_the_boxes(dim, side, most):
    rng = np.random.default_rng(1)
    cells = BoxCells(Grid(-2, side - 3, dim), most)
    for n in (0, 1, 2, 9, 9, 9):
        counts = rng.integers(1, 5, n)
        records = [
            (tuple(x), y)
            for x, y in zip(rng.integers(-2, side - 2, (n, dim)).tolist(), rng.random(n) < 0.5, strict=True)
        ]
        sample = sample_of(records, dim, counts, int(counts.sum()) + 3)
        seen = set()
        for number, block in enumerate(strips(cells, sample)):
            for place, errors in enumerate(block.ravel().tolist()):
                rule = cells.box(number, place)
                seen.add(rule)
                assert errors == sample.errors(rule)
        assert len(seen) == cells.boxes


def test_cells_of_one_value_give_all_boxes():
    cells, rectangles = BoxCells.of(Grid(0, 2, dim=2)), Rectangles(0, 2, dim=2)
    assert (cells.width, cells.boxes) == (1, rectangles.size)
    boxes = {
        cells.box(number, i) for number, block in enumerate(strips(cells, sample_of([], 2))) for i in range(block.size)
    }
    points = list(product(range(3), repeat=2))
    assert {tuple(box(points)) for box in boxes} == {tuple(h(points)) for h in rectangles.representatives(points)}


@over("dim", [2, 3, 4, 6])
@over("side", [2, 29, 1000, 2**63 - 1])
def test_the_grid_keeps_within_the_limit(dim, side):
    cells = BoxCells.of(Grid(0, side - 1, dim))
    assert cells.boxes <= MOST_BOXES
    assert cells.width * (cells.side - 1) < side <= cells.width * cells.side
    assert cells.side > 1


def test_wide_grids_do_not_overflow():
    low, high = -(2**63), 2**63 - 1
    cells = BoxCells.of(Grid(low, high, dim=2))
    sample = sample_of([((low, low), True), ((high, high), False)], 2)
    W = cells.balance(sample)
    assert (W[0, 0], W[-1, -1], abs(W).sum()) == (1, -1, 2)


def view(records):
    return strips(BoxCells(Grid(0, 3, dim=2), 2), sample_of(records, 2))


def case(mechanism, view, epsilon=1):
    universe = [*labeled([(0, 0), (1, 3), (3, 3)]), None]
    return Case(mechanism, view, "boxes of two by two cells", universe, 3, Budget(epsilon))


@pytest.mark.slow
def test_no_neighbors_refute_it():
    assert not case(BlockExponential(Budget(1)), view).exact().refuted
    assert case(BlockExponential(Budget(1)), view, Fraction(3, 5)).exact().refuted


def test_a_broken_twin_is_refuted():
    """The records choose the grid: cells begin at the least coordinate that occurs."""

    def inferred(records):
        low = min((min(record[0]) for record in records if record), default=0)
        return strips(BoxCells(Grid(low, low + 3, dim=2), 2), sample_of(records, 2))

    assert case(BlockExponential(Budget(1)), inferred).exact().refuted


def test_the_certificate_says_what_the_grid_is():
    fine, coarse = (
        PrivateClassifier(Rectangles(0, high, dim=2), epsilon=1, method="RectangleLearner") for high in (99, 1023)
    )
    assert len(fine.learner().assumptions) == 1
    assert "cells 8 values wide" in coarse.learner().assumptions[-1]
    assert fine.certified_n() < coarse.certified_n()  # 68161537 boxes of cells, 25502501 of values


@pytest.mark.parametrize("dim", [2, 3])
def test_it_finds_boxes(dim):
    rng = np.random.default_rng(2)
    x = rng.integers(0, 16, (3000, dim))
    y = ((x >= 4) & (x <= 12)).all(axis=1)
    noisy = y ^ (rng.random(3000) < 0.1)
    learner = PrivateClassifier(
        Rectangles(0, 15, dim), epsilon=2, feature=list(range(dim)), method="RectangleLearner"
    ).fit(x, noisy.astype(int))
    assert np.mean(learner.predict(x) != y) < 0.05
    assert learner.privacy_ == Budget(2)
    assert learner.guarantee_.utility.theorem == "rule learner, Theorem 2"


def test_one_class_void_records_and_very_few():
    learner = PrivateClassifier(
        Rectangles(0, 9, dim=2), epsilon=3, feature=[0, 1], on_invalid="default", method="RectangleLearner"
    )
    for label in (0, 1):
        assert (learner.fit([(3, 4)] * 900, [label] * 900).predict([(3, 4)]) == label).all()
    assert isinstance(learner.fit([(3, 4)], [1]).hypothesis_, (Box, Constant))
    assert learner.fit([(3, 99), (3, 4)] * 900, [0, 1] * 900).predict([(3, 4)]) == [1]


def test_which_classes_it_learns():
    assert RectangleLearner.supports(Rectangles(0, 9, dim=2))
    assert not RectangleLearner.supports(Rectangles(0, 9, dim=1))  # IntervalLearner does
    assert not RectangleLearner.supports(Rectangles(0, 9, dim=17))
