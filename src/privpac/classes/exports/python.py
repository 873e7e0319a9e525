"""Rules as Python: a function without imports that gives every record the label that the rule gives it.

A missing value is None or NaN. Columns must have the type that was declared for them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

from privpac.classes.decision_trees.rules import Answer, Split, simplified
from privpac.classes.exports.language import Column, Language, bracketed, literal_kind
from privpac.classes.exports.rule_conditions import condition
from privpac.classes.hypothesis import LANGUAGES, Constant, Hypothesis, Value
from privpac.data.domains.paths import PathNode
from privpac.data.values.equal_values import canonical
from privpac.refusals.refusal import Refused

# Functions that an exported rule may call. compared: a number with the sign of x − top/bottom. moment: the fields of a
# date or of a time without a zone, () for anything else. clock: the fields of a time, in UTC if it has a zone (x − x is
# the duration 0, which has no literal). steps: the steps of a path.
HELPERS = {
    "compared": """\
def compared(x, top, bottom):
    if x in (float("inf"), float("-inf")):
        return 1 if x > 0 else -1
    above, below = x.as_integer_ratio()
    return above * bottom - top * below
""",
    "clock": """\
def clock(x):
    if getattr(x, "tzinfo", None) is None:
        return moment(x)
    try:
        return moment(x.replace(tzinfo=None) - (x.utcoffset() or x - x))
    except OverflowError:
        return (1, 1, 1, 0, 0, 0, 0) if x.year == 1 else (9999, 12, 31, 23, 59, 59, 999999)
""",
    "moment": """\
def moment(x):
    if getattr(x, "year", None) is None or getattr(x, "tzinfo", None) is not None:
        return ()
    clock = [getattr(x, part, 0) for part in ("hour", "minute", "second", "microsecond")]
    return (x.year, x.month, x.day, *clock)
""",
    "steps": """\
def steps(x, separator):
    return tuple(step for step in x.split(separator) if step)
