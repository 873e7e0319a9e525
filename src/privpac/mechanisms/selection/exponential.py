"""One private selection: draw a candidate with probability ∝ its weight.

[MT07] [BNSV15]  docs/references.bib        proof: docs/proofs/selection.md

Throughout this file
    ε, δ    the promise, for substitution neighbors          r    e^(ε/2), the base of every weight
    q(c)    the score of candidate c: an integer that one record changes by at most 1
    k       the most candidates that one record supports     ⊥    no candidate (None)
"""

from __future__ import annotations

from abc import abstractmethod
from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property
from math import ceil
from typing import ClassVar

import numpy as np
from flint import arb, ctx
from numpy.typing import ArrayLike, NDArray

from privpac.exact.entropy import Entropy
from privpac.exact.exponential_weights import LN2_ABOVE, UNLISTED_BITS, Weights, draw, integers, probabilities
from privpac.privacy.budget import Budget, Number, as_count, mechanism_budget
from privpac.privacy.ledger import Coins, Data, Law, Mechanism, Payer, Release, spend
from privpac.privacy.rounding import ball

Outcome = Callable[[int, int], Release]  # (group, member) → what is released
Menu = tuple[Weights, Outcome]


class Selection(Mechanism):
    """A mechanism that is one exact weighted draw: a group by its weight, then a uniform member of the group."""

    @abstractmethod
    def menu(self, data: Data) -> Menu:
        """The weights of the groups, and the outcome of each (group, member)."""

    def release(self, data: Data, coins: Entropy) -> Release:
        weights, outcome = self.menu(data)
        group = draw(weights, coins)
        return outcome(group, coins.below(weights.count(group)))

    def law(self, data: Data) -> Law:
        """The probability of every outcome, as rigorous balls. For small data: every member is listed."""
        weights, outcome = self.menu(self.check(data))
        weights = weights.complete() if weights.complete else weights
        law: Law = defaultdict(lambda: arb(0))
        with ctx.workprec(128):
            for group, probability in enumerate(probabilities(weights)):
                members = weights.count(group)
                for member in range(members):
                    law[outcome(group, member)] += probability / members
        return dict(law)


def log_at_least(numerator: Fraction, factor_exponent: Fraction = Fraction(0)) -> float:
    """A float that is at least ln(numerator·e^factor_exponent), and barely more, for a positive numerator.

    >>> 0.6931471805599453 <= log_at_least(Fraction(2)) < 0.69314718055995
    True
    """
    with ctx.workprec(96):
        log = ball(numerator).log() + ball(factor_exponent)
        nearest = float(log)
        while not arb(nearest) >= log:
            nearest = float(np.nextafter(nearest, np.inf))
        return nearest


def record_counts(values: ArrayLike, name: str) -> NDArray[np.int64]:
    """Numbers of records: non-negative integers, small enough that sums and differences of three stay exact.

    >>> record_counts([3, 0], "support")
    array([3, 0])
    """
    array = integers(values, name)
    if array.size and (array.min() < 0 or array.max() > 2**60):
        raise ValueError(f"{name} must lie between 0 and 2^60")
    return array.astype(np.int64)


@dataclass(frozen=True)
class Exponential(Selection):
    """c with probability ∝ counts(c)·prior(c)·e^(ε·q(c)/2); ε-DP and ε²/8-zCDP."""

    cost: Budget
    counts: ArrayLike | None = None
    log_prior: ArrayLike | None = None
    name: ClassVar[str] = "exponential"
    theorem: ClassVar[str] = "selection, Theorem 1"

    def check(self, data: ArrayLike) -> Weights:
        return Weights(data, self.cost.half_epsilon, self.counts, self.log_prior)

    def menu(self, data: Weights) -> Menu:
        return data, lambda group, _: group

    def law(self, data: ArrayLike) -> dict[int, arb]:
        return dict(enumerate(probabilities(self.check(data))))


