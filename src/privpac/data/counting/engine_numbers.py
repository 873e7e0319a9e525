"""Numbers that an engine reads as a line does, so that few groups leave it.

On a line with a step, each number is replaced by the multiple that stands for it, so 5·10⁷ distinct floats become as
many groups as the line has multiples. If an algorithm tells only cells of a line apart, the first value of a cell
stands for all of them. In DuckDB, a text that spells a number in a plain way is read there; other spellings leave as
text and are read in Python. Either way, the line reads what arrives as it would have read what was there.

:class:`EngineNumbers` reads one column, and :func:`read_columns` all columns of a table together. Floats are rounded
here; whole numbers, dates, and times in ``engine_steps``.

proof: docs/proofs/engines.md

Throughout this file
    x      an entry of a column       s      the step, top / bottom       k      a whole number: the multiple k·s
    cells  where cells begin, as places on the line (see Line.encode), in order, from 0 on; () if each value is one
    place  x0, x1, …, y: the column of a view that holds the entries of a column of the table
    stage  one query within the others that read a column: it yields new columns, and receives the view that has them
           (see ``engine_steps``)
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

# In steps: for the first k, a number nearer to 0 than this is taken as 0, because PostgreSQL fails on a quotient that
# is too small for a float. The comparisons then correct k.
TINY = 2.0**-50
TYPES = {"float": "float64", "integer": "int64"}  # how DuckDB reads texts on lines of these kinds


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
        # Whole numbers in texts are read as int64.
        kind = import_module("ibis").dtype("int64") if self.reads_text else self.kind
        return EngineSteps.of(self.line, kind, self.engine, self.cells)

    @property
    def reads_stored(self) -> bool:
        """Whether the engine rounds the entries as the table stores them, rather than numbers in texts."""
        return not self.reads_text and self.steps is not None

    def stages(self, view: ir.Table, place: str, as_one: bool) -> Stages:
        """The stages that read the entries at this ``place`` of the view, which also has a readable or stored form."""
        line, steps, number = self.line, self.steps, place
        if steps is not None and not self.reads_text:
            return (yield from steps.stages(view, stored_name(place), place))
        has_nan = self.kind.is_floating() and self.engine in WITH_NAN
        if line is None or not (self.reads_text or has_nan):
            return view
        if self.reads_text:
            number, text = _number(place), view[readable_name(place)]
            # A number that stands for a missing entry leaves as text.
            if isinstance(self.domain, WithMissing) and self.domain.na:
                text = text.isin(self.domain.na).ifelse(None, text)
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
        """Which entries of the result are not null; True for all of them if the domain allows missing entries."""
        columns = [groups[each] for each in self.places(place)]
        if self._optional or not all(column.null_count for column in columns):
            return np.ones(len(columns[0]), dtype=bool)
        return np.asarray(np.any([arrow_numbers(column.is_valid()) for column in columns], axis=0))

    def imported(self, groups: pa.Table, place: str) -> Array:
        """The entries of the result: numbers, and texts that the line still has to read."""
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

    def imported_as_one(self, values: pa.ChunkedArray) -> Array:
        """The entries in the one column that :func:`read_columns` makes; texts are still to be read."""
        steps = self.steps if self.reads_stored else None
        return imported_values(values, self.kind, self.engine) if steps is None else steps.imported(values)


def readings_of(
    table: ir.Table, names: Mapping[str, str], domains: Sequence[Domain], cells: Sequence[tuple[int, ...]] = ()
) -> dict[str, EngineNumbers]:
    """How the columns ``names`` at each place are read; a label, which comes last, has no domain."""
    domain_at, cells_at = dict(zip(names, domains, strict=False)), dict(zip(names, cells, strict=False))
    engine = table.get_backend().name
    return {
        place: EngineNumbers(domain_at.get(place), table[name].type(), engine, cells_at.get(place, ()))
        for place, name in names.items()
    }


def read_columns(view: ir.Table, readings: Mapping[str, EngineNumbers], *, as_one: bool = False) -> ir.Table:
    """The view with the entries at all places as the engine reads them; it also has their readable form.

    With ``as_one``, a number that the engine reads in a text is spelled out, so that each place has a single column.
    The stages of all columns go together: engines fail on hundreds of nested queries.
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

    As in :meth:`FloatSteps.numbers`, the first k is off by at most one, and two comparisons correct it: IEEE 754 says
    what they return.
    """
    low, high, top, bottom = map(_float, (line.low, line.high, *multiples.quotient))
    inside, count = (
        f"{name} inside",
        f"{name} k",
    )  # floats on the line (low for others), at last their multiples; k

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
    return (yield {name: _infinite_beyond(line, view[name], last_up_to(view[name], firsts))})


def _infinite_beyond(line: Line, x: ir.FloatingValue, inside: ir.FloatingValue) -> ir.FloatingValue:
    """``inside``, if the float x lies on the line; otherwise an infinity on its side, or NaN."""
    low, high = _float(line.low), _float(line.high)
    beyond = (x < low).ifelse(_float(-np.inf), ((x > high) & ~x.isnan()).ifelse(_float(np.inf), x))
    return ((x >= low) & (x <= high)).ifelse(inside, beyond)


def _float(number: float) -> ir.FloatingScalar:
    """A float in any engine, to the last bit; an engine could read a plain literal as a decimal."""
    text = {np.inf: "Infinity", -np.inf: "-Infinity"}.get(number, repr(float(number)))
    return import_module("ibis").literal(text).cast("float64")
