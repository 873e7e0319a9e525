"""One declared column of a table: its possible values, and the rules that may ask about it."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from privpac.classes.compositions.compose import OnColumn
from privpac.classes.concept_class import ConceptClass
from privpac.classes.hypothesis import Value
from privpac.classes.lines.declared_line import ENDS
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.shell_options import bound, step_of
from privpac.classes.tree_orders.paths import StartsWith
from privpac.classes.values.points import Categories, Points, as_declared
from privpac.data.domains.line_steps import FINEST
from privpac.data.files.date_formats import DateFormat
from privpac.data.values.allowed_types import missing
from privpac.data.values.line_codes import as_float
from privpac.data.values.value_text import LONGEST_DECIMAL, value_text
from privpac.refusals.option_words import ColumnKind, LineKind, words_of
from privpac.refusals.refusal import Refused

LINES = words_of(LineKind)
KEYS: dict[str, tuple[str, ...]] = {  # the keys that only columns of this kind may have
    **dict.fromkeys(LINES, ("low", "high", "step")),
    **dict.fromkeys(("date", "datetime"), ("low", "high", "step", "format")),
    "category": ("values", "open"),
    "text": (),
    "code": ("separator", "height", "values"),
}
TYPES: dict[str, tuple[type, ...]] = {  # the types of bounds; a text such as "2^64-1" is read as on the command line
    "integer": (int,),
    "decimal": (int, float, Decimal),
    "float64": (int, float, Decimal),
    "date": (date,),
    "datetime": (datetime,),
}
KEYS_OF_KINDS = tuple(dict.fromkeys(key for keys in KEYS.values() for key in keys))
DURATION = re.compile(r"[1-9][0-9]{0,8}[dhms]")
EXAMPLES = {  # of bounds, for refusals
    "integer": "a whole number like 120",
    "decimal": "a number like 99.50",
    "float64": "a number like 99.5",
    "date": "a date like 2026-01-31, without quotes",
    "datetime": "a time like 2026-01-31T12:00:00, without quotes",
}
FLAGS = ("open", "missing")
TEXTS = ("separator", "description")
PUBLIC = "declare it from what you know about the column, not from the records, because bounds are public"


@dataclass(frozen=True)
class Column:
    """A column by its name and its kind.

    A column of ``kind`` integer, decimal, float64, date, or datetime has all values from ``low`` to ``high``; a
    ``step`` makes cuts readable. A category has the declared ``values``, or any value if it is ``open``. Text is any
    text. A code is a path whose steps are characters, or components with a ``separator`` between them; rules ask
    whether it starts with one of the ``values``, if these are declared. Dates and times in files may have another
    ``format`` than 2026-01-31.

    With ``missing``, an entry may be absent, and rules may ask whether it is; ``na`` are texts that stand for that.

    >>> Column("age", "integer", low=0, high=120).concept_class.size
    242
    >>> Column("ward", "category", values=("A", "B", "A"))
    Traceback (most recent call last):
    privpac.refusals.refusal.Refused: 'A' is among the values twice; name each value once
    """

    name: str
    kind: ColumnKind
    low: Value = None
    high: Value = None
    step: Any = None
    values: Sequence[Hashable] | None = None
    open: bool = False
    separator: str | None = None
    height: int | None = None
    description: str = ""
    missing: bool = False
    na: Sequence[str] = ()
    format: str | None = None

    def __post_init__(self) -> None:
        if type(self.kind) is not str or self.kind not in KEYS:
            raise Refused("kind", f"kind must be one of {', '.join(KEYS)}")
        keys = [key for key in KEYS_OF_KINDS if getattr(self, key) is not None and getattr(self, key) is not False]
        if foreign := [key for key in keys if key not in KEYS[self.kind]]:
            fitting = ", ".join(KEYS[self.kind]) or "only a description"
            remove = f"remove it (it may have {fitting})"
            raise Refused(foreign[0], f"a column of kind {self.kind} has no {foreign[0]}; {remove}")
        for keys_of_type, type_, wanted in ((FLAGS, bool, "true or false"), (TEXTS, str, "text")):
            for key in keys_of_type:
                if type(getattr(self, key)) not in (type_, type(None)):
                    raise Refused(key, f"{key} must be {wanted}")
        for key in ("low", "high") if self.kind in LINES else ():
            object.__setattr__(self, key, self._bound(key))
        _check_step(self.kind, self.step)
        if self.format is not None:
            DateFormat(self.format)
        if self.values is not None:
            object.__setattr__(self, "values", _distinct(self.values))
            if self.kind == "code" and not all(isinstance(value, str) for value in self.values):
                raise Refused("values", 'the values of a code must be texts, such as ["J10", "K"]')
        if self.kind == "category" and (self.values is None) == (not self.open):
            reason = "a category needs values = [...], all that may occur, or open = true: one of the two"
            raise Refused("values", reason)
        object.__setattr__(self, "na", _spellings(self.na, self.missing))
        _ = self.part.domain  # refuses keys that do not fit together

    @property
    def ordered(self) -> bool:
        """Whether the values are in order, so that rules can cut them."""
        return self.kind in LINES

    @property
    def categories(self) -> Sequence[Hashable] | None:
        """All values that may occur, if they are declared one by one. (The values of a code are prefixes.)"""
        return self.values if self.kind == "category" else None

    @property
    def testable(self) -> bool:
        """Whether the tests on this column can be listed: it has cuts or declared values."""
        return self.ordered or self.values is not None

    @property
    def concept_class(self) -> ConceptClass:
        """The rules about this column alone: cuts, equality with a value, or prefixes."""
        if self.ordered:
            step = None if self.step is None else step_of(str(self.step))
            return Thresholds(self.low, self.high, kind=self.kind if self.kind in ENDS else None, step=step)
        if self.kind == "code":
            prefixes = StartsWith(self.separator or None, self.height)
            return prefixes if self.values is None else prefixes.among(self.values)
        return Points() if self.values is None else Categories(self.values)

    @property
    def part(self) -> ConceptClass:
        """The class on this column, as a part of trees and of other compositions."""
        return OnColumn(self.concept_class, self.name, missing=self.missing, na=self.na)

    @property
    def options(self) -> dict[str, Any]:
        """The declaration as options of a class on the command line."""
        if self.ordered:
            line = {"low": self.low, "high": self.high, "kind": self.kind, "step": self.step}
            return {name: str(value) for name, value in line.items() if value is not None}
        code = {"separator": self.separator or "", "height": self.height} if self.kind == "code" else {}
        return {name: value for name, value in code.items() if value is not None}

    def _bound(self, key: str) -> Value:
        """The bound ``key`` (low or high), in the type of the column's kind."""
        value = getattr(self, key)
        if value is None:
            raise Refused(key, f"a column of kind {self.kind} needs {key}; {PUBLIC}")
        if isinstance(value, str):
            return bound(value, self.kind, key)
        has_type = isinstance(value, TYPES[self.kind]) and not isinstance(value, bool)
        if not has_type or (self.kind == "date" and isinstance(value, datetime)):
            raise Refused(key, f"{key} must be {EXAMPLES[self.kind]}, for a column of kind {self.kind}")
        _check_length(key, value)
        if self.kind == "decimal":
            return Decimal(repr(value)) if type(value) is float else Decimal(value)
        if self.kind == "float64":
            return as_float(value)
        return value if type(value) in TYPES[self.kind] else bound(str(value), self.kind, key)  # pandas' Timestamp


