"""The pieces of a page, as functions that return HTML. Every text that they are given is escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from privpac.report.numbers import unbroken
from privpac.report.pictures.shapes import Picture

MENU = {
    "/plan": "Plan",
    "/learn": "Learn",
    "/release": "Release",
    "/budgets": "Budgets",
    "/classes": "Classes",
    "/neighbors": "Neighbors",
    "/broken": "A broken paper",
}
FILLS = (
    '<label class="loads" for="l-{name}">or from a file, which your browser reads</label>'
    '<input type="file" class="loads" id="l-{name}" data-fills="f-{name}" accept=".csv,.txt,.json">'
)
TOGETHER = re.compile(r"[εδ](?:·n)? = [^\s,;]+|\b[0-9][0-9.]*e[-+][0-9]+|\b[0-9]{4}-[0-9]{2}-[0-9]{2}\b")
STYLE = re.compile(r"<style>.*?</style>", re.DOTALL)


def page_frame(title: str, about: str, body: str, here: str = "", *, mode: str = "", headed: bool = False) -> str:
    """A page; ``here`` is its place in the menu, ``mode`` what the server may do; the body may be ``headed`` by itself.

    >>> "<h1>A &amp; B</h1>" in page_frame("A & B", "", "")
    True
    """
    links = "".join(
        f'<a href="{place}"{" aria-current=page" * (place == here)}>{escape(name)}</a>' for place, name in MENU.items()
    )
    heading = f'<h1>{escape(title)}</h1><p class="about">{escape(about)}</p>'
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)} · privpac</title>\n"
        '<link rel="icon" href="/icon.svg"><link rel="stylesheet" href="/explorer.css">\n'
        '<script src="/explorer.js" defer></script>\n</head>\n<body>\n'
        '<a class="skip" href="#main">Skip to the content</a>\n'
        f'<header class="top"><a class="home" href="/">privpac</a><nav aria-label="Pages">{links}</nav>'
        f'<span class="mode {"spends" * ("spend" in mode)}">{escape(mode)}</span></header>\n'
        f'<main id="main">{"" if headed else heading}\n{body}\n</main>\n'
        "</body>\n</html>\n"
    )


def columns(left: str, right: str) -> str:
    """A form on the left, its result on the right; on a phone, one below the other."""
    heard = '<p id="heard" class="hear" role="status"></p>'  # what changed, for those who do not see it
    shown = f'<section id="result" aria-label="Result">{right}</section>'
    return f'<div class="columns"><div>{left}{heard}</div>{shown}</div>'


@dataclass(frozen=True)
class FormField:
    """A field of a form.

    ``options`` makes it a choice among values with names; ``steps`` adds a slider over these values; ``lines`` makes it
    a text of several lines.
    """

    label: str
    name: str
    value: str = ""
    hint: str = ""
    options: Mapping[str, str] | None = None
    steps: Sequence[str] = ()
    lines: int = 0
    flag: bool = False  # a box to tick
    fixed: bool = False  # shown, and never typed; nothing is shown for an empty one
    needed: bool = False  # the browser does not send the form without it
    rare: bool = False  # folded away until it is needed
    reloads: bool = False  # other fields depend on it
    loads: bool = False  # a file can be chosen to fill it, which the browser reads

    def html(self, wrong: str | None = None) -> str:
        """The field; marked if it is the one that is wrong."""
        if self.fixed:
            return f'<p class="note">{escape(self.label)} <strong>{escape(self.value)}</strong></p>' * bool(self.value)
        bad = ' aria-invalid="true" aria-describedby="refusal"' if wrong == self.name else ""
        noted = f' aria-describedby="h-{self.name}"' if self.hint and not bad else ""
        named = f'id="f-{self.name}" name="{self.name}"{bad}{noted}'
        hint = f'<small id="h-{self.name}">{escape(self.hint)}</small>' if self.hint else ""
        label = f'<label for="f-{self.name}">{escape(self.label)}</label>'
        if self.flag:
            ticked = " checked" * bool(self.value) + " required" * self.needed
            return f'<div class="field flag"><input type="checkbox" value="yes" {named}{ticked}>{label}{hint}</div>'
        file = FILLS.format(name=self.name) if self.loads else ""
        return f'<div class="field">{label}{self._input(named)}{hint}{file}</div>'

    def _input(self, named: str) -> str:
        value = escape(self.value)
        if self.options is not None:
            listed = "".join(
                f'<option value="{escape(each)}"{" selected" * (each == self.value)}>{escape(text)}</option>'
                for each, text in self.options.items()
            )
            return f"<select {named}{' data-reloads' * self.reloads}>{listed}</select>"
        if self.lines:
            return f'<textarea {named} rows="{self.lines}" spellcheck="false">{value}</textarea>'
        text = f'<input type="text" {named} value="{value}" autocomplete="off" spellcheck="false">'
        if not self.steps:
            return text
        slider = (
            f'<input type="range" class="slider" min="0" max="{len(self.steps) - 1}" data-for="f-{self.name}" '
            f'data-steps="{escape(",".join(self.steps))}" aria-label="{escape(self.label)}, slider">'
        )
        return text + slider


def live_form(
    action: str, fields: Iterable[FormField | str], button: str, wrong: str | None = None, *, follows: str = "input"
) -> str:
    """Fields, and texts between them, that a button sends as the address of a page.

    The page follows every letter (``"input"``), or every field that is left (``"change"``), if a result takes long.
    """
    inside = f"{inside_form(fields, wrong)}<button>{escape(button)}</button>"
    return f'<form id="asked" action="{action}" data-live="{follows}">{inside}</form>'


def inside_form(fields: Iterable[FormField | str], wrong: str | None = None) -> str:
    """Fields in their order; rare ones are folded away."""
    parts, folded = [], []
    for each in [*fields, ""]:
        if isinstance(each, FormField) and each.rare:
            folded.append(each)
            continue
        if folded:
            needed = any(field.value or field.name == wrong for field in folded)
            hidden_ones = "".join(field.html(wrong) for field in folded)
            parts.append(f"<details{' open' * needed}><summary>{_folded(folded)}</summary>{hidden_ones}</details>")
            folded = []
        parts.append(each if isinstance(each, str) else each.html(wrong))
    return "".join(parts)


def _folded(fields: Iterable[FormField]) -> str:
    """What is folded away, by name: a form may have several such places."""
    names = (f"{each.label[:1].lower()}{each.label[1:]}" for each in fields)
    return escape(f"More: {', '.join(names)}")


def filled(fields: Iterable[FormField | str], given: dict[str, str]) -> dict[str, str]:
    """What was given, and what the other fields of the form show."""
    return given | {field.name: field.value for field in fields if isinstance(field, FormField)}


def hidden_fields(values: Mapping[str, str]) -> str:
    """Fields that a form sends along.

    >>> hidden_fields({"a": '"'})
    '<input type="hidden" name="a" value="&quot;">'
    """
    pairs = values.items()
    return "".join(f'<input type="hidden" name="{escape(a)}" value="{escape(b)}">' for a, b in pairs)


def facts(*told: tuple[str, str, str]) -> str:
    """A few numbers that matter: what, how much, and a remark.

    >>> facts(("Privacy", "ε < 1", "")).count("&lt;")
    1
    """
    cells = (f"<div><dt>{escape(a)}</dt><dd>{whole(b)}<small>{whole(c)}</small></dd></div>" for a, b, c in told)
    return f'<dl class="facts">{"".join(cells)}</dl>'


def html_table(
    head: Sequence[str], rows: Iterable[Sequence[str]], caption: str = "", numbers: Iterable[int] = ()
) -> str:
    """Rows under a heading; the columns ``numbers`` are aligned to the right.

    >>> html_table(["a"], [["<"]]).count("&lt;")
    1
    """
    right = set(numbers)

    def cells(kind: str, row: Sequence[str]) -> str:
        ends = ((' class="number"' if i in right else "", text) for i, text in enumerate(row))
        return "".join(f"<{kind}{place}>{whole(text)}</{kind}>" for place, text in ends)

    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    inside = f"<table>{title}<thead><tr>{cells('th', head)}</tr></thead><tbody>{body}</tbody></table>"
    return _scrolling(inside, caption or "Table")


def figure(picture: Picture, caption: str = "") -> str:
    """A picture with a caption."""
    told = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    return f"<figure>{_scrolling(unstyled(picture.svg), 'Picture')}{told}</figure>"


def _scrolling(html: str, label: str) -> str:
    """What may be wider than a phone; the keyboard can scroll it."""
    return f'<div class="scroll" tabindex="0" role="group" aria-label="{escape(label)}">{html}</div>'


def unstyled(html: str) -> str:
    """Pictures without their styles: a strict browser ignores those, and the style sheet of the explorer has them."""
    return STYLE.sub("", html)


def warning(sentence: str) -> str:
    """A sentence that must not be missed."""
    return f'<p class="warn" id="refusal" role="alert">{whole(sentence)}</p>'


def whole(text: str) -> str:
    """The text, escaped; its numbers, and budgets such as δ = 1e-05, stay on one line.

    >>> whole("5,000 < δ = 1e-05, left")
    '5,000 &lt; <span class="whole">δ = 1e-05</span>, left'
    """
    return TOGETHER.sub(r'<span class="whole">\g<0></span>', escape(unbroken(text)))
