"""Any class whose patterns can be listed: permute-and-flip over one rule for each pattern on public records.

[ABM19] [McKS20]  docs/references.bib        proof: docs/proofs/public_records.md
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import log
from typing import ClassVar

import numpy as np

from privpac.classes.concept_class import ConceptClass
from privpac.classes.decision_trees.auto import Auto
from privpac.classes.decision_trees.scorecards import Scorecards
from privpac.classes.finite.public_records import PublicRecords, WithPublic
from privpac.classes.hypothesis import Hypothesis
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.vectors.half_spaces import HalfSpaces
from privpac.data.domains.domain import Domain
from privpac.data.samples.sample import Ints, Sample
from privpac.learners.audit_cases import ALONE, Universe
from privpac.learners.grids.grids import negative_excess
from privpac.learners.public.covers import PublicLearner, consistent_share, log_patterns
from privpac.mechanisms.algorithm import Ask
from privpac.mechanisms.selection.permute_and_flip import PermuteAndFlip
from privpac.privacy.bisection import smallest_upto
from privpac.privacy.ledger import Records

MOST_PATTERNS = 2**16  # candidates whose errors are counted one by one: a few seconds
MOST_PUBLIC = 2**20  # records


class PublicPatternLearner(PublicLearner):
    """Learn from a class that shows few patterns on public records: one rule for each of them is a candidate.

    Privacy   ε, for all inputs, public ones too: public records, Theorem 1
    Utility   noisy labels or not, whatever the size of the domain: public records, Theorem 3
    Time      a count of errors for each pattern

    >>> from privpac import PrivateClassifier
    >>> ages, public = [*range(20, 80)] * 20, [*range(20, 80)] * 5
    >>> clf = PrivateClassifier(Thresholds(0, 10**6), feature=None, public=public)
    >>> print(clf.fit(ages, [age >= 50 for age in ages]).learner_.name, clf.hypothesis_)
    PublicPatternLearner x ≥ ...
    """

    title: ClassVar[str] = "permute-and-flip over patterns on public records"
    theorem: ClassVar[str] = "public records, Theorem 3"
    audited: ClassVar[tuple[Universe, ...]] = (
        Universe(
            WithPublic(Thresholds(0, 9, direction="above"), PublicRecords.of([1, 7] * 20)), "3 rules", (1, 7), ALONE
        ),
    )

    @classmethod
    def _supports(cls, concept_class: ConceptClass) -> bool:
        assert isinstance(concept_class, WithPublic)
        return distinct(concept_class.public) <= most_listed(concept_class.concept_class)

    def run(self, records: Records, ask: Ask) -> Hypothesis:
        rules, domain = candidates(self.concept_class), self.domain
        return rules[ask(PermuteAndFlip(self.cost), records.see(lambda sample: -rule_errors(rules, domain, sample)))]

    @property
    def log_candidates(self) -> float:
        most = log_patterns(self.concept_class.concept_class, distinct(self.concept_class.public))
        return max(most - log(2), 0.0) if self.copies == 1 else most  # with weights, the proof that halves M fails

    def uncovered(self, chance: float) -> float:
        return consistent_share(self.concept_class.concept_class, self.concept_class.public.number, chance)


def distinct(public: PublicRecords) -> int:
    """The number of different public records; all of them if only their number is known."""
    return len(public.distinct) or public.number


@lru_cache(maxsize=256)
def most_listed(H: ConceptClass) -> int:
    """The most public records whose patterns are listed; 0 for half-spaces and scorecards, which have too many.

    >>> from privpac.classes.vectors.boxes import Rectangles
    >>> most_listed(Thresholds(0, 10**6, direction="above")), most_listed(Rectangles(0, 10**6, 2))
    (65535, 35)
    """
    if isinstance(H, HalfSpaces | Scorecards | Auto):
        return 0
    too_many = smallest_upto(MOST_PUBLIC, lambda m: log_patterns(H, m) > log(MOST_PATTERNS) + 1e-9)
    return MOST_PUBLIC if too_many is None else too_many - 1


@lru_cache(maxsize=8)
def candidates(concept_class: WithPublic) -> tuple[Hypothesis, ...]:
    """One rule for each pattern on the public records."""
    return tuple(dict.fromkeys(concept_class.representatives(concept_class.public.distinct)))


def rule_errors(rules: Sequence[Hypothesis], domain: Domain, sample: Sample) -> Ints:
    """The number of records that each rule labels wrongly; each rule sees each point once."""
    errors = np.full(len(rules), sample.positives, dtype=np.int64)
    if len(sample.points):
        keys = [tuple(point) if isinstance(point, list) else point for point in sample.points.tolist()]
        numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
        number = np.array([numbers[key] for key in keys])
        w, first = np.zeros(len(numbers), dtype=np.int64), np.unique(number, return_index=True)[1]
        np.add.at(w, number, negative_excess(sample))
        values = domain.join([column[first] for column in domain.split(sample.values)])
        errors += np.array([w[rule(values)].sum() for rule in rules])
    return errors
