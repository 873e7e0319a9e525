"""Budgets are exact: they add, compare and split like the fractions they are."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privpac.privacy.budget import Budget, as_rational, mechanism_budget

F = Fraction
BUDGETS = st.builds(Budget, st.fractions(0, 10**6), st.fractions(0, 1))


@pytest.mark.parametrize(
    ("value", "fraction"),
    [
        (0.1, F(1, 10)),
        (1e-6, F(1, 10**6)),
        (np.float64(0.1), F(1, 10)),
        (3, F(3)),
        (np.int8(100), F(100)),
        ("0.1", F(1, 10)),
        ("1/3", F(1, 3)),
        (Decimal("0.1"), F(1, 10)),
        (F(2, 7), F(2, 7)),
        (5e-324, F(5, 10**324)),
        (1e308, F(10**308)),
        ("1e-400", F(1, 10**400)),
    ],
)
def test_numbers_are_read_as_they_are_written(value, fraction):
    assert as_rational(value, "epsilon") == fraction
    assert type(as_rational(value, "epsilon").numerator) is int


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_is_read_as_it_prints(value):
    assert as_rational(value, "epsilon") == F(Decimal(repr(value)))


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), -np.inf, "abc", "", "1/0", Decimal("NaN"), Decimal("inf")]
)
def test_what_is_not_finite_is_refused(value):
    with pytest.raises(ValueError, match="epsilon must be a finite number"):
        as_rational(value, "epsilon")


@pytest.mark.parametrize("value", [True, np.True_, None, 1j, [1], np.array([1.0]), b"1"])
def test_what_is_no_number_is_refused(value):
    with pytest.raises(TypeError, match="epsilon must be a number"):
        as_rational(value, "epsilon")


def test_three_tenths_are_three_times_one_tenth():
    assert Budget(0.1) + Budget(0.1) + Budget(0.1) == Budget(0.3)
    assert sum([Budget(0.1, 1e-7)] * 10, Budget(0)) == Budget(1, 1e-6)
    assert 0.1 + 0.1 + 0.1 > 0.3  # which is why


def test_numpy_integers_do_not_overflow():
    assert Budget(np.int8(100)) + Budget(np.int8(100)) == Budget(200)
    assert (Budget(np.int64(3)) + Budget("1e-30")).epsilon == 3 + F(1, 10**30)


@pytest.mark.parametrize("parameters", [(-1,), (-1e-300,), (1, -1e-9), (1, 1.0000001), (1, 2)])
def test_impossible_budgets_are_refused(parameters):
    with pytest.raises(ValueError):
        Budget(*parameters)


def test_the_ends_are_budgets():
    assert Budget(0).delta == 0 and Budget(0, 1).delta == 1


@pytest.mark.slow
@given(BUDGETS, BUDGETS, BUDGETS)
def test_addition_is_commutative_associative_and_grows(a, b, c):
    assert a + b == b + a
    assert (a + b) + c == a + (b + c)
    assert a <= a + b


@pytest.mark.slow
@given(BUDGETS, BUDGETS)
def test_subtraction_undoes_addition(a, b):
    if a.delta + b.delta <= 1:
        assert (a + b) - b == a


def test_more_than_there_is_cannot_be_taken():
    for more in (Budget(2), Budget(1, 1e-6), Budget("1.0000000000000000001")):
        with pytest.raises(ValueError, match="cannot subtract"):
            Budget(1) - more


@pytest.mark.slow
@given(BUDGETS, BUDGETS, BUDGETS)
def test_the_order_is_a_partial_order(a, b, c):
    assert a <= a
    assert not (a <= b <= a) or a == b
    assert not (a <= b <= c) or a <= c
    assert (a >= b) == (b <= a)


def test_some_budgets_cannot_be_compared():
    assert not Budget(1, 1e-6) <= Budget(2) and not Budget(2) <= Budget(1, 1e-6)
    with pytest.raises(TypeError):
        Budget(1) < Budget(2)  # noqa: B015
    for other in (1, 1.0, (1, 0), None):
        with pytest.raises(TypeError):
            Budget(1) <= other  # noqa: B015
        with pytest.raises(TypeError):
            Budget(1) + other
        with pytest.raises(TypeError):
            Budget(1) - other


def test_delta_saturates():
    assert Budget(1, 0.7) + Budget(1, 0.7) == Budget(2, 1)


@given(BUDGETS, st.integers(1, 50))
def test_equal_shares_add_up(budget, parts):
    shares = budget.split(parts)
    assert len(set(shares)) == 1 and len(shares) == parts
    assert sum(shares, Budget(0)) == budget


@pytest.mark.audit
@given(BUDGETS, st.lists(st.fractions(F(1, 100), 100) | st.floats(0.01, 100), min_size=1, max_size=8))
def test_weighted_shares_add_up(budget, weights):
    shares = budget.split(weights)
    assert sum(shares, Budget(0)) == budget
    assert shares[0].epsilon * sum(as_rational(w, "w") for w in weights) == budget.epsilon * as_rational(
        weights[0], "w"
    )


@pytest.mark.parametrize("parts", [0, -1, [], [1, 0], [1, -1], [float("nan")]])
def test_impossible_splits_are_refused(parts):
    with pytest.raises(ValueError):
        Budget(1).split(parts)


@given(BUDGETS)
def test_the_representation_reads_back(budget):
    assert eval(repr(budget)) == budget


@pytest.mark.parametrize(
    ("budget", "text"),
    [
        (Budget(1), "ε = 1"),
        (Budget(0.1, 1e-6), "ε = 0.1, δ = 1e-06"),
        (Budget("1/3"), "ε = 0.333333"),
        (Budget(0), "ε = 0"),
    ],
)
def test_budgets_read_as_sentences(budget, text):
    assert str(budget) == text


def test_budgets_are_values():
    assert len({Budget(0.5), Budget("1/2"), Budget(F(1, 2), 0)}) == 1
    with pytest.raises(AttributeError):
        Budget(1).epsilon = F(2)


@pytest.mark.parametrize("epsilon", [0, -1, 0.0, -1e-300, "0"])
def test_a_mechanism_needs_a_positive_epsilon(epsilon):
    with pytest.raises(ValueError, match="epsilon must be positive"):
        mechanism_budget(epsilon)


@pytest.mark.parametrize("delta", [0, 1, -1e-9, 1.5, "1"])
def test_an_approximate_mechanism_needs_a_delta_strictly_inside(delta):
    with pytest.raises(ValueError, match="delta must lie strictly between 0 and 1"):
        mechanism_budget(1, delta, approximate=True)


@pytest.mark.parametrize("delta", [1, -1e-9, 1.5])
def test_no_mechanism_has_a_delta_of_one(delta):
    with pytest.raises(ValueError, match=r"delta must lie in \[0, 1\)"):
        mechanism_budget(1, delta)


def test_a_mechanisms_cost_is_exact():
    assert mechanism_budget(0.1) == Budget(F(1, 10))
    assert mechanism_budget("1/3", 1e-6, approximate=True) == Budget(F(1, 3), F(1, 10**6))


@pytest.mark.parametrize("value", ["1e999", 10**400, F(10**400), Decimal("1e309"), -(10**400)])
def test_a_number_that_no_float_holds_is_refused(value):
    with pytest.raises(ValueError, match="epsilon must be a finite number"):
        Budget(value)


def test_a_tiny_number_is_not_shown_as_nothing():
    assert str(Budget("1e-400", "1e-350")) == "ε = 1e-400, δ = 1e-350"


@pytest.mark.parametrize("value", ["1e999999999", "1E-999999999", Decimal("1e999999")])
def test_a_number_with_too_many_digits_is_refused_at_once(value):
    with pytest.raises(ValueError, match="epsilon must be a finite number"):
        Budget(value)


def test_known_costs_are_remembered_by_type_so_that_true_is_not_1():
    assert mechanism_budget(1) == mechanism_budget(1.0) == mechanism_budget("1") and mechanism_budget(
        1
    ) is mechanism_budget(1)
    for wrong in (True, None, [1], 0, -1, "x", float("nan")):
        with pytest.raises((ValueError, TypeError), match="epsilon"):
            mechanism_budget(wrong)
    with pytest.raises(ValueError, match="delta"):
        mechanism_budget(1, 0, approximate=True)


def test_half_of_epsilon_is_exact():
    assert Budget(0.1).half_epsilon == Fraction(1, 20) and Budget(0.1) == Budget("0.1")
