"""Decision trees in words: when the label is positive, as a short sentence of tests joined by "and" and "or".

A column that declares that entries may be missing says so: "not age ≥ 28" is "age < 28 or age is missing". In other
columns "age < 28" stands for it: such a sentence speaks about records without missing values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import singledispatch
from typing import Any

from privpac.classes.compositions.rules import JOINTS, ColumnRule
from privpac.classes.hypothesis import Hypothesis, value_name
from privpac.classes.lines.rules import Threshold
from privpac.classes.tree_orders.paths import HasPrefix, HasSuffix, OnPath
from privpac.classes.tree_orders.taxonomy import AtOrAbove, AtOrBelow
from privpac.classes.values.missing_entries import IsMissing
from privpac.classes.values.points import OneOf
from privpac.data.values.value_text import value_text


@dataclass(frozen=True)
class Literal:
    """A test and its outcome."""

    test: Hypothesis
    holds: bool


@dataclass(frozen=True)
class Junction:
    """Clauses joined by a word; none of them is a label or joined by the same word."""

    word: str
    parts: tuple[Literal | Junction | Range, ...]


@dataclass(frozen=True)
class Range:
    """Two cuts of one column, with the values from the first on and below the second."""

    low: Literal
    high: Literal


Clause = Literal | Junction | Range | bool


def either(test: Hypothesis, yes: Clause, no: Clause) -> Clause:
    """``test`` and ``yes``, or not ``test`` and ``no``, in the shortest way to say it.

    >>> print(clause_sentence(either(Threshold(5), True, Literal(Threshold(2), False)), ["age"]))
    age ≥ 5 or age < 2
    """
    holds, fails = Literal(test, True), Literal(test, False)
    if isinstance(yes, bool) and isinstance(no, bool):
        return yes if yes == no else holds if yes else fails
    if isinstance(yes, bool):
        return _joint("or", holds, no) if yes else _joint("and", fails, no)
    if isinstance(no, bool):
        return _joint("or", fails, yes) if no else _joint("and", holds, yes)
    return _joint("or", _joint("and", holds, yes), _joint("and", fails, no))


def _joint(word: str, *parts: Any) -> Junction:
    flat = [each.parts if isinstance(each, Junction) and each.word == word else (each,) for each in parts]
    return Junction(word, tuple(part for some in flat for part in some))


def clause_sentence(clause: Clause, names: Sequence[str] = ()) -> str:
    """The sentence of a clause; a longer alternative is set off by a comma, or by a semicolon if it has brackets.

    >>> print(clause_sentence(True), "|", clause_sentence(Literal(OneOf(frozenset(["EV"])), False), ["carrier"]))
    always | carrier ≠ EV
    """
    if isinstance(clause, bool):
        return "always" if clause else "never"
    if isinstance(clause, Literal):
        return _literal(clause, names, "or")
    if isinstance(clause, Range):
        sign, low = _part(clause.low.test).inequality  # type: ignore[attr-defined]
        return f"{low} {'≤' if sign == '≥' else '<'} {_literal(_there(clause.high), names, 'and')}"
    parts = _merged(clause)
    if len(parts) == 1:
        return clause_sentence(parts[0], names)
    longer = [isinstance(part, Junction) and len(_merged(part)) > 1 for part in parts]
    texts = [
        _literal(part, names, clause.word) if isinstance(part, Literal) else clause_sentence(part, names)
        for part in parts
    ]
    if clause.word == "and":
        return " and ".join(f"({text})" if joint else text for text, joint in zip(texts, longer, strict=True))
    pause = ";" if any("(" in text for text in texts) else ","
    return f"{pause} or ".join(texts) if any(longer) else " or ".join(texts)


def _literal(literal: Literal, names: Sequence[str], word: str) -> str:
    """The literal as a part of clauses joined by ``word``."""
    text = literal.test.sentence(*names) if literal.holds else denied(literal.test, *names)
    absent = isinstance(literal.test, ColumnRule) and literal.test.missing
    joined = any(joint in text for joint in JOINTS) and not text.startswith("not (")
    return f"({text})" if joined and not (absent and word == "or") else text


def _merged(joint: Junction) -> list[Literal | Junction | Range]:
    """The parts, where tests of one column that belong together are one: several values, or both ends of a range."""
    parts: list[Literal | Junction | Range] = []
    for part in joint.parts:
        for i, earlier in enumerate(parts):
            if (both := _together(joint.word, earlier, part)) is not None:
                parts[i] = both
                break
        else:
            parts.append(part)
    return parts


def _together(word: str, one: Clause, other: Clause) -> Literal | Range | None:
    """Both clauses as one; None if each needs words of its own."""
    if isinstance(one, Range):
        return _tightened(one, other) if word == "and" else None
    if not isinstance(one, Literal) or not isinstance(other, Literal) or _column(one) != _column(other):
        return None
    a, b = _part(one.test), _part(other.test)
    if isinstance(a, IsMissing) or isinstance(b, IsMissing):
        return _with_absence(word, one, other) if isinstance(a, IsMissing) else _with_absence(word, other, one)
    if isinstance(a, OneOf) and isinstance(b, OneOf) and one.holds == other.holds == (word == "or"):
        return Literal(_with_part(one.test, OneOf(a.values | b.values)), one.holds)
    return _two_cuts(word, one, other) if isinstance(a, Threshold) and isinstance(b, Threshold) else None


def _with_absence(word: str, absence: Literal, other: Literal) -> Literal | None:
    """The literal that an entry is missing, or that it is not, and one about its value: the one that says it all."""
    if not absence.holds:
        return _there(other) if word == "and" and (other.holds or isinstance(_part(other.test), Threshold)) else None
    return None if other.holds else absence if word == "and" else other


def _two_cuts(word: str, one: Literal, other: Literal) -> Literal | Range | None:
    """The range between two cuts of a column, or the one of them that says it all."""
    if _from(one) != _from(other):
        if word == "or" or not (one.holds or other.holds or _there(one) == one):  # a missing value passes both denials
            return None
        return Range(one, other) if _from(one) else Range(other, one)
    a, b = (_part(each.test).cut for each in (one, other))  # type: ignore[attr-defined]
    unlike = one.holds != other.holds and _there(one) != one  # a missing value passes one of them
    if type(a) is not type(b) or (unlike and word == "or"):
        return None
    tighter = (a >= b) == _from(one)  # x ≥ 5 and x ≥ 2 is x ≥ 5; x ≥ 5 or x ≥ 2 is x ≥ 2
    found = one if tighter == (word == "and") else other
    return _there(found) if unlike else found


def _tightened(span: Range, other: Clause) -> Range | None:
    """The range with a further cut of its column."""
    from_on = isinstance(other, Literal) and _from(other)
    end = _together("and", span.low if from_on else span.high, other)
    if not isinstance(end, Literal):
        return None
    return replace(span, low=end) if from_on else replace(span, high=end)


def _there(literal: Literal) -> Literal:
    """The literal about an entry that is known not to be missing."""
    test = literal.test
    return replace(literal, test=replace(test, missing=False)) if isinstance(test, ColumnRule) else literal


def _from(literal: Literal) -> bool:
    """Whether the literal holds for the values from a cut on, not for those below it."""
    test = _part(literal.test)
    return isinstance(test, Threshold) and test.above == literal.holds


def _column(literal: Literal) -> str | int | None:
    return literal.test.column if isinstance(literal.test, ColumnRule) else None


def _part(test: Hypothesis) -> Hypothesis:
    return test.part if isinstance(test, ColumnRule) else test


def _with_part(test: Hypothesis, part: Hypothesis) -> Hypothesis:
    return replace(test, part=part) if isinstance(test, ColumnRule) else part


@singledispatch
def denied(test: Hypothesis, *names: str) -> str:
    """The sentence of a test that does not hold.

    >>> print(denied(Threshold(28), "age"), "|", denied(OneOf(frozenset(["EV", "UA"])), "carrier"))
    age < 28 | carrier is neither EV nor UA
    """
    return f"not ({test.sentence(*names)})"


@denied.register
def _(test: ColumnRule, *names: str) -> str:
    name = value_text(test.column if isinstance(test.column, str) else f"column {test.column}")
    absent = f" or {name} is missing" if test.missing and isinstance(test.part, Threshold) else ""
    return f"{denied(test.part, name)}{absent}"


@denied.register
def _(test: IsMissing, *names: str) -> str:
    return f"{value_name(names)} is not missing"


@denied.register
def _(test: Threshold, *names: str) -> str:
    return replace(test, above=not test.above).sentence(*names)


@denied.register
def _(test: OneOf, *names: str) -> str:
    x, texts = value_name(names), sorted(map(value_text, test.values))
    if len(texts) == 2:
        return f"{x} is neither {texts[0]} nor {texts[1]}"
    return f"{x} is none of {', '.join(texts)}" if len(texts) > 1 else f"{x} ≠ {texts[0]}" if texts else "always"


@denied.register
def _(test: HasPrefix | HasSuffix, *names: str) -> str:
    return test.denial(*names)


@denied.register
def _(test: OnPath, *names: str) -> str:
    x, affirmed = value_name(names), test.sentence(*names)
    return f"{x} is not the root" if not test.node else f"{x} does not lie{affirmed[len(x) + len(' lies') :]}"


@denied.register
def _(test: AtOrAbove, *names: str) -> str:
    x, last = value_name(names), value_text(test.path[-1])
    return f"{x} is neither {last} nor above it" if len(test.path) > 1 else f"{x} ≠ {last}"


@denied.register
def _(test: AtOrBelow, *names: str) -> str:
    x, name = value_name(names), value_text(test.name)
    return f"{x} is neither {name} nor below it" if test.below else f"{x} ≠ {name}"
