"""The page about a suggested schema: which columns it declares, how many records fit, the file, and its cost."""

from __future__ import annotations

from html import escape
from importlib.metadata import version

from privpac.release.suggestions.suggested_schema import SuggestedSchema, share_text
from privpac.report.numbers import grouped
from privpac.report.pages.frame import document, fact_list, limits, privacy_cost, privacy_fact, seed_warning

NEXT = "You know more about the table, so edit the file. Then use it to learn or to release."


def suggestion_page(suggested: SuggestedSchema) -> str:
    """The page as HTML."""
    certificate, n = suggested.certificate, suggested.algorithm.n
    title = f"A suggested schema for {suggested.source}"
    columns = sum(column.source.role == "column" for column in suggested.suggestions)
    facts = [
        ("Columns", f"{len(suggested.columns)} of {columns}", "have a suggestion"),
        (
            "Shown",
            f"ranges shared by about {grouped(suggested.algorithm.ranges_from)}",
            f"or more of {grouped(n)} {suggested.counted}",
        ),
        privacy_fact(certificate),
    ]
    head = f"<header>{seed_warning(certificate, 'schema')}<h1>{escape(title)}</h1><p>{escape(NEXT)}</p></header>"
    parts = [
        head,
        fact_list(facts),
        _table(suggested),
        f"<h2>The file</h2><pre>{escape(suggested.text)}</pre>",
        privacy_cost(certificate, suggested.statement.entries),
        limits(certificate, "schema", f"privpac {version('privpac')}"),
    ]
    return document(title, certificate.private, parts)


def _table(suggested: SuggestedSchema) -> str:
    """What was seen in each column, and the share of the records that fit its suggestion, at least."""
    least = suggested.at_least
    rows = "".join(
        f"<tr><td>{escape(column.source.name)}</td><td>{escape(column.about)}</td>"
        f"<td>{share_text(least[column.source.name]) if column.declared else 'not suggested'}</td></tr>"
        for column in suggested.suggestions
    )
    return (
        '<div class="wide"><table><tr><th>column</th><th>what was seen</th>'
        f"<th>records that fit, at least</th></tr>{rows}</table></div>"
    )
