"""The law of a release on two neighboring samples as bars: the probability of each outcome, and the log of the ratio.

Throughout this file
    p, q    the probability of an outcome on the sample, and on its neighbor
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log

from privpac.report.pictures.shapes import Picture, bar, label, line, short, svg

LEFT, TOP, HIGH, STEP = 46, 26, 170, 66  # pixels; HIGH is the length of the longest bar, STEP the room of an outcome
MIDDLE, REACH = 304, 44  # the height where ln(p/q) = 0, and how far from it ε is
FOOT = 60


def draw_laws(outcomes: Sequence[tuple[str, float, float]], epsilon: float) -> Picture:
    """The picture of triples (outcome, p, q); all probabilities are positive.

    >>> draw_laws([("x ≥ 0", 0.4, 0.6), ("x ≥ 1", 0.6, 0.4)], 1).svg.count("<rect")
    6
    """
    width = LEFT + STEP * len(outcomes) + 10
    top = max(max(p, q) for _, p, q in outcomes)
    parts = [label(LEFT, 14, "probability: on S (left bar) and on its neighbor S′ (right bar)", "faint")]
    for share in (0, 0.5, 1):
        y = TOP + HIGH * (1 - share)
        parts += [line(LEFT, y, width - 10, y, "grid"), label(LEFT - 6, y + 4, f"{top * share:.2f}", "faint", "end")]
    for place, name in ((-1, "ε"), (0, "0"), (1, "−ε")):
        y = MIDDLE + place * REACH
        parts += [
            line(LEFT, y, width - 10, y, "limit" if place else "grid"),
            label(LEFT - 6, y + 4, name, "faint", "end"),
        ]
    parts.append(label(LEFT, MIDDLE - REACH - 14, "ln(probability on S / probability on S′)", "faint"))
    for i, (name, p, q) in enumerate(outcomes):
        x = LEFT + STEP * i + 8
        for side, (value, kind) in enumerate(((p, "one"), (q, "other"))):
            height = HIGH * value / top
            parts.append(bar(x + 26 * side, TOP + HIGH - height, 25, height, kind, radius=0))
        reach = REACH * log(p / q) / epsilon
        parts.append(bar(x + 13, min(MIDDLE, MIDDLE - reach), 26, abs(reach), "ratio", radius=0))
        parts.append(label(x + 25, TOP + HIGH + 18, short(name, 9), "name", "middle"))
    return svg("bars", width, MIDDLE + FOOT, "Probability of each outcome on two neighboring samples", parts)
