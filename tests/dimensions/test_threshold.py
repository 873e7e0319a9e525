"""Threshold dimension: the search equals the definition; witnesses; honest bounds when time is short."""

from time import monotonic

import numpy as np
import pytest

from privpac.classes.concept_class import Known
from privpac.classes.finite.explicit import ExplicitClass, dual
from privpac.dimensions.threshold import _Search, gf2_rank, threshold_dimension
from privpac.dimensions.time_limit import Clock, OutOfTime
from privpac.dimensions.witnesses import ThresholdSequence, verify
from tests.dimensions.oracles import naive_threshold, random_rows

FOREVER = Clock(None, None)


def intervals(n):
    return [[i <= x < j for x in range(n)] for i in range(n) for j in range(i + 1, n + 1)]


def cube(n):
    return np.array(list(np.ndindex((2,) * n)))


def checked(rows):
    """The dimension, exact and with a witness that verifies."""
    c = ExplicitClass(rows)
    d = threshold_dimension(c)
    assert d.exact and verify(c, d)
    return d.value


@pytest.mark.audit
def test_equals_the_definition_on_random_classes():
    rng = np.random.default_rng()
    for _ in range(1200):
        rows = random_rows(rng, 8, 6)
        assert checked(rows) == naive_threshold(rows), rows


@pytest.mark.slow
def test_the_search_alone_equals_the_definition():
    """Neither the beam nor the rank help."""
    rng = np.random.default_rng()
    for _ in range(500):
        rows = random_rows(rng, 8, 6)
        search, truth = _Search(np.array(rows, dtype=bool), FOREVER), naive_threshold(rows)
        for k in range(truth + 2, 0, -1):
            pairs = search.sequence(search.R, search.C, k)
            assert (pairs is not None) == (k <= truth), rows
            labels = [[rows[c][x] for _, x in pairs or ()] for c, _ in pairs or ()]
            assert pairs is None or labels == np.triu(np.ones((k, k), dtype=int)).tolist()


@pytest.mark.slow
def test_the_dual_and_the_reverse():
    """Read backwards, a sequence of the dual is one of the class."""
    rng = np.random.default_rng()
    for _ in range(200):
        rows = random_rows(rng, 8, 6)
        assert checked(rows) == checked(dual(rows).matrix), rows


@pytest.mark.parametrize(
    ("rows", "value"),
    [
        ([[0]], 0),
        ([[1]], 1),
        ([[0, 0]], 0),
        ([[1, 1]], 1),
        ([[0], [1]], 1),
        (np.tri(60, dtype=int), 60),
        (np.tri(60, dtype=int)[:, ::-1], 60),
        (np.tri(61, 60, -1, dtype=int), 60),
        (np.tri(60, 61, dtype=int), 60),
        (np.eye(20), 1),
        (1 - np.eye(20), 2),
        (intervals(25), 25),
        (cube(4), 4),
        (np.kron(np.eye(3), np.tri(7)), 7),
    ],
)
def test_known_values(rows, value):
    assert checked(rows) == value


def test_the_empty_class():
    d = threshold_dimension(ExplicitClass(np.zeros((0, 3), dtype=bool)))
    assert d.value == 0 and d.witness == ThresholdSequence((), ())


@pytest.mark.slow
def test_bounds_are_never_too_low():
    rng = np.random.default_rng()
    tight = np.zeros(2)
    for _ in range(600):
        rows = random_rows(rng, 8, 6)
        search, truth = _Search(np.array(rows, dtype=bool), FOREVER), naive_threshold(rows)
        bounds = np.array([gf2_rank(search.rows, FOREVER), search.upper_bound(search.remainder(search.R, search.C))])
        assert (bounds >= truth).all(), rows
        tight += bounds == truth
    assert (tight >= 100).all()


@pytest.mark.parametrize(
    ("rows", "bound"), [(np.tri(9), 9), (np.eye(9), 1), (1 - np.eye(9), 2), (cube(4), 4), (np.tri(9, 8, -1), 8)]
)
def test_counting_leaves_so_much_room(rows, bound):
    search = _Search(np.array(rows, dtype=bool), FOREVER)
    assert search.upper_bound(search.remainder(search.R, search.C)) == bound


def test_rank_is_that_over_two_elements():
    rng = np.random.default_rng()
    for _ in range(300):
        rows = [int(row) for row in rng.integers(0, 2**6, size=rng.integers(0, 9))]
        span = {0}
        for row in rows:
            span |= {row ^ other for other in span}
        assert 2 ** gf2_rank(rows, FOREVER) == len(span), rows


@pytest.mark.parametrize("limit", [0, 0.001, 0.02])
def test_a_time_limit_gives_honest_bounds(limit):
    rng = np.random.default_rng()
    for density in (0.3, 0.5, 0.7):
        c = ExplicitClass(rng.random((18, 18)) < density)
        truth, d = threshold_dimension(c), threshold_dimension(c, time_limit=limit)
        assert verify(c, d) and truth.exact
        assert d.lower <= truth.value <= d.upper <= 18, c.matrix.tolist()
        assert d.exact or d.reason == "time limit"


@pytest.mark.slow
def test_time_runs_out_everywhere():
    search = _Search(np.random.default_rng(3).random((64, 64)) < 0.5, Clock(0, None))
    for step in (
        lambda: search.beam(1),
        lambda: search.sequence(search.R, search.C, 9),
        lambda: gf2_rank([1], search.clock),
    ):
        with pytest.raises(OutOfTime):
            step()
    d = threshold_dimension(np.random.default_rng(3).random((64, 64)) < 0.5, time_limit=0.5)
    assert 8 <= d.lower < d.upper < 64


def test_progress_is_told():
    told = []
    threshold_dimension(np.random.default_rng(3).random((14, 14)) < 0.5, progress=told.append)
    assert told[0].startswith("threshold between ")


def test_a_closed_form_is_believed():
    class Wise(ExplicitClass):
        def known(self, kind):
            return Known(7, "[Yan25, Lemma 4]") if kind == "threshold" else None

    d = threshold_dimension(Wise([[0, 1]]))
    assert (d.value, d.witness, d.reason) == (7, None, "[Yan25, Lemma 4]")


@pytest.mark.slow
def test_an_antichain_obeys_the_clock():
    """Sets of one size do not contain each other; to find that out must not take the square of their number."""
    rng = np.random.default_rng(0)
    sets = np.argsort(rng.random((6000, 30)), axis=1) < 15
    start = monotonic()
    d = threshold_dimension(sets, time_limit=0.5)
    assert monotonic() - start < 5
    assert d.lower <= d.upper


@pytest.mark.audit
def test_forced_pairs_take_no_depth():
    """A long chain above a small random core: the chain is forced, pair by pair."""
    n, core = 1200, np.random.default_rng(0).random((6, 6)) < 0.5
    chain = np.triu(np.ones((n, n), bool))
    class_ = np.block([[chain, np.ones((n, 6), bool)], [np.zeros((6, n), bool), core]])
    d = threshold_dimension(class_)
    assert d.value == n + threshold_dimension(core).value
    assert verify(class_, d)
