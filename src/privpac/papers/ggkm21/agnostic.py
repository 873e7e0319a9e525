"""[GGKM21, Cor. 6.5]: proper learning from any labels, by relabeling before PolyPriPropLearn.

[GGKM21] [ABMS20]  docs/references.bib    corrections: docs/errata/GGKM21.md, docs/errata/ABMS20.md
proof: docs/proofs/ggkm21_proper.md, Theorem 7

The corollary is one sentence: PolyPriPropLearn inside the reduction of [ABMS20, Thm 2.4]. Here that is

    SmallEpsilon( PrivateAgnostic( PolyPriPropLearn ) )

PolyPriPropLearn runs at ε = 1 on a ninth of half of the examples, after a concept that errs little on that half has
relabeled them. These steps cost a constant ε₀ > 1; to bring that down to ε, they run on a random part of the examples.
The printed n hides both: 18 times the examples, times (e^ε₀ − 1)/(e^ε − 1). Both samplings also lower δ, so
PolyPriPropLearn spends more than the δ that is charged in the end.
"""

from __future__ import annotations

from fractions import Fraction
from math import log

from privpac.classes.concept_class import ConceptClass
from privpac.papers.abms20 import PrivateAgnostic, SmallEpsilon
from privpac.papers.ggkm21.proper import PolyPriPropLearn
from privpac.privacy.budget import Budget, Number, as_rational
from privpac.refusals.option_words import PaperConstants

SHARE = Fraction(3, 4)  # the share of α and β for PolyPriPropLearn; the rest is for relabeling
ROUNDING = 1 + Fraction(1, 10**9)  # prices are rounded up by far less than this factor
LARGEST = Fraction(1, 16)  # the largest δ of PolyPriPropLearn: the printed relabeling multiplies it by 4e < 16


def corollary_6_5(
    concept_class: ConceptClass,
    cost: Budget,
    alpha: Number = 0.1,
    beta: Number = 0.05,
    constants: PaperConstants = "printed",
) -> SmallEpsilon:
    """A proper learner whose error exceeds that of the best concept by at most α, with probability at least 1 − β.

    >>> from privpac.classes.values.points import Points
    >>> learner = corollary_6_5(Points(40), Budget(1, 1e-6), 0.25, constants="tight")
    >>> print(learner.cost, learner.inner.inner.cost, learner.inner.inner.N, learner.N, sep="; ")
    ε = 1, δ = 1e-06; ε = 1, δ = 3.56126e-05; 158400; 12431006
    """
    if not 0 < cost.epsilon <= 1:
        raise ValueError("epsilon must lie in (0, 1], as in the paper; a learner for ε = 1 also serves a larger ε")
    α, β = as_rational(alpha, "alpha"), as_rational(beta, "beta")

    def learner(delta: Fraction) -> SmallEpsilon:
        inner = PolyPriPropLearn(concept_class, Budget(1, delta), SHARE * α, SHARE * β, constants)
        return SmallEpsilon(PrivateAgnostic(inner, inner.whole.F.concept_class, α, β, constants), cost.epsilon)

    trial = min(cost.delta, LARGEST)
    factor = learner(trial).cost.delta / trial * ROUNDING  # the total δ, as a multiple of PolyPriPropLearn's
    return learner(min(cost.delta / factor, LARGEST))


def corollary_6_5_order(d: int, V: int, *, alpha: float, beta: float, epsilon: float, delta: float) -> float:
    """d⁵V·ln²(d/(εδαβ))/(εα²): the n of Theorem 6.4 and of Corollary 6.5, with the constant 1.

    >>> round(corollary_6_5_order(1, 1, alpha=0.1, beta=0.05, epsilon=1, delta=1e-6))
    36534
    """
    return d**5 * V * log(d / (epsilon * delta * alpha * beta)) ** 2 / (epsilon * alpha**2)
