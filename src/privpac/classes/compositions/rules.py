"""Rules built from other rules: a rule on one column of a table, and a boolean function of several rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from privpac.classes.finite.boolean_functions import Gate, gate, name_of
from privpac.classes.hypothesis import Column, Constant, Hypothesis, Labels
from privpac.classes.picture_shapes import Shape, Word, drawn_together
from privpac.classes.plain_values import Plain
from privpac.data.domains.domain import Domain
from privpac.data.values.tables import pick
from privpac.data.values.value_text import value_text


@dataclass(frozen=True)
class ColumnRule(Hypothesis):
    """The rule ``part`` on one column of a table. A column is a name, or a position counted from 0.

    >>> from privpac.classes.lines.rules import Threshold
    >>> late = ColumnRule(Threshold(37), "delay")
    >>> print(late, late({"delay": [36, 37], "carrier": ["EV", "UA"]}))
    delay ≥ 37 [False  True]
    """

    part: Hypothesis
    column: str | int
    missing: bool = field(default=False, kw_only=True)  # whether the column declares that an entry may be absent

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.column, int) and self.column < 0:
            raise ValueError("a column must be a name, or a position counted from 0")

    @property
    def constant(self) -> bool | None:
        return self.part.constant

    @property
    def opposite(self) -> ColumnRule | None:
        """The rule with opposite labels, on the same column; None if ``part`` has no such rule.

        The opposite of x ≥ 5 is x < 5 only if no entry is missing.
        """
        part = None if self.missing else self.part.opposite
        return ColumnRule(part, self.column) if part else None

    def __call__(self, table: Column, /) -> Labels:
        return self.part(pick(table, self.column))

    def sentence(self, *names: str) -> str:
        return self.part.sentence(value_text(self.column) if isinstance(self.column, str) else f"column {self.column}")

    def drawing(self, domain: Domain | None, columns: Sequence[str]) -> tuple[Shape, ...]:
        domains = dict(zip(domain.column_names, domain.columns, strict=False)) if domain else {}
        name = self.column if isinstance(self.column, str) else f"column {self.column}"
        column_domain = domains.get(self.column)
        return self.part.drawing(column_domain and column_domain.present, [name])

    def _plain(self) -> dict[str, Plain]:
        """Without ``missing`` if it is False, so that earlier versions can read the rule."""
        plain = super()._plain()
        return plain if self.missing else {name: value for name, value in plain.items() if name != "missing"}


@dataclass(frozen=True)
class Composed(Hypothesis):
    """A boolean function G of rules; ``table`` has its values. For two rules: G(0, 0), G(0, 1), G(1, 0), G(1, 1).

    >>> from privpac.classes.vectors.boxes import Box
    >>> h = Composed("or", (False, True, True, True), (Box((7,), (None,)), Box((0,), (2,))))
    >>> print(h, h([(7,), (3,), (1,)]))
    x₁ ≥ 7 or 0 ≤ x₁ ≤ 2 [ True False  True]
    """

    name: str
    table: tuple[bool, ...]
    parts: tuple[Hypothesis, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        gate(self.table, len(self.parts))  # refuses a table that does not fit

    def __call__(self, column: Column, /) -> Labels:
        return Gate(self.name, self.table)(*(part(column) for part in self.parts))

    def sentence(self, *names: str) -> str:
        parts = [part.sentence(*names) for part in self.parts]
        joined = "; ".join(parts)
        match name_of(self.table):
            case "and" | "or" as word:
                return f" {word} ".join(map(_in_brackets, self.parts, parts))
            case "not":
                return f"not ({joined})"
            case "xor":
                return f"{'exactly one' if len(parts) == 2 else 'an odd number'} of: {joined}"
            case "majority":
                return f"at least {len(parts) // 2 + 1} of: {joined}"
        return f"{value_text(self.name)}: {joined}"

    def drawing(self, domain: Domain | None, columns: Sequence[str]) -> tuple[Shape, ...]:
        parts = [part.drawing(domain, columns) for part in self.parts]
        if not all(parts):
            return ()
        match name_of(self.table):
            case "and" | "or" as word:
                return drawn_together(word, parts)
            case "not":
                return (Word("not"), *parts[0])
        return ()


def composition(G: Gate, parts: tuple[Hypothesis, ...]) -> Hypothesis:
    """G of ``parts`` as the simplest rule: constant parts are substituted, and "and" of one part is that part.

    Constants stay if the function of the other parts has no usual name such as "and".

    >>> from privpac.classes.lines.rules import Threshold
    >>> print(composition(gate("and", 2), (Constant(True), Threshold(37))))
    x ≥ 37
    >>> print(composition(gate("not", 1), (Threshold(37),)))
    x < 37
    """
    labels = [part.constant for part in parts]  # None for a part that is not constant
    varying = tuple(part for part, label in zip(parts, labels, strict=True) if label is None)
    values = np.array(G.table).reshape((2,) * G.arity)  # one axis for each part, indexed by its label
    remaining = values[tuple(slice(None) if label is None else int(label) for label in labels)]
    if remaining.all() or not remaining.any():
        return _constant(bool(remaining.all()), parts[0])
    table = tuple(remaining.ravel().tolist())
    if table == (False, True):
        return varying[0]
    if table == (True, False) and (opposite := varying[0].opposite):
        return opposite
    name = name_of(table)
    return Composed(name, table, varying) if name else Composed(G.name, G.table, parts)


def _constant(label: bool, part: Hypothesis) -> Hypothesis:
    """A constant on the columns that ``part`` reads."""
    if isinstance(part, Composed):
        return _constant(label, part.parts[0])
    return ColumnRule(Constant(label), part.column) if isinstance(part, ColumnRule) else Constant(label)


def _in_brackets(part: Hypothesis, sentence: str) -> str:
    """The sentence of a part, in brackets if it needs them; the sentence of "not" already has brackets."""
    closed = isinstance(part, Composed) and name_of(part.table) == "not"
    return f"({sentence})" if has_joint(sentence) and not closed else sentence


def has_joint(sentence: str) -> bool:
    """Whether a sentence needs brackets inside another sentence."""
    return any(joint in sentence for joint in (" and ", " or ", ": "))
