"""What a release would cost and promise, at the chosen ε and at others; shown before anything is spent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from privpac.app.forms import FormValues
from privpac.app.session import Session
from privpac.privacy.budget import Budget, as_rational
from privpac.privacy.rounding import ball, rounded_up, text_rounded_up
from privpac.report.numbers import grouped

USUAL_EPSILONS = ("0.1", "0.5", "1", "3")  # the values that people compare
LARGEST_EPSILON = 6  # beyond it, the factor e^ε is not written as a number
Fact = tuple[str, str, str]  # a name, a value, and a remark
Promise = tuple[Budget, str]  # what an ε costs, and what it promises in words


@dataclass(frozen=True)
class PriceTable:
    """What every ε promises, and what it leaves in the account."""

    head: list[str]
    rows: list[list[str]]


def cost_facts(session: Session, values: FormValues, cost: Budget, protected: int, units: bool) -> list[Fact]:
    """What will be charged, what is left afterwards, what that promises, and how many records δ may reveal.

    ``protected`` is the number of units if ``units`` are protected, and of records otherwise.
    """
    name = values.get("account", "")
    remark = "there is no account to charge"
    if name in session.accounts():
        remaining = session.account(name).remaining
        remark = f"{name}: {remaining - cost} left afterwards" if cost <= remaining else f"{name} has only {remaining}"
    noun = "unit" if units else "record"
    up_to_δ = f", up to δ; δ·n = {float(cost.delta * protected):.3g}" if cost.delta else ""
    promise = (
        f"with any one {noun} replaced, the probability of every result changes by a factor of at most "
        f"{likelihood_factor(cost)}{up_to_δ}"
    )
    return [("A release costs", str(cost), remark), (f"{noun.capitalize()}s", grouped(protected), promise)]


def price_table(
    session: Session, values: FormValues, title: str, promise_at: Callable[[str], Promise], nothing: str = ""
) -> PriceTable | None:
    """What other ε would promise, and what they would leave in the account; None if all promise ``nothing``."""
    chosen = values.get("epsilon", "1").strip()
    name = values.get("account", "")
    remaining = session.account(name).remaining if name in session.accounts() else None
    rows = []
    for ε in sorted({*USUAL_EPSILONS, chosen}, key=lambda text: as_rational(text, "epsilon")):
        try:
            cost, promise = promise_at(ε)
        except ValueError:  # an ε may be too small for anything
            continue
        left = ""
        if remaining is not None:
            left = str(remaining - cost) if cost <= remaining else "too little"
        rows.append([f"{ε} (this one)" if ε == chosen else ε, promise, left])
    if all(promise == nothing for _, promise, _ in rows):
        return None
    return PriceTable(["ε", title, f"{name} has left" if remaining is not None else ""], rows)


def likelihood_factor(cost: Budget) -> str:
    """The largest factor by which one record changes the probability of a result: e^ε, rounded up.

    >>> likelihood_factor(Budget(1)), likelihood_factor(Budget("0.2")), likelihood_factor(Budget(20))
    ('2.72', '1.23', 'e^20')
    """
    if cost.epsilon > LARGEST_EPSILON:
        return f"e^{float(cost.epsilon):g}"
    return text_rounded_up(rounded_up(ball(cost.epsilon).exp()))
