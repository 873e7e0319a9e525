"""The editions of [GGKM21]. How their numbers are proved: docs/proofs/ggkm21.md and docs/proofs/ggkm21_proper.md."""

from __future__ import annotations

from fractions import Fraction

from privpac.classes.concept_class import ConceptClass
from privpac.classes.finite.explicit import ExplicitClass
from privpac.classes.values.points import SparseSets
from privpac.dimensions.oracle import closed_oracle
from privpac.papers.bbkn14.occam import PrivateOccam
from privpac.papers.edition import Edition, Goal, Trial, labeled, never
from privpac.papers.ggkm21.agnostic import corollary_6_5
from privpac.papers.ggkm21.fooling_by_learner import FoolingByLearner
from privpac.papers.ggkm21.improper import PolyPriLearn
from privpac.papers.ggkm21.proper import PolyPriPropLearn, PolyPriPropPlan
from privpac.papers.ggkm21.reduce_tree import Levels
from privpac.papers.ggkm21.sanitizer import FoolingGame
from privpac.papers.ggkm21.sizes import MOST_PARTS, PolyPriPlan
from privpac.privacy.budget import Budget

ROUGH = Budget(1, "0.02")  # a δ that a few records can use up
TENTH, HALF = Fraction(1, 10), Fraction(1, 2)


def _subsets() -> PolyPriLearn:
    """Two subsets of one record each, which vote among the sets of at most one of two points."""
    plan = PolyPriPlan(2, 1, Levels.tight(1, TENTH, 2), 3)
    return PolyPriLearn(SparseSets(1, 2), ROUGH, plan=plan)


def _game() -> FoolingGame:
    """Two queries on three records, two rounds."""
    return FoolingGame(ExplicitClass([[0, 1, 1], [0, 0, 1]], points="abc"), Budget(1), Fraction(1, 4), rounds=2)


def _reduction() -> FoolingByLearner:
    """The same queries and one round, by a learner that gets one of two records."""
    queries = _game().queries
    return FoolingByLearner(queries, PrivateOccam(queries, Budget(1), TENTH, TENTH), HALF, share=HALF, rounds=1)


def _votes(H: ConceptClass, goal: Goal) -> PolyPriLearn:
    if H.domain.column_names:
        raise ValueError("what it learns may be a list of values, which cannot read the columns of a table")
    return PolyPriLearn(H, *goal)


def _has_closed_form(H: ConceptClass) -> bool:
    oracle = closed_oracle(H)
    return oracle is not None and getattr(oracle, "parts", 1) <= MOST_PARTS


EDITIONS = (
    Edition("GGKM21", "Alg. 1", "reduce-tree", "reduce_tree", "lists the votes of a sample"),
    Edition(
        "GGKM21",
        "Alg. 2",
        "polypri",
        "PolyPriLearn",
        "any class that can be listed, points, sparse sets, and flats",
        printed="(d + 1)·ν·(6(d + 3)/α)²·(V + ln(2m/β))",
        tight="least m·n₀",
        theorem="ggkm21, Theorem 2",
        make=_votes,
        at_once=_has_closed_form,
        trial=lambda: Trial(_subsets(), labeled((0, 1)), 2),
    ),
    Edition(
        "GGKM21",
        "Alg. 3",
        "polypri-prop",
        "PolyPriPropLearn",
        "any class that can be listed, properly",
        printed="Alg. 2's at α/4, β/2 + (ln|H| + ln(1/β))/(αε)",
        tight="least m·n₀ with k′ = |X|",
        theorem="ggkm21 proper, Theorem 3",
        make=lambda H, goal: PolyPriPropLearn(H, *goal),
        at_once=never,  # it searches the list of the class for its Littlestone dimension
        trial=lambda: Trial(
            PolyPriPropLearn(SparseSets(1, 2), ROUGH, plan=PolyPriPropPlan(_subsets(), TENTH, 0)), labeled((0, 1)), 2
        ),
    ),
    Edition(
        "GGKM21",
        "Cor. 6.5",
        "corollary-6-5",
        "corollary_6_5",
        "any class that can be listed, noisy labels",
        printed="18·N(Alg. 3)·(e^ε₀ − 1)/(e^ε − 1)",
        tight="the same, with tight parts",
        theorem="abms20, Theorem 5",
        make=lambda H, goal: corollary_6_5(H, *goal),
        at_once=never,
        regime="agnostic",
    ),
    Edition(
        "GGKM21",
        "Thm 6.6",
        "fooling-game",
        "FoolingGame",
        "answers to all queries of a list",
        printed="d⁵V·√d*·ln²(dd*/(δαβ))·ln(d*/(αδ))/(α³ε)",
        tight="least n",
        theorem="ggkm21 proper, Theorem 5",
        trial=lambda: Trial(_game(), tuple("abc"), 3),
    ),
    Edition(
        "GGKM21",
        "App. C",
        "fooling-by-learner",
        "FoolingByLearner",
        "the same, by a learner of the queries",
        tight="N′/share, or more",
        theorem="ggkm21 proper, Theorem 9",
        trial=lambda: Trial(_reduction(), tuple("abc"), 2),
    ),
)
