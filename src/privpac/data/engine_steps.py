"""Whole numbers, dates, and times that an engine rounds down to the step of a line, so that few groups leave it.

The engine counts: a whole number is its own count, and a time is the number of microseconds since 1970 (nanoseconds,
where the engine holds them). The largest multiple of the step up to this count stands for the entry. All entries below
the line become one count below it, and all entries above the line one count above it. A time that Python cannot hold is
missing, as it is when it leaves the engine (except for times without a zone in DuckDB, which numpy holds).

proof: docs/proofs/engines.md

Throughout this file
    x      an entry of a column       c      its count         D      how many counts the step holds
    L, H   the first count of the line, and the first one above it

Main declarations
    EngineSteps    how an engine rounds the entries of one column
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from privpac.data.forms import arrived, engine_function, form
from privpac.data.line import Line
from privpac.data.steps import OF_UNIT

STEPPING = ("duckdb", "postgres", "pyspark")  # engines whose whole numbers of 64 bits stay signed
MICROSECOND = 1000  # nanoseconds
DAY = 86_400 * 10**9  # nanoseconds
FIRST_TIME, LAST_TIME = -62_135_596_800 * 10**9, 253_402_300_800 * 10**9  # the years 1 to 9999, in nanoseconds
ROOM = range(-(2**63), 2**63)  # what the engine computes with
UNITS = {1: "ns", MICROSECOND: "us", 10**6: "ms", 10**9: "s", DAY: "D"}  # numpy's, by their nanoseconds


@dataclass(frozen=True)
class EngineSteps:
    """The entries of a column of this ``kind``, an Ibis type, as counts, which are rounded down to multiples of D."""

    kind: Any
    engine: str
    low: int  # L
    above: int  # H
    step: int  # D
    unit: int | None = None  # nanoseconds of a count; None for whole numbers

    @classmethod
    def of(cls, line: Line | None, kind: Any, engine: str) -> Self | None:
        """How the engine rounds; None if it cannot, or if no two values of the column have the same multiple.

        >>> import ibis
        >>> EngineSteps.of(Line(0, 100, step=7), ibis.dtype("int16"), "duckdb").step
        7
        """
        if line is None or engine not in STEPPING:
            return None
        found = None
        if line.kind == "integer" and kind.is_integer() and not kind.is_uint64() and line.units > 1:
            found = cls(kind, engine, line.first, line.last + 1, line.units)
        elif line.kind.startswith("datetime64") and (kind.is_date() or kind.is_timestamp()):
            found = cls._of_times(line, kind, engine)
        return found if found is not None and found._exact else None

    @classmethod
    def _of_times(cls, line: Line, kind: Any, engine: str) -> Self | None:
        unit, many = np.datetime_data(line.kind)
        zoned = kind.is_timestamp() and kind.timezone is not None
        if unit not in OF_UNIT or (zoned and line.zone is not None):
            return None  # clocks of a zone are read here: engines may know other rules for them
        of_line = int(OF_UNIT[unit] * MICROSECOND) * many
        low, above, step = line.first * of_line, (line.last + 1) * of_line, line.units * of_line
        finest = _finest(kind, engine)
        held = low >= FIRST_TIME and max(above, low + finest) <= LAST_TIME
        if not held or step % finest or step == finest:
            return None
        count = min(finest, MICROSECOND)
        return cls(kind, engine, -(-low // count), -(-above // count), step // count, count)

    @property
    def _exact(self) -> bool:
        """Whether 64 bits hold all that the engine computes."""
        return all(each in ROOM for each in (self.low - self.step, self.above + self.step, 2 * self.step))

    def rounded(self, view: Any, x: str, name: str) -> Any:
        """The view with the rounded counts of the entries in column ``x`` as the column ``name``, in exact form.

        Each step is a query of its own, since SQL repeats an expression wherever it is used.
        """
        ibis = import_module("ibis")
        low, high = self._first_entry(self.low), self._last_entry(self.above - 1)

        def whole(number: int) -> Any:
            return ibis.literal(number, "int64")

        entry = view[x] if self.unit is not None else view[x].cast("int64")  # or the engine computes in its narrow type
        view = view.mutate(inside=((entry >= low) & (entry <= high)).ifelse(entry, low))
        view = view.mutate(c=self._count(view.inside))
        view = view.mutate(c=view.c - (view.c % whole(self.step) + whole(self.step)) % whole(self.step))
        entry, below = view[x], whole(self.low - 1)
        found = ibis.cases(
            (~self._held(entry), ibis.null("int64")),
            (entry < low, below),
            (entry > high, whole(self.above)),
            (view.c < whole(self.low), whole(self.low)),  # the first multiple may begin before the line
            else_=view.c,
        )
        view = view.mutate(c=found)
        return view.mutate(**{name: form(view.c, name, self.engine).exact}).drop("inside", "c")

    def arrived(self, values: Any) -> NDArray[Any]:
        """The rounded entries of a result, none of which is missing."""
        counts = arrived(values, import_module("ibis").dtype("int64"), self.engine)
        return counts if self.unit is None else counts.astype(np.int64).view(f"datetime64[{UNITS[self.unit]}]")

    def _first_entry(self, count: int) -> Any:
        """The first entry from this count on, as a value of the column's type."""
        return self._entry(count if self.unit is None else -(-count * self.unit // self._finest))

    def _last_entry(self, count: int) -> Any:
        """The last entry up to this count."""
        return self._entry(count if self.unit is None else count * self.unit // self._finest)

    @property
    def _finest(self) -> int:
        return _finest(self.kind, self.engine)

    def _entry(self, number: int) -> Any:
        """A whole number, or the time with this number among those of the column's type."""
        ibis = import_module("ibis")
        if self.unit is None:
            return ibis.literal(number, "int64")
        text = str(np.array(number).astype(f"datetime64[{UNITS[self._finest]}]"))
        zone = self.kind.timezone if self.kind.is_timestamp() else None
        kind = self.kind
        if kind.is_timestamp() and self.engine != "duckdb":
            kind = type(kind)(timezone=zone)  # PostgreSQL would round a bound to the digits of the column
        return ibis.literal(text if zone is None else f"{text}+00:00").cast(kind)

    def _held(self, entry: Any) -> Any:
        """Whether Python holds an entry, and it is not missing."""
        if self.unit is None or (self.engine == "duckdb" and self.kind.is_timestamp() and self.kind.timezone is None):
            return entry.notnull()
        first, last = self._entry(FIRST_TIME // self._finest), self._entry(LAST_TIME // self._finest - 1)
        return ((entry >= first) & (entry <= last)).fill_null(False)

    def _count(self, entry: Any) -> Any:
        """The count of an entry of the line."""
        if self.unit is None:
            return entry.cast("int64")
        if self.engine == "duckdb":
            return engine_function("epoch_ns" if self.unit == 1 else "epoch_us", (self.kind,), "int64")(entry)
        return _postgres_count(entry) if self.engine == "postgres" else _spark_count(entry)


def _finest(kind: Any, engine: str) -> int:
    """How many nanoseconds lie between two values of a column, at least."""
    if kind.is_date():
        return DAY
    return 10 ** (9 - kind.scale) if engine == "duckdb" and kind.scale in (0, 3, 9) else MICROSECOND


def _postgres_count(entry: Any) -> Any:
    """Microseconds. PostgreSQL returns parts of a time as floats, so whole minutes are told apart from the rest."""
    kind = entry.type()
    if kind.is_date():
        entry = entry.cast("timestamp")
    elif kind.timezone is not None:
        entry = engine_function("timezone", ("string", kind), "timestamp")("UTC", entry)
    part = engine_function("date_part", ("string", "timestamp"), "float64")
    minutes = part("epoch", engine_function("date_trunc", ("string", "timestamp"), "timestamp")("minute", entry))
    return minutes.cast("int64") * 10**6 + part("microseconds", entry).cast("int64")


def _spark_count(entry: Any) -> Any:
    """Microseconds."""
    if entry.type().is_date():
        days = engine_function("unix_date", ("date",), "int32")(entry)
        return days.cast("int64") * (DAY // MICROSECOND)
    return engine_function("unix_micros", (entry.type(),), "int64")(entry)
