"""Decision stumps: one threshold on one of several columns.

[BBKN14, Thm 3.2]  docs/references.bib        proof: docs/proofs/rule_learner.md

Throughout this file
    r        e^(ε/2); a stump weighs r^(−its errors)
    M, c     the number of all stumps, and of the columns
"""

from __future__ import annotations

from math import log
from typing import ClassVar, cast

from privpac.classes.compositions.compose import Union
from privpac.classes.concept_class import ConceptClass
from privpac.classes.hypothesis import Hypothesis
from privpac.classes.lines.thresholds import Thresholds
from privpac.data.samples.sample import Sample, Tally
from privpac.learners.algorithm import Learner
from privpac.learners.audit_cases import CUTS, Universe
from privpac.learners.grids.grids import ColumnPart
from privpac.mechanisms.algorithm import Ask
from privpac.mechanisms.lines.stumps import StumpExponential
from privpac.privacy.ledger import Records


class StumpLearner(Learner):
    """Learn a stump, a threshold on one of several columns; all cuts of all columns are candidates.

    Privacy   ε, for all inputs: rule learner, Theorem 5
    Utility   noisy labels or not: rule learner, Theorem 6
    Time      one sort per column

    >>> from privpac import PrivateClassifier
    >>> stumps = Union(Thresholds(0, 120).on("age"), Thresholds(0, 250, direction="either").on("size"))
    >>> people = {"age": [17, 18] * 500, "size": [150, 160, 170, 180] * 250}
    >>> clf = PrivateClassifier(stumps, method="StumpLearner", epsilon=1)
    >>> print(clf.fit(people, [0, 1] * 500).hypothesis_)
    age ≥ 18
    """

    concept_class: Union
    kinds: ClassVar[tuple[type[ConceptClass], ...]] = (Union,)
    title: ClassVar[str] = "exponential mechanism over all cuts of all columns"
    theorem: ClassVar[str] = "rule learner, Theorem 6"
    pure: ClassVar[bool] = True
    with_constants: ClassVar[bool] = True
    audited: ClassVar[tuple[Universe, ...]] = (
        Universe(Union(CUTS[0], Thresholds(0, 1).on(1)), "2 columns", ((0, 0), (2, 1))),
    )

    @classmethod
    def _supports(cls, concept_class: ConceptClass) -> bool:
        return isinstance(concept_class, Union) and all(
            isinstance(ColumnPart.of(part).concept_class, Thresholds) for part in concept_class.parts
        )

    def run(self, records: Records, ask: Ask) -> Hypothesis:
        H, parts = self.concept_class, [ColumnPart.of(part) for part in self.concept_class.parts]

        def tallies(sample: Sample) -> list[Tally]:
            codes = [part.codes(sample, H.domain) for part in parts]
            return [Sample(column, sample.labels, sample.counts, sample.size).tally() for column in codes]

        thresholds = [cast(Thresholds, part.concept_class) for part in parts]
        lines = tuple((line.domain.size, line.direction) for line in thresholds)
        column, t, above = ask(StumpExponential(self.cost, lines), records.see(tallies))
        chosen: ColumnPart = parts[column]
        return chosen.table_rule(thresholds[column].at(t, above))

    def failure(self, n: int, alpha: float) -> float:
        """The smaller of two union bounds: over all M stumps, and over 2c·(n + 1) runs of stumps.

        The stumps of a run label all records alike. The record where a run begins determines its first bad stump.
        The stumps of a run, at most M, together weigh at most as much as one stump with ln M/ln r fewer errors.
        """
        H = self.concept_class
        over_stumps = self.chance(log(H.size), n, alpha)
        over_runs = self.chance(log(2 * len(H.parts) * (n + 1)), n, alpha, log(H.size) / self.log_r, determined_by=1)
        return min(over_stumps, over_runs)
