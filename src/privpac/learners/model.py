"""A released rule as self-contained data: it predicts, and it states its cost and its guarantees.

A model is JSON text, read without pickle. It holds the selected rule, the caller's declarations, and the account of the
release. Of the records it holds only their number, which is public. Times are rounded to the day, because the duration
of a fit may depend on the records.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, fields, replace
from functools import reduce
from operator import and_
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from privpac.classes.compositions.rules import ColumnRule, Composed
from privpac.classes.decision_trees.rules import Answer, Split, answer_is, simplified
from privpac.classes.decision_trees.scorecards import Scorecard
from privpac.classes.exports.ibis_conditions import EngineTerms
from privpac.classes.exports.python import as_python, to_python
from privpac.classes.exports.rule_conditions import condition
from privpac.classes.exports.sql import literal, to_sql
from privpac.classes.hypothesis import Hypothesis
from privpac.classes.typed_fields import fit_fields
from privpac.data.counting.engine_values import as_literal, engine_values, no_form
from privpac.data.domains.domain import Domain, WhichFit
from privpac.data.domains.on_invalid import spelled_columns, valid
from privpac.data.engines.batches import batches
from privpac.data.engines.views import check_columns, is_table
from privpac.data.files.private_files import write_new
from privpac.data.samples.label_conditions import LabelCondition
from privpac.data.values.allowed_types import missing
from privpac.data.values.columns import objects
from privpac.data.values.value_text import value_text
from privpac.learners.errors.error_estimate import ErrorEstimate
from privpac.learners.errors.label_errors import LabelErrors
from privpac.learners.errors.measured_error import MeasuredError, TrainingError
from privpac.learners.errors.risks import (
    OperatingPoint,
    Region,
    Risks,
    label_probabilities,
    measured_risks,
    risk_column,
    risks_of,
)
from privpac.privacy.certificate import Certificate, Entry, Statement
from privpac.refusals.option_words import InvalidRule
from privpac.refusals.refusal import InOtherWords, Refused
from privpac.requests.conditions import in_python, misfit_advice
from privpac.requests.input_checks import check_readable, fetch_query
from privpac.requests.json_values import DOMAINS, FileKind, stored, writable
from privpac.requests.labels import predicted
from privpac.requests.reading import Reading

if TYPE_CHECKING:
    from privpac.learners.rule_request import RuleRequest

COMPUTING = ("duckdb", "postgres")  # engines whose arithmetic is tested against Python's
UNREAD = "the rule does not read values of the domain; both must come from one fit: write the model again"
EARLIER_ERROR = (
    "Records that do not fit count as labeled correctly in this error, which an earlier version of privpac measured"
)
MODELS = FileKind(
    "model", 1, ("verdict", "misfits", "rule"), "`privpac learn --out` or Model.to_json()", ", or learn again"
)


@dataclass(frozen=True)
class Model:
    """A released rule: give it a table with the columns it reads, and it labels the records.

    >>> from privpac import Budget
    >>> from privpac.classes.lines.rules import Threshold
    >>> from privpac.data.domains.line import Line
    >>> model = Model(
    ...     Threshold(37), domain=Line(0, 999), feature="delay", classes=("no", "yes"), label="late", records=5000,
    ...     learner="exponential mechanism", certificate=Certificate(Budget(1), ("selection, Theorem 1",)),
    ... )
    >>> print(model)
    late = yes if delay ≥ 37, otherwise no
    >>> model.predict({"delay": [12, 37]}).tolist()
    ['no', 'yes']
    >>> Model.from_json(model.to_json()) == model
    True
    """

    hypothesis: Hypothesis
    domain: Domain
    feature: Hashable  # the column or columns that are read; None if the rule names them, or for a bare column
    classes: tuple[Hashable, ...]  # negative, positive; one if only one occurred; or more than two
    records: int  # n, held-out records included
    learner: str  # the algorithm, in words
    certificate: Certificate
    ledger: tuple[Entry, ...] = ()
    error: ErrorEstimate | LabelErrors | TrainingError | None = None  # None: not measured
    on_invalid: InvalidRule = "raise"
    label: str | None = None  # the column of the labels

    def __post_init__(self) -> None:
        fit_fields(self)
        if isinstance(self.error, MeasuredError) and self.classes:
            error = replace(self.error, per_unit=self.certificate.unit_records is not None).of_rule(self.hypothesis)
            names = self.classes if len(self.classes) > 1 else self.classes * 2
            object.__setattr__(self, "error", error.named(*map(value_text, names)))
        if not 1 <= len(self.classes) == len(set(self.classes)) or any(map(missing, self.classes)):
            raise ValueError("classes must be two different labels, (negative, positive), or the one that occurred")
        answers = self.hypothesis.answers
        if (answers is not None) != (len(self.classes) > 2) or not set(answers or ()) <= set(self.classes):
            raise ValueError("a rule must answer labels of classes; if they are more than two, each leaf must name one")
        if isinstance(self.error, MeasuredError) and isinstance(self.error, LabelErrors) != bool(answers):
            raise ValueError("the measured error must be that of a rule with the same number of labels")
        if type(self.domain) not in DOMAINS:
            raise TypeError("domain must be one of privpac's domains, such as Line(low, high)")
        self._check_rule()
        if min(self.records, 1 if self.certificate.unit_records is None else self.certificate.unit_records) < 1:
            raise ValueError("the number of records must be at least 1, in total and per unit")
        if self.certificate.protected not in (None, self.records // (self.certificate.unit_records or 1)):
            raise ValueError("the certificate must protect exactly these records, or their units")
        proved = self.certificate.utility
        if proved is not None and not (0 <= proved.alpha <= 1 and 0 <= proved.beta <= 1):
            raise ValueError("the certificate must claim an error and a probability between 0 and 1")

    @property
    def agrees(self) -> bool:
        """Whether the certificate claims the privacy that its ledger shows; if not, somebody changed one of them."""
        claimed, shown = self.certificate, Statement(self.ledger).certificate()
        return (claimed.privacy, claimed.private) == (shown.privacy, shown.private)

    def _check_rule(self) -> None:
        """Refuse a rule that cannot read one record of the domain, before it is asked about others."""
        with InOtherWords(lambda _: ValueError(UNREAD)):  # a file may pair any rule with any domain
            self.hypothesis(self.domain.join([objects([_example(column)]) for column in self.domain.columns]))

    @property
    def rule(self) -> str:
        """The condition for the positive label, or for each label, in words, with the names of the columns."""
        return self.hypothesis.sentence(*self._names)

    @property
    def _names(self) -> tuple[str, ...]:
        unnamed = isinstance(self.feature, int) and len(self.domain.columns) > 1  # all columns, by their positions
        return () if unnamed else tuple(map(_column, self.columns))

    @property
    def risks(self) -> list[Region]:
        """The regions of the rule, each with its measured risk; none if they were not measured."""
        risks = self.measured_risks
        return risks.regions if risks else []

    @property
    def measured_risks(self) -> Risks | None:
        """All that the measured counts say about risks; None if they were not measured."""
        return risks_of(self.error, self._names, self.classes)

    def operating_point(
        self, *, sensitivity: float | None = None, flagged_at_most: float | None = None
    ) -> OperatingPoint:
        """A rule that flags the regions with the highest risks, as ``PrivateClassifier.operating_point`` chooses it."""
        return measured_risks(self.error, self._names, self.classes).operating_point(sensitivity, flagged_at_most)

    def at(self, point: OperatingPoint) -> Model:
        """The model that labels records by the rule of an operating point, whose intervals say what it achieves."""
        certificate = replace(self.certificate, utility=None)  # the utility is that of the learned rule
        return replace(self, hypothesis=point.rule, error=None, certificate=certificate)

    @property
    def several(self) -> bool:
        """Whether there are more than two labels."""
        return len(self.classes) > 2

    @property
    def constant(self) -> bool | None:
        """True if every record gets the positive label, False if none does, None if it depends on the record."""
        return False if len(self.classes) == 1 else self.hypothesis.constant

    @property
    def claim(self) -> str:
        """Which records get the positive label; if all records get the same label, that label."""
        name = f"{value_text(self.label)} = " if self.label else ""
        if self.several:
            answers = self.hypothesis.answers or ()
            return f"{name}{value_text(answers[0])} always" if len(answers) == 1 else f"{name}{self.rule}"
        if self.constant is None:
            return f"{name}{value_text(self.classes[-1])} if {self.rule}"
        if self._constant_on_fitting:
            return f"{name}{value_text(self.classes[-1])} if the record fits what was declared"
        return f"{name}{value_text(self.classes[-1] if self.constant else self.classes[0])} always"

    @property
    def otherwise(self) -> str | None:
        """The label of all other records; None if all records get the same label, or the claim says it."""
        if self.several:
            return None
        return value_text(self.classes[0]) if self.constant is None or self._constant_on_fitting else None

    @property
    def _constant_on_fitting(self) -> bool:
        """Whether the rule is constantly positive, but only for records that fit; all others get the negative label."""
        return self.constant is True and self.on_invalid != "raise"

    @property
    def headline(self) -> str:
        """The rule's ``claim``; if clearly most records do not fit what was declared, a sentence that says so."""
        misfits = self.error.headline if isinstance(self.error, MeasuredError) else None
        return self.claim if misfits is None else misfits

    @property
    def mostly_unfit(self) -> bool:
        """Whether clearly most records do not fit what was declared."""
        return self.headline != self.claim

    def verdict(self, spelled: Callable[..., str] = in_python, check: str = "") -> str | None:
        """What people should know first: how often the rule errs, and whether it is constant; None if not measured.

        ``spelled`` writes a parameter and its value in the caller's syntax. If most records do not fit, ``check`` says
        what to do; by default, the usual advice.
        """
        if isinstance(self.error, TrainingError) or self.error is None:
            return None if self.error is None else str(self.error)
        sentence = self.error.sentence(spelled=spelled)
        if not self.mostly_unfit:
            return sentence
        return f"{sentence} {check or misfit_advice(spelled)}. The charge stands: {self.certificate.privacy}."

    @property
    def misfits_in_words(self) -> str:
        """How many records do not fit, if that was measured, and what the rule answers for them."""
        if not isinstance(self.error, MeasuredError) or self.on_invalid == "raise" or not self.error.held:
            return ""
        return self.error.misfits() or EARLIER_ERROR

    def __str__(self) -> str:
        return self.claim if self.otherwise is None else f"{self.claim}, otherwise {self.otherwise}"

    def _repr_html_(self) -> str:
        """The rule, its picture, and its guarantees, for a notebook; ``report`` imports this room, so it loads late."""
        view: str = resolve_name("privpac.report.notebook:model_view")(self)
        return view

    @property
    def columns(self) -> tuple[Any, ...]:
        """The columns that the rule reads: names, or positions counted from 0; empty for a bare column."""
        if self.domain.column_names:
            return self.domain.column_names
        return self.feature if isinstance(self.feature, tuple) else () if self.feature is None else (self.feature,)

    def predict(self, X: object) -> NDArray[Any]:
        """The label of each record in a table, one of ``classes``; tables in engines are read a few rows at a time."""
        return predicted(self.hypothesis, self.classes, self._read(X, self.on_invalid))

    def predict_proba(self, X: object) -> NDArray[np.float64]:
        """The probability of each label, in the order of ``classes``, for each record; Refused if none was measured."""
        return label_probabilities(self.risk_of(self._read(X, self.on_invalid)), len(self.classes))

    def risk_of(self, read: Iterable[tuple[Any, WhichFit | None]]) -> NDArray[np.float64]:
        """The risk of each record; with more than two labels, a row for each record, with the risk of each label.

        ``read`` gives, for some records at a time, the values that the rule reads, and which of the records fit.
        """
        return risk_column(measured_risks(self.error, self._names, self.classes), read)

    def labeled(self, table: Any, *, risk: bool = False) -> Iterator[LabeledRows]:
        """All rows of an Ibis table with their labels, and their risks if asked, a few at a time.

        >>> import ibis, pyarrow
        >>> from privpac import Budget
        >>> from privpac.classes.lines.rules import Threshold
        >>> from privpac.data.domains.line import Line
        >>> model = Model(Threshold(37), Line(0, 999), "delay", (0, 1), 5000, "exponential", Certificate(Budget(1)))
        >>> flights = ibis.memtable(pyarrow.table({"delay": [12, 1000]}))
        >>> [(rows.labels.tolist(), rows.misfits) for rows in model.labeled(flights)]
        [([0, 1], 1)]
        >>> model.in_engine(flights).to_pyarrow().to_pylist()
        [{'delay': 12, 'predicted': 0}, {'delay': 1000, 'predicted': 1}]
        """
        names = self.reading(self.on_invalid).names(table)
        check_columns(table, names, "columns")
        places = [table.columns.index(name) for name in names]
        for columns in batches(table, table.columns):
            spelled = spelled_columns(self.domain, [columns[place] for place in places])
            read = valid(self.domain, spelled, self.on_invalid)
            _, fits = read if self.counting == self.on_invalid else valid(self.domain, spelled, self.counting)
            labels = predicted(self.hypothesis, self.classes, [read])
            risks = self.risk_of([read]) if risk else None
            yield LabeledRows(columns, labels, _misfit_count(fits), risks)

    def in_engine(self, table: Any, name: str = "predicted") -> Any:
        """The Ibis table with one more column, the labels, which DuckDB or PostgreSQL computes when it is asked.

        A rule, or a column, whose labels could differ from those of :meth:`predict` is refused.
        """
        engine = table.get_backend().name
        if name in table.columns:
            raise Refused("name", f"the table has a column {name!r}; name the new one: in_engine(table, name='label')")
        names = self.reading(self.on_invalid).names(table)
        check_columns(table, names, "columns")
        if engine not in COMPUTING or len({type(label) for label in self.classes}) > 1:
            raise no_form()
        pairs = zip(self.domain.columns, names, strict=True)
        columns = [engine_values(domain, table[column], engine, self.on_invalid) for domain, column in pairs]
        terms = EngineTerms([column.values for column in columns], self.domain.column_names, engine)
        fits = reduce(and_, [column.fits for column in columns])
        first, *others = self.classes
        predictions = as_literal(first)
        for label in others:
            answer = answer_is(self.hypothesis, label) if self.several else self.hypothesis
            holds = fits & cast(Any, condition(simplified(answer), terms, ()))
            predictions = holds.ifelse(as_literal(label), predictions)
        return table.mutate(**{name: predictions})

    def misfits(self, X: object) -> int:
        """How many records of a table do not fit the declared domain; docs/guide/data.md explains their labels."""
        return sum(_misfit_count(fits) for _, fits in self._read(X, self.counting))

    @property
    def counting(self) -> InvalidRule:
        """The value of ``on_invalid`` under which records that do not fit are counted: any but "raise"."""
        return "default" if self.on_invalid == "raise" else self.on_invalid

    def reading(self, on_invalid: InvalidRule) -> Reading:
        """How the rule reads a table; ``on_invalid`` says what becomes of records that do not fit."""
        return Reading(self.domain, list(self.feature) if isinstance(self.feature, tuple) else self.feature, on_invalid)

    def _read(self, X: object, on_invalid: InvalidRule) -> Iterator[tuple[Any, WhichFit | None]]:
        """Some records of a table at a time: the values that the rule reads, and which of the records fit."""
        reading = self.reading(on_invalid)
        X = fetch_query(X, reading.selected if reading.by_name else (), once=True)
        return reading.values(X, None if is_table(X) else reading.table(check_readable(X, "X")))

    def to_sql(self, *columns: str) -> str:
        """The label as an SQL expression; ``columns`` name the columns that have only positions, or no name.

        NULL is labeled as :meth:`predict` labels a missing value. Other values outside the declared domain are labeled
        by the rule as they are. Times must have no zone: write x AT TIME ZONE 'UTC' in place of others.

        >>> from privpac import Budget
        >>> from privpac.classes.lines.rules import Threshold
        >>> from privpac.data.domains.line import Line
        >>> cut = Threshold(37), Line(0, 999), "delay", ("no", "yes"), 5000, "exponential", Certificate(Budget(1))
        >>> print(Model(*cut).to_sql())
        CASE WHEN "delay" IS NULL THEN 'no' WHEN "delay" >= 37 THEN 'yes' ELSE 'no' END
        """
        negative, positive = literal(self.classes[0]), literal(self.classes[-1])
        return to_sql(rule_on_column(self), columns or names_read(self), (negative, positive), required_columns(self))

    def to_python(self) -> str:
        """The source of ``rule(record)``, a Python function without imports that returns the label.

        None and NaN are labeled as :meth:`predict` labels them.
        """
        negative, positive = as_python(self.classes[0]), as_python(self.classes[-1])
        return to_python(rule_on_column(self), (negative, positive), required_columns(self), names_read(self))

    def to_json(self) -> str:
        """The model as JSON text, which :meth:`from_json` reads; its ``verdict`` and ``rule`` are for people."""
        parts = {field.name: stored(getattr(self, field.name)) for field in fields(self)}
        sentences = {} if self.error is None else {"verdict": self.verdict()}
        sentences |= {"misfits": self.misfits_in_words} if self.misfits_in_words else {}
        for_people = {MODELS.mark: MODELS.version} | sentences | {"rule": str(self)}
        return writable(json.dumps(for_people | parts, indent=2, ensure_ascii=False))

    def save(self, path: str | Path) -> None:
        """Write the model to a file, which ``pp.load(path)`` and ``privpac predict`` read."""
        write_new(path, self.to_json(), newline="\n")

    @staticmethod
    def from_json(text: str) -> Model:
        """The model that :meth:`to_json` wrote; ValueError for any other text."""
        model = MODELS.read(text, Model)
        if model.ledger and not model.agrees:
            raise ValueError("the privacy that this JSON claims is not that of its ledger; ask for the original")
        return model


