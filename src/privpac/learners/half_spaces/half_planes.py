"""Half-planes of a grid: the exponential mechanism over candidates for all of them, without a margin.

[MT07]  docs/references.bib        proof: docs/proofs/half_plane_learner.md
"""

from __future__ import annotations

from functools import lru_cache
from typing import ClassVar

from privpac.classes.concept_class import ConceptClass
from privpac.classes.hypothesis import Constant, Hypothesis
from privpac.classes.vectors.half_spaces import HalfPlanes, HalfSpace, HalfSpaces
from privpac.learners.algorithm import Learner
from privpac.learners.audit_cases import FEW, Universe
from privpac.learners.certificates.deviation import CELLS, Groups
from privpac.mechanisms.algorithm import Ask
from privpac.mechanisms.half_spaces.dual_lines import MOST_BITS, MOST_POINTS
from privpac.mechanisms.half_spaces.half_planes import (
    HalfPlaneExponential,
    PlaneTally,
    SubsampledHalfPlane,
    log_rivals,
    slope_bits,
)
from privpac.privacy.accounting.amplification import cost_on_subsample
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Records

MOST_COUNTED = 2**20  # the most records that are looked at if the grid has few points
SIMILAR = tuple(Groups(2 * m * m + 4 * m + 4, 2 / m) for m in CELLS)  # a group: half-planes between the same two levels


class HalfPlaneLearner(Learner):
    """Learn a half-plane: candidates for every set of grid points that a half-plane cuts out.

    Privacy   ε, for all inputs: half plane learner, Theorems 1 and 3
    Utility   noisy labels or not, no margin: half plane learner, Theorems 2 and 3
    Time      a sort of all pairs of distinct points; of many records on a large grid, 4096 are chosen at random

    >>> import numpy as np
    >>> from privpac import PrivateClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.integers(0, 1000, (500, 2))
    >>> y = 3 * X[:, 0] - 2 * X[:, 1] >= 300
    >>> clf = PrivateClassifier(HalfPlanes(1000), method="HalfPlaneLearner", epsilon=1).fit(X, y)
    >>> bool((clf.predict(X) == y).mean() > 0.9)
    True
    >>> clf.guarantee_.utility.assumptions
    ('records are drawn independently from one distribution',)
    """

    concept_class: HalfSpaces
    kinds: ClassVar[tuple[type[ConceptClass], ...]] = (HalfSpaces,)
    title: ClassVar[str] = "exponential mechanism over all half-planes"
    theorem: ClassVar[str] = "half plane learner, Theorems 2 and 3"
    pure: ClassVar[bool] = True
    with_constants: ClassVar[bool] = True
    audited: ClassVar[tuple[Universe, ...]] = (Universe(HalfPlanes(3), "9 points", ((1, 1), (0, 2)), FEW),)

    @classmethod
    def _supports(cls, concept_class: ConceptClass) -> bool:
        if not isinstance(concept_class, HalfSpaces) or concept_class.dim != 2:
            return False
        return slope_bits(concept_class.side - 1) <= MOST_BITS

    def run(self, records: Records, ask: Ask) -> Hypothesis:
        n, m = records.size, self.subsample_size(records.size)
        selection = HalfPlaneExponential(_selection_cost(self.cost, m, n), self.N)
        mechanism = selection if m == n else SubsampledHalfPlane(self.cost, selection, m)
        normal, bias = ask(mechanism, records.see(PlaneTally.of))
        return HalfSpace(normal, bias) if any(normal) else Constant(bias <= 0)

    def failure(self, n: int, alpha: float) -> float:
        m = self.subsample_size(n)
        if self.copies > 1:  # the mechanism sees copies; a subsample of these is not independent records
            all_copies = self.subsample_size(self.copies * n) == self.copies * n
            return self.chance(log_rivals(self.N), n, alpha, groups=SIMILAR) if all_copies else 1.0
        log_r = float(_selection_cost(self.cost, m, n).epsilon / 2)
        return self.chance(log_rivals(self.N), m, alpha, groups=SIMILAR, log_r=log_r)

    @property
    def N(self) -> int:  # noqa: N802
        """The largest coordinate: the grid is {0 … N}²."""
        return self.concept_class.side - 1

    def subsample_size(self, n: int) -> int:
        """The number m of records that are looked at, of n; it depends on n and N alone."""
        few = self.concept_class.domain.size <= MOST_POINTS
        return min(n, MOST_COUNTED if few else MOST_POINTS)


@lru_cache(maxsize=1024)
def _selection_cost(cost: Budget, m: int, n: int) -> Budget:
    """What a selection from m random ones of n records may cost, so that with the sampling it costs ``cost``."""
    return cost if m == n else cost_on_subsample(cost, m, n)
