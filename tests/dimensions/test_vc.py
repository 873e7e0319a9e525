"""VC dimension: the plain and the compiled search equal the definition; witnesses; honest bounds when time is short."""

import signal
import sys
import threading

import numpy as np
import pytest

from privpac.classes.concept_class import Known
from privpac.classes.finite.explicit import ExplicitClass, dual
from privpac.dimensions import vc
from privpac.dimensions.bitset import bitsets
from privpac.dimensions.time_limit import Clock, OutOfTime
from privpac.dimensions.vc import ceiling, shattered, vc_dimension
from privpac.dimensions.witnesses import ShatteredSet, verify
from tests.dimensions.oracles import naive_vc, random_rows

FOREVER = Clock(None, None)


def thresholds(n):
    return np.tri(n + 1, n, -1, dtype=int)


def intervals(n):
    return [[i <= x < j for x in range(n)] for i in range(n) for j in range(i + 1, n + 1)] + [[0] * n]


def rectangles(a):
    sides = [[i <= x <= j for x in range(a)] for i in range(a) for j in range(i, a)]
    return [np.outer(s, t).ravel() for s in sides for t in sides] + [np.zeros(a * a, dtype=bool)]


def cube(n):
    return np.array(list(np.ndindex((2,) * n)))


def checked(rows):
    """The dimension, exact and with a witness that verifies."""
    c = ExplicitClass(rows)
    d = vc_dimension(c)
    assert d.exact and verify(c, d)
    return d.value


@pytest.mark.audit
def test_equals_the_definition_on_random_classes():
    rng = np.random.default_rng()
    for _ in range(1200):
        rows = random_rows(rng, rng.choice([6, 40]), 7)
        assert checked(rows) == naive_vc(rows), rows


@pytest.mark.slow
def test_the_dual_equals_the_definition():
    rng = np.random.default_rng()
    for _ in range(200):
        rows = random_rows(rng, 7, 7)
        assert checked(dual(rows).matrix) == naive_vc(dual(rows).matrix.tolist()), rows


@pytest.mark.slow
def test_the_plain_search_finds_k_points_iff_there_are():
    rng = np.random.default_rng()
    for _ in range(200):
        rows = random_rows(rng, 100, 7)
        matrix, truth = np.array(rows, dtype=bool), naive_vc(rows)
        for k in range(1, matrix.shape[1] + 1):
            points = shattered(bitsets(matrix.T), len(matrix), k, FOREVER)
            assert (points is not None) == (truth >= k), rows
            assert points is None or len(np.unique(matrix[:, points], axis=0)) == 2**k


def test_large_classes_use_the_compiled_search(monkeypatch):
    pytest.importorskip("numba")
    monkeypatch.setattr(vc, "shattered", None)
    assert checked(rectangles(7)) == 4


def test_large_classes_do_without_numba(monkeypatch):
    monkeypatch.setitem(sys.modules, "privpac.dimensions.kernels.vc", None)
    assert checked(rectangles(6)) == 4


@pytest.mark.parametrize(
    ("rows", "value"),
    [
        ([[0, 1, 0]], 0),
        ([[1]], 0),
        ([[0], [1]], 1),
        (thresholds(40), 1),
        (np.eye(30), 1),
        (np.vstack([np.eye(30), 1 - np.eye(30)]), 3),
        (1 - np.eye(5), 1),
        (intervals(30), 2),
        (rectangles(5), 4),
        (cube(1), 1),
        (cube(6), 6),
        (cube(6)[1:], 5),
        (np.hstack([cube(5), 1 - cube(5)]), 5),
        (cube(9)[cube(9).sum(axis=1) <= 3], 3),
        (cube(9)[cube(9).sum(axis=1) == 3], 3),
    ],
)
def test_known_values(rows, value):
    assert checked(rows) == value


def test_the_empty_class():
    d = vc_dimension(ExplicitClass(np.zeros((0, 3), dtype=bool)))
    assert d.value == -1 and d.witness == ShatteredSet((), ())


@pytest.mark.slow
def test_the_ceiling_is_never_too_low():
    rng = np.random.default_rng()
    tight = 0
    for _ in range(1000):
        rows = random_rows(rng, 40, 6)
        bound, truth = ceiling(np.array(rows, dtype=bool)), naive_vc(rows)
        assert bound >= truth, rows
        tight += bound == truth
    assert tight >= 200


@pytest.mark.parametrize(
    ("rows", "bound"),
    [([[0, 1]], 0), (cube(5), 5), (cube(5)[1:], 4), (cube(8)[cube(8).sum(axis=1) <= 2], 2), (np.eye(8), 2)],
)
def test_the_ceiling_counts(rows, bound):
    assert ceiling(np.array(rows, dtype=bool)) == bound


@pytest.mark.parametrize("limit", [0, 0.001, 0.02])
def test_a_time_limit_gives_honest_bounds(limit):
    for rows in (cube(7)[::2], cube(7)[1:], np.random.default_rng(3).random((60, 12)) < 0.5, rectangles(6)):
        c = ExplicitClass(rows)
        truth, d = vc_dimension(c), vc_dimension(c, time_limit=limit)
        assert verify(c, d)
        assert 2 <= d.lower <= truth.value <= d.upper <= len(c.concepts).bit_length() - 1
        assert d.exact or d.reason == "time limit"


@pytest.mark.slow
def test_time_runs_out_in_both_searches():
    columns = bitsets(np.random.default_rng(3).random((64, 256)) < 0.5)
    with pytest.raises(OutOfTime):
        shattered(columns, 256, 7, Clock(0.05, None))
    d = vc_dimension(np.random.default_rng(3).random((2000, 100)) < 0.5, time_limit=0.5)
    assert (d.upper, d.exact) == (10, False)


@pytest.mark.audit
def test_eleven_planted_points_of_60_are_found():
    pytest.importorskip("numba")
    rng = np.random.default_rng()
    matrix, points = rng.random((5000, 60)) < 0.5, rng.choice(60, 11, replace=False)
    matrix[np.ix_(rng.choice(5000, 2048, replace=False), points)] = cube(11)
    d = vc_dimension(matrix)
    assert d.value == 11 and sorted(d.witness.points) == sorted(points) and verify(ExplicitClass(matrix), d)


@pytest.mark.slow
def test_ctrl_c_ends_all_threads():
    pytest.importorskip("numba")
    before = threading.active_count()
    ctrl_c = threading.Timer(0.5, signal.pthread_kill, (threading.get_ident(), signal.SIGINT))
    ctrl_c.start()
    with pytest.raises(KeyboardInterrupt):
        vc_dimension(np.random.default_rng(3).random((5000, 60)) < 0.5)
    ctrl_c.join()
    assert threading.active_count() == before


def test_progress_is_told():
    told = []
    vc_dimension(cube(4), progress=told.append)
    assert told == ["VC ≥ 2; trying 3"]


def test_a_closed_form_is_believed():
    class Wise(ExplicitClass):
        def known(self, kind):
            return Known(7, "[Yan25, Lemma 2]") if kind == "VC" else None

    d = vc_dimension(Wise([[0, 1]]))
    assert (d.value, d.witness, d.reason) == (7, None, "[Yan25, Lemma 2]")


def test_names_reach_the_witness():
    c = ExplicitClass([[0, 0], [0, 1], [1, 0], [1, 1]], points="ab", concepts=["none", "b", "a", "both"])
    assert vc_dimension(c).witness == ShatteredSet(("a", "b"), ("none", "b", "a", "both"))
