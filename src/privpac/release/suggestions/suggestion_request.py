"""A request for a suggested schema: it reads each column by itself, charges once, and keeps what was measured.

Throughout this file
    source    a column of the table and what is public about it; the column of units, if any, is the first source
    n         the number of records; with units, of units, since one record of each unit is looked at
"""

from __future__ import annotations

from bisect import bisect
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Self

import numpy as np

from privpac.classes.schemas.schema import Schema
from privpac.data.counting.groups import size_of
from privpac.data.domains.anything import Anything
from privpac.data.domains.domain import Fitted, one_by_one
from privpac.data.engines.batches import batches
from privpac.data.engines.views import check_columns, is_table
from privpac.data.open_table import open_table
from privpac.data.samples.units import Quota
from privpac.data.values.columns import Array, objects, parts
from privpac.exact.entropy import entropy
from privpac.privacy.budget import Budget, Number
from privpac.privacy.ledger import Sealed
from privpac.refusals.absent_names import no_such_column
from privpac.refusals.refusal import Part, Refused, RefusedType, Setting, about
from privpac.release.suggestions.declarations import Source
from privpac.release.suggestions.entry_cells import entry_in_memory, form_of
from privpac.release.suggestions.suggested_columns import Entries, SuggestedColumns
from privpac.release.suggestions.suggested_schema import SuggestedSchema
from privpac.requests.conditions import Conditions
from privpac.requests.input_checks import SAME_NAME, check_readable, fetch_query
from privpac.requests.paying import payment, protected, question_of
from privpac.requests.reading import NO_RECORDS, Reading
from privpac.requests.request import Request

MORE = (1, 2, 3, 5, 10)  # values of ε that a refusal may name
MANY_COLUMNS = 500  # reading more columns than this takes a long time
QUARTER = Fraction(1, 4)  # a refusal names an ε at which values of this share of the records would be seen
UNNAMED = "a schema names the columns of a table; give a DataFrame, a dict of columns, an Ibis table, or a file"


@dataclass(frozen=True)
class SuggestionPreview:
    """What a suggestion would cost, and what it could see; everything here is public."""

    cost: Budget
    n: int
    columns: int  # how many columns are looked at
    ranges_from: int  # a range is seen if about this many records or more lie in it
    values_from: int | None  # a value is seen if about this many have it; None without δ, where no value is seen


class EntriesInMemory(Anything):
    """The domain of all entries. Here alone, True is not 1, and an entry that cannot be read is not a missing one."""

    def fit(self, values: Array, clamp: bool) -> Fitted:
        return one_by_one(values, lambda value: value, entry_in_memory)


