"""Hypotheses: boolean functions as values, and what every one of them can do.

A *concept* is a boolean function on a domain; a *hypothesis* is such a function as a value: frozen, readable as a
sentence, evaluated on whole columns, written as JSON.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from copy import copy
from dataclasses import MISSING, dataclass, fields, is_dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from privpac.classes.picture_shapes import Pills, Shape
from privpac.classes.plain_values import Plain, from_plain, parse, to_plain
from privpac.classes.typed_fields import fit_fields
from privpac.data.domains.domain import Domain
from privpac.data.values.tables import records

Labels = NDArray[np.bool_]
Value = Any  # a value of a domain: a number, a text, a time, a tuple of integers, …
Column = Any  # one value for each record, or the columns of a table: a list, an array, a series, a frame, …
FORMAT = 1  # the number of the JSON format; a later format keeps reading earlier ones
LANGUAGES: dict[str, Callable[..., str]] = {}  # functions that write rules as SQL and Python; classes/exports adds them


class Hypothesis(ABC):
    """A boolean function as a value. Subclasses are frozen dataclasses; their fields determine the function.

    >>> h = Hypothesis.from_json('{"privpac": 1, "hypothesis": "Constant", "label": true}')
    >>> print(h, h([3, 1, 4]))
    always [ True  True  True]
    """

    _by_name: ClassVar[dict[str, type[Hypothesis]]] = {}  # all subclasses, for from_json

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if cls.__name__.startswith("_"):
            return  # a private base class, not a hypothesis
        earlier = Hypothesis._by_name.setdefault(cls.__name__, cls)
        if (earlier.__module__, earlier.__qualname__) != (cls.__module__, cls.__qualname__):
            why = "already exists, and JSON needs distinct names; choose another name"
            raise TypeError(f"a hypothesis called {cls.__name__} {why}")
        Hypothesis._by_name[cls.__name__] = cls  # a module that is loaded again replaces its classes

    def __post_init__(self) -> None:
        fit_fields(self)

    @abstractmethod
    def __call__(self, column: Column, /) -> Labels:
        """The label of every entry of a column."""

    @abstractmethod
    def sentence(self, *names: str) -> str:
        """The function in words, using this name for the value or these names for the columns; without names, x."""

    @property
    def constant(self) -> bool | None:
        """The label, if the form of the function shows that every value gets the same one; None otherwise."""
        return None

    @property
    def answers(self) -> tuple[Hashable, ...] | None:
        """The labels that a rule with more than two declared labels may answer; None for a boolean function."""
        return None

    def with_answers(self, labels: Sequence[Hashable]) -> Hypothesis:
        """The rule with labels in place of their numbers (positions in ``labels``); a boolean rule as it is."""
        return self

    @property
    def opposite(self) -> Hypothesis | None:
        """The negation of the rule, if it has a form that reads better than "not" and the rule; None otherwise."""
        return None

    def drawing(self, domain: Domain | None, columns: Sequence[str]) -> tuple[Shape, ...]:
        """The shapes that picture the rule, given what is known about the columns it reads; () if it has no picture."""
        return ()

    def named(self, *columns: str) -> Self:
        """The same rule; when printed, it uses these names for the columns it reads.

        >>> from privpac.classes.lines.rules import Threshold
        >>> print(Threshold(36), Threshold(36).named("age"), Threshold(36).named("age") == Threshold(36), sep="; ")
        x ≥ 36; age ≥ 36; True
        """
        renamed = copy(self)
        object.__setattr__(renamed, "_columns", columns)
        return renamed

    def __str__(self) -> str:
        return self.sentence(*getattr(self, "_columns", ()))

    def to_sql(self, *columns: str) -> str:
        """An SQL expression that is 1 or 0; ``columns`` name the columns if the rule does not (classes/exports)."""
        return LANGUAGES["SQL"](self, columns)

    def to_python(self) -> str:
        """The source of a Python function without imports, ``rule(record)`` or ``rule(x)``."""
        return LANGUAGES["Python"](self)

    def to_json(self) -> str:
        """The function as JSON text, to be read by :meth:`from_json`.

        Python writes and reads integers of at most 4300 digits, unless ``sys.set_int_max_str_digits`` allows more.
        """
        return json.dumps({"privpac": FORMAT} | self._plain())

    @staticmethod
    def from_json(text: str) -> Hypothesis:
        """The hypothesis that :meth:`to_json` wrote; ValueError for any other text."""
        plain = parse(text)
        if not isinstance(plain, dict) or "hypothesis" not in plain:
            raise ValueError("this JSON is not a privpac hypothesis; expected the text that to_json() wrote")
        if plain.pop("privpac", None) != FORMAT:
            raise ValueError(f"this hypothesis was written in another format; this version reads format {FORMAT}")
        return Hypothesis._from_plain(plain)

    def _plain(self) -> dict[str, Plain]:
        """Name and fields in JSON types; fields that are hypotheses are written the same way."""
        values = {field.name: _field_to_plain(getattr(self, field.name)) for field in fields(self)}  # type: ignore[arg-type]
        return {"hypothesis": type(self).__name__} | values

    @staticmethod
    def _from_plain(plain: dict[str, Plain]) -> Hypothesis:
        name = plain["hypothesis"]
        cls = Hypothesis._by_name.get(name) if isinstance(name, str) else None
        defaults: dict[str, Any] = {field.name: field.default for field in fields(cls)} if is_dataclass(cls) else {}
        # JSON of an earlier version may lack fields that have defaults.
        required = {field for field, default in defaults.items() if default is MISSING}
        if cls is None or not defaults or not {"hypothesis", *required} <= set(plain) <= {"hypothesis", *defaults}:
            raise ValueError("this JSON names a hypothesis, or parts of one, unknown to this version; upgrade privpac")
        try:
            return cls(**{field: _field_from_plain(value) for field, value in plain.items() if field != "hypothesis"})
        except (TypeError, ValueError, KeyError, ArithmeticError, RecursionError):
            # The message of the first error may quote the text, so it is not shown.
            raise ValueError(f"this JSON does not describe a {name} as to_json() writes it") from None


def value_name(names: Sequence[str]) -> str:
    """The name of a value in a sentence: the name if there is exactly one, otherwise x."""
    return names[0] if len(names) == 1 else "x"


def _field_to_plain(value: Value) -> Plain:
    if isinstance(value, Hypothesis):
        return value._plain()
    if isinstance(value, tuple) and value and all(isinstance(member, Hypothesis) for member in value):
        return [member._plain() for member in value]
    return to_plain(value)


def _field_from_plain(plain: Plain) -> Value:
    if isinstance(plain, dict) and "hypothesis" in plain:
        return Hypothesis._from_plain(plain)
    if isinstance(plain, list):
        return tuple(Hypothesis._from_plain(member) for member in plain)
    return from_plain(plain)


@dataclass(frozen=True)
class Constant(Hypothesis):
    """The same label everywhere.

    >>> print(Constant(False))
    never
    """

    label: bool

    @property
    def constant(self) -> bool:
        return self.label

    def __call__(self, column: Column, /) -> Labels:
        return np.full(records(column), self.label)

    def sentence(self, *names: str) -> str:
        return "always" if self.label else "never"

    def drawing(self, domain: Domain | None, columns: Sequence[str]) -> tuple[Shape, ...]:
        return (Pills((("every record", self.label),)),)
