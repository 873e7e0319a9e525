"""Certificates of public-stable selection: how large the cap must be, and what it then guarantees.

proof: docs/proofs/certificates.md

Throughout this file
    r, T       e^(ε/2), and the support at which a stable candidate weighs 1: it weighs min(r^(q − T), r^(C − err))
    B          fallbacks, which weigh at least 1 each
    e(K)       on any sample some candidate with support K, or a fallback, errs on at most e(K) records beyond the best
    g(c)       log_r of what such a candidate weighs at least when the cap exceeds the best rule's errors by c:
               the largest min(K − T, c − e(K))
    Z          discrete Laplace noise at ε₁: with noisy labels the cap is C = X + (errors of the best rule + Z)

Main declarations
    Capped     the selection's public numbers: T, g, caps, and the certificate for noisy labels
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from math import ceil, exp, inf, log

from privpac.learners.certificates.deviation import chance, smallest
from privpac.mechanisms.selection import log_at_least
from privpac.privacy.budget import Budget

BINS, BEYOND = 64, 1e-9  # how finely the noise is looked at, and how far


@dataclass(frozen=True)
class Capped:
    """Public-stable selection at ``cost``, with so many levels and fallbacks; ``excess`` is e.

    >>> paths = Capped(Budget(1, 1e-6), levels=33, fallbacks=1, excess=lambda K: K - 1)
    >>> round(paths.T, 2), paths.cap(0.05), round(paths.gain(paths.cap(0.05)), 2)
    (35.62, 47, 6)
    """

    cost: Budget
    levels: int
    fallbacks: int
    excess: Callable[[int], int]

    @cached_property
    def log_r(self) -> float:
        """ln r."""
        return float(self.cost.epsilon / 2)

    @cached_property
    def T(self) -> float:  # noqa: N802  (the proofs call it so)
        """1 + λ/ln r, where a stable candidate with one supporting record weighs e^(−λ)."""
        δ = self.cost.delta
        return 1 + log_at_least((1 - δ) * self.levels / (self.fallbacks * δ)) / self.log_r

    @cached_property
    def gain(self) -> Callable[[float], float]:
        """g, which plans ask for at the same c again and again."""
        return cache(self._gain)

    def _gain(self, c: float) -> float:
        K = smallest(lambda K: c - self.excess(K) <= K - self.T) or 1  # where the two meet; the best is there or before
        return max(min(k - self.T, c - self.excess(k)) for k in (K - 1, K) if k >= 1)

    def cap(self, beta: float) -> int:
        """The least C whose fallbacks, with 0 or C errors and more, are preferred with probability at most ``beta``."""
        return smallest(lambda C: self._preferred(C) <= beta) or 0

    def noisy_cap(self, beta: float, noise: Fraction) -> int:
        """The same for X, where the best rule's errors are known up to noise at ε₁ = ``noise``."""
        law = laplace(noise)
        return smallest(lambda X: sum(p * min(1.0, self._preferred(X + z)) for z, _, p in law) <= beta) or 0

    def _preferred(self, c: float) -> float:
        """B·r^(−g(c))."""
        return self.fallbacks * exp(-max(self.gain(c), 0.0) * self.log_r)

    def failure(self, n: int, alpha: float, X: int, noise: Fraction, public: int = 0) -> float:
        """At least the probability that a rule with excess error beyond α is released, whatever the labels (Theorem 2).

        ``public`` is the number of directions in which all cuts of a line are public candidates.
        """
        total = 0.0
        for z, most, p in laplace(noise):  # what the fallbacks take falls with z, the handicap k grows
            k = X + most - self.gain(X + most)
            borne = chance(log(n * (self.levels + public)), k + 1, n - 1, alpha, self.log_r, "agnostic")
            fixed = chance(log(self.fallbacks + public), k, n, alpha, self.log_r, "agnostic")
            total += p * min(1.0, self._preferred(X + z) + borne + fixed)
        return min(1.0, total)


@lru_cache(maxsize=64)
def laplace(noise: Fraction) -> list[tuple[float, float, float]]:
    """The law of Z in at most 2·BINS + 3 intervals: from, to, probability. The outer ones reach to infinity.

    >>> law = laplace(Fraction(1, 5))
    >>> round(sum(p for _, _, p in law), 12), law[0][:2], len(law) <= 2 * BINS + 3
    (1.0, (-inf, -105), True)
    """
    ρ = exp(-float(noise))
    reach = ceil(-log(BEYOND) / float(noise))
    width = ceil(reach / BINS)

    def above(z: int) -> float:
        """P(Z ≥ z)."""
        return ρ**z / (1 + ρ) if z > 0 else 1 - ρ ** (1 - z) / (1 + ρ)

    starts = range(-reach, reach + 1, width)
    inner = [(z, z + width - 1, above(z) - above(z + width)) for z in starts]
    return [(-inf, -reach - 1, above(reach + 1)), *inner, (starts[-1] + width, inf, above(starts[-1] + width))]
