"""zCDP: what mechanisms cost in ρ, how it adds up, and what it means in (ε, δ)."""

import json
from fractions import Fraction
from itertools import product
from math import erfc, exp, prod, sqrt
from pathlib import Path
from random import Random

import pytest
from flint import arb, ctx

from privpac.privacy.accounting.concentrated import Concentrated
from privpac.privacy.budget import Budget
from privpac.privacy.rounding import ball
from tests.grid import over

DP_ACCOUNTING = json.loads((Path(__file__).parent / "dp_accounting_values.json").read_text("utf-8"))
ORDERS = [Fraction(1001, 1000), Fraction(3, 2), Fraction(2), Fraction(7), Fraction(60)]


@pytest.fixture(autouse=True)
def precise():
    with ctx.workprec(192):
        yield


def law(weights) -> list[arb]:
    total = sum(weights, arb(0))
    return [w / total for w in weights]


def exponential(scores, ε: Fraction) -> list[arb]:
    return law([(ball(ε) * s / 2).exp() for s in scores])


def renyi(P, Q, α: Fraction) -> arb:
    a = ball(α)
    return sum((p**a * q ** (1 - a) for p, q in zip(P, Q, strict=True)), arb(0)).log() / (a - 1)


def divergence(P, Q, t: Fraction) -> arb:
    growth = ball(t).exp()
    return sum((x for x in (p - growth * q for p, q in zip(P, Q, strict=True)) if not x <= 0), arb(0))


def joint(laws) -> list[arb]:
    return [prod(outcome, start=arb(1)) for outcome in product(*laws)]


# ρ of mechanisms


@pytest.mark.parametrize("ε", [Fraction(1, 10), Fraction(1), Fraction(5)])
def test_an_exponential_mechanism_is_eps_squared_over_eight(ε):
    """All score vectors in {0, 1, 2}³ and all their neighbors: each score moves by at most 1."""
    ρ = ball(Concentrated.of_bounded_range(Budget(ε)).rho)
    for scores, moves in product(product((0, 1, 2), repeat=3), product((-1, 0, 1), repeat=3)):
        P, Q = exponential(scores, ε), exponential([s + m for s, m in zip(scores, moves, strict=True)], ε)
        assert all(renyi(P, Q, α) <= ball(α) * ρ + 1e-40 for α in ORDERS)


def test_no_constant_below_one_eighth_will_do():
    """Two candidates whose scores part by one each, at small ε: within a thousandth of the bound."""
    ε, α = Fraction(1, 10), Fraction(1001, 1000)
    P, Q = exponential([0, 0], ε), exponential([1, -1], ε)
    assert renyi(P, Q, α) > ball(α) * 0.999 * ball(Concentrated.of_bounded_range(Budget(ε)).rho)


@pytest.mark.parametrize("ε", [Fraction(1, 100), Fraction(1), Fraction(4)])
def test_a_pure_mechanism_is_eps_tanh_half_eps(ε):
    """Randomized response reaches it as α → 1; its order 1.001 already lies above 0.998 of it."""
    ρ = ball(Concentrated.of(Budget(ε)).rho)
    P = law([ball(ε).exp(), arb(1)])
    assert all(renyi(P, P[::-1], α) <= ball(α) * ρ for α in ORDERS)
    assert renyi(P, P[::-1], Fraction(1001, 1000)) > 0.998 * ρ
    assert Concentrated.of(Budget(ε)).rho < ε**2 / 2


@over("seed", range(10))
def test_arbitrary_pure_mechanisms_stay_below(seed):
    random = Random(seed)
    P, Q = ([arb(random.randint(1, 9)) for _ in range(4)] for _ in range(2))
    P, Q = law(P), law(Q)
    ε = max(abs((p / q).log()).upper() for p, q in zip(P, Q, strict=True)).fmpq()
    ρ = ball(Concentrated.of(Budget(Fraction(int(ε.p), int(ε.q)))).rho)
    assert all(renyi(P, Q, α) <= ball(α) * ρ for α in ORDERS)


