"""Points and sparse sets: patterns, dimensions, the Littlestone oracle, JSON, hostile input."""

import math
from datetime import date, datetime
from decimal import Decimal
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privpac.classes.compositions.compose import Not
from privpac.classes.values.points import OneOf, Points, Seen, SparseSets
from privpac.dimensions import threshold_dimension
from tests.classes.definitions import assert_comes_back, assert_known, assert_patterns, littlestone, rows_of
from tests.grid import over

ENDLESS = 40  # stands for a domain without bound: far more values than points or k


def points(N):
    return [lambda x, v=v: x == v for v in range(N)]


def sets(N, k):
    return [lambda x, s=s: x in s for i in range(k + 1) for s in combinations(range(N), i)]


@over("N", range(1, 7))
def test_points_have_the_dimensions_of_their_definition(N):
    assert_known(Points(N), points(N), range(N))
    assert Points(N).size == N


def test_unbounded_points_have_the_dimensions_of_many():
    assert_known(Points(), points(8), range(8))
    assert Points().size == math.inf


@over(("N", "k"), [(N, k) for N in range(1, 6) for k in range(5)])
def test_sparse_sets_have_the_dimensions_of_their_definition(N, k):
    assert_known(SparseSets(k, N), sets(N, k), range(N))
    assert SparseSets(k, N).size == len(rows_of(sets(N, k), range(N)))


@pytest.mark.parametrize("k", range(4))
def test_unbounded_sparse_sets_have_the_dimensions_of_many(k):
    assert_known(SparseSets(k), sets(7, k), range(7))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 4), min_size=1, max_size=7), st.integers(0, 3))
def test_patterns_are_those_of_all_concepts(P, k):
    assert_patterns(Points(5), points(5), P)
    assert_patterns(Points(), points(ENDLESS), P)
    assert_patterns(SparseSets(k, 5), sets(5, k), P)
    assert_patterns(SparseSets(k), sets(9, k), P)


def test_the_pattern_of_no_point_takes_a_value_beside_the_points():
    assert Points(3).patterns(["a", "b", "c"]).sum() == len(Points(3).patterns(["a", "b", "c"])) == 3
    assert len(Points(4).patterns(["a", "b", "c"])) == 4


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 3), st.sampled_from([3, 4, None]), st.lists(st.tuples(st.integers(0, 2), st.booleans())))
def test_the_oracle_knows_every_version_space(k, N, labels):
    cls, whole = SparseSets(k, N), N or 8
    state, rows = Seen(), rows_of(sets(whole, k), range(whole))
    for x, y in labels:
        state, rows = cls.restrict(state, x, y), {row for row in rows if row[x] == y}
        if state is None:
            assert not rows
            return
        assert cls.ldim(state) == littlestone(rows)
        prediction = cls.soa(state)(range(whole)).tolist()
        for z in range(whole):
            parts = [{row for row in rows if row[z] == label} for label in (False, True)]
            dims = [littlestone(part) if part else -1 for part in parts]
            assert dims[prediction[z]] == max(dims)


def test_no_version_space_has_more_values_than_there_are():
    cls = SparseSets(2, 2)
    full = cls.restrict(cls.restrict(Seen(), "a", False), "b", True)
    assert cls.ldim(full) == 0
    assert cls.restrict(full, "c", False) is None


def test_predictions_are_canonical():
    cls = SparseSets(3)
    one = cls.restrict(cls.restrict(Seen(), "a", True), "b", True)
    other = cls.restrict(cls.restrict(Seen(), "b", True), np.str_("a"), True)
    assert one == other
    assert hash(cls.soa(one)) == hash(cls.soa(other)) == hash(cls.close(["b", "a", "b"]))
    assert cls.close([1, 2, 3, 4]) is None
    assert SparseSets(3, 2).close([]) == OneOf(frozenset())


