"""Online learning of G(h₁, …, h_k), for any G: {0,1}^k → {0,1} and concepts h_i of k classes.

[ABMS20, Thm 2.1; GGKM21b]  docs/references.bib    corrections: docs/errata/ABMS20.md    proofs: docs/theory/online.md

The paper writes G as a disjunction of conjunctions, writes each of these as a majority, and learns it by boosting. Its
bound is about 4^k·k²·d. Halving over k-tuples of SOA experts needs no such form, works in the same way for every G, and
makes at most about k·d·log k mistakes.

Throughout this file
    H_i    the classes, all on the same points        d_i    Ldim(H_i)
    m      how many of the 2^k choices of bits G maps to 1; each is a conjunction that is 1 on this choice alone
    T      the number of rounds that a learner learns from; both learners learn from their mistakes only
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from itertools import product

import numpy as np

from privpac.classes.finite.boolean_functions import GateLike, gate
from privpac.classes.finite.explicit import ClassOrMatrix, ExplicitClass, explicit
from privpac.dimensions.closure import littlestone_of_composition, littlestone_of_unions, tree_sauer
from privpac.online.boosting import BoostedMajority, boosting_bound
from privpac.online.online_learner import OnlineLearner
from privpac.online.soa import VersionSpaces

State = tuple[tuple[int, int], ...]  # for each class, the version space of an expert and its number of flips


def theorem_2_1(dimensions: Sequence[int], terms: int) -> int:
    """The bound of [ABMS20, Thm 2.1] on Ldim(G(H₁, …, H_k)), with constants, if G is 1 on ``terms`` choices of bits.

    A conjunction of k bits is a majority of 2k − 1 votes, k − 1 of which are 0. A disjunction of m bits is a majority
    of 2m − 1 votes, m − 1 of which are 1 (E-ABMS20-8). The bound :func:`littlestone_of_composition` is far smaller.

    >>> theorem_2_1([1, 1], terms=2), littlestone_of_composition([1, 1])
    (54540, 5)
    """
    k, m = len(dimensions), terms
    if not 0 <= m <= 2**k:
        raise ValueError(f"terms must lie between 0 and {2**k}: one for each choice of {k} bits that G maps to 1")
    if m == 0:
        return 0  # E-ABMS20-16: G is the constant 0, and its disjunction is empty
    literal = littlestone_of_unions([*dimensions, 0]) if k > 1 else dimensions[0]
    conjunction = boosting_bound(2 * k - 1, literal)
    return boosting_bound(2 * m - 1, littlestone_of_unions([*[conjunction] * m, 0])) if m > 1 else conjunction


def conjunctions(G: GateLike, *classes: ExplicitClass) -> list[ExplicitClass]:
    """For each choice of bits that G maps to 1, the class of functions that are 1 where (h₁, …, h_k) is the choice."""
    G = gate(G, len(classes))
    first, *others = classes
    choices = [i for i, value in enumerate(G.table) if value]
    return [first.compose([i == choice for i in range(len(G.table))], *others) for choice in choices]


def _explicit_classes(classes: Sequence[ClassOrMatrix]) -> list[ExplicitClass]:
    if not classes:
        raise ValueError("a composition needs at least one class")
    return [explicit(c) for c in classes]


class ComposedByBoosting(OnlineLearner):
    """Learn G(h₁, …, h_k) as a majority of m conjunctions and m − 1 constants 1. [ABMS20, Thm 2.1]

    Mistakes  at most boosting_bound(2m − 1, d', N), where d' is the Littlestone dimension of all conjunctions and 1
    Time      that of :class:`BoostedMajority`

    The paper boosts a learner of conjunctions that itself comes from boosting. Here conjunctions are listed, so their
    standard optimal algorithm takes its place, and makes no more mistakes.

    >>> thresholds = [[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]]
    >>> learner = ComposedByBoosting(lambda a, b: a and not b, thresholds, thresholds)
    >>> learner.partial_fit([0, 1, 2] * 9, [0, 1, 0] * 9).predict(range(3))
    array([False,  True, False])
    """

    def __init__(self, G: GateLike, *classes: ClassOrMatrix, copies: int | None = None) -> None:
        parts = conjunctions(G, *_explicit_classes(classes))
        self._majority = _boosted_majority(parts, copies) if parts else None  # E-ABMS20-16: G = 0 has no conjunctions
        self._points = VersionSpaces(_explicit_classes(classes)[0])

    def mistake_bound(self) -> int:
        """boosting_bound(2m − 1, d', N); 0 if G is 0."""
        return self._majority.mistake_bound() if self._majority else 0

    def predict_one(self, x: Hashable) -> bool:
        self._check(x)
        return self._majority is not None and self._majority.predict_one(x)

    def _check(self, x: Hashable) -> None:
        self._points.ones(x)

    def _learn(self, x: Hashable, y: bool) -> None:
        if self._majority:
            self._majority.learn_one(x, y)


def _boosted_majority(parts: Sequence[ExplicitClass], copies: int | None) -> BoostedMajority:
    """The learner of majorities of 2m − 1 concepts of ``parts`` or the constant 1."""
    points, m = parts[0].all_points, len(parts)
    always = np.ones((min(m - 1, 1), len(points)), dtype=bool)  # 1, not 0: E-ABMS20-8
    rows = np.unique(np.concatenate([*(part.matrix_on(points) for part in parts), always]), axis=0)
    return BoostedMajority(ExplicitClass(rows, points=points), 2 * m - 1, copies=copies)


class ComposedByHalving(OnlineLearner):
    """Learn G(h₁, …, h_k) by a vote among all k-tuples of SOA experts that have not erred.

    Mistakes  at most littlestone_of_composition([d₁, …, d_k]): the largest T with 2^T ≤ C(T, ≤ d₁)···C(T, ≤ d_k)
    Time      2^k·(states) for a round, with at most Π (d_i + 1)·(version spaces of H_i) states; integers only

    >>> thresholds = [[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]]
    >>> learner = ComposedByHalving(lambda a, b: a and not b, thresholds, thresholds)
    >>> learner.partial_fit([0, 1, 2] * 3, [0, 1, 0] * 3).predict(range(3))
    array([False,  True, False])
    >>> learner.mistakes, learner.mistake_bound()
    (2, 13)
    """

    def __init__(self, G: GateLike, *classes: ClassOrMatrix) -> None:
        self._spaces = tuple(VersionSpaces(c) for c in _explicit_classes(classes))
        self._G = gate(G, len(classes))
        self._rounds_to_learn = 1 + self.mistake_bound()
        # For each state, the number of k-tuples of experts in it. An expert is given by the past rounds in which it
        # contradicts SOA.
        self._pasts: dict[State, int] = {tuple((H.everything, 0) for H in self._spaces): 1}

    def mistake_bound(self) -> int:
        return littlestone_of_composition([H.dimension for H in self._spaces])

    def _steps(self, x: Hashable) -> Iterator[tuple[int, bool, State]]:
        """All moves of all tuples in this round: the number of tuples, their prediction, and their state afterwards."""
        ones = [H.ones(x) for H in self._spaces]
        for state, past in self._pasts.items():
            moves = [H.moves(V, flips, says_1) for H, (V, flips), says_1 in zip(self._spaces, state, ones, strict=True)]
            for move in product(*moves):
                index = sum(label << bit for bit, (label, _) in enumerate(reversed(move)))
                yield past, self._G.table[index], tuple(after for _, after in move)

    def _futures(self, state: State) -> int:
        """How many k-tuples of sets of later rounds can follow this state."""
        later_rounds = self._rounds_to_learn - 1
        pairs = zip(self._spaces, state, strict=True)
        return math.prod(tree_sauer(later_rounds, H.dimension - flips) for H, (_, flips) in pairs)

    def predict_one(self, x: Hashable) -> bool:
        """What most of the remaining tuples predict; 1 in case of a tie."""
        balance = sum(past * self._futures(state) * (1 if label else -1) for past, label, state in self._steps(x))
        return balance >= 0

    def _check(self, x: Hashable) -> None:
        for H in self._spaces:
            H.ones(x)

    def _learn(self, x: Hashable, y: bool) -> None:
        if self.predict_one(x) == y or self._rounds_to_learn == 1:
            return
        pasts: defaultdict[State, int] = defaultdict(int)
        for past, label, state in self._steps(x):
            if label == y:
                pasts[state] += past
        self._pasts = dict(pasts) or self._pasts  # if none are left, no composition gives these labels
        self._rounds_to_learn -= 1
