"""Short lists: very unlikely candidates are listed only if the random draw falls where they matter.

proof: docs/proofs/exact_draw.md
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from math import ceil

import numpy as np
from numpy.typing import NDArray

from privpac.exact.weighted import UNLISTED_BITS
from privpac.mechanisms.selection.exponential import Menu
from privpac.privacy.ledger import Release

LN2_ABOVE = Fraction(6931472, 10**7)  # a little more than ln 2


def reach(bits: int, rate: Fraction, spread: float = 0.0) -> int:
    """How far below the best score candidates must be to weigh less than 2^-64 of it, 2^``bits`` of them together.

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

    def released(group: int, member: int) -> Release:
        return (outcome if group < len(weights.scores) else full()[1])(group, member)

    return replace(weights, complete=lambda: full()[0]), released


def near_first(near: NDArray[np.bool_]) -> NDArray[np.intp]:
    """The numbers of the groups that are ``near``, then those of all others.

    >>> near_first(np.array([False, True, False, True])).tolist()
    [1, 3, 0, 2]
    """
    return np.argsort(~near.astype(bool), kind="stable")
