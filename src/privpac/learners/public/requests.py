"""Extend a class by the public records of a request: how they are read, and when no learner can use them."""

from __future__ import annotations

from typing import Any

import numpy as np

from privpac.classes.concept_class import ConceptClass
from privpac.classes.finite.public_records import PublicRecords, WithPublic
from privpac.classes.vectors.half_spaces import HalfSpaces
from privpac.data.engines.duckdb_rows import is_lazy
from privpac.data.engines.views import is_table
from privpac.data.values.tables import records
from privpac.learners.public.boxes import PublicBoxLearner
from privpac.learners.public.nets import MOST_DIMENSIONS, PublicNetLearner
from privpac.learners.public.patterns import PublicPatternLearner, most_listed
from privpac.privacy.budget import as_count
from privpac.refusals.option_words import InvalidRule
from privpac.refusals.refusal import InOtherWords, Refused, RefusedType, Setting, Sketch, refusal_about
from privpac.requests.input_checks import check_readable, fetch_query
from privpac.requests.reading import Reading

LEARNERS = PublicPatternLearner, PublicNetLearner, PublicBoxLearner
PUBLIC_TABLE = Setting.to("public", Sketch("the table of public records"))


def with_public(
    H: ConceptClass, public: Any, feature: Any = 0, on_invalid: InvalidRule = "raise", beside: tuple[str, ...] = ()
) -> ConceptClass:
    """The class with these public records, a table or a number of records; Refused if no learner can use them.

    ``beside``: columns with labels or units, which are not features.

    >>> from privpac.classes.vectors.half_spaces import HalfSpaces
    >>> print(with_public(HalfSpaces(2, 10), [(1, 2), (3, 4), (9, 9), (1, 2)]))
    HalfSpaces(dim=2, side=10) with 4 public records
    """
    only_number = is_number(public)
    read = PublicRecords(as_count(public, "public")) if only_number else _read(H, public, feature, on_invalid, beside)
    extended = WithPublic(H, read)
    dimension = H.known("VC")
    if dimension is not None and read.number < dimension.value:
        few = f"there must be at least as many public records as the VC dimension of the class, {dimension.value}"
        raise Refused("public", few, f", but there are only {read.number}; give more, or leave out ", Setting("public"))
    if not any(learner.supports(extended) for learner in LEARNERS):
        raise Refused("public", *_unsupported(extended))
    return extended


def is_number(public: Any) -> bool:
    """Whether only the number of public records is given."""
    return isinstance(public, int | np.integer) and not isinstance(public, bool)


def _read(
    H: ConceptClass, public: object, feature: object, on_invalid: InvalidRule, beside: tuple[str, ...]
) -> PublicRecords:
    """The public records that fit the domain, read as the private ones are."""
    has_rows = hasattr(public, "__len__") or is_table(public) or is_lazy(public)
    if isinstance(public, str | bytes | bool) or not has_rows:
        raise RefusedType(
            "public", "public records come as a table with the columns of X, without labels: ", PUBLIC_TABLE
        )
    unnamed = isinstance(feature, tuple) and not feature  # no column is named; the records must have only one
    with InOtherWords(_about_public, (ValueError, TypeError)):
        reading = Reading(H.domain, 0 if unnamed else feature, on_invalid, beside)
        table = fetch_query(public, reading.selected if reading.by_name else (), once=True)
        if not is_table(table) and not records(check_readable(table, "public")):
            raise Refused("public", "there are no public records; leave out ", Setting("public"))
        in_memory = None if is_table(table) else reading.table(table)
        sample = reading.gathered(X=table, table=in_memory, y=None, quota=None, classes=None).sample
    if not len(sample.points):
        raise Refused("public", "no public record fits the domain of the class; leave out ", Setting("public"))
    values = H.named(sample.values)
    counts = np.ones(len(values), dtype=np.int64) if sample.counts is None else sample.counts
    entries = np.repeat(np.arange(len(values)), counts).tolist()
    codes = sample.points.tolist()
    return PublicRecords.of((values[i] for i in entries), (codes[i] for i in entries))


def _about_public(error: Exception) -> Refused:
    """The refusal of private records, as one of public records."""
    return Refused("public", "in the public records: ", *refusal_about(error, "public").sentence.parts)


def _unsupported(extended: WithPublic) -> tuple[Any, ...]:
    """Why no learner can use these public records, and how many a learner could use."""
    H, m = extended.concept_class, extended.public.number
    if H.domain.optional:
        return "no learner uses public records where entries may be missing; leave out ", Setting("public")
    if isinstance(H, HalfSpaces):
        if H.dim > MOST_DIMENSIONS:
            return (f"public records certify half-spaces in up to {MOST_DIMENSIONS} dimensions; choose fewer columns",)
        return "half-spaces are certified by the public records themselves, not by their number: say ", PUBLIC_TABLE
    most, dimension = most_listed(H), H.known("VC")
    if not most:
        return "no learner uses public records for this class; leave out ", Setting("public")
    if dimension is not None and most < dimension.value:
        too_few = f"patterns can be listed on at most {most} records, fewer than its VC dimension, {dimension.value}"
        return f"no learner uses public records for this class: {too_few}; leave out ", Setting("public")
    few = f"{m} public records may show too many patterns of this class to list; "
    sketch = Sketch(f"a random sample of {most}")
    return few, f"the patterns on {most} of them can be listed: ", Setting.to("public", sketch)
