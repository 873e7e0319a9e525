"""Reading: from the caller's tables, columns, labels (if any), and units to a sample, and to the values of a rule.

Everything here happens before anything is spent. How a record is treated depends only on that record; how the records
of a unit are treated depends only on the records of that unit.

Throughout this file
    k        the most records that count per unit       K      the number of labels
    fits     which records fit the declared domain (None: all)
    rows     which records of the table count
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
from privpac.requests.input_checks import SAME_NAME, check_readable, finite, is_array_like, position
from privpac.requests.labels import Declared, positives

IN_ORDER = " columns; name them in order: ", Setting.to("feature", Sketch("[…]"))
NAMES = "for a table in a file or a database, y and unit must be names of its columns"
NO_RECORDS = ("there are no records; a minimum of 1 is required",)


class Gathered(NamedTuple):
    """The records, and the labels in order, the negative one first; records without labels count as positive."""

    sample: Sample
    classes: NDArray[Any]


class _Rows(NamedTuple):
    """Records before they are checked. In an engine, equal records share an entry."""

    columns: Any  # what the rule reads of each entry
    labels: NDArray[Any]  # of each entry; or the distinct labels, if there are label numbers
    counts: NDArray[np.int64] | None  # how many records an entry stands for; None: one
    n: int
    units: NDArray[np.intp] | None = None  # the number of each entry's unit, if units are told apart
    label_numbers: NDArray[np.integer[Any]] | None = None  # which of ``labels`` each entry has
    incomplete: Incomplete | None = None  # records of an engine that lack a value, and so have no entry


@dataclass(frozen=True)
class Reading:
    """How a rule reads a table."""

    domain: Domain
    feature: Any  # the columns that the rule reads, as in ``PrivateClassifier``
    on_invalid: InvalidRule
    beside: tuple[str, ...] = ()  # the columns with labels and units

    def __post_init__(self) -> None:
        if both := [name for name in self.asked if isinstance(name, str) and name in self.beside]:
            twice = f"column {both[0]!r} holds the labels or the units; choose another column for the rule"
            raise Refused(self._chooses, twice)

    @property
    def _chooses(self) -> str:
        """The parameter that selects the columns."""
        return "concept_class" if self.domain.column_names else "feature"

    @property
    def strict(self) -> bool:
        """Whether records that do not fit are refused."""
        return self.on_invalid == "raise"

    @property
    def asked(self) -> list[Any]:
        """The columns to read, by name or position."""
        if self.domain.column_names:
            return list(self.domain.column_names)
        wanted = len(self.domain.columns)
        if wanted > 1 and isinstance(self.feature, str | int) and self.feature != 0:
            raise Refused("feature", f"the rule reads {wanted}", *IN_ORDER)
        return [position(each) for each in (self.feature if isinstance(self.feature, list | tuple) else [self.feature])]

    def known_names(self, columns: Sequence[Any]) -> list[str]:
        """The names of the columns that a rule reads, among those of a table, if the rule does not know them itself."""
        if self.domain.column_names:
            return []
        found = [columns[each] if isinstance(each, int) and each < len(columns) else each for each in self.asked]
        return found if len(found) == len(self.domain.columns) and all(isinstance(name, str) for name in found) else []

    @property
    def by_name(self) -> bool:
        """Whether the rule reads its columns by their names, wherever they are."""
        return all(isinstance(name, str) for name in self.asked)

    @property
    def _picks(self) -> bool:
        """Whether the rule reads one column by its name, or beyond the first; a value that is not in a row has none."""
        return not self.domain.tabular and self.asked not in ([None], [0])

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
        that whole units can be held out. With ``cells``, an engine need not tell the values of a cell apart; for each
        column, these are the numbers of their first values, or () if all values count.
        """
        if is_table(X) and not (isinstance(y, str | None) and (quota is None or isinstance(quota.unit, str))):
            raise RefusedType("y", NAMES)
        apart = apart and quota is not None and quota.k > 1  # if one record of a unit counts, records are units
        columns, labels, counts, n, units, label_numbers, incomplete = (
            self._counted(X, y, quota, classes, apart, cells)
            if is_table(X)
            else self._in_memory(X, table, y, quota, apart)
        )
        if n == 0:
            raise Refused("X", *NO_RECORDS)
        if y is None:
            positive, known, ordered = np.ones(len(labels), dtype=bool), None, np.array([])
        else:
            positive, known, ordered = positives(labels, classes, strict=self.strict)
        K = max(len(ordered), 2)
        void = NO_VOID if incomplete is None else _void(_kinds(positive, known, K), incomplete, K)
        if label_numbers is not None:  # from distinct labels to those of the entries
            positive, known = positive[label_numbers], None if known is None else known[label_numbers]
        values, fits = valid(self.domain, columns, self.on_invalid)
        if known is not None:  # a record without a declared label does not fit
            values = chosen_records(values, known if fits is None else known[fits])
            fits = known if fits is None else fits & known
        if fits is not None:
            void = Void(*map(np.append, void, _void(_kinds(positive, known, K), _misfits(fits, counts, units), K)))
            positive, counts = positive[fits], counts if counts is None else counts[fits]
            units = units if units is None else units[fits]
        points = self._points(values)
        sample = Sample(points, positive, counts, n, self.domain.plain_values(values, points), units, void, K)
        return Gathered(sample, ordered)

    def values(self, X: object, table: object) -> Iterator[tuple[Any, WhichFit | None]]:
        """The values of X that a rule reads, and which records fit; of a table in an engine, a few at a time."""
        chunks: Iterable[Any] = (
            [self._columns(X, table)]
            if not is_table(X)
            else (spelled_columns(self.domain, each) for each in batches(X, self.names(X)))
        )
        return (valid(self.domain, columns, self.on_invalid) for columns in chunks)

    def table(self, X: Any) -> Any:
        """X as a table without labels and units; None if X is a column. Lists of rows are read row by row."""
        if hasattr(X, "columns"):
            if len(set(names := [name for name, _ in parts(X)])) < len(names):
                raise Refused("X", SAME_NAME)
            import narwhals as nw  # noqa: PLC0415  (only tables in Python need it)

            labels = [name for name in self.beside if name in nw.from_native(X).columns]
            return nw.from_native(X).drop(labels).to_native() if labels else X
        X = np.asarray(X) if is_array_like(X) else X
        if isinstance(X, Mapping) and not hasattr(X, "ndim"):  # sparse matrices may be mappings; refused below
            return {name: each for name, each in X.items() if name not in self.beside}
        if isinstance(X, list):
            if not self.strict:  # whether one record is a row must not decide how others are read, nor how fast
                return None if self.feature is None and not self._picks else X
            rows = any(map(is_row, X[:1])) and self.feature is not None
            if rows and isinstance(X[0], Mapping):
                return X
            X = entries(X) if rows else X
        if getattr(X, "ndim", 1) == 1:
            if isinstance(X, np.ndarray) and self.feature is not None and X.dtype.kind in "biufc":
                reshape = "X has one dimension. Reshape your data: X.reshape(-1, 1) for one column, or say "
                raise Refused("X", reshape, Setting.to("feature", None), " if X is the column that the rule reads")
            if self._picks and getattr(X, "name", None) != self.feature:  # a column of a DataFrame has a name
                bare = (
                    f"X is a bare column, but the rule reads column {self.feature!r}; give a table that has it, or say "
                )
                raise Refused("X", bare, Setting.to("feature", None), " at fit if X is the column that the rule reads")
            return None
        from sklearn.utils.validation import check_array  # noqa: PLC0415  (models need no scikit-learn)

        array = check_array(X, dtype=None, ensure_all_finite=False, input_name="X")
        return finite(array) if self.strict and not self.domain.optional else array

    def features(self, X: Any) -> list[str]:
        """The columns of an engine's table other than label and unit."""
        return [name for name in X.columns if name not in self.beside]

    def check_only(self, features: Sequence[Any], *, secret: bool = False) -> None:
        """Refuse several columns for a rule that reads one and names none; ``secret`` names are not shown."""
        if len(self.domain.columns) == 1 < len(features) and not self.domain.column_names:
            names = ", ".join(map(str, features[:10])) + ", …" * (len(features) > 10)
            why = f"X has {len(features)} columns{'' if secret else f' ({names})'}, and the rule reads one; name it: "
            raise Refused("feature", why, Setting.to("feature", Sketch("name") if secret else features[0]))

    def _points(self, values: object) -> NDArray[Any]:
        """The points of ``values``; a refusal names their column and the alternatives."""
        one = len(self.asked) == len(self.domain.columns) == 1 and self.asked[0] is not None
        prefix = [f"column {self.asked[0]!r}: "] if one and not self.domain.column_names else []  # or the domain has it
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
            return refusal_about(error, "X", *(() if isinstance(error, NoSuchColumn) else (prefix, instead)))

        with InOtherWords(with_advice, kinds):
            return self.domain.points(values)

    def _in_memory(self, X: object, table: object, y: object, quota: Quota | None, apart: bool) -> _Rows:
        """Records in memory."""
        columns = self._columns(X, table)
        n = records(columns)
        labels = np.ones(n, dtype=bool) if y is None else self._side_column(X, y, "y")
        if len(labels) != n:
            raise Refused("y", f"X and y differ in length ({n} and {len(labels)}); give every record exactly one label")
        if quota is not None:
            content, unit = self.domain.split(columns), self._side_column(X, quota.unit, "unit")
            rows, n = slots_of(quota._replace(unit=unit), content if y is None else [*content, labels], self.on_invalid)
            columns, labels = self.domain.join([each[rows] for each in content]), labels[rows]
            units = unit_numbers(unit[rows])[0] if apart else None  # all of these rows have a unit
            return _Rows(columns, labels, None, n, units)
        return _Rows(columns, labels, None, n)

    def in_engine(self, X: object, quota: Quota | None, kind: type[RecordsInEngine]) -> RecordsInEngine | None:
        """The records of an Ibis table, at most k per unit, left in the engine; None if it cannot answer for them."""
        if quota is not None and not isinstance(quota.unit, str):
            raise RefusedType("unit", NAMES)
        with self._about_fits():
            found = kind.of(X, self.names(X), self.domain, quota, self.on_invalid)
        if found is not None and found.size == 0:
            found.close()
            raise Refused("X", *NO_RECORDS)
        return found

    def _counted(  # noqa: PLR0917  (as in ``gathered``)
        self,
        X: object,
        y: str | None,
        quota: Quota | None,
        classes: Declared,
        apart: bool,
        cells: Sequence[tuple[int, ...]],
    ) -> _Rows:
        """Records in an engine, which counts them."""
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
        """A block whose refusals name the parameters of a fit."""
        chosen = {"feature": self._chooses, "columns": self._chooses}
        names = {"label": "y", "quota": "unit", "table": "X"} | chosen
        return InOtherWords(lambda error: refusal_about(error, names.get(error.parameter, error.parameter)), Refused)

    def names(self, X: object) -> list[str]:
        """The columns of an engine's table that the rule reads."""
        features, asked, wanted = self.features(X), self.asked, len(self.domain.columns)
        if asked == [None] or (wanted > 1 and len(asked) == 1):
            asked = list(features)
        if len(asked) != wanted or any(isinstance(name, int) and not 0 <= name < len(features) for name in asked):
            reads = f"the rule reads {wanted} column{'s' * (wanted > 1)}; name them in order: "
            raise Refused("feature", reads, Setting.to("feature", Sketch("…")))
        return [features[name] if isinstance(name, int) else name for name in asked]

    def _columns(self, X: object, table: object) -> Any:
        """The part of X that the rule reads: a column, or a table of columns."""
        if table is None or self.domain.column_names:
            return X if table is None else table
        if self.domain.tabular:
            wanted = len(self.domain.columns)
            if isinstance(self.feature, list | tuple):
                table = dict(enumerate(self._part(table, name) for name in self.asked))
            if width(table) not in (None, wanted):
                raise Refused("feature", f"the rule reads {wanted}", *IN_ORDER)
            return table
        if self.feature is None or isinstance(self.feature, list | tuple):
            name = Setting.to("feature", Sketch("name, or its position"))
            raise Refused("feature", "the rule reads one column; name it: ", name)
        (feature,) = self.asked
        if isinstance(table, list) and not self.strict:
            return [entry(row, feature) if is_row(row) else None if self._picks else row for row in table]
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
    """The kind of each label, as ``Void`` names kinds, and at the end the kind of a missing label."""
    undeclared = UNDECLARED if K == 2 else K
    kinds = np.append(np.where(labels, POSITIVE, NEGATIVE) if K == 2 else labels, undeclared)
    if known is not None:
        kinds[:-1][~known] = undeclared
    return kinds


def _misfits(fits: WhichFit, counts: Ints | None, units: NDArray[np.intp] | None) -> Incomplete:
    """The records that do not fit; their labels are known by the places of their entries."""
    places = np.flatnonzero(~fits)
    their_counts = np.ones(len(places), dtype=np.int64) if counts is None else counts[places]
    return Incomplete(places, their_counts, None if units is None else units[places])


def _void(kinds: NDArray[np.intp], records: Incomplete, K: int) -> Void:
    """These records as void ones: an entry for each kind or, if units are told apart, one for each of ``records``."""
    void = Void(kinds[records.label_numbers], records.counts, EMPTY if records.units is None else records.units)
    totals = void.totals(int(records.counts.sum()), K)
    return Void(np.arange(len(totals)), totals) if records.units is None else void
