"""A_Thr: the private learner of thresholds that [HCT24] assumes.

[MT07]  docs/references.bib

The paper works with any (ε, δ)-private (α, β)-empirical learner of thresholds. This is one: an exponential mechanism
on a line of m places. It is ε-private, with δ = 0, whether an example is added, removed, or replaced.

Throughout this file
    h_u        the threshold at u: 1 at the places 0 … u, −1 beyond
    depth      min(#{≤ u}, #{≥ u}): how far u lies among the examples
    a, b       public weights of errors and of depth
    score      −a·errors(u) + b·depth(u), which one example changes by at most a + b
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, log

from privpac.mechanisms.algorithm import Ask
from privpac.mechanisms.selection.exponential import Exponential
from privpac.papers.hct24.not_private import positive, proper_fraction
from privpac.privacy.budget import Budget, Number, as_count, as_rational


@dataclass(frozen=True)
class PaperLine:
    """S_Thr: a circle of m angles, cut open at the angle ``cut`` into a line; and its examples (place, y, copies).

    The angle φ has the place φ − cut modulo m.

    >>> PaperLine(13, 5, ((0, 1, 2), (12, -1, 3))).angle(12)
    4
    """

    m: int
    cut: int
    examples: tuple[tuple[int, int, int], ...]

    def angle(self, place: int) -> int:
        return (place + self.cut) % self.m


@dataclass(frozen=True)
class ThrLearner:
    """The threshold u with probability ∝ e^(ε·score(u)/(2(a + b))): (ε, 0)-private for the examples of a line.

    ``a`` = 1 and ``b`` = 0 is the exponential mechanism on errors. ``b`` > 0 prefers thresholds among the examples to
    those beyond them, as a learner does that releases an interior point.

    >>> line = PaperLine(4, 0, ((1, 1, 400), (2, -1, 400)))
    >>> from privpac.mechanisms.algorithm import law_of
    >>> max(law_of(lambda ask: ThrLearner()(line, Fraction(1), ask)).items(), key=lambda item: float(item[1]))[0]
    1
    """

    a: int = 1
    b: int = 0

    def __post_init__(self) -> None:
        as_count(self.a, "a")
        if self.b != 0:
            as_count(self.b, "b, if not 0,")

    def __call__(self, S_Thr: PaperLine, epsilon: Fraction, ask: Ask) -> int:
        """The place u of a private threshold."""
        scores = [self.score(S_Thr, u) for u in range(S_Thr.m)]
        # Exponential assumes scores that one example changes by at most 1. These change by a + b, so this costs ε.
        return int(ask(Exponential(Budget(epsilon / (self.a + self.b))), scores))

    def score(self, S_Thr: PaperLine, u: int) -> int:
        errors = sum(copies for place, y, copies in S_Thr.examples if (place <= u) != (y == 1))
        below = sum(copies for place, _, copies in S_Thr.examples if place <= u)
        above = sum(copies for place, _, copies in S_Thr.examples if place >= u)
        return self.b * min(below, above) - self.a * errors

    def n_thr(self, m: int, epsilon: Number, alpha: Number, beta: Number) -> int:
        """How many examples are enough for error ≤ α with probability at least 1 − β, if some u makes no error.

        A place with more than αn errors scores less than bn − aαn, and a place without errors at least 0.

        >>> ThrLearner().n_thr(51, 1, 0.1, 0.05)
        139
        """
        ε, α, β = positive(epsilon), proper_fraction(alpha, "alpha"), proper_fraction(beta, "beta")
        gap = self.a * α - self.b
        if gap <= 0:
            raise ValueError("alpha must exceed b/a, or depth may outweigh the errors")
        return ceil(2 * (self.a + self.b) / ε / gap * as_rational(log(as_count(m, "m") / β), "logarithm"))


BY_ERRORS = ThrLearner()
