"""Records that do not fit the declared domain, and the public rule that decides what happens to them.

What happens to a record depends only on that record. Under "clamp" and "default" no record stops a run: an error while
reading a value affects only its own record. Records are also read in the same way whether or not all of them fit: a
shortcut for tables that fit would reveal that by its time.

Throughout this file
    rule     "raise": refuse, before anything is spent. "clamp": an ordered value goes to the nearest bound, numbers
             between two of the domain are rounded down, paths and texts are cut; values with no nearest one are void.
             "default": whatever does not fit is void
    void     a record that counts in n but in no score
    fits     which records are not void; None if all must fit
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from privpac.data.domains.domain import Domain, WhichFit
from privpac.data.domains.with_missing import WithMissing
from privpac.data.values.columns import Array, cells, numbers_and_gaps
from privpac.data.values.tables import part, width
from privpac.refusals.option_words import InvalidRule, one_of

UNEVEN = "the columns differ in length; every record needs an entry in each column"


def valid(domain: Domain, values: object, rule: InvalidRule) -> tuple[Any, WhichFit | None]:
    """The ``values`` that ``domain`` can encode, and which records have them (None: all must, under "raise").

    Under "raise" the values are returned as they are: encoding them refuses what does not fit.

    >>> from privpac.data.domains.line import Line
    >>> values, fits = valid(Line(0, 120), [37, -1, None, 121, 36.9], "clamp")
    >>> values.tolist(), fits.tolist()
    ([37, 0, 120, 36], [True, True, False, True, True])
    >>> valid(Line(0, 120), [37, -1, None, 121, 36.9], "default")[0].tolist()
    [37]
    """
    one_of("on_invalid", rule, InvalidRule)
    if rule == "raise":
        return (_with_none(domain, values) if domain.optional else values), None
    columns, present = _without_gaps(domain, values)
    if any(column.ndim != 1 for column in columns):
        raise ValueError("values must be one-dimensional")
    fitted = [each.fit(column, rule == "clamp") for each, column in zip(domain.columns, columns, strict=True)]
    if len({len(fits) for _, fits in fitted}) > 1:
        raise ValueError(UNEVEN)
    fits = np.logical_and.reduce([each for _, each in fitted])
    table = domain.join([column[fits] for column, _ in fitted])
    if present is None:
        return table, fits
    present[present] = fits
    return table, present


def _with_none(domain: Domain, values: object) -> Any:
    """The values, where whatever spells a missing one is replaced by None."""
    columns = zip(domain.columns, domain.split(values), strict=True)
    return domain.join(
        [each.without_spellings(entries) if isinstance(each, WithMissing) else entries for each, entries in columns]
    )


def _without_gaps(domain: Domain, values: object) -> tuple[list[Array], WhichFit | None]:
    """The columns to read, without records that lack a number, and a mask of the records that remain.

    The mask is None if no column has a type that marks missing numbers. Unless a column declares it, a missing value
    does not fit, so the records left out are void, and the others need no Python objects.
    """
    names = domain.column_names
    if domain.tabular and not (names and width(values)):
        return domain.split(values), None  # entries are read by their places in rows
    sources = [(f"column {name!r}", part(values, name)) for name in names] or [("values", values)]
    read = [numbers_and_gaps(each) or (cells(each, what), None) for what, each in sources]
    read = [_with_gaps(*each) if of.optional else each for of, each in zip(domain.columns, read, strict=True)]
    columns, gaps = [column for column, _ in read], [absent for _, absent in read if absent is not None]
    if not gaps:
        return columns, None
    if len(set(map(len, columns))) > 1:
        raise ValueError(UNEVEN)
    present = ~np.logical_or.reduce(gaps)
    return [column[present] for column in columns], present


def _with_gaps(column: Array, absent: WhichFit | None) -> tuple[Array, None]:
    """A column that may lack entries, with None for missing ones; of the same type whether or not some are missing."""
    if absent is None:
        return column, None
    entries = column.astype(object)
    entries[absent] = None
    return entries, None


def spelled_columns(domain: Domain, columns: Sequence[Array]) -> Any:
    """Columns of a file or a database as rules read them; text becomes the values that it spells.

    >>> from privpac.data.domains.line import Line
    >>> spelled_columns(Line(0, 120), [np.array(["37", "old"], dtype=object)]).tolist()
    [37, None]
    """
    return domain.join([each.spell(texts) for each, texts in zip(domain.columns, columns, strict=True)])


def chosen_records(values: Array | Mapping[Hashable, Array], which: WhichFit) -> Array | dict[Hashable, Array]:
    """The chosen records of a column, or of a dict of columns.

    >>> chosen_records({"age": np.array([3, 4])}, np.array([False, True]))
    {'age': array([4])}
    """
    if isinstance(values, Mapping):
        return {name: each[which] for name, each in values.items()}
    return values[which]
