"""[BBKN14, Thm 3.2, Thm 4.2]: the exponential mechanism [KLNRS11] over a class H that represents the one to learn.

Throughout this file
    H      a class that (α/2)-represents the class to learn: on every distribution, each concept has an h in H with an
           error of at most α/2
    r      e^(ε/2)
    φ      bounds E[s^(errors of a good hypothesis − errors of a bad one)] on one example, 1 < s ≤ r
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, exp, inf, log, log1p, sqrt
from typing import Any, ClassVar

import numpy as np

from privpac.classes.concept_class import ConceptClass
from privpac.classes.finite.explicit import ExplicitClass
from privpac.classes.hypothesis import Hypothesis
from privpac.data.domains.listing import Listing
from privpac.mechanisms.algorithm import Ask
from privpac.mechanisms.selection.exponential import Exponential
from privpac.papers.paper_learner import Examples, PaperLearner
from privpac.privacy.budget import Budget, Number, as_rational
from privpac.refusals.option_words import PaperConstants, one_of

LARGEST_EXPONENT = 700  # floats hold its exponential


def goal_fractions(alpha: Number, beta: Number, epsilon: Number) -> tuple[Fraction, Fraction, Fraction]:
    """α, β and ε as fractions.

    >>> goal_fractions(0.1, 0, 1)
    Traceback (most recent call last):
    ValueError: alpha and beta must lie strictly between 0 and 1, epsilon must be positive
    """
    α, β, ε = as_rational(alpha, "alpha"), as_rational(beta, "beta"), as_rational(epsilon, "epsilon")
    if not (0 < α < 1 and 0 < β < 1 and ε > 0):
        raise ValueError("alpha and beta must lie strictly between 0 and 1, epsilon must be positive")
    return α, β, ε


def store_goal_as_fractions(algorithm: Any) -> None:
    """Store an algorithm's alpha and beta as fractions; ValueError unless they lie in (0, 1) and ε is positive."""
    α, β, _ = goal_fractions(algorithm.alpha, algorithm.beta, algorithm.cost.epsilon)
    object.__setattr__(algorithm, "alpha", α)
    object.__setattr__(algorithm, "beta", β)


def theorem_3_2(log_size: float, alpha: float, beta: float, epsilon: float) -> float:
    """(ln|H| + ln(1/β))/(εα): [BBKN14, Thm 3.2] with its hidden constant set to 1.

    >>> round(theorem_3_2(64 * log(2), 0.1, 0.05, 1.0))
    474
    """
    return (log_size + log(1 / beta)) / (epsilon * alpha)


def theorem_4_2(d: float, alpha: float, beta: float, epsilon: float) -> float:
    """(ln d + ln(1/α) + ln(1/β))/(εα): [BBKN14, Thm 4.2] with its hidden constant set to 1.

    >>> round(theorem_4_2(64, 0.1, 0.05, 1.0))
    95
    """
    return (log(d) + log(1 / alpha) + log(1 / beta)) / (epsilon * alpha)


def comparison_size(K: int, good: float, bad: float, beta: float, epsilon: float) -> int:
    """The m with which the exponential mechanism chooses a bad hypothesis with probability at most β.

    Bad ones have an error above ``bad``; there are at most K of them, and one of error at most ``good``. m is the least
    with K·φ^m ≤ β, φ = 1 − bad·(1 − 1/s) + good·(s − 1), for the best s with 1 < s ≤ e^(ε/2).

    >>> comparison_size(20, 0.05, 0.1, 0.025, 1.0), comparison_size(2**64, 0, 0.1, 0.05, 1.0)
    (776, 1180)
    """
    return ceil((log(K) - log(beta)) / -_log_φ(good, bad, epsilon))


def log_most_hypotheses(m: float, good: float, bad: float, beta: float, epsilon: float) -> float:
    """The inverse of ``comparison_size``: ln K of the K with K·φ^m = β, for which m examples are just enough.

    >>> log_most_hypotheses(775, 0.05, 0.1, 0.025, 1.0) < log(20) <= log_most_hypotheses(776, 0.05, 0.1, 0.025, 1.0)
    True
    """
    return log(beta) - m * _log_φ(good, bad, epsilon)


def _log_φ(good: float, bad: float, epsilon: float) -> float:
    """ln φ at the best s."""
    s = min(sqrt(bad / good) if good else inf, exp(min(epsilon / 2, LARGEST_EXPONENT)))
    return log1p(-bad * (1 - 1 / s) + good * (s - 1))


@dataclass(frozen=True)
class PrivateOccam(PaperLearner):
    """A hypothesis h with probability ∝ e^(−ε·errors/2), from a public H that (α/2)-represents the class to learn.

    Privacy   ε, for all inputs: bbkn14, Theorem 1
    Utility   tight: error ≤ α with probability ≥ 1 − β from N or more examples, if realizable: bbkn14, Theorem 2

    >>> from privpac.papers.bbkn14.representation import lemma_4_1
    >>> learner = PrivateOccam(lemma_4_1(2**7, Fraction(1, 4)), Budget(1), Fraction(1, 2), Fraction(1, 10), "tight")
    >>> learner.learn([5] * 300 + [9] * 300, [1] * 300 + [0] * 300)([5, 9]).tolist()
    [True, False]
    """

    H: ExplicitClass
    cost: Budget
    alpha: Fraction
    beta: Fraction
    constants: PaperConstants = "printed"
    name: ClassVar[str] = "exponential over a representation"
    theorem: ClassVar[str] = "bbkn14, Theorem 1"

    def __post_init__(self) -> None:
        one_of("constants", self.constants, PaperConstants)
        if not self.H.size:
            raise ValueError("H must have at least one hypothesis")
        store_goal_as_fractions(self)

    @property
    def domain(self) -> Listing:
        return self.H.domain

    def stays_in(self, H: ConceptClass) -> bool:
        return H == self.H

    @property
    def N(self) -> int:  # noqa: N802  (the paper's letter)
        """The least N with |H|·φ^N ≤ β."""
        ε, α, β = float(self.cost.epsilon), float(self.alpha), float(self.beta)
        if self.constants == "printed":
            return ceil(theorem_3_2(self.H.log_size, α, β, ε))
        return comparison_size(self.H.size, α / 2, α, β, ε)

    def run(self, D: Examples, ask: Ask) -> Hypothesis:
        x: Sequence[Any] = [x for x, _ in D]
        errors = (self.H.matrix_on(x) != np.array([y for _, y in D], dtype=bool)).sum(axis=1)
        return self._rule(self.H.concepts[ask(Exponential(self.cost), -errors)])

    def _rule(self, concept: Hashable) -> Hypothesis:
        """The concept as the rule that names it, if H was listed from its rules: it reads the columns of a table.

        Otherwise, and if the rule has other labels, the concept is a list of labels.
        """
        listed = self.H.hypothesis(concept)
        if isinstance(concept, Hypothesis):
            with suppress(Exception):  # whatever a rule about other points may raise
                if np.array_equal(concept(list(listed.points)), np.array(listed.labels)):
                    return concept
        return listed
