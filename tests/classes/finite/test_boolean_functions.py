"""Boolean functions by name, by rule and by table."""

from itertools import product

import numpy as np
import pytest

from privpac.classes.finite.boolean_functions import Gate, gate, name_of
from tests.grid import over


@over(
    ("name", "rule"),
    [("and", all), ("or", any), ("xor", lambda bits: sum(bits) % 2 == 1), ("majority", lambda b: 2 * sum(b) > len(b))],
)
@over("k", [1, 2, 3, 4])
def test_named_gates_are_what_they_are_called(name, rule, k):
    G = gate(name, k)
    assert G.arity == k
    for bits in product((False, True), repeat=k):
        assert G(*(np.array([bit]) for bit in bits)).tolist() == [rule(bits)]


def test_shapes_broadcast():
    G = gate(lambda a, b: a and not b, 2)
    assert G(np.array([[True], [False]]), np.array([True, False])).tolist() == [[False, True], [False, False]]


def test_functions_and_tables_agree():
    assert gate(lambda a, b, c: b, 3).table == gate([0, 0, 1, 1, 0, 0, 1, 1], 3).table
    assert gate(gate("not", 1), 1) == Gate("not", (True, False))


def test_sixteen_bits_do_not_overflow():
    bits = [np.array([True])] * 16
    assert gate("and", 16)(*bits).tolist() == [True]


@pytest.mark.parametrize(
    ("table", "name"),
    [
        ((False, True), "and"),
        ((True, False), "not"),
        ((False, True, True, True), "or"),
        ((False, True, True, False), "xor"),
        ((False, False, True, False), None),
        (tuple(sum(b) > 1 for b in product((0, 1), repeat=3)), "majority"),
    ],
)
def test_tables_are_called_what_they_do(table, name):
    assert name_of(table) == name


@pytest.mark.parametrize(
    ("G", "arity"),
    [
        ("nand", 2),
        ("not", 2),
        (lambda a: a, 2),
        ([0, 1], 2),
        ([0, 1, 2, 1], 2),
        (lambda a, b: None, 2),
        ("and", 0),
        ("and", 17),
        (gate("and", 2), 3),
        (lambda a, b: 0.5, 2),
    ],
)
def test_what_does_not_fit_is_refused(G, arity):
    with pytest.raises(ValueError):
        gate(G, arity)


def test_too_few_bits_are_refused():
    with pytest.raises(ValueError, match="reads 2 bits but got 1"):
        gate("or", 2)(np.array([True]))
