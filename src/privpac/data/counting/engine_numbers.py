"""Numbers that an engine rounds as a line would, so that fewer groups of equal values leave it.

On a line with a step, each number is replaced by the multiple of the step that stands for it, so 5·10⁷ distinct floats
become no more groups than the line has multiples. If an algorithm distinguishes only cells of a line, the first value
of a cell stands for all its values. DuckDB also reads texts that spell numbers in a plain way; other spellings leave as
text, and Python reads them. In each case, the line reads what arrives as it would have read the original entry.

:class:`EngineNumbers` reads one column, and :func:`read_columns` all columns of a table together. Floats are rounded
here; whole numbers, dates, and times in ``engine_steps``.

proof: docs/proofs/engines.md

Throughout this file
    x      an entry of a column       s      the step, top / bottom       k      a whole number: the multiple k·s
    cells  the number (see Line.encode) of the first value of each cell, in order, beginning with 0; () if each value
           is a cell of its own
    place  the name that a view gives to a column of the table: x0, x1, …, y
    stage  one of the nested queries that read a column: it yields new columns and receives the view that has them (see
           ``engine_steps``)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from privpac.data.counting.engine_steps import EngineSteps, Stages, last_up_to
from privpac.data.domains.domain import Domain
from privpac.data.domains.line import Line
from privpac.data.domains.line_steps import FloatSteps
from privpac.data.domains.with_missing import WithMissing
from privpac.data.engines.exact_forms import WITH_NAN, canonical_floats, exported_column, imported_values
from privpac.data.engines.views import readable_name, stored_name
from privpac.data.values.columns import Array, arrow_numbers
from privpac.data.values.line_codes import as_float

if TYPE_CHECKING:
    import ibis.expr.datatypes as dt
    import ibis.expr.types as ir
    import pyarrow as pa

# In ``_float_stages``, |x| < TINY·s counts as x = 0 at first, because PostgreSQL fails on a quotient that is too small
# for a float.
TINY = 2.0**-50
TYPES = {"float": "float64", "integer": "int64"}  # the types as which DuckDB reads texts on lines of these kinds


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
        """Whether the engine reads numbers that texts spell; these numbers arrive in a second column."""
        line = self.line
        return line is not None and line.kind in TYPES and self.kind.is_string() and self.engine == "duckdb"

    @property
    def steps(self) -> EngineSteps | None:
        """How the engine rounds whole numbers, dates, and times; None if it does not."""
        # Whole numbers in texts are read as int64.
        kind = import_module("ibis").dtype("int64") if self.reads_text else self.kind
        return EngineSteps.of(self.line, kind, self.engine, self.cells)

    @property
    def reads_stored(self) -> bool:
        """Whether the engine rounds the entries as the table stores them, rather than numbers in texts."""
        return not self.reads_text and self.steps is not None

    def stages(self, view: ir.Table, place: str, as_one: bool) -> Stages:
        """The stages that read the entries at this ``place`` of the view, which also has a readable or stored form.

        With ``as_one``, numbers in texts end in the same column as other texts, and not in a second one.
        """
        line, steps = self.line, self.steps
        number = place  # the column that holds the numbers
        if steps is not None and not self.reads_text:
            return (yield from steps.stages(view, stored_name(place), place))
        has_nan = self.kind.is_floating() and self.engine in WITH_NAN
        if line is None or not (self.reads_text or has_nan):
            return view
        if self.reads_text:
            number, text = _number_column(place), view[readable_name(place)]
            # A text that is declared to stand for a missing entry leaves as text, even if it spells a number.
            if isinstance(self.domain, WithMissing) and self.domain.na:
                text = text.isin(self.domain.na).ifelse(None, text)
            view = yield {number: text.try_cast(TYPES[line.kind])}
            is_same = _python_agrees(view[number], text, line.kind).fill_null(False)
            view = yield {number: is_same.ifelse(view[number], None), place: is_same.ifelse(None, view[place])}
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
        """The columns into which :func:`read_columns` turns the one at this place."""
        return [place, _number_column(place)] if self.reads_text else [place]

    def present(self, groups: pa.Table, place: str) -> NDArray[np.bool_]:
        """Which entries of the result are not null; True for all of them if the domain allows missing entries."""
        columns = [groups[column] for column in self.places(place)]
        if self._optional or not all(column.null_count for column in columns):
            return np.ones(len(columns[0]), dtype=bool)
        return np.asarray(np.any([arrow_numbers(column.is_valid()) for column in columns], axis=0))

    def imported(self, groups: pa.Table, place: str) -> Array:
        """The entries of the result: numbers, and texts, which the line reads later."""
        line = self.line
        if line is None or not self.reads_text:
            return self.imported_as_one(groups[place])
        column = groups[_number_column(place)]
        numbers = arrow_numbers(column.drop_null() if column.null_count else column)
        if not column.null_count:
            return numbers
        is_number = arrow_numbers(column.is_valid())
        texts = imported_values(groups[place].filter(~is_number), self.kind, self.engine)
        as_floats = line.kind == "float" and not self._optional  # otherwise NaN would pass for a missing entry
        values: Array = np.empty(len(is_number), dtype=float if as_floats else object)
        values[is_number] = numbers.tolist()
        values[~is_number] = list(map(as_float, line.spell(texts))) if as_floats else texts
        return values

    @property
    def _optional(self) -> bool:
        return self.domain is not None and self.domain.optional

    def imported_as_one(self, values: pa.ChunkedArray) -> Array:
        """The entries of a column that :func:`read_columns` made ``as_one``; the line reads texts later."""
        steps = self.steps if self.reads_stored else None
        return imported_values(values, self.kind, self.engine) if steps is None else steps.imported(values)


def readings_of(
    table: ir.Table, names: Mapping[str, str], domains: Sequence[Domain], cells: Sequence[tuple[int, ...]] = ()
) -> dict[str, EngineNumbers]:
    """How the engine reads the column ``names[place]`` at each place; a label, which comes last, has no domain."""
    domain_at, cells_at = dict(zip(names, domains, strict=False)), dict(zip(names, cells, strict=False))
    engine = table.get_backend().name
    return {
        place: EngineNumbers(domain_at.get(place), table[name].type(), engine, cells_at.get(place, ()))
        for place, name in names.items()
    }


def read_columns(view: ir.Table, readings: Mapping[str, EngineNumbers], *, as_one: bool = False) -> ir.Table:
    """The view, in which the engine has read the entries at all places; it must also have their readable form.

    With ``as_one``, a number that the engine reads in a text becomes a text again, so that each place has a single
    column. Stages of different columns share their queries, because engines fail on hundreds of nested queries.
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
    """Add the next stage of one column to ``columns``; False if there is none. ``view`` has the stage before it."""
    try:
        columns.update(next(stages) if view is None else stages.send(view))
    except StopIteration:
        return False
    return True


