"""The editions of [Yan25]. How their numbers are proved: docs/proofs/yan25.md."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from privpac.classes.finite.explicit import ExplicitClass
from privpac.data.domains.line import Line
from privpac.papers.edition import Edition, Trial, labeled
from privpac.papers.yan25.improper import OPTPrivateLearner
from privpac.papers.yan25.proper import ProperLearner
from privpac.papers.yan25.recprefix import RecPrefix
from privpac.privacy.budget import Budget

FORK = ExplicitClass([[0, 0, 0], [1, 1, 0], [1, 0, 1]], points="abc")
ROUGH = Budget(1, "0.02")  # a δ that a few records can use up

YAN25 = partial(Edition, "Yan25")
EDITIONS = (
    YAN25("Alg. 1", "make-tree", "make_tree", "lists the tree of a class"),
    YAN25(
        "Alg. 2",
        "opt-private",
        "OPTPrivateLearner",
        "VC dimension 1",
        printed="t·(48/α)·(10·ln(48e/α) + ln(5(t + 2)/β))",
        tight="least t·m",
        theorem="yan25, Theorem 3",
        make=lambda H, goal: OPTPrivateLearner(H, *goal),
        trial=lambda: Trial(OPTPrivateLearner(FORK, ROUGH, median="exponential", t=2), labeled("abc"), 2),
    ),
    YAN25("Alg. 3", "make-sub-tree", "make_sub_tree", "lists the tree below a node"),
    YAN25(
        "Alg. 4",
        "proper-learner",
        "ProperLearner",
        "VC dimension 1, properly",
        printed="Alg. 2's + √ln(1/δ)·ln(1/(α²β))/(α^2.5·ε)",
        tight="least N₁ + N₂",
        theorem="yan25, Theorem 4",
        make=lambda H, goal: ProperLearner(H, *goal),
        trial=lambda: Trial(
            ProperLearner(FORK, ROUGH, Fraction(9, 10), Fraction(1, 2), "tight", "exponential", 1), labeled("abc"), 2
        ),
    ),
    YAN25(
        "Thm 9",
        "rec-prefix",
        "RecPrefix",
        "an interior point of a line",
        printed="log*d·ln²(log*d/(βδ))/(3αε)",
        tight="least n, twice that of the next level and more",
        theorem="recprefix, Theorem 1",
        trial=lambda: Trial(RecPrefix(ROUGH, Line(0, 7), base=3), (0, 3, 7), 2),
    ),
)
