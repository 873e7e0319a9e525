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
from privpac.report.pictures.neighbors import Dial, draw_dials

POINTS, ONE_MORE = [(1, 1), (-1, 1)], (1, 0)
TIMES = 25
SPARE = 40  # copies of each point beyond those that the algorithm needs; noise almost never removes as many
Examples = list[tuple[tuple[int, int], int]]


def broken_page(session: Session, values: FormValues) -> str:
    """What the algorithm releases on S and on S′, 25 times each."""
    learner, S, S_prime = _setting()
    on_S, on_S_prime = (Counter(_degrees(learner.release(sample)) for _ in range(TIMES)) for sample in (S, S_prime))
    dials = [
        Dial(f"on S, {TIMES} times", POINTS, on_S),
        Dial(f"on S′, {TIMES} times", [*POINTS, ONE_MORE], on_S_prime),
    ]
    return render("theory/broken_paper.html", mode=session.mode, n=grouped(len(S)), picture=inline(draw_dials(dials)))


@cache
def _setting() -> tuple[SimpleH, Examples, Examples]:
    """The algorithm, for which the paper claims ε = 0.5 + 0.5; S; and S′, which has one more example."""
    learner = SimpleH(
        epsilon=0.5, alpha=0.275, beta=0.05, H=Angles(1), A_Thr=ThrLearner(4, 1), acknowledge_not_private=True
    )
    S = [(point, 1) for point in POINTS] * (learner.n_thr + SPARE)
    return learner, S, [*S, (ONE_MORE, 1)]


def _degrees(h: Half) -> float:
    return round(float(Angles(h.k).degrees(h.φ[0])), 1)
