"""Single values of any domain, with pure ε: learn a bucket that contains the value instead of the value itself.

[BBKN14, Def. 3.3] [McKS20]  docs/references.bib        proof: docs/proofs/point_learner.md

Throughout this file
    m, k     buckets of a hash, and hashes; (i, j) is the rule that x falls into bucket j of hash i
    M_i      the mass of the values that share the target's bucket in hash i: 1/m in expectation
    t, G     a bound on the mass, and how many of the hashes are good (M_i ≤ t): each with probability ≥ 1 − 1/(mt)
    θ, s     s = r^θ is the base of the bound, where r = e^(ε/2)
    φ        a bound on E[s^(K − L)]; K and L are 1 if a good and a bad rule err on a record, otherwise 0
    print    the fingerprint of a value      never    the rule that answers 0 everywhere
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import ceil, log, log2
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc

from privpac.classes.concept_class import ConceptClass
from privpac.classes.hypothesis import Constant, Hypothesis
from privpac.classes.values.hashes import PRIME, InBucket, fingerprint
from privpac.classes.values.points import Points
from privpac.data.samples.sample import Sample
from privpac.data.values.columns import objects
from privpac.exact.entropy import entropy
from privpac.learners.algorithm import Learner
from privpac.learners.audit_cases import EQUAL, Universe
from privpac.mechanisms.algorithm import Ask
from privpac.mechanisms.selection.permute_and_flip import PermuteAndFlip
from privpac.privacy.ledger import Records

SLACK = 2.0**-40  # two prints, or two hashes modulo a prime, deviate from independence by at most this
MOST_BUCKETS = 2**24
SHORT = "no value is longer than 2^40 bytes"
UNSEEN = "the rule also gives the label 1 to about {} of the values that no record has"
Floats = NDArray[np.float64]


class BucketLearner(Learner):
    """Learn which values are positive, up to a fresh random hash that is released with the rule.

    About α/6 of all values share the bucket of the right one. The certificate accounts for this on values from the
    distribution of the records; on other values the rule is only as good as its hash.

    Privacy   ε, for all inputs: point learner, Theorem 5
    Utility   noisy labels or not, whatever the domain: point learner, Theorem 6
    Time      O(n·k); memory O(k·m + distinct values)

    >>> from privpac import PrivateClassifier
    >>> carriers, late = ["EV"] * 300 + ["UA"] * 700, [1] * 300 + [0] * 700
    >>> clf = PrivateClassifier(Points(), method="BucketLearner", epsilon=1, feature=None)
    >>> rule = clf.fit(carriers, late).hypothesis_
    >>> rule(["EV", "UA"]).tolist()
    [True, False]
    """

    kinds: ClassVar[tuple[type[ConceptClass], ...]] = (Points,)
    title: ClassVar[str] = "permute-and-flip over buckets of a public hash"
    theorem: ClassVar[str] = "point learner, Theorem 6"
    proper: ClassVar[bool] = False
    pure: ClassVar[bool] = True
    automatic: ClassVar[bool] = False
    audited: ClassVar[tuple[Universe, ...]] = (
        Universe(Points(), "any values, one key", EQUAL, settings={"alpha": 0.9, "random_state": 3}),
    )

    def run(self, records: Records, ask: Ask) -> Hypothesis:
        m, k = self._sizes()
        coins = entropy(self.terms.random_state)
        key, hashes = coins.below(PRIME), [(coins.below(PRIME), coins.below(PRIME)) for _ in range(k)]
        place = ask(PermuteAndFlip(self.cost), records.see(lambda sample: -bucket_errors(sample, key, hashes, m)))
        i, j = divmod(place, m)
        return Constant(False) if i == k else InBucket(key, a=hashes[i][0], b=hashes[i][1], buckets=m, bucket=j)

    def failure(self, n: int, alpha: float) -> float:
        m, k = self._sizes()
        # Theorem 6: the failure is at most E[min(1, (km + 1)·G^(−θ)·φ^n)], and the best t, θ, and s are taken.
        t, θ, s = _parameters(m, self.copies * self.log_r)
        # The worst probabilities that only the bad rule errs on a record, and that only the good one does.
        realizable = self.terms.regime == "realizable"
        up, down = (alpha, t) if realizable else ((1 + alpha - t) / 2, (1 - alpha + t) / 2)
        φ = 1 - up * (1 - 1 / s) + down * (s - 1)
        usable = (φ < 1) & (t < alpha)
        g = np.arange(1, k + 1)[:, None, None]
        with np.errstate(under="ignore"):
            odds = np.exp(np.minimum(log(k * m + 1) + n * np.log(np.where(usable, φ, 1)) - θ * np.log(g), 0))
            law = _good_hashes(m, k)
            failing = law[0] + (law[1:] * np.where(usable, odds, 1)).sum(axis=0)
        return min(1.0, float(failing.min()) * (1 + 1e-9) + SLACK)  # 1e-9 covers rounding

    def _sizes(self) -> tuple[int, int]:
        """m = ⌈6/α⌉, or less if there would be too many rules, and k = ⌈3·log₂(2/β)⌉."""
        k = ceil(3 * log2(2 / float(self.terms.beta)))
        return min(ceil(6 / self.terms.alpha), MOST_BUCKETS // k), k

    @property
    def extra_assumptions(self) -> tuple[str, ...]:
        return SHORT, UNSEEN.format(Fraction(1, self._sizes()[0]))


def bucket_errors(sample: Sample, key: int, hashes: list[tuple[int, int]], m: int) -> NDArray[np.int64]:
    """The errors of all rules (i, j), hash by hash, and of *never* at the end."""
    values, zeros, ones = sample.tally()
    prints = [fingerprint(value, key) for value in values.tolist()]
    has_print = np.array([u is not None for u in prints], dtype=bool)
    u, gains = objects(u for u in prints if u is not None), (ones - zeros)[has_print]
    errors = np.full(len(hashes) * m + 1, sample.positives)
    for i, (a, b) in enumerate(hashes):
        np.subtract.at(errors, i * m + ((a * u + b) % PRIME % m).astype(np.int64), gains)
    return errors


@cache
def _parameters(m: int, log_r: float) -> tuple[Floats, Floats, Floats]:
    """The t, θ, and s = r^θ among which the best bound is taken; they depend on neither n nor α."""
    log_r = min(log_r, 700.0)  # e^700 is still a float
    t, log_s = np.meshgrid(_mass_bounds(m), np.geomspace(min(1e-5, log_r / 2), log_r, 50), indexing="ij")
    return t, log_s / log_r, np.exp(log_s)


def _mass_bounds(m: int) -> Floats:
    """The values of t to try."""
    return np.array([1.2, 1.5, 1.8, 2.2, 2.6, 3, 3.5, 4, 4.5, 5, 5.5]) / m


@cache
def _good_hashes(m: int, k: int) -> Floats:
    """The law of Bin(k, 1 − q), q = 1/(mt), at 0, 1, … k (rows), for each t. G is stochastically at least as large."""
    q = (1 / m + SLACK) / (_mass_bounds(m) - SLACK)
    upto = np.vstack([bdtrc(np.arange(k)[::-1, None], k, q), np.ones_like(q)])  # row g: P(at least k − g are not good)
    return np.diff(upto, axis=0, prepend=0)[:, :, None]
