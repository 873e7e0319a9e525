"""Rules as SQL: an expression that gives every record the label that the rule gives it.

Every name and value is quoted. Columns must have the type that was declared for them; days and times are written as
texts, which engines read as the type of the column. SQLite, which has no such type, compares them as the texts that its
columns hold. A missing value is NULL. Engines put NaN above all numbers; here it is on neither side of a cut that is a
float, as if it were missing. A column that must not be missing is checked for NULL alone.

A condition on NULL may be NULL itself. CASE WHEN counts that as false; only a negation has to turn it into FALSE.
SQLite ends a text at its first NUL character, so a rule about the end of such a text may give it another label there.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal

from privpac.classes.decision_trees.rules import Answer, Split, simplified
from privpac.classes.exports.language import Column, Language, bracketed, literal_kind
from privpac.classes.exports.rule_conditions import condition
from privpac.classes.hypothesis import LANGUAGES, Constant, Hypothesis, Value
from privpac.data.domains.paths import PathNode
from privpac.data.values.equal_values import canonical
from privpac.refusals.refusal import Refused

MICROSECOND = timedelta(microseconds=1)  # the step of times
LARGEST_SUM = 2**31  # every engine's integers hold smaller sums


def to_sql(
    rule: Hypothesis, columns: Sequence[str] = (), labels: tuple[str, str] = ("0", "1"), needed: Sequence[Column] = ()
) -> str:
    """The label as an SQL expression: one of ``labels``, the first one where a ``needed`` column is NULL.

    >>> from privpac.classes.compositions.rules import ColumnRule
    >>> from privpac.classes.lines.rules import Threshold
    >>> from privpac.classes.values.points import OneOf
    >>> print(to_sql(Threshold(28), ["age"]))
    CASE WHEN "age" >= 28 THEN 1 ELSE 0 END
    >>> grown, clerk = ColumnRule(Threshold(28), "age"), ColumnRule(OneOf(frozenset(["clerk"])), "job")
    >>> print(to_sql(Split(grown, Split(clerk, Constant(True), Constant(False)), Constant(False))))
    CASE WHEN "age" >= 28 AND "job" = 'clerk' THEN 1 ELSE 0 END
    """
    sql, rule = Sql(), simplified(rule)

    def cases(tree: Hypothesis) -> Iterator[str]:
        """The cases of a tree: those where its test holds, then those of the other branch."""
        while isinstance(tree, Split):
            tests, yes, no, word = [tree.test], tree.yes, tree.no, "and"
            while isinstance(yes, Split) and yes.no == no:  # both tests must hold
                tests, yes = [*tests, yes.test], yes.yes
            if len(tests) == 1:
                while isinstance(no, Split) and no.yes == yes:  # one of the tests must hold
                    tests, no, word = [*tests, no.test], no.no, "or"
            yield f"WHEN {sql.junction(word, [condition(test, sql, columns) for test in tests])} THEN {outcome(yes)}"
            tree = no
        if isinstance(tree, Constant | Answer):
            yield f"ELSE {outcome(tree)}"
        else:
            yield f"WHEN {condition(tree, sql, columns)} THEN {labels[1]} ELSE {labels[0]}"

    def outcome(tree: Hypothesis) -> str:
        if isinstance(tree, Answer):
            return literal(tree.label)
        return labels[tree.label] if isinstance(tree, Constant) else f"CASE {' '.join(cases(tree))} END"

    if not needed:
        return outcome(rule)
    absent = sql.junction("or", [f"{sql.read(key, columns)} IS NULL" for key in needed])
    return f"CASE WHEN {absent} THEN {labels[0]} {' '.join(cases(rule))} END"


class Sql(Language):
    """SQL that DuckDB, PostgreSQL, and SQLite share.

    Text is compared by its characters, in any collation of the database. For this alone, a cut of a text needs a
    collation called "C" in SQLite.
    """

    def column(self, key: str | int, names: Sequence[str]) -> str:
        if isinstance(key, int) and not key < len(names):
            raise Refused("columns", "name the columns in their order, such as to_sql('age', 'job')")
        name = names[key] if isinstance(key, int) else key
        if "\0" in name or not _encodes(name):
            raise Refused("columns", "a column of this name cannot exist in SQL; rename it")
        return '"' + name.replace('"', '""') + '"'

    def value(self, names: Sequence[str]) -> str:
        if len(names) != 1:
            raise Refused("columns", "name the column that the rule reads, such as to_sql('age')")
        return self.column(names[0], names)

    def constant(self, label: bool) -> str:
        return "TRUE" if label else "FALSE"

    def at_least(self, x: str, cut: Value) -> str:
        above = f"{_ordered(x, cut)} >= {literal(cut)}"
        if not isinstance(cut, float):
            return above
        return (
            f"{above} AND {x} <> -{x}" if cut > 0 else f"{above} AND ({x} <> -{x} OR {x} = 0)"
        )  # false for NaN, since −NaN = NaN

    def below(self, x: str, cut: Value) -> str:
        return f"{_ordered(x, cut)} < {literal(cut)}"

    def at_most(self, x: str, cut: Value) -> str:
        if isinstance(cut, datetime) and cut < datetime.max:  # in SQLite, a text of the same time may end in zeros
            return self.below(x, cut + MICROSECOND)
        return f"{_ordered(x, cut)} <= {literal(cut)}"

    def among(self, x: str, values: Iterable[Value]) -> str:
        forms: list[Value] = sorted(map(canonical, values), key=repr)
        if len({literal_kind(form) for form in forms}) > 1:
            raise Refused("values", "the rule names values of different types, but a column in SQL has one type")
        if all(form in (0, 1) for form in forms):  # engines read '0' and '1' as numbers or as truth values
            forms = list(map(str, forms))
        literals = [text for form in forms for text in _spellings(form)]
        if len(literals) < 2:
            return f"{x} = {literals[0]}" if literals else "FALSE"
        return f"{x} IN ({', '.join(literals)})"

    def missing(self, x: str, spellings: Sequence[str], nan: bool) -> str:
        parts = [f"{x} IS NULL", *([self.among(x, spellings)] if spellings else [])]
        return self.junction("or", [*parts, *([f"{x} = -{x} AND {x} <> 0"] if nan else [])])

    def starts_with(self, x: str, node: PathNode, separator: str | None) -> str:
        text = _spelled(node, separator)
        return f"SUBSTR({_between(x, separator)}, 1, {len(text)}) = {quoted(text)}"

    def ends_with(self, x: str, node: PathNode, separator: str | None) -> str:
        whole, text = _between(x, separator), _spelled(node, separator)
        return f"SUBSTR({whole}, LENGTH({whole}) - {len(text) - 1}, {len(text)}) = {quoted(text)}"

    def on_path(self, x: str, node: PathNode, separator: str | None) -> str:
        steps = range(len(node) + 1)
        return self.among(_between(x, separator), [_spelled(node[:length], separator) for length in steps])

    def includes(self, x: str, codes: Iterable[str], separator: str) -> str:
        ordered = sorted(codes)
        if any(" " in code for code in ordered):
            raise Refused("rule", "a code with spaces inside has no SQL form; use to_python or predict instead")
        if not ordered:
            return self.constant(False)
        text = _single(f"{quoted(separator)} || {x} || {quoted(separator)}", " ")
        for spaced in (f"{separator} ", f" {separator}"):
            text = f"REPLACE({text}, {quoted(spaced)}, {quoted(separator)})"
        remainder = text
        for code in ordered:  # if a text names a code, removing that code changes the text
            remainder = f"REPLACE({remainder}, {quoted(separator + code + separator)}, '')"
        return f"{remainder} <> {text}"

    def junction(self, word: str, parts: Sequence[str]) -> str:
        return parts[0] if len(parts) == 1 else f" {word.upper()} ".join(map(bracketed, parts))

    def negation(self, part: str) -> str:
        return f"NOT COALESCE({part}, FALSE)"

    def congruence(self, terms: Sequence[tuple[str, int]], remainder: int, p: int) -> str:
        if len(terms) * p * p >= LARGEST_SUM:
            raise Refused("rule", "sums over a field this large may not fit into SQL's integers; use to_python instead")
        total = " + ".join(x if factor % p == 1 else f"{factor % p} * {x}" for x, factor in terms)
        return f"{total} = {remainder}" if len(terms) == 1 else f"({total}) % {p} = {remainder}"

    def inequality(self, terms: Sequence[tuple[str, int]], enough: int) -> str:
        return " + ".join(x if factor == 1 else f"{factor} * {x}" for x, factor in terms) + f" >= {enough}"

    def points(self, scored: Sequence[tuple[str, int]], enough: int) -> str:
        return " + ".join(f"CASE WHEN {part} THEN {value} ELSE 0 END" for part, value in scored) + f" >= {enough}"


def literal(value: Value) -> str:
    """A value as an SQL literal; a float keeps its type.

    >>> print(literal(3), literal(0.5), literal(Decimal("0.50")), literal(date(2026, 1, 31)), literal("it's"))
    3 0.5e0 0.50 '2026-01-31' 'it''s'
    """
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, int):
        return str(value).upper() if isinstance(value, bool) else str(value)
    if isinstance(value, float) and math.isfinite(value):
        return repr(value) if "e" in repr(value) else f"{value!r}e0"
    if isinstance(value, Decimal) and value.is_finite():
        return f"{value:f}"
    if isinstance(value, date) and getattr(value, "tzinfo", None) is None:
        return quoted(str(value))
    kind = type(value).__name__
    raise Refused("values", f"a value of type {kind} in the rule has no SQL literal; use predict instead")


def _spellings(value: Value) -> list[str]:
    """All literals of a value: in SQLite, texts of the same time may or may not end in zeros."""
    if not isinstance(value, date):
        return [literal(value)]
    zeros = ["", ".000000"] if isinstance(value, datetime) else ["", " 00:00:00", " 00:00:00.000000"]
    return [literal(value)] if getattr(value, "microsecond", 0) else [quoted(f"{value}{zero}") for zero in zeros]


def quoted(text: str) -> str:
    """Text as an SQL literal; the character 0, which no literal can hold, is written by its number."""
    if not _encodes(text):
        raise Refused("values", "the rule names a text that is not valid Unicode, so no table in SQL can hold it")
    parts = ["'" + part.replace("'", "''") + "'" for part in text.split("\0")]
    return parts[0] if len(parts) == 1 else f"({' || CHR(0) || '.join(parts)})"


def _encodes(text: str) -> bool:
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


def _ordered(x: str, cut: Value) -> str:
    """A column as it is compared with a cut: text by its characters, as Python does."""
    literal_kind(cut)  # refuses cuts without a literal
    return f'{x} COLLATE "C"' if isinstance(cut, str) else x


def _spelled(node: PathNode, separator: str | None) -> str:
    """A node, with each of its steps between separators."""
    return node if isinstance(node, str) else str(separator) + "".join(f"{step}{separator}" for step in node)


def _between(x: str, separator: str | None) -> str:
    """A path with one separator before, between, and after its steps."""
    if separator is None:
        return x
    if len(separator) > 1:
        raise Refused("separator", "paths with a long separator have no SQL form; use to_python or predict instead")
    return _single(f"{quoted(separator)} || {x} || {quoted(separator)}", separator)


def _single(text: str, letter: str) -> str:
    """The text with every run of the letter shortened to one letter, for runs shorter than 2^32.

    A REPLACE of m letters by one turns a run of n letters into n // m + n % m. Eight rounds with m = 16 leave at most
    15 letters, and six with m = 2 then leave one.
    """
    for run in (16,) * 8 + (2,) * 6:
        text = f"REPLACE({text}, {quoted(letter * run)}, {quoted(letter)})"
    return text


LANGUAGES["SQL"] = to_sql
