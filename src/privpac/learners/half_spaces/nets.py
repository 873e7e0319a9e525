"""Half-spaces: the exponential mechanism over a public net of directions, with many biases of each.

[MT07]  docs/references.bib        proof: docs/proofs/plane_learner.md, docs/proofs/half_space_learner.md

Throughout this file
    d, a      the dimension, and the side of the grid {0 … a − 1}^d
    W         the net: integer normals w whose largest coefficient is ±m, one of w and −w
    B         the number of biases of each normal: the rules are w·x ≥ least + k·step for k = 0 … B − 1, where ``least``
              is the smallest value of w·x on the grid
    bin       of a record under w: ⌊(w·x − least)/step⌋; rule k says 1 of the bins k, k + 1, …
    ‖x‖₁      the sum of the coordinates' absolute values, by which distances are measured

All numbers are integers, and a record's bins depend only on that record. If a margin is declared, the net is as fine as
the margin asks for. Otherwise, or if that net were too large, it has a fixed size. In four and five dimensions, a
second net at half of ε then surrounds the direction chosen from the first, and is three times finer. The rule chosen
first is a candidate again, so the second choice loses little.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property
from itertools import count, takewhile
from math import ceil, isqrt, log
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privpac.classes.concept_class import ConceptClass
from privpac.classes.hypothesis import Hypothesis
from privpac.classes.vectors.half_spaces import HalfSpace, HalfSpaces, simplest
from privpac.data.samples.sample import Ints, Sample
from privpac.learners.algorithm import Learner
from privpac.learners.audit_cases import FEW, Universe
from privpac.learners.certificates.deviation import LARGEST_LOGARITHM
from privpac.mechanisms.algorithm import Ask
from privpac.mechanisms.selection.exponential import Exponential
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Records

NET_FINENESS = {1: 1, 2: 256, 3: 12, 4: 4, 5: 3}  # m in d dimensions, if no margin is declared
NETS = {1: 1, 2: 1, 3: 1, 4: 2, 5: 2}  # how many nets, if no margin is declared
TIMES_FINER = 3  # how much finer the second net is
BIASES = 2048  # B, if W is small
MOST_PAIRS = 2**22  # the most pairs of a normal and a bias
MOST_NORMALS = 2**17  # the most normals of W


@cache
def net(d: int, m: int) -> Ints:
    """W: integer vectors whose largest coefficient is ±m and whose first one is positive, one a row.

    >>> net(2, 1).tolist()
    [[0, 1], [1, -1], [1, 0], [1, 1]]
    """
    cube = np.indices((2 * m + 1,) * d).reshape(d, -1).T - m
    surface = cube[np.abs(cube).max(axis=1) == m]
    first = surface[np.arange(len(surface)), (surface != 0).argmax(axis=1)]
    return np.asarray(surface[first > 0])


def finer_net(w: Ints) -> Ints:
    """The directions around w that are three times finer.

    >>> finer_net(np.array([1, 0])).tolist()
    [[2, -1], [2, 0], [2, 1], [3, -1], [3, 0], [3, 1], [4, -1], [4, 0], [4, 1]]
    """
    return TIMES_FINER * w + np.indices((TIMES_FINER,) * len(w)).reshape(len(w), -1).T - TIMES_FINER // 2


def normals(d: int, m: int) -> int:
    """The number of directions of W."""
    return int((2 * m + 1) ** d - (2 * m - 1) ** d) // 2


def biases(normals: int) -> int:
    """The number B of biases of each direction, if W has this many.

    >>> biases(4), biases(6841)
    (2048, 613)
    """
    return min(BIASES, MOST_PAIRS // normals)


@dataclass(frozen=True, eq=False)
class NetRules:
    """The rules of a net on the grid of this side. Their numbers: first all w·x ≥ …, then their complements.

    An ``extra`` rule comes last.

    >>> rules = NetRules(net(2, 1), side=3)
    >>> print(rules.size, rules.rule(1), rules.rule(2048), rules.rule(rules.size // 2 + 1), sep=", ")
    16384, x₂ ≥ 1, x₁ − x₂ ≥ −2, x₂ ≤ 0
    """

    normals: Ints
    side: int
    extra: HalfSpace | None = None

    @property
    def biases(self) -> int:
        """The number B of biases of each direction."""
        return biases(len(self.normals))

    @property
    def size(self) -> int:
        return 2 * len(self.normals) * self.biases + (self.extra is not None)

    @cached_property
    def least(self) -> NDArray[Any]:
        """The smallest w·x of each normal."""
        return np.asarray(np.minimum(self.normals, 0).astype(object).sum(axis=1) * (self.side - 1))

    @cached_property
    def step(self) -> NDArray[Any]:
        """The distance between the biases of each normal, so large that B of them cover all values."""
        return np.asarray(np.abs(self.normals).astype(object).sum(axis=1) * (self.side - 1) // self.biases + 1)

    def normal(self, number: int) -> Ints:
        """The normal of the rule with this number, which is also that of its complement."""
        return np.asarray(self.normals[number // self.biases % len(self.normals)])

    def rule(self, number: int) -> HalfSpace:
        """The rule with this number."""
        if self.extra and number == self.size - 1:
            return self.extra
        opposite, i, k = map(int, np.unravel_index(number, (2, len(self.normals), self.biases)))
        w, b = self.normals[i].tolist(), int(self.least[i] + k * self.step[i])
        return simplest([-coefficient for coefficient in w], 1 - b) if opposite else simplest(w, b)

    def scores(self, sample: Sample) -> Ints:
        """Minus the number of records each rule labels wrongly."""
        reach = self.side * int(np.abs(self.normals).sum(axis=1).max())
        kind = np.int32 if reach < 2**31 else np.int64 if reach < 2**62 else object
        order = np.argsort(sample.labels, kind="stable")  # label 0 first
        X = np.ascontiguousarray(sample.points[order].T.astype(kind))
        counts = None if sample.counts is None else sample.counts[order]
        split, zeros, ones = int((~sample.labels).sum()), sample.negatives, sample.positives
        scores = np.empty((2, len(self.normals), self.biases), dtype=np.int64)
        scores[0, :, 0] = -zeros  # w·x ≥ least: always
        for i, w in enumerate(self.normals.astype(kind)):
            bins = (w @ X - int(self.least[i])) // int(self.step[i])
            gains = _gains(bins.astype(np.int64, copy=False), counts, split, self.biases)
            scores[0, i, 1:] = -zeros - np.cumsum(gains[:-1])
        scores[1] = -zeros - ones - scores[0]
        extra = [] if self.extra is None else [-replace(sample, values=sample.points).errors(self.extra)]
        return np.concatenate([scores.reshape(-1), np.array(extra, dtype=np.int64)])


def _gains(bins: Ints, counts: Ints | None, split: int, B: int) -> Ints:
    """Records with label 1 minus records with label 0 in each bin; sums below 2^53 are exact in floats."""
    parts = [
        np.bincount(bins[part], None if counts is None else counts[part], B).astype(np.int64)
        for part in (slice(split), slice(split, None))
    ]
    return parts[1] - parts[0]


class NetLearner(Learner):
    """Learn a half-space in a few dimensions.

    Privacy   ε, for all inputs: plane learner, Theorem 3
    Utility   if the best half-space keeps a distance from all records: plane learner, Theorems 4 and 5
    Time      a projection and a count of the records for each direction: some thousands

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
    theorem: ClassVar[str] = "plane learner, Theorems 4 and 5"
    pure: ClassVar[bool] = True
    with_constants: ClassVar[bool] = True
    audited: ClassVar[tuple[Universe, ...]] = (Universe(HalfSpaces(1, 3), "3 points of a line", ((2,),), FEW),)

    @classmethod
    def _supports(cls, concept_class: ConceptClass) -> bool:
        H = concept_class
        return isinstance(H, HalfSpaces) and (H.dim in NET_FINENESS or sufficient_fineness(H) is not None)

    def run(self, records: Records, ask: Ask) -> Hypothesis:
        selection = Exponential(Budget(self.cost.epsilon / self.nets))
        rules = NetRules(net(self.concept_class.dim, self.fineness), self.concept_class.side)
        number = ask(selection, records.see(rules.scores))
        if self.nets == 1:
            return rules.rule(number)
        near = NetRules(finer_net(rules.normal(number)), self.concept_class.side, extra=rules.rule(number))
        return near.rule(ask(selection, records.see(near.scores)))

    @property
    def fineness(self) -> int:
        """m: the largest coefficient of the normals."""
        H = self.concept_class
        return sufficient_fineness(H) or NET_FINENESS[H.dim]

    @property
    def nets(self) -> int:
        """How many nets are searched: 1 or 2."""
        return 1 if sufficient_fineness(self.concept_class) else NETS[self.concept_class.dim]

    def failure(self, n: int, alpha: float) -> float:
        H, W = self.concept_class, normals(self.concept_class.dim, self.fineness)
        if H.margin and not sufficient_fineness(H):
            return 1.0
        first = 2 * W * biases(W)
        if self.nets == 1:
            return self.chance(log(first), n, alpha)
        near = TIMES_FINER**H.dim
        second, β = 2 * near * biases(near) + 1, float(self.terms.beta)
        # Except with probability β/2, neither selection errs on this many records more than its best rule.
        excess = 2 / self.log_r * (log(4 * first / β) + log(4 * second / β))
        log_all = log(first + W * (second - 1))  # all rules that either net may contain
        return min(1.0, β / 2 + self.chance(log_all, n, alpha, excess, log_r=LARGEST_LOGARITHM))

    @property
    def _margin(self) -> str:
        γ = margin(self.concept_class.dim, self.concept_class.side, self.fineness)
        return f"{ceil(100 * γ) / 100:g}" if γ < 10**300 else f"2^{ceil(γ).bit_length()}"  # beyond the largest float

    @property
    def within(self) -> str:
        return f"with margin {self._margin}"

    @property
    def extra_assumptions(self) -> tuple[str, ...]:
        apart = f"at least {self._margin} away from every record (differences of coordinates added up)"
        return (f"the boundary of the best half-space is {apart}",)


def margin(d: int, side: int, m: int | None = None) -> Fraction:
    """γ: half-spaces that keep this distance from all records label them as some rule of the net does."""
    m = m or NET_FINENESS[d]
    by_direction = Fraction((d - 1) * (side - 1), 4)
    step = d * m * (side - 1) // biases(normals(d, m)) + 1
    return (by_direction + Fraction(step, 2)) / m


@cache
def sufficient_fineness(H: HalfSpaces) -> int | None:
    """m: the smallest one that the declared margin allows; None if none is declared, or W would be too large.

    >>> [sufficient_fineness(HalfSpaces(4, 1000, margin=margin)) for margin in (0.5, 0.2, 0.01)]
    [2, 4, None]
    """
    if H.margin is None:
        return None
    distance = Fraction(str(H.margin)) * isqrt(H.dim * (H.side - 1) ** 2) / 2  # rounded down
    finenesses = count(1) if H.dim > 1 else range(1, BIASES + 1)  # on a line, W never grows
    small = takewhile(lambda m: normals(H.dim, m) <= MOST_NORMALS, finenesses)
    return next((m for m in small if margin(H.dim, H.side, m) <= distance), None)
