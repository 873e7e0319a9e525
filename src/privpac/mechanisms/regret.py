"""One draw among stable candidates and a fallback, by how much better supported candidates do.

proof: docs/proofs/selection.md, Theorem 6

Throughout this file
    err(v)    records that candidate v gets wrong            q(v)    records that support v, at least 1
    s(v)      records that support an ancestor of v but not v itself; 0 if nothing is known about ancestors
    Λ         what a candidate of one supporting record weighs: e^(−Λ·ε/4)
    A(v)      the trust in v: min(2·(q − 1) − Λ_near, max(2·(q − 1), 2·s) − Λ_far); the fallback is always trusted
    R(v)      the regret of v: the largest min(A(w), err(v) − err(w)) over all w, at least 0

Main declarations
    Discounts               Λ_near and Λ_far, from public numbers
    RegretExponential       v with probability ∝ e^((ε/4)·min(A(v), −R(v))); (ε, δ)-DP
    regret_exponential      the same as a function
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any, ClassVar, NamedTuple

import numpy as np

from privpac.data.sample import Ints
from privpac.exact.weighted import Weights
from privpac.mechanisms.public_stable import Levelled, Stable, joined, levels_declared, member_of
from privpac.mechanisms.selection import Menu, log_at_least, record_counts
from privpac.privacy.budget import Budget, Number, mechanism_budget
from privpac.privacy.ledger import Coins, Payer, spend

NEAR = 2  # how many candidates that a record brings along may have s ≥ 1: those at most two steps below another record
NEAR_SHARE = Fraction(2, 5)  # of δ, for each of them; what is left is shared by all levels
OUT_OF_REACH = 2**60  # of a discount: beyond it no number of records is enough


class Discounts(NamedTuple):
    """Λ_near, and Λ_far for each of some levels.

    >>> Discounts.of(Budget(1, 1e-6), 32, near=True, level=np.array([0, 31]))
    Discounts(near=59, far=array([76, 76]))
    >>> Discounts.of(Budget(1, 1e-6), 32, near=False, level=np.array([7]))
    Discounts(near=0, far=array([70]))
    """

    near: int
    far: Ints

    @classmethod
    def of(cls, cost: Budget, levels: int | None, near: bool, level: Ints) -> Discounts:
        """The least integers Λ ≥ 0 for which e^(−Λ·ε/4) is at most the share of δ/(1 − δ)."""
        odds, rate = (1 - cost.delta) / cost.delta, cost.epsilon / 4
        rest = 1 - NEAR * NEAR_SHARE if near else Fraction(1)

        def steps(share: Fraction) -> int:
            return min(max(ceil(Fraction(log_at_least(odds / share)) / rate), 0), OUT_OF_REACH)

        distinct, where = np.unique(level, return_inverse=True)
        shares = [Fraction(1, levels or (l + 1) * (l + 2)) for l in distinct.tolist()]
        far = np.array([steps(rest * share) for share in shares], dtype=np.int64)[where]
        return cls(steps(NEAR_SHARE) if near else 0, far)


@dataclass(frozen=True)
class RegretExponential(Levelled):
    """The fallback e^(−R·ε/4), stable e^(min(A, −R)·ε/4); (ε, δ)-DP. With ``near``, ancestors vouch for candidates."""

    near: bool
    name: ClassVar[str] = "regret exponential"
    theorem: ClassVar[str] = "selection, Theorem 6"

    def check(self, data: tuple[tuple[Hashable, int], Stable]) -> Any:
        (fallback, errors), stable = data
        names, fallback_errors, checked = self.check_stable({fallback: errors}, stable)
        return names[0], fallback_errors, checked

    def menu(self, data: Any) -> Menu:
        fallback, fallback_errors, stable = data
        trust = self.trust(stable)
        errors = np.concatenate([fallback_errors, stable.errors])
        trusted = np.concatenate([[2 * OUT_OF_REACH], trust])
        weights = Weights(
            np.minimum(trusted, -regrets(errors, trusted)),
            self.cost.epsilon / 4,
            joined(([fallback], None), (stable.names, stable.counts)),
        )
        return weights, lambda group, member: member_of(stable, group - 1, member) if group else fallback

    def trust(self, stable: Stable) -> Ints:
        """A of the candidates: far from being trusted if no number of records would be enough."""
        near, far = Discounts.of(self.cost, self.levels, self.near, np.asarray(stable.level))
        own = 2 * (np.asarray(stable.support) - 1)
        vouched = own if stable.spare is None or not self.near else np.maximum(own, 2 * np.asarray(stable.spare))
        trust: Ints = np.minimum(own - near, vouched - far)
        return np.where(far >= OUT_OF_REACH, -2 * OUT_OF_REACH, trust)


def regrets(errors: Ints, trust: Ints) -> Ints:
    """R of all candidates: the largest min(A(w), err(v) − err(w)), at least 0.

    >>> regrets(np.array([9, 2, 0]), np.array([100, 4, 1])).tolist()
    [4, 1, 0]
    """
    order = np.lexsort((-trust, errors))
    # only those count whose trust exceeds that of all with fewer errors: there errors and trust grow together
    most = np.maximum.accumulate(np.maximum(trust[order], 0))
    first = np.flatnonzero(np.diff(most, prepend=0) > 0)
    at, held = errors[order][first], most[first]
    # of these the last with A(w) + err(w) ≤ err(v) is limited by its trust, the next one by the difference of errors
    k = np.searchsorted(held + at, errors, side="right")
    by_trust = np.concatenate([[0], held])[k]
    by_errors = errors - np.concatenate([at, [errors.max()]])[k]
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
) -> Any:
    """A candidate with few errors, or the fallback, for noisy labels: (ε, δ)-DP.

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
        Whether to use ``spare``: of the candidates that a record alone supports, at most two may have ``spare`` ≥ 1.

    Examples
    --------
    >>> nodes = Stable(["/usr", "/usr/lib"], level=[0, 1], support=[900, 800], errors=[100, 0])
    >>> regret_exponential(("nothing", 800), nodes, epsilon=1, delta=1e-6, levels=32)
    '/usr/lib'
    """
    cost = mechanism_budget(epsilon, delta, approximate=True)
    return spend(RegretExponential(cost, levels_declared(levels), near), (fallback, stable), budget, rng)
