"""Keyed functions: how often each number, and each two numbers, are labeled 1."""

from itertools import product

import pytest

from privpac.classes.hypothesis import Hypothesis
from privpac.classes.values.hashes import Keyed


@pytest.mark.parametrize(("p", "k"), [(5, 2), (7, 1), (11, 4)])
def test_labels_are_pairwise_independent(p, k):
    rules = [Keyed(a, b, p, k)(range(p)) for a, b in product(range(p), repeat=2)]
    assert all(sum(rule[x] for rule in rules) == k * p for x in range(p))
    assert all(sum(rule[x] and rule[y] for rule in rules) == k * k for x in range(p) for y in range(x))


def test_a_column_may_hold_anything():
    rule = Keyed(a=0, b=0, p=7, k=1)
    assert rule([0, 6, 7, -1, 2.0, 0.5, None, "2", True]).tolist() == [1, 1, 0, 0, 1, 0, 0, 0, 1]


def test_no_number_is_too_large():
    p = 2**127 - 1
    rule = Keyed(a=p - 1, b=p - 1, p=p, k=1)
    assert rule([p - 1, 0]).tolist() == [True, False]


@pytest.mark.parametrize("wrong", [{"a": 7}, {"b": -1}, {"k": 8}, {"p": 0}])
def test_a_key_lies_below_the_prime(wrong):
    with pytest.raises(ValueError, match="a and b must be"):
        Keyed(**({"a": 1, "b": 1, "p": 7, "k": 2} | wrong))
    with pytest.raises(TypeError):
        Keyed(1.5, 1, 7, 2)
    with pytest.raises(ValueError, match="Keyed"):
        Hypothesis.from_json('{"privpac": 1, "hypothesis": "Keyed", "a": 1, "b": 1, "p": 7, "k": 8}')
