"""A uniform order of n records, exact: all n! orders have the same probability.

proof: docs/proofs/flat_learner.md, Lemma 1
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from privpac.exact.entropy import Entropy


def shuffled(n: int, coins: Entropy) -> NDArray[np.intp]:
    """The numbers 0 … n − 1 in the order of n random keys, which are drawn again if two of them are equal.

    >>> from privpac.exact.entropy import SYSTEM
    >>> sorted(shuffled(5, SYSTEM).tolist())
    [0, 1, 2, 3, 4]
    """
    while True:
        keys = np.frombuffer(coins.octets(8 * n), dtype=np.uint64)
        order = np.argsort(keys)
        if np.all(np.diff(keys[order]) > 0):
            return order
