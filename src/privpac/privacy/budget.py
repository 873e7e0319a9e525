"""(ε, δ) as exact rational numbers.

Throughout this file
    ε, δ    the two numbers of differential privacy under substitution neighbors
    ≤       the product order: (ε, δ) ≤ (ε', δ') when ε ≤ ε' and δ ≤ δ'
"""

from __future__ import annotations

import numbers
import operator
import re
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property, lru_cache

from privpac.data.values.whole_numbers import is_whole
from privpac.refusals.refusal import Refused, RefusedType

Number = int | float | str | Decimal | Fraction
HUGE = re.compile(r"[eE][+-]?0*[1-9][0-9_]{3,}")  # an exponent of 1000 or more; 1e999999999 would not fit into memory
MOST = int(sys.float_info.max)  # the largest number that can be printed as a float
ONE = Fraction(1)
CACHED_TYPES = (int, float, str)  # their equal values have equal results, so that these can be kept
LARGEST_EPSILON = 10**6  # of a mechanism; a larger one must be a mistake


def as_rational(value: Number, name: str) -> Fraction:
    """``value`` as an exact fraction; a float is read as the decimal it prints as.

    >>> as_rational(0.1, "epsilon")
    Fraction(1, 10)
    """
    if type(value) is int:
        value = Fraction(value)
    if type(value) is Fraction and _printable(value):
        return value
    if isinstance(value, bool) or not isinstance(value, (numbers.Real, Decimal, str)):
        raise RefusedType.must(name, f"be a number, not {type(value).__name__}")
    with suppress(ValueError, OverflowError, ZeroDivisionError):
        if _printable(exact := _fraction(value)):
            return exact
    raise Refused.must(name, "be a finite number, such as 0.5 or '1/3'")


def _fraction(value: Number) -> Fraction:
    if isinstance(value, numbers.Rational):
        return Fraction(int(value.numerator), int(value.denominator))  # sums of numpy's integers would overflow
    if isinstance(value, (str, Decimal)):
        if HUGE.search(str(value)):
            raise OverflowError
        return Fraction(value)
    return Fraction(repr(float(value)))


def _printable(value: Fraction) -> bool:
    return abs(value.numerator) <= MOST * value.denominator  # integers compare much faster than fractions


def as_count(value: int, name: str) -> int:
    """``value`` as a positive integer.

    >>> as_count(0, "k")
    Traceback (most recent call last):
    privpac.refusals.refusal.Refused: k must be at least 1
    """
    if not is_whole(value):
        raise RefusedType.must(name, f"be an integer, not {type(value).__name__}")
    if (count := operator.index(value)) < 1:
        raise Refused.must(name, "be at least 1")
    return count