@pytest.mark.parametrize(
    ("value", "column", "labels"),
    [
        ("UA", ["UA", "ua", None, 3, ("UA",)], [1, 0, 0, 0, 0]),
        ("UA", np.array(["UA", "B6"]), [1, 0]),
        ("UA", pd.Series(["UA", None, "B6"]), [1, 0, 0]),
        ("UA", pd.Series(["UA", None, "B6"], dtype="category"), [1, 0, 0]),
        (("UA", 1), [("UA", 1), ("UA", 2)], [1, 0]),
        (("UA", 1), pd.DataFrame({"carrier": ["UA", "UA"], "flight": [1, 2]}), [1, 0]),
        ((0, 1), np.array([[0, 1], [1, 1]]), [1, 0]),
        (2**53 + 1, np.array([2**53, 2**53 + 1]), [0, 1]),
        (2**53 + 1, np.array([2.0**53, 2.0**53 + 2]), [0, 0]),
        (2.0**53, np.array([2**53, 2**53 + 1]), [1, 0]),
        (2**70, np.array([1.0, 2.0**70]), [0, 1]),
        (10**400, np.array([1.0, math.inf, math.nan]), [0, 0, 0]),
        (0.1, np.array([0.1], dtype=np.float32), [0]),
        (300, np.array([44], dtype=np.uint8), [0]),
        (5, pd.Series([5, None]), [1, 0]),
        (5, pd.Series([5, None], dtype="Int64"), [1, 0]),
        (math.nan, [math.nan, None, 1.0], [0, 0, 0]),
        (math.inf, np.array([1]), [0]),
        (math.inf, np.array([math.inf, -math.inf]), [1, 0]),
        (Decimal("NaN"), np.array([math.nan]), [0]),
        (date(2026, 1, 1), [date(2026, 1, 1), None], [1, 0]),
        (datetime(2026, 1, 1), np.array(["2026-01-01", "2026-01-02", "NaT"], "M8[D]"), [1, 0, 0]),
        (datetime(2026, 1, 1), pd.Series(pd.to_datetime(["2026-01-01", "2026-01-02", None])), [1, 0, 0]),
        (date(9999, 1, 1), np.array(["2026-01-01"], "M8[ns]"), [0]),
        (date(2026, 1, 1), np.array(["2026-01-01T00", "2026-01-01T05"], "M8[h]"), [1, 0]),
        (Decimal("0.5"), np.array([0.5, 0.25]), [1, 0]),
        ("a\x00", np.array(["a"]), [0]),
        ("\u00e9", ["\u00e9", "e\u0301"], [1, 0]),
        (5, [], []),
        (5, np.array([], dtype=int), []),
    ],
)
def test_columns_of_every_type(value, column, labels):
    assert OneOf(frozenset([value]))(column).tolist() == [bool(label) for label in labels]


@pytest.mark.parametrize(
    "values",
    [[], [1, 2**100], ["é", "e\u0301", "\ud800"], [("a", 1), ("b", date(2026, 1, 1))], [Decimal("0.10")], [0.1, 5e-9]],
)
def test_json(values):
    assert_comes_back(OneOf(frozenset(values)))


def test_sentences():
    assert str(OneOf(frozenset(["b", 10, 9, "a"]))) == "x is one of 9, 10, a, b"
    assert OneOf(frozenset(["EV"])).sentence("carrier") == "carrier = EV"


@pytest.mark.parametrize("size", [0, -1, 2.5, True, "3"])
def test_bad_declarations(size):
    with pytest.raises((ValueError, TypeError), match=r"whole number|must be int"):
        Points(size)
    with pytest.raises((ValueError, TypeError), match=r"whole number|must be int"):
        SparseSets(2, size)
    if size != 0:
        with pytest.raises((ValueError, TypeError), match=r"at least 0|must be int"):
            SparseSets(size)


@pytest.mark.parametrize("cls", [Points(2), SparseSets(1, 2)])
def test_values_that_do_not_fit_are_refused_without_a_quote(cls):
    with pytest.raises(ValueError, match="more distinct values") as caught:
        cls.representatives([987654321, 2, 3])
    assert "987654321" not in str(caught.value)
    with pytest.raises(ValueError, match="missing"):
        cls.encode([1, None])
    with pytest.raises(TypeError):
        cls.encode("text")
    with pytest.raises(TypeError):
        OneOf(frozenset([1]))([{1: 987654321}])


def test_rows_of_a_table_are_points():
    rows = np.array([["EV", "a"], ["UA", "b"], ["EV", "a"]])
    assert Points().materialize(rows).all_points == (("EV", "a"), ("UA", "b"))
    assert Points().patterns(rows).tolist() == [[True, False, True], [False, True, False], [False] * 3]


def test_too_many_sets_are_refused_before_they_are_built():
    with pytest.raises(ValueError, match="too many to list"):
        SparseSets(5, 1000).materialize()


@pytest.mark.parametrize("N", [1, 2, 3, 4, 7])
def test_complements_of_points_know_their_threshold_dimension(N):
    co = Not(Points(N))
    assert co.known("threshold").value == threshold_dimension(co.materialize()).value
    assert co.known("dual threshold").value == threshold_dimension(co.materialize().dual()).value


def test_complements_of_any_points_have_threshold_dimension_two():
    assert Not(Points()).known("threshold").value == 2
