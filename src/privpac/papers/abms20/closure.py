"""[ABMS20, §7]: from private learners of H₁, …, H_k to a private learner of G(H₁, …, H_k).

Throughout this file
    G        a boolean function of k bits          H_i, A_i    the classes and their learners, all on the same domain
    S_i      the examples of step i: D_i, the first half, and T_i
    h_i      the hypothesis that step i learns            c_i        any concept of H_i, in place of an h_i yet to come
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise
from math import ceil, inf, prod
from typing import Any, ClassVar

import numpy as np

from privpac.classes.compositions.compose import Compose
from privpac.classes.compositions.rules import composition
from privpac.classes.concept_class import ConceptClass
from privpac.classes.finite.boolean_functions import Gate, gate
from privpac.classes.hypothesis import Constant, Hypothesis, Labels
from privpac.data.domains.domain import Domain
from privpac.mechanisms.algorithm import Ask
from privpac.papers.abms20.agnostic import examples_per_base_example, goals, relabeling_size, vc_bound
from privpac.papers.abms20.patterns import pattern_count
from privpac.papers.abms20.relabeling import (
    Algorithm3Output,
    check_base,
    check_drawn,
    check_relabeling,
    common_domain,
    relabel,
    relabeling_price,
)
from privpac.papers.abms20.scores import CompletionErrors
from privpac.papers.abms20.sizes import Step, theorem_7_1
from privpac.papers.abms20.subsampling import EmpiricalLearner
from privpac.papers.bbkn14.occam import store_goal_as_fractions
from privpac.papers.paper_learner import Examples, PaperLearner
from privpac.privacy.budget import Budget, Number
from privpac.refusals.option_words import PaperConstants

NEVER = Constant(False)  # for a learner that returns no hypothesis


@dataclass(frozen=True)
class _FunctionHypothesis(Hypothesis):
    """A function that is not a hypothesis of the library, such as a k-CNF."""

    function: Any

    def __call__(self, column: Any, /) -> Labels:
        return np.asarray(self.function(column), dtype=bool)

    def sentence(self, *names: str) -> str:
        return str(self.function)


def as_hypothesis(returned: Any) -> Hypothesis:
    """The hypothesis that a learner returned: NEVER for None, and A(S̃) for the output of Algorithm 3."""
    if isinstance(returned, Algorithm3Output):
        return as_hypothesis(returned.f)
    if returned is None:
        return NEVER
    return returned if isinstance(returned, Hypothesis) else _FunctionHypothesis(returned)


@dataclass(frozen=True)
class ClosureLearn(PaperLearner):
    """[ABMS20, Alg. 5]: learn h_1, then h_2 given h_1, and so on, each from relabeled examples of its own.

    ``G`` is a name (and, or, xor, majority), a function of k booleans, or its 2^k values. With fewer than N examples,
    every step gets proportionally fewer. The classes may differ [ABMS20, Remark 7.4]. ``redraw`` means the same as in
    :class:`PrivateAgnostic`.

    Privacy   the largest price of a step, for all inputs: abms20, Theorem 6
    Utility   with "tight" constants: N examples give an error of at most α above the best of G(H₁, …, H_k) with
    probability at least 1 − β, if each A_i learns H_i with error below α/k and failure below β/k: abms20, Theorem 7.
    What an improper A_i needs beyond that is said in :class:`PrivateAgnostic`. For other learners N is None

    >>> from privpac.classes.finite.explicit import explicit
    >>> from privpac.classes.lines.thresholds import Thresholds
    >>> from privpac.papers.bbkn14 import PrivateOccam
    >>> up, down = explicit(Thresholds(0, 9, direction="above")), explicit(Thresholds(0, 9, direction="below"))
    >>> learners = [PrivateOccam(H, Budget(1), 0.02, 0.01, "tight") for H in (up, down)]
    >>> print(ClosureLearn("and", learners, (up, down), 0.1, 0.05).cost)
    ε = 4
    >>> learner = ClosureLearn("and", learners, (up, down), 0.1, 0.05, "tight")
    >>> print(learner.cost, learner.N)
    ε = 2.57721 146844
    """

    G: Any
    inner: Sequence[PaperLearner]
    classes: Sequence[ConceptClass]
    alpha: Fraction
    beta: Fraction
    constants: PaperConstants = "printed"
    relabel_epsilon: Number = 1
    redraw: bool = True
    gate: Gate = field(init=False, repr=False, compare=False)
    name: ClassVar[str] = "ClosureLearn"
    theorem: ClassVar[str] = "abms20, Theorem 6"

    def __post_init__(self) -> None:
        if not isinstance(self.inner, Sequence) or not isinstance(self.classes, Sequence):
            raise TypeError("inner and classes must be sequences: a learner for each class, such as [A, B] for [H, K]")
        object.__setattr__(self, "inner", tuple(self.inner))
        object.__setattr__(self, "classes", tuple(self.classes))
        if len(self.inner) != len(self.classes):
            raise ValueError("give one learner for each class")
        object.__setattr__(self, "gate", gate(self.G, self.k))
        if ignored := [i + 1 for i in range(self.k) if not depends(self.gate, i)]:
            raise ValueError(f"G ignores part {ignored[0]}: its value never depends on it; leave that part out")
        for A, H in zip(self.inner, self.classes, strict=True):
            check_base(A, H)
        _ = self.domain
        object.__setattr__(self, "relabel_epsilon", check_relabeling(self.constants, self.relabel_epsilon))
        store_goal_as_fractions(self)
        _ = self.sizes  # A goal that cannot be reached fails here, before anything is spent.

    def stays_in(self, H: ConceptClass) -> bool:
        return self.learns(H) and all(A.stays_in(K) for A, K in zip(self.inner, self.classes, strict=True))

    def learns(self, H: ConceptClass) -> bool:
        return isinstance(H, Compose) and (H.gate, H.parts) == (self.gate, self.classes)

    @property
    def k(self) -> int:
        return len(self.classes)

    @cached_property
    def domain(self) -> Domain:
        """That of all parts; if they read columns, the columns of all of them."""
        return common_domain(*self.inner, *self.classes)

    @cached_property
    def empirical(self) -> tuple[PaperLearner, ...]:
        """Step 2c for each i: A_i on a ninth of its examples; A_i itself without ``redraw``."""
        return tuple(EmpiricalLearner(A, self.constants) if self.redraw else A for A in self.inner)

    @cached_property
    def cost(self) -> Budget:  # type: ignore[override]
        prices = [
            relabeling_price(A.cost, self.relabel_epsilon, self.constants, counts_errors=False) for A in self.empirical
        ]
        return Budget(max(price.epsilon for price in prices), max(price.delta for price in prices))  # E-ABMS20-4

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """How many examples each step asks for. If N is None, only the proportions of these numbers count."""
        α, β = self.alpha / self.k, self.beta / self.k
        if self.constants == "printed":
            V, m = vc_bound(Compose(self.gate, *self.classes)), sum(A.N or 1 for A in self.inner)
            total = ceil(theorem_7_1(self.k, V, m, float(self.alpha), float(self.beta)))
            return (-(-total // self.k),) * self.k  # total/k, rounded up
        promised = [goals(A) for A in self.inner]
        if any(α_A >= α or β_A >= β for α_A, β_A in promised):
            raise ValueError("each base learner must aim at less than alpha/k and beta/k: relabeling takes a share")
        sizes = []
        for i, (A, (α_A, β_A)) in enumerate(zip(self.inner, promised, strict=True)):
            for_relabeling = self.proved[i] or self.step(i).least(float(α - α_A), float(β - β_A))
            for_learning = examples_per_base_example(self.redraw) * (A.N or 1)
            sizes.append(max(for_relabeling, for_learning))  # E-ABMS20-12
        return tuple(sizes)

    def step(self, i: int) -> Step:
        """Step i, which leads to some G(h_1, …, h_{i−1}, c_i, …, c_k)."""
        concepts = self.choices(i)
        return Step(self.count(i, i + 1), concepts, self.count(i, self.k), float(self.relabel_epsilon), self.cost)

    def choices(self, first: int) -> int | float:
        """How many ways there are to choose a concept from each class, beginning with class ``first``."""
        sizes = [H.size for H in self.classes[first:]]
        return inf if inf in sizes else prod(sizes)

    @cached_property
    def proved(self) -> tuple[int | None, ...]:
        """How many examples relabeling takes in each step; None where nothing is proved."""
        goal = self.alpha / self.k, self.beta / self.k
        return tuple(
            relabeling_size(A, H, goal, self.step(i), others=self.choices(i + 1), redraw=self.redraw)
            for i, (A, H) in enumerate(zip(self.inner, self.classes, strict=True))
        )

    def count(self, first: int, stop: int) -> Callable[[int], float]:
        """A bound, as a function of n, on how many ways n points are labeled by concepts of classes[first:stop]."""
        return lambda n: prod(pattern_count(H, n) for H in self.classes[first:stop])  # E-ABMS20-11

    @property
    def N(self) -> int | None:  # noqa: N802  (the paper's letter)
        return sum(self.sizes) if self.constants == "printed" or None not in self.proved else None

    def ends(self, n: int) -> list[int]:
        """Where each step's examples end, in the proportions of ``sizes``; the first entry is 0."""
        return [n * end // sum(self.sizes) for end in accumulate(self.sizes, initial=0)]

    def check_size(self, n: int) -> None:
        """ValueError if n is too small for some step, or too large to draw its pattern."""
        ratio = examples_per_base_example(self.redraw)
        for i, (start, end) in enumerate(pairwise(self.ends(n))):
            if end - start < ratio:
                raise ValueError(f"give more examples: each step needs at least {ratio}, and step {i + 1} gets fewer")
            check_drawn(self.classes[i], end - start, CompletionErrors(self.gate, (), self.classes[i + 1 :]))

    def check(self, data: Sequence[tuple[Hashable, Hashable]]) -> Examples:
        """The examples; ValueError if there are too few or too many, or if some A_i refuses them."""
        self.check_size(len(data))
        examples, ratio = super().check(data), examples_per_base_example(self.redraw)
        for A, (start, end) in zip(self.inner, pairwise(self.ends(len(data))), strict=True):
            A.check(examples[: (end - start) // ratio])
        return examples

    def run(self, S: Examples, ask: Ask) -> Hypothesis:
        h: list[Hypothesis] = []
        for i, (start, end) in enumerate(pairwise(self.ends(len(S)))):
            middle = (start + end) // 2
            D, T = S[start:middle], S[middle:end]
            q = CompletionErrors(self.gate, tuple(h), self.classes[i + 1 :])
            D_h, _ = relabel(self.classes[i], Fraction(self.relabel_epsilon), D, T, ask, q=q)
            h.append(as_hypothesis(ask(self.empirical[i], D_h)))
        return composition(self.gate, tuple(h))


def depends(G: Gate, part: int) -> bool:
    """Whether G ever changes with its bit number ``part``, counted from 0.

    >>> [depends(gate(lambda a, b: a, 2), part) for part in (0, 1)]
    [True, False]
    """
    table = np.array(G.table, dtype=bool).reshape((2,) * G.arity)
    return bool((table.take(0, axis=part) != table.take(1, axis=part)).any())
