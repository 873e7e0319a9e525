"""The part of a report about privacy: what is promised, what δ means, and what each computation cost."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from privpac.privacy.budget import Budget
from privpac.privacy.certificate import Certificate, Entry
from privpac.report.numbers import grouped, unbroken


def privacy_cost(certificate: Certificate, ledger: Iterable[Entry]) -> str:
    """What is promised about one record or unit, and at what cost."""
    k = certificate.unit_records
    whom = "any one record" if k is None else f"any one unit and all its records (at most {k} of which count)"
    many = f"{grouped(certificate.protected or 0)} {protected_one(certificate)}s"
    claim = (
        f"This page reveals almost nothing about {whom}: with different data in its place, every outcome would have "
        f"been almost as likely. “Almost” means within a factor of e^ε for ε = {float(certificate.privacy.epsilon):.6g}"
        + (f", up to δ = {float(certificate.privacy.delta):.6g}" if certificate.privacy.delta else "")
        + ". This holds for every possible set of records."
    )
    δ = float(certificate.privacy.delta)
    exposed = " ".join(exposure(certificate)) or "δ·n"
    explained = (
        f"δ = {δ:.6g} is a small exception: the outcome is as likely as this factor demands, except with at most this "
        f"probability. At worst, {exposed} of the {many} are revealed outright, on average."
        if δ
        else ""
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
    more = f"<p>{escape(unbroken(explained))}</p>" if explained else ""
    return f"<h2>Privacy cost</h2><p>{escape(claim)}</p>{more}{table}"


def privacy_fact(certificate: Certificate) -> tuple[str, str, str]:
    """The fact about privacy: its title, ε and δ, and whom they protect."""
    whose = f"per {protected_one(certificate)}" if certificate.private else "had no seed been set"
    return "Privacy", str(certificate.privacy), "; ".join([whose, *exposure(certificate)])


def _cost(budget: Budget) -> str:
    return str(budget).replace(" = ", "\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}")  # a cost then takes at most two lines


def exposure(certificate: Certificate) -> list[str]:
    """δ·n in words, if there is a δ."""
    exposed = certificate.delta_n
    return [] if exposed is None else [f"δ·n = {float(exposed):.3g}"]


def protected_one(certificate: Certificate) -> str:
    """What is protected: a record or a unit."""
    return "record" if certificate.unit_records is None else "unit"
