"""Reading the caller's tables, columns, labels (if any), and units: as a sample, or as the values that a rule reads.

Everything here happens before anything is spent. How a record is treated depends only on that record; how the records
of a unit are treated depends only on the records of that unit.

Throughout this file
    k        the most records that count per unit       K      the number of labels
    n        the number of records; with units, k for each unit
    entry    a record in memory; in an engine, all records with the same values and label
    fits     a mask: which entries fit the declared domain (None: all)
    X, y     the caller's table or column, and labels, as in scikit-learn; y and units may be names of columns of X
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from privpac.data.counting.groups import Incomplete, group_counts, warn_of_many
from privpac.data.counting.records_in_engine import RecordsInEngine
from privpac.data.domains.domain import Domain, WhichFit
from privpac.data.domains.line import Line
from privpac.data.domains.on_invalid import chosen_records, spelled_columns, valid
from privpac.data.engines.batches import batches
from privpac.data.engines.views import is_table
from privpac.data.samples.label_conditions import LabelCondition
from privpac.data.samples.sample import EMPTY, NEGATIVE, NO_VOID, POSITIVE, UNDECLARED, Ints, Sample, Void
from privpac.data.samples.units import Quota, slots_of, unit_numbers
from privpac.data.values.columns import cells, column, parts
from privpac.data.values.spelling import names_spelled
from privpac.data.values.tables import entries, entry, is_row, part, pick, records, stored_column, width
from privpac.refusals.absent_names import NoSuchColumn
from privpac.refusals.option_words import InvalidRule
from privpac.refusals.refusal import InOtherWords, Part, Refused, RefusedType, Setting, Sketch, about, refusal_about
from privpac.requests.input_checks import SAME_NAME, check_readable, column_key, finite, is_array_like
from privpac.requests.labels import Declared, positives

IN_ORDER = " columns; name them in order: ", Setting.to("feature", Sketch("[…]"))  # after "the rule reads 2"
NAMES_ONLY = "for a table in a file or a database, y and unit must be names of its columns"
NO_RECORDS = ("there are no records; a minimum of 1 is required",)


class Gathered(NamedTuple):
    """The records, and the ``classes``, which are the declared labels in order; of two, the negative one first."""

    sample: Sample
    classes: NDArray[Any]


class _Rows(NamedTuple):
    """Entries before they are checked against the domain."""

    columns: Any  # the columns that the rule reads
    labels: NDArray[Any]  # the label of each entry; or the distinct labels, if there are ``label_numbers``
    counts: NDArray[np.int64] | None  # how many records each entry stands for; None: one
    n: int
    units: NDArray[np.intp] | None = None  # the number of each entry's unit, if units are counted separately
    label_numbers: NDArray[np.integer[Any]] | None = None  # the number of each entry's label among ``labels``
    incomplete: Incomplete | None = None  # the records of an engine that lack a value; they are in no entry


@dataclass(frozen=True)
class Reading:
    """How a rule reads a table."""

    domain: Domain
    feature: Any  # the columns that the rule reads, as in ``PrivateClassifier``
    on_invalid: InvalidRule
    side_columns: tuple[str, ...] = ()  # the names of the columns of labels and units, if X has them

    def __post_init__(self) -> None:
        if both := [name for name in self.selected if isinstance(name, str) and name in self.side_columns]:
            twice = f"column {both[0]!r} holds the labels or the units; choose another column for the rule"
            raise Refused(self._selecting_parameter, twice)

    @property
    def _selecting_parameter(self) -> str:
        """The parameter that selects the columns."""
        return "concept_class" if self.domain.column_names else "feature"

    @property
    def strict(self) -> bool:
        """Whether records that do not fit are refused."""
        return self.on_invalid == "raise"

    @property
    def selected(self) -> list[Any]:
        """The columns to read, by name or position."""
        if self.domain.column_names:
            return list(self.domain.column_names)
        wanted = len(self.domain.columns)
        if wanted > 1 and isinstance(self.feature, str | int) and self.feature != 0:
            raise Refused("feature", f"the rule reads {wanted}", *IN_ORDER)
        return [column_key(key) for key in (self.feature if isinstance(self.feature, list | tuple) else [self.feature])]

    def known_names(self, columns: Sequence[Any]) -> list[str]:
        """The names of the columns that a rule reads, among those of a table; none if the domain itself names them."""
        if self.domain.column_names:
            return []
        names = [columns[key] if isinstance(key, int) and key < len(columns) else key for key in self.selected]
        are_known = len(names) == len(self.domain.columns) and all(isinstance(name, str) for name in names)
        return names if are_known else []

    @property
    def by_name(self) -> bool:
        """Whether the rule reads its columns by their names, wherever they are."""
        return all(isinstance(name, str) for name in self.selected)

    @property
    def _needs_table(self) -> bool:
        """Whether the rule reads one column by its name or by a position after the first, which a bare column lacks."""
        return not self.domain.tabular and self.selected not in ([None], [0])

    def gathered(
        self,
        X: Any,
        table: Any,
        y: Any,
        quota: Quota | None,
        classes: Declared,
        *,
        apart: bool = False,
        cells: Sequence[tuple[int, ...]] = (),
    ) -> Gathered:
        """The records of X with labels y, at most k per unit; ``table`` is :meth:`table` of X, if it is in memory.

        With y = None, all records are positive. With ``apart``, the sample says which unit each record belongs to, so
        that whole units can be held out. With ``cells``, an engine need not distinguish the values of a cell; for each
        column, ``cells`` has the numbers of the first values of cells, or () if each value is a cell of its own.
        """
        if is_table(X) and not (isinstance(y, str | None) and (quota is None or isinstance(quota.unit, str))):
            raise RefusedType("y", NAMES_ONLY)
        apart = apart and quota is not None and quota.k > 1  # if one record of a unit counts, records are units
        columns, labels, counts, n, units, label_numbers, incomplete = (
            self._counted(X, y, quota, classes, apart, cells)
            if is_table(X)
            else self._in_memory(X, table, y, quota, apart)
        )
        if n == 0:
            raise Refused("X", *NO_RECORDS)
        if y is None:
            numbers, known, ordered = np.ones(len(labels), dtype=bool), None, np.array([])  # as in ``ReadLabels``
        else:
            numbers, known, ordered = positives(labels, classes, strict=self.strict)
        K = max(len(ordered), 2)
        void = NO_VOID if incomplete is None else _void(_kinds(numbers, known, K), incomplete, K)
        if label_numbers is not None:  # until here, ``numbers`` and ``known`` are about the distinct labels
            numbers, known = numbers[label_numbers], None if known is None else known[label_numbers]
        values, fits = valid(self.domain, columns, self.on_invalid)
        if known is not None:  # a record without a declared label does not fit
            values = chosen_records(values, known if fits is None else known[fits])
            fits = known if fits is None else fits & known
        if fits is not None:
            misfits = _void(_kinds(numbers, known, K), _misfits(fits, counts, units), K)
            void = Void(*(np.append(first, second) for first, second in zip(void, misfits, strict=True)))
            numbers, counts = numbers[fits], counts if counts is None else counts[fits]
            units = units if units is None else units[fits]
        points = self._points(values)
        sample = Sample(points, numbers, counts, n, self.domain.plain_values(values, points), units, void, K)
        return Gathered(sample, ordered)

    def values(self, X: object, table: object) -> Iterator[tuple[Any, WhichFit | None]]:
        """The values of X that a rule reads, and which records fit; of a table in an engine, batch by batch."""
        chunks: Iterable[Any] = (
            (spelled_columns(self.domain, batch) for batch in batches(X, self.names(X)))
            if is_table(X)
            else [self._columns(X, table)]
        )
        return (valid(self.domain, columns, self.on_invalid) for columns in chunks)

    def table(self, X: Any) -> Any:
        """X as a table without labels and units; None if X is a column. Lists of rows are read row by row."""
        if hasattr(X, "columns"):
            if len(set(names := [name for name, _ in parts(X)])) < len(names):
                raise Refused("X", SAME_NAME)
            import narwhals as nw  # noqa: PLC0415  (only tables in Python need it)

            labels = [name for name in self.side_columns if name in nw.from_native(X).columns]
            return nw.from_native(X).drop(labels).to_native() if labels else X
        X = np.asarray(X) if is_array_like(X) else X
        if isinstance(X, Mapping) and not hasattr(X, "ndim"):  # sparse matrices may be mappings; refused below
            return {name: values for name, values in X.items() if name not in self.side_columns}
        if isinstance(X, list):
            if not self.strict:  # whether one record is a row must not decide how others are read, nor how fast
                return None if self.feature is None and not self._needs_table else X
            has_rows = any(map(is_row, X[:1])) and self.feature is not None
            if has_rows and isinstance(X[0], Mapping):
                return X
            X = entries(X) if has_rows else X
        if getattr(X, "ndim", 1) == 1:
            if isinstance(X, np.ndarray) and self.feature is not None and X.dtype.kind in "biufc":
                reshape = "X has one dimension. Reshape your data: X.reshape(-1, 1) for one column, or say "
                raise Refused("X", reshape, Setting.to("feature", None), " if X is the column that the rule reads")
            if self._needs_table and getattr(X, "name", None) != self.feature:  # a column of a DataFrame has a name
                reads = f"the rule reads column {self.feature!r}"
                bare = f"X is a bare column, but {reads}; give a table that has it, or say "
                raise Refused("X", bare, Setting.to("feature", None), " at fit if X is the column that the rule reads")
            return None
        from sklearn.utils.validation import check_array  # noqa: PLC0415  (models need no scikit-learn)

        array = check_array(X, dtype=None, ensure_all_finite=False, input_name="X")
        return finite(array) if self.strict and not self.domain.optional else array

    def features(self, X: Any) -> list[str]:
        """The columns of an engine's table other than label and unit."""
        return [name for name in X.columns if name not in self.side_columns]

    def check_only(self, features: Sequence[Any], *, secret: bool = False) -> None:
        """Refuse several columns if the rule reads one and names none; names that are ``secret`` are not shown."""
        if len(self.domain.columns) == 1 < len(features) and not self.domain.column_names:
            names = ", ".join(map(str, features[:10])) + ", …" * (len(features) > 10)
            why = f"X has {len(features)} columns{'' if secret else f' ({names})'}, and the rule reads one; name it: "
            raise Refused("feature", why, Setting.to("feature", Sketch("name") if secret else features[0]))

    def _points(self, values: object) -> NDArray[Any]:
        """The points of ``values``; a refusal names their column and the alternatives."""
        is_one = len(self.selected) == len(self.domain.columns) == 1 and self.selected[0] is not None
        names_column = is_one and not self.domain.column_names  # otherwise, the error of the domain names the column
        prefix = [f"column {self.selected[0]!r}: "] if names_column else []
        instead: tuple[Part, ...] = (
            *("; or say ", Setting.to("on_invalid", "default")),
            *(
                ", which counts records that do not fit toward n and nothing else, or ",
                Setting.to("on_invalid", "clamp"),
            ),
            ", which first moves values beyond the bounds to the nearest one",
        )
        if isinstance(self.domain, Line) and self.domain.kind != "string":
            instead = "; for a column of words, choose the class points", *instead
        if self.domain.column_names:
            absent = "; a column whose entries may be absent is declared with missing = true"
            instead = *instead, f"{absent}; `privpac schema check` counts the records that do not fit, column by column"
        kinds = (TypeError, ValueError) if self.strict else ()

        def with_advice(error: Exception) -> Exception:
            if isinstance(error, NoSuchColumn):
                return refusal_about(error, "X")
            return refusal_about(error, "X", prefix, instead)

        with InOtherWords(with_advice, kinds):
            return self.domain.points(values)

    def _in_memory(self, X: object, table: object, y: object, quota: Quota | None, apart: bool) -> _Rows:
        """Records in memory."""
        columns = self._columns(X, table)
        n = records(columns)
        labels = np.ones(n, dtype=bool) if y is None else self._side_column(X, y, "y")
        if len(labels) != n:
            raise Refused("y", f"X and y differ in length ({n} and {len(labels)}); give every record exactly one label")
        if quota is None:
            return _Rows(columns, labels, None, n)
        content, unit = self.domain.split(columns), self._side_column(X, quota.unit, "unit")
        rows, n = slots_of(quota._replace(unit=unit), content if y is None else [*content, labels], self.on_invalid)
        chosen_columns = self.domain.join([column[rows] for column in content])
        units = unit_numbers(unit[rows])[0] if apart else None  # all of these rows have a unit
        return _Rows(chosen_columns, labels[rows], None, n, units)

    def in_engine(self, X: object, quota: Quota | None, kind: type[RecordsInEngine]) -> RecordsInEngine | None:
        """The records of an Ibis table, at most k per unit, left in the engine; None if it cannot count them."""
        if quota is not None and not isinstance(quota.unit, str):
            raise RefusedType("unit", NAMES_ONLY)
        with self._about_fits():
            in_engine = kind.of(X, self.names(X), self.domain, quota, self.on_invalid)
        if in_engine is not None and in_engine.size == 0:
            in_engine.close()
            raise Refused("X", *NO_RECORDS)
        return in_engine

    def _counted(  # noqa: PLR0917  (as in ``gathered``)
        self,
        X: object,
        y: str | None,
        quota: Quota | None,
        classes: Declared,
        apart: bool,
        cells: Sequence[tuple[int, ...]],
    ) -> _Rows:
        """Records in an engine, which counts those with the same values and label."""
        warn_of_many(X, self.domain, units=quota is not None, cells=cells)
        names, domains = self.names(X), self.domain.columns
        with self._about_fits():
            groups = group_counts(X, names, y, quota, self.on_invalid, apart=apart, domains=domains, cells=cells)
        labels = groups.label_values
        if classes is not None and y is not None and not isinstance(classes, LabelCondition):
            labels = names_spelled(classes, labels)
        columns = spelled_columns(self.domain, groups.columns)
        return _Rows(columns, labels, groups.counts, groups.n, groups.units, groups.label_numbers, groups.incomplete)

    def _about_fits(self) -> InOtherWords:
        """A block whose refusals name the parameters of a fit, in place of those of the functions that it calls."""
        columns = self._selecting_parameter
        names = {"label": "y", "quota": "unit", "table": "X", "feature": columns, "columns": columns}
        return InOtherWords(lambda error: refusal_about(error, names.get(error.parameter, error.parameter)), Refused)

    def names(self, X: object) -> list[str]:
        """The columns of an engine's table that the rule reads."""
        features, keys, wanted = self.features(X), self.selected, len(self.domain.columns)
        if keys == [None] or (wanted > 1 and len(keys) == 1):
            keys = list(features)
        if len(keys) != wanted or any(isinstance(key, int) and not 0 <= key < len(features) for key in keys):
            reads = f"the rule reads {wanted} column{'s' * (wanted > 1)}; name them in order: "
            raise Refused("feature", reads, Setting.to("feature", Sketch("…")))
        return [features[key] if isinstance(key, int) else key for key in keys]

    def _columns(self, X: object, table: object) -> Any:
        """The part of X that the rule reads: a column, or a table of columns."""
        if table is None or self.domain.column_names:
            return X if table is None else table
        if self.domain.tabular:
            wanted = len(self.domain.columns)
            if isinstance(self.feature, list | tuple):
                table = dict(enumerate(self._part(table, key) for key in self.selected))
            if width(table) not in (None, wanted):
                raise Refused("feature", f"the rule reads {wanted}", *IN_ORDER)
            return table
        if self.feature is None or isinstance(self.feature, list | tuple):
            name = Setting.to("feature", Sketch("name, or its position"))
            raise Refused("feature", "the rule reads one column; name it: ", name)
        (feature,) = self.selected
        if isinstance(table, list) and not self.strict:
            return [entry(row, feature) if is_row(row) else None if self._needs_table else row for row in table]
        return self._part(table, feature)

    def _part(self, table: object, name: object, parameter: str = "feature") -> Any:
        """One column; its entries are checked only if misfits are refused."""
        with about(parameter):
            return pick(table, name) if self.strict else stored_column(table, name)

    def _side_column(self, X: object, values: object, name: str) -> NDArray[Any]:
        """The labels or the units: given as values, or as the name of a column of the table."""
        if isinstance(values, str):
            return cells(self._part(X, values, name), name)
        from sklearn.utils.validation import column_or_1d  # noqa: PLC0415  (models need no scikit-learn)

        if hasattr(check_readable(values, name), "columns"):  # scikit-learn would convert its entries to floats
            column_or_1d(np.empty((records(values), width(values) or 0)), warn=True)
            values = part(values, 0)
        elif isinstance(values, np.ndarray) or is_array_like(values):
            values = column_or_1d(values, warn=True)
        return column(values, name) if self.strict else cells(values, name)


