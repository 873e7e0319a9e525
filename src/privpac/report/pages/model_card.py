"""Parts of a report. For privacy officers: what was declared, and what another ε would give; for programmers: usage."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from html import escape

from privpac.data.values.value_text import in_list, value_text
from privpac.learners.model import Model
from privpac.privacy.certificate import Utility
from privpac.report.pages.accuracy import best_rule_of, certified_bound, certified_name
from privpac.report.pages.frame import protected, table_of_pairs

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
    """The table of what was declared; ``about`` adds rows such as Purpose and Owner."""
    names = [*map(value_text, model.columns), *["values"] * len(model.domain.columns)]
    declared = [(f"Column {name}", column.words) for name, column in zip(names, model.domain.columns, strict=False)]
    rows = [
        *about.items(),
        *declared,
        ("Label" if model.label is None else f"Label {value_text(model.label)}", in_list(model.classes)),
        protected(model.certificate),
        ("Values that do not fit", INVALID[model.on_invalid]),
    ]
    return (
        "<h2>What was declared</h2><p>All of this was public before a record was read; none of it was learned from the "
        f"records.</p>{table_of_pairs(rows)}"
    )


def other_prices(ε: float, prices: Sequence[tuple[float, Utility | None]]) -> str:
    """The table of the certified errors at other ε; ``prices`` pairs each ε with its certificate, if it has one.

    >>> from fractions import Fraction
    >>> certified = Utility(Fraction(41, 1000), Fraction(1, 20), "agnostic", "certificates, Theorem 1")
    >>> "4.1 %" in other_prices(1, [(0.1, None), (1, certified)])
    True
    """
    certified = [utility for _, utility in prices if utility]
    if not certified:
        return ""
    noisy, same_rules = certified[0].regime == "agnostic", len({utility.within for utility in certified}) == 1

    def error(utility: Utility | None) -> str:
        if utility is None:
            return "none"
        rival = "" if same_rules else f" ({best_rule_of(utility)})"
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
    texts = "".join(
        f"<details><summary>{escape(title)}</summary><pre>{escape(text)}</pre></details>"
        for title, write in (
            ("In SQL", model.to_sql),
            ("In Python, without privpac", model.to_python),
            ("The model", model.to_json),
        )
        if 0 < len(text := _written(write)) < MOST_CHARACTERS
    )
    beyond = "" if model.on_invalid == "raise" else BEYOND
    command = "" if file is None else f"<pre>{escape(_commands(model, file, data))}</pre>"
    return (
        "<h2>How to use it</h2><p>The model is a small, self-contained text. It contains no records.</p>"
        f"{command}{beyond}{texts}"
    )


def _commands(model: Model, file: str, data: str) -> str:
    columns = ", ".join(map(value_text, model.columns)) or "values"
    return (
        f"privpac predict {shlex.quote(file)} {shlex.quote(data)}\n\n"
        f"import privpac as pp\nmodel = pp.Model.from_json(open({file!r}, encoding='utf-8').read())\n"
        f"model.predict(table)  # any table with {columns}"
    )


def _written(write: Callable[[], str]) -> str:
    """The text; empty if the rule cannot be written in this language."""
    try:
        return write()
    except (ValueError, TypeError):
        return ""
