"""Numbers that an engine reads as a line does, so that few groups leave it.

Lines are public, and so is what happens here. On a line with a step, each number is replaced by the multiple that
stands for it, so 5·10⁷ distinct floats become as many groups as the line has multiples. Whole numbers, dates, and times
are rounded as counts (privpac.data.engine_steps). In DuckDB, a text that spells a number in a plain way is read there;
other spellings leave as text and are read in Python. Either way, the line reads what arrives as it would have read what
was there.

proof: docs/proofs/engines.md

Throughout this file
    x      a number of a record       s      the step, top / bottom       k      a whole number: the multiple k·s

Main declarations
    EngineNumbers    how the numbers of one column are read: in the engine, and when they arrive
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.data.codes import as_float
from privpac.data.domain import Domain
from privpac.data.engine_steps import EngineSteps
from privpac.data.engine_views import stored_name, told_name
from privpac.data.forms import WITH_NAN, arrived, form, one_zero
from privpac.data.line import Line

TINY = 2.0**-50  # of a step; PostgreSQL stops at a quotient that is too small for a float
TYPES = {"float": "float64", "integer": "int64"}  # as which DuckDB reads texts on lines of these kinds


@dataclass(frozen=True)
class EngineNumbers:
    """The entries of a column of this ``kind``, an Ibis type, that ``domain`` reads in an engine."""

    domain: Domain | None
    kind: Any
    engine: str

    @property
    def line(self) -> Line | None:
        """The line that reads the entries, if there is one."""
        return None if self.domain is None else self.domain.line

    @property
    def spelled(self) -> bool:
        """Whether the engine reads texts: a number then arrives in a second column."""
        line = self.line
        return line is not None and line.kind in TYPES and self.kind.is_string() and self.engine == "duckdb"

    @property
    def steps(self) -> EngineSteps | None:
        """How the engine rounds whole numbers, dates, and times; None if it does not."""
        kind = import_module("ibis").dtype("int64") if self.spelled else self.kind  # as which it reads texts
        return EngineSteps.of(self.line, kind, self.engine)

    @property
    def counts(self) -> bool:
        """Whether the engine counts the entries themselves, and not what they spell."""
        return not self.spelled and self.steps is not None

    def read(self, view: Any, place: str) -> Any:
        """The view with entries at this ``place`` as the engine reads them; it also has them as told and as stored."""
        line, steps = self.line, self.steps
        if steps is not None and not self.spelled:
            return steps.rounded(view, stored_name(place), place)
        if line is None or not (self.spelled or (self.kind.is_floating() and self.engine in WITH_NAN)):
            return view
        number = place
        if self.spelled:
            number, told = _number(place), view[told_name(place)]
            view = view.mutate(**{number: told.try_cast(TYPES[line.kind])})
            view = view.mutate(**{number: _plainly(view[number], told, line.kind).ifelse(view[number], None)})
            view = view.mutate(**{place: view[number].isnull().ifelse(view[place], None)})
        if steps is not None:
            view = steps.rounded(view, number, number)
        if line.float_steps is not None:
            view = _stepped(line, view, number)
        return view.mutate(**{number: one_zero(view[number], self.engine)}) if line.kind == "float" else view

    def read_as_one(self, view: Any, place: str) -> Any:
        """The same, in a single column: a number that the engine reads in a text is spelled out again."""
        view = self.read(view, place)
        if not self.spelled:
            return view
        again = form(view[_number(place)].cast("string"), place, self.engine).exact
        return view.mutate(**{place: view[_number(place)].isnull().ifelse(view[place], again)})

    def places(self, place: str) -> list[str]:
        """The columns that :meth:`read` makes of the one at this place."""
        return [place, _number(place)] if self.spelled else [place]

    def there(self, found: Any, place: str) -> NDArray[np.bool_]:
        """Which entries of the result are not missing."""
        columns = [found[each] for each in self.places(place)]
        if not all(each.null_count for each in columns):
            return np.ones(len(columns[0]), dtype=bool)
        return np.asarray(np.any([each.is_valid().to_numpy() for each in columns], axis=0))

    def arrived(self, found: Any, place: str) -> NDArray[Any]:
        """The entries of the result: numbers, and texts that the line has still to read."""
        line = self.line
        if line is None or not self.spelled:
            return self.arrived_as_one(found[place])
        numbers = found[_number(place)]
        read = np.asarray((numbers.drop_null() if numbers.null_count else numbers).to_numpy())
        if not numbers.null_count:
            return read
        there = numbers.is_valid().to_numpy()
        others = arrived(found[place].filter(~there), self.kind, self.engine)
        values: NDArray[Any] = np.empty(len(there), dtype=float if line.kind == "float" else object)
        values[there] = read.tolist()
        values[~there] = list(map(as_float, line.spell(others))) if line.kind == "float" else others
        return values

    def arrived_as_one(self, values: Any) -> NDArray[Any]:
        """The entries in the column that :meth:`read_as_one` makes; texts are still to be read."""
        steps = self.steps if self.counts else None
        return arrived(values, self.kind, self.engine) if steps is None else steps.arrived(values)


def _number(place: str) -> str:
    return f"{place} number"


def _plainly(number: Any, told: Any, kind: str) -> Any:
    """Whether a text, which DuckDB reads as ``number``, spells it in a way that Python reads alike.

    DuckDB also reads +-1, and rounds 0.5 to an integer.
    """
    if kind == "integer":
        return number.cast("string") == told
    return ~number.isinf() & ~number.isnan() & ~told.contains("+") & ~told.contains("_")


def _stepped(line: Line, view: Any, name: str) -> Any:
    """The multiple that stands for each number; numbers beyond the bounds become infinite, on their side.

    As in :meth:`privpac.data.steps.FloatSteps.numbers`, the first k is wrong by one at most, and two comparisons
    decide: IEEE 754 says what they return. Each step is a query of its own, since SQL repeats an expression wherever it
    is used.
    """
    steps = line.float_steps
    assert steps is not None
    low, high, top, bottom = map(_float, (line.low, line.high, *steps.quotient))

    def multiple(k: Any) -> Any:
        return k.cast("float64") * top / bottom

    view = view.mutate(**{name: view[name].cast("float64")})
    x = view[name]
    view = view.mutate(inside=((x >= low) & (x <= high)).ifelse(x, low))  # so that k is not too large for an integer
    tiny = view.inside.abs() < _float(float(line.step) * TINY)
    view = view.mutate(k=(tiny.ifelse(_float(0.0), view.inside) / (top / bottom)).floor().cast("int64"))
    view = view.mutate(k=view.k + (multiple(view.k + 1) <= view.inside).ifelse(1, 0))
    view = view.mutate(k=view.k - (multiple(view.k) > view.inside).ifelse(1, 0))
    view = view.mutate(inside=(view.k == line.ends[0]).ifelse(low, multiple(view.k)))
    x = view[name]
    beyond = (x < low).ifelse(_float(-np.inf), ((x > high) & ~x.isnan()).ifelse(_float(np.inf), x))
    return view.mutate(**{name: ((x >= low) & (x <= high)).ifelse(view.inside, beyond)}).drop("inside", "k")


def _float(number: float) -> Any:
    """A float in any engine, to the last bit: written as a literal, it could be a decimal first."""
    text = {np.inf: "Infinity", -np.inf: "-Infinity"}.get(number, repr(float(number)))
    return import_module("ibis").literal(text).cast("float64")
