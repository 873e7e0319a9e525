"""Finite classes: permute-and-flip over all concepts.

[BBKN14, Thm 3.2] [McKS20]  docs/references.bib        proof: docs/proofs/finite_learner.md

Throughout this file
    M      the table of the class: M[h, x] = h(x), concepts by points that some concept tells apart
    w      for each point, its records with label 0 minus those with label 1: h errs on (all positives) + (M·w)(h)
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from privpac.classes.concept_class import ConceptClass
from privpac.classes.finite.explicit import ExplicitClass
from privpac.classes.finite.public_records import WithPublic
from privpac.classes.hypothesis import Hypothesis, Labels
from privpac.data.domains.domain import Domain
from privpac.data.samples.sample import Sample
from privpac.learners.algorithm import Learner
from privpac.learners.audit_cases import ALONE, Universe
from privpac.learners.grids.grids import negative_excess
from privpac.mechanisms.algorithm import Ask
from privpac.mechanisms.selection.permute_and_flip import PermuteAndFlip
from privpac.privacy.ledger import Records

MOST_POINTS, MOST_CONCEPTS = 2**16, 2**16  # of a class that is listed as a table
MOST_TABLE_ENTRIES = 2**24  # concepts times points
LABELS_AT_ONCE = 2**22  # labels that are multiplied at a time, to save memory


class FiniteLearner(Learner):
    """Learn from a finite class: every concept is a candidate.

    It learns explicit classes of any size, and other classes if their domain and concepts are few enough to list.

    Privacy   ε, for all inputs: finite learner, Theorem 1
    Utility   noisy labels or not: finite learner, Theorem 2
    Time      one product of the class's table with the counts of the points

    >>> from privpac import PrivateClassifier
    >>> rules = ExplicitClass([[0, 0, 1], [0, 1, 1]], points=["child", "adult", "senior"])
    >>> ages, labels = ["child"] * 400 + ["adult"] * 300 + ["senior"] * 300, [0] * 400 + [1] * 600
    >>> clf = PrivateClassifier(rules, method="FiniteLearner", epsilon=1, feature=None)
    >>> print(clf.fit(ages, labels).hypothesis_)
    x is one of adult, senior
    """

    kinds: ClassVar[tuple[type[ConceptClass], ...]] = (ConceptClass,)
    title: ClassVar[str] = "permute-and-flip over all concepts"
    theorem: ClassVar[str] = "finite learner, Theorem 2"
    pure: ClassVar[bool] = True
    audited: ClassVar[tuple[Universe, ...]] = (
        Universe(ExplicitClass([[0, 0, 1], [0, 1, 1], [1, 0, 0]], points="abc"), "3 rules", "abc", ALONE),
    )

    @classmethod
    def _supports(cls, concept_class: ConceptClass) -> bool:
        if isinstance(concept_class, WithPublic):
            return False  # its learners choose candidates with the public records
        if isinstance(concept_class, ExplicitClass):
            return concept_class.size > 0
        N = concept_class.domain.size if concept_class.domain.numbered else MOST_POINTS + 1
        return N <= MOST_POINTS and 0 < concept_class.size <= min(MOST_CONCEPTS, MOST_TABLE_ENTRIES / N)

    def run(self, records: Records, ask: Ask) -> Hypothesis:
        H = self.concept_class
        T = table(H)
        chosen = T.concepts[ask(PermuteAndFlip(self.cost), records.see(lambda sample: -table_errors(T, sample)))]
        return H.hypothesis(chosen) if isinstance(H, ExplicitClass) else chosen

    def failure(self, n: int, alpha: float) -> float:
        return self.chance(self.log_flipped(int(self.concept_class.size)), n, alpha)

    @property
    def with_constants(self) -> bool:  # type: ignore[override]
        """Whether both constant rules are concepts; this is only known of explicit classes."""
        H = self.concept_class
        return isinstance(H, ExplicitClass) and bool(H.matrix.all(axis=1).any() and not H.matrix.any(axis=1).all())


class Table(NamedTuple):
    """M, its concepts, the domain, and for each number of the domain the position of its column in M."""

    matrix: Labels
    concepts: tuple[Any, ...]
    domain: Domain
    columns: NDArray[np.intp]


@lru_cache(maxsize=8)
def table(concept_class: ConceptClass) -> Table:
    """The class on its whole domain.

    >>> from privpac.classes.lines.thresholds import Thresholds
    >>> table(Thresholds(1, 3, direction="above")).matrix.astype(int).tolist()
    [[1, 1, 1], [0, 1, 1], [0, 0, 1], [0, 0, 0]]
    """
    listed, domain = concept_class.materialize(), concept_class.domain
    return Table(listed.matrix, listed.concepts, domain, listed.columns(domain.listed()))


def table_errors(T: Table, sample: Sample) -> NDArray[np.int64]:
    """The number of records each concept labels wrongly, with exact integers throughout."""
    w = np.zeros(T.matrix.shape[1], dtype=np.int64)
    np.add.at(w, T.columns[T.domain.numbers(sample.points)], negative_excess(sample))
    rows = max(LABELS_AT_ONCE // len(w), 1)
    parts = [T.matrix[i : i + rows] @ w for i in range(0, len(T.matrix), rows)]
    return sample.positives + np.concatenate(parts)
