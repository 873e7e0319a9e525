"""[ABMS20, Remark 7.4]: reach a small ε by running an algorithm on a random part of the examples.

[ABMS20]  docs/references.bib        proof: docs/proofs/composition.md, Theorem 10

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

from privpac.classes.concept_class import ConceptClass
from privpac.mechanisms.algorithm import Ask
from privpac.papers.paper_learner import Examples, PaperLearner, WrapperLearner
from privpac.papers.yan25.improper import Partition
from privpac.privacy.accounting.amplification import star_rate
from privpac.privacy.budget import Budget, Number, as_rational


@dataclass(frozen=True)
class SmallEpsilon(WrapperLearner):
    """``inner`` on m = ⌊rate·n⌋ of n examples, in random order.

    Privacy   (ε, rate·δ₀) if ``inner`` costs (ε₀, δ₀) and ε < ε₀, for all inputs: composition, Theorem 10
    Utility   the guarantee of ``inner`` from N/rate examples on, where N is the number that ``inner`` asks for

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
        if not isinstance(self.inner, PaperLearner):
            raise TypeError("inner must be a private algorithm of privpac.papers")
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

    def stays_in(self, H: ConceptClass) -> bool:
        return self.inner.stays_in(H)

    def learns(self, H: ConceptClass) -> bool:
        return self.inner.learns(H)

    @property
    def outputs(self) -> int | float:
        return self.inner.outputs

    def sample_size(self, n: int) -> int:
        """How many of n examples the inner learner gets: m."""
        return int(self.rate * n)

    def check(self, data: Sequence[tuple[Hashable, Hashable]]) -> Examples:
        """The examples; ValueError if none would be kept, or if ``inner`` refuses m examples.

        The first m stand for any m of them: what ``inner`` refuses depends on their number, not on which they are.
        """
        if not self.sample_size(len(data)):
            raise ValueError(f"give at least {ceil(1 / self.rate)} examples: of fewer, none is kept at this epsilon")
        examples = super().check(data)
        self.inner.check(examples[: self.sample_size(len(examples))])
        return examples

    def run(self, data: Examples, ask: Ask) -> Any:
        n, m = len(data), self.sample_size(len(data))
        position = np.asarray(ask(Partition((1,) * n), None), dtype=np.intp)  # a random permutation of the examples
        return ask(self.inner, tuple(data[i] for i in np.argsort(position)[:m].tolist()))
