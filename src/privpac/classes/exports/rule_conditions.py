"""The condition under which the label of a rule is positive, in any language: one case for each kind of rule."""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch
from itertools import product

from privpac.classes.compositions.rules import ColumnRule, Composed
from privpac.classes.decision_trees.rules import Split
from privpac.classes.decision_trees.scorecards import Scorecard
from privpac.classes.exports.language import Language, exact_cut
from privpac.classes.finite.boolean_functions import name_of
from privpac.classes.finite.explicit import Listed
from privpac.classes.hypothesis import Constant, Hypothesis
from privpac.classes.lines.rules import Interval, Threshold
from privpac.classes.tree_orders.paths import HasPrefix, HasSuffix, OnPath
from privpac.classes.tree_orders.taxonomy import AtOrAbove, AtOrBelow
from privpac.classes.values.code_lists import Includes
from privpac.classes.values.missing_entries import IsMissing
from privpac.classes.values.points import OneOf
from privpac.classes.vectors.boxes import Box, Conjunction
from privpac.classes.vectors.half_spaces import HalfSpace
from privpac.classes.vectors.parities import Parity
from privpac.classes.vectors.subspaces import AffineSubspace
from privpac.refusals.refusal import Refused

NodeRule = HasPrefix | HasSuffix | OnPath | AtOrAbove | AtOrBelow  # reads the node of a tree
ValueRule = Threshold | Interval | OneOf | IsMissing | Includes | Listed | NodeRule  # reads one value
MOST_PARTS = 6  # the most parts of a boolean function without a usual name, since all 2^k of its cases are written out


@singledispatch
def condition(rule: Hypothesis, language: Language, names: Sequence[str]) -> str:
    """The condition under which the label of the rule is positive."""
    instead = "use predict, or to_json to move it to another computer"
    raise Refused("rule", f"a rule of type {type(rule).__name__} has no form in SQL or Python; {instead}")


@condition.register
def _(rule: Constant, language: Language, names: Sequence[str]) -> str:
    return language.constant(rule.label)


@condition.register
def _(rule: ColumnRule, language: Language, names: Sequence[str]) -> str:
    return _condition_on_value(rule.part, language, language.column(rule.column, names))


@condition.register
def _(rule: Composed, language: Language, names: Sequence[str]) -> str:
    parts = [condition(part, language, names) for part in rule.parts]
    if (word := name_of(rule.table)) in ("and", "or"):
        return language.junction(word, parts)
    if word == "not":
        return language.negation(parts[0])
    if len(parts) > MOST_PARTS:
        raise Refused("rule", f"the rule joins more than {MOST_PARTS} parts by a function without a name; use predict")
    cases = []
    for bits, label in zip(product((False, True), repeat=len(parts)), rule.table, strict=True):
        if label:
            conditions = (part if bit else language.negation(part) for part, bit in zip(parts, bits, strict=True))
            cases.append(language.junction("and", list(conditions)))
    return language.junction("or", cases) if cases else language.constant(False)


@condition.register
def _(rule: Split, language: Language, names: Sequence[str]) -> str:
    test, yes, no = (condition(part, language, names) for part in (rule.test, rule.yes, rule.no))
    sides = language.junction("and", [test, yes]), language.junction("and", [language.negation(test), no])
    return language.junction("or", sides)


@condition.register
def _(rule: Scorecard, language: Language, names: Sequence[str]) -> str:
    tests = [condition(test, language, names) for test in rule.tests]
    return language.points(list(zip(tests, rule.points, strict=True)), rule.enough)


@condition.register
def _(rule: AffineSubspace, language: Language, names: Sequence[str]) -> str:
    def difference(i: int, factors: Sequence[tuple[int, int]]) -> list[tuple[str, int]]:
        """Coordinate i minus the sum of factor · coordinate: the values and their factors."""
        coefficients = [(i, 1), *((j, -factor) for j, factor in factors)]
        return [(language.column(j, names), coefficient) for j, coefficient in coefficients]

    parts = [
        language.congruence(difference(i, equation.factors), equation.constant, rule.p)
        for equation, positions in rule.equations.items()
        for i in positions
    ]
    return language.junction("and", parts) if parts else language.constant(True)


@condition.register
def _(rule: HalfSpace, language: Language, names: Sequence[str]) -> str:
    terms = [(language.column(i, names), factor) for i, factor in enumerate(rule.normal) if factor]
    return language.inequality(terms, rule.bias) if terms else language.constant(rule.bias <= 0)


@condition.register
def _(rule: Box, language: Language, names: Sequence[str]) -> str:
    lows = [language.at_least(language.column(i, names), end) for i, end in enumerate(rule.low) if end is not None]
    highs = [language.at_most(language.column(i, names), end) for i, end in enumerate(rule.high) if end is not None]
    return language.junction("and", [*lows, *highs]) if lows or highs else language.constant(True)


@condition.register
def _(rule: Conjunction, language: Language, names: Sequence[str]) -> str:
    bits = [*((i, 1) for i in rule.ones), *((i, 0) for i in rule.zeros)]
    parts = [language.among(language.column(i, names), [bit]) for i, bit in bits]
    return language.junction("and", parts) if parts else language.constant(True)


@condition.register
def _(rule: Parity, language: Language, names: Sequence[str]) -> str:
    terms = [(language.column(i, names), 1) for i in rule.variables]
    return language.congruence(terms, rule.value, 2) if terms else language.constant(rule.value == 0)


@condition.register
def _(rule: ValueRule, language: Language, names: Sequence[str]) -> str:
    return _condition_on_value(rule, language, language.value(names))


def _condition_on_value(rule: Hypothesis, language: Language, x: str) -> str:  # noqa: PLR0911, PLR0912  (one for each kind of rule)
    match rule:
        case Threshold(zone=str()) | Interval(zone=str()):
            raise Refused("rule", "a rule about times in a declared zone has no form in SQL or Python; use predict")
        case Threshold(cut, above):
            return language.at_least(x, exact_cut(cut)) if above else language.below(x, exact_cut(cut))
        case Interval(low, high, half_open=True):
            return language.junction("and", [language.at_least(x, exact_cut(low)), language.below(x, exact_cut(high))])
        case Interval(low, high):
            return language.interval(x, exact_cut(low), exact_cut(high))
        case OneOf(values):
            return language.among(x, values)
        case IsMissing(na, nan):
            return language.missing(x, na, nan)
        case AtOrAbove(path):
            return language.among(x, path)
        case AtOrBelow(name, below):
            return language.among(x, below | {name})
        case Listed(points, labels):
            return language.among(x, [point for point, label in zip(points, labels, strict=True) if label])
        case HasPrefix(node, separator):
            return language.starts_with(x, node, separator)
        case HasSuffix(node, separator):
            return language.ends_with(x, node, separator)
        case Includes(codes, separator):
            return language.includes(x, codes, separator)
        case OnPath(node, separator):
            return language.on_path(x, node, separator)
    return condition(rule, language, ())
