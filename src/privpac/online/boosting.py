"""Online boosting for k-majorities: from learners slightly better than a coin to one that makes few mistakes.

[ABMS20, §4.2.2; BCHM20]  docs/references.bib        proof: docs/theory/online.md

Let the labels be the majority of k concepts of H. However the rounds are weighted, one of these concepts agrees with
the labels on a share of at least 1/2 + 1/(2k) (E-ABMS20-5). So the agnostic learner of H is a *weak* learner of the
k-majorities, and boosting turns N copies of it into a strong one. Online gradient descent gives the example a weight
for each copy, one copy after another.

Throughout this file
    k      an odd number                              MAJ_k(H) the majorities of k concepts of H
    d      Ldim(H)                                    T        the number of rounds that the learner learns from
    N      the number of copies                       w_i      the prediction of copy i, in [−1, 1]
    s      the label as a sign, 1 or −1               p_i      the weight of the example for copy i, in [0, 1]
"""

from __future__ import annotations

import math
from collections.abc import Hashable

import numpy as np

from privpac.classes.finite.explicit import ClassOrMatrix
from privpac.dimensions.closure import last_true, tree_sauer
from privpac.online.experts import Floats, SoaExperts
from privpac.online.online_learner import OnlineLearner
from privpac.online.soa import VersionSpaces


def boosting_bound(k: int, d: int, copies: float = math.inf) -> int:
    """The largest T before T·(1 − (k + 1)/(2√N)) exceeds k·√(2·T·ln C(T, ≤ d)).

    Without ``copies`` (N → ∞) this bounds Ldim(MAJ_k(H)) for every class H with Ldim(H) = d [ABMS20, Eq. 4].

    >>> boosting_bound(3, 1), boosting_bound(3, 1, copies=400)
    (78, 103)
    """
    if not isinstance(k, int) or k < 1 or k % 2 == 0:
        raise ValueError("k must be odd and positive: an even number of votes may be tied")
    if not isinstance(d, int) or d < 0:
        raise ValueError("d must be 0 or more: the Littlestone dimension of a class with at least one concept")
    if not 4 * copies > (k + 1) ** 2:
        raise ValueError(f"k = {k} needs more than {(k + 1) ** 2 // 4} copies")
    slack = (k + 1) / (2 * math.sqrt(copies))
    return last_true(lambda T: T * (1 - slack) <= k * math.sqrt(2 * T * math.log(tree_sauer(T, d))))


def importances(gradients: Floats, largest: float) -> Floats:
    """The weights p₁, …, p_N of online gradient descent from ½: p_i is chosen before its loss p ↦ p·g_i is known.

    Regret  Σ p_i·g_i − min(0, Σ g_i) ≤ ½·G·√N if |g_i| ≤ G = ``largest`` [Zin03]

    >>> importances(np.array([-1.0, -1.0, 1.0, 1.0]), largest=1)
    array([0.5 , 0.75, 1.  , 0.75])
    """
    step = 1 / (2 * largest * math.sqrt(len(gradients)))
    weights, p = np.empty(len(gradients)), 0.5
    for i, g in enumerate(gradients.tolist()):
        weights[i] = p
        p = min(1.0, max(0.0, p - step * g))
    return weights


class BoostedMajority(OnlineLearner):
    """Learn a majority of k unknown concepts of a class by boosting its agnostic online learner.

    Mistakes  at most boosting_bound(k, d, N), which is Õ(k²·d), on the labels of a k-majority, in any number of rounds
    Time      N·(states of :class:`SoaExperts`) for a round; N is 25(k + 1)² by default

    It learns from its mistakes only, and from no more of them than the bound: one more mistake proves that no
    k-majority gives these labels.

    >>> points = np.eye(5, dtype=bool)  # MAJ₃ of them: at most one point
    >>> learner = BoostedMajority(points, k=3)
    >>> learner.partial_fit([0, 1, 2, 3, 4] * 9, [0, 0, 1, 0, 0] * 9).predict(range(5))
    array([False, False,  True, False, False])
    """

    def __init__(self, concept_class: ClassOrMatrix, k: int, *, copies: int | None = None) -> None:
        self.k = k
        self.copies = 25 * (k + 1) ** 2 if copies is None else copies
        self._H = VersionSpaces(concept_class)
        self._weak = SoaExperts(self._H, rounds=1 + self.mistake_bound(), players=self.copies)

    def mistake_bound(self) -> int:
        return boosting_bound(self.k, self._H.dimension, self.copies)

    def predict_one(self, x: Hashable) -> bool:
        """The sign of Σ w_i; 1 if it is 0."""
        return bool(self._votes(x).sum() >= 0)

    def _votes(self, x: Hashable) -> Floats:
        """w_1, …, w_N: the probability that a copy predicts 1, moved to [−1, 1]."""
        return 2 * self._weak.probabilities(self._H.ones(x)) - 1

    def _check(self, x: Hashable) -> None:
        self._H.ones(x)

    def _learn(self, x: Hashable, y: bool) -> None:
        if self.predict_one(x) != y and self._weak.rounds_left > 1:
            s = 1 if y else -1
            # The gradients k·s·w_i − 1 are positive, so that weights fall, where a copy is right by more than 1/k.
            p = importances(self.k * s * self._votes(x) - 1, largest=self.k + 1)
            self._weak.learn(self._H.ones(x), y, p)
