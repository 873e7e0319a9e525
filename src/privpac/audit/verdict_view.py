"""What notebooks show of an audit: the verdict, the measured value beside the claimed one, and the evidence."""

from __future__ import annotations

from math import inf

from privpac.report.notebook import notebook_card, paragraphs, wide_picture
from privpac.report.pictures.measures import Measure, draw_measures

WARNING = "The claim does not hold. Do not publish what this releases."


def verdict_view(claim: str, bound: float, measured: tuple[str, float], axis: str, verdict: str) -> str:
    """The card of one verdict, such as "REFUTED: …"; ``measured`` is a name and a value, which ``bound`` limits."""
    name, value = measured
    figure = "∞" if value == inf else f"{value:.4g}"
    measures = [Measure("claimed", bound, f"{bound:.4g}"), Measure(name, value, figure, value <= bound)]
    picture = draw_measures(measures, f"{axis}; the dashed line is the claim", limit=bound)
    heading, _, evidence = verdict.partition(": ")
    warning = f'<p class="warn">{WARNING}</p>' if heading == "REFUTED" else ""
    return notebook_card(
        heading.replace("_", " "), f"claimed: {claim}", [warning, wide_picture(picture), paragraphs([evidence])]
    )
