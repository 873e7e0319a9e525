"""A draw among stable candidates and a fallback by their regret: the errors that a trusted candidate would save.

proof: docs/proofs/selection.md, Theorem 6

Throughout this file
    err(v)    the number of records that candidate v gets wrong
    q(v)      the number of records that support v, at least 1
    s(v)      the number of records that support an ancestor of v but not v itself; 0 if ancestors are unknown
    λ, Λ      the discount: a candidate that one record supports weighs e^(−λ); Λ = ⌈λ/(ε/4)⌉
    near      a candidate of a single record with s ≥ 1; all others are far
    A(v)      the trust in v: min(2·(q − 1) − Λ_near, max(2·(q − 1), 2·s) − Λ_far); the fallback is always trusted
    R(v)      the regret of v: the largest min(A(w), err(v) − err(w)) over all w, at least 0
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from privpac.data.samples.sample import Ints
from privpac.exact.exponential_weights import Weights
from privpac.mechanisms.selection.exponential import Menu, log_at_least
from privpac.mechanisms.selection.public_stable import (
    CACHED,
    SHALLOW,
    Leveled,
    Stable,
    checked_levels,
    joined_counts,
    member_of,
    members,
    whole_steps,
)
from privpac.privacy.budget import Budget, Number, mechanism_budget
from privpac.privacy.ledger import Coins, Data, Payer, Release, spend

NEAR = 2  # the most near candidates that one record brings about
NEAR_SHARE = Fraction(2, 5)  # the share of δ for each near candidate; all levels share the rest
TRUSTED = 2**61  # more than the difference of any two error counts


class Discounts(NamedTuple):
    """The discounts: λ_near, or None if s is not used, and λ_far for each candidate.

    >>> Discounts.of(Budget(1, 1e-6), 32, True, np.array([0, 31]))
    Discounts(near=14.731..., far=array([18.826..., 18.826...]))
    >>> Discounts.of(Budget(1, 1e-6), 32, False, np.array([7]))
    Discounts(near=None, far=array([17.281...]))
    """

    near: float | None
    far: NDArray[np.float64]

    @classmethod
    def of(cls, cost: Budget, levels: int | None, near: bool, level: Ints) -> Discounts:
        """The discounts of candidates on these levels: floats λ ≥ 0 with e^(−λ) at most their share of δ/(1 − δ)."""
        near = near and (levels is None or levels > NEAR)
        # With ``near``, far candidates of a single record lie on levels from NEAR on, and share what is left of δ.
        first, far_share = (NEAR, 1 - NEAR * NEAR_SHARE) if near else (0, Fraction(1))
        odds = (1 - cost.delta) / cost.delta

        def least(share: Fraction) -> float:
            return max(log_at_least(odds / share), 0.0)

        distinct, where = np.unique(level, return_inverse=True)
        places = [max(l - first, 0) for l in distinct.tolist()]
        shares = [far_share / (levels - first if levels else (place + 1) * (place + 2)) for place in places]
        far = np.array([least(share) for share in shares], dtype=np.float64)[where]
        return cls(least(NEAR_SHARE) if near else None, far)


class DiscountSteps(NamedTuple):
    """Discounts, and as numbers of steps of ε/4: Λ_near; Λ_far, and the steps from λ_near to λ_far, by candidate."""

    discounts: Discounts
    near: int
    far: Ints
    from_near: Ints

    @classmethod
    def of(cls, λ: Discounts, rate: Fraction) -> DiscountSteps:
        λ_near = λ.near or 0.0
        (near,) = whole_steps(np.array([λ_near]), rate, ceil).tolist()
        return cls(λ, near, whole_steps(λ.far, rate, ceil), whole_steps(λ.far, rate, ceil, start=λ_near))


@dataclass(frozen=True)
class RegretExponential(Leveled):
    """The fallback weighs e^(−R·ε/4), a stable candidate e^(min(A, −R)·ε/4): (ε, δ)-DP."""

    near: bool  # whether s is used: records of an ancestor then add to the trust in a candidate
    name: ClassVar[str] = "regret exponential"
    theorem: ClassVar[str] = "selection, Theorem 6"

    def check(self, data: tuple[tuple[Hashable, int], Stable]) -> Data:
        (fallback, errors), stable = data
        names, fallback_errors, checked = self.check_stable({fallback: errors}, stable)
        return names[0], fallback_errors, checked

    def discounts(self, level: Ints) -> Discounts:
        """The discounts of candidates on these levels."""
        return Discounts.of(self.cost, self.levels, self.near, level)

    def discount_steps(self, level: Ints) -> DiscountSteps:
        """The discounts and their steps. The first levels come from a cache, whichever of them have candidates."""
        if level.max(initial=0) < SHALLOW:
            λ, Λ_near, Λ_far, from_near = _shallow(self)
            return DiscountSteps(Discounts(λ.near, λ.far[level]), Λ_near, Λ_far[level], from_near[level])
        return DiscountSteps.of(self.discounts(level), self.cost.epsilon / 4)

    def menu(self, data: Data) -> Menu:
        fallback, fallback_errors, stable = data
        (λ, Λ_near, Λ_far, from_near), rate = self.discount_steps(stable.level), self.cost.epsilon / 4
        by_support, λ_near = 2 * (stable.support - 1), λ.near or 0.0  # 2·(q − 1)
        with_spare = by_support  # max(2·(q − 1), 2·s)
        if λ.near is not None and stable.spare is not None:
            with_spare = np.maximum(by_support, 2 * stable.spare)
        trust = np.concatenate([[TRUSTED], np.minimum(by_support - Λ_near, with_spare - Λ_far)])
        R = regrets(np.concatenate([fallback_errors, stable.errors]), trust)
        # Integers decide which is the least: by_support·ε/4 − λ_near, with_spare·ε/4 − λ_far, or −R·ε/4.
        is_near = with_spare - by_support >= from_near
        score, prior = np.where(is_near, by_support, with_spare), np.where(is_near, -λ_near, -λ.far)
        limited = score + R[1:] < np.where(is_near, Λ_near, Λ_far)
        weights = Weights(
            np.concatenate([-R[:1], np.where(limited, score, -R[1:])]),
            rate,
            joined_counts(np.ones(1, np.uint64), members(stable)),
            np.concatenate([[0.0], np.where(limited, prior, 0.0)]),
        )
        return weights, lambda group, member: member_of(stable, group - 1, member) if group else fallback


@lru_cache(CACHED)
def _shallow(mechanism: RegretExponential) -> DiscountSteps:
    """The discounts of the first SHALLOW levels, and their steps."""
    return DiscountSteps.of(mechanism.discounts(np.arange(SHALLOW)), mechanism.cost.epsilon / 4)


def regrets(errors: Ints, trust: Ints) -> Ints:
    """The regret R of all candidates: the largest min(A(w), err(v) − err(w)), at least 0.

    >>> regrets(np.array([9, 2, 0]), np.array([100, 4, 1])).tolist()
    [4, 1, 0]
    """
    order = np.argsort(errors, kind="stable")
    in_order = errors[order]
    # Raising A(w) to the largest trust in a candidate with no more errors changes no maximum, and sorts A + err.
    trust_so_far = np.maximum.accumulate(np.maximum(trust[order], 0))
    # For the w with A(w) + err(w) ≤ err(v), the minimum is A(w), largest for the last of them; for all others, it is
    # err(v) − err(w), largest for the first of them.
    k = np.searchsorted(trust_so_far + in_order, errors, side="right")
    by_trust = np.concatenate([[0], trust_so_far])[k]
    by_errors = errors - np.concatenate([in_order, in_order[-1:]])[k]
    regret: Ints = np.maximum(np.maximum(by_trust, by_errors), 0)
    return regret


def regret_exponential(
    fallback: tuple[Hashable, int],
    stable: Stable,
    *,
    epsilon: Number,
    delta: Number,
    levels: int | None = None,
    near: bool = False,
    budget: Payer = None,
    rng: Coins = None,
) -> Release:
    """Release a candidate with few errors, or the fallback; made for noisy labels. (ε, δ)-DP.

    Parameters
    ----------
    fallback
        A public candidate and its errors.
    stable
        Candidates that come from the data. The caller guarantees that one record supports at most one of them per
        level and changes every support, every error count, and every ``spare`` by at most 1.
    levels
        The number of levels that can hold a candidate; None if unbounded.
    near
        Whether to use ``spare``. Of the candidates that only a single record supports, at most two may then have
        ``spare`` ≥ 1, and the others must lie on levels from 2 on.

    Examples
    --------
    >>> nodes = Stable(["/usr", "/usr/lib"], level=[0, 1], support=[900, 800], errors=[100, 0])
    >>> regret_exponential(("nothing", 800), nodes, epsilon=1, delta=1e-6, levels=32)
    '/usr/lib'
    """
    cost = mechanism_budget(epsilon, delta, approximate=True)
    return spend(RegretExponential(cost, checked_levels(levels), near), (fallback, stable), budget, rng)
