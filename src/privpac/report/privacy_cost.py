"""The part of a report about privacy: what is promised, what δ means, and what each computation cost.

Main declarations
    privacy_cost     the part
    exposure         δ·n, where there is a δ
    protected_one    what is protected: a record or a unit
"""

from __future__ import annotations

from html import escape

from privpac.learners.model import Model
from privpac.privacy.budget import Budget
from privpac.report.numbers import grouped


def privacy_cost(model: Model) -> str:
    """What is promised about one record or unit, and at what cost."""
    certificate = model.certificate
    k = certificate.unit_records
    whom = "any one record" if k is None else f"any one unit and all its records (at most {k} of which count)"
    many = f"{grouped(certificate.protected or 0)} {protected_one(model)}s"
    claim = (
        f"This page reveals almost nothing about {whom}: with different data in its place, every outcome would have "
        f"been almost as likely. “Almost” means within a factor of e^ε for ε = {float(certificate.privacy.epsilon):.6g}"
        + (f", up to δ = {float(certificate.privacy.delta):.6g}" if certificate.privacy.delta else "")
        + ". This holds for every possible set of records."
    )
    δ = float(certificate.privacy.delta)
    explained = (
        f"δ = {δ:.6g} is a small exception: the outcome is as likely as this factor demands, except with at most this "
        f"probability. At worst, {' '.join(exposure(model)) or 'δ·n'} of the {many} are revealed outright, on average."
        if δ
        else ""
    )
    rows = "".join(
        f"<tr><td>{escape(entry.mechanism)}</td><td>{_cost(entry.cost)}</td><td>{escape(entry.theorem)}</td></tr>"
        for entry in model.ledger
    )
    table = (
        "<table><thead><tr><th>Computation</th><th>Cost</th><th>Proof</th></tr></thead>"
        f"<tbody>{rows}</tbody><tfoot><tr><td>Total</td><td>{_cost(certificate.privacy)}</td>"
        f"<td>per {protected_one(model)}</td></tr></tfoot></table>"
    )
    more = f"<p>{escape(explained)}</p>" if explained else ""
    return f"<h2>Privacy cost</h2><p>{escape(claim)}</p>{more}{table}"


def _cost(budget: Budget) -> str:
    return str(budget).replace(" = ", "\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}")  # keeps the cost to at most two lines


def exposure(model: Model) -> list[str]:
    """δ·n, where there is a δ."""
    exposed = model.certificate.delta_n
    return [] if exposed is None else [f"δ·n = {float(exposed):.3g}"]


def protected_one(model: Model) -> str:
    """What is protected: a record or a unit."""
    return "record" if model.certificate.unit_records is None else "unit"
