"""Whole numbers, dates, and times that an engine rounds as a line would, in integers of 64 bits.

They are rounded as counts: a whole number is its own count, and the count of a time is the number of microseconds since
1970 (nanoseconds, if the engine has them). The largest multiple of the step up to this count stands for the entry. All
entries below the line become the same count below it, and all entries above the line the same count above it. A time
that Python cannot hold counts as missing, as it does without rounding. (Times without a zone in DuckDB never do,
because numpy holds them all.)

proof: docs/proofs/engines.md

Throughout this file
    c      the count of an entry      D      how many counts the step holds
    L, H   the first count of the line, and the first one above it
    code   an integer for each value of the kind; a line has those from ``line.first`` to ``line.last``,
           ``line.units`` of them in a step, and ``line.ends[0]`` is the k of the last k·step up to ``line.low``
    stage  one of the nested queries that read a column. SQL repeats an expression wherever it is used, so each result
           that is used again is a column of an earlier stage
    cells  see ``engine_numbers``
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Self

import numpy as np

from privpac.data.domains.line import Line
from privpac.data.domains.line_steps import MICROSECONDS_IN
from privpac.data.engines.exact_forms import INT64, engine_function, exported_column, imported_values
from privpac.data.values.columns import Array

if TYPE_CHECKING:
    import ibis.expr.datatypes as dt
    import ibis.expr.types as ir
    import pyarrow as pa

# Yields the columns that a stage adds to a view, and receives the view that has them; returns the last view.
Stages = Generator[dict[str, "ir.Value"], "ir.Table", "ir.Table"]
ROUNDING_ENGINES = ("duckdb", "postgres", "pyspark")  # those whose integers of 64 bits stay signed
MICROSECOND = 1000  # nanoseconds
DAY = 86_400 * 10**9  # nanoseconds
FIRST_TIME, LAST_TIME = -62_135_596_800 * 10**9, 253_402_300_800 * 10**9  # the years 1 to 9999, in nanoseconds
NO_TIME = -(2**63)  # the integer as which numpy stores NaT
UNITS = {1: "ns", MICROSECOND: "us", 10**6: "ms", 10**9: "s", DAY: "D"}  # numpy's units, by their nanoseconds


@dataclass(frozen=True)
class EngineSteps:
    """How an engine rounds the counts of a column of this ``kind``, an Ibis type: down to multiples of D.

    If there are cells, each count is then rounded down to the first count of its cell, one of the ``firsts``.
    """

    kind: dt.DataType
    engine: str
    low: int  # L
    above: int  # H
    step: int  # D
    unit: int | None = None  # nanoseconds of a count; None for whole numbers
    firsts: tuple[int, ...] = ()

    @classmethod
    def of(cls, line: Line | None, kind: dt.DataType, engine: str, cells: tuple[int, ...] = ()) -> Self | None:
        """How the engine rounds; None if it cannot, or if no two values of a column share a multiple or a cell."""
        if line is None or engine not in ROUNDING_ENGINES:
            return None
        steps = None
        if line.kind == "integer" and kind.is_integer() and not kind.is_uint64() and (cells or line.units > 1):
            steps = cls(kind, engine, line.first, line.last + 1, line.units)
        elif line.kind.startswith("datetime64") and (kind.is_date() or kind.is_timestamp()):
            steps = cls._of_times(line, kind, engine, coarse=bool(cells))
        if steps is None or not steps._in_64_bits:
            return None
        firsts = tuple(max(steps.low, (line.ends[0] + number) * steps.step) for number in cells)
        return replace(steps, firsts=firsts)

    @classmethod
    def _of_times(cls, line: Line, kind: dt.DataType, engine: str, *, coarse: bool) -> Self | None:
        unit, multiple = np.datetime_data(line.kind)
        has_zone = kind.is_timestamp() and kind.timezone is not None
        if unit not in MICROSECONDS_IN or (has_zone and line.zone is not None):
            return None  # an engine may convert times to a zone by other rules than Python, so Python reads them
        spacing = int(MICROSECONDS_IN[unit] * MICROSECOND) * multiple  # nanoseconds between two codes of the line
        low, above, step = line.first * spacing, (line.last + 1) * spacing, line.units * spacing
        finest = _finest(kind, engine)
        # Python must also hold the first entry from ``low`` on, which is less than ``finest`` above it.
        in_range = low >= FIRST_TIME and max(above, low + finest) <= LAST_TIME
        if not in_range or step % finest or (step == finest and not coarse):
            return None
        count_unit = min(finest, MICROSECOND)  # in nanoseconds
        return cls(kind, engine, -(-low // count_unit), -(-above // count_unit), step // count_unit, count_unit)

    @property
    def _in_64_bits(self) -> bool:
        """Whether 64 bits hold all that the engine computes."""
        return all(number in INT64 for number in (self.low - self.step, self.above + self.step, 2 * self.step))

    def stages(self, view: ir.Table, x: str, name: str) -> Stages:
        """The stages that write the rounded counts of the entries in column ``x`` to the column ``name``."""
        ibis = import_module("ibis")
        low, high = self._first_entry(self.low), self._last_entry(self.above - 1)
        inside, c = f"{name} inside", f"{name} c"  # columns: entries on the line (low for all others); their counts

        def whole(number: int) -> ir.Scalar:
            """The number as an integer of 64 bits in the engine."""
            return ibis.literal(number, "int64")

        entry = view[x] if self.unit is not None else view[x].cast("int64")  # a narrow type could overflow
        view = yield {inside: ((entry >= low) & (entry <= high)).ifelse(entry, low)}
        view = yield {c: self._count(view[inside])}
        view = yield {c: view[c] - (view[c] % whole(self.step) + whole(self.step)) % whole(self.step)}
        if self.firsts:
            view = yield {c: last_up_to(view[c], [whole(self.low), *map(whole, self.firsts[1:])])}
        entry = view[x]
        count = ibis.cases(
            (~self._in_python(entry), ibis.null("int64")),
            (entry < low, whole(self.low - 1)),
            (entry > high, whole(self.above)),
            (view[c] < whole(self.low), whole(self.low)),  # the first multiple may begin before the line
            else_=view[c],
        )
        view = yield {c: count}
        return (yield {name: exported_column(view[c], name, self.engine).comparable})

    def imported(self, values: pa.ChunkedArray) -> Array:
        """The rounded entries of a result; a missing time is NaT."""
        counts = imported_values(values, import_module("ibis").dtype("int64"), self.engine)
        if self.unit is None:
            return counts
        if counts.dtype.kind == "O":
            counts = np.array([NO_TIME if count is None else count for count in counts], dtype=np.int64)
        return counts.astype(np.int64).view(f"datetime64[{UNITS[self.unit]}]")

    def _first_entry(self, count: int) -> ir.Scalar:
        """The first entry from this count on, as a value of the column's type."""
        return self._entry(count if self.unit is None else -(-count * self.unit // self._finest))

    def _last_entry(self, count: int) -> ir.Scalar:
        """The last entry up to this count."""
        return self._entry(count if self.unit is None else count * self.unit // self._finest)

    @property
    def _finest(self) -> int:
        return _finest(self.kind, self.engine)

    def _entry(self, number: int) -> ir.Scalar:
        """A whole number, or the time with this number among those of the column's type."""
        ibis = import_module("ibis")
        if self.unit is None:
            return ibis.literal(number, "int64")
        text = str(np.array(number).astype(f"datetime64[{UNITS[self._finest]}]"))
        zone = self.kind.timezone if self.kind.is_timestamp() else None
        kind = self.kind
        if kind.is_timestamp() and self.engine != "duckdb":
            kind = type(kind)(timezone=zone)  # no ``scale``: PostgreSQL would round the bound to the column's digits
        return ibis.literal(text if zone is None else f"{text}+00:00").cast(kind)

    def _in_python(self, entry: ir.Value) -> ir.BooleanValue:
        """Whether an entry is not missing and Python can hold it."""
        if self.unit is None or (self.engine == "duckdb" and self.kind.is_timestamp() and self.kind.timezone is None):
            return entry.notnull()
        first, last = self._entry(FIRST_TIME // self._finest), self._entry(LAST_TIME // self._finest - 1)
        return ((entry >= first) & (entry <= last)).fill_null(False)

    def _count(self, entry: ir.Value) -> ir.IntegerValue:
        """The count of an entry of the line."""
        if self.unit is None:
            return entry.cast("int64")
        if self.engine == "duckdb":
            return engine_function("epoch_ns" if self.unit == 1 else "epoch_us", (self.kind,), "int64")(entry)
        return _postgres_count(entry) if self.engine == "postgres" else _spark_count(entry)


def _finest(kind: dt.DataType, engine: str) -> int:
    """The least number of nanoseconds between two different values of a column."""
    if kind.is_date():
        return DAY
    return 10 ** (9 - kind.scale) if engine == "duckdb" and kind.scale in (0, 3, 9) else MICROSECOND


def _postgres_count(entry: ir.Value) -> ir.IntegerValue:
    """The microseconds since 1970.

    PostgreSQL returns parts of a time as floats, so whole minutes and the rest are counted separately.
    """
    kind = entry.type()
    if kind.is_date():
        entry = entry.cast("timestamp")
    elif kind.timezone is not None:
        entry = engine_function("timezone", ("string", kind), "timestamp")("UTC", entry)
    part = engine_function("date_part", ("string", "timestamp"), "float64")
    minutes = part("epoch", engine_function("date_trunc", ("string", "timestamp"), "timestamp")("minute", entry))
    return minutes.cast("int64") * 10**6 + part("microseconds", entry).cast("int64")


def _spark_count(entry: ir.Value) -> ir.IntegerValue:
    """The microseconds of a date or a time since 1970."""
    if entry.type().is_date():
        days = engine_function("unix_date", ("date",), "int32")(entry)
        return days.cast("int64") * (DAY // MICROSECOND)
    return engine_function("unix_micros", (entry.type(),), "int64")(entry)


def last_up_to(x: ir.Value, numbers: Sequence[ir.Scalar]) -> ir.Value:
    """The last of these increasing numbers that is at most x, by binary search; x is at least the first number."""
    half = len(numbers) // 2
    if not half:
        return numbers[0]
    return (x >= numbers[half]).ifelse(last_up_to(x, numbers[half:]), last_up_to(x, numbers[:half]))