class LabeledRows(NamedTuple):
    """A few rows of a table: all columns in its order, the labels, and how many records do not fit the domain."""

    columns: list[NDArray[Any]]
    labels: NDArray[Any]
    misfits: int
    risks: NDArray[Any] | None = None  # of the positive label; if labels are more than two, a column for each

    def all_columns(self, digits: int) -> list[NDArray[Any]]:
        """The columns, the labels, and the risks, which are rounded to this number of digits."""
        risks = [] if self.risks is None else list(np.atleast_2d(self.risks.round(digits).T))
        return [*self.columns, self.labels, *risks]


def model_of(clf: RuleRequest, label: str | None = None) -> Model:
    """The model of a fitted classifier; ``label`` names the predicted column, unless labels are a condition.

    >>> import privpac as pp
    >>> clf = pp.PrivateClassifier(pp.Thresholds(0, 99), epsilon=9, feature="age")
    >>> print(model_of(clf.fit({"age": [20, 60] * 500}, [0, 1] * 500), "pays"))
    pays = 1 if age ≥ ..., otherwise 0
    """
    if not hasattr(clf, "hypothesis_"):
        from sklearn.utils.validation import check_is_fitted  # noqa: PLC0415  (models need no scikit-learn)

        check_is_fitted(clf)
    reading, names = clf.reading_, getattr(clf, "feature_names_in_", None)
    feature = None if reading.domain.column_names else reading.feature
    if isinstance(feature, int) and names is not None:
        feature = list(map(str, names)) if len(reading.domain.columns) > 1 else str(names[feature])
    return Model(
        hypothesis=clf.hypothesis_,
        domain=reading.domain,
        feature=tuple(feature) if isinstance(feature, list) else feature,
        classes=tuple(clf.labels_.tolist()),
        records=clf.n_records_,
        learner=clf.learner_.described,
        certificate=clf.guarantee_,
        ledger=clf.ledger_.unsigned().entries,
        error=clf.error_,
        on_invalid=reading.on_invalid,
        label=clf.classes.name if isinstance(clf.classes, LabelCondition) else label,
    )


