"""A request for a release: it reads, seals, charges, answers, and certifies, without scikit-learn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from typing import Any, Self

from privpac.classes.concept_class import ConceptClass
from privpac.classes.schemas.schema import Schema
from privpac.data.counting.records_in_engine import RecordsInEngine
from privpac.data.engines.views import is_table
from privpac.data.samples.label_conditions import LabelCondition
from privpac.data.samples.sample import Sample
from privpac.data.samples.units import Quota
from privpac.privacy.budget import Number, as_count, as_rational
from privpac.privacy.ledger import Sealed
from privpac.refusals.option_words import InvalidRule
from privpac.refusals.refusal import Refused, Setting, about
from privpac.release.algorithm import ReleaseAlgorithm, ReleasePreview
from privpac.release.choice import LabelQuestion
from privpac.release.release import VALUE, Guarantee, Release
from privpac.release.sanitizer import Sanitizer
from privpac.release.tables.queries import TableQueries, check_table
from privpac.requests.conditions import Conditions
from privpac.requests.input_checks import fetch_query
from privpac.requests.labels import TWO, Against, declared_pair
from privpac.requests.paying import payment, protected, question_of
from privpac.requests.reading import Reading
from privpac.requests.request import Request

DECIDING = "concept_class", "marginals", "method", "feature", "certify"  # with the conditions, these decide a release


@dataclass(eq=False, repr=False)
class ReleaseRequest(Request):
    """A request for a release, with the parameters of ``PrivateRelease``, its front for scikit-learn."""

    kind = "PrivateRelease"
    condition_names = ("epsilon", "delta", "beta", "on_invalid", "max_records", "allow_large_delta", "random_state")

    concept_class: ConceptClass | Schema | None = None
    epsilon: Number = 1.0
    delta: Number | None = 0
    method: str = "auto"
    _: KW_ONLY
    beta: Number = 0.05
    certify: Number = 0.1
    classes: Sequence[Any] | None = (0, 1)
    budget: object = None
    marginals: Any = None
    feature: object = ()
    on_invalid: InvalidRule = "raise"
    max_records: int | None = None
    allow_large_delta: bool = False
    random_state: int | None = None

    def fit(self, X: object, y: object = None, unit: object = None) -> Self:
        """Release answers about the records X, protecting each record, or each unit (a column of names) as a whole.

        With labels y, the answers are about rules: how often each rule of the class is right and wrong. X is a table or
        a column: numpy, pandas, polars, pyarrow, DuckDB, or lists. With an Ibis table, y and unit are column names, and
        the database does the counting.
        """
        conditions, labels = self.conditions(), None if y is None else self.labels(y if isinstance(y, str) else None)
        for_one = self._algorithm(conditions, 1, labels)  # with n = 1: refuses wrong parameters before a record is read
        whom = protected(self.budget, unit, "this release")
        names, kind = for_one.sanitizer.domain.column_names, for_one.sanitizer.records_in_engine
        once = unit is None and (kind is None or kind.reads_once)
        label_and_unit = tuple(name for name in (y, unit) if isinstance(name, str))
        X = fetch_query(X, (*names, *label_and_unit) if names else (), y, unit, once=once)
        quota = self._quota(unit, conditions)
        if isinstance(queries := self._queries if y is None else self._rules, TableQueries):
            check_table(queries, X, unit)
        sample = self._read(for_one.sanitizer, X, y, quota)
        n = sample.size
        try:
            # Only the default δ depends on n.
            algorithm = self._algorithm(conditions, n, labels) if conditions.delta is None else for_one
            cost = self._ahead(algorithm, conditions, n).cost
            if y is None:
                asked = question_of(self, conditions, DECIDING, n, unit)
            else:
                asked = question_of(self, conditions, (*DECIDING, "classes"), n, y, unit)
            with payment(self.budget, cost, algorithm.name, asked, unit=whom, what="this release") as paid:
                if paid.ledger is not None:
                    paid.released = algorithm.run(Sealed(sample, n), paid.ledger.spend)
        finally:
            if not isinstance(sample, Sample):
                sample.close()
        (answers, measured), self.ledger_ = paid.released, paid.statement
        self.privacy_ = self.ledger_.spent
        certificate = self.ledger_.certificate(None, conditions.max_records, (), n // conditions.k)
        shown, unseen = answers.certain or (None, None)
        β, least = None if measured is None else conditions.beta, algorithm.least_gap(n)
        self.guarantee_ = Guarantee(certificate, n, shown, unseen, measured, β, least)
        column = self.feature if isinstance(self.feature, str) else VALUE
        self.release_ = Release(
            answers, self.guarantee_, self.ledger_.entries, algorithm.sanitizer.method_text(n), column
        )
        self.n_records_ = n
        return self

    def labels(self, column: str | None = None) -> LabelQuestion:
        """The two declared labels, and the name of their column if it has one; Refused unless there are two."""
        if self.classes is None or isinstance(self.classes, Against):
            raise Refused("classes", "declare the two labels of a release: ", TWO)
        pair = declared_pair(self.classes)
        name = self.classes.name if isinstance(self.classes, LabelCondition) else column
        return LabelQuestion(tuple(pair.tolist()), *(() if name is None else (name,)))

    def preview(self, n: int, *, labeled: bool = False) -> ReleasePreview:
        """What a release of n records would cost and promise; it is refused here if the fit would be.

        >>> import privpac as pp
        >>> print(pp.PrivateRelease(pp.Points(), epsilon=1, delta=1e-6).preview(1000).cost)
        ε = 1, δ = 1e-06
        """
        conditions, n = self.conditions(), as_count(n, "n")
        labels = self.labels() if labeled else None
        return self._ahead(self._algorithm(conditions, n, labels), conditions, n)

    def _ahead(self, algorithm: ReleaseAlgorithm, conditions: Conditions, n: int) -> ReleasePreview:
        """The preview of a release, before anything is spent; Refused if n is too large, or δ is too large for n."""
        algorithm.sanitizer.check_size(n)
        ahead = ReleasePreview.of(algorithm, conditions, n)
        conditions.check_delta(ahead.cost.delta, n)
        return ahead

    def algorithm(self, n: int, *, labeled: bool = False) -> ReleaseAlgorithm:
        """Everything a release of n records runs, as one algorithm."""
        return self._algorithm(self.conditions(), n, self.labels() if labeled else None)

    def _algorithm(self, conditions: Conditions, n: int, labels: LabelQuestion | None = None) -> ReleaseAlgorithm:
        concept_class = self._rules if labels else self._queries
        return ReleaseAlgorithm.of(concept_class, conditions, self.method, self._share, n, labels=labels)

    @property
    def _queries(self) -> ConceptClass:
        if isinstance(self.concept_class, Schema):
            return TableQueries.of(self.concept_class, self.marginals)
        if self.marginals is not None:
            raise Refused("marginals", Setting("marginals"), " names columns of a schema; other classes name their own")
        return self.concept_class  # type: ignore[return-value]

    @property
    def _rules(self) -> ConceptClass:
        """The class of rules, if records have labels: rules do not read the column of labels that a schema declares."""
        queries = self._queries
        return queries.without_label() if isinstance(queries, TableQueries) else queries

    @property
    def _share(self) -> Fraction:
        share = as_rational(self.certify, "certify")
        if not 0 <= share < 1:
            raise Refused.must("certify", "be a share of epsilon, at least 0 and less than 1")
        return share

    def _read(self, sanitizer: Sanitizer, X: object, y: object, quota: Quota | None) -> Sample | RecordsInEngine:
        """The records; those in an engine stay there if its counts are enough for the sanitizer."""
        is_column = self._unnamed and getattr(X, "ndim", 0) == 1
        feature = None if is_column else 0 if self._unnamed else self.feature
        names = (y, None if quota is None else quota.unit)
        beside = tuple(name for name in names if isinstance(name, str))  # columns of X that are not features
        reading = Reading(sanitizer.domain, feature, self.on_invalid, beside)
        with about("X"):
            table = self._table(reading, X)
            kind = sanitizer.records_in_engine if is_table(X) and y is None else None
            in_engine = None if kind is None else reading.in_engine(X, quota, kind)
            classes = None if y is None else self.classes
            return reading.gathered(X, table, y, quota, classes).sample if in_engine is None else in_engine
