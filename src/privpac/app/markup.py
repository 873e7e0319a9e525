"""The templates of the explorer, and the filters that they use.

Templates escape every text once. Only pictures and reports that the library itself makes are ``Markup``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from privpac.app.forms import FormField
from privpac.report.numbers import unbroken
from privpac.report.pictures.shapes import Picture

# A budget, a number in scientific notation, or a date: browsers would break a line inside these.
UNBREAKABLE = re.compile(r"[εδ](?:·n)? = [^\s,;]+|\b[0-9][0-9.]*e[-+][0-9]+|\b[0-9]{4}-[0-9]{2}-[0-9]{2}\b")
STYLE = re.compile(r"<style>(.*?)</style>", re.DOTALL)


def render(template: str, **values: object) -> str:
    """The page that a template makes of these values.

    >>> "<h1>A &amp; B</h1>" in render("message.html", title="A & B", here="", mode="", sentence="", way_back="")
    True
    """
    return ENVIRONMENT.get_template(template).render(values)


def whole(text: str) -> Markup:
    """The text, escaped; each number, date, or budget such as δ = 1e-05 stays on one line.

    >>> print(whole("5,000 < δ = 1e-05, left"))
    5,000 &lt; <span class="whole">δ = 1e-05</span>, left
    """
    return Markup(UNBREAKABLE.sub(r'<span class="whole">\g<0></span>', str(escape(unbroken(text)))))


def runs(fields: Iterable[FormField]) -> list[tuple[bool, list[FormField]]]:
    """Runs of consecutive fields that are all rare or all not rare: (whether they are rare, the fields)."""
    return [(rare, list(run)) for rare, run in groupby(fields, lambda field: field.rare)]


def unstyled(html: str) -> Markup:
    """A report of the library without its styles, which our security policy forbids; our style sheet has them."""
    return Markup(STYLE.sub("", html))


def inline(picture: Picture) -> Markup:
    """A picture of the library, without its styles."""
    return unstyled(picture.svg)


ENVIRONMENT = Environment(
    loader=PackageLoader("privpac.app"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    auto_reload=False,
)
ENVIRONMENT.filters |= {"whole": whole, "runs": runs}