# Composition


@over("σ2", [Fraction(1, 3), Fraction(2), Fraction(50)])
def test_gaussian_noise_reaches_its_rho(σ2):
    """Moved by 1, at whole orders the divergence is α/(2σ²), up to tails that are cut off."""
    far = 20 * int(σ2 + 1)
    one, other = (law([(-ball(Fraction((z - at) ** 2) / (2 * σ2))).exp() for z in range(-far, far)]) for at in (0, 1))
    ρ = ball(1 / (2 * σ2))
    for α in (Fraction(3, 2), Fraction(2), Fraction(3)):
        assert renyi(one, other, α) <= α.numerator * ρ / α.denominator * (1 + arb(1e-9))
    assert renyi(one, other, Fraction(2)) > 2 * ρ * (1 - arb(1e-9))


def test_costs_add_up():
    assert Concentrated("0.1", "1e-6") + Concentrated("0.2", "1e-7") == Concentrated("0.3", "1.1e-6")
    assert Concentrated(1, "0.7") + Concentrated(1, "0.7") == Concentrated(2, 1)
    assert sum([], Concentrated(0)) == Concentrated(0)


@pytest.mark.parametrize("δ0", [Fraction(0), Fraction(1, 50)])
@pytest.mark.parametrize("k", [1, 4])
def test_composed_mechanisms_stay_below_the_account(k, δ0):
    """Bounded range outside probability δ₀: one outcome each that the other law does not have."""
    ε = Fraction(1)
    common, shifted = exponential([0, 1], ε), exponential([1, 0], ε)
    spend = ball(δ0)
    P = joint([[spend, arb(0), *((1 - spend) * p for p in common)]] * k)
    Q = joint([[arb(0), spend, *((1 - spend) * q for q in shifted)]] * k)
    account = sum([Concentrated.of_bounded_range(Budget(ε, δ0))] * k, Concentrated(0))
    for t in (Fraction(0), Fraction(1, 2), Fraction(1), Fraction(3, 2)):
        assert divergence(P, Q, t) <= ball(account.at_epsilon(t).delta)
    if δ0:
        assert divergence(P, Q, Fraction(2 * k)) > ball(δ0) * (1 if k == 1 else 1.5) - 1e-40


# Into (ε, δ) and back


def gaussian_delta(ρ: float, ε: float) -> float:
    """The exact δ at ε of a Gaussian mechanism with ρ = 1/(2σ²), which is ρ-zCDP and no less."""
    σ = sqrt(1 / (2 * ρ))

    def tail(x: float) -> float:
        return erfc(x / sqrt(2)) / 2

    return tail(ε * σ - 1 / (2 * σ)) - exp(ε) * tail(ε * σ + 1 / (2 * σ))


@over(("ρ", "ε"), [(0.02, 1.0), (0.125, 1.0), (0.5, 3.0), (2.0, 6.0), (0.5, 0.0), (5.0, 1.0)])
def test_the_conversion_is_above_the_gaussian_and_not_by_much(ρ, ε):
    claimed = float(Concentrated(ρ).at_epsilon(ε).delta)
    assert gaussian_delta(ρ, ε) <= claimed <= min(1, 6 * gaussian_delta(ρ, ε))


def least_delta(ρ: Fraction, ε: Fraction) -> arb:
    """inf over α of e^((α−1)(αρ−ε))·(1 − 1/α)^α/(α − 1), where (2α − 1)ρ − ε + ln(1 − 1/α) changes its sign."""
    low, high = arb(1), arb(10**6)
    for _ in range(180):
        α = ((low + high) / 2).mid()
        low, high = (α, high) if (2 * α - 1) * ball(ρ) - ball(ε) + (1 - 1 / α).log() < 0 else (low, α)
    return ((α - 1) * (α * ball(ρ) - ball(ε))).exp() * (1 - 1 / α) ** α / (α - 1)


