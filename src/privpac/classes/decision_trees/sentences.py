"""Decision trees in words: when the label is positive, as a short sentence of tests joined by "and" and "or".

For a column declared to have missing entries, the negation of "age ≥ 28" is "age < 28 or age is missing". For other
columns it is "age < 28": such a sentence speaks about records without missing values.

A *clause* is a condition before it is put in words: a literal (a test and its outcome), a junction (clauses joined by
"and" or "or"), a range (two cuts of one column), or a constant. An *absence* is a literal with the test "is missing".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from privpac.classes.compositions.rules import ColumnRule, has_joint
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
    """Clauses joined by a word. No part is a constant, or a junction with the same word."""

    word: str  # "and" or "or"
    parts: tuple[Literal | Junction | Range, ...]


@dataclass(frozen=True)
class Range:
    """The values of one column that lie at or above one cut and below another."""

    low: Literal
    high: Literal


Clause = Literal | Junction | Range | bool


def either(test: Hypothesis, yes: Clause, no: Clause) -> Clause:
    """The shortest clause for "``test`` and ``yes``, or not ``test`` and ``no``".

    >>> print(clause_sentence(either(Threshold(5), True, Literal(Threshold(2), False)), ["age"]))
    age ≥ 5 or age < 2
    """
    holds, fails = Literal(test, True), Literal(test, False)
    if isinstance(yes, bool) and isinstance(no, bool):
        if yes == no:
            return yes
        return holds if yes else fails
    if isinstance(yes, bool):
        return _joint("or", holds, no) if yes else _joint("and", fails, no)
    if isinstance(no, bool):
        return _joint("or", fails, yes) if no else _joint("and", holds, yes)
    return _joint("or", _joint("and", holds, yes), _joint("and", fails, no))


def _joint(word: str, *parts: Any) -> Junction:
    """The junction of these clauses; a junction among them that has the same word is replaced by its parts."""
    flat: list[Any] = []
    for part in parts:
        flat.extend(part.parts if isinstance(part, Junction) and part.word == word else (part,))
    return Junction(word, tuple(flat))


def clause_sentence(clause: Clause, names: Sequence[str] = ()) -> str:
    """The sentence of a clause. Commas separate long alternatives; semicolons, if they have brackets inside.

    >>> print(clause_sentence(True), "|", clause_sentence(Literal(OneOf(frozenset(["EV"])), False), ["carrier"]))
    always | carrier ≠ EV
    """
    if isinstance(clause, bool):
        return "always" if clause else "never"
    if isinstance(clause, Literal):
        return _literal_sentence(clause, names, "or")
    if isinstance(clause, Range):
        sign, low = _part(clause.low.test).inequality  # type: ignore[attr-defined]
        return f"{low} {'≤' if sign == '≥' else '<'} {_literal_sentence(_if_present(clause.high), names, 'and')}"
    parts = _merged_parts(clause)
    if len(parts) == 1:
        return clause_sentence(parts[0], names)
    is_compound = [isinstance(part, Junction) and len(_merged_parts(part)) > 1 for part in parts]
    texts = [
        _literal_sentence(part, names, clause.word) if isinstance(part, Literal) else clause_sentence(part, names)
        for part in parts
    ]
    if clause.word == "and":
        texts = [f"({text})" if compound else text for text, compound in zip(texts, is_compound, strict=True)]
        return " and ".join(texts)
    pause = ";" if any("(" in text for text in texts) else ","
    return f"{pause} or ".join(texts) if any(is_compound) else " or ".join(texts)


def _literal_sentence(literal: Literal, names: Sequence[str], word: str) -> str:
    """The literal in words, as one of several clauses joined by ``word``."""
    text = literal.test.sentence(*names) if literal.holds else denial(literal.test, *names)
    may_be_missing = isinstance(literal.test, ColumnRule) and literal.test.missing
    # "age < 28 or age is missing" needs no brackets among other alternatives.
    is_closed = text.startswith("not (") or (may_be_missing and word == "or")
    return f"({text})" if has_joint(text) and not is_closed else text


def _merged_parts(junction: Junction) -> list[Literal | Junction | Range]:
    """The parts, with tests of one column merged where one clause can say both: several values, or a range."""
    parts: list[Literal | Junction | Range] = []
    for part in junction.parts:
        for i, earlier in enumerate(parts):
            if (merged := _as_one(junction.word, earlier, part)) is not None:
                parts[i] = merged
                break
        else:
            parts.append(part)
    return parts


def _as_one(word: str, first: Clause, second: Clause) -> Literal | Range | None:
    """One clause that says the same as both, joined by ``word``; None if there is none."""
    if isinstance(first, Range):
        return _intersection(first, second) if word == "and" else None
    if not isinstance(first, Literal) or not isinstance(second, Literal) or _column(first) != _column(second):
        return None
    a, b = _part(first.test), _part(second.test)
    if isinstance(a, IsMissing) or isinstance(b, IsMissing):
        return _with_absence(word, first, second) if isinstance(a, IsMissing) else _with_absence(word, second, first)
    if isinstance(a, OneOf) and isinstance(b, OneOf) and first.holds == second.holds == (word == "or"):
        values = OneOf(a.values | b.values)
        return Literal(replace(first.test, part=values) if isinstance(first.test, ColumnRule) else values, first.holds)
    return _two_cuts(word, first, second) if isinstance(a, Threshold) and isinstance(b, Threshold) else None


def _with_absence(word: str, absence: Literal, other: Literal) -> Literal | None:
    """An absence and a literal about the same column, joined by ``word``, as one literal; None if both are needed."""
    if not absence.holds:  # "not missing and age ≥ 28" is "age ≥ 28"
        is_one = word == "and" and (other.holds or isinstance(_part(other.test), Threshold))
        return _if_present(other) if is_one else None
    if other.holds:
        return None
    return absence if word == "and" else other  # a missing value fails every other test


def _two_cuts(word: str, first: Literal, second: Literal) -> Literal | Range | None:
    """Two cuts of one column, joined by ``word``, as a range or as one of the two; None if both are needed."""
    if _is_lower_bound(first) != _is_lower_bound(second):
        always_present = _if_present(first) == first
        # A missing value satisfies two negated tests, but lies in no range.
        if word == "or" or not (first.holds or second.holds or always_present):
            return None
        return Range(first, second) if _is_lower_bound(first) else Range(second, first)
    a, b = (_part(literal.test).cut for literal in (first, second))  # type: ignore[attr-defined]
    # If just one of the two tests is negated, a missing value satisfies just that literal.
    differ_if_missing = first.holds != second.holds and _if_present(first) != first
    if type(a) is not type(b) or (differ_if_missing and word == "or"):
        return None
    first_is_tighter = (a >= b) == _is_lower_bound(first)  # x ≥ 5 and x ≥ 2 is x ≥ 5; x ≥ 5 or x ≥ 2 is x ≥ 2
    decisive = first if first_is_tighter == (word == "and") else second
    return _if_present(decisive) if differ_if_missing else decisive


def _intersection(span: Range, other: Clause) -> Range | None:
    """The part of the range that also satisfies ``other``, a cut of its column; None for any other clause."""
    is_low = isinstance(other, Literal) and _is_lower_bound(other)
    end = _as_one("and", span.low if is_low else span.high, other)
    if not isinstance(end, Literal):
        return None
    return replace(span, low=end) if is_low else replace(span, high=end)


def _if_present(literal: Literal) -> Literal:
    """The literal about an entry that is known not to be missing."""
    test = literal.test
    return replace(literal, test=replace(test, missing=False)) if isinstance(test, ColumnRule) else literal


def _is_lower_bound(literal: Literal) -> bool:
    """Whether the literal holds for the values at or above a cut."""
    test = _part(literal.test)
    return isinstance(test, Threshold) and test.above == literal.holds


def _column(literal: Literal) -> str | int | None:
    """The column that the test reads; None for a test of a bare value."""
    return literal.test.column if isinstance(literal.test, ColumnRule) else None


def _part(test: Hypothesis) -> Hypothesis:
    """The test, as a rule about a value instead of a column."""
    return test.part if isinstance(test, ColumnRule) else test


def denial(test: Hypothesis, *names: str) -> str:  # noqa: PLR0911  (one for each kind of rule)
    """The sentence of a test that does not hold.

    >>> print(denial(Threshold(28), "age"), "|", denial(OneOf(frozenset(["EV", "UA"])), "carrier"))
    age < 28 | carrier is neither EV nor UA
    """
    x = value_name(names)
    match test:
        case ColumnRule(part, column):
            name = value_text(column if isinstance(column, str) else f"column {column}")
            absent = f" or {name} is missing" if test.missing and isinstance(part, Threshold) else ""
            return f"{denial(part, name)}{absent}"
        case IsMissing():
            return f"{x} is not missing"
        case Threshold():
            return test.opposite.sentence(x)
        case OneOf(values):
            return _none_of(x, sorted(map(value_text, values)))
        case HasPrefix() | HasSuffix():
            return test.denial(x)
        case OnPath(node):
            affirmed = test.sentence(x)  # "x lies on …" becomes "x does not lie on …"
            return f"{x} does not lie{affirmed[len(x) + len(' lies') :]}" if node else f"{x} is not the root"
        case AtOrAbove(path):
            last = value_text(path[-1])
            return f"{x} is neither {last} nor above it" if len(path) > 1 else f"{x} ≠ {last}"
        case AtOrBelow(name, below):
            return f"{x} is neither {value_text(name)} nor below it" if below else f"{x} ≠ {value_text(name)}"
    return f"not ({test.sentence(*names)})"


def _none_of(x: str, texts: list[str]) -> str:
    if len(texts) > 2:
        return f"{x} is none of {', '.join(texts)}"
    if len(texts) == 2:
        return f"{x} is neither {texts[0]} nor {texts[1]}"
    return f"{x} ≠ {texts[0]}" if texts else "always"
