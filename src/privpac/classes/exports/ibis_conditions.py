"""Conditions as expressions of Ibis, which an engine evaluates where the records live.

Every condition is true or false, never NULL: a missing value is on no side of a cut, and equals nothing.

proof: docs/proofs/engines.md
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from datetime import date, datetime
from functools import reduce
from importlib import import_module
from operator import add, and_, or_
from typing import TYPE_CHECKING

from privpac.classes.exports.language import Language
from privpac.classes.hypothesis import Value
from privpac.data.counting.engine_values import is_among, no_form
from privpac.data.domains.paths import PathNode
from privpac.data.engines.exact_forms import INT64
from privpac.data.values.line_codes import EXACT_FLOATS

if TYPE_CHECKING:
    import ibis.expr.types as ir


class EngineTerms(Language):
    """Conditions on columns; these are Ibis expressions, in the order of the domain, perhaps with names."""

    def __init__(self, columns: Sequence[ir.Value], names: Sequence[Hashable], engine: str) -> None:
        self.columns, self.by_name, self.engine = list(columns), dict(zip(names, columns, strict=False)), engine

    def column(self, key: str | int, names: Sequence[str]) -> ir.Value:
        return self.by_name[key] if key in self.by_name else self.columns[int(key)]

    def value(self, names: Sequence[str]) -> ir.Value:
        return self.columns[0]

    def constant(self, label: bool) -> ir.BooleanValue:
        return import_module("ibis").literal(label)

    def at_least(self, x: ir.Value, cut: Value) -> ir.BooleanValue:
        return (x >= _bound(x, cut)).fill_null(False)

    def below(self, x: ir.Value, cut: Value) -> ir.BooleanValue:
        return (x < _bound(x, cut)).fill_null(False)

    def at_most(self, x: ir.Value, cut: Value) -> ir.BooleanValue:
        return (x <= _bound(x, cut)).fill_null(False)

    def among(self, x: ir.Value, values: Iterable[Value]) -> ir.BooleanValue:
        return is_among(x, values, self.engine)

    def missing(self, x: ir.Value, spellings: Sequence[str], nan: bool) -> ir.BooleanValue:
        return x.isnull()  # the domain has made NULL of spellings and of NaN

    def starts_with(self, x: ir.Value, node: PathNode, separator: str | None) -> ir.BooleanValue:
        if separator is not None or not isinstance(node, str):
            raise no_form()
        return is_among(x.substr(0, len(node)), [node], self.engine)

    def ends_with(self, x: ir.Value, node: PathNode, separator: str | None) -> ir.BooleanValue:
        raise no_form()

    def on_path(self, x: ir.Value, node: PathNode, separator: str | None) -> ir.BooleanValue:
        if separator is not None or not isinstance(node, str):
            raise no_form()
        return is_among(x, [node[:length] for length in range(len(node) + 1)], self.engine)

    def includes(self, x: ir.Value, codes: Iterable[str], separator: str) -> ir.BooleanValue:
        raise no_form()

    def junction(self, word: str, parts: Sequence[ir.BooleanValue]) -> ir.BooleanValue:
        return reduce(and_ if word == "and" else or_, parts)

    def negation(self, part: ir.BooleanValue) -> ir.BooleanValue:
        return ~part

    def points(self, scored: Sequence[tuple[ir.Value, int]], enough: int) -> ir.BooleanValue:
        if sum(abs(value) for _, value in scored) + abs(enough) not in INT64:
            raise no_form()
        return reduce(add, (part.ifelse(value, 0).cast("int64") for part, value in scored)) >= enough

    def congruence(self, terms: Sequence[tuple[ir.Value, int]], remainder: int, p: int) -> ir.BooleanValue:
        bounded = [((x % p) * (factor % p), p * p) for x, factor in terms]
        return (_sum(bounded) % p == remainder).fill_null(False)

    def inequality(self, terms: Sequence[tuple[ir.Value, int]], enough: int) -> ir.BooleanValue:
        if enough not in INT64:
            raise no_form()
        # An integer of b bytes is at most 2^(8b − 1) in size.
        bounded = [(x.cast("int64") * factor, 2 ** (8 * x.type().nbytes - 1) * abs(factor)) for x, factor in terms]
        return (_sum(bounded) >= enough).fill_null(False)


def _sum(terms: Sequence[tuple[ir.Value, int]]) -> ir.Value:
    """The sum of the terms. Each comes with a bound on its absolute value; Refused if the sum may overflow int64."""
    if sum(most for _, most in terms) not in INT64:
        raise no_form()
    return reduce(add, (term.cast("int64") for term, _ in terms))


def _bound(x: ir.Value, cut: Value) -> ir.Value:
    """A cut in the type of the column that it is compared with."""
    ibis, kind = import_module("ibis"), x.type()
    if kind.is_integer() and isinstance(cut, int) and cut in INT64:
        return ibis.literal(int(cut), "int64")
    if kind.is_floating() and (isinstance(cut, float) or (isinstance(cut, int) and abs(cut) <= EXACT_FLOATS)):
        return ibis.literal(float(cut), "float64")
    if kind.is_date() and isinstance(cut, date) and not isinstance(cut, datetime):
        return ibis.literal(cut, "date")
    raise no_form()