@dataclass(eq=False, repr=False)
class SuggestionRequest(Request):
    """A request for a schema of a table.

    ``y`` names the column of labels, ``columns`` the columns to look at (None: all). δ is needed to see values, such as
    labels and categories; None is the default for n records.
    """

    kind = "SchemaSuggestion"
    condition_names = ("epsilon", "delta", "beta", "allow_large_delta", "random_state")

    epsilon: Number = Fraction(1, 2)
    delta: Number | None = None
    _: KW_ONLY
    y: str | None = None
    columns: Sequence[str] | None = None
    beta: Number = 0.05
    budget: object = None
    allow_large_delta: bool = False
    random_state: int | None = None

    def fit(
        self, X: object, unit: str | None = None, source: str = "a table", spelled: Mapping[str, Any] | None = None
    ) -> Self:
        """Suggest a schema of X; with a column of units, each unit is protected as a whole.

        ``spelled`` says how the file spells the table (separator, encoding, …), and the schema repeats it. Decimal
        commas are still in the entries: they become points only in columns that a schema declares as numbers.
        """
        conditions = self.conditions()
        whom = protected(self.budget, unit, "this suggestion")
        X = self._table_of(X)
        sources, undeclarable = self._sources(X, unit)
        if spelled and spelled.get("decimal_comma"):
            sources = tuple(replace(source, form="comma") if source.form == "text" else source for source in sources)
        if is_table(X) and len(sources) > MANY_COLUMNS:
            self._algorithm(conditions, sources, size_of(X, self._quota_of(unit)))  # refused before they are read
        data, n = self._entries(X, sources, unit)
        algorithm = self._algorithm(conditions, sources, n)
        # The numbers that an account keeps under a key do not name their columns, so the question does.
        asked = {**question_of(self, conditions, ("y",), n, unit), "sources": sources}
        with payment(self.budget, algorithm.cost, algorithm.name, asked, unit=whom, what="this suggestion") as paid:
            if paid.ledger is not None:
                paid.released = paid.ledger.spend(algorithm, Sealed(data, n))
        self.ledger_ = paid.statement
        self.privacy_ = self.ledger_.spent
        certificate = self.ledger_.certificate(None, None if unit is None else 1, (), n)
        self.suggestion_ = SuggestedSchema(
            algorithm,
            paid.released,
            self.ledger_,
            certificate,
            source,
            undeclarable,
            unit is not None,
            dict(spelled or {}),
        )
        return self

    def preview(self, X: object, unit: str | None = None) -> SuggestionPreview:
        """What the suggestion would cost; of the records, only their number is used. Refused if the fit would be."""
        X = self._table_of(X)
        sources, _ = self._sources(X, unit)
        n = size_of(X, self._quota_of(unit)) if is_table(X) else self._entries(X, sources[:1], unit)[1]
        algorithm = self._algorithm(self.conditions(), sources, n)
        return SuggestionPreview(algorithm.cost, n, len(sources), algorithm.ranges_from, algorithm.noise.least)

    def _algorithm(self, conditions: Conditions, sources: tuple[Source, ...], n: int) -> SuggestedColumns:
        """The algorithm; Refused, before anything is spent, if noise would hide everything."""
        algorithm = SuggestedColumns(conditions.price(n), sources, n, conditions.beta)
        conditions.check_delta(algorithm.cost.delta, n)
        if 2 * algorithm.ranges_from <= n:
            return algorithm
        reason = (
            f"{n:,} {'record is' if n == 1 else 'records are'} too few to suggest {len(sources)} columns at "
            f"{algorithm.cost}: noise hides what fewer than {algorithm.ranges_from:,} of them share. "
            "Nothing was spent. "
        )
        named = [source for source in sources if source.role == "column"]
        others = [source for source in sources if source.role != "column"]  # the unit and the label

        def too_many(d: int) -> bool:
            return not replace(algorithm, sources=(*others, *named[:d])).sees(QUARTER)

        def enough(ε: int) -> bool:
            return replace(algorithm, cost=replace(conditions, epsilon=Fraction(ε)).price(n)).sees(QUARTER)

        most = bisect(range(1, len(named)), False, key=too_many)  # the most columns that are not too many
        ways: list[Part] = [f"name at most {most} of them with ", Setting("columns"), ", "] if most else []
        if least := next(filter(enough, MORE), None):
            ways += ["say ", Setting.to("epsilon", least), ", "]
        init = "fill in what `privpac schema init` writes, which reads no record"
        begin = ("To see what a quarter of them share, ", *ways, "or ") if ways else ()
        raise Refused("epsilon", reason, *begin, init if ways else init.capitalize())

    def _table_of(self, X: object) -> Any:
        """The table; a path is opened."""
        X = open_table(X) if isinstance(X, str | Path) else fetch_query(X)
        if not is_table(X) and not (hasattr(X, "columns") or isinstance(X, dict)):
            raise RefusedType("table", UNNAMED)
        return X

    def _sources(self, X: object, unit: str | None) -> tuple[tuple[Source, ...], tuple[str, ...]]:
        """The sources, and the names of columns that no schema can declare; from names and storage types alone."""
        names = _names(X)
        for parameter, name in (("y", self.y), ("unit", unit)):
            if name is not None and not isinstance(name, str):
                raise RefusedType(parameter, "name a column of the table, such as ", Setting.to(parameter, names[0]))
        wanted = names if self.columns is None else [self.columns] if isinstance(self.columns, str) else [*self.columns]
        for parameter, columns in (("y", [self.y]), ("unit", [unit]), ("columns", wanted)):
            _check_columns(X, names, [name for name in columns if name is not None], parameter)
        if self.y is not None and self.y == unit:
            raise Refused("unit", "the unit is also the label; name another column")
        by_name = {name: self._source(X, name) for name in names if name != unit and name in (*wanted, self.y)}
        sources = [source for source in by_name.values() if source is not None]
        if not any(source.role == "column" for source in sources):
            raise Refused("columns", "there is no column to suggest; name at least one that a schema can declare")
        units = [] if unit is None else [Source(unit, "size", "unit")]
        return (*units, *sources), tuple(name for name, source in by_name.items() if source is None)

    def _source(self, X: Any, name: str) -> Source | None:
        """A column with its public form; None if no schema can declare it.

        Only an engine declares a column's type. In a DataFrame, the type may follow from private entries, so it is
        ignored.
        """
        label, engine = name == self.y, is_table(X)
        form = form_of(X.schema()[name], label=label) if engine else "label" if label else "value"
        return None if form is None else Source(name, form, "label" if label else "column", engine)

    def _quota_of(self, unit: str | None) -> Quota | None:
        """At most one record of each unit."""
        return None if unit is None else Quota(unit, 1, entropy(self.random_state).octets(16).hex())

    def _entries(self, X: object, sources: Sequence[Source], unit: str | None) -> tuple[tuple[Entries, ...], int]:
        """The entries of each source; and n."""
        if unit is None and is_table(X):
            return _streamed(X, [source.name for source in sources])
        with_sizes = [_tallied(X, source, self._quota_of(unit)) for source in sources]
        if unit is None and len({n for _, n in with_sizes}) > 1:
            raise Refused("X", "the columns of the table are not equally long; give one entry for each record")
        return tuple(entries for entries, _ in with_sizes), with_sizes[-1][1]