def _check_length(key: str, value: Value) -> None:
    """Refuse integers that are too long for Python to write in decimal; in TOML they may be hexadecimal."""
    if isinstance(value, int) and value.bit_length() > LONGEST_DECIMAL:
        raise Refused(key, f"{key} is too long; write a number of at most 4000 digits")


def _check_step(kind: str, step: Any) -> None:
    if step is None or step == FINEST:
        return
    if kind in ("date", "datetime"):
        if not isinstance(step, str) or not DURATION.fullmatch(step):
            raise Refused("step", 'step must be a duration such as "7d", "1h", or "15m", or "finest"')
        return
    _check_length("step", step)
    is_integer = kind == "integer"
    is_number = isinstance(step, int if is_integer else int | Decimal | float) and not isinstance(step, bool)
    if not is_number or missing(step) or not 0 < step < math.inf:
        what = "whole number such as 5" if is_integer else "number such as 0.1"
        raise Refused("step", f'step must be a positive {what}, or "finest"')


def _spellings(texts: object, missing: bool) -> tuple[str, ...]:
    """The texts that stand for a missing entry."""
    if not isinstance(texts, list | tuple) or not all(isinstance(text, str) for text in texts):
        raise Refused("na", 'na must be a list of texts, such as ["", "NA", "?"]')
    if texts and not missing:
        raise Refused("na", "na says how a missing entry is spelled; declare missing = true as well")
    return tuple(texts)


def _distinct(values: object) -> tuple[Hashable, ...]:
    """Declared values, each once."""
    if not isinstance(values, list | tuple) or not all(
        isinstance(value, str | int | date | Decimal) for value in values
    ):
        raise Refused("values", 'values must be a list of texts, numbers, or dates, such as ["A", "B"]')
    if not values:
        raise Refused("values", "values must name at least one value")
    repeated = next((value for value, times in Counter(values).items() if times > 1), None)
    if repeated is not None:
        name = repr(repeated) if isinstance(repeated, str) else value_text(repeated)
        raise Refused("values", f"{name} is among the values twice; name each value once")
    return as_declared(values)
