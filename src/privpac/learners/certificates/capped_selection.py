"""Caps of public-stable selection: how large the cap must be, and what the best candidate then weighs.

proof: docs/proofs/certificates.md

Throughout this file
    q, err, C  support and errors of a candidate, and the cap, as in mechanisms/selection/public_stable.py: fallbacks
               are public; stable candidates come from the data, and a record supports at most one of them per level
    r, T       e^(ε/2), and the support at which a stable candidate weighs 1: it weighs min(r^(q − T), r^(C − err))
    B          the number of fallbacks, which weigh at least 1 each
    e(K)       on any sample some candidate with support K, or a fallback, errs on at most e(K) = ⌊(K − 1)/s⌋ records
               beyond the best: s = 1 on trees, s = 2 on lines
    g(c)       log_r of what such a candidate weighs at least when the cap exceeds the best rule's errors by c:
               the largest min(K − T, c − e(K))
    Z          discrete Laplace noise at ε₁: with noisy labels the cap is C = X + (errors of the best rule + Z)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from privpac.mechanisms.noise.laplace import laplace_tail
from privpac.mechanisms.selection.exponential import log_at_least
from privpac.privacy.bisection import smallest, smallest_upto
from privpac.privacy.budget import Budget

Floats = NDArray[np.float64]
LARGEST_CAP = 2**50  # no larger cap is considered


class NoiseLaw(NamedTuple):
    """Z lies from ``low[i]`` to ``high[i]`` with probability ``p[i]``, and in no cell with probability ``outside``."""

    low: Floats
    high: Floats
    p: Floats
    outside: float


def laplace(noise: Fraction, ends: Iterable[float]) -> NoiseLaw:
    """The law of Z at ε₁ = ``noise``; cell i holds the integers beyond ends[i], up to ends[i + 1]."""
    edges = np.array(list(ends), dtype=np.float64)
    above = np.array([float(laplace_tail(noise, int(edge) + 1)) for edge in edges])
    below = float(laplace_tail(noise, -int(edges[0])))
    return NoiseLaw(edges[:-1] + 1, edges[1:], -np.diff(above), below + float(above[-1]))


@dataclass(frozen=True)
class CappedSelection:
    """Public-stable selection at ``cost``, with the given levels and fallbacks; ``share`` is s."""

    cost: Budget
    levels: int
    fallbacks: int
    share: int

    @cached_property
    def log_r(self) -> float:
        """ln r."""
        return float(self.cost.epsilon / 2)

    @cached_property
    def T(self) -> float:  # noqa: N802  (the proofs call it so)
        """T = 1 + λ/ln r: a stable candidate with one supporting record weighs e^(−λ)."""
        δ = self.cost.delta
        return 1 + log_at_least((1 - δ) * self.levels / (self.fallbacks * δ)) / self.log_r

    def gain(self, c: Any) -> Any:
        """g(c), for one c or an array of them: the best K is next to where the two terms meet."""
        s = self.share  # K − T = c − (K − 1)/s at K = (s·c + s·T + 1)/(s + 1)
        meet = np.floor((s * np.asarray(c, dtype=np.float64) + s * self.T + 1) / (s + 1))
        K = np.maximum(meet + np.array([[-1], [0], [1], [2]]), 1)
        best = np.minimum(K - self.T, c - np.floor((K - 1) / s)).max(axis=0)
        return best if np.ndim(c) else best[0]

    def cap(self, beta: float) -> int:
        """The least cap C for a best rule without errors.

        With it, a fallback with C or more errors is drawn with probability at most ``beta``.
        """
        return smallest(lambda C: bool(self._preferred(C) <= beta))

    def noisy_cap(self, beta: float, law: NoiseLaw) -> int:
        """The least X if the best rule's errors are known up to noise of this law; 0 if no X is enough."""

        def failure(X: int) -> float:  # each cell counts as its lowest Z, which is its worst
            return law.outside + float(law.p @ self._preferred(X + law.low))

        return smallest_upto(LARGEST_CAP, lambda X: failure(X) <= beta) or 0

    def _preferred(self, c: object) -> Any:
        """B·r^(−g(c)), at most 1: a bound on the share of the B fallbacks in all weights, if each weighs 1."""
        return np.minimum(1.0, self.fallbacks * np.exp(-np.maximum(self.gain(c), 0.0) * self.log_r))
