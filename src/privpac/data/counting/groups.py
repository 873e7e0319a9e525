"""Records in files and databases, counted where they live: one query counts the records of each point and label.

Rows stay in the engine (DuckDB for files; PostgreSQL, Spark, and others through Ibis). Only the distinct points arrive,
each with a label and a count. The public rule for records that do not fit is applied to these. It treats records with
the same entries alike, so applying it after counting gives the same result.

With units, the engine sorts the records of each unit by their keyed hashes and counts the first k.

The memory of this process grows with the distinct points and not with the records. How many points occur is private;
how many the domain allows is public, and so is the number of records. These two decide whether a cluster's table is
announced by a warning.

Throughout this file
    k      slots of a unit
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from privpac.data.counting.numbers import EngineNumbers
from privpac.data.domains.base import Domain
from privpac.data.engines.duckdb_rows import with_ibis
from privpac.data.engines.exact_forms import told_apart
from privpac.data.engines.queries import answer
from privpac.data.engines.views import check_columns, in_exact_forms, units_of
from privpac.data.files.progress import say
from privpac.data.samples.units import NAMELESS, Quota
from privpac.data.values.columns import Array
from privpac.refusals.option_words import InvalidRule
from privpac.refusals.refusal import Refused, Setting

if TYPE_CHECKING:
    import ibis.expr.types as ir
    import pyarrow as pa

CLUSTERS = ("pyspark",)  # engines for tables that are larger than the memory here
MANY = 10**6  # rows that arrive; they take about a gigabyte
FEWER = (
    "declare fewer: a step, as in Thresholds(0, 1000, step=0.1), bounds for whole numbers, or the values of a category"
)
MISSING = (
    " (perhaps because they have more than 10,000 bytes or, in a CSV file, because their lines are not UTF-8, "
    "are too long, or have more or fewer cells than the first line); fill in the values, drop these records, or set ",
    Setting.to("on_invalid", "default"),
    ", which counts them in n and nothing else",
)


class Counted(NamedTuple):
    """Entry i stands for ``counts[i]`` records with these values and this label; n also counts void records.

    ``told`` are the labels that occur, and ``alike[i]`` is the number of the one that entry i has. Without a column of
    labels, all labels are True.

    >>> Counted([], np.array(["no", "yes"]), np.array([1, 0, 1]), np.array([5, 2, 3]), 10).labels.tolist()
    ['yes', 'no', 'yes']
    """

    columns: list[Array]
    told: Array
    alike: NDArray[np.integer]
    counts: NDArray[np.int64]
    n: int
    units: NDArray[np.intp] | None = None  # whose records they are, if units are told apart
    incomplete: Incomplete | None = None  # the records without some value, if there are any

    @property
    def labels(self) -> Array:
        """The label of each entry."""
        return np.asarray(self.told[self.alike])


class Incomplete(NamedTuple):
    """Entry i stands for ``counts[i]`` records that lack a value; ``alike[i]`` is −1 if they lack a label."""

    alike: NDArray[np.integer]
    counts: NDArray[np.int64]
    units: NDArray[np.intp] | None = None


def counted(
    table: ir.Table,
    columns: Sequence[str],
    label: str | None = None,
    quota: Quota | None = None,
    rule: InvalidRule = "raise",
    *,
    apart: bool = False,
    domains: Sequence[Domain] = (),
) -> Counted:
    """How many records have each combination of values and label; with units, k records of each unit count.

    Without ``label``, records are counted by their values alone. Records without a value are refused under the rule
    "raise" and void otherwise: only their labels are told. Records without a unit are refused under "raise" and
    otherwise do not count at all. With ``apart``, the records of each unit are counted separately. ``domains`` are
    those of the columns, if they are to be read in the engine where it can: several values that the domain reads as one
    may then arrive as one.

    >>> import ibis, pyarrow
    >>> flights = ibis.memtable(pyarrow.table({"delay": [37, 2, 37], "late": [1, 0, 1]}))
    >>> answer = counted(flights, ["delay"], "late")
    >>> sorted(zip(answer.columns[0].tolist(), answer.labels.tolist(), answer.counts.tolist())), answer.n
    ([(2, 0, 1), (37, 1, 2)], 3)
    """
    names = {f"x{i}": name for i, name in enumerate(columns)} | ({} if label is None else {"y": label})
    check_columns(table, columns, "columns")
    check_columns(table, [] if label is None else [label], "label")
    read = _readings(table, names, domains)
    counting = [place for place, each in read.items() if each.counts]
    view, chosen = in_exact_forms(table, names, quota, told=True, stored=counting)
    for place, each in read.items():
        chosen = each.read(chosen, place)
    point = [part for place, each in read.items() for part in each.places(place)]
    if apart:
        chosen, point = chosen.mutate(number=with_ibis().dense_rank().over(order_by="unit")), [*point, "number"]
    chosen, keys = told_apart(chosen, point, table.get_backend().name)
    query = chosen.group_by(keys).aggregate(records=chosen.count())
    if quota is not None:
        query = query.cross_join(units_of(view))
    found = answer(query)
    counts = found["records"].to_numpy().astype(np.int64, copy=False)
    n = int(counts.sum())
    if quota is not None and len(found):
        n = quota.k * found["units"][0].as_py()
        if rule == "raise" and found["nameless"][0].as_py():
            raise Refused("quota", *NAMELESS)
    say("{} records counted" if quota is None else "{} records of {} units counted", n, n // (quota.k if quota else 1))
    whole = np.ones(len(found), dtype=bool)
    for place, name in names.items():
        there = read[place].there(found, place)
        if rule == "raise" and not there.all():
            raise Refused(
                "label" if place == "y" else "columns", f"some records have no value in column {name!r}", *MISSING
            )
        whole &= there
    units = found["number"].to_numpy().astype(np.intp) if apart else None
    told, alike = (None, np.zeros(len(found), dtype=np.int32)) if label is None else told_labels(found["y"])
    incomplete = None
    if rule != "raise":
        incomplete = Incomplete(alike[~whole], counts[~whole], None if units is None else units[~whole])
        found, counts, alike = found.filter(whole), counts[whole], alike[whole]
        units = None if units is None else units[whole]
    values = [each.arrived(found, place) for place, each in read.items() if place != "y"]
    # labels are few, and are read once each
    labels = np.ones(1, dtype=bool) if label is None else read["y"].arrived({"y": told}, "y")
    return Counted(values, labels, alike, counts, n, units, incomplete)


def _readings(table: ir.Table, names: dict[str, str], domains: Sequence[Domain]) -> dict[str, EngineNumbers]:
    """How the column at each place is read; a label has no domain."""
    of_place = dict(zip(names, domains, strict=False)) if domains else {}
    engine = table.get_backend().name
    return {place: EngineNumbers(of_place.get(place), table[name].type(), engine) for place, name in names.items()}


def told_labels(column: pa.ChunkedArray) -> tuple[pa.ChunkedArray, NDArray[np.integer]]:
    """The distinct entries of an Arrow column, and the number of each entry's; −1 if it is missing.

    >>> import pyarrow
    >>> told, alike = told_labels(pyarrow.chunked_array([["no", "yes"], ["yes", None]]))
    >>> told.to_pylist(), alike.tolist()
    (['no', 'yes'], [0, 1, 1, -1])
    """
    arrow = import_module("pyarrow")
    chunks = column.dictionary_encode().unify_dictionaries().chunks
    told = arrow.chunked_array([chunks[0].dictionary] if chunks else [], column.type)
    return told, np.concatenate(
        [np.empty(0, dtype=np.int32), *(each.indices.fill_null(-1).to_numpy() for each in chunks)]
    )


def size_of(table: ir.Table, quota: Quota | None = None) -> int:
    """The n of an Ibis table, as a fit counts it.

    >>> import ibis, pyarrow
    >>> flights = ibis.memtable(pyarrow.table({"delay": [37, 2, 5], "plane": ["N1", "N2", "N1"]}))
    >>> size_of(flights), size_of(flights, Quota("plane", 3, "any key"))
    (3, 6)
    """
    if quota is None:
        return int(answer(table.aggregate(n=table.count()))["n"][0].as_py())
    check_columns(table, [quota.unit], "unit")
    records = in_exact_forms(table, {"x": quota.unit}, quota).records
    return quota.k * int(answer(records.aggregate(n=records.unit.nunique()))["n"][0].as_py())


def warn_of_many(table: ir.Table, domain: Domain, *, units: bool) -> None:
    """Warn if more than a million distinct values may arrive. With units, the number of records is not public."""
    if table.get_backend().name not in CLUSTERS or 2 * domain.size <= MANY:  # each value with two labels
        return
    if units:
        arrives = "as many rows as there are records may arrive in this process"
    elif (n := answer(table.aggregate(n=table.count()))["n"][0].as_py()) > MANY:
        arrives = f"up to {n} rows may arrive in this process"
    else:
        return
    sent = "the engine sends one row for each distinct value, and the declared domain allows more than a million"
    warnings.warn(f"{sent}: {arrives}; {FEWER}", ManyGroups, stacklevel=5)


class ManyGroups(UserWarning):
    """All records of a cluster's table may arrive in this process."""
