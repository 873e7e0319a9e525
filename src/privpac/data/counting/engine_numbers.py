"""Numbers that an engine reads as a line does, so that few groups leave it.

On a line with a step, each number is replaced by the multiple that stands for it, so 5·10⁷ distinct floats become as
many groups as the line has multiples. If an algorithm tells only cells of a line apart, the first value of a cell
stands for all of them. In DuckDB, a text that spells a number in a plain way is read there; other spellings leave as
text and are read in Python. Either way, the line reads what arrives as it would have read what was there.

Whole numbers, dates, and times are rounded as counts: a whole number is its own count, and a time is the number of
microseconds since 1970 (nanoseconds, where the engine holds them). The largest multiple of the step up to this count
stands for the entry. All entries below the line become one count below it, and all entries above the line one count
above it. A time that Python cannot hold is missing, as it is when it leaves the engine (except for times without a zone
in DuckDB, which numpy holds).

:class:`EngineNumbers` reads one column. It leaves whole numbers, dates, and times to :class:`EngineSteps`, which
computes in integers, and reads floats itself. :func:`read_columns` reads all columns of a table together.

proof: docs/proofs/engines.md

Throughout this file
    x      an entry of a column       s      the step, top / bottom       k      a whole number: the multiple k·s
    c      the count of an entry      D      how many counts the step holds
    L, H   the first count of the line, and the first one above it
    cells  the numbers of the line at which cells begin, in order, from 0 on; () if each number is a cell of its own
    place  x0, x1, …, y: the column of a view in which the entries of a column stand
    stage  one query within the others that read a column: SQL repeats an expression wherever it is used, so each
           result that is used again is a column of an earlier stage
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from privpac.data.domains.domain import Domain
from privpac.data.domains.line import Line
from privpac.data.domains.line_steps import MICROSECONDS_IN, FloatSteps
from privpac.data.domains.with_missing import WithMissing
from privpac.data.engines.exact_forms import (
    INT64,
    WITH_NAN,
    canonical_floats,
    engine_function,
    exported_column,
    imported_values,
)
from privpac.data.engines.views import readable_name, stored_name
from privpac.data.values.columns import Array, arrow_numbers
from privpac.data.values.line_codes import as_float

if TYPE_CHECKING:
    import ibis.expr.datatypes as dt
    import ibis.expr.types as ir
    import pyarrow as pa

# Yields the columns that a stage adds to a view, and receives the view that has them; returns the last view.
Stages = Generator[dict[str, "ir.Value"], "ir.Table", "ir.Table"]
TINY = 2.0**-50  # steps; nearer to 0, a number counts as 0: PostgreSQL fails on a quotient too small for a float
TYPES = {"float": "float64", "integer": "int64"}  # how DuckDB reads texts on lines of these kinds
STEPPING = ("duckdb", "postgres", "pyspark")  # engines whose whole numbers of 64 bits stay signed
MICROSECOND = 1000  # nanoseconds
DAY = 86_400 * 10**9  # nanoseconds
FIRST_TIME, LAST_TIME = -62_135_596_800 * 10**9, 253_402_300_800 * 10**9  # the years 1 to 9999, in nanoseconds
NO_TIME = -(2**63)  # NaT, as numpy stores it
UNITS = {1: "ns", MICROSECOND: "us", 10**6: "ms", 10**9: "s", DAY: "D"}  # numpy's, by their nanoseconds


@dataclass(frozen=True)
class EngineNumbers:
    """The entries of a column of this ``kind``, an Ibis type, that ``domain`` reads in an engine."""

    domain: Domain | None
    kind: dt.DataType
    engine: str
    cells: tuple[int, ...] = ()

    @property
    def line(self) -> Line | None:
        """The line that reads the entries, if there is one."""
        return None if self.domain is None else self.domain.present.line

    @property
    def reads_text(self) -> bool:
        """Whether the engine reads numbers in texts; they then arrive in a second column."""
        line = self.line
        return line is not None and line.kind in TYPES and self.kind.is_string() and self.engine == "duckdb"

    @property
    def steps(self) -> EngineSteps | None:
        """How the engine rounds whole numbers, dates, and times; None if it does not."""
        kind = import_module("ibis").dtype("int64") if self.reads_text else self.kind  # as which texts are read
        return EngineSteps.of(self.line, kind, self.engine, self.cells)

    @property
    def reads_stored(self) -> bool:
        """Whether the engine rounds the entries as the table stores them, rather than numbers in texts."""
        return not self.reads_text and self.steps is not None

    def stages(self, view: ir.Table, place: str, as_one: bool) -> Stages:
        """The stages that read the entries at this ``place`` of the view, which also has their readable form."""
        line, steps, number = self.line, self.steps, place
        if steps is not None and not self.reads_text:
            return (yield from steps.stages(view, stored_name(place), place))
        has_nan = self.kind.is_floating() and self.engine in WITH_NAN
        if line is None or not (self.reads_text or has_nan):
            return view
        if self.reads_text:
            number, text = _number(place), view[readable_name(place)]
            if spellings := self._spellings:  # a number that also spells a missing value leaves as text
                text = text.isin(spellings).ifelse(None, text)
            view = yield {number: text.try_cast(TYPES[line.kind])}
            agreed = _python_agrees(view[number], text, line.kind).fill_null(False)
            view = yield {number: agreed.ifelse(view[number], None), place: agreed.ifelse(None, view[place])}
        if steps is not None:
            view = yield from steps.stages(view, number, number)
        if line.kind == "float":
            multiples = line.float_steps
            if (multiples is not None or self.cells) and not view[number].type().is_float64():
                view = yield {number: view[number].cast("float64")}
            if multiples is not None:
                view = yield from _float_stages(line, multiples, view, number)
            if self.cells:
                view = yield from _first_floats(line, self.cells, view, number)
            view = yield {number: canonical_floats(view[number], self.engine)}
        if self.reads_text and as_one:
            as_text = exported_column(view[number].cast("string"), place, self.engine).comparable
            view = yield {place: view[number].isnull().ifelse(view[place], as_text)}
        return view

    def places(self, place: str) -> list[str]:
        """The columns that :func:`read_columns` makes of the one at this place."""
        return [place, _number(place)] if self.reads_text else [place]

    def present(self, groups: pa.Table, place: str) -> NDArray[np.bool_]:
        """Which entries of the result are there; all of them if the domain allows missing entries."""
        columns = [groups[each] for each in self.places(place)]
        if self._optional or not all(column.null_count for column in columns):
            return np.ones(len(columns[0]), dtype=bool)
        return np.asarray(np.any([arrow_numbers(column.is_valid()) for column in columns], axis=0))

    def imported(self, groups: pa.Table, place: str) -> Array:
        """The entries of the result: numbers, and texts that the line has still to read."""
        line = self.line
        if line is None or not self.reads_text:
            return self.imported_as_one(groups[place])
        column = groups[_number(place)]
        numbers = arrow_numbers(column.drop_null() if column.null_count else column)
        if not column.null_count:
            return numbers
        is_number = arrow_numbers(column.is_valid())
        texts = imported_values(groups[place].filter(~is_number), self.kind, self.engine)
        floats = line.kind == "float" and not self._optional  # otherwise NaN would be a missing entry
        values: Array = np.empty(len(is_number), dtype=float if floats else object)
        values[is_number] = numbers.tolist()
        values[~is_number] = list(map(as_float, line.spell(texts))) if floats else texts
        return values

    @property
    def _optional(self) -> bool:
        return self.domain is not None and self.domain.optional

    @property
    def _spellings(self) -> tuple[str, ...]:
        return self.domain.na if isinstance(self.domain, WithMissing) else ()

    def imported_as_one(self, values: pa.ChunkedArray) -> Array:
        """The entries in the one column that :func:`read_columns` makes; texts are still to be read."""
        steps = self.steps if self.reads_stored else None
        return imported_values(values, self.kind, self.engine) if steps is None else steps.imported(values)


def readings_of(
    table: ir.Table, names: Mapping[str, str], domains: Sequence[Domain], cells: Sequence[tuple[int, ...]] = ()
) -> dict[str, EngineNumbers]:
    """How the columns ``names`` at each place are read; a label, which stands last, has no domain."""
    domain_at, cells_at = dict(zip(names, domains, strict=False)), dict(zip(names, cells, strict=False))
    engine = table.get_backend().name
    return {
        place: EngineNumbers(domain_at.get(place), table[name].type(), engine, cells_at.get(place, ()))
        for place, name in names.items()
    }


def read_columns(view: ir.Table, readings: Mapping[str, EngineNumbers], *, as_one: bool = False) -> ir.Table:
    """The view with the entries at all places as the engine reads them; it also has their readable form.

    With ``as_one``, a number that the engine reads in a text is spelled out, so that each place has a single column.
    The stages of all columns go together: an engine does not answer hundreds of queries within queries.
    """
    unfinished = [reading.stages(view, place, as_one) for place, reading in readings.items()]
    columns = dict[str, "ir.Value"]()
    last_view: ir.Table | None = None
    while unfinished:
        unfinished = [stages for stages in unfinished if _add_stage(stages, last_view, columns)]
        last_view = view = view.mutate(**columns) if columns else view
        columns.clear()
    return view


def _add_stage(stages: Stages, view: ir.Table | None, columns: dict[str, ir.Value]) -> bool:
    """Add the next stage of one column to the ``columns``; False if there is none. ``view`` has the last stage."""
    try:
        columns.update(next(stages) if view is None else stages.send(view))
    except StopIteration:
        return False
    return True


def _number(place: str) -> str:
    return f"{place} number"


def _python_agrees(number: ir.NumericValue, text: ir.StringValue, kind: str) -> ir.BooleanValue:
    """Whether Python, too, reads the text as the ``number`` that DuckDB reads.

    DuckDB also reads +-1, and rounds 0.5 to an integer.
    """
    if kind == "integer":
        return number.cast("string") == text
    return ~number.isinf() & ~number.isnan() & ~text.contains("+") & ~text.contains("_")


def _float_stages(line: Line, multiples: FloatSteps, view: ir.Table, name: str) -> Stages:
    """The multiple that stands for each float; numbers beyond the bounds become infinite, on their side.

    As in :meth:`FloatSteps.numbers`, the first k is wrong by one at most, and two comparisons decide: IEEE 754 says
    what they return.
    """
    low, high, top, bottom = map(_float, (line.low, line.high, *multiples.quotient))
    inside, count = f"{name} inside", f"{name} k"  # columns: floats on the line (low for all others), their k

    def multiple(k: ir.IntegerValue) -> ir.FloatingValue:
        return k.cast("float64") * top / bottom

    x = view[name]
    view = yield {inside: ((x >= low) & (x <= high)).ifelse(x, low)}  # so that k is not too large for an integer
    tiny = view[inside].abs() < _float(float(line.step) * TINY)
    view = yield {count: (tiny.ifelse(_float(0.0), view[inside]) / (top / bottom)).floor().cast("int64")}
    view = yield {count: view[count] + (multiple(view[count] + 1) <= view[inside]).ifelse(1, 0)}
    view = yield {count: view[count] - (multiple(view[count]) > view[inside]).ifelse(1, 0)}
    view = yield {inside: (view[count] == line.ends[0]).ifelse(low, multiple(view[count]))}
    return (yield {name: _infinite_beyond(line, view[name], view[inside])})


def _first_floats(line: Line, cells: Sequence[int], view: ir.Table, name: str) -> Stages:
    """The first float of the cell of each float on the line."""
    firsts = [_float(line.decode(t)) for t in cells]
    return (yield {name: _infinite_beyond(line, view[name], _last_up_to(view[name], firsts))})


def _infinite_beyond(line: Line, x: ir.FloatingValue, inside: ir.FloatingValue) -> ir.FloatingValue:
    """``inside``, if the float x lies on the line; otherwise an infinity on its side, or NaN."""
    low, high = _float(line.low), _float(line.high)
    beyond = (x < low).ifelse(_float(-np.inf), ((x > high) & ~x.isnan()).ifelse(_float(np.inf), x))
    return ((x >= low) & (x <= high)).ifelse(inside, beyond)


def _last_up_to(x: ir.Value, numbers: Sequence[ir.Scalar]) -> ir.Value:
    """The last of these rising numbers that is at most x, which is at least the first; found by halving."""
    half = len(numbers) // 2
    if not half:
        return numbers[0]
    return (x >= numbers[half]).ifelse(_last_up_to(x, numbers[half:]), _last_up_to(x, numbers[:half]))


def _float(number: float) -> ir.FloatingScalar:
    """A float in any engine, to the last bit; an engine could read a plain literal as a decimal."""
    text = {np.inf: "Infinity", -np.inf: "-Infinity"}.get(number, repr(float(number)))
    return import_module("ibis").literal(text).cast("float64")


@dataclass(frozen=True)
class EngineSteps:
    """The entries of a column of this ``kind``, an Ibis type, as counts, which are rounded down to multiples of D.

    If there are cells, they are rounded down to the ``firsts`` instead: the first counts of the cells.
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
        if line is None or engine not in STEPPING:
            return None
        steps = None
        if line.kind == "integer" and kind.is_integer() and not kind.is_uint64() and (cells or line.units > 1):
            steps = cls(kind, engine, line.first, line.last + 1, line.units)
        elif line.kind.startswith("datetime64") and (kind.is_date() or kind.is_timestamp()):
            steps = cls._of_times(line, kind, engine, coarse=bool(cells))
        if steps is None or not steps._in_64_bits:
            return None
        return replace(steps, firsts=tuple(max(steps.low, (line.ends[0] + t) * steps.step) for t in cells))

    @classmethod
    def _of_times(cls, line: Line, kind: dt.DataType, engine: str, *, coarse: bool) -> Self | None:
        unit, multiple = np.datetime_data(line.kind)
        zoned = kind.is_timestamp() and kind.timezone is not None
        if unit not in MICROSECONDS_IN or (zoned and line.zone is not None):
            return None  # Python reads the clocks of a zone, because engines may know other rules for them
        code = int(MICROSECONDS_IN[unit] * MICROSECOND) * multiple  # nanoseconds between two codes of the line
        low, above, step = line.first * code, (line.last + 1) * code, line.units * code
        finest = _finest(kind, engine)
        in_range = low >= FIRST_TIME and max(above, low + finest) <= LAST_TIME
        if not in_range or step % finest or (step == finest and not coarse):
            return None
        count = min(finest, MICROSECOND)
        return cls(kind, engine, -(-low // count), -(-above // count), step // count, count)

    @property
    def _in_64_bits(self) -> bool:
        """Whether 64 bits hold all that the engine computes."""
        return all(number in INT64 for number in (self.low - self.step, self.above + self.step, 2 * self.step))

    def stages(self, view: ir.Table, x: str, name: str) -> Stages:
        """The rounded counts of the entries in column ``x`` as the column ``name``, in exact form."""
        ibis = import_module("ibis")
        low, high = self._first_entry(self.low), self._last_entry(self.above - 1)
        inside, c = f"{name} inside", f"{name} c"  # columns: entries on the line (low for all others), their counts

        def whole(number: int) -> ir.Scalar:
            return ibis.literal(number, "int64")

        entry = view[x] if self.unit is not None else view[x].cast("int64")  # a narrow type could overflow
        view = yield {inside: ((entry >= low) & (entry <= high)).ifelse(entry, low)}
        view = yield {c: self._count(view[inside])}
        view = yield {c: view[c] - (view[c] % whole(self.step) + whole(self.step)) % whole(self.step)}
        if self.firsts:
            view = yield {c: _last_up_to(view[c], [whole(self.low), *map(whole, self.firsts[1:])])}
        entry, below = view[x], whole(self.low - 1)
        count = ibis.cases(
            (~self._in_python(entry), ibis.null("int64")),
            (entry < low, below),
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
            counts = np.array([NO_TIME if each is None else each for each in counts], dtype=np.int64)
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
            kind = type(kind)(timezone=zone)  # PostgreSQL would round a bound to the digits of the column
        return ibis.literal(text if zone is None else f"{text}+00:00").cast(kind)

    def _in_python(self, entry: ir.Value) -> ir.BooleanValue:
        """Whether Python holds an entry, and it is not missing."""
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
    """How many nanoseconds lie between two values of a column, at least."""
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
