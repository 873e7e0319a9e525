"""The page of a broken paper: half-planes from thresholds, as printed in [HCT24], on two neighboring samples.

Its privacy theorem is false: one example decides what is released. Why: docs/papers/HCT24.md.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

from privpac.app.markup import columns, facts, figure, page_frame, warning
from privpac.app.session import Session
from privpac.papers.hct24 import Angles, Half, SimpleH, ThrLearner
from privpac.report.numbers import grouped
from privpac.report.pictures.dials import Dial, draw_dials

ABOUT_THE_PAPER = "Half-planes from thresholds, as printed in [HCT24]. Load the page again for fresh coins."
NOT_PRIVATE = "Not private: one record decides. Nothing here can be charged to a budget."
RELEASED = (
    "What the algorithm released just now: the normals of half-planes, and how often. Dots are the places of examples. "
    "Whoever sees one arrow knows which of the two samples it was."
)
POINTS, ONE_MORE = [(1, 1), (-1, 1)], (1, 0)
TIMES, MORE = 25, 40
SAMPLES = (
    "S has {n} examples: half of them at (1, 1), half at (−1, 1), all positive. S′ has one more, at (1, 0). Every "
    "half-plane whose normal is between 45° and 135° is right on S; on S′, only those up to 90° are."
)
WHY = (
    "The paper adds noise to the copies of each angle, and then sorts them by how many examples an angle is right on, "
    "counted without noise. One example changes that count on half of the circle at once, so it changes the order of "
    "everything that was equal before. The learner of thresholds that follows is private, but it sees two inputs that "
    "differ in all of their examples."
)
INSTEAD = (
    "To learn half-planes privately, choose the class half-planes or central-half-planes under Plan or Learn. The "
    "proof that this fails, and all errata, are in the documentation."
)


def broken_page(session: Session, given: dict[str, str]) -> str:
    """Both samples, 25 times each."""
    learner, S, T = _setting()
    on_S, on_T = (Counter(_degrees(learner.release(each)) for _ in range(TIMES)) for each in (S, T))
    dials = [Dial(f"on S, {TIMES} times", POINTS, on_S), Dial(f"on S′, {TIMES} times", [*POINTS, ONE_MORE], on_T)]
    told = facts(
        ("Claimed", "ε = 1", "Theorem 14 of the paper, for every δ; it is false"),
        ("True", "δ > 1 − 3·10⁻⁹ at ε = 1", "proved in docs/papers/HCT24.md"),
    )
    picture = figure(draw_dials(dials), RELEASED)
    text = "".join(f"<p>{each}</p>" for each in (SAMPLES.format(n=grouped(len(S))), WHY, INSTEAD))
    again = '<form action="/broken"><button>Toss again</button></form>'
    body = warning(NOT_PRIVATE) + columns(text + again, told + picture)
    return page_frame("A broken paper", ABOUT_THE_PAPER, body, "/broken", mode=session.mode)


@cache
def _setting() -> tuple[SimpleH, list[Any], list[Any]]:
    """The algorithm, S, and S′."""
    learner = SimpleH(0.5, 0.275, 0.05, Angles(1), A_Thr=ThrLearner(4, 1), acknowledge_not_private=True)
    S = [(point, 1) for point in POINTS] * (learner.n_thr + MORE)
    return learner, S, [*S, (ONE_MORE, 1)]


def _degrees(h: Half) -> float:
    return round(float(Angles(h.k).degrees(h.φ[0])), 1)
