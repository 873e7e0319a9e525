"""What all report pages share: the document, facts at the top, what privacy cost, and what no guarantee covers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from html import escape
from importlib.resources import files

from privpac.privacy.budget import Budget
from privpac.privacy.certificate import Certificate, Entry
from privpac.report.numbers import grouped, unbroken

Fact = tuple[str, str, str]  # a title, a number or a few words, and a remark in small print
LIMITS = (
    "The privacy guarantee limits what this page and the {thing} reveal about any one {one}. It does not hide what is "
    "already known or how long the computation took. Whoever ran the computation saw the records. Every other "
    "release from the same records costs additional privacy, and the costs add up."
)


@dataclass(frozen=True)
class PageNames:
    """The words that people choose for a page: its title, rows about it, and the files in its example commands."""

    title: str = ""
    about: Mapping[str, str] = field(default_factory=dict)
    file: str | None = None
    data: str = "data.csv"


def document(title: str, private: bool, parts: Iterable[str]) -> str:
    """The page as HTML, with its style; empty parts are left out."""
    style = files("privpac.report").joinpath("page.css").read_text("utf-8")
    text = (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title if private else f'NOT PRIVATE: {title}')}</title>\n<style>\n{style}</style>\n</head>\n"
        "<body>\n" + "\n".join(filter(None, parts)) + "\n</body>\n</html>\n"
    )
    return text.encode("utf-8", "backslashreplace").decode()  # a released text may hold half a character


def body_of(page: str) -> str:
    """The body of a page, without its head and its style, so that another page can contain it.

    >>> body_of(document("late", True, ["<h1>late</h1>"]))
    '<h1>late</h1>'
    """
    return page.partition("<body>\n")[2].rpartition("\n</body>")[0]


def seed_warning(certificate: Certificate, thing: str) -> str:
    """A warning, if a seed decided the noise; otherwise an empty text."""
    if certificate.private:
        return ""
    return (
        '<p class="warn">NOT PRIVATE: the randomness came from a seed, which is for tests and teaching only. '
        f"Do not publish this {thing}.</p>"
    )


def fact_list(facts: Iterable[Fact]) -> str:
    """The facts side by side."""
    texts = ((escape(unbroken(part)) for part in fact) for fact in facts)
    cells = (f"<div><dt>{title}</dt><dd>{number}<small>{remark}</small></dd></div>" for title, number, remark in texts)
    return f'<dl class="facts">{"".join(cells)}</dl>'


def table_of_pairs(rows: Iterable[tuple[str, str]]) -> str:
    """A table of names and their values, side by side."""
    cells = "".join(f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in rows)
    return f"<table>{cells}</table>"


def protected(certificate: Certificate) -> tuple[str, str]:
    """The row of a table that says whom the guarantee protects."""
    k = certificate.unit_records
    return "Protected", "each record" if k is None else f"each unit, of whose records at most {k} count"


def origin(verb: str, ledger: Iterable[Entry], records: str, method: str) -> str:
    """When, from what, and how something was made."""
    days = {f"{entry.time:%Y-%m-%d}" for entry in ledger}
    day = f" on {min(days)}" if days else ""
    return f"{verb}{day} by privpac from {records}; {method}."


def privacy_cost(certificate: Certificate, ledger: Iterable[Entry]) -> str:
    """The section that says what is promised about one record or unit, and what each computation cost."""
    k = certificate.unit_records
    whom = "any one record" if k is None else f"any one unit and all its records (at most {k} of which count)"
    everyone = f"{grouped(certificate.protected or 0)} {protected_one(certificate)}s"
    ε, δ = float(certificate.privacy.epsilon), float(certificate.privacy.delta)
    factor = f"e^ε for ε = {ε:.6g}" + f", up to δ = {δ:.6g}" * bool(δ)
    claim = (
        f"This page reveals almost nothing about {whom}: with different data in its place, every outcome would have "
        f"been almost as likely. “Almost” means within a factor of {factor}. This holds for every possible set of "
        "records."
    )
    exposed = " ".join(exposure(certificate)) or "δ·n"
    exception = unbroken(
        f"δ = {δ:.6g} is a small exception: the outcome is as likely as this factor demands, except with at most this "
        f"probability. At worst, {exposed} of the {everyone} are revealed outright, on average."
    )
    rows = "".join(
        f"<tr><td>{escape(entry.mechanism)}</td><td>{_cost(entry.cost)}</td><td>{escape(entry.theorem)}</td></tr>"
        for entry in ledger
    )
    table = (
        "<table><thead><tr><th>Computation</th><th>Cost</th><th>Proof</th></tr></thead>"
        f"<tbody>{rows}</tbody><tfoot><tr><td>Total</td><td>{_cost(certificate.privacy)}</td>"
        f"<td>per {protected_one(certificate)}</td></tr></tfoot></table>"
    )
    return f"<h2>Privacy cost</h2><p>{escape(claim)}</p>{f'<p>{escape(exception)}</p>' if δ else ''}{table}"


def privacy_fact(certificate: Certificate) -> tuple[str, str, str]:
    """The fact about privacy: its title, ε and δ, and whom they protect."""
    whose = f"per {protected_one(certificate)}" if certificate.private else "had no seed been set"
    return "Privacy", str(certificate.privacy), "; ".join([whose, *exposure(certificate)])


def _cost(budget: Budget) -> str:
    """A cost that breaks into at most two lines: after ε, and before δ."""
    return str(budget).replace(" = ", "\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}")


def exposure(certificate: Certificate) -> list[str]:
    """δ·n as a text in a list, which is empty if no δ was spent."""
    exposed = certificate.delta_n
    return [] if exposed is None else [f"δ·n = {float(exposed):.3g}"]


def protected_one(certificate: Certificate) -> str:
    """What is protected: a record or a unit."""
    return "record" if certificate.unit_records is None else "unit"


def limits(certificate: Certificate, thing: str, footer: str) -> str:
    """What the guarantee does not cover, and who made the ``thing``."""
    text = LIMITS.format(one=protected_one(certificate), thing=thing)
    return f"<h2>What the guarantee does not cover</h2><p>{escape(text)}</p><footer>{escape(unbroken(footer))}</footer>"
