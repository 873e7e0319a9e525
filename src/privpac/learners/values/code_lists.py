"""Records that bear several codes: which of them, at most k, make a record positive.

proof: docs/proofs/any_code_learner.md

Throughout this file
    r       e^(ε/2)
    a, T    a set A of codes weighs a^|A|·r^(−err(A)); T = ln(1/a)/ln r, so a code must save T errors to be worth it
"""

from __future__ import annotations

from math import lgamma, log
from typing import ClassVar

from privpac.classes.concept_class import ConceptClass
from privpac.classes.hypothesis import Hypothesis
from privpac.classes.values.code_lists import HasAny
from privpac.learners.algorithm import Learner
from privpac.learners.audit_cases import Trial, Universe
from privpac.mechanisms.algorithm import Ask
from privpac.mechanisms.values.code_bearers import Bearers
from privpac.mechanisms.values.code_sets import AnyCodeExponential
from privpac.privacy.ledger import Records

NEW_CODES = Trial(1, 1e-6, 1, 0), Trial(0.2, 0.3, 2, 0), Trial(6, 0.3, 2, 0), Trial(1, 1e-6, 1, 40)


class AnyCodeLearner(Learner):
    """Learn a rule "codes include any of J10, I25"; the codes need not be declared.

    Privacy   (ε, δ) for all inputs: any code learner, Theorem 1
    Utility   noisy labels or not: any code learner, Theorem 2
    Time      a few passes over the records, and more if many records bear the same several codes

    >>> from privpac import PrivateClassifier
    >>> cells, ill = ["J10;E11", "E11;K20", "I25", "E11", "J10"] * 300, [1, 0, 1, 0, 1] * 300
    >>> clf = PrivateClassifier(HasAny(2, s=2), epsilon=1, delta=1e-6, feature=None)
    >>> print(clf.fit(cells, ill).hypothesis_)
    codes include any of I25, J10
    """

    concept_class: HasAny
    kinds: ClassVar[tuple[type[ConceptClass], ...]] = (HasAny,)
    title: ClassVar[str] = "exponential mechanism over sets of the codes seen"
    theorem: ClassVar[str] = "any code learner, Theorem 2"
    audited: ClassVar[tuple[Universe, ...]] = (
        Universe(HasAny(2, 2), "2 of 2 codes", ("a;b", "b", "c"), NEW_CODES),
        Universe(HasAny(3, 1), "3 codes, one by one", ("a", "b", "c"), NEW_CODES),
    )

    def run(self, records: Records, ask: Ask) -> Hypothesis:
        H = self.concept_class
        return H.hypothesis(*ask(AnyCodeExponential(self.cost, H.k, H.s), records.see(Bearers.of)))

    def failure(self, n: int, alpha: float) -> float:
        k, s = self.concept_class.k, self.concept_class.s
        T = -AnyCodeExponential(self.cost, k, s).log_a / self.log_r

        def chance_of_size(i: int) -> float:
            """An upper bound on P(a bad set of i codes is released)."""
            handicap = max(0.0, T) * (k - i) + max(0.0, -T) * i
            return self.chance(log_choose(n * s, i), n, alpha, handicap, determined_by=i)

        return min(1.0, sum(map(chance_of_size, range(k + 1))))


def log_choose(n: int, i: int) -> float:
    """An upper bound on ln C(n, i): ln(n^i/i!).

    >>> round(log_choose(10, 2), 3)
    3.912
    """
    return i * log(max(n, 1)) - lgamma(i + 1)
