"""Pictures of rules as SVG: a line with its cut, a tree with its path, a plane with its border.

A picture shows the rule and what the caller declared. It never shows a record, nor how many there are anywhere.

Throughout this file
    strip     one drawing as wide as the page; strips are stacked
    yes, no   what is labelled positive (filled) and negative (hollow)

Main declarations
    draw_rule    the picture of a rule on a domain, or None where words alone say it
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch
from typing import Any

from privpac.classes.base import Constant, Hypothesis
from privpac.classes.boxes import Box, Conjunction
from privpac.classes.composed import ColumnRule, Composed
from privpac.classes.gate import name_of
from privpac.classes.line import Interval, Threshold
from privpac.classes.paths import HasPrefix, OnPath
from privpac.classes.plane import HalfSpace
from privpac.classes.points import OneOf
from privpac.classes.spider import GroupFrom
from privpac.classes.taxonomy import AtOrAbove, AtOrBelow
from privpac.classes.vectors import coordinate
from privpac.data.domain import Domain
from privpac.data.line import Line
from privpac.data.values import shown
from privpac.report.lines import cut_line
from privpac.report.plane import half_plane, plane
from privpac.report.shapes import WIDTH, Picture, Strip, bar, label, line, pill, pills, short, stacked

MOST_DRAWN = 12  # names or steps that are drawn
Strips = list[Strip]


def draw_rule(rule: Hypothesis, domain: Domain | None, columns: Sequence[Any] = ()) -> Picture | None:
    """The picture of ``rule``, with the names of the columns that it reads.

    >>> picture = draw_rule(Threshold(37), Line(0, 999), ["delay"])
    >>> "delay" in picture.svg and "37" in picture.svg
    True
    """
    names = [name if isinstance(name, str) else f"column {name}" for name in columns]
    strips = _strips(rule, domain, names)
    return stacked(strips, f"The rule: {rule}") if strips else None


@singledispatch
def _strips(rule: Hypothesis, domain: Domain | None, columns: list[str]) -> Strips:
    """What is drawn of a rule; nothing for a kind of rule that has no picture."""
    return []


@_strips.register
def _(rule: Constant, domain: Domain | None, columns: list[str]) -> Strips:
    return [pills([("every record", rule.label)])]


@_strips.register
def _(rule: Threshold, domain: Domain | None, columns: list[str]) -> Strips:
    return [cut_line(domain, columns[0] if columns else None, [rule.cut], [not rule.above, rule.above])]


@_strips.register
def _(rule: Interval, domain: Domain | None, columns: list[str]) -> Strips:
    return [cut_line(domain, columns[0] if columns else None, [rule.low, rule.high], [False, True, False])]


@_strips.register
def _(rule: OneOf, domain: Domain | None, columns: list[str]) -> Strips:
    named = sorted(map(shown, rule.values))
    some = [(name, True) for name in named[:MOST_DRAWN]]
    rest = [(f"and {len(named) - MOST_DRAWN} more", True)] if len(named) > MOST_DRAWN else []
    return [*_titled(columns), pills([*some, *rest, ("everything else", False)])]


@_strips.register
def _(rule: ColumnRule, domain: Domain | None, columns: list[str]) -> Strips:
    known = dict(zip(domain.column_names, domain.columns, strict=False)) if domain else {}
    name = rule.column if isinstance(rule.column, str) else f"column {rule.column}"
    return _strips(rule.part, known.get(rule.column), [name])


@_strips.register
def _(rule: Composed, domain: Domain | None, columns: list[str]) -> Strips:
    parts = [_strips(part, domain, columns) for part in rule.parts]
    word = name_of(rule.table)
    if not all(parts) or word not in ("and", "or", "not"):
        return []
    if word == "not":
        return [_word("not"), *parts[0]]
    return [strip for i, part in enumerate(parts) for strip in ([_word(word)] if i else []) + part]


@_strips.register
def _(rule: GroupFrom, domain: Domain | None, columns: list[str]) -> Strips:
    if rule.constant is not None:
        return [pills([("every record", False)])]
    group, value = columns if len(columns) == 2 else ("group", "value")
    values = domain.columns[-1].line if domain else None
    return [
        *_titled([group]),
        pills([(shown(rule.group), True), ("every other group", False)]),
        _word("and"),
        cut_line(values, value, [rule.cut], [False, True]),
    ]


@_strips.register
def _(rule: HalfSpace, domain: Domain | None, columns: list[str]) -> Strips:
    names = _coordinates(columns, len(rule.normal))
    if len(rule.normal) == 2 == len(lines := _lines(domain)):
        low, high = lines[0].low, lines[0].high
        return [plane(half_plane(rule.normal, rule.bias, low, high), low, high, names)]
    return [_weights(rule.normal, names)]


@_strips.register
def _(rule: Box, domain: Domain | None, columns: list[str]) -> Strips:
    names = _coordinates(columns, len(rule.low))
    if len(lines := _lines(domain)) != len(names):
        return []
    sides = list(zip(lines, rule.low, rule.high, strict=True))
    if len(sides) == 2:
        (left, right), (bottom, top) = (
            (line.low if low is None else low, line.high if high is None else high) for line, low, high in sides
        )
        corners = [(left, bottom), (right, bottom), (right, top), (left, top)]
        return [plane(corners, lines[0].low, lines[0].high, names)]
    bounded = [(name, *side) for name, side in zip(names, sides, strict=True) if side[1:] != (None, None)]
    drawn = [_bounded(line, name, low, high) for name, line, low, high in bounded]
    return [strip for i, each in enumerate(drawn) for strip in ([_word("and")] if i else []) + [each]]


@_strips.register
def _(rule: Conjunction, domain: Domain | None, columns: list[str]) -> Strips:
    names = _coordinates(columns, rule.d)
    asked = sorted([(i, 1) for i in rule.ones] + [(i, 0) for i in rule.zeros])
    if not asked:
        return [pills([("every record", True)])]
    return [_word("all of"), pills([(f"{names[i]} = {bit}", True) for i, bit in asked])]


@_strips.register
def _(rule: OnPath, domain: Domain | None, columns: list[str]) -> Strips:
    return [*_titled(columns), _chain(_steps(rule.node, rule.separator), above=True)]


@_strips.register
def _(rule: HasPrefix, domain: Domain | None, columns: list[str]) -> Strips:
    return [*_titled(columns), _chain(_steps(rule.node, rule.separator), above=False)]


@_strips.register
def _(rule: AtOrAbove, domain: Domain | None, columns: list[str]) -> Strips:
    return [*_titled(columns), _chain([shown(name) for name in rule.path], above=True)]


@_strips.register
def _(rule: AtOrBelow, domain: Domain | None, columns: list[str]) -> Strips:
    path = domain.path(rule.name) if domain else (rule.name,)
    return [*_titled(columns), _chain([shown(name) for name in path], above=False)]


def _lines(domain: Domain | None) -> list[Line]:
    """The lines of all columns that are read; none if some column has no order."""
    lines = [each.line for each in domain.columns] if domain else []
    return [line for line in lines if line] if all(lines) else []


def _bounded(domain: Line, name: str, low: int | None, high: int | None) -> Strip:
    """A line with a part that may have no end below or above."""
    cuts = [end for end in (low, high) if end is not None]
    return cut_line(domain, name, cuts, [False] * (low is not None) + [True] + [False] * (high is not None))


def _chain(steps: list[str], above: bool) -> Strip:
    """The path from the root, step below step; its last part goes on to what lies below and beside it."""
    drawn = steps if len(steps) <= MOST_DRAWN else [*steps[: MOST_DRAWN // 2], "…", *steps[-MOST_DRAWN // 2 + 1 :]]
    shapes: list[str] = []
    for i, step in enumerate(drawn):
        x, y = 12.0 + 14 * i, 4.0 + 38 * i
        if i:
            shapes.append(f'<path class="thin" d="M{x - 6:.1f} {y - 10:.1f}V{y + 14:.1f}H{x:.1f}"/>')
        shapes.append(pill(x, y, step, above or i == len(drawn) - 1)[0])
    x, y = 12.0 + 14 * len(drawn), 4.0 + 38 * len(drawn)
    shapes.append(f'<path class="thin dashed" d="M{x - 6:.1f} {y - 10:.1f}V{y + 14:.1f}H{x:.1f}"/>')
    shapes.append(pill(x, y, "everything below", not above)[0])
    shapes.append(pill(12, y + 44, "everything elsewhere", False)[0])
    return Strip(y + 80, tuple(shapes))


def _steps(node: Any, separator: str | None) -> list[str]:
    """The nodes from the root to ``node``: whole beginnings of a text, single components of a path."""
    if separator is None:
        return [shown(node[: i + 1]) for i in range(len(node))] or ["the root"]
    return ["the root", *map(shown, node)]


def _weights(normal: Sequence[int], names: list[str]) -> Strip:
    """How much each column counts: bars to the right speak for the positive label, bars to the left against it."""
    largest = max(map(abs, normal)) or 1
    shapes = [line(WIDTH * 0.7, 0, WIDTH * 0.7, 30 * len(normal) + 6)]
    for i, (weight, name) in enumerate(zip(normal, names, strict=True)):
        width = 0.25 * WIDTH * abs(weight) / largest
        y = 6 + 30 * i
        shapes.append(bar(WIDTH * 0.7 - (width if weight < 0 else 0), y, width, 18, "yes" if weight > 0 else "no"))
        shapes.append(label(0, y + 14, f"{short(name, 20)}  {shown(weight)}"))
    return Strip(30 * len(normal) + 10, tuple(shapes))


def _coordinates(columns: list[str], d: int) -> list[str]:
    return columns if len(columns) == d else [coordinate("x", i) for i in range(d)]


def _titled(columns: list[str]) -> Strips:
    return [Strip(22, (label(0, 14, short(columns[0], 40), "strong"),))] if columns else []


def _word(word: str) -> Strip:
    return Strip(30, (label(WIDTH / 2, 20, word, "strong", "middle"),))