""",
}


def to_python(
    rule: Hypothesis,
    labels: tuple[str, str] = ("False", "True"),
    needed: Sequence[Column] = (),
    names: Sequence[str] = (),
) -> str:
    """The source of ``rule``, a function of a record, or of a value ``x`` if the rule reads a bare column.

    It returns one of ``labels``, the first one where a ``needed`` column is None or NaN.

    >>> from privpac.classes.compositions.rules import ColumnRule
    >>> from privpac.classes.lines.rules import Threshold
    >>> print(to_python(ColumnRule(Threshold(28), "age")))
    def rule(record):
        if record['age'] is not None and record['age'] >= 28:
            return True
        return False
    <BLANKLINE>
    """
    python, rule = Python(), simplified(rule)

    def lines(tree: Hypothesis, indent: str) -> Iterator[str]:
        if isinstance(tree, Constant | Answer):
            yield f"{indent}return {labels[tree.label] if isinstance(tree, Constant) else as_python(tree.label)}"
            return
        branches = (tree.yes, tree.no) if isinstance(tree, Split) else (Constant(True), Constant(False))
        yield f"{indent}if {condition(tree.test if isinstance(tree, Split) else tree, python, names)}:"
        yield from lines(branches[0], indent + "    ")
        yield from lines(branches[1], indent)

    values = "".join(f"{python.read(key, ())}, " for key in needed)
    absent = f"    if any(value is None or value != value for value in ({values.strip()})):\n        return {labels[0]}"
    body = [*([absent] if needed else []), *lines(rule, "    ")]
    source = [f"def rule({'x' if python.bare else 'record'}):", *body, ""]
    return "\n\n".join([*(HELPERS[helper] for helper in sorted(python.helpers)), "\n".join(source)])


class Python(Language):
    """Python without imports; ``helpers`` collects the functions that the conditions call."""

    def __init__(self) -> None:
        self.helpers: set[str] = set()
        self.bare = False  # whether the rule reads a bare value instead of a record

    def column(self, key: str | int, names: Sequence[str]) -> str:
        return f"record[{(names[key] if isinstance(key, int) and key < len(names) else key)!a}]"

    def value(self, names: Sequence[str]) -> str:
        self.bare = True
        return "x"

    def constant(self, label: bool) -> str:
        return str(label)

    def at_least(self, x: str, cut: Value) -> str:
        return self._compared(x, ">=", cut)

    def below(self, x: str, cut: Value) -> str:
        return self._compared(x, "<", cut)

    def at_most(self, x: str, cut: Value) -> str:
        return self._compared(x, "<=", cut)

    def _compared(self, x: str, sign: str, cut: Value) -> str:
        if isinstance(cut, Decimal):  # compared as a fraction, since its own type needs an import
            self.helpers.add("compared")
            top, bottom = cut.as_integer_ratio()
            return f"{x} is not None and {x} == {x} and compared({x}, {top}, {bottom}) {sign} 0"
        if literal_kind(cut) != "time":
            return f"{x} is not None and {x} {sign} {as_python(cut)}"
        self.helpers |= {"clock", "moment"}
        return f"clock({x}) != () and clock({x}) {sign} {_moment(cut)}"

    def among(self, x: str, values: Iterable[Value]) -> str:
        forms: list[Any] = sorted(map(canonical, values), key=repr)
        times = [str(_moment(form)) for form in forms if literal_kind(form) == "time"]
        literals = [as_python(form) for form in forms if literal_kind(form) != "time"]
        parts = [f"{x} in ({', '.join(literals)},)"] if literals else []
        if times:
            self.helpers.add("moment")
            parts.append(f"moment({x}) in ({', '.join(times)},)")
        return " or ".join(parts) or "False"

    def missing(self, x: str, spellings: Sequence[str], nan: bool) -> str:
        texts = f" or {x} in ({', '.join(map(as_python, spellings))},)" if spellings else ""
        return f"{x} is None or {x} != {x}{texts}"

    def starts_with(self, x: str, node: PathNode, separator: str | None) -> str:
        if separator is None:
            return f"{x} is not None and {x} == {x} and {x}.startswith({node!a})"
        return f"{x} is not None and {x} == {x} and {self._steps(x, separator)}[:{len(node)}] == {node!a}"

    def ends_with(self, x: str, node: PathNode, separator: str | None) -> str:
        if separator is None:
            return f"{x} is not None and {x} == {x} and {x}.endswith({node!a})"
        return f"{x} is not None and {x} == {x} and {self._steps(x, separator)}[::-1][:{len(node)}] == {node[::-1]!a}"

    def on_path(self, x: str, node: PathNode, separator: str | None) -> str:
        if separator is None:
            return f"{x} is not None and {x} == {x} and {node!a}.startswith({x})"
        steps = self._steps(x, separator)
        return f"{x} is not None and {x} == {x} and {node!a}[:len({steps})] == {steps}"

    def includes(self, x: str, codes: Iterable[str], separator: str) -> str:
        literals = "".join(f"{as_python(code)}, " for code in sorted(codes)).strip()
        return f"{x} is not None and {x} == {x} and any(c.strip(' ') in ({literals}) for c in {x}.split({separator!a}))"

    def _steps(self, x: str, separator: str) -> str:
        self.helpers.add("steps")
        return f"steps({x}, {separator!a})"

    def junction(self, word: str, parts: Sequence[str]) -> str:
        return parts[0] if len(parts) == 1 else f" {word} ".join(map(bracketed, parts))

    def negation(self, part: str) -> str:
        return f"not ({part})"

    def congruence(self, terms: Sequence[tuple[str, int]], remainder: int, p: int) -> str:
        present = " and ".join(f"{x} is not None" for x, _ in terms)
        total = " + ".join(x if factor % p == 1 else f"{factor % p} * {x}" for x, factor in terms)
        equation = f"{total} == {remainder}" if len(terms) == 1 else f"({total}) % {p} == {remainder}"
        return f"{present} and {equation}"

    def inequality(self, terms: Sequence[tuple[str, int]], enough: int) -> str:
        present = " and ".join(f"{x} is not None" for x, _ in terms)
        total = " + ".join(x if factor == 1 else f"{factor} * {x}" for x, factor in terms)
        return f"{present} and {total} >= {enough}"

    def points(self, scored: Sequence[tuple[str, int]], enough: int) -> str:
        return " + ".join(f"{value} * bool({part})" for part, value in scored) + f" >= {enough}"


def as_python(value: Value) -> str:
    """A value as Python source, in ASCII."""
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    if isinstance(value, Decimal):
        raise Refused("values", "the rule names a decimal that needs an import in Python; use predict instead")
    if isinstance(value, str | int | float):
        return ascii(value)
    raise Refused("values", f"a value of type {type(value).__name__} needs an import in Python; use predict instead")


def _moment(value: date) -> tuple[int, ...]:
    """What the helper ``moment`` returns for this value."""
    clock = [getattr(value, part, 0) for part in ("hour", "minute", "second", "microsecond")]
    return (value.year, value.month, value.day, *clock)


LANGUAGES["Python"] = to_python
