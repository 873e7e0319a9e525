"""PolyPriPropLearn: what PolyPriLearn returns, replaced by a concept that is near it.

[GGKM21, §6.1]  docs/references.bib      corrections: docs/errata/GGKM21.md      proof: docs/proofs/ggkm21_proper.md

Throughout this file
    σ        what PolyPriLearn returns on the first examples: SOA of a k′-irreducible class, of error at most α₁
    H        concepts of which one is within 2a of σ, whatever the distribution [GGKM21, Lemma 6.2]
    n₂       fresh examples, on which the exponential mechanism chooses from H
    α, β     error (η in the paper) and failure probability; β/2 for each of the two steps

If k′ ≥ |X|, then σ is a concept itself: PolyPriLearn is proper already, and tight plans have n₂ = 0.

Main declarations
    PolyPriPropLearn    Algorithm 3
    ProperPlan          α₁, a and n₂
    printed_fresh       n₂ as printed, its constant set to 1
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import ceil, log
from typing import Any, ClassVar, NamedTuple

import numpy as np

from privpac.classes.base import ConceptClass, Hypothesis
from privpac.data.domain import Domain
from privpac.dimensions.vc import vc_dimension
from privpac.mechanisms.adaptive import Ask
from privpac.mechanisms.selection import Exponential
from privpac.papers.base import Examples, PaperLearner
from privpac.papers.bbkn14.occam import comparison
from privpac.papers.ggkm21.improper import PolyPriLearn
from privpac.papers.ggkm21.minimax import irreducible_enough, minimax_set, most_members, printed_members
from privpac.papers.yan25.improper import Partition
from privpac.privacy.budget import Budget, Number

FIRST = tuple(Fraction(i, 8) for i in (4, 5, 6, 7))  # of α, for σ
NEAR = tuple(Fraction(i, 16) for i in (1, 2, 4))  # of the rest, for a


class ProperPlan(NamedTuple):
    """PolyPriLearn for α₁ and its share of β, a, and n₂."""

    improper: PolyPriLearn
    a: Fraction
    fresh: int


def printed_fresh(members: int, alpha: float, beta: float, epsilon: float) -> int:
    """(ln|H| + ln(1/β))/(αε) [GGKM21, Alg. 3, step 3], its constant set to 1.

    >>> printed_fresh(6400, 0.1, 0.05, 1.0)
    118
    """
    return ceil((log(members) + log(1 / beta)) / (alpha * epsilon))


@dataclass(frozen=True)
class PolyPriPropLearn(PaperLearner):
    """[GGKM21, Alg. 3]: a proper learner for every class that can be listed.

    Privacy   (ε, δ) for all inputs: ggkm21 proper, Theorem 2
    Utility   realizable: ggkm21 proper, Theorem 3

    >>> from privpac.classes.points import Points
    >>> learners = [PolyPriPropLearn(Points(40), Budget(1, 1e-6), 0.25, constants=c) for c in ("printed", "tight")]
    >>> [(learner.plan.improper.N, learner.plan.fresh) for learner in learners]
    [(96215920, 40), (125511, 0)]
    >>> print(learners[1].learn([7, *range(40)] * 3100, [1, *(x == 7 for x in range(40))] * 3100))
    x = 7
    """

    concept_class: ConceptClass
    cost: Budget
    alpha: Number = 0.1
    beta: Number = 0.05
    constants: str = "printed"
    given: ProperPlan | None = None
    name: ClassVar[str] = "PolyPriPropLearn"
    theorem: ClassVar[str] = "ggkm21 proper, Theorem 2"
    whole: PolyPriLearn = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        whole = PolyPriLearn(self.concept_class, self.cost, self.alpha, self.beta, self.constants)
        for name in ("alpha", "beta"):
            object.__setattr__(self, name, getattr(whole, name))
        object.__setattr__(self, "whole", whole)
        _ = self.plan  # a plan that is impossible fails here, before anything is spent

    @property
    def domain(self) -> Domain:
        return self.whole.domain

    @cached_property
    def plan(self) -> ProperPlan:
        """The numbers of all three steps: as printed, or those that ask for the fewest examples."""
        if self.given is not None:
            return self.given
        if self.constants == "printed":
            return self._printed()
        if self.whole.numbers.levels.k_prime >= self.whole.shape.points:
            return ProperPlan(self.whole, Fraction(self.alpha) / 8, 0)  # σ is a concept
        plans = list(self._tight())
        if not plans:
            raise ValueError("alpha is too small for this class: no subsets are as irreducible as Lemma 6.1 needs")
        return min(plans, key=lambda plan: plan.improper.N + plan.fresh)

    def _for(self, alpha: Fraction) -> PolyPriLearn:
        return PolyPriLearn(self.concept_class, self.cost, alpha, Fraction(self.beta) / 2, self.constants)

    def _printed(self) -> ProperPlan:
        """PolyPriLearn at η/4 and β/2, Lemma 6.2 at α = η/8."""
        η, a = Fraction(self.alpha), Fraction(self.alpha) / 8
        dual = int(vc_dimension(self.whole.F.concept_class.dual()).value)
        members = printed_members(max(dual, 1), a)
        return ProperPlan(
            self._for(η / 4), a, printed_fresh(members, float(η), float(self.beta), float(self.cost.epsilon))
        )

    def _tight(self) -> Iterator[ProperPlan]:
        """Plans whose k′ is large enough for their a."""
        α, shape = Fraction(self.alpha), self.whole.shape
        for first in FIRST:
            improper = self._for(first * α)
            for near in NEAR:
                a = near * (1 - first) * α
                if improper.numbers.levels.k_prime >= irreducible_enough(shape.points, shape.concepts, a):
                    members = most_members(shape.points, shape.concepts, a)
                    good, β, ε = float(first * α + 2 * a), float(self.beta) / 2, float(self.cost.epsilon)
                    yield ProperPlan(improper, a, comparison(members, good, float(α), β, ε))

    @property
    def N(self) -> int:  # noqa: N802  (the paper's letter)
        """N of PolyPriLearn, and n₂ [GGKM21, Thm 6.4]."""
        return self.plan.improper.N + self.plan.fresh

    def run(self, data: Examples, ask: Ask) -> Hypothesis:
        """Steps 1 to 3; fewer examples than N are divided in proportion."""
        improper, _, fresh = self.plan
        n2 = min(fresh, len(data) * fresh // self.N)
        second = np.asarray(ask(Partition((len(data) - n2, n2)), None), dtype=bool)
        σ = ask(improper, tuple(each for each, late in zip(data, second, strict=True) if not late))
        return self.nearest(σ, [each for each, late in zip(data, second, strict=True) if late], ask)

    def nearest(self, sigma: Hypothesis, fresh: list[tuple[Any, bool]], ask: Ask) -> Hypothesis:
        """Steps 2 and 3: a concept, whatever ``sigma`` is."""
        F = self.whole.F
        H = minimax_set(F.matrix, sigma(list(F.points)), self.plan.a)  # E-GGKM21-13: for any σ, SOA of 𝒢 or not
        chosen = 0
        if len(H) > 1:
            labels = F.matrix[list(H.rows)][:, F.concept_class.columns([x for x, _ in fresh])]
            errors = (labels != np.array([y for _, y in fresh], dtype=bool)).sum(axis=1)
            chosen = ask(Exponential(Budget(self.cost.epsilon)), -errors)
        return F.hypothesis(F.matrix[H.rows[chosen]])  # E-GGKM21-13: in F
