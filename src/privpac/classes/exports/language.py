"""What a language must be able to say about values and columns, so that rules can be exported to it.

A condition on a missing value is false, just as the label of a rule is False there.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from decimal import Decimal

import numpy as np

from privpac.classes.hypothesis import Value
from privpac.data.domains.line import Line
from privpac.data.domains.paths import PathNode
from privpac.refusals.refusal import Refused

Column = str | int | None  # a name, a position, or None for the one value that a rule on a bare column reads
# Text that shows that a condition has parts.
JOINTS = (" AND ", " OR ", " and ", " or ", "NOT ", "not ")


class Language(ABC):
    """How conditions on a value ``x`` are written; each method returns a condition, unless it says otherwise."""

    @abstractmethod
    def column(self, key: str | int, names: Sequence[str]) -> str:
        """The value of the record in a column; ``names`` are the names of all columns, by position."""

    @abstractmethod
    def value(self, names: Sequence[str]) -> str:
        """The value that a rule on a bare column reads; ``names`` has the name of that column."""

    def read(self, key: Column, names: Sequence[str]) -> str:
        """The value of the record in a column, or the value that a rule on a bare column reads."""
        return self.value(names) if key is None else self.column(key, names)

    @abstractmethod
    def constant(self, label: bool) -> str:
        """Always, or never."""

    @abstractmethod
    def at_least(self, x: str, cut: Value) -> str:
        """The condition x ≥ cut."""

    @abstractmethod
    def below(self, x: str, cut: Value) -> str:
        """The condition x < cut."""

    @abstractmethod
    def at_most(self, x: str, cut: Value) -> str:
        """The condition x ≤ cut."""

    @abstractmethod
    def among(self, x: str, values: Iterable[Value]) -> str:
        """x equals one of the values."""

    @abstractmethod
    def missing(self, x: str, spellings: Sequence[str], nan: bool) -> str:
        """x is missing, or one of the texts ``spellings``; ``nan`` says whether it may be NaN."""

    @abstractmethod
    def starts_with(self, x: str, node: PathNode, separator: str | None) -> str:
        """x is a path through the node."""

    @abstractmethod
    def ends_with(self, x: str, node: PathNode, separator: str | None) -> str:
        """x is a path whose last steps are those of the node."""

    @abstractmethod
    def on_path(self, x: str, node: PathNode, separator: str | None) -> str:
        """x is a node on the path."""

    @abstractmethod
    def includes(self, x: str, codes: Iterable[str], separator: str) -> str:
        """x is a text that names at least one of the codes, with this separator and perhaps spaces between them."""

    @abstractmethod
    def junction(self, word: str, parts: Sequence[str]) -> str:
        """All of the parts hold, or at least one does; the word is "and" or "or"."""

    @abstractmethod
    def negation(self, part: str) -> str:
        """The part does not hold."""

    @abstractmethod
    def points(self, scored: Sequence[tuple[str, int]], enough: int) -> str:
        """The points of the conditions that hold add up to at least ``enough``.

        ``scored`` has the pairs (condition, points).
        """

    @abstractmethod
    def congruence(self, terms: Sequence[tuple[str, int]], remainder: int, p: int) -> str:
        """The sum of value · factor over the pairs in ``terms`` leaves this remainder modulo p.

        Values lie between 0 and p − 1, and a single term has the factor 1.
        """

    @abstractmethod
    def inequality(self, terms: Sequence[tuple[str, int]], enough: int) -> str:
        """The sum of value · factor over the pairs in ``terms`` is at least ``enough``."""

    def interval(self, x: str, low: Value, high: Value) -> str:
        """low ≤ x ≤ high; if ``high`` is a date, times of that whole day lie in the interval."""
        if type(high) is not date:
            upper = self.at_most(x, high)
        elif high == date.max:
            return self.at_least(x, low)
        else:
            upper = self.below(x, high + timedelta(days=1))
        return self.junction("and", [self.at_least(x, low), upper])


def exact_cut(cut: Value) -> Value:
    """A cut as a value of Python's own types; Refused if it is a time too fine or too distant for them."""
    line = Line(cut, cut)
    if line.kind.startswith("datetime64") and line.kind not in ("datetime64[D]", "datetime64[us]"):
        raise Refused("cut", "the rule counts time in a unit that has no literal; declare dates or Python's times")
    return line.low.item() if isinstance(line.low, np.generic) else line.low


def literal_kind(value: Value) -> str:
    """The kind of a literal: "text", "number", or "time"; Refused for all other values."""
    if isinstance(value, str):
        return "text"
    if isinstance(value, int | float | Decimal):
        return "number"
    if isinstance(value, date):
        return "time"
    raise Refused("values", f"the rule compares with a value of type {type(value).__name__}; use predict instead")


def bracketed(part: str) -> str:
    """A condition as a part of a longer one: in brackets if it has parts itself."""
    return f"({part})" if any(joint in part for joint in JOINTS) else part
