"""``summarize``: counts, sums, means, and quartiles of a column of a table, by groups, in one call.

proof: docs/proofs/summaries.md
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from privpac.classes.compositions.compose import And
from privpac.classes.concept_class import ConceptClass
from privpac.classes.schemas.schema import Column, Schema
from privpac.privacy.budget import Number
from privpac.privacy.certificate import Certificate
from privpac.refusals.option_words import InvalidRule
from privpac.refusals.refusal import InOtherWords, Refused, Setting, refusal_about
from privpac.release.release import Release
from privpac.release.release_request import ReleaseRequest
from privpac.release.sanitizer import Frame
from privpac.release.summaries.answers import GroupSummaries, GroupSummary
from privpac.release.summaries.sanitizer import MOST_GROUPS, MOST_VALUES, SummarySanitizer
from privpac.requests.conditions import as_share

MOST_NUMBERS = 100  # whole numbers that are groups
CERTIFYING = Fraction(1, 10)  # the share of ε that measures how far quartiles are off


@dataclass(frozen=True)
class Summary:
    """Counts, sums, means, and quartiles of a column, by groups. All intervals hold together with probability 1 − β."""

    release: Release

    @property
    def _answers(self) -> GroupSummaries:
        assert isinstance(self.release.answers_, GroupSummaries)
        return self.release.answers_

    @property
    def groups(self) -> list[GroupSummary]:
        """A summary of each group: ``.group``; ``.records``, ``.sum``, ``.mean``, and ``.quartiles`` with intervals.

        Each of these has a ``.value``, ``.low``, and ``.high``. If values may be missing, ``.missing`` counts them, and
        ``.records`` leaves them out.
        """
        return self._answers.summaries(self.release.guarantee.measured)

    @property
    def ends(self) -> tuple[Any, Any]:
        """The first value of the column and its last one. A quartile between just these is unknown."""
        return self._answers.ends

    def table(self) -> Frame:
        """A row for each group, as columns and entries, which pandas and polars read."""
        return self._answers.shown(self.release.guarantee.measured)

    @property
    def certificate(self) -> Certificate:
        """The privacy that was promised, and what it cost."""
        return self.release.guarantee.certificate

    @property
    def beta(self) -> Fraction:
        """The probability that some interval fails; half of it is for quartiles, if they are measured."""
        return self._answers.beta * (1 if self._answers.values is None else 2)

    def save(self, path: str | Path) -> None:
        """Write the release to a file, which ``pp.load(path)`` reads."""
        self.release.save(path)


def summary_request(
    schema: Schema,
    of: str,
    by: Sequence[str] = (),
    *,
    quartiles: bool = True,
    beta: Number = 0.05,
    **asked: Any,
) -> ReleaseRequest:
    """The request for a summary; its ``preview(n)`` says what it would cost."""
    share = as_share(beta, "beta")
    return ReleaseRequest(
        summary_class(schema, of, by),
        method="SummarySanitizer" if quartiles else "MeanSanitizer",
        beta=share / 2 if quartiles else share,
        certify=CERTIFYING if quartiles else 0,
        **asked,
    )


def summary_class(schema: Schema, of: str, by: Sequence[str]) -> ConceptClass:
    """The class whose rules ask for a group and for values beyond a cut; Refused if a column cannot be used."""
    if len(set(names := [*by, of])) < len(names):
        raise Refused("by", "name each column once; the column of values cannot be a group")
    columns = {}
    for parameter, name in [("of", of), *(("by", group) for group in by)]:
        with InOtherWords(partial(refusal_about, parameter=parameter), Refused):
            columns[name] = _column(schema, name) if parameter == "of" else _group(_column(schema, name))
    if unlisted := [name for name in by if columns[name].categories is None]:
        raise Refused(
            "by",
            f"groups need declared values: make {unlisted[0]!r} a category with values = [...], or whole "
            f"numbers of which at most {MOST_NUMBERS} are declared",
        )
    parts = [columns[name].part for name in by]
    concept_class = And(*parts, columns[of].part) if by else columns[of].part
    if not SummarySanitizer.supports(concept_class):
        others = [column.name for column in schema.columns if SummarySanitizer.supports(column.part)]
        instead = f"; here, these are {', '.join(others)}" if others and of not in others else ""
        what = f"{of!r} must be a column of numbers with a step, such as step = 0.1, and of at most {MOST_VALUES:,}"
        groups = f"there may be at most {MOST_GROUPS:,} groups{instead}"
        raise Refused("of", f"{what} values, not too far from 0; and {groups}")
    return concept_class


def group_names(schema: Schema) -> list[str]:
    """The columns that may be groups: those whose values are declared, and the label.

    >>> group_names(Schema.parse("columns.triage = {kind = 'integer', low = 1, high = 5}"))
    ['triage']
    """
    names = dict.fromkeys(column.name for column in schema.columns)
    if schema.label is not None and schema.label.condition is None:
        names[schema.label.column] = None
    return [name for name in names if _group(_column(schema, name)).categories is not None]


def _group(column: Column) -> Column:
    """A column of groups: whole numbers between bounds that are near each other are declared values, too."""
    if column.kind != "integer" or column.step is not None or column.high - column.low >= MOST_NUMBERS:
        return column
    numbers = tuple(range(column.low, column.high + 1))
    return Column(column.name, "category", values=numbers, missing=column.missing, na=column.na)


def _column(schema: Schema, name: str) -> Column:
    """A declared column. The labels are one, too, unless they are a condition."""
    label = schema.label
    if label is not None and label.column == name and label.condition is None:
        return Column(name, "category", values=label.classes)
    return schema.column(name)


def summarize(
    table: object,
    *,
    schema: Schema | str | Path,
    of: str,
    by: str | Sequence[str] | None = (),
    epsilon: Number = 1.0,
    quartiles: bool = True,
    beta: Number = 0.05,
    budget: object = None,
    unit: object = None,
    max_records: int | None = None,
    on_invalid: InvalidRule | None = None,
    random_state: int | None = None,
) -> Summary:
    """Count, sum, mean, and quartiles of a column, for each group, at one price; ε-DP.

    Parameters
    ----------
    table
        The records: a DataFrame, a mapping of columns, an Ibis table, or anything else that ``PrivateRelease`` reads.
    schema
        The declared columns, or the file with them. If it declares units, they are protected.
    of
        The column of numbers. Its declared bounds decide how much noise sums get.
    by
        The columns of groups, with declared values. Every combination is a group, whether or not records have it.
    quartiles
        Without quartiles, counts and sums get all of ε.
    beta
        The probability that some interval fails.
    budget, unit, max_records, on_invalid, random_state
        As for ``PrivateRelease``; ``on_invalid`` is what the schema says, unless it is given here.

    Examples
    --------
    >>> from privpac.classes.schemas.schema import Column
    >>> schema = Schema((Column("ward", "category", values=("A", "B")), Column("stay", "integer", low=0, high=60)))
    >>> visits = {"ward": ["A", "B"] * 5000, "stay": [3, 12] * 5000}
    >>> first, second = summarize(visits, schema=schema, of="stay", by="ward").groups
    >>> first.group, first.mean.low <= first.mean.value <= first.mean.high, len(second.quartiles)
    (('A',), True, 3)
    """
    declared = schema if isinstance(schema, Schema) else Schema.read(schema)
    if declared.unit is not None:
        if unit is not None or max_records is not None:
            raise Refused("unit", "the schema declares the unit; leave out ", Setting("unit"))
        unit, max_records = declared.unit.column, declared.unit.max_records
    request = summary_request(
        declared, of, [by] if isinstance(by, str) else by or (), quartiles=quartiles, beta=beta, epsilon=epsilon,
        budget=budget, max_records=max_records, on_invalid=on_invalid or declared.on_invalid or "raise",
        random_state=random_state,
    )  # fmt: skip
    return Summary(request.fit(table, unit=unit).release_)
