"""One draw among sets of codes: errors by definition; every set in one cell, whose bound it respects; the law."""

import tracemalloc
from fractions import Fraction
from itertools import combinations, product
from math import exp

import numpy as np
import pytest
from flint import ctx
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from privpac.data.samples.sample import Sample
from privpac.data.values.columns import objects
from privpac.exact.entropy import SYSTEM
from privpac.mechanisms.values import code_set_draw as code_cells
from privpac.mechanisms.values.code_bearers import Bearers
from privpac.mechanisms.values.code_set_draw import CodeCells
from privpac.mechanisms.values.code_sets import AnyCodeExponential
from privpac.privacy.budget import Budget
from privpac.privacy.rounding import ball
from tests.grid import over
from tests.statistics import assert_matches

CELLS = st.sets(st.sampled_from("abcd"), max_size=3).map(lambda codes: tuple(sorted(codes)))
RECORDS = st.lists(st.tuples(CELLS, st.booleans(), st.integers(1, 3)), max_size=7)


def bearers(records):
    points, labels = objects(x for x, *_ in records), np.array([y for _, y, _ in records], dtype=bool)
    return Bearers.of(Sample(points, labels, np.array([m for *_, m in records], dtype=np.int64), 99))


def errors(records, A):
    return sum(m for x, y, m in records if bool(set(x) & set(A)) != y)


def weights(mechanism, records):
    """By definition."""
    seen = sorted({code for x, y, _ in records if y for code in x})
    r, a = exp(float(mechanism.cost.epsilon / 2)), exp(mechanism.log_a)
    sets = [A for i in range(mechanism.k + 1) for A in combinations(seen, i)]
    return {frozenset(A): a ** len(A) * r ** -errors(records, A) for A in sets}


@settings(max_examples=100, deadline=None)
@given(RECORDS, st.integers(1, 3))
def test_the_law_is_that_of_the_definition(records, k):
    mechanism = AnyCodeExponential(Budget(1, "0.3"), k, 3)
    expected = weights(mechanism, records)
    law, total = mechanism.law(bearers(records)), sum(expected.values())
    assert set(law) == set(expected)
    assert all(float(law[A]) == pytest.approx(expected[A] / total, rel=1e-9) for A in law)


def opened(records, k, s, H, times, rng):
    """Cells after some openings, with the first H codes heavy."""
    mechanism, data = AnyCodeExponential(Budget(1, "0.3"), k, s), bearers(records)
    cells = CodeCells(data, min(H, len(data.codes)), k=k, s=s, rate=mechanism.cost.epsilon / 2, log_a=mechanism.log_a)
    for _ in range(times):
        large = [(i, int(v)) for i, cell in enumerate(cells.cells) if cell.m > 1 for v in np.flatnonzero(cell.own)]
        tails = [
            i
            for i, cell in enumerate(cells.cells)
            if cell.tail and len(cell.codes) and len(data.codes) - H >= cell.m > 0
        ]
        if tails and rng.random() < 0.3:
            cells.split_off_light(rng.choice(tails))
        elif large:
            cells.split_off(*rng.choice(large))
    return mechanism, data, cells


def proposals(cells, i, monkeypatch):
    """Every proposal of cell i and its probability, by following every choice that ``draw_place`` can make."""
    found, todo = [], [()]
    while todo:
        path = todo.pop()
        made = []

        def follow(parts, coins, path=path, made=made):
            there = np.flatnonzero(parts).tolist()
            place = path[len(made)] if len(made) < len(path) else there[0]
            if len(made) >= len(path):
                todo.extend((*path, *made[len(path) :], other) for other in there[1:])
            made.append(place)
            return place, Fraction(int(parts[place]), int(parts.sum()))

        monkeypatch.setattr(code_cells, "draw_place", follow)
        found.append(cells.propose(cells.cells[i], SYSTEM))
    return found


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(RECORDS, st.integers(1, 3), st.integers(0, 4), st.integers(0, 6), st.randoms(use_true_random=False))
def test_every_set_is_in_one_cell_whose_bound_it_respects(monkeypatch, records, k, H, times, rng):
    """Every proposal of every cell is listed, after any openings: shares add up to 1, and no set exceeds its share."""
    mechanism, data, cells = opened(records, k, 3, H, times, rng)
    assert named_sets(data, cells, monkeypatch) == set(weights(mechanism, records))


def named_sets(data, cells, monkeypatch):
    """All sets of the cells, by their names; asserts that no set is in two cells or exceeds its share."""
    where = {}
    for i, cell in enumerate(cells.cells):
        with monkeypatch.context() as patched:
            made = proposals(cells, i, patched)
        chances = {}
        for A, _, share in made:
            if len(set(A)) == len(A):
                chances.setdefault(frozenset(A), set()).add(share)
                where.setdefault(frozenset(A), set()).add(i)
                with ctx.workprec(128):
                    assert cells.acceptance(i, A, share) <= 1
                    assert cells.acceptance(i, A, share) * ball(share) > 0
        assert all(len(each) == 1 for each in chances.values())
        assert sum(chances[A].pop() for A in chances) <= 1
        assert all(len(A) == len(cell.B) + cell.m for A in chances)
    assert all(len(each) == 1 for each in where.values())
    return {frozenset(data.codes[v] for v in A) for A in where}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(RECORDS, st.integers(1, 3), st.integers(0, 4), st.integers(0, 9), st.randoms(use_true_random=False))
