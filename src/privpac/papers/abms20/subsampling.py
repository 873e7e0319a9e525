"""[ABMS20, Lemma 3.12]: turn a learner with a small error on a distribution into one with a small error on its sample.

[ABMS20]  docs/references.bib    corrections: docs/errata/ABMS20.md    proof: docs/proofs/composition.md, Theorem 13

A private learner promises a small error on the distribution from which its examples are drawn. If they are drawn with
replacement from a sample S, this is the uniform distribution on S, so the learner has a small error *on S*.

Throughout this file
    S      n labeled examples; m = ⌊n/9⌋ of them are drawn with replacement
    A      an (ε, δ)-private learner; N is 9 times the number of examples that A needs
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from flint import ctx

from privpac.classes.concept_class import ConceptClass
from privpac.data.domains.domain import Domain
from privpac.mechanisms.algorithm import Ask, Uniform
from privpac.papers.paper_learner import Examples, PaperLearner, WhichConstants
from privpac.privacy.budget import Budget, Number, as_rational, mechanism_budget
from privpac.privacy.rounding import PRECISION, ball, chance_up, rounded_up
from privpac.refusals.option_words import one_of

SAMPLING_RATIO = 9  # n/m


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
class EmpiricalLearner(PaperLearner):
    """Run A on a ninth as many examples, drawn from S with replacement.

    Privacy   ``redrawn_share(A.cost, 1/9)``, for all inputs and all n: composition, Theorem 13 (E-ABMS20-14)
    Utility   error at most α on S itself, with probability at least 1 − β, if A learns with error α and failure β from
    N/9 examples and some concept fits S. S may come from anywhere; its examples need not be independent

    >>> from privpac.papers.bbkn14 import ProperPoints
    >>> A = ProperPoints(2**16, Budget(1), Fraction(1, 10), Fraction(1, 20), "tight")
    >>> print(EmpiricalLearner(A).cost, EmpiricalLearner(A, "tight").cost, EmpiricalLearner(A).N, sep="; ")
    ε = 1; ε = 0.19092; 3159
    """

    A: PaperLearner
    constants: WhichConstants = "printed"
    name: ClassVar[str] = "empirical learner"
    theorem: ClassVar[str] = "composition, Theorem 13"

    def __post_init__(self) -> None:
        if not isinstance(self.A, PaperLearner):
            raise TypeError("A must be a private algorithm of privpac.papers, such as PrivateOccam")
        one_of("constants", self.constants, WhichConstants)

    @property
    def cost(self) -> Budget:  # type: ignore[override]
        """The cost of A with printed constants, if ε ≤ 3.47, where it covers the proved cost; else the proved cost."""
        proved = redrawn_share(self.A.cost, Fraction(1, SAMPLING_RATIO))
        printed_holds = self.constants == "printed" and proved <= self.A.cost
        return self.A.cost if printed_holds else proved  # E-ABMS20-14

    @property
    def domain(self) -> Domain:
        return self.A.domain

    @property
    def N(self) -> int | None:  # noqa: N802  (the paper's letter)
        return None if self.A.N is None else SAMPLING_RATIO * self.A.N

    def stays_in(self, H: ConceptClass) -> bool:
        return self.A.stays_in(H)

    def learns(self, H: ConceptClass) -> bool:
        return self.A.learns(H)

    @property
    def outputs(self) -> int | float:
        return self.A.outputs

    def check(self, data: Sequence[tuple[Hashable, Hashable]]) -> Examples:
        """The examples; ValueError if a ninth of them is less than one, or is refused by A."""
        if len(data) < SAMPLING_RATIO:
            raise ValueError(f"give at least {SAMPLING_RATIO} examples: fewer leave none for the learner")
        examples = super().check(data)
        self.A.check(examples[: len(examples) // SAMPLING_RATIO])
        return examples

    def run(self, S: Examples, ask: Ask) -> Any:
        n = len(S)
        Q = tuple(S[ask(Uniform(n), None)] for _ in range(n // SAMPLING_RATIO))
        return ask(self.A, Q)
