"""PolyPriLearn: subsets of the examples vote for the hypotheses that ReduceTree finds; one is chosen privately.

[GGKM21, §5.3]  docs/references.bib        corrections: docs/errata/GGKM21.md        proof: docs/proofs/ggkm21.md

Throughout this file
    F           the class, by its oracle          T_j    the j-th of m subsets of n₀ examples
    Ŝ_j         the hypotheses of T_j             ℓ      the most hypotheses that one subset may have
    counts      a subset as numbers: counts[x, y] examples are the point x with the label y
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from privpac.classes.concept_class import ConceptClass
from privpac.classes.hypothesis import Hypothesis
from privpac.data.domains.domain import Domain
from privpac.dimensions.oracle import ListedOracle
from privpac.dimensions.vc import vc_dimension
from privpac.mechanisms.algorithm import Ask
from privpac.mechanisms.selection.exponential import SparseExponential
from privpac.papers.ggkm21.reduce_tree import low_errors, reduction
from privpac.papers.ggkm21.sizes import PolyPriPlan, Shape, most_votes, printed_plan, tight_plan
from privpac.papers.paper_learner import Examples, PaperLearner, WhichConstants, fix_approximate_goal
from privpac.papers.yan25.improper import Partition
from privpac.privacy.budget import Budget, Number
from privpac.refusals.option_words import one_of

Counts = NDArray[np.int64]
LEAST = Fraction(1, 10**6)  # the least α and β: a sample large enough for less does not fit into memory


@dataclass(frozen=True)
class PolyPriLearn(PaperLearner):
    """[GGKM21, Alg. 2]: an improper learner for every class that can be listed.

    Privacy   (ε, δ) for all inputs: ggkm21, Theorem 1
    Utility   realizable: ggkm21, Theorem 2

    In the printed numbers, hidden constants are 1. For Littlestone dimension 1 and α = 0.1, N is then 3·10⁷ records.
    ``plan`` replaces the numbers of step 1; then N guarantees nothing. A plan that breaks privacy is refused.

    >>> from privpac.classes.values.points import Points
    >>> learners = [PolyPriLearn(Points(40), Budget(1, 1e-6), 0.25, constants=c) for c in ("printed", "tight")]
    >>> [learner.N for learner in learners]
    [5210688, 125511]
    >>> print(learners[1].learn([7, *range(40)] * 3100, [1, *(x == 7 for x in range(40))] * 3100))
    x = 7
    """

    concept_class: ConceptClass
    cost: Budget
    alpha: Number = 0.1
    beta: Number = 0.05
    constants: WhichConstants = "printed"
    plan: PolyPriPlan | None = None
    name: ClassVar[str] = "PolyPriLearn"
    theorem: ClassVar[str] = "ggkm21, Theorem 1"
    F: ListedOracle = field(init=False, repr=False, compare=False)
    _votes: dict[tuple[int, ...], frozenset[Hypothesis]] = field(  # a cache for one run
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        one_of("constants", self.constants, WhichConstants)
        fix_approximate_goal(self, LEAST)
        object.__setattr__(self, "F", ListedOracle(self.concept_class))
        m, n0, levels, votes = self.numbers  # An impossible plan fails here, before anything is spent.
        if min(m, n0) < 1 or votes < most_votes(levels, self.shape):
            raise ValueError(
                "plan must have at least one subset of one record, and count every hypothesis that a subset may vote "
                "for: give votes=most_votes(levels, shape), or leave out plan"
            )

    @property
    def domain(self) -> Domain:
        return self.F.concept_class.domain

    @cached_property
    def shape(self) -> Shape:
        """The sizes of the class on which the numbers of step 1 depend."""
        V = vc_dimension(self.concept_class).value
        return Shape(self.F.dimension, int(V), len(self.F.points), self.F.concept_class.size)

    @cached_property
    def numbers(self) -> PolyPriPlan:
        """Step 1: the number and the size of the subsets, the levels of ReduceTree, and ℓ."""
        if self.plan is not None:
            return self.plan
        make = printed_plan if self.constants == "printed" else tight_plan
        return make(self.shape, Fraction(self.alpha), float(self.beta), self.cost)

    @property
    def N(self) -> int:  # noqa: N802
        """The number m·n₀ of examples [GGKM21, Thm 5.7]."""
        return self.numbers.records

    def learns(self, H: ConceptClass) -> bool:
        return self.plan is None and H in (self.concept_class, self.F.concept_class)

    @property
    def outputs(self) -> int:
        """The hypotheses of k′-irreducible classes, and the public one for ⊥."""
        return self.shape.functions(self.numbers.levels.k_prime) + 1

    def run(self, data: Examples, ask: Ask) -> Hypothesis:
        """Deal the examples to the subsets at random, then steps 2 and 3.

        Each subset gets n₀ examples, and the rest is not used. If there are too few, subsets get about equally many.
        """
        m, n, n0 = self.numbers.m, len(data), self.numbers.n0
        sizes = [min(n0, n // m + (j < n % m)) for j in range(m)]
        deal = np.asarray(ask(Partition((*sizes, n - sum(sizes))), None), dtype=np.intp)
        columns = self.F.concept_class.columns([x for x, _ in data])
        cell = 2 * columns + np.array([y for _, y in data], dtype=np.intp)
        cells = 2 * len(self.F.points)
        counts = np.bincount(deal * cells + cell, minlength=(m + 1) * cells).reshape(m + 1, -1, 2)
        try:
            return self.choice(counts[:m], ask)
        finally:
            self._votes.clear()  # The cache depends on the examples, and the learner is public.

    def choice(self, subsets: Iterable[Counts], ask: Ask) -> Hypothesis:
        """Steps 2 and 3: the private choice among the hypotheses that the subsets vote for."""
        votes: Counter[Hashable] = Counter()
        for T_j in subsets:
            votes.update(self.votes_of(T_j))
        selected = ask(self.selection, votes)
        return self.F.soa(self.F.everything) if selected is None else selected  # E-GGKM21-6: a public rule for ⊥

    def votes_of(self, T_j: Counts) -> Iterable[Hypothesis]:
        """Ŝ_j: the set of hypotheses for which the subset votes, once each."""
        low_error = low_errors(self.F, T_j, self.numbers.levels)
        key = tuple(low_error.values())
        if key not in self._votes:  # ReduceTree sees nothing else, so it runs once for subsets with the same key.
            self._votes[key] = reduction(self.F, low_error, self.numbers.levels).hypotheses
        return self._votes[key]

    @cached_property
    def selection(self) -> SparseExponential:
        """The sparse exponential mechanism [GGKM21, Prop. 5.6]. A record may change the ℓ votes of its subset."""
        return SparseExponential(self.cost, self.numbers.votes)
