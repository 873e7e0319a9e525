"""Rules with two cuts, "delay ≥ 37 and hour ≥ 17", on lines of any length: no grid is needed.

[BBKN14, Thm 3.2]  docs/references.bib        proof: docs/proofs/cut_pairs.md

Throughout this file
    M      the number of candidates: all pairs of cuts, for each pair of directions
    r      e^(ε/2); a pair weighs r^(−its errors)
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import log
from typing import ClassVar, Self

from privpac.classes.compositions.compose import And, Compose
from privpac.classes.concept_class import ConceptClass
from privpac.classes.hypothesis import Hypothesis
from privpac.classes.lines.thresholds import Thresholds
from privpac.data.samples.sample import Sample
from privpac.learners.algorithm import Learner
from privpac.learners.audit_cases import CUTS, Universe
from privpac.learners.grids.grids import ColumnPart
from privpac.learners.lines.thresholds import LABELS_ABOVE
from privpac.mechanisms.algorithm import Ask
from privpac.mechanisms.decision_trees.cut_pairs import (
    LEAST,
    LONGEST,
    MOST_RECORDS,
    ROUNDING,
    CutPairs,
    PairedRecords,
    Table,
)
from privpac.privacy.ledger import Records
from privpac.requests.conditions import Terms


class CutPairLearner(Learner):
    """Learn a boolean function of two thresholds: all pairs of cuts are candidates.

    Privacy   ε, for all inputs: cut pairs, Theorem 1
    Utility   noisy labels or not: cut pairs, Theorem 2
    Time      O(n^1.5): a second for 30,000 records

    >>> from privpac import PrivateClassifier
    >>> flights = {"delay": list(range(100)) * 24, "hour": [hour for hour in range(24) for _ in range(100)]}
    >>> late = [delay >= 37 and hour >= 17 for delay, hour in zip(flights["delay"], flights["hour"])]
    >>> rules = And(Thresholds(0, 10**18).on("delay"), Thresholds(0, 10**18).on("hour"))
    >>> clf = PrivateClassifier(rules, method="CutPairLearner", epsilon=20)
    >>> print(clf.fit(flights, late).hypothesis_)
    delay ≥ 37 and hour ≥ 17
    """

    concept_class: Compose
    kinds: ClassVar[tuple[type[ConceptClass], ...]] = (Compose,)
    title: ClassVar[str] = "exponential mechanism over all pairs of cuts"
    theorem: ClassVar[str] = "cut pairs, Theorem 2"
    pure: ClassVar[bool] = True
    least_epsilon: ClassVar[Fraction] = LEAST
    most_records: ClassVar[int] = MOST_RECORDS
    audited: ClassVar[tuple[Universe, ...]] = (
        Universe(And(*CUTS), "2 columns", ((0, 0), (2, 1))),
        Universe(And(Thresholds(0, 2).on(0), CUTS[1]), "both directions", ((0, 0), (2, 1))),
    )

    @classmethod
    def _supports(cls, concept_class: ConceptClass) -> bool:
        if not isinstance(concept_class, Compose) or len(concept_class.leaves) != 2:
            return False
        lines = [ColumnPart.of(part).concept_class for part in concept_class.leaves]
        return all(isinstance(line, Thresholds) and line.domain.size <= LONGEST for line in lines)

    @classmethod
    def for_class(cls, concept_class: ConceptClass, terms: Terms) -> Self | None:
        return super().for_class(concept_class, terms) if terms.cost.epsilon >= LEAST else None

    def run(self, records: Records, ask: Ask) -> Hypothesis:
        H, (first, second) = self.concept_class, self._parts

        def paired(sample: Sample) -> PairedRecords:
            return PairedRecords.of(first.codes(sample, H.domain), second.codes(sample, H.domain), sample)

        directions, (size, second_size) = self._directions, (line.domain.size for line in self._lines)
        gates = tuple(_gate_of_cuts(H.table, *labels) for labels in directions)
        chosen, s, t = ask(CutPairs(self.cost, (size, second_size), gates), records.see(paired))
        rules = [line.at(cut, above) for line, cut, above in zip(self._lines, (s, t), directions[chosen], strict=True)]
        return H.of_leaves(part.table_rule(rule) for part, rule in zip(self._parts, rules, strict=True))

    def failure(self, n: int, alpha: float) -> float:
        """The smaller of two union bounds: over all M pairs, and over groups of pairs that label all records alike.

        Three records determine the first bad pair of a group (cut pairs, Theorem 2). The pairs of a group, at most M,
        together weigh at most as much as one pair with ln M/ln r fewer errors.
        """
        log_m = log(len(self._directions)) + sum(log(line.domain.size + 1) for line in self._lines)
        over_pairs = self.chance(log_m, n, alpha)
        log_groups = log(len(self._directions)) + 3 * log(n + 1)
        over_groups = self.chance(log_groups, n, alpha, log_m / self.log_r, determined_by=3)
        return min(1.0, min(over_pairs, over_groups) * float(1 + ROUNDING))

    @property
    def log_r(self) -> float:
        return float(self.cost.epsilon - ROUNDING) / 2

    @property
    def _parts(self) -> tuple[ColumnPart, ColumnPart]:
        first, second = map(ColumnPart.of, self.concept_class.leaves)
        return first, second

    @property
    def _lines(self) -> list[Thresholds]:
        return [part.concept_class for part in self._parts if isinstance(part.concept_class, Thresholds)]

    @property
    def _directions(self) -> list[tuple[bool, ...]]:
        """All pairs of directions: for each, the labels above the two cuts."""
        return list(product(*(LABELS_ABOVE[line.direction] for line in self._lines)))


def _gate_of_cuts(table: tuple[bool, ...], first: bool, second: bool) -> Table:
    """The gate as a function of x ≥ s and y ≥ t, if ``first`` and ``second`` are the labels above the cuts.

    >>> _gate_of_cuts((False, False, False, True), True, False)
    (False, False, True, False)
    """
    return tuple(table[2 * (a == first) + (b == second)] for a in (False, True) for b in (False, True))
