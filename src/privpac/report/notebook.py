"""Cards in notebooks about rules, releases, dimensions, and audits: a heading, a small picture, and what is promised.

The style holds only inside the card. Its colors follow the notebook's own, light or dark.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from html import escape
from importlib.resources import files
from math import inf

from privpac.data.values.value_text import value_text
from privpac.dimensions.dimension import Dimension
from privpac.dimensions.witnesses import MistakeTree, ShatteredSet, ThresholdSequence
from privpac.learners.model import Model
from privpac.release.release import Release
from privpac.report.numbers import unbroken
from privpac.report.pages.accuracy import certified_fact, measured_fact
from privpac.report.pages.frame import fact_list, privacy_fact, seed_warning
from privpac.report.pages.release import error_bound
from privpac.report.pictures.measures import Measure, draw_measures
from privpac.report.pictures.shapes import Picture, short
from privpac.report.pictures.trees import ON_A_CARD, draw_mistake_tree
from privpac.report.release_pictures import draw_release
from privpac.report.rule_pictures import draw_rule

FEW_BARS = 8  # the most bars on the card of a release
WARNING = "The claim does not hold. Do not publish what this releases."
MOST_PATTERNS, PATTERN_LETTERS = 16, 16  # in a table of labels: the most rows or columns, and the letters of a name


def notebook_card(heading: str, below: str, parts: Iterable[str]) -> str:
    """The card as HTML: the heading in bold, the line ``below`` it, and parts that are HTML already."""
    style = files("privpac.report").joinpath("notebook.css").read_text("utf-8")
    head = f"<p><strong>{escape(heading)}</strong>{'<br>' + escape(below) if below else ''}</p>"
    text = f'<div class="privpac"><style>\n{style}</style>{head}{"".join(parts)}</div>'
    return text.encode("utf-8", "backslashreplace").decode()  # a released text may hold half a character


def paragraphs(lines: Iterable[str]) -> str:
    """Each line as a paragraph."""
    return "".join(f"<p>{escape(text)}</p>" for text in lines)


def wide_picture(picture: Picture | None) -> str:
    """A picture, in a box that scrolls where the notebook is narrower."""
    return "" if picture is None else f'<div class="wide">{picture.svg}</div>'


def table_of(rows: Sequence[dict[str, str]]) -> str:
    """The rows as a table; its heads are the keys of the first row."""
    head = "".join(f"<th>{escape(name)}</th>" for name in (rows or [{}])[0])
    body = "".join(f"<tr>{''.join(map(_cell, row.values()))}</tr>" for row in rows)
    return f'<div class="wide"><table><tr>{head}</tr>{body}</table></div>'


def _cell(text: str) -> str:
    """A cell of a table; text that begins with a digit, and budgets, stay on one line."""
    one_line = " " in text and (text[:1].isdecimal() or text.startswith("ε ="))
    return f"<td{' class=number' if one_line else ''}>{escape(text)}</td>"


def details(summary: str, inside: str) -> str:
    """The summary; a click on it shows what is inside."""
    return f"<details><summary>{escape(summary)}</summary>{inside}</details>"


def model_view(model: Model) -> str:
    """The card of a model: the rule, its picture, and what is promised."""
    certificate = model.certificate
    has_picture = len(model.classes) > 1 and not model.mostly_unfit
    picture = draw_rule(model.hypothesis, model.domain, model.columns, model.classes) if has_picture else None
    facts = fact_list([*measured_fact(model), privacy_fact(certificate), *certified_fact(model)])
    verdict = model.verdict() or ""
    sentence = f"The rule {verdict}" if verdict.startswith(("errs", "costs")) else verdict
    lines = filter(None, (sentence, model.misfits_in_words, certificate.privacy_line, certificate.utility_line))
    heading = model.headline if model.mostly_unfit else str(model)
    parts = [seed_warning(certificate, "rule"), wide_picture(picture), facts, paragraphs(lines)]
    return notebook_card(heading, "", parts)


def release_view(release: Release) -> str:
    """The card of a release: its subject, a small picture, and the guarantees."""
    warning = seed_warning(release.guarantee.certificate, "release")
    lines = filter(None, (release.misfits(), *release.guarantee.lines))
    parts = [warning, wide_picture(draw_release(release, FEW_BARS)), paragraphs(lines)]
    return notebook_card(release.subject, unbroken(error_bound(release.guarantee)), parts)


def dimension_view(dimension: Dimension) -> str:
    """The card of a dimension: its bounds and their reasons, and a picture of the witness."""
    heading, _, reason = str(dimension).partition(" (")
    heading = f"{heading[:1].upper()}{heading[1:]}"
    if (witness := dimension.witness) is None:
        return notebook_card(heading, reason.removesuffix(")"), [])
    bound = "" if dimension.exact else f" of {dimension.lower if witness.bound == 'lower' else dimension.upper}"
    parts = [_witness_picture(witness), paragraphs([f"Witness{bound}: {witness}"])]
    return notebook_card(heading, reason.removesuffix(")"), parts)


def _witness_picture(witness: object) -> str:
    """The picture or table of a witness; empty if it has no points."""
    match witness:
        case MistakeTree(points=points) if points:
            return wide_picture(draw_mistake_tree(witness, value_text, deepest=ON_A_CARD))
        case ShatteredSet(points=points) if points:
            last = len(points) - 1  # the labels of concept i are the bits of i
            return _label_table(points, witness.concepts, lambda i, j: bool(i >> (last - j) & 1))
        case ThresholdSequence(points=points) if points:
            return _label_table(points, witness.concepts, lambda i, j: i <= j)
    return ""


def _label_table(points: Sequence[Hashable], concepts: Sequence[Hashable], label: Callable[[int, int], bool]) -> str:
    """A table of labels, a row for each concept; concept i has label(i, j) on point j."""
    columns, rows = points[:MOST_PATTERNS], concepts[:MOST_PATTERNS]
    head = "".join(f"<th>{_name(point)}</th>" for point in columns)
    bits = "<td>0</td>", '<td class="one">1</td>'
    body = "".join(
        f"<tr><th>{_name(concept)}</th>{''.join(bits[label(i, j)] for j in range(len(columns)))}</tr>"
        for i, concept in enumerate(rows)
    )
    more = "" if (len(columns), len(rows)) == (len(points), len(concepts)) else "<p>and more</p>"
    return f'<div class="wide"><table class="bits"><tr><th></th>{head}</tr>{body}</table></div>{more}'


def _name(value: Hashable) -> str:
    return escape(short(value_text(value), PATTERN_LETTERS))


def verdict_view(claim: str, bound: float, measured: tuple[str, float], axis: str, verdict: str) -> str:
    """The card of one verdict, such as "REFUTED: …"; ``measured`` is a name and a value, which ``bound`` limits."""
    name, value = measured
    figure = "∞" if value == inf else f"{value:.4g}"
    measures = [Measure("claimed", bound, f"{bound:.4g}"), Measure(name, value, figure, value <= bound)]
    picture = draw_measures(measures, f"{axis}; the dashed line is the claim", limit=bound)
    heading, _, evidence = verdict.partition(": ")
    warning = f'<p class="warn">{WARNING}</p>' if heading == "REFUTED" else ""
    parts = [warning, wide_picture(picture), paragraphs([evidence])]
    return notebook_card(heading.replace("_", " "), f"claimed: {claim}", parts)
