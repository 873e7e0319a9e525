"""Intervals on a line: one exponential mechanism over all intervals, which are never listed.

[BBKN14, Thm 3.2]  docs/references.bib        proof: docs/proofs/interval_learner.md
"""

from __future__ import annotations

from math import log
from typing import ClassVar

from privpac.classes.concept_class import ConceptClass
from privpac.classes.hypothesis import Constant, Hypothesis
from privpac.classes.lines.intervals import Intervals
from privpac.classes.vectors.boxes import Box, Rectangles
from privpac.data.domains.line import Line
from privpac.data.samples.sample import Sample, Tally
from privpac.learners.algorithm import Learner
from privpac.learners.audit_cases import Universe
from privpac.learners.certificates.deviation import CELLS, Groups
from privpac.mechanisms.algorithm import Ask
from privpac.mechanisms.lines.intervals import IntervalExponential
from privpac.privacy.ledger import Records

# The line is divided into m cells; intervals whose ends are in the same two cells form a group.
SIMILAR = tuple(Groups(m * (m + 1) // 2, 2 / m) for m in CELLS)


class IntervalLearner(Learner):
    """Learn an interval: all intervals of the line are candidates.

    Privacy   ε, for all inputs: interval learner, Theorem 1
    Utility   noisy labels or not: interval learner, Theorem 2
    Time      O(n log n) for clean labels, O(n log² n) at most; only the length of integers depends on the line

    >>> from privpac import PrivateClassifier
    >>> ages, ill = list(range(100)) * 40, [40 <= age <= 60 for age in range(100)] * 40
    >>> clf = PrivateClassifier(Intervals(0, 120), method="IntervalLearner", epsilon=2, feature=None)
    >>> print(clf.fit(ages, ill).hypothesis_)
    40 ≤ x ≤ 60
    """

    concept_class: Intervals | Rectangles
    kinds: ClassVar[tuple[type[ConceptClass], ...]] = (Intervals, Rectangles)
    title: ClassVar[str] = "exponential mechanism over all intervals"
    theorem: ClassVar[str] = "interval learner, Theorem 2"
    pure: ClassVar[bool] = True
    with_constants: ClassVar[bool] = True
    audited: ClassVar[tuple[Universe, ...]] = (Universe(Intervals(0, 3), "4 values", (0, 1, 3)),)

    @classmethod
    def _supports(cls, concept_class: ConceptClass) -> bool:
        return len(concept_class.domain.columns) == 1

    def run(self, records: Records, ask: Ask) -> Hypothesis:
        H = self.concept_class
        line = H.domain if isinstance(H, Intervals) else Line(H.low, H.high)

        def tally(sample: Sample) -> Tally:
            points, zeros, ones = sample.tally()
            return Tally(points if points.ndim == 1 else line.encode(points[:, 0]), zeros, ones)

        chosen = ask(IntervalExponential(self.cost, line.size), records.see(tally))
        if chosen is None:
            return Constant(False)
        first, last = chosen[0], chosen[1] - 1
        return H.at(first, last) if isinstance(H, Intervals) else Box((line.decode(first),), (line.decode(last),))

    def failure(self, n: int, alpha: float) -> float:
        return self.chance(log(self.concept_class.size), n, alpha, groups=SIMILAR)
