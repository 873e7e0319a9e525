"""Every rule of a listed class at once: how many negative and how many positive records it flags, with noise.

proof: docs/proofs/labeled_release.md

Throughout this file
    M    the matrix of labels: a row for each rule or query, a column for each point; see ``release.explicit``
    w    weights of the points, those of negative records before those of positive ones
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from privpac.classes.concept_class import ConceptClass
from privpac.classes.finite.explicit import ExplicitClass, Listed
from privpac.classes.hypothesis import Hypothesis
from privpac.data.samples.sample import Ints, Sample
from privpac.release.explicit import (
    MOST_ENTRIES,
    ExplicitSanitizer,
    ListedAnswers,
    Queries,
    listed_answers,
    point_counts,
    queries_of,
)
from privpac.release.labeled.answers import AnswersByLabel, LabelFields, samples_by_label
from privpac.release.noise_choice import public_total
from privpac.release.postprocessing.consistency import Floats
from privpac.release.sanitizer import Answers


@dataclass(frozen=True)
class LabeledListedAnswers(AnswersByLabel):
    """The answers about negative records, and those about positive ones, for the same patterns of labels."""

    negatives: ListedAnswers
    positives: ListedAnswers
    rules: tuple[Hypothesis, ...] = ()  # the rule of each pattern; () if the points that it flags describe it

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.negatives.patterns != self.positives.patterns or self.negatives.domain != self.positives.domain:
            raise ValueError("answers about either label must be about the same rules")
        if self.rules and len(self.rules) != len(self.negatives.patterns):
            raise ValueError("give every pattern its rule")

    def numbers(self, half: Answers) -> Ints:
        assert isinstance(half, ListedAnswers)
        return np.array(half.numbers, dtype=np.int64)

    def true(self, half: Answers, sample: Sample) -> Ints:
        assert isinstance(half, ListedAnswers)
        return half.true(sample)

    def rule(self, i: int) -> Hypothesis:
        if self.rules:
            return self.rules[i]
        points, pattern = self.negatives.domain.listed(), self.negatives.patterns[i]
        return Listed(tuple(points), tuple(label == "1" for label in pattern))


@lru_cache(maxsize=16)
def loss_queries(concept_class: ConceptClass, void: bool) -> Queries:
    """The queries on pairs of a point and a label, pairs with the negative label first.

    They ask what each rule flags among negative records and among positive ones, and which records are positive; if
    there may be ``void`` records, also which are negative.

    >>> loss_queries(ExplicitClass([[0, 1]]), void=False).M.tolist()
    [[0, 1, 0, 0], [0, 0, 0, 1], [0, 0, 1, 1]]
    """
    M = queries_of(concept_class).M
    none, ones, zeros = np.zeros_like(M), np.ones((1, M.shape[1]), dtype=M.dtype), np.zeros((1, M.shape[1]), M.dtype)
    flagged = [np.hstack([M, none]), np.hstack([none, M])]
    totals = [np.hstack([zeros, ones]), *([np.hstack([ones, zeros])] if void else [])]
    return Queries.of(np.vstack([*flagged, *totals]))


@dataclass(frozen=True)
class LabeledExplicitSanitizer(LabelFields, ExplicitSanitizer):
    """Error and rates of every rule of a class whose rules and points can be listed.

    Privacy   ε or (ε, δ) for all inputs: labeled release, Theorem 1

    >>> from privpac.release.private_release import PrivateRelease
    >>> sizes = ExplicitClass([[0, 0, 1], [0, 1, 1]], points="SML", concepts=["large", "not small"])
    >>> front = PrivateRelease(sizes, epsilon=1, classes=("no", "yes"))
    >>> release = front.fit(["S", "M", "L"] * 2000, ["no", "yes", "yes"] * 2000)
    >>> release.error(sizes.hypothesis("not small")) < 0.02, str(release.best().rule)
    (True, 'x is one of M, L')
    """

    @classmethod
    def _supports(cls, concept_class: ConceptClass) -> bool:
        return super()._supports(concept_class) and 4 * concept_class.domain.size * concept_class.size <= MOST_ENTRIES

    @property
    def _queries(self) -> Queries:
        return loss_queries(self.concept_class, public_total(self.terms, 1) is None)

    def _counted(self, sample: Sample) -> Ints:
        return np.concatenate([point_counts(part, self.domain) for part in samples_by_label(sample)])

    def _answers(self, n: int, w: Floats) -> LabeledListedAnswers:
        M, points = queries_of(self.concept_class).M, int(self.domain.size)
        lower, upper = (listed_answers(n, self.domain, M, weights) for weights in (w[:points], w[points:]))
        positives = int(np.clip(np.rint(w[points:].sum()), 0, n))
        most, known = n - positives, public_total(self.terms, n)
        negatives = int(np.clip(np.rint(w[:points].sum()), 0, most)) if known is None else most
        rules: tuple[Hypothesis, ...] = ()
        if not isinstance(self.concept_class, ExplicitClass):
            rules = tuple(self.concept_class.materialize().concepts)  # type: ignore[arg-type]
        return LabeledListedAnswers(n, self.classes, lower, upper, (negatives, positives), self.label, rules)