def _number_column(place: str) -> str:
    """The column for the numbers that the texts at this place spell."""
    return f"{place} number"


def _python_agrees(number: ir.NumericValue, text: ir.StringValue, kind: str) -> ir.BooleanValue:
    """Whether Python, too, reads the text as the ``number`` that DuckDB reads.

    Unlike Python, DuckDB reads +-1, and it rounds 0.5 to an integer.
    """
    if kind == "integer":
        return number.cast("string") == text
    return ~number.isinf() & ~number.isnan() & ~text.contains("+") & ~text.contains("_")


def _float_stages(line: Line, multiples: FloatSteps, view: ir.Table, name: str) -> Stages:
    """The multiple that stands for each float; numbers below the line become −inf, and those above it inf.

    As in :meth:`FloatSteps.numbers`, the first k is off by at most one, and two comparisons correct it. IEEE 754 fixes
    their results.
    """
    low, high, top, bottom = map(_float, (line.low, line.high, *multiples.quotient))
    inside, count = f"{name} inside", f"{name} k"  # columns: floats on the line and then their multiples; k

    def multiple(k: ir.IntegerValue) -> ir.FloatingValue:
        return k.cast("float64") * top / bottom

    x = view[name]
    view = yield {inside: ((x >= low) & (x <= high)).ifelse(x, low)}  # otherwise k could be too large for an integer
    is_tiny = view[inside].abs() < _float(float(line.step) * TINY)
    view = yield {count: (is_tiny.ifelse(_float(0.0), view[inside]) / (top / bottom)).floor().cast("int64")}
    view = yield {count: view[count] + (multiple(view[count] + 1) <= view[inside]).ifelse(1, 0)}
    view = yield {count: view[count] - (multiple(view[count]) > view[inside]).ifelse(1, 0)}
    view = yield {inside: (view[count] == line.ends[0]).ifelse(low, multiple(view[count]))}
    return (yield {name: _infinite_beyond(line, view[name], view[inside])})


def _first_floats(line: Line, cells: Sequence[int], view: ir.Table, name: str) -> Stages:
    """For each float on the line, the first float of its cell."""
    firsts = [_float(line.decode(number)) for number in cells]
    return (yield {name: _infinite_beyond(line, view[name], last_up_to(view[name], firsts))})


def _infinite_beyond(line: Line, x: ir.FloatingValue, inside: ir.FloatingValue) -> ir.FloatingValue:
    """``inside`` if the float x lies on the line; −inf if x lies below it, inf if it lies above it, and NaN for NaN."""
    low, high = _float(line.low), _float(line.high)
    beyond = (x < low).ifelse(_float(-np.inf), ((x > high) & ~x.isnan()).ifelse(_float(np.inf), x))
    return ((x >= low) & (x <= high)).ifelse(inside, beyond)


def _float(number: float) -> ir.FloatingScalar:
    """A float, exact to the last bit in any engine; an engine could read a plain literal as a decimal."""
    text = {np.inf: "Infinity", -np.inf: "-Infinity"}.get(number, repr(float(number)))
    return import_module("ibis").literal(text).cast("float64")
