"""Tables of named columns: rows as values, and the domain of rows whose columns have domains."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce

import numpy as np
from numpy.typing import NDArray

from privpac.data.domains.anything import Anything
from privpac.data.domains.domain import Domain
from privpac.data.domains.listing import Listing
from privpac.data.values.columns import Array, number_below, objects, row_numbers
from privpac.data.values.equal_values import hashables
from privpac.data.values.tables import UNEVEN, pick, pick_with_gaps
from privpac.data.values.value_text import value_text
from privpac.refusals.refusal import each_column


@dataclass(frozen=True)
class RowView(Mapping[Hashable, Hashable]):
    """A row as a value: it can be a member of a set, and its entries are picked by column.

    >>> RowView(("delay", "carrier"), (37, "EV"))["carrier"]
    'EV'
    """

    columns: tuple[Hashable, ...]
    cells: tuple[Hashable, ...]

    def __getitem__(self, key: Hashable) -> Hashable:
        return dict(zip(self.columns, self.cells, strict=True))[key]

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def __str__(self) -> str:
        entries = zip(self.columns, self.cells, strict=True)
        return ", ".join(f"{value_text(name)}: {value_text(cell)}" for name, cell in entries)


@dataclass(frozen=True)
class Columns(Domain):
    """All rows whose entries in the columns ``names`` lie in ``domains``. Each row is its own code.

    If all columns have numbers, rows have them, too: 0 … size − 1, where the last column runs fastest.

    >>> from privpac.data.domains.listing import Listing
    >>> flights = Columns(("carrier", "late"), (Listing(("EV", "UA")), Listing((False, True))))
    >>> flights.size, str(flights.decode(2))
    (4, 'carrier: UA, late: False')
    """

    names: tuple[Hashable, ...]
    domains: tuple[Domain, ...]
    tabular = True

    @property
    def size(self) -> int | float:
        size: int | float = math.prod(domain.size for domain in self.domains)
        return size

    @property
    def columns(self) -> tuple[Domain, ...]:
        return self.domains

    @property
    def column_names(self) -> tuple[Hashable, ...]:
        return self.names

    @property
    def optional(self) -> bool:
        return any(domain.optional for domain in self.domains)

    def split(self, values: object) -> list[Array]:
        return [pick_with_gaps(values, name) for name in self.names]

    def join(self, columns: Sequence[Array]) -> dict[Hashable, Array]:
        return dict(zip(self.names, columns, strict=True))

    def named(self, points: object) -> list[Hashable]:
        """Rows as values, with only the columns of this domain."""
        return list(self.rows(points))

    def points(self, values: object) -> Array:
        """Rows of the columns' codes."""
        columns = [pick(values, name) for name in self.names]
        readers = zip(self.names, self.domains, columns, strict=True)
        codes = each_column([(name, partial(domain.points, column)) for name, domain, column in readers], "values")
        same_type = len({column.dtype for column in codes}) == 1
        return np.stack(codes if same_type else [column.astype(object) for column in codes], axis=1)

    @property
    def numbered(self) -> bool:
        """Whether all columns are numbered, and none of them is itself a row of several columns."""
        return all(domain.numbered and len(domain.columns) == 1 for domain in self.domains)

    def numbers(self, points: Array) -> NDArray[np.int64]:
        """The numbers of rows; the last column runs fastest."""
        return row_numbers(list(points.T), [int(domain.size) for domain in self.domains])

    def rows(self, table: object) -> list[RowView]:
        """The rows of a table, each with only the columns of this domain; ValueError if some lie outside it."""
        columns = [pick(table, name) for name in self.names]
        readers = zip(self.names, self.domains, columns, strict=True)
        each_column([(name, partial(domain.encode, column)) for name, domain, column in readers], "values")
        if len({len(column) for column in columns}) > 1:
            raise ValueError(UNEVEN)
        cells = [hashables(column, "a column") for column in columns]
        return [RowView(self.names, row) for row in zip(*cells, strict=True)]

    def encode(self, table: object) -> Array:
        """The rows themselves."""
        return objects(self.rows(table))

    def decode(self, code: RowView | int) -> RowView:
        """The row itself, or the one that a number stands for."""
        if isinstance(code, RowView):
            return code
        code = number_below(code, self.size)
        cells: list[Hashable] = []
        for domain in reversed(self.domains):
            code, digit = divmod(code, int(domain.size))
            cells.append(domain.decode(digit))
        return RowView(self.names, tuple(reversed(cells)))


def common(domains: Sequence[Domain]) -> Domain:
    """One domain for the parts of a composed rule, which declare ``domains``.

    If the parts read named columns, it has all these columns; otherwise, it is the domain that the parts share.

    >>> common([Columns(("a",), (Anything(),)), Columns(("b", "a"), (Anything(), Listing(("x", "y"))))]).names
    ('a', 'b')
    """
    on_columns = [domain for domain in domains if isinstance(domain, Columns)]
    if 0 < len(on_columns) < len(domains):
        raise ValueError(
            "some parts read a column and others read whole points; use .on(column) on every part or on none"
        )
    if not on_columns:
        return reduce(partial(_agreed, what="the points"), domains)
    agreed: dict[Hashable, Domain] = {}
    for part in on_columns:
        for name, domain in zip(part.names, part.domains, strict=True):
            agreed[name] = _agreed(agreed.get(name, domain), domain, f"column {name!r}")
    return Columns(tuple(agreed), tuple(agreed.values()))


def _agreed(first: Domain, second: Domain, what: str) -> Domain:
    """The common domain of both; ValueError if they differ.

    ``Anything`` agrees with every domain, unless it declares another number of values. Two listings of the same names
    agree in any order.
    """
    if isinstance(first, Anything) and first.limit in (None, second.size):
        return second
    same_names = isinstance(first, Listing) and isinstance(second, Listing) and set(first.names) == set(second.names)
    second_agrees = isinstance(second, Anything) and second.limit in (None, first.size)
    if not (second_agrees or same_names or first == second):
        raise ValueError(
            f"the parts declare different domains for {what}; declare the same domain for all, "
            "or put each part on its own column with .on(column)"
        )
    return first
