"""Interior points and medians: a value between the records, or in their middle, on a line of any size.

[BNSV15]  docs/references.bib        proof: docs/proofs/interior_point.md
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil

from privpac.data.domains.line import Line
from privpac.mechanisms.lines.dyadic_trie import bits
from privpac.mechanisms.quantiles.one_quantile import (
    Quantile,
    QuantileDyadic,
    QuantileExponential,
    certified_log_odds,
    ln,
)
from privpac.privacy.budget import Budget, Number, as_count, as_rational, mechanism_budget
from privpac.refusals.option_words import QuantileMethod, one_of

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
    rate, log_odds = cost.epsilon / 2, ln((1 - β) / β)
    pure = max(2 * ceil((log_odds + ln(max(size - 1, 1))) / rate) - 1, 1)  # interior point, Theorem 1
    if method == "exponential":
        return pure
    rivals, λ = log_odds + ln(2 * bits(size) + 1), ln((1 - cost.delta) * max(bits(size), 1) / cost.delta)
    dyadic = 2 * max(ceil(rivals / rate), 1) - 1 + max(ceil((rivals + λ) / rate), 0)  # interior point, Theorem 2
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
    return exponential if method == "auto" and (4 * pure <= n or 2 * pure <= dyadic.window) else dyadic


def _allowed_method(method: QuantileMethod, cost: Budget) -> QuantileMethod:
    """The method after a check. If δ = 0, ``auto`` means the exponential one."""
    one_of("method", method, QuantileMethod)
    if method == "dyadic" and not cost.delta:
        raise ValueError("the dyadic method needs a positive delta; for delta = 0, use method='exponential'")
    return method if cost.delta else "exponential"


def _probability(value: Number) -> Fraction:
    if not 0 < (β := as_rational(value, "beta")) < 1:
        raise ValueError("beta must lie strictly between 0 and 1")
    return β


def interior_mechanism(cost: Budget, line: Line, n: int, method: QuantileMethod) -> Quantile:
    """The mechanism for an interior point of ``n`` records; ``auto`` takes the one with the smaller certified β."""
    pure = Budget(cost.epsilon)
    if _allowed_method(method, cost) != "exponential":
        exponential_odds, dyadic_odds = (
            certified_log_odds(n, line.room.choices, pure),
            certified_log_odds(n, line.size, cost),
        )
        if method == "dyadic" or exponential_odds < dyadic_odds:
            return QuantileDyadic(cost, line, window=n)
    return QuantileExponential(pure, line)
