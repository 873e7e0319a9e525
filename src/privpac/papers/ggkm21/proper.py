"""PolyPriPropLearn: runs PolyPriLearn, and replaces its hypothesis by a concept that is near it.

[GGKM21, §6.1]  docs/references.bib      corrections: docs/errata/GGKM21.md      proof: docs/proofs/ggkm21_proper.md

Throughout this file
    σ        what PolyPriLearn returns on the first examples, of error at most α₁: the SOA hypothesis (trees.py) of a
             k′-irreducible class
    H        concepts; on every distribution of points, one of them differs from σ with probability at most 2a [GGKM21,
             Lemma 6.2]
    n₂       the number of fresh examples, on which the exponential mechanism chooses from H
    α, β     error (η in the paper) and failure probability; β/2 for PolyPriLearn and β/2 for the choice from H

If k′ ≥ |X|, then σ is a concept itself and H = {σ}. On a listed X that costs little: each subset may vote for |F|
hypotheses, but only ln|F| enters the number of examples. So tight plans have k′ = |X| and n₂ = 0. Then PolyPriLearn
returns a concept unless it fails, and if it fails, steps 2 and 3 find one. Printed plans have n₂ > 0.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from math import ceil, log
from typing import Any, ClassVar, NamedTuple

import numpy as np

from privpac.classes.concept_class import ConceptClass
from privpac.classes.hypothesis import Hypothesis
from privpac.data.domains.domain import Domain
from privpac.dimensions.oracle import ListedOracle, oracle_of
from privpac.dimensions.vc import vc_dimension
from privpac.mechanisms.algorithm import Ask
from privpac.mechanisms.selection.exponential import Exponential
from privpac.papers.ggkm21.improper import PolyPriLearn
from privpac.papers.ggkm21.minimax import minimax_set, printed_members
from privpac.papers.ggkm21.sizes import tight_plan
from privpac.papers.paper_learner import Examples, PaperLearner
from privpac.papers.yan25.improper import Partition
from privpac.privacy.budget import Budget, Number
from privpac.refusals.option_words import PaperConstants

TOO_LARGE = "the class is too large to list, and PolyPriPropLearn looks for a concept in the list"


class PolyPriPropPlan(NamedTuple):
    """The numbers of all three steps."""

    improper: PolyPriLearn  # step 1: for the error α₁ and its share of β
    a: Fraction  # step 2: half of the distance from σ to H
    fresh: int  # step 3: n₂


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

    ``plan`` replaces the numbers of the three steps.

    >>> from privpac.classes.values.points import Points
    >>> printed = PolyPriPropLearn(Points(40), Budget(1, 1e-6), 0.25, constants="printed")
    >>> tight = PolyPriPropLearn(Points(40), Budget(1, 1e-6), 0.25, constants="tight")
    >>> [(learner.numbers.improper.N, learner.numbers.fresh) for learner in (printed, tight)]
    [(96215920, 40), (125511, 0)]
    >>> print(tight.learn([7, *range(40)] * 3100, [1, *(x == 7 for x in range(40))] * 3100))
    x = 7
    """

    concept_class: ConceptClass
    cost: Budget
    alpha: Number = 0.1
    beta: Number = 0.05
    constants: PaperConstants = "printed"
    plan: PolyPriPropPlan | None = None
    name: ClassVar[str] = "PolyPriPropLearn"
    theorem: ClassVar[str] = "ggkm21 proper, Theorem 2"
    whole: PolyPriLearn = field(init=False, repr=False, compare=False)  # PolyPriLearn with all of α, β, and the cost

    def __post_init__(self) -> None:
        F = oracle_of(self.concept_class)
        whole = PolyPriLearn(self.concept_class, self.cost, self.alpha, self.beta, self.constants, oracle=F)
        for name in ("alpha", "beta"):
            object.__setattr__(self, name, getattr(whole, name))
        object.__setattr__(self, "whole", whole)
        improper, a, fresh = self.numbers  # a plan that is impossible fails here, before anything is spent
        if not self.stays_in(improper.F.concept_class) or not improper.cost <= self.cost:
            raise ValueError("plan.improper must learn the same class and must not cost more")
        if not 0 < a < 1 or fresh < 0:
            raise ValueError("plan must have 0 < a < 1 and fresh ≥ 0")

    @property
    def F(self) -> ListedOracle:  # noqa: N802  (the paper's letter)
        """The class, listed."""
        if not isinstance(self.whole.F, ListedOracle):
            raise ValueError(TOO_LARGE)  # noqa: TRY004  (its type is right)
        return self.whole.F

    @property
    def domain(self) -> Domain:
        return self.whole.domain

    def stays_in(self, H: ConceptClass) -> bool:
        return H in (self.concept_class, self.whole.F.concept_class)

    def learns(self, H: ConceptClass) -> bool:
        return self.plan is None and self.stays_in(H)

    @cached_property
    def numbers(self) -> PolyPriPropPlan:
        """The numbers of all three steps: of ``plan``, as printed, or tight."""
        if self.plan is not None:
            return self.plan
        if self.constants == "printed":
            return self._printed()
        shape = replace(self.whole.shape, vc=len(self.F.points))  # tight_plan asks for k′ > VC: here for k′ ≥ |X|
        numbers = tight_plan(shape, Fraction(self.alpha), float(self.beta), self.cost)
        return PolyPriPropPlan(replace(self.whole, plan=numbers), Fraction(self.alpha) / 8, 0)

    def _printed(self) -> PolyPriPropPlan:
        """PolyPriLearn at η/4 and β/2, Lemma 6.2 at α = η/8."""
        η, a = Fraction(self.alpha), Fraction(self.alpha) / 8
        dual = int(vc_dimension(self.F.concept_class.dual()).value)
        members = printed_members(max(dual, 1), a)
        fresh = printed_fresh(members, float(η), float(self.beta), float(self.cost.epsilon))
        return PolyPriPropPlan(replace(self.whole, alpha=η / 4, beta=Fraction(self.beta) / 2), a, fresh)

    @property
    def N(self) -> int:  # noqa: N802  (the paper's letter)
        """The N of PolyPriLearn plus n₂ [GGKM21, Thm 6.4]."""
        return self.numbers.improper.N + self.numbers.fresh

    def run(self, data: Examples, ask: Ask) -> Hypothesis:
        """Steps 1 to 3; fewer examples than N are divided in proportion."""
        improper, _, fresh = self.numbers
        n2 = min(fresh, len(data) * fresh // self.N)
        in_second = np.asarray(ask(Partition((len(data) - n2, n2)), None), dtype=bool)
        first = tuple(example for example, is_fresh in zip(data, in_second, strict=True) if not is_fresh)
        second = [example for example, is_fresh in zip(data, in_second, strict=True) if is_fresh]
        return self.nearest(ask(improper, first), second, ask)

    def nearest(self, sigma: Hypothesis, fresh: list[tuple[Any, bool]], ask: Ask) -> Hypothesis:
        """Steps 2 and 3: a concept near ``sigma``, which may be any function."""
        F = self.F
        H = minimax_set(F.matrix, sigma(list(F.points)), self.numbers.a)  # E-GGKM21-13: for any σ
        choice = 0
        if len(H) > 1:
            labels = F.matrix[list(H.rows)][:, F.concept_class.columns([x for x, _ in fresh])]
            errors = (labels != np.array([y for _, y in fresh], dtype=bool)).sum(axis=1)
            choice = ask(Exponential(Budget(self.cost.epsilon)), -errors)
        return F.hypothesis(F.matrix[H.rows[choice]])  # E-GGKM21-13: in F
