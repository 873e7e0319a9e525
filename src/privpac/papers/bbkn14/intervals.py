"""[BBKN14, §5.1]: INTERVAL, and a proper learner from the switching points of an improper one's hypotheses.

Throughout this file
    T         the domain is {1, …, T}           c_j       1 on all x < j and 0 from j on, 1 ≤ j ≤ T + 1
    h         any hypothesis on the domain      A′        a private learner of INTERVAL that need not be proper
    z         how many switching points hypotheses of A′ may have, in at least half of its runs
    α′, β′    A′ has error at most α′ = α/4 with probability at least 1 − β′, β′ = β/6
    k         the number of runs of A′, each on examples of its own      s    how many examples decide the choice
    r         e^(ε/2)
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import ceil, log, log2
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from privpac.classes.concept_class import ConceptClass
from privpac.classes.hypothesis import Hypothesis, Labels
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.matrices import check_matrix_size
from privpac.data.domains.line import Line
from privpac.mechanisms.algorithm import Ask, Uniform
from privpac.mechanisms.selection.exponential import Exponential
from privpac.papers.bbkn14.occam import comparison_size, store_goal_as_fractions
from privpac.papers.paper_learner import Examples, PaperLearner, WrapperLearner
from privpac.privacy.budget import Budget, Number, as_count
from privpac.refusals.option_words import PaperConstants, one_of


def interval(T: int, j: int) -> Hypothesis:
    """c_j of INTERVAL on {1, …, T}.

    >>> [str(interval(3, j)) for j in (1, 2, 3, 4)]
    ['never', 'x < 2', 'x < 3', 'always']
    """
    return Thresholds(1, T, direction="below").at(j - 1, above=False)


def labels_of(h: Hypothesis, T: int) -> Labels:
    """h on 1, …, T.

    >>> labels_of(interval(3, 3), 3)
    array([ True,  True, False])
    """
    return h(np.arange(1, T + 1))


def switching_points(h: Hypothesis, T: int) -> tuple[int, ...]:
    """The j with h(j) ≠ h(j − 1), and 1 and T + 1.

    >>> switching_points(interval(9, 4), 9)
    (1, 4, 10)
    """
    labels = labels_of(h, T)
    return 1, *(np.flatnonzero(labels[1:] != labels[:-1]) + 2).tolist(), T + 1


def decreasing_points(h: Hypothesis, T: int) -> tuple[int, ...]:
    """The switching points after a 1 (or 1 itself, if h begins with 0): what [BBKN14, Thm 5.4] rounds h to.

    At switching points, h rises and falls in turn, so these are half of them, and at least one.

    >>> decreasing_points(interval(9, 4), 9)
    (4,)
    """
    before = np.concatenate([[True], labels_of(h, T)])
    return tuple(j for j in switching_points(h, T) if before[j - 1] and (j > T or not before[j]))


@dataclass(frozen=True)
class IntervalExponential(PaperLearner):
    """c_j with probability ∝ e^(−ε·errors/2), over all j: first a run of j with equal errors, then a j in it.

    Privacy   ε, for all inputs: bbkn14, Theorem 16
    Utility   error ≤ α with probability ≥ 1 − β from N or more examples: bbkn14, Theorem 2

    >>> learner = IntervalExponential(2**64, Budget(1), 0.1, 0.05)
    >>> learner.N
    1180
    >>> print(learner.learn([10] * 600 + [11] * 600, [1] * 600 + [0] * 600))
    x < 11
    """

    T: int
    cost: Budget
    alpha: Number
    beta: Number
    name: ClassVar[str] = "exponential mechanism over intervals"
    theorem: ClassVar[str] = "bbkn14, Theorem 16"

    def __post_init__(self) -> None:
        object.__setattr__(self, "T", as_count(self.T, "T"))
        store_goal_as_fractions(self)

    @cached_property
    def domain(self) -> Line:
        return Line(1, self.T)

    def stays_in(self, H: ConceptClass) -> bool:
        return Thresholds(1, self.T, direction="below") == H

    @property
    def N(self) -> int:  # noqa: N802  (the paper's letter)
        """ln((T + 1)/β) over −ln(1 − α(1 − 1/r)), rounded up."""
        return comparison_size(self.T + 1, 0.0, float(self.alpha), float(self.beta), float(self.cost.epsilon))

    def run(self, data: Examples, ask: Ask) -> Hypothesis:
        starts = [1, *(x + 1 for x in sorted({int(x) for x, _ in data}))]  # the first j of each run of equal errors
        lengths = [stop - start for start, stop in pairwise([*starts, self.T + 2])]
        run = ask(Exponential(self.cost, lengths), -cut_errors(starts, data))
        return interval(self.T, starts[run] + ask(Uniform(lengths[run]), None))


def cut_errors(cuts: Sequence[int], data: Examples) -> NDArray[np.int64]:
    """On how many examples each c_j errs, for j in ``cuts``.

    >>> cut_errors([1, 2, 3], ((1, True), (2, False)))
    array([1, 0, 1])
    """
    ones, zeros = (sorted(x for x, y in data if y == label) for label in (True, False))
    return np.array([len(ones) - bisect_left(ones, j) + bisect_left(zeros, j) for j in cuts], dtype=np.int64)


@dataclass(frozen=True)
class SwitchingLearner(WrapperLearner):
    """Run A′ k times, take the first hypothesis with few switching points, and choose one of these by fresh examples.

    Where the paper says "FAIL" it returns c_1, a public concept. Fewer than N examples are divided in the same
    proportions. "printed": the paper's s, with its constant K = 1, and all switching points; "tight": the least s that
    the corrected proof allows, and the decreasing points only.

    Privacy   that of A′, for all inputs: bbkn14, Theorem 17
    Utility   "tight": error ≤ α with probability ≥ 1 − β from N or more examples, if A′ has α/4 and β/6: Theorem 18

    >>> inner = IntervalExponential(2**16, Budget(1), 0.1 / 4, 0.05 / 6)
    >>> learner = SwitchingLearner(inner, z=3, alpha=0.1, beta=0.05)
    >>> (learner.k, learner.s, learner.N), SwitchingLearner(inner, 3, 0.1, 0.05, "tight").s
    ((7, 4908, 16157), 158)
    """

    inner: PaperLearner  # A′, on the domain {1, …, T}
    z: int
    alpha: Number
    beta: Number
    constants: PaperConstants = "printed"
    name: ClassVar[str] = "intervals from switching points"
    theorem: ClassVar[str] = "bbkn14, Theorem 17"

    def __post_init__(self) -> None:
        one_of("constants", self.constants, PaperConstants)
        as_count(self.z, "z")
        store_goal_as_fractions(self)
        _ = self.N  # a plan that is impossible fails here, before anything is spent

    @property
    def k(self) -> int:
        return ceil(log2(6 / float(self.beta)))

    @property
    def s(self) -> int:
        """Examples for the choice."""
        α, β, ε = float(self.alpha), float(self.beta), float(self.cost.epsilon)
        if self.constants == "printed":
            choice = 8 * log((6 - β) * self.z / β) / (α * ε)
            return ceil(8 * log(12 / β) / α**2 + choice + (log(1 / β) + log(1 / α)) / α)
        return comparison_size(max(ceil(self.z / 2) - 1, 1), α / 4, α, β / 2, ε)  # E-BBKN14-14

    @property
    def N(self) -> int:  # noqa: N802  (the paper's letter)
        """k·N′ + s, where N′ is the number that A′ asks for."""
        if self.inner.N is None:
            raise ValueError("no theorem says how many examples the inner learner needs; give one that has an N")
        return self.k * self.inner.N + self.s

    def check_size(self, n: int) -> None:
        """ValueError if T is too large for the labels of a hypothesis."""
        check_matrix_size(int(self.domain.size), 1)

    def check(self, data: Sequence[tuple[Hashable, Hashable]]) -> Examples:
        """The examples; ValueError if T is too large, or if A′ refuses a block."""
        self.check_size(len(data))
        examples = super().check(data)
        blocks, _ = self.parts(examples)
        for block in {len(block): block for block in blocks}.values():  # what A′ refuses depends on the size alone
            self.inner.check(block)
        return examples

    def parts(self, data: Examples) -> tuple[list[Examples], Examples]:
        """The examples for each run of A′, and those for the choice."""
        learning, k = len(data) - len(data) * self.s // self.N, self.k
        return [data[i * learning // k : (i + 1) * learning // k] for i in range(k)], data[learning:]

    def run(self, data: Examples, ask: Ask) -> Hypothesis:
        T, (blocks, D_s) = int(self.domain.size), self.parts(data)
        hypotheses = [ask(self.inner, D) for D in blocks]
        h = next((h for h in hypotheses if h is not None and len(switching_points(h, T)) <= self.z), None)
        if h is None:
            return interval(T, 1)  # E-BBKN14-20
        switches = switching_points(h, T) if self.constants == "printed" else decreasing_points(h, T)
        return interval(T, switches[ask(Exponential(Budget(self.cost.epsilon)), -cut_errors(switches, D_s))])


def proper_needs(size: int, beta: Fraction | float, epsilon: Fraction | float) -> int:
    """A lower bound on the examples of proper, pure learners: ln((|H| − 1)(1 − β)/β)/ε [BBKN14, Thm 3.6].

    It holds for INTERVAL, where |H| = ``size`` = T + 1 and α < ½, and for POINT.

    >>> proper_needs(2**64 + 1, 0.05, 1)
    48
    """
    if not (size > 1 and 0 < beta < 1 and epsilon > 0):
        raise ValueError("size must be at least 2, beta strictly between 0 and 1, epsilon positive")
    return max(ceil((log(size - 1) + log(1 / float(beta) - 1)) / float(epsilon) * (1 - 1e-12)), 1)  # E-BBKN14-7