@over(("ρ", "ε"), [("0.02", "1"), ("0.5", "3"), ("1", "0"), ("0.001", "0.2"), ("10", "40")])
def test_the_best_order_is_found_and_every_digit_is_rounded_safely(ρ, ε):
    exact = least_delta(Fraction(ρ), Fraction(ε))
    budget = Concentrated(ρ).at_epsilon(ε)
    assert exact <= ball(budget.delta) <= exact * (1 + arb(1e-14))
    back = Concentrated(ρ).at_delta(budget.delta)
    assert least_delta(Fraction(ρ), back.epsilon) <= ball(budget.delta)
    if budget.epsilon:
        ρ_back = Concentrated.within(budget).rho
        assert least_delta(ρ_back, budget.epsilon) <= ball(budget.delta)
        assert least_delta(ρ_back * (1 + Fraction(2, 10**14)), budget.epsilon) > ball(budget.delta)


@pytest.mark.parametrize("row", DP_ACCOUNTING["rdp"], ids=str)
def test_the_rdp_accountant_agrees(row):
    """It searches a dense grid of orders by the same formula, so it lies above, by less than a millionth."""
    cost = Concentrated(row["rho"])
    δ, ε = float(cost.at_epsilon(row["epsilon"]).delta), float(cost.at_delta(row["delta"]).epsilon)
    assert row["delta_at_epsilon"] * (1 - 1e-6) < δ < row["delta_at_epsilon"] * (1 + 1e-12)
    assert row["epsilon_at_delta"] * (1 - 1e-6) < ε < row["epsilon_at_delta"] * (1 + 1e-12)


@over("δ0", ["0", "1e-7"])
@over(("ρ", "δ"), [("0.02", "1e-6"), ("1.25", "1e-6"), ("1e-9", "1e-6"), ("30", "1e-5")])
def test_there_and_back(ρ, δ, δ0):
    target = Concentrated(ρ, δ0).at_delta(δ)
    assert float(Concentrated(ρ, δ0).at_epsilon(target.epsilon).delta) == pytest.approx(float(δ), rel=1e-8)
    assert float(Concentrated.within(target, δ0).rho) == pytest.approx(float(ρ), rel=1e-8)


def test_more_rho_costs_more():
    δs = [Concentrated(ρ).at_epsilon(1).delta for ρ in ("1e-30", "0.01", "0.02", "0.1", "1", "1e6")]
    assert δs == sorted(δs)
    assert δs[0] == Fraction(1, 10**300) and δs[-1] == 1
    εs = [Concentrated("0.1").at_delta(δ).epsilon for δ in ("0.999", "0.1", "1e-6", "1e-100")]
    assert εs == sorted(εs) and εs[0] == 0


# What is refused


@pytest.mark.parametrize(
    "call",
    [
        lambda: Concentrated(-1),
        lambda: Concentrated(float("nan")),
        lambda: Concentrated(1, -0.1),
        lambda: Concentrated(1, 1.1),
        lambda: Concentrated.of(Budget(0)),
        lambda: Concentrated.of(Budget(1, 1)),
        lambda: Concentrated.of_bounded_range(Budget(0)),
        lambda: Concentrated.within(Budget(0, 1e-6)),
        lambda: Concentrated.within(Budget(1)),
        lambda: Concentrated.within(Budget(1, 1e-6), 1e-6),
        lambda: Concentrated.within(Budget(1, 1e-6), -1),
        lambda: Concentrated(1).at_epsilon(-1),
        lambda: Concentrated(1).at_epsilon(float("nan")),
        lambda: Concentrated(1).at_delta(0),
        lambda: Concentrated(1).at_delta(1),
        lambda: Concentrated(1, 1e-6).at_delta(1e-6),
    ],
)
def test_bad_numbers_are_refused(call):
    with pytest.raises(ValueError, match=r"epsilon|delta|rho"):
        call()


def test_only_its_own_kind_is_added():
    with pytest.raises(TypeError):
        Concentrated(1) + Budget(1)
