"""Certificates for answers that other software made: a private measurement of how far they are off.

The answers are treated like those of a sanitizer that costs nothing, so all of ε measures their gap.

proof: docs/proofs/measured_certificate.md
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import Any, ClassVar

from privpac.classes.concept_class import ConceptClass
from privpac.classes.hypothesis import Hypothesis
from privpac.data.domains.domain import Domain
from privpac.data.samples.sample import Sample
from privpac.data.values.columns import objects
from privpac.exact.entropy import Entropy
from privpac.mechanisms.algorithm import Ask
from privpac.privacy.budget import Budget, Number, as_rational
from privpac.privacy.ledger import Records
from privpac.refusals.refusal import Refused, RefusedType, Setting, Sketch
from privpac.release.algorithm import ReleaseAlgorithm
from privpac.release.choice import LabelQuestion
from privpac.release.release import Release
from privpac.release.release_request import ReleaseRequest
from privpac.release.sanitizer import Answers, Frame, Sanitizer
from privpac.requests.conditions import Conditions


@dataclass(frozen=True)
class GivenAnswers(Answers):
    """Queries with their answers: ``numbers`` of records, out of n."""

    n: int
    queries: tuple[Hypothesis, ...]
    numbers: tuple[int, ...]

    def __post_init__(self) -> None:
        if len(self.queries) != len(self.numbers):
            raise Refused("answers", "give every query exactly one answer")

    def count(self, query: Hypothesis) -> int:
        if query not in self.queries:
            raise Refused("query", "this release answers only the queries that it was given")
        return self.numbers[self.queries.index(query)]

    def gap(self, sample: Sample) -> int:
        answers = zip(self.queries, self.numbers, strict=True)
        return max((abs(number - _true_count(sample, query)) for query, number in answers), default=0)

    def counts(self) -> Frame:
        return {"query": list(map(str, self.queries)), "records": list(self.numbers)}

    def rows(self, size: int, coins: Entropy) -> Frame:
        raise Refused("size", "answers that were made elsewhere have no synthetic records")


def _true_count(sample: Sample, query: Hypothesis) -> int:
    """How many records satisfy the query. A record that it cannot read does not, and the error stays secret."""
    try:
        return sample.outcomes(query)[0]
    except Exception:  # whatever a query may raise
        return sum(_true_count_at(i, sample, query) for i in range(len(sample.labels)))


def _reads(domain: Domain, query: Hypothesis) -> bool:
    """Whether the query finds its columns in the domain: it must run on a table without records."""
    try:
        query(domain.join([objects([]) for _ in domain.columns]))
    except Exception:  # whatever a query may raise
        return False
    return True


def _true_count_at(i: int, sample: Sample, query: Hypothesis) -> int:
    """How many of the equal records at entry i of the sample satisfy the query: all or none."""
    values, one = sample.values, slice(i, i + 1)
    try:
        record = {name: column[one] for name, column in values.items()} if isinstance(values, dict) else values[one]
        holds = query(record)
        return bool(holds[0]) * (1 if sample.counts is None else int(sample.counts[i]))
    except Exception:  # whatever a query may raise
        return 0


@dataclass(frozen=True)
class GivenSanitizer(Sanitizer):
    """A sanitizer that returns these answers, rounded to whole records, whatever the records are."""

    queries: tuple[Hypothesis, ...]
    shares: tuple[Fraction, ...]  # the answers, as fractions of n
    title: ClassVar[str] = "answers made elsewhere"
    theorem: ClassVar[str] = "no record is seen"

    @property
    def cost(self) -> Budget:  # type: ignore[override]
        """Nothing: whoever made the answers paid for them."""
        return Budget(0)

    def run(self, records: Records, ask: Ask) -> GivenAnswers:
        n = records.size
        return GivenAnswers(n, self.queries, tuple(floor(n * share + Fraction(1, 2)) for share in self.shares))


class _CertificateRequest(ReleaseRequest):
    """A release of answers made elsewhere, which spends all of ε on their certificate.

    ``method`` holds what :class:`GivenSanitizer` takes: the queries and their answers.
    """

    def _algorithm(self, conditions: Conditions, n: int, labels: LabelQuestion | None = None) -> ReleaseAlgorithm:
        terms = conditions.terms(n)
        sanitizer = GivenSanitizer(self.concept_class, terms, *self.method)  # type: ignore[arg-type]
        return ReleaseAlgorithm(sanitizer, Budget(terms.cost.epsilon), conditions.k)


def certified(
    concept_class: ConceptClass,
    queries: Iterable[Hypothesis],
    answers: Iterable[Number],
    X: object,
    *,
    epsilon: Number,
    beta: Number = 0.05,
    unit: object = None,
    **others: Any,
) -> Release:
    """Measure privately how far answers of other software are off; each answer is a fraction of the records X.

    With units, it is a fraction of the places: ``max_records`` for each unit, whether a record fills them or not.

    The answers must have been released already: their own privacy is not checked. ``concept_class`` says how X is
    read; ``others`` are parameters of :class:`PrivateRelease`, such as ``budget`` and ``max_records``.

    >>> from privpac.classes.lines.thresholds import Thresholds
    >>> ages = Thresholds(0, 120)
    >>> adult = ages.hypothesis(18)
    >>> release = certified(ages, [adult], [0.7], [12] * 30_000 + [40] * 70_000, epsilon=0.1)
    >>> release.guarantee.measured < 500
    True
    """
    if not isinstance(concept_class, ConceptClass):
        example = Setting.to("concept_class", Sketch("Thresholds(low, high)"))
        raise RefusedType("concept_class", "choose the class that says how X is read, for example ", example)
    rules, shares = tuple(queries), tuple(as_rational(answer, "answers") for answer in answers)
    if not all(isinstance(rule, Hypothesis) for rule in rules):
        raise RefusedType("queries", "each query must be a rule, such as concept_class.hypothesis(value)")
    if not all(_reads(concept_class.domain, rule) for rule in rules):
        raise Refused("queries", "some queries read other columns than concept_class; ask about rules of this class")
    if not rules or len(rules) != len(shares):
        raise Refused("answers", "give every query exactly one answer, and at least one")
    if not all(0 <= share <= 1 for share in shares):
        raise Refused("answers", "each answer must be a fraction of the records, between 0 and 1")
    front = _CertificateRequest(concept_class, epsilon, 0, (rules, shares), beta=beta, **others)  # type: ignore[arg-type]
    return front.fit(X, unit=unit).release_
