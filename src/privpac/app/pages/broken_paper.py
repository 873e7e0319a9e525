"""The page of a broken paper: half-planes from thresholds, as printed in [HCT24], on two neighboring samples.

Its privacy theorem is false: one example decides what is released. Why: docs/papers/HCT24.md.
"""

from __future__ import annotations

from collections import Counter
from functools import cache

from privpac.app.forms import FormValues
from privpac.app.markup import inline, render
from privpac.app.session import Session
from privpac.papers.hct24 import Angles, Half, SimpleH, ThrLearner
from privpac.report.numbers import grouped
from privpac.report.pictures.dials import Dial, draw_dials

POINTS, ONE_MORE = [(1, 1), (-1, 1)], (1, 0)
TIMES, MORE = 25, 40
Examples = list[tuple[tuple[int, int], int]]


def broken_page(session: Session, values: FormValues) -> str:
    """Both samples, 25 times each."""
    learner, S, T = _setting()
    on_S, on_T = (Counter(_degrees(learner.release(each)) for _ in range(TIMES)) for each in (S, T))
    dials = [Dial(f"on S, {TIMES} times", POINTS, on_S), Dial(f"on S′, {TIMES} times", [*POINTS, ONE_MORE], on_T)]
    return render("broken_paper.html", mode=session.mode, n=grouped(len(S)), picture=inline(draw_dials(dials)))


@cache
def _setting() -> tuple[SimpleH, Examples, Examples]:
    """The algorithm, S, and S′."""
    learner = SimpleH(0.5, 0.275, 0.05, Angles(1), A_Thr=ThrLearner(4, 1), acknowledge_not_private=True)
    S = [(point, 1) for point in POINTS] * (learner.n_thr + MORE)
    return learner, S, [*S, (ONE_MORE, 1)]


def _degrees(h: Half) -> float:
    return round(float(Angles(h.k).degrees(h.φ[0])), 1)
