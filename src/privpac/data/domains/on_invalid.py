"""Records that do not fit the declared domain, and the public rule that decides what happens to them.

What happens to a record depends only on that record. Under "clamp" and "default" no record stops a run. Records are
read in the same way whether or not all of them fit: a shortcut for tables that fit would reveal that by its time.

Throughout this file
    rule     "raise": refuse the table before anything is spent, if some record does not fit.
             "clamp": an ordered value beyond a bound becomes that bound, a number between two values of the domain is
             rounded down, paths and texts are cut, and any other value that does not fit makes its record void.
             "default": every record that does not fit is void
    fits     a mask: which records are not void; None under "raise", which has no void records
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from privpac.data.domains.domain import Domain, WhichFit
from privpac.data.domains.with_missing import WithMissing
from privpac.data.values.columns import Array, cells, numbers_and_gaps
from privpac.data.values.tables import UNEVEN, part, width
from privpac.refusals.option_words import InvalidRule, one_of


def valid(domain: Domain, values: object, rule: InvalidRule) -> tuple[Any, WhichFit | None]:
    """The ``values`` of the records that fit, changed so that ``domain`` can encode them; and which records fit.

    Under "raise" all values and None are returned: encoding them refuses what does not fit.

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
    columns, without_gaps = _without_gaps(domain, values)
    if any(column.ndim != 1 for column in columns):
        raise ValueError("values must be one-dimensional")
    clamp = rule == "clamp"
    fitted_columns = [
        column_domain.fit(column, clamp) for column_domain, column in zip(domain.columns, columns, strict=True)
    ]
    if len({len(fits) for _, fits in fitted_columns}) > 1:
        raise ValueError(UNEVEN)
    fits = np.logical_and.reduce([fits for _, fits in fitted_columns])
    table = domain.join([column[fits] for column, _ in fitted_columns])
    if without_gaps is None:
        return table, fits
    without_gaps[without_gaps] = fits
    return table, without_gaps


def _with_none(domain: Domain, values: object) -> Any:
    """The values, with None for each missing one, including the texts that are declared to spell a missing value."""
    columns = zip(domain.columns, domain.split(values), strict=True)
    return domain.join(
        [
            column_domain.with_none(entries) if isinstance(column_domain, WithMissing) else entries
            for column_domain, entries in columns
        ]
    )


def _without_gaps(domain: Domain, values: object) -> tuple[list[Array], WhichFit | None]:
    """The columns to read, without the records that lack a number, and a mask of the records that remain.

    The mask is None if no column has a type that marks missing numbers. A missing value fits only in a column that
    declares it; in any other column its record is void anyway. Without it, the column needs no Python objects.
    """
    names = domain.column_names
    if domain.tabular and not (names and width(values)):
        return domain.split(values), None  # entries are read by their places in rows
    sources = [(f"column {name!r}", part(values, name)) for name in names] or [("values", values)]  # (name, column)
    columns, masks = [], []
    for column_domain, (name, source) in zip(domain.columns, sources, strict=True):
        column, absent = numbers_and_gaps(source) or (cells(source, name), None)
        if absent is not None and column_domain.optional:
            column = column.astype(object)  # even if no entry is missing, so that the type shows nothing
            column[absent] = None
        elif absent is not None:
            masks.append(absent)
        columns.append(column)
    if not masks:
        return columns, None
    if len(set(map(len, columns))) > 1:
        raise ValueError(UNEVEN)
    present = ~np.logical_or.reduce(masks)
    return [column[present] for column in columns], present


def spelled_columns(domain: Domain, columns: Sequence[Array]) -> Any:
    """Columns of a file or a database as rules read them; text becomes the values that it spells."""
    return domain.join(
        [column_domain.spell(texts) for column_domain, texts in zip(domain.columns, columns, strict=True)]
    )


def chosen_records(values: Array | Mapping[Hashable, Array], which: WhichFit) -> Array | dict[Hashable, Array]:
    """The chosen records of a column, or of a dict of columns."""
    if isinstance(values, Mapping):
        return {name: column[which] for name, column in values.items()}
    return values[which]