@dataclass(frozen=True)
class Budget:
    """A privacy cost or allowance (ε, δ), exact.

    Floats are read as the decimals they print as, so that three spends of 0.1 fit into 0.3.
    ``<=`` is the product order; two budgets may be incomparable.

    >>> Budget(0.1) + Budget(0.2, 1e-6) == Budget("0.3", 1e-6)
    True
    >>> Budget(1, 1e-6) <= Budget(2)
    False
    >>> print(Budget(3.0, 1e-5).split(2)[0])
    ε = 1.5, δ = 5e-06
    """

    epsilon: Fraction
    delta: Fraction

    def __init__(self, epsilon: Number, delta: Number = 0) -> None:
        ε, δ = as_rational(epsilon, "epsilon"), as_rational(delta, "delta")
        if ε.numerator < 0:
            raise Refused.must("epsilon", "not be negative")
        if not 0 <= δ.numerator <= δ.denominator:
            raise Refused.must("delta", "lie in [0, 1]")
        object.__setattr__(self, "epsilon", ε)
        object.__setattr__(self, "delta", δ)

    @cached_property
    def half_epsilon(self) -> Fraction:
        """ε/2, kept because dividing can take longer than drawing noise."""
        return self.epsilon / 2

    def __add__(self, other: Budget) -> Budget:
        """Basic composition; δ is capped at 1."""
        if not isinstance(other, Budget):
            return NotImplemented
        if not (self.epsilon.numerator or self.delta.numerator):  # the first charge of an account, so no sum is taken
            return other
        return Budget(self.epsilon + other.epsilon, min(self.delta + other.delta, ONE))

    def __sub__(self, other: Budget) -> Budget:
        if not isinstance(other, Budget):
            return NotImplemented
        if not other <= self:
            raise ValueError(f"cannot subtract {other} from {self}")
        return Budget(self.epsilon - other.epsilon, self.delta - other.delta)

    def __le__(self, other: Budget) -> bool:
        if not isinstance(other, Budget):
            return NotImplemented
        return self is other or (_at_most(self.epsilon, other.epsilon) and _at_most(self.delta, other.delta))

    def __ge__(self, other: Budget) -> bool:
        return other <= self

    def split(self, parts: int | Sequence[Number]) -> tuple[Budget, ...]:
        """Shares that add up to this budget exactly: ``parts`` equal ones, or in proportion to the given weights.

        >>> [str(b) for b in Budget(1).split([1, 3])]
        ['ε = 0.25', 'ε = 0.75']
        """
        weights = [Fraction(1)] * parts if isinstance(parts, int) else [as_rational(w, "weight") for w in parts]
        if not weights or any(w <= 0 for w in weights):
            raise Refused("parts", "split needs at least one part, each with a positive weight")
        total = sum(weights)
        return tuple(Budget(self.epsilon * w / total, self.delta * w / total) for w in weights)

    def __str__(self) -> str:
        ε = f"ε = {_figure(self.epsilon)}"
        return f"{ε}, δ = {_figure(self.delta)}" if self.delta else ε

    def __repr__(self) -> str:
        return f"Budget({_short(self.epsilon)}, {_short(self.delta)})"


NOTHING = Budget(0)


def mechanism_budget(epsilon: Number, delta: Number = 0, *, approximate: bool = False) -> Budget:
    """The cost of one mechanism: ε > 0, and δ in (0, 1) if it is ``approximate``, in [0, 1) otherwise.

    >>> mechanism_budget(1, 0, approximate=True)
    Traceback (most recent call last):
    privpac.refusals.refusal.Refused: delta must lie strictly between 0 and 1 for this mechanism; use a pure one for \
delta = 0
    """
    may_be_kept = type(epsilon) in CACHED_TYPES and type(delta) in CACHED_TYPES
    return (_mechanism_budget if may_be_kept else _mechanism_budget.__wrapped__)(epsilon, delta, approximate)


@lru_cache(256, typed=True)  # of public numbers, because reading them can take longer than drawing noise
def _mechanism_budget(epsilon: Number, delta: Number, approximate: bool) -> Budget:
    ε, δ = as_rational(epsilon, "epsilon"), as_rational(delta, "delta")
    if ε.numerator <= 0:
        raise Refused.must("epsilon", "be positive")
    if ε.numerator > LARGEST_EPSILON * ε.denominator:
        raise Refused.must("epsilon", "be at most 10^6; a larger one promises nothing")
    if approximate and not 0 < δ.numerator < δ.denominator:
        raise Refused.must("delta", "lie strictly between 0 and 1 for this mechanism; use a pure one for delta = 0")
    if not 0 <= δ.numerator < δ.denominator:
        raise Refused.must("delta", "lie in [0, 1)")
    return Budget(ε, δ)


def _at_most(a: Fraction, b: Fraction) -> bool:
    """a ≤ b; integers compare much faster than fractions."""
    return a.numerator * b.denominator <= b.numerator * a.denominator


def _figure(value: Fraction) -> str:
    """The number in six digits; one that is too small for a float is not shown as 0 either."""
    return f"{float(value) or Decimal(value.numerator) / value.denominator:.6g}"


def _short(value: Fraction) -> str:
    """The decimal that a float prints as, if that is exactly ``value``; otherwise the fraction in quotes."""
    text = str(value.numerator) if value.denominator == 1 else repr(float(value))
    return text if Fraction(text) == value else f"'{value}'"
