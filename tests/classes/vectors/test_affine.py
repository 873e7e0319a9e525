"""Flats as rules: sentences of equations, SQL and Python that agree with the rule, the command line."""

from itertools import product

import duckdb
import numpy as np
import pandas as pd
import pytest

from privpac.classes.vectors.subspaces import AffineSubspace, AffineSubspaces
from privpac.cli.class_options import ClassOptions
from privpac.refusals.refusal import Refused
from tests.classes.definitions import assert_comes_back
from tests.grid import over


@pytest.mark.parametrize(
    ("h", "sentence"),
    [
        (AffineSubspace(2, (1, 0)), "x₁ = 1 and x₂ = 0"),
        (AffineSubspace(2, (0, 0)), "x₁ = x₂ = 0"),
        (AffineSubspace(2, (0, 0), ((1, 0), (0, 1))), "always"),
        (AffineSubspace(2, (0, 0, 0, 1, 0), ((1, 1, 0, 0, 1), (0, 0, 0, 0, 1))), "x₁ = x₂ and x₃ = 0 and x₄ = 1"),
        (AffineSubspace(2, (0, 1, 1), ((1, 1, 1),)), "x₂ = x₃ = not x₁"),
        (AffineSubspace(2, (0, 0, 1), ((1, 0, 1), (0, 1, 1))), "x₃ = x₁ ⊕ x₂ ⊕ 1"),
        (AffineSubspace(3, (0, 0), ((2, 2),)), "x₁ = x₂"),
        (AffineSubspace(3, (0, 1), ((2, 2),)), "x₂ = x₁ + 1 (mod 3)"),
        (AffineSubspace(3, (1, 0, 1), ((0, 2, 1),)), "x₁ = 1 and x₃ = 2·x₂ + 1 (mod 3)"),
    ],
)
def test_flats_read_as_equations_and_come_back(h, sentence):
    assert str(h) == sentence
    assert_comes_back(h)


def test_names_of_columns():
    h = AffineSubspace(2, (0, 0, 1), ((1, 1, 0),))
    assert h.sentence("on", "lit", "door") == "on = lit and door = 1"
    assert h.constant is None and AffineSubspace(2, (0,), ((1,),)).constant is True


@over(("p", "n"), [(2, 3), (3, 2), (5, 2)])
def test_equations_sql_and_python_say_what_the_rule_does(p, n):
    points = list(product(range(p), repeat=n))
    table = pd.DataFrame(points, columns=[f"c{i}" for i in range(n)])
    connection = duckdb.connect().register("points", table)
    rng = np.random.default_rng(p)
    for dim in range(n + 1):
        h = AffineSubspace(
            p, tuple(rng.integers(0, p, n).tolist()), tuple(map(tuple, rng.integers(0, p, (dim, n)).tolist()))
        )
        expected = h(points).tolist()
        solved = [
            all(
                (c + sum(f * x[j] for j, f in factors) - x[i]) % p == 0
                for (c, factors), equal in h.equations.items()
                for i in equal
            )
            for x in points
        ]
        assert solved == expected
        sql = connection.sql(f"SELECT {h.to_sql(*table.columns)} FROM points").fetchall()
        assert [bool(label) for (label,) in sql] == expected
        scope = {}
        exec(h.to_python(), scope)
        assert [scope["rule"](x) for x in points] == expected


def test_a_missing_value_is_not_on_a_flat():
    h = AffineSubspace(2, (0, 0), ((1, 1),))
    assert duckdb.sql(f"SELECT {h.to_sql('a', 'b')} FROM (SELECT 1 AS a, NULL::INT AS b)").fetchall() == [(0,)]
    scope = {}
    exec(h.to_python(), scope)
    assert not scope["rule"]((None, 0)) and not scope["rule"]((float("nan"), 0))


def test_sums_that_may_not_fit_are_refused():
    h = AffineSubspace(2**61 - 1, (0, 0), ((1, 7),))
    with pytest.raises(Refused, match="use to_python"):
        h.to_sql("a", "b")
    scope = {}
    exec(h.to_python(), scope)
    assert scope["rule"]((2, 14))


def test_flats_in_the_shell():
    assert ClassOptions("flats", {"length": 8, "dim": 3}).build() == AffineSubspaces(2, 8, 3)
    assert ClassOptions("flats", {"length": 4, "dim": 0, "field": 5}).build() == AffineSubspaces(5, 4, 0)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"length": 8}, "needs"),
        ({"length": 8, "dim": 9}, "between 0 and 8"),
        ({"length": 8, "dim": -1}, "between 0 and 8"),
        ({"length": 0, "dim": 0}, "number of columns"),
        ({"length": 8, "dim": 3, "field": 4}, "prime"),
    ],
)
def test_wrong_options_are_refused(given, why):
    with pytest.raises(Refused, match=why):
        ClassOptions("flats", given).build()
