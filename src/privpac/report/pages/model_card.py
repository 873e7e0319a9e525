"""The parts of a report for officers, what was declared and what another ε would give; and for programmers: usage."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from html import escape

from privpac.data.values.value_text import in_list, value_text
from privpac.learners.model import Model
from privpac.privacy.certificate import Utility
from privpac.report.pages.accuracy import best_rule_of, certified_bound, certified_name

EPSILONS = (0.1, 0.5, 1.0, 3.0)
BEYOND = (
    "<p>The measured error is about the labels that predictions give. In SQL and Python, a missing value gets the same "
    "label, and a value outside what was declared is labeled by the rule as it is.</p>"
)
MOST_CHARACTERS = 4000  # a page shows only models and rules shorter than this
INVALID = {
    "raise": "refused before anything was spent",
    "clamp": "moved to the nearest declared value where there is one, otherwise counted in the number of records",
    "default": "counted in the number of records",
}


def card(model: Model, about: Mapping[str, str]) -> str:
    """The table of what was declared; ``about`` adds rows such as Purpose and Owner.

    >>> from privpac.classes.lines.rules import Threshold
    >>> from privpac.data.domains.line import Line
    >>> from privpac.privacy.budget import Budget
    >>> from privpac.privacy.certificate import Certificate
    >>> model = Model(Threshold(37), Line(0, 999), "delay", (0, 1), 5000, "exponential", Certificate(Budget(1)))
    >>> "whole numbers from 0 to 999" in card(model, {"Purpose": "schedules"})
    True
    """
    names = [*map(value_text, model.columns), *["values"] * len(model.domain.columns)]
    declared = [(f"Column {name}", each.words) for name, each in zip(names, model.domain.columns, strict=False)]
    k = model.certificate.unit_records
    rows = [
        *about.items(),
        *declared,
        ("Label" if model.label is None else f"Label {value_text(model.label)}", in_list(model.classes)),
        ("Protected", "each record" if k is None else f"each unit, of whose records at most {k} count"),
        ("Values that do not fit", INVALID[model.on_invalid]),
    ]
    cells = "".join(f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in rows)
    return (
        "<h2>What was declared</h2><p>All of this was public before a record was read; none of it was learned from the "
        f"records.</p><table>{cells}</table>"
    )


def other_prices(ε: float, prices: Sequence[tuple[float, Utility | None]]) -> str:
    """The table of the certified errors at other ε; ``prices`` pairs each ε with its certificate, None for none.

    >>> from fractions import Fraction
    >>> certified = Utility(Fraction(41, 1000), Fraction(1, 20), "agnostic", "certificates, Theorem 1")
    >>> "4.1 %" in other_prices(1, [(0.1, None), (1, certified)])
    True
    """
    certified = [utility for _, utility in prices if utility]
    if not certified:
        return ""
    noisy, alike = certified[0].regime == "agnostic", len({each.within for each in certified}) == 1

    def error(utility: Utility | None) -> str:
        if utility is None:
            return "none"
        rival = "" if alike else f" ({best_rule_of(utility)})"
        return f"{certified_bound(utility)}{rival}"

    rows = "".join(
        f"<tr><td>{price:g}{' (this release)' if price == ε else ''}</td><td>{escape(error(utility))}</td></tr>"
        for price, utility in prices
    )
    head = f"{certified_name(certified[0])}{' above the best rule’s' * noisy}"
    return (
        "<h2>Had you asked for another ε</h2><p>A smaller ε protects more. What it costs is known in advance:</p>"
        f"<table><thead><tr><th>ε</th><th>{head}</th></tr></thead>{rows}</table>"
    )


def usage(model: Model, file: str | None, data: str) -> str:
    """The rule in SQL and Python; commands, if the model was written to a ``file``; the model's text."""
    parts = [("In SQL", _sql(model)), ("In Python, without privpac", _python(model))]
    shown_parts = "".join(
        f"<details><summary>{escape(title)}</summary><pre>{escape(text)}</pre></details>"
        for title, text in [*parts, ("The model", model.to_json())]
        if text is not None and len(text) < MOST_CHARACTERS
    )
    beyond = "" if model.on_invalid == "raise" else BEYOND
    command = "" if file is None else f"<pre>{escape(_commands(model, file, data))}</pre>"
    return (
        "<h2>How to use it</h2><p>The model is a small, self-contained text. It contains no records.</p>"
        f"{command}{beyond}{shown_parts}"
    )


def _commands(model: Model, file: str, data: str) -> str:
    columns = ", ".join(map(value_text, model.columns)) or "values"
    return (
        f"privpac predict {shlex.quote(file)} {shlex.quote(data)}\n\n"
        f"import privpac as pp\nmodel = pp.Model.from_json(open({file!r}, encoding='utf-8').read())\n"
        f"model.predict(table)  # any table with {columns}"
    )


def _sql(model: Model) -> str | None:
    try:
        return model.to_sql()
    except (ValueError, TypeError):  # some rules have no form in SQL
        return None


def _python(model: Model) -> str | None:
    try:
        return model.to_python()
    except (ValueError, TypeError):
        return None
