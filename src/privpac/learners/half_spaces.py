"""Half-spaces: the exponential mechanism over a public net of directions, with all biases of a grid.

[MT07]  docs/references.bib        proof: docs/proofs/plane_learner.md

Throughout this file
    d, a      the dimension, and the side of the grid {0 … a − 1}^d
    W         the net: integer normals w whose largest coefficient is ±m, one of w and −w
    B         biases of each normal: w·x ≥ least + k·step for k = 0 … B − 1, least the smallest value of w·x on the grid
    bin       of a record under w: ⌊(w·x − least)/step⌋; rule k says 1 of the bins k, k + 1, …
    ‖x‖₁      distances are sums of differences of coordinates

All numbers are integers, and a record's bins depend only on that record. In four and five dimensions, a sufficiently
fine net would be too large. There the learner uses three nets at a third of ε each: the first is coarse, and each of
the others is three times finer and surrounds the direction chosen before.

Main declarations
    net           W
    finer         a finer net around one direction
    Projected     the public numbers of a net on a grid: bins, errors of all rules, and the rule with a number
    NetLearner    learns HalfPlanes and HalfSpaces, noisy labels or not; pure ε
    margin        the distance that its certificate assumes
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from math import ceil, log
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privpac.classes.base import ConceptClass, Hypothesis
from privpac.classes.plane import HalfSpace, HalfSpaces, simplest
from privpac.data.sample import Ints, Sample
from privpac.learners.algorithm import Learner
from privpac.learners.universe import FEW, Universe
from privpac.mechanisms.adaptive import Ask
from privpac.mechanisms.selection import Exponential
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Records

NET_FINENESS = {1: 1, 2: 256, 3: 12, 4: 2, 5: 2}  # m of the first net in d dimensions
NETS = {1: 1, 2: 1, 3: 1, 4: 3, 5: 3}  # how many nets, one around a direction of the other
TIMES_FINER = 3  # how much finer each is than the one before
BIASES = 2048  # B


@cache
def net(d: int, m: int) -> Ints:
    """W: integer vectors whose largest coefficient is ±m and whose first one is positive, one a row.

    >>> net(2, 1).tolist()
    [[0, 1], [1, -1], [1, 0], [1, 1]]
    """
    cube = np.indices((2 * m + 1,) * d).reshape(d, -1).T - m
    surface = cube[np.abs(cube).max(axis=1) == m]
    first = surface[np.arange(len(surface)), (surface != 0).argmax(axis=1)]
    half: Ints = surface[first > 0]
    return half


def finer(w: Ints) -> Ints:
    """The directions around w that are three times finer.

    >>> finer(np.array([1, 0])).tolist()
    [[2, -1], [2, 0], [2, 1], [3, -1], [3, 0], [3, 1], [4, -1], [4, 0], [4, 1]]
    """
    return TIMES_FINER * w + np.indices((TIMES_FINER,) * len(w)).reshape(len(w), -1).T - TIMES_FINER // 2


@dataclass(frozen=True, eq=False)
class Projected:
    """The rules of a net on the grid of this side. Their numbers: first all w·x ≥ …, then their complements.

    >>> rules = Projected(net(2, 1), side=3)
    >>> print(rules.size, rules.rule(1), rules.rule(2048), rules.rule(rules.size // 2 + 1), sep=", ")
    16384, x₂ ≥ 1, x₁ − x₂ ≥ −2, x₂ ≤ 0
    """

    normals: Ints
    side: int

    @property
    def size(self) -> int:
        """The number of rules."""
        return 2 * len(self.normals) * BIASES

    @cached_property
    def least(self) -> NDArray[Any]:
        """The smallest w·x of each normal."""
        least: NDArray[Any] = np.minimum(self.normals, 0).astype(object).sum(axis=1) * (self.side - 1)
        return least

    @cached_property
    def step(self) -> NDArray[Any]:
        """The distance between biases: B of them cover all values."""
        step: NDArray[Any] = np.abs(self.normals).astype(object).sum(axis=1) * (self.side - 1) // BIASES + 1
        return step

    def normal(self, number: int) -> Ints:
        """The normal of the rule with a number; its complement has the same."""
        normal: Ints = self.normals[number // BIASES % len(self.normals)]
        return normal

    def rule(self, number: int) -> HalfSpace:
        """The rule with a number."""
        opposite, i, k = map(int, np.unravel_index(number, (2, len(self.normals), BIASES)))
        w, b = self.normals[i].tolist(), int(self.least[i] + k * self.step[i])
        return simplest([-each for each in w], 1 - b) if opposite else simplest(w, b)

    def scores(self, sample: Sample) -> Ints:
        """Minus the number of records each rule labels wrongly."""
        reach = self.side * int(np.abs(self.normals).sum(axis=1).max())
        kind = np.int32 if reach < 2**31 else np.int64 if reach < 2**62 else object
        order = np.argsort(sample.labels, kind="stable")  # label 0 first
        X = np.ascontiguousarray(sample.points[order].T.astype(kind))
        counts = None if sample.counts is None else sample.counts[order]
        split, zeros, ones = int((~sample.labels).sum()), sample.negatives, sample.positives
        scores = np.empty((2, len(self.normals), BIASES), dtype=np.int64)
        scores[0, :, 0] = -zeros  # w·x ≥ least: always
        for i, w in enumerate(self.normals.astype(kind)):
            bins = (w @ X - int(self.least[i])) // int(self.step[i])
            gains = _gains(bins.astype(np.int64, copy=False), counts, split)
            scores[0, i, 1:] = -zeros - np.cumsum(gains[:-1])
        scores[1] = -zeros - ones - scores[0]
        return scores.reshape(-1)


def _gains(bins: Ints, counts: Ints | None, split: int) -> Ints:
    """Records with label 1 minus records with label 0 in each bin; sums below 2^53 are exact in floats."""
    parts = [
        np.bincount(bins[part], None if counts is None else counts[part], BIASES).astype(np.int64)
        for part in (slice(split), slice(split, None))
    ]
    return parts[1] - parts[0]


class NetLearner(Learner):
    """Learn a half-space in up to five dimensions.

    Privacy   ε, for all inputs: plane learner, Theorem 3
    Utility   up to three dimensions, if the best half-space keeps a distance from all records: plane learner, Theorem 4
    Cost      a projection and a count of the records for each direction: about a thousand

    >>> from privpac import PrivateClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.integers(0, 1000, (3000, 2))
    >>> y = 3 * X[:, 0] - 2 * X[:, 1] >= 300
    >>> clf = PrivateClassifier(HalfSpaces(2, 1000), method="NetLearner", epsilon=1).fit(X, y)
    >>> bool((clf.predict(X) == y).mean() > 0.98)
    True
    >>> print(clf.guarantee_.utility.assumptions[-1])
    the boundary of the best half-space is at least 1.47 away from every record (differences of coordinates added up)
    """

    concept_class: HalfSpaces
    kinds: ClassVar[tuple[type[ConceptClass], ...]] = (HalfSpaces,)
    title: ClassVar[str] = "exponential mechanism over a net of half-spaces"
    theorem: ClassVar[str] = "plane learner, Theorem 4"
    pure: ClassVar[bool] = True
    audited: ClassVar[tuple[Universe, ...]] = (Universe(HalfSpaces(1, 3), "3 points of a line", ((2,),), FEW),)

    def run(self, records: Records, ask: Ask) -> Hypothesis:
        d = self.concept_class.dim
        selection = Exponential(Budget(self.cost.epsilon / NETS[d]))
        normals = net(d, NET_FINENESS[d])
        for _ in range(NETS[d]):
            rules = Projected(normals, self.concept_class.side)
            number = ask(selection, records.see(rules.scores))
            normals = finer(rules.normal(number))
        return rules.rule(number)

    def failure(self, n: int, alpha: float) -> float:
        d = self.concept_class.dim
        if NETS[d] > 1:
            return 1.0
        rules = 2 * len(net(d, NET_FINENESS[d])) * BIASES
        return self.chance(log(rules), n, alpha)

    @property
    def _margin(self) -> str:
        γ = margin(self.concept_class.dim, self.concept_class.side)
        return f"{ceil(100 * γ) / 100:g}" if γ < 10**300 else f"2^{ceil(γ).bit_length()}"  # too large for floats

    @property
    def within(self) -> str:
        """The margin."""
        return f"with margin {self._margin}"

    @property
    def besides(self) -> tuple[str, ...]:
        """How far the best half-space keeps from all records."""
        apart = f"at least {self._margin} away from every record (differences of coordinates added up)"
        return (f"the boundary of the best half-space is {apart}",)


def margin(d: int, side: int) -> Fraction:
    """γ: half-spaces that keep this distance from all records label them as some rule of the net does.

    >>> round(float(margin(2, 1000)), 3), round(float(margin(3, 1000)), 3)
    (1.464, 42.375)
    """
    m = NET_FINENESS[d]
    turned = Fraction((d - 1) * (side - 1), 4)  # by the direction
    step = d * m * (side - 1) // BIASES + 1
    return (turned + Fraction(step, 2)) / m
