"""Interior points and medians: a value between the records, or in their middle, on a line of any size.

[BNSV15]  docs/references.bib        proof: docs/proofs/interior_point.md
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import Any

from privpac.data.domains.line import Line
from privpac.mechanisms.lines.dyadic_trie import bits
from privpac.mechanisms.quantiles.one_quantile import (
    LineValue,
    Quantile,
    QuantileDyadic,
    QuantileExponential,
    certified_log_odds,
    ln,
)
from privpac.privacy.budget import Budget, Number, as_count, as_rational, mechanism_budget
from privpac.privacy.ledger import Coins, Payer, spend
from privpac.refusals.option_words import LineRule, QuantileMethod, one_of

RARE = Fraction(1, 1000)  # β of the certified rank error by which ``auto`` compares the methods


def interior_size(
    size: int, *, epsilon: Number, delta: Number = 0, beta: Number, method: QuantileMethod = "auto"
) -> int:
    """The smallest n for which an interior point of n records on ``size`` values fails with probability at most β.

    >>> [interior_size(2**b, epsilon=1, delta=1e-6, beta=0.05) for b in (16, 64, 1024)]
    [57, 83, 106]
    >>> interior_size(2**64, epsilon=1, beta=0.05, method="exponential")
    189
    """
    cost, β, size = mechanism_budget(epsilon, delta), _probability(beta), as_count(size, "size")
    method = _allowed_method(method, cost)
    rate, odds = cost.epsilon / 2, ln((1 - β) / β)
    pure = max(2 * ceil((odds + ln(max(size - 1, 1))) / rate) - 1, 1)
    if method == "exponential":
        return pure
    good, λ = odds + ln(2 * bits(size) + 1), ln((1 - cost.delta) * max(bits(size), 1) / cost.delta)
    dyadic = 2 * max(ceil(good / rate), 1) - 1 + max(ceil((good + λ) / rate), 0)
    return dyadic if method == "dyadic" else min(pure, dyadic)


def median_rank_error(
    size: int, n: int, *, epsilon: Number, delta: Number = 0, beta: Number = RARE, method: QuantileMethod = "auto"
) -> int | None:
    """The rank error that the median of n records of a line of ``size`` values exceeds with probability at most β.

    None if nothing is certified: the dyadic method has too few records, or β is below 1/1000.

    >>> median_rank_error(2**64, 10_000, epsilon=1)
    102
    >>> median_rank_error(2**64, 10_000, epsilon=1, delta=1e-6, method="dyadic")
    54
    """
    cost, β = mechanism_budget(epsilon, delta), _probability(beta)
    line = Line(0, as_count(size, "size") - 1)
    return quantile_mechanism(cost, line, Fraction(1, 2), as_count(n, "n"), method).rank_error(n, β)


def quantile_mechanism(cost: Budget, line: Line, τ: Fraction, n: int, method: QuantileMethod) -> Quantile:
    """The quantile of ``n`` records by the named method.

    ``auto`` takes the pure method if it certifies a rank error of at most n/4. Otherwise it takes the method that
    certifies the smaller rank error given enough records.
    """
    exponential = QuantileExponential(Budget(cost.epsilon), line, τ)
    if _allowed_method(method, cost) == "exponential":
        return exponential
    enough = interior_size(line.size, epsilon=cost.epsilon, delta=cost.delta, beta=RARE, method="dyadic")
    dyadic = QuantileDyadic(cost, line, τ, enough + 1 - enough % 2)  # an odd number has a middle
    pure = exponential.rank_error(n, RARE)
    return exponential if method == "auto" and (4 * pure <= n or 2 * pure <= dyadic.kept) else dyadic


def _allowed_method(method: QuantileMethod, cost: Budget) -> QuantileMethod:
    """The method, checked; without δ only the exponential one."""
    one_of("method", method, QuantileMethod)
    if method == "dyadic" and not cost.delta:
        raise ValueError("the dyadic method needs a positive delta; for delta = 0, use method='exponential'")
    return method if cost.delta else "exponential"


def _probability(value: Number) -> Fraction:
    if not 0 < (β := as_rational(value, "beta")) < 1:
        raise ValueError("beta must lie strictly between 0 and 1")
    return β


def interior_point(
    x: Any,
    *,
    low: LineValue,
    high: LineValue,
    epsilon: Number,
    delta: Number = 0,
    method: QuantileMethod = "auto",
    on_invalid: LineRule = "raise",
    budget: Payer = None,
    rng: Coins = None,
) -> Any:
    """A value with records at or below it and records at or above it: ε-DP, or (ε, δ)-DP by the dyadic method.

    The parameters are those of ``private_median``; ``interior_size`` gives the number of records it takes.

    Examples
    --------
    >>> 5 <= interior_point([5] * 200 + [9] * 200, low=0, high=2**1024, epsilon=1, delta=1e-6) <= 9
    True
    """
    cost, line, n = mechanism_budget(epsilon, delta), Line(low, high, on_invalid), len(x)
    pure = Budget(cost.epsilon)
    mechanism: Quantile = QuantileExponential(pure, line)
    method = _allowed_method(method, cost)
    if method != "exponential":
        certified = [certified_log_odds(n, line.size, promise) for promise in (pure, cost)]
        if method == "dyadic" or certified[0] < certified[1]:
            mechanism = QuantileDyadic(cost, line, kept=n)
    return spend(mechanism, x, budget, rng, n)


def private_median(
    x: Any,
    *,
    low: LineValue,
    high: LineValue,
    epsilon: Number,
    delta: Number = 0,
    method: QuantileMethod = "auto",
    on_invalid: LineRule = "raise",
    budget: Payer = None,
    rng: Coins = None,
) -> Any:
    """A value in the middle of the records: ε-DP, or (ε, δ)-DP by the dyadic method.

    Parameters
    ----------
    x
        One value per record: integers of any width, floats, dates or datetimes, like the bounds.
    low, high
        Public bounds on the possible values. Declare them; never compute them from the records.
    method
        "exponential" (pure), "dyadic" (for huge lines; needs δ > 0) or "auto".
    on_invalid
        What to do with values that are missing, out of bounds, or of another kind: "raise" before anything is spent, or
        "clamp", which moves them to the nearest bound, and to ``low`` if there is none.

    Examples
    --------
    >>> from datetime import date, timedelta
    >>> private_median([40] * 400 + [41] * 600 + [99] * 9, low=0, high=120, epsilon=1)
    41
    >>> days = [date(2026, 3, 1)] * 1000
    >>> private_median(days, low=date(1900, 1, 1), high=date(2100, 1, 1), epsilon=1)
    datetime.date(2026, 3, 1)
    """
    cost, line = mechanism_budget(epsilon, delta), Line(low, high, on_invalid)
    return spend(quantile_mechanism(cost, line, Fraction(1, 2), len(x), method), x, budget, rng, len(x))
