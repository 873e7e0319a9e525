"""The oracle of points, against the list: on a domain with many more values than the records have, they agree."""

from fractions import Fraction

import numpy as np
import pytest

from privpac.classes.values.points import OneOf, Points
from privpac.dimensions.oracle import ListedOracle, oracle_of
from privpac.dimensions.point_oracle import PointOracle, PointSet
from privpac.dimensions.witnesses import ReducingSet
from tests.grid import over
from tests.sentinels import SECRET

N, FEW = 16, 5  # records have the first five values
LISTED, CLOSED = ListedOracle(Points(N)), PointOracle(Points(2**64))
SHARES = [Fraction(i, 8) for i in range(-1, 9)]


def members(state):
    """The bits of the listed points in a state."""
    return sum(1 << v for v in range(N) if (v in state.values) != state.complement)


def random_part(rng, most=8):
    n = int(rng.integers(0, most + 1))
    ones = rng.choice([0.0, 0.2, 0.5, 0.9])
    return [(int(x), bool(rng.random() < ones)) for x in rng.integers(0, FEW, n)]


def pairs(rng):
    """The same state as bits and in closed form: what errs little on a part, with labels fixed."""
    examples = random_part(rng)
    counts, part = LISTED.part(examples), CLOSED.part(examples)
    rows, states = LISTED.low_errors(counts, SHARES), CLOSED.low_errors(part, SHARES)
    for share in SHARES:
        G, state = rows[share], states[share]
        yield G, state
        for x, y in random_part(rng, 2):
            G, state = LISTED.restrict(G, x, y), CLOSED.restrict(state, x, y)
        yield G, state


@pytest.mark.slow
def test_states_and_answers_are_those_of_the_list():
    rng = np.random.default_rng(1)
    for _ in range(150):
        for G, state in pairs(rng):
            assert (members(state), bool(state)) == (G, bool(G))
            assert CLOSED.ldim(state) == LISTED.ldim(G)
            if G:
                assert CLOSED.soa(state)(range(N)).tolist() == LISTED.soa(G)(range(N)).tolist()
            for k in range(FEW + 1):
                assert CLOSED.reducing_set(state, k) == LISTED.reducing_set(G, k)


def test_intersections_are_those_of_the_list():
    rng = np.random.default_rng(2)
    for _ in range(40):
        some = list(pairs(rng))
        for (G, one), (H, other) in zip(some, reversed(some), strict=True):
            assert members(one & other) == G & H
            assert (one & other) == (other & one)


def test_a_part_counts_its_examples():
    rng = np.random.default_rng(3)
    for size in range(60):
        examples = random_part(rng, size // 2)
        part = CLOSED.part(examples)
        assert (part.records, part.ones) == (len(examples), sum(y for _, y in examples))
        excess = {v: sum(1 - 2 * y for x, y in examples if x == v) for v, _ in examples}
        assert dict(zip(part.values.tolist(), part.excess.tolist(), strict=True)) == excess


def test_reducing_sets_do_not_depend_on_the_order_of_values():
    """Two sets that are equal, and were filled in different orders, may be read in different orders."""
    words = [f"w{i}" for i in range(300)]
    one, other = frozenset(words), frozenset(reversed(words))
    assert CLOSED.reducing_set(PointSet(one), 299) == CLOSED.reducing_set(PointSet(other), 299)
    assert CLOSED.reducing_set(PointSet(one), 298) is None
    assert CLOSED.reducing_set(PointSet(frozenset(["b", "a"])), 1) == ReducingSet(("a",), (True,), 1)


@over("value", [True, 1.0, np.uint8(1), Fraction(3, 3)])
def test_equal_values_are_one(value):
    assert CLOSED.restrict(CLOSED.everything, value, True) == PointSet(frozenset([1]))
    part = CLOSED.part([(value, True), (1, True)])
    (rule,) = map(CLOSED.soa, CLOSED.low_errors(part, [Fraction(0)]).values())
    assert rule == OneOf(frozenset([1])) and {type(v) for v in rule.values} == {int}


def test_values_of_any_kinds_are_told_apart():
    values = ["é", "e\u0301", 2**70, 2**70 + 1, -1, 0.5, ("a", 1), (), "", b"a", "😀"]
    part = CLOSED.part([(v, False) for v in values])
    assert len(part.values) == len(values)


def test_only_what_is_too_large_is_not_listed():
    assert isinstance(oracle_of(Points(400)), ListedOracle)
    with pytest.raises(ValueError, match="too many to list"):
        ListedOracle(Points(2**14 + 1))
    assert isinstance(oracle_of(Points(2**14 + 1)), PointOracle)


def test_what_has_no_answer_is_refused():
    with pytest.raises(ValueError, match="no SOA"):
        CLOSED.soa(PointSet())
    for value in (None, float("nan"), {SECRET}):
        with pytest.raises((ValueError, TypeError), match=" ") as refused:
            CLOSED.restrict(CLOSED.everything, value, True)
        assert str(SECRET) not in str(refused.value)