def exponential(
    scores: ArrayLike,
    *,
    epsilon: Number,
    counts: ArrayLike | None = None,
    log_prior: ArrayLike | None = None,
    budget: Payer = None,
    rng: Coins = None,
) -> int:
    """The index of a candidate with a high score: ε-DP.

    Parameters
    ----------
    scores
        One integer per candidate; substituting one record changes each by at most 1.
    counts
        How many equal candidates each entry stands for. If the counts depend on the records (runs of equal score on a
        line), release a uniform member of the chosen entry: the entry's index is not private.
    log_prior
        Public logarithms of prior weights.

    Examples
    --------
    >>> exponential([3, 5, 400], epsilon=1)
    2
    """
    return int(spend(Exponential(mechanism_budget(epsilon), counts, log_prior), scores, budget, rng))


@dataclass(frozen=True)
class SparseExponential(Selection):
    """c with q(c) ≥ 1 with probability ∝ r^q(c), ⊥ with weight k·r·(1−δ)/δ; (ε, δ)-DP for every δ in (0, 1)."""

    cost: Budget
    k: int = 1
    name: ClassVar[str] = "sparse exponential"
    theorem: ClassVar[str] = "selection, Theorem 2"

    @cached_property
    def log_nothing(self) -> float:
        """The logarithm of the weight of ⊥, rounded up."""
        ε, δ = self.cost.epsilon, self.cost.delta
        return log_at_least(self.k * (1 - δ) / δ, ε / 2)

    def check(self, data: Mapping[Hashable, int]) -> tuple[list[Hashable], np.ndarray]:
        if not isinstance(data, Mapping):
            raise TypeError("support must be a mapping from candidates to the number of records that support them")
        counts = record_counts(list(data.values()), "support")
        return [key for key, q in zip(data, counts, strict=True) if q], counts[counts > 0]

    def menu(self, data: tuple[list[Hashable], np.ndarray]) -> Menu:
        names, support = data
        log_prior = np.zeros(1 + len(names))
        log_prior[0] = self.log_nothing
        weights = Weights(np.concatenate([[0], support]), self.cost.epsilon / 2, log_prior=log_prior)
        return weights, lambda group, _: names[group - 1] if group else None


def sparse_exponential(
    support: Mapping[Hashable, int],
    *,
    epsilon: Number,
    delta: Number,
    k: int = 1,
    budget: Payer = None,
    rng: Coins = None,
) -> Release:
    """A candidate that many records support, from an unbounded universe, or None: (ε, δ)-DP.

    Parameters
    ----------
    support
        For each candidate that at least one record supports, the number of records that do.
    k
        The largest number of candidates one record supports, each counted once. Counts alone cannot show this: the
        caller guarantees it, and a record that counts twice breaks the privacy guarantee.

    Examples
    --------
    >>> sparse_exponential({"J10": 900, "J11": 3}, epsilon=1, delta=1e-6)
    'J10'
    >>> sparse_exponential({"J10": 1}, epsilon=1, delta=1e-12) is None
    True
    """
    mechanism = SparseExponential(mechanism_budget(epsilon, delta, approximate=True), as_count(k, "k"))
    return spend(mechanism, support, budget, rng)


def reach(bits: int, rate: Fraction, spread: float = 0.0) -> int:
    """The distance from the best score at which 2^``bits`` candidates together weigh less than 2^-64 of the best one.

    A candidate weighs e^(rate·score) times a prior; ``spread`` bounds the difference of two logarithms of priors.

    >>> reach(64, Fraction(1, 2))
    178
    """
    return ceil(((bits + UNLISTED_BITS) * LN2_ABOVE + ceil(spread)) / rate)


def short_list(near: Menu, everything: Callable[[], Menu]) -> Menu:
    """The menu of the groups of ``near``, which calls ``everything`` for the full list only if the draw needs it.

    The full list begins with the groups of ``near``. The caller promises that all others weigh at most 2^-64 of these.
    """
    weights, outcome = near
    full = cache(everything)

    def outcome_of_all(group: int, member: int) -> Release:
        return (outcome if group < len(weights.scores) else full()[1])(group, member)

    return replace(weights, complete=lambda: full()[0]), outcome_of_all


def near_first(near: NDArray[np.bool_]) -> NDArray[np.intp]:
    """The numbers of the groups that are ``near``, then those of all others.

    >>> near_first(np.array([False, True, False, True])).tolist()
    [1, 3, 0, 2]
    """
    return np.argsort(~near.astype(bool), kind="stable")