def _streamed(X: object, names: list[str]) -> tuple[tuple[Entries, ...], int]:
    """The entries of these columns of a table in an engine, read in one pass; and n."""
    tallies, n = [Counter[Any]() for _ in names], 0
    for columns in batches(X, names):
        n += len(columns[0])
        for counts, column in zip(tallies, columns, strict=True):
            counts.update(list(column))
    if n == 0:
        raise Refused("X", *NO_RECORDS, "; nothing was spent. `privpac schema init` begins a schema without records")
    return tuple(_readable(counts, n) for counts in tallies), n


def _readable(counts: Counter[Any], n: int) -> Entries:
    """The entries that can be read; all other records count as missing."""
    values, fits = Anything().fit(objects(counts), clamp=False)
    numbers = np.fromiter(counts.values(), np.int64, len(counts))[fits]
    return Entries(values[fits], numbers, n - int(numbers.sum()))


def _check_columns(X: object, names: list[str], wanted: list[str], parameter: str) -> None:
    """Refused if the table lacks a column that ``parameter`` names, or if its records decide the column's type."""
    if is_table(X):
        check_columns(X, wanted, parameter)
    elif absent := [name for name in wanted if name not in names]:
        raise Refused(parameter, no_such_column(absent[0], names))


def _names(X: object) -> list[str]:
    """The names of all columns."""
    names: list[Any] = list(X.columns) if is_table(X) else [name for name, _ in parts(check_readable(X, "X"))]
    if not all(isinstance(name, str) for name in names):
        raise Refused("table", "some columns have no names; name all of them, since a schema refers to names")
    if len(set(names)) < len(names):
        raise Refused("table", SAME_NAME)
    if any("\ud800" <= letter <= "\udfff" for name in names for letter in name):
        raise Refused("table", "the name of a column has half a character, which no file can hold; rename the column")
    return names


def _tallied(X: object, source: Source, quota: Quota | None) -> tuple[Entries, int]:
    """The distinct entries of a column, and n. The entries of the column of units are the units' numbers of records."""
    sizes = source.role == "unit"
    quota = None if sizes else quota
    domain = Anything() if sizes or is_table(X) else EntriesInMemory()
    reading = Reading(domain, source.name, "default", () if quota is None else (quota.unit,))
    with about("X"):
        table = None if is_table(X) else reading.table(X)
        sample = reading.gathered(X, table, None, quota, None).sample
    points, _, counts = sample.tally()
    if sizes:
        numbers, units = np.unique(counts, return_counts=True)
        return Entries(objects(numbers.tolist()), units), len(counts)
    return Entries(objects(points.tolist()), counts, sample.size - int(counts.sum())), sample.size


def suggested_schema(table: object, *, unit: str | None = None, **parameters: Any) -> Schema:
    """The schema that is suggested for a table; the ``parameters`` are those of :class:`SuggestionRequest`."""
    source = Path(table).name if isinstance(table, str | Path) else "a table"
    return SuggestionRequest(**parameters).fit(table, unit, source).suggestion_.schema
