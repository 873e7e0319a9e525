"""Records in files and databases, counted where they live: one query counts the records of each point and label.

Rows stay in the engine (DuckDB for files; PostgreSQL, Spark, and others through Ibis). Only the distinct points arrive,
each with a label and a count. The public rule for records that do not fit is applied to the distinct points. It treats
records with the same entries alike, so applying it after counting gives the same result.

With units, the engine sorts the records of each unit by their keyed hashes and counts the first k.

The memory of this process grows with the distinct points, not with the records. How many points occur is private, so
only the size of the domain and the number of records decide whether there is a warning.

Throughout this file
    k          slots of a unit
    n          the number of records; with units, k for each unit
    place      the name that a view gives to a column of the table: x0, x1, … for values, y for labels
    reading    how the engine reads the entries at a place (see ``engine_numbers``)
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from importlib import import_module
from math import prod
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from privpac.data.counting.engine_numbers import EngineNumbers, read_columns, readings_of
from privpac.data.domains.domain import Domain
from privpac.data.engines.duckdb_rows import with_ibis
from privpac.data.engines.exact_forms import comparison_keys
from privpac.data.engines.queries import answer
from privpac.data.engines.views import all_slots, check_columns, engine_view, units_of
from privpac.data.files.progress import say
from privpac.data.samples.sample import Ints
from privpac.data.samples.units import Quota
from privpac.data.values.columns import Array, arrow_numbers
from privpac.refusals.option_words import InvalidRule
from privpac.refusals.refusal import InPython, Refused, Setting

if TYPE_CHECKING:
    import ibis.expr.types as ir
    import pyarrow as pa

CLUSTERS = ("pyspark",)  # engines for tables that may be larger than the memory of this process
MANY = 10**6  # rows; in this process, they take about a gigabyte
MOST_COLUMNS = 1_024  # as many as a tree may test; to count combinations of 1,500, DuckDB needs a gigabyte
LACKING = (
    " (an empty cell, or one of more than 10,000 bytes; in a CSV file, a line that is not UTF-8, is too long, or has "
    "more or fewer cells than the first line; in an Excel file, merged cells, or formulas that were never computed)"
)
OR_DEFAULT = Setting.to("on_invalid", "default"), ", which counts such records in n and nothing else"
CHECK = "; with a schema, `privpac schema check` counts them"
DECLARE_MISSING = "; a schema may declare missing = true, and `privpac schema check` counts such records"
MISSING = (f"{LACKING}; say ", *OR_DEFAULT, DECLARE_MISSING)
UNLABELED = (f"{LACKING}; correct the table, or say ", *OR_DEFAULT, CHECK)


class GroupCounts(NamedTuple):
    """Groups of equal records: group i is ``counts[i]`` records with the value ``columns[j][i]`` in column j.

    Their label is ``label_values[label_numbers[i]]``; without a column of labels, all labels are True. n also counts
    void records.
    """

    columns: list[Array]
    label_values: Array
    label_numbers: NDArray[np.integer]
    counts: Ints
    n: int
    units: NDArray[np.intp] | None = None  # the number of each group's unit, if units are counted separately
    incomplete: Incomplete | None = None  # the records that lack a value; None if such records are refused

    @property
    def labels(self) -> Array:
        """The label of each group."""
        return np.asarray(self.label_values[self.label_numbers])


class Incomplete(NamedTuple):
    """Groups of records that lack a value: ``counts[i]`` with the label ``label_numbers[i]``; −1 means no label."""

    label_numbers: NDArray[np.integer]
    counts: Ints
    units: NDArray[np.intp] | None = None


def group_counts(
    table: ir.Table,
    columns: Sequence[str],
    label: str | None = None,
    quota: Quota | None = None,
    rule: InvalidRule = "raise",
    *,
    apart: bool = False,
    domains: Sequence[Domain] = (),
    cells: Sequence[tuple[int, ...]] = (),
) -> GroupCounts:
    """How many records have each combination of values and label; with units, k records of each unit count.

    Without ``label``, records are counted by their values alone. Records without a value are refused under the rule
    "raise" and void otherwise: only their labels are returned. Records without a unit are refused under "raise" and
    otherwise do not count at all. With ``apart``, the records of each unit are counted separately.

    With the ``domains`` of the columns, the engine rounds values where it can, so that values that the domain does not
    distinguish may arrive as one. With ``cells``, all values of a cell of a line may arrive as its first value; for
    each column, ``cells`` has the numbers of these first values, or () if each value is a cell of its own.

    >>> import ibis, pyarrow
    >>> flights = ibis.memtable(pyarrow.table({"delay": [37, 2, 37], "late": [1, 0, 1]}))
    >>> groups = group_counts(flights, ["delay"], "late")
    >>> sorted(zip(groups.columns[0].tolist(), groups.labels.tolist(), groups.counts.tolist())), groups.n
    ([(2, 0, 1), (37, 1, 2)], 3)
    """
    names = {f"x{i}": name for i, name in enumerate(columns)} | ({} if label is None else {"y": label})  # by place
    check_columns(table, columns, "columns")
    if len(columns) > MOST_COLUMNS:
        limit = f"an engine counts combinations of at most {MOST_COLUMNS:,} columns"
        raise Refused("columns", f"{limit}; declare no more", InPython(", or read the table into a DataFrame"))
    check_columns(table, [] if label is None else [label], "label")
    readings = readings_of(table, names, domains, cells)
    records, query = _query(table, names, quota, readings, apart)
    groups = answer(query)
    counts = arrow_numbers(groups["records"]).astype(np.int64, copy=False)
    if quota is None:
        n = int(counts.sum())
    else:  # each group has the totals of all units, but if no record has a unit, there are no groups
        n = all_slots(groups if len(groups) else answer(units_of(records)), quota, rule)
    if quota is None:
        say("{} records counted", n)
    else:
        say("{} records of {} units counted", n, n // quota.k)
    is_complete = _is_complete(groups, names, readings, rule, domains)
    units = arrow_numbers(groups["number"]).astype(np.intp) if apart else None
    labels, numbers = (None, np.zeros(len(groups), np.int32)) if label is None else distinct_labels(groups["y"])
    incomplete = None
    if rule != "raise":
        lacks = ~is_complete
        incomplete = Incomplete(numbers[lacks], counts[lacks], None if units is None else units[lacks])
        groups, counts, numbers = groups.filter(is_complete), counts[is_complete], numbers[is_complete]
        units = None if units is None else units[is_complete]
    values = [reading.imported(groups, place) for place, reading in readings.items() if place != "y"]
    label_values = np.ones(1, dtype=bool) if labels is None else readings["y"].imported({"y": labels}, "y")
    return GroupCounts(values, label_values, numbers, counts, n, units, incomplete)


def _query(
    table: ir.Table, names: dict[str, str], quota: Quota | None, readings: dict[str, EngineNumbers], apart: bool
) -> tuple[ir.Table, ir.Table]:
    """All records, and the query that counts groups; with units, each row also has the totals of ``units_of``."""
    stored = [place for place, reading in readings.items() if reading.reads_stored]
    records, chosen = engine_view(table, names, quota, readable=True, stored=stored)
    chosen = read_columns(chosen, readings)
    grouping = [name for place, reading in readings.items() for name in reading.places(place)]
    if apart:
        chosen = chosen.mutate(number=with_ibis().dense_rank().over(order_by="unit"))
        grouping.append("number")
    chosen, keys = comparison_keys(chosen, grouping, table.get_backend().name)
    query = chosen.group_by(keys).aggregate(records=chosen.count())
    return records, query if quota is None else query.cross_join(units_of(records))


def _is_complete(
    groups: pa.Table,
    names: dict[str, str],
    readings: dict[str, EngineNumbers],
    rule: InvalidRule,
    domains: Sequence[Domain],
) -> NDArray[np.bool_]:
    """Which groups lack no value. Under the rule "raise", Refused if some group lacks one."""
    is_present = {place: readings[place].present(groups, place) for place in names}
    lacking = [place for place, mask in is_present.items() if not mask.all()]
    if rule == "raise" and lacking:
        no_value = f"some records have no value in column{'s' * (len(lacking) > 1)} {_quoted(names, lacking)}"
        misfitting = [
            place
            for place, domain in zip(names, domains, strict=False)
            if place not in lacking
            and not domain.fit(domain.spell(readings[place].imported(groups, place)), clamp=False)[1].all()
        ]
        more = f", and some values do not fit what is declared in {_quoted(names, misfitting)}" if misfitting else ""
        if lacking == ["y"]:  # a label cannot be declared missing
            raise Refused("label", no_value + more, *UNLABELED)
        raise Refused("columns", no_value + more, *MISSING)
    return np.asarray(np.logical_and.reduce([*is_present.values(), np.ones(len(groups), dtype=bool)]))


def _quoted(names: dict[str, str], places: Sequence[str]) -> str:
    """The names of the columns at these places, in quotation marks."""
    return ", ".join(repr(names[place]) for place in places)


def distinct_labels(column: pa.ChunkedArray) -> tuple[pa.ChunkedArray, NDArray[np.integer]]:
    """The distinct entries of an Arrow column, and for each entry its number among them; −1 if it is missing.

    >>> import pyarrow
    >>> labels, numbers = distinct_labels(pyarrow.chunked_array([["no", "yes"], ["yes", None]]))
    >>> labels.to_pylist(), numbers.tolist()
    (['no', 'yes'], [0, 1, 1, -1])
    """
    chunks = column.dictionary_encode().unify_dictionaries().chunks
    labels = import_module("pyarrow").chunked_array([chunks[0].dictionary] if chunks else [], column.type)
    numbers = (arrow_numbers(chunk.indices, -1) for chunk in chunks)
    return labels, np.concatenate([np.empty(0, dtype=np.int32), *numbers])


def size_of(table: ir.Table, quota: Quota | None = None) -> int:
    """The number n of records of an Ibis table; with units, k for each unit.

    >>> import ibis, pyarrow
    >>> flights = ibis.memtable(pyarrow.table({"delay": [37, 2, 5], "plane": ["N1", "N2", "N1"]}))
    >>> size_of(flights), size_of(flights, Quota("plane", 3, "any key"))
    (3, 6)
    """
    if quota is None:
        return int(answer(table.aggregate(n=table.count()))["n"][0].as_py())
    check_columns(table, [quota.unit], "unit")
    records = engine_view(table, {"x": quota.unit}, quota).records
    return all_slots(answer(units_of(records)), quota, "default")


def warn_of_many(table: ir.Table, domain: Domain, *, units: bool, cells: Sequence[tuple[int, ...]] = ()) -> None:
    """Warn if more than a million distinct values may arrive from a cluster.

    Only public facts decide: the size of the domain, its cells, and, without units, the number of records.
    """
    values = domain.size
    if cells:
        values = prod(len(firsts) or column.size for firsts, column in zip(cells, domain.columns, strict=True))
    if table.get_backend().name not in CLUSTERS or 2 * values <= MANY:  # each value may occur with two labels
        return
    if units:
        arrives = "as many rows as there are records may arrive in this process"
    elif (n := size_of(table)) > MANY:
        arrives = f"up to {n} rows may arrive in this process"
    else:
        return
    sent = "the engine sends one row for each distinct value, and the declared domain allows more than a million"
    fewer = "a step, as in Thresholds(0, 1000, step=0.1), bounds for whole numbers, or the values of a category"
    warnings.warn(f"{sent}: {arrives}; declare fewer: {fewer}", ManyGroups, stacklevel=5)


class ManyGroups(UserWarning):
    """All records of a cluster's table may arrive in this process."""
