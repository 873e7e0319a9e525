"""What notebooks show of an audit: the verdict, what was found beside what is claimed, and the evidence."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from privpac.report.notebook import drawn, notebook_card, sentences
from privpac.report.pictures.measures import Measure, draw_measures

if TYPE_CHECKING:
    from privpac.audit.exact import Worst
    from privpac.audit.sampling import Verdict

WARNING = "The claim does not hold. Do not publish what this releases."


def verdict_view(verdict: Verdict) -> str:
    """The verdict on sampled outputs."""
    claimed = float(verdict.claimed.epsilon)
    at = f"ε at δ = {float(verdict.claimed.delta):.6g}; the dashed line is the claim"
    measures = [Measure("claimed", claimed, f"{claimed:.4g}"), _found("at least", verdict.epsilon_lower, claimed)]
    return _card(verdict.refuted, str(verdict.claimed), measures, at, str(verdict))


def worst_view(worst: Worst) -> str:
    """The verdict on exact laws."""
    bound, value = float(worst.bound), float(worst.value)
    letter = "δ" if worst.claimed.delta else "ε"
    measures = [Measure("claimed", bound, f"{bound:.4g}"), _found("worst neighbors", value, bound)]
    return _card(worst.refuted, str(worst.claimed), measures, f"{letter}; the dashed line is the claim", str(worst))


def _found(name: str, value: float, claimed: float) -> Measure:
    return Measure(name, value, "∞" if value == inf else f"{value:.4g}", value <= claimed)


def _card(refuted: bool, claimed: str, measures: list[Measure], axis: str, evidence: str) -> str:
    warning = f'<p class="warn">{WARNING}</p>' if refuted else ""
    picture = draw_measures(measures, axis, limit=measures[0].value)
    said = evidence.partition(": ")[2]
    heading = "REFUTED" if refuted else "NOT REFUTED"
    return notebook_card(heading, f"claimed: {claimed}", [warning, drawn(picture), sentences([said])])
