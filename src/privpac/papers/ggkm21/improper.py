"""PolyPriLearn: subsets of the examples vote for the hypotheses that ReduceTree finds; one is chosen privately.

[GGKM21, §5.3]  docs/references.bib        corrections: docs/errata/GGKM21.md        proof: docs/proofs/ggkm21.md

Throughout this file
    F           the class, by its oracle          T_j    the j-th of m subsets of n₀ examples
    Ŝ_j         the hypotheses of T_j             ℓ      the most hypotheses that one subset may have
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from privpac.classes.concept_class import ConceptClass
from privpac.classes.hypothesis import Hypothesis
from privpac.data.domains.domain import Domain
from privpac.dimensions.closure_oracle import ClosureOracle, Part
from privpac.dimensions.oracle import ListedOracle, Oracle, oracle_of
from privpac.dimensions.point_oracle import PointOracle
from privpac.dimensions.vc import vc_dimension
from privpac.mechanisms.algorithm import Ask
from privpac.mechanisms.selection.exponential import SparseExponential
from privpac.papers.ggkm21.reduce_tree import reduction
from privpac.papers.ggkm21.sizes import PolyPriPlan, Shape, closure_plan, most_votes, printed_plan, tight_plan
from privpac.papers.ggkm21.trees import branching
from privpac.papers.paper_learner import Examples, PaperLearner, store_approximate_goal
from privpac.papers.yan25.improper import Partition
from privpac.privacy.budget import Budget, Number, as_count
from privpac.refusals.option_words import PaperConstants, one_of

LEAST = Fraction(1, 10**6)  # the least α and β: no smaller goal has a sample that fits into memory
MOST_CHILDREN = 2**13  # the most children of a node of an unlisted class: its array takes memory for their square


@dataclass(frozen=True)
class PolyPriLearn(PaperLearner):
    """[GGKM21, Alg. 2]: an improper learner for every class that can be listed, or that has an oracle.

    Privacy   (ε, δ) for all inputs: ggkm21, Theorem 1; with an oracle of your own, if it keeps its contract
    Utility   realizable: ggkm21, Theorem 2

    In the printed numbers, hidden constants are 1. For Littlestone dimension 1 and α = 0.1, N is then 3·10⁷ records.
    ``plan`` replaces the numbers of step 1; then N guarantees nothing. A plan that breaks privacy is refused.
    ``oracle`` answers for a class that is too large to list. Tight constants use the oracle of points of any values, of
    sparse sets, and of flats: then N does not depend on the size of the domain.

    >>> from privpac.classes.values.points import Points
    >>> learners = [PolyPriLearn(Points(40), Budget(1, 1e-6), 0.25, constants=c) for c in ("printed", "tight")]
    >>> [learner.N for learner in learners]
    [5210688, 285]
    >>> words = PolyPriLearn(Points(), Budget(1, 1e-6), 0.25, constants="tight")
    >>> words.N, str(words.learn(["EV", "UA", "B6"] * 100, [0, 1, 0] * 100))
    (285, 'x = UA')
    >>> PolyPriLearn(Points(40), Budget(1, 1e-6), 0.25, constants="tight", oracle=ListedOracle(Points(40))).N
    125511
    """

    concept_class: ConceptClass
    cost: Budget
    alpha: Number = 0.1
    beta: Number = 0.05
    constants: PaperConstants = "printed"
    plan: PolyPriPlan | None = None
    oracle: Oracle[Any] | None = None
    name: ClassVar[str] = "PolyPriLearn"
    theorem: ClassVar[str] = "ggkm21, Theorem 1"
    F: Oracle[Any] = field(init=False, repr=False, compare=False)
    _votes: dict[tuple[Any, ...], frozenset[Hypothesis]] = field(  # a cache for one run
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        one_of("constants", self.constants, PaperConstants)
        store_approximate_goal(self, LEAST)
        closed = self.constants == "tight" and self.plan is None  # printed numbers, and plans, may be for the list
        F = oracle_of(self.concept_class, closed=closed) if self.oracle is None else self.oracle
        if self.concept_class not in (F.concept_class, getattr(F, "source", None)):
            raise ValueError("oracle answers for another class; give its concept_class")
        object.__setattr__(self, "F", F)
        _, _, levels, votes = self.numbers  # An impossible plan fails here, before anything is spent.
        if votes < (most := most_votes(levels, self.shape)):
            raise ValueError(
                f"plan must count every hypothesis that a subset may vote for: give votes={most}, or leave out plan"
            )
        if not isinstance(self.F, ListedOracle) and levels.d and levels.k(levels.d) > MOST_CHILDREN:
            raise ValueError(
                f"the trees of this plan may have nodes with {levels.k(levels.d)} points, too many for a class that is "
                "not listed; use tight constants, or a plan with a smaller k_prime"
            )
        if isinstance(self.F, ClosureOracle):
            self.F.low_errors(Part(), levels.error_shares)  # fails here if the oracle does not serve these levels

    @property
    def domain(self) -> Domain:
        return self.F.concept_class.domain

    @cached_property
    def shape(self) -> Shape:
        """The sizes of the class on which the numbers of step 1 depend."""
        V, H = vc_dimension(self.concept_class).value, self.F.concept_class
        if isinstance(self.F, ListedOracle):
            return Shape(self.F.dimension, int(V), len(self.F.points), H.size)
        # A domain whose values are not numbered accepts records of any values, however many were declared.
        return Shape(self.F.dimension, int(V), H.domain.size, H.size, open=not H.domain.numbered)

    @cached_property
    def numbers(self) -> PolyPriPlan:
        """Step 1: the number and the size of the subsets, the levels of ReduceTree, and ℓ."""
        if self.plan is not None:
            m, n0, levels, votes = self.plan
            return PolyPriPlan(as_count(m, "plan.m"), as_count(n0, "plan.n0"), levels, as_count(votes, "plan.votes"))
        goal = self.shape, Fraction(self.alpha), float(self.beta), self.cost
        if self.constants == "printed":
            return printed_plan(*goal)
        if isinstance(self.F, ClosureOracle):
            return closure_plan(*goal, self.F.parts)
        return closure_plan(*goal) if type(self.F) is PointOracle else tight_plan(*goal)

    @property
    def N(self) -> int:  # noqa: N802
        """The number m·n₀ of examples [GGKM21, Thm 5.7]."""
        return self.numbers.records

    def learns(self, H: ConceptClass) -> bool:
        return self.plan is None and H in (self.concept_class, self.F.concept_class)

    @property
    def outputs(self) -> int | float:
        """The hypotheses of k′-irreducible classes on the declared number of values, and the public one for ⊥."""
        return self.shape.functions(self.numbers.levels.k_prime) + 1

    def run(self, data: Examples, ask: Ask) -> Hypothesis:
        """Deal the examples to the subsets at random, then steps 2 and 3.

        Each subset gets n₀ examples, and the rest are not used. If there are fewer than m·n₀, the sizes of the subsets
        differ by at most 1.
        """
        m, n, n0 = self.numbers.m, len(data), self.numbers.n0
        sizes = [min(n0, n // m + (j < n % m)) for j in range(m)]
        deal = np.asarray(ask(Partition((*sizes, n - sum(sizes))), None), dtype=np.intp)
        try:
            subsets = np.split(np.argsort(deal, kind="stable"), np.cumsum(sizes))[:m]
            return self.choice((self.F.part([data[i] for i in subset.tolist()]) for subset in subsets), ask)
        finally:
            self._votes.clear()  # The caches depend on the examples, and the learner is public.
            branching.cache_clear()
            if isinstance(self.F, ListedOracle):
                self.F.forget()

    def choice(self, subsets: Iterable[Any], ask: Ask) -> Hypothesis:
        """Steps 2 and 3: the private choice among the hypotheses that the subsets vote for."""
        votes: Counter[Hashable] = Counter()
        for T_j in subsets:
            votes.update(self.votes_of(T_j))
        selected = ask(self.selection, votes)
        return self.F.soa(self.F.everything) if selected is None else selected  # E-GGKM21-6: a public rule for ⊥

    def votes_of(self, T_j: Any) -> Iterable[Hypothesis]:
        """Ŝ_j: the hypotheses for which the subset votes; none if a faulty oracle makes them more than ℓ."""
        low_error = self.F.low_errors(T_j, self.numbers.levels.error_shares)
        key = tuple(low_error.values())
        if key not in self._votes:  # ReduceTree sees nothing else, so it runs once for subsets with the same key.
            hypotheses = reduction(self.F, low_error, self.numbers.levels).hypotheses
            self._votes[key] = hypotheses if len(hypotheses) <= self.numbers.votes else frozenset()
        return self._votes[key]

    @cached_property
    def selection(self) -> SparseExponential:
        """The sparse exponential mechanism [GGKM21, Prop. 5.6]. A record may change the ℓ votes of its subset."""
        return SparseExponential(self.cost, self.numbers.votes)
