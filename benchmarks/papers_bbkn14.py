"""Points with pure ε, as in [BBKN14]: improper A5 beside buckets and the proper learners.

The smallest n at which at least 95 % of fits err by at most α = 0.1, ε = 1, realizable labels, on the worst of hostile
populations. Predicted: proper learners take n in proportion to the bits of the domain, A5 and buckets the same n for
every domain, A5 at least ten times as many as buckets, more than the proper learners at 2^64 points and fewer at 2^256,
and at most a thousandth of what the paper's constants ask for. The bar: those factors, and no measured n above the N
that is proved.

Main declarations
    AsLearner    an algorithm of a paper where a learner is expected
    learners     those that are compared
    tables       the figures
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import populations
from measure import Table
from simulate import SHARE, smallest_n

import privpac as pp
from privpac.data.samples.sample import Sample
from privpac.learners.classifier import PrivateClassifier
from privpac.papers.bbkn14 import A5, Boosted, ProperPoints
from privpac.papers.paper_learner import PaperLearner

α, β = Fraction(1, 10), Fraction(1, 20)
ε = pp.Budget(1)
BITS = (16, 64, 256)
BUCKETS, PROPER = "BucketLearner", "ProperPointLearner"
WIDE = partial(A5, prime=2**521 - 1)  # whose keys reach beyond 2^256


class AsLearner:
    """``program`` on samples in random order."""

    def __init__(self, program: PaperLearner, rng: Any) -> None:
        self.program, self.rng = program, rng
        self.concept_class = SimpleNamespace(domain=program.domain)

    @property
    def cost(self) -> pp.Budget:
        return self.program.cost

    def fitting(self, n: int) -> AsLearner:
        return self

    def run(self, sealed: Any, ask: Any) -> tuple[Any, None]:
        return ask(self.program, sealed.see(self.examples)), None

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
        measured = {
            name: (smallest_n(learner, them, float(α), runs, rng=rng, start=16), *known)
            for name, (learner, *known) in learners(2**bits, rng).items()
        }
        buckets, proper = (measured[name][0][0] for name in (BUCKETS, PROPER))
        for name, ((n, worst), proved, printed) in measured.items():
            rows.append((name, f"2^{bits}", n, f"{n / buckets:.1f}×", f"{n / proper:.2f}×", proved, printed, worst))
    header = ("learner", "points", "measured n", "of buckets", "of proper", "proved N", "printed N", "worst population")
    note = "The printed N of Lemma 3.4 has its hidden constant set to 1."
    return [Table(f"Smallest n for error ≤ 0.1 with probability 95 %, {runs} fits each", header, rows, note)]


def learners(T: int, rng: Any) -> dict[str, tuple[Any, int, Any]]:
    """Each learner of T points, with its N as proved and as printed."""
    given = {"epsilon": 1, "delta": 0, "alpha": float(α), "beta": 1 - SHARE, "regime": "realizable"}
    bucket, proper = (
        PrivateClassifier(pp.Points(T), **given, method="BucketLearner"),
        PrivateClassifier(pp.Points(T), **given, method="ProperPointLearner"),
    )
    papers = {"Lemma 3.4, proper": ProperPoints, "A5, boosted": partial(Boosted, base=WIDE)}
    return {BUCKETS: (bucket, bucket.certified_n(), "–"), PROPER: (proper, proper.certified_n(), "–")} | {
        name: (AsLearner(tight := made(T, ε, α, β, "tight"), rng), tight.N, made(T, ε, α, β).N)
        for name, made in papers.items()
    }
