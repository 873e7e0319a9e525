"""A_Thr: a private learner of thresholds, which [HCT24] takes for granted.

[MT07]  docs/references.bib

The paper works with any (ε, δ)-private (α, β)-empirical learner of thresholds. This is one: an exponential mechanism
on a line of m places, pure ε for its own examples, whether one is added, removed, or replaced.

Throughout this file
    h_u        1 at the places 0 … u, −1 beyond            a, b     public weights of errors and of depth
    score      −a·errors(u) + b·min(#{≤ u}, #{≥ u}), which one example changes by at most a + b
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
    """S_Thr: (place, y, copies), where the angle φ has the place φ − cut modulo m.

    >>> PaperLine(13, 5, ((0, 1, 2), (12, -1, 3))).angle(12)
    4
    """

    m: int
    cut: int
    examples: tuple[tuple[int, int, int], ...]

    def angle(self, place: int) -> int:
        """The angle at a place."""
        return (place + self.cut) % self.m


@dataclass(frozen=True)
class ThrLearner:
    """u with probability ∝ e^(ε·score(u)/2(a + b)): (ε, 0)-private for the examples of a line.

    ``a`` = 1 and ``b`` = 0 is the exponential mechanism on errors. ``b`` > 0 prefers thresholds among the examples to
    those beyond them, as a learner made from an interior point does.

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
        """The place of a threshold."""
        scores = [self.score(S_Thr, u) for u in range(S_Thr.m)]
        return int(ask(Exponential(Budget(epsilon / (self.a + self.b))), scores))

    def score(self, S_Thr: PaperLine, u: int) -> int:
        """−a·errors(u) + b·depth(u)."""
        errors = sum(copies for place, y, copies in S_Thr.examples if (place <= u) != (y == 1))
        below = sum(copies for place, _, copies in S_Thr.examples if place <= u)
        above = sum(copies for place, _, copies in S_Thr.examples if place >= u)
        return self.b * min(below, above) - self.a * errors

    def n_thr(self, m: int, epsilon: Number, alpha: Number, beta: Number) -> int:
        """Enough examples of any threshold on m places for error ≤ α with probability ≥ 1 − β.

        A place with more than αn errors scores less than bn − aαn, a right one at least 0.

        >>> ThrLearner().n_thr(51, 1, 0.1, 0.05)
        139
        """
        ε, α, β = positive(epsilon), proper_fraction(alpha, "alpha"), proper_fraction(beta, "beta")
        gap = self.a * α - self.b
        if gap <= 0:
            raise ValueError("alpha must exceed b/a, or depth may outweigh the errors")
        return ceil(2 * (self.a + self.b) / ε / gap * as_rational(log(as_count(m, "m") / β), "logarithm"))


BY_ERRORS = ThrLearner()