def test_after_any_rejections_every_set_is_in_one_cell(monkeypatch, records, k, H, times, rng):
    """As a draw leaves them: the empty set, too, stays in one cell when it is rejected."""
    mechanism, data, cells = opened(records, k, 3, H, 0, rng)
    shown = iter([False] * times + [True] * 2)
    with monkeypatch.context() as patched:
        patched.setattr(code_cells, "draw_group", lambda weights, coins: rng.randrange(len(weights.scores)))
        patched.setattr(code_cells, "single_head", lambda p, coins: next(shown))
        cells.draw(SYSTEM)
    assert named_sets(data, cells, monkeypatch) == set(weights(mechanism, records))


def test_cells_of_codes_one_by_one_are_bounded_exactly():
    records = [(("a", "b"), True, 9), (("b", "c"), True, 5), (("c",), False, 3), (("a",), False, 2), (("d",), True, 1)]
    _, data, cells = opened(records, 1, 2, 4, 0, None)
    for v in range(4):
        i = next(i for i, cell in enumerate(cells.cells) if cell.m == 1)
        made = cells.cell_bound(cells.cells[i])
        place = cells.cells[i].codes.tolist().index(v)
        assert made.score + np.log(made.chain.x[place]) / float(cells.rate) == pytest.approx(-data.errors((v,)))


def test_many_heavy_codes_take_few_proposals():
    """600 codes of 40 to 80 records each, so 6·10^11 sets of five, and no rule explains the labels."""
    rng = np.random.default_rng(5)
    rows, labels = rng.integers(0, 600, (8000, 4)), rng.random(8000) < 0.5
    data = bearers([(tuple(sorted({f"{v}" for v in row})), bool(y), 1) for row, y in zip(rows, labels, strict=True)])
    cells = AnyCodeExponential(Budget(1, 1e-6), 5, 4).cells(data)
    assert len(cells.heavy.codes) > 100
    cells.draw(SYSTEM)
    assert len(cells.cells) < 1000


MIXED = [(("a", "b"), True, 2), (("b", "c"), True, 1), (("c",), False, 1), (("a",), False, 1), (("d",), True, 1)]


@pytest.mark.audit
@over("H", (0, 2, 4))
def test_releases_follow_the_law(H, monkeypatch):
    """The law is the same for all cells, so all draws share one division, which rejections make finer."""
    mechanism, data = AnyCodeExponential(Budget(2, "0.7"), 3, 2), bearers(MIXED)
    made = CodeCells(data, H, k=3, s=2, rate=mechanism.cost.epsilon / 2, log_a=mechanism.log_a)
    monkeypatch.setattr(AnyCodeExponential, "cells", lambda self, data: made)
    law = mechanism.law(data)
    unheard = AnyCodeExponential(Budget(2, "0.7"), 3, 1).law(data)
    assert_matches(lambda: mechanism.release(data, SYSTEM), law, must_reject=unheard, draws=2000)


@over(("cost", "s"), product([Budget(1, 1e-6), Budget("0.2", "0.3"), Budget(6, "0.9")], [1, 2, 5]))
def test_a_is_as_large_as_privacy_allows(cost, s):
    a, odds = exp(AnyCodeExponential(cost, 3, s).log_a), float(cost.delta / (1 - cost.delta))
    spent = exp(float(cost.epsilon / 2)) * ((1 + a) ** s - 1)
    assert odds * (1 - 1e-5) < spent <= odds * (1 + 1e-9)


def test_a_wide_positive_record_fills_no_memory():
    """Pairs of codes are counted in negative records only, and here are none."""
    data = bearers([(tuple(f"{i:04}" for i in range(4000)), True, 1)])
    tracemalloc.start()
    try:
        assert not data.first(1).shared(2).any()
        assert tracemalloc.get_traced_memory()[1] < 2**26
    finally:
        tracemalloc.stop()


@over("k", (0, 21, 200))
def test_sets_too_large_for_floats_are_refused_before_anything_is_spent(k):
    """With 200 codes or more in a set, whether floats overflowed depended on the records."""
    with pytest.raises(ValueError, match="at most 20 codes"):
        AnyCodeExponential(Budget(1, 1e-6), k, 1)


def test_a_set_may_have_as_many_codes_as_are_allowed():
    many = bearers([((f"{i}",), True, 1) for i in range(20000)])
    assert len(AnyCodeExponential(Budget(1, 1e-6), 20, 1).release(many, SYSTEM)) <= 20


def test_light_codes_weigh_little_together():
    records = [((f"{i}",), True, 1) for i in range(500)] + [(("x", "y"), True, 90), (("y",), False, 40)]
    cells = AnyCodeExponential(Budget(1, 1e-6), 3, 2).cells(bearers(records))
    assert len(cells.heavy.codes) == 2


def test_equal_sets_are_released_in_one_order_whichever_code_more_records_bear():
    """Of two codes that fall into the same place of a set, the one that comes first would stay there."""
    pairs = (("x", str(i)) for i in range(1000))
    first, second = next(pair for pair in pairs if list(frozenset(pair)) != list(frozenset(pair[::-1])))
    mechanism, orders = AnyCodeExponential(Budget(50, "1e-6"), 2, 1), []
    for many, few in ((first, second), (second, first)):
        data = bearers([((many,), True, 400), ((few,), True, 300), ((), False, 500)])
        orders.append([list(mechanism.release(data, SYSTEM)) for _ in range(8)])
    assert orders[0] == orders[1]
    assert set(map(len, orders[0])) == {2}
