"""Sets of a few values: x is one of at most k values, from an unbounded domain.

proof: docs/proofs/set_learner.md

Throughout this file
    w(v)    positive records at v minus negative ones: how many errors fewer a set makes with v in it

Main declarations
    SetLearner    (ε, δ), any values: one signed histogram, of which the k largest values are the set
"""

from __future__ import annotations

from typing import ClassVar

from privpac.classes.base import ConceptClass, Hypothesis
from privpac.classes.points import OneOf, SparseSets
from privpac.data.sample import Sample
from privpac.learners.algorithm import Learner
from privpac.learners.certificates.sets import missed_values, wrong_values
from privpac.learners.universe import EQUAL, Tried, Universe
from privpac.mechanisms.adaptive import Ask
from privpac.mechanisms.signed_histogram import SignedHistogram
from privpac.privacy.ledger import Records

# δ is what a value of a single record is shown with, barely rounded up; the crowd is about to be shown
TIGHT = (
    Tried(1, "8.534e-7", 1, 0),
    Tried(1, "8.534e-7", 1, 27),
    Tried("0.2", "0.31842", 2, 0),
    Tried(6, "0.047426", 3, 0),
)


class SetLearner(Learner):
    """Learn which values are the positive ones, for any kind of values.

    Privacy   (ε, δ) for all inputs, whatever k is: set learner, Theorem 1
    Utility   realizable labels: set learner, Theorem 2; noisy labels: Theorem 3
    Cost      O(n) time, one pass; memory O(distinct values)

    >>> from privpac import PrivateClassifier
    >>> carriers = ["EV"] * 300 + ["B6"] * 300 + ["UA"] * 900
    >>> late = [1] * 560 + [0] * 40 + [1] * 90 + [0] * 810
    >>> clf = PrivateClassifier(SparseSets(3), epsilon=1, delta=1e-6, feature=None)
    >>> print(clf.fit(carriers, late).hypothesis_)
    x is one of B6, EV
    """

    concept_class: SparseSets
    kinds: ClassVar[tuple[type[ConceptClass], ...]] = (SparseSets,)
    title: ClassVar[str] = "signed histogram of the values seen"
    theorem: ClassVar[str] = "set learner, Theorems 2 and 3"
    audited: ClassVar[tuple[Universe, ...]] = (Universe(SparseSets(1), "any values", EQUAL, TIGHT),)

    def run(self, records: Records, ask: Ask) -> Hypothesis:
        shown = ask(SignedHistogram(self.cost), records.see(Sample.tally))
        return OneOf(frozenset(value for value, _ in shown[: self.most]))

    def failure(self, n: int, alpha: float) -> float:
        bound = missed_values if self.terms.regime == "realizable" else wrong_values
        return bound(self.most, n, alpha, SignedHistogram(self.cost).least, self.log_r)

    @property
    def most(self) -> int:
        """The largest number of values in a rule: k, or as many as there are."""
        return int(min(self.concept_class.k, self.concept_class.domain.size))