def columns_read(model: Model) -> tuple[Any, ...]:
    """The columns that the rule reads: names, or positions if it reads several without names; None for a bare value."""
    several = len(model.domain.columns) > 1 and isinstance(model.feature, int | None)
    if several and not model.domain.column_names:
        return tuple(range(len(model.domain.columns)))
    return model.columns or (None,)


def required_columns(model: Model) -> tuple[Any, ...]:
    """The columns whose entry must not be missing in a record with a positive label.

    These are all columns but those where missing entries are declared. Under "raise", a combination, a tree, or a
    scorecard requires none: it labels missing entries itself.
    """
    labels_missing = model.on_invalid == "raise" and isinstance(model.hypothesis, Composed | Split | Scorecard | Answer)
    columns = zip(model.domain.columns, columns_read(model), strict=True)
    return () if labels_missing else tuple(name for domain, name in columns if not domain.optional)


def rule_on_column(model: Model) -> Hypothesis:
    """The rule; if it reads a single column that has a name or a position, the same rule about a table."""
    one = not model.domain.column_names and isinstance(model.feature, str | int) and len(columns_read(model)) == 1
    return ColumnRule(model.hypothesis, model.feature) if one else model.hypothesis  # type: ignore[arg-type]


def names_read(model: Model) -> list[str]:
    """The names of the columns that the rule reads, in order, if they have names."""
    return [name for name in columns_read(model) if isinstance(name, str)]


def _misfit_count(fits: WhichFit | None) -> int:
    """How many records do not fit."""
    return 0 if fits is None else int((~fits).sum())


def _column(name: object) -> str:
    return f"column {name}" if isinstance(name, int) else value_text(name)


def _example(domain: Domain) -> Any:
    """A value of the domain of one column."""
    return domain.line.low if domain.line is not None else domain.decode(0) if domain.numbered else ""
