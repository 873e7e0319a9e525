"""Keys that nobody declared, such as names, counted by an engine.

There may be ten million of them. They arrive in Arrow's memory as texts and whole numbers, and a key becomes a Python
value only when a release names it.

proof: docs/proofs/engines.md
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from privpac.data.counting.groups import MISSING
from privpac.data.domains.anything import Anything
from privpac.data.domains.domain import Domain
from privpac.data.engines.queries import answer
from privpac.data.engines.views import all_slots, check_columns, engine_view, units_of
from privpac.data.files.progress import say
from privpac.data.samples.sample import Ints
from privpac.data.samples.units import Quota
from privpac.data.values.columns import arrow_numbers
from privpac.refusals.refusal import Refused

if TYPE_CHECKING:
    import ibis.expr.types as ir
    import pyarrow as pa

UNCHANGED_IN = ("duckdb", "postgres")  # engines that return bytes and whole numbers unchanged


@dataclass(frozen=True, eq=False)
class ManyKeys:
    """Distinct keys, one value from each column, and how many records have each; every key has at least one.

    >>> import pyarrow
    >>> ManyKeys((pyarrow.array(["EV", "UA"]),), np.array([3, 7])).named(np.array([1]))
    [('UA',)]
    """

    columns: tuple[pa.Array, ...]
    counts: Ints

    def named(self, which: Ints) -> list[tuple[Hashable, ...]]:
        """The keys with the numbers ``which``."""
        numbers = import_module("pyarrow").array(which)
        return list(zip(*(column.take(numbers).to_pylist() for column in self.columns), strict=True))


@dataclass(frozen=True, eq=False)
class KeysOfEngine:
    """Keys with their counts, from an engine; a record that lacks a value is void."""

    reads_once: ClassVar[bool] = True
    keys: ManyKeys
    size: int

    @classmethod
    def of(
        cls, table: ir.Table, names: Sequence[str], domain: Domain, quota: Quota | None = None, rule: str = "raise"
    ) -> Self | None:
        """The records of an Ibis table, counted by their values in some columns.

        None if these are not texts or whole numbers, or not in an engine that returns them unchanged; the caller then
        loads the records.
        """
        check_columns(table, names, "columns")
        kinds, places = [table[name].type() for name in names], {f"x{i}": name for i, name in enumerate(names)}
        if table.get_backend().name not in UNCHANGED_IN or {*map(type, domain.columns)} != {Anything}:
            return None
        if not all(kind.is_string() or kind.is_integer() for kind in kinds):
            return None
        all_records, chosen = engine_view(table, places, quota)
        groups = answer(chosen.group_by(list(places)).aggregate(records=chosen.count()))
        counts = arrow_numbers(groups["records"])
        n = int(counts.sum()) if quota is None else all_slots(answer(units_of(all_records)), quota, rule)
        for place, name in places.items():
            if rule == "raise" and groups[place].null_count:
                raise Refused("columns", f"some records have no value in column {name!r}", *MISSING)
        groups = groups.drop_null()
        try:
            columns = tuple(_values(groups[place]) for place in places)
        except ValueError:  # some bytes are not UTF-8; they count as missing when the caller loads the records
            return None
        say("{} records counted", n)  # only now: if the result is None, the caller counts the records and reports that
        return cls(ManyKeys(columns, arrow_numbers(groups["records"]).astype(np.int64)), n)

    def close(self) -> None:
        """Do nothing: the engine keeps no tables for these keys."""


def _values(forms: pa.ChunkedArray) -> pa.Array:
    """The values of a column: whole numbers unchanged, texts from their bytes; ValueError if these are not UTF-8."""
    arrow = import_module("pyarrow")
    if arrow.types.is_integer(forms.type):
        return forms.combine_chunks()
    return forms.cast(arrow.large_binary()).combine_chunks().cast(arrow.large_string())