def _kinds(labels: NDArray[Any], known: NDArray[np.bool_] | None, K: int) -> NDArray[np.intp]:
    """The kind (see ``Void``) of a void record with each of these labels, and at the end, without a label."""
    undeclared = UNDECLARED if K == 2 else K
    kinds = np.append(np.where(labels, POSITIVE, NEGATIVE) if K == 2 else labels, undeclared)
    if known is not None:
        kinds[:-1][~known] = undeclared
    return kinds


def _misfits(fits: WhichFit, counts: Ints | None, units: NDArray[np.intp] | None) -> Incomplete:
    """The records that do not fit. The number of an entry takes the place of a label number."""
    numbers = np.flatnonzero(~fits)
    misfit_counts = np.ones(len(numbers), dtype=np.int64) if counts is None else counts[numbers]
    return Incomplete(numbers, misfit_counts, None if units is None else units[numbers])


def _void(kinds: NDArray[np.intp], records: Incomplete, K: int) -> Void:
    """These records as void ones; ``kinds[i]`` is the kind of those with label number i.

    There is an entry for each kind or, if units are counted separately, for each entry of ``records``.
    """
    void = Void(kinds[records.label_numbers], records.counts, EMPTY if records.units is None else records.units)
    totals = void.totals(int(records.counts.sum()), K)
    return Void(np.arange(len(totals)), totals) if records.units is None else void
