"""Points with pure ε, as in [BBKN14]: improper A5 beside buckets and the proper learners.

The smallest n at which at least 95 % of fits err by at most α = 0.1, ε = 1, realizable labels, on the worst of hostile
populations. Predicted: proper learners take n in proportion to the bits of the domain, A5 and buckets the same n for
every domain, A5 at least ten times as many as buckets, and at most a thousandth of what the paper's constants ask for.
The bar: those factors, and no measured n above the N that is proved.

Main declarations
    AsLearner    an algorithm of a paper where a learner is expected
    tables       the figures
"""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import populations
from measure import Table
from simulate import SHARE, smallest_n

import privpac as pp
from privpac.data.sample import Sample
from privpac.learners.buckets import BucketLearner
from privpac.learners.points import ProperPointLearner
from privpac.papers.base import PaperLearner
from privpac.papers.bbkn14 import Boosted, ProperPoints

α, β = Fraction(1, 10), Fraction(1, 20)
ε = pp.Budget(1)
BITS = (16, 64)


class AsLearner:
    """``program`` on samples in random order."""

    def __init__(self, program: PaperLearner, rng: Any) -> None:
        self.program, self.rng = program, rng
        self.concept_class = SimpleNamespace(domain=program.domain)

    def _cost(self) -> pp.Budget:
        return self.program.cost

    def _learn(self, cost: pp.Budget, n: int, spend: Any) -> Any:
        return spend(self.program, self.examples)

    def examples(self, sample: Sample) -> list[tuple[int, bool]]:
        """The records one by one, shuffled."""
        order = self.rng.permutation(np.repeat(np.arange(len(sample.points)), sample.counts))
        return list(zip(sample.points[order].tolist(), sample.labels[order].tolist(), strict=True))


def tables(quick: bool) -> list[Table]:
    """One row for each learner and domain, and how they compare."""
    rng, rows = np.random.default_rng(), []
    runs = 40 if quick else 400
    them = populations.points(float(α), numbered=True)
    for bits in BITS:
        T = 2**bits
        given = {"epsilon": 1, "delta": 0, "alpha": float(α), "beta": 1 - SHARE, "regime": "realizable"}
        learners: list[tuple[str, Any, int, Any]] = [
            ("BucketLearner", bucket := BucketLearner(pp.Points(T), **given), bucket.certified_n(), "–"),
            ("ProperPointLearner", proper := ProperPointLearner(pp.Points(T), **given), proper.certified_n(), "–"),
        ]
        for name, kind in (("Lemma 3.4, proper", ProperPoints), ("A5, boosted", Boosted)):
            tight = kind(T, ε, α, β, "tight")
            learners.append((name, AsLearner(tight, rng), tight.N, kind(T, ε, α, β).N))
        first = None
        for name, learner, proved, printed in learners:
            n, worst = smallest_n(learner, them, float(α), runs, rng=rng, start=16)
            first = first or n
            rows.append((name, f"2^{bits}", n, f"{n / first:.1f}×", proved, printed, worst))
    header = ("learner", "points", "measured n", "of buckets", "proved N", "printed N", "worst population")
    note = "The printed N of Lemma 3.4 has its hidden constant set to 1."
    return [Table(f"Smallest n for error ≤ 0.1 with probability 95 %, {runs} fits each", header, rows, note)]
