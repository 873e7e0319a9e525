"""[ABMS20, Lemma 3.12, Remark 7.4]: learners on a random part of the examples.

proof: docs/proofs/composition.md, Theorems 10 and 13

A private learner promises a small error on the distribution from which its examples are drawn. If they are drawn with
replacement from a sample S, this is the uniform distribution on S, so the learner has a small error *on S*.

Relabeling alone costs more than 2·ln 2, whatever its parameter ε_R is, so no choice of parameters makes Algorithms 4
and 5 cheap. Keeping only m of n examples makes them cheap: an algorithm that costs ε₀ on its own costs ε at the rate
m/n = (e^ε − 1)/(e^ε₀ − 1).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil
from typing import Any, ClassVar

import numpy as np
from flint import ctx

from privpac.mechanisms.algorithm import Ask, Uniform
from privpac.papers.paper_learner import Examples, PaperLearner, RelayLearner
from privpac.papers.yan25.improper import Partition
from privpac.privacy.accounting.amplification import star_rate
from privpac.privacy.budget import Budget, Number, as_rational, mechanism_budget
from privpac.privacy.rounding import PRECISION, ball, chance_up, rounded_up
from privpac.refusals.option_words import PaperConstants, one_of

SAMPLING_RATIO = 9  # n/m of Lemma 3.12


def redrawn_share(cost: Budget, share: Number) -> Budget:
    """The cost, for every n, of running an (ε, δ)-mechanism on m ≤ share·n records drawn with replacement from n.

    ε' = share·(e^ε − 1) and δ' = δ·(e^ε' − 1)/(e^ε − 1). This is the supremum of ``redrawn(cost, m, n)``: for fixed
    m/n, its ε, which is m·ln(1 + (e^ε − 1)/n), increases with n and tends to ε'.

    >>> print(redrawn_share(Budget(1, 1e-6), Fraction(1, 9)))
    ε = 0.19092, δ = 1.22426e-07
    >>> from privpac.privacy.accounting.amplification import redrawn
    >>> print(redrawn(Budget(1, 1e-6), 1000, 9000))
    ε = 0.190902, δ = 1.22413e-07
    """
    rate, cost = as_rational(share, "share"), mechanism_budget(cost.epsilon, cost.delta)
    if not rate > 0:
        raise ValueError("share must be positive: draw at least one example")
    with ctx.workprec(PRECISION):
        growth = ball(cost.epsilon).expm1()
        ε = ball(rate) * growth
        δ = chance_up(ball(cost.delta) * ε.expm1() / growth) if cost.delta else Fraction(0)
        return Budget(rounded_up(ε), δ)


@dataclass(frozen=True)
class EmpiricalLearner(RelayLearner):
    """[ABMS20, Lemma 3.12]: run ``inner`` on a ninth as many examples, drawn from S with replacement.

    Privacy   ``redrawn_share(inner.cost, 1/9)``, for all inputs and all n: composition, Theorem 13 (E-ABMS20-14)
    Utility   error at most α on S itself, with probability at least 1 − β, if ``inner`` learns with error α and failure
    β from N/9 examples and some concept fits S. S may come from anywhere; its examples need not be independent

    >>> from privpac.papers.bbkn14 import ProperPoints
    >>> inner = ProperPoints(2**16, Budget(1), Fraction(1, 10), Fraction(1, 20), "tight")
    >>> print(EmpiricalLearner(inner).cost, EmpiricalLearner(inner, "tight").cost, EmpiricalLearner(inner).N, sep="; ")
    ε = 1; ε = 0.19092; 3159
    """

    inner: PaperLearner
    constants: PaperConstants = "printed"
    name: ClassVar[str] = "empirical learner"
    theorem: ClassVar[str] = "composition, Theorem 13"

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of("constants", self.constants, PaperConstants)

    @property
    def cost(self) -> Budget:  # type: ignore[override]
        """The proved cost; with printed constants that of ``inner``, if it is more, as for ε ≤ 3.47."""
        proved = redrawn_share(self.inner.cost, Fraction(1, SAMPLING_RATIO))
        printed_holds = self.constants == "printed" and proved <= self.inner.cost
        return self.inner.cost if printed_holds else proved  # E-ABMS20-14

    @property
    def N(self) -> int | None:  # noqa: N802  (the paper's letter)
        return None if self.inner.N is None else SAMPLING_RATIO * self.inner.N

    def check(self, data: Sequence[tuple[Hashable, Hashable]]) -> Examples:
        """The examples; ValueError if a ninth of them is less than one, or is refused by ``inner``."""
        if len(data) < SAMPLING_RATIO:
            raise ValueError(f"give at least {SAMPLING_RATIO} examples: fewer leave none for the learner")
        examples = super().check(data)
        self.inner.check(examples[: len(examples) // SAMPLING_RATIO])
        return examples

    def run(self, S: Examples, ask: Ask) -> Any:
        Q = tuple(S[ask(Uniform(len(S)), None)] for _ in range(len(S) // SAMPLING_RATIO))
        return ask(self.inner, Q)


@dataclass(frozen=True)
class SmallEpsilon(RelayLearner):
    """[ABMS20, Remark 7.4]: ``inner`` on m = ⌊rate·n⌋ of n examples, in random order.

    Privacy   (ε, rate·δ₀) if ``inner`` costs (ε₀, δ₀) and ε < ε₀, for all inputs: composition, Theorem 10
    Utility   the guarantee of ``inner`` from N/rate or more examples, where N is the number that ``inner`` asks for

    >>> from privpac.papers.bbkn14 import IntervalExponential
    >>> learner = SmallEpsilon(IntervalExponential(2**16, Budget(2), 0.1, 0.05), 0.5)
    >>> round(float(learner.rate), 4), learner.N, str(learner.cost)
    (0.1015, 2128, 'ε = 0.5')
    """

    inner: PaperLearner
    epsilon: Number
    name: ClassVar[str] = "some of the examples"
    theorem: ClassVar[str] = "composition, Theorem 10"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "epsilon", ε := as_rational(self.epsilon, "epsilon"))
        if not 0 < ε < self.inner.cost.epsilon:
            raise ValueError(
                f"epsilon must be positive and less than what the algorithm itself costs, {self.inner.cost}; to spend "
                "that much, run the algorithm itself"
            )

    @cached_property
    def rate(self) -> Fraction:
        """(e^ε − 1)/(e^ε₀ − 1), rounded down."""
        return star_rate(self.inner.cost, self.epsilon)

    @cached_property
    def cost(self) -> Budget:  # type: ignore[override]
        return Budget(self.epsilon, self.rate * self.inner.cost.delta)  # E-ABMS20-4

    @property
    def N(self) -> int | None:  # noqa: N802  (the paper's letter)
        return None if self.inner.N is None else ceil(self.inner.N / self.rate)

    def sample_size(self, n: int) -> int:
        """How many of n examples the inner learner gets: m."""
        return int(self.rate * n)

    def check_size(self, n: int) -> None:
        """ValueError if none of n examples would be kept, or if ``inner`` refuses m of them."""
        if not self.sample_size(n):
            raise ValueError(f"give at least {ceil(1 / self.rate)} examples: of fewer, none is kept at this epsilon")
        self.inner.check_size(self.sample_size(n))

    def check(self, data: Sequence[tuple[Hashable, Hashable]]) -> Examples:
        """The examples; ValueError if there are too few, or if ``inner`` refuses m of them.

        The first m stand for any m of them: what ``inner`` refuses depends on their number, not on which they are.
        """
        self.check_size(len(data))
        examples = super().check(data)
        self.inner.check(examples[: self.sample_size(len(examples))])
        return examples

    def run(self, data: Examples, ask: Ask) -> Any:
        n, m = len(data), self.sample_size(len(data))
        position = np.asarray(ask(Partition((1,) * n), None), dtype=np.intp)  # a random permutation of the examples
        return ask(self.inner, tuple(data[i] for i in np.argsort(position)[:m].tolist()))
