"""The random class of [ABMS20, Thm 2.2], whose disjunctions have an exponentially larger threshold dimension."""

from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Any

import numpy as np

from privpac.classes.finite.explicit import ExplicitClass


@dataclass(frozen=True)
class SplitThresholds:
    """A random class H for which T(H ∨ H) ≥ ``disjunctions``, and T(H) ≤ ``threshold`` except with probability at most
    ``failure``."""

    concept_class: ExplicitClass
    threshold: int
    disjunctions: int
    failure: Fraction


def split_thresholds(t: int, rng: Any) -> SplitThresholds:
    """The lower bound of [ABMS20, Thm 2.2], t ≥ 6: T(H) ≤ t, likely, and T ≥ 2^⌊t/5⌋ for {h₁ ∨ h₂}.

    m = 2^⌊t/5⌋ thresholds on the points 1 … m, i being 1 on the points j ≤ i, are each split at random into two
    concepts: every 1 goes to f_i or to g_i, as the numpy Generator ``rng`` decides. f_i ∨ g_i is always the
    threshold again. T(H) > t would require k = 2⌊t/5⌋ + 1 concepts that are all 1 on the same k points.
    """
    m = 2 ** (t // 5)
    k = 2 * (t // 5) + 1
    thresholds = np.tri(m, dtype=bool)
    first = rng.random((m, m)) < 0.5  # only m(m + 1)/2 of these coins count: E-ABMS20-16
    return SplitThresholds(
        ExplicitClass(
            np.vstack([thresholds & first, thresholds & ~first]),
            points=range(1, m + 1),
            concepts=[(half, i) for half in "fg" for i in range(1, m + 1)],
        ),
        threshold=t,
        disjunctions=m,
        failure=Fraction(comb(m, k) ** 2, 2 ** (k * (k - 1))),
    )
