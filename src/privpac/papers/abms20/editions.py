"""The editions of [ABMS20]. How their numbers are proved: docs/proofs/abms20.md.

Throughout this file
    N′, ε₀         how many examples a base learner needs, and its ε; in Remark 7.4 it may be any learner
    G              a boolean function of k bits        H₁, …, H_k    classes; G(H₁, …, H_k) has all G(h₁, …, h_k)
    V              the VC dimension of the class that is learned
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache, partial
from math import inf

from privpac.classes.compositions.compose import Compose, OnColumn
from privpac.classes.concept_class import ConceptClass
from privpac.classes.finite.explicit import ExplicitClass, explicit
from privpac.classes.values.points import Points
from privpac.learners.choice import learner_for
from privpac.papers.abms20.agnostic import PrivateAgnostic
from privpac.papers.abms20.closure import ClosureLearn
from privpac.papers.abms20.library import ColumnLearner, Library
from privpac.papers.abms20.pattern_rows import has_rows
from privpac.papers.abms20.relabeling import RelabelAndLearn
from privpac.papers.abms20.scores import has_closed_form
from privpac.papers.abms20.subsampling import EmpiricalLearner, SmallEpsilon
from privpac.papers.bbkn14.editions import cuts_of, is_line, points_of
from privpac.papers.bbkn14.intervals import IntervalExponential
from privpac.papers.bbkn14.occam import PrivateOccam
from privpac.papers.bbkn14.points import ProperPoints
from privpac.papers.edition import Edition, Goal, Trial, labeled
from privpac.papers.paper_learner import PaperLearner
from privpac.privacy.budget import Budget
from privpac.refusals.option_words import PaperConstants
from privpac.requests.conditions import Conditions

ONE = Budget(1)
SHARE = Fraction(3, 4)  # the share of α and β for the base learner; the rest is for relabeling
CUTS = ExplicitClass([[0, 0], [0, 1], [1, 1]], points="ab")
NONEMPTY = ExplicitClass([[0, 1], [1, 0], [1, 1]], points="ab")


def base_learner(H: ConceptClass, goal: Goal) -> tuple[PaperLearner, ConceptClass]:
    """A proper, pure learner for clean labels, and its class: H itself if its rules can be drawn without listing it."""
    pure = goal._replace(cost=goal.pure)
    if isinstance(H, Points) and H.size < inf:
        return ProperPoints(points_of(H), *pure), H
    if is_line(H):
        return IntervalExponential(cuts_of(H), pure.cost, pure.alpha, pure.beta), H
    if _is_drawn(H):
        conditions = Conditions(pure.cost.epsilon, pure.cost.delta, pure.alpha, pure.beta, "realizable")
        learner = learner_for(H, conditions).for_class(H, conditions.terms(1))
        if learner is not None and (base := Library(learner)).stays_in(H):
            return base, H
    listed = explicit(H)
    return PrivateOccam(listed, *pure), listed


def _is_drawn(H: ConceptClass) -> bool:
    """Whether a rule of H can be drawn without a list of all of them."""
    return has_closed_form(H) or has_rows(H)


@lru_cache(maxsize=64)
def _at_one(H: ConceptClass, alpha: Fraction, beta: Fraction, constants: PaperConstants) -> PrivateAgnostic:
    """Algorithm 4 with a base learner at ε = 1."""
    inner, its_class = base_learner(H, Goal(ONE, SHARE * alpha, SHARE * beta, constants))
    return PrivateAgnostic(inner, its_class, alpha, beta, constants)


def _agnostic(H: ConceptClass, goal: Goal) -> PaperLearner:
    """Algorithm 4, on a random part of the examples if ε is less than what it costs."""
    return _within(_at_one(H, *goal[1:]), goal)


def _parts_of(H: ConceptClass) -> tuple[ConceptClass, ...]:
    """H₁, …, H_k of a composition; ValueError for any other class."""
    if not isinstance(H, Compose) or len(H.parts) < 2:
        raise ValueError(
            "it learns compositions of two classes or more, such as And(H, K), each on a column of its own"
        )
    return H.parts


def part_learner(H: ConceptClass, goal: Goal) -> tuple[PaperLearner, ConceptClass]:
    """The base learner of a part of a composition, and its class: on a column, the one for that column."""
    if not isinstance(H, OnColumn):
        return base_learner(H, goal)
    if H.missing:
        raise ValueError("the entries of a column may be missing; leave out missing")
    inner, its_class = base_learner(H.concept_class, goal)
    return ColumnLearner(inner, H.column), its_class.on(H.column)


@lru_cache(maxsize=64)
def _closure_at_one(H: Compose, alpha: Fraction, beta: Fraction, constants: PaperConstants) -> ClosureLearn:
    """Algorithm 5 with base learners at ε = 1."""
    parts = _parts_of(H)
    goal = Goal(ONE, SHARE * alpha / len(parts), SHARE * beta / len(parts), constants)
    inner, classes = zip(*(part_learner(part, goal) for part in parts), strict=True)
    return ClosureLearn(H.gate, inner, classes, alpha, beta, constants)


def _closure(H: ConceptClass, goal: Goal) -> PaperLearner:
    """Algorithm 5, on a random part of the examples if ε is less than what it costs."""
    return _within(_closure_at_one(H, *goal[1:]), goal)


def _within(learner: PaperLearner, goal: Goal) -> PaperLearner:
    return learner if learner.cost <= goal.cost else SmallEpsilon(learner, goal.cost.epsilon)


def _occam(H: ExplicitClass = CUTS) -> PrivateOccam:
    return PrivateOccam(H, ONE, Fraction(1, 100), Fraction(1, 100), "tight")


ABMS20 = partial(Edition, "ABMS20", pure=True)
EDITIONS = (
    ABMS20(
        "Lemma 3.12",
        "empirical",
        "EmpiricalLearner",
        "what its base learner learns, on the sample",
        printed="9·N′",
        tight="9·N′",
        theorem="composition, Theorem 13",
        trial=lambda: Trial(EmpiricalLearner(_occam(), "tight"), labeled("ab")[:2], 9),
    ),
    ABMS20("Alg. 2", "relabel", "relabel", "a step of the other algorithms: it relabels a sample", pure=False),
    ABMS20(
        "Alg. 3",
        "relabel-and-learn",
        "RelabelAndLearn",
        "what its base learner learns",
        trial=lambda: Trial(RelabelAndLearn(_occam(), CUTS), labeled("ab"), 2),
    ),
    ABMS20(
        "Alg. 4",
        "private-agnostic",
        "PrivateAgnostic",
        "what its base learner learns, noisy labels",
        printed="N′ + (V + ln(1/β))/α²",
        tight="least N",
        theorem="abms20, Theorem 5",
        make=_agnostic,
        at_once=lambda H: isinstance(H, ExplicitClass) or _is_drawn(H),
        trial=lambda: Trial(
            PrivateAgnostic(_occam(), CUTS, Fraction(1, 10), Fraction(1, 20), "tight", redraw=False), labeled("ab"), 2
        ),
        regime="agnostic",
    ),
    ABMS20(
        "Alg. 5",
        "closure-learn",
        "ClosureLearn",
        "G(H₁, …, H_k), noisy labels",
        printed="ΣN′ + (k³V + k²·ln(k/β))/α²",
        tight="least N",
        theorem="abms20, Theorem 7",
        make=_closure,
        regime="agnostic",
        at_once=lambda H: isinstance(H, Compose) and all(map(has_closed_form, H.parts)),
        trial=lambda: Trial(
            ClosureLearn(
                "and",
                [_occam(), _occam(NONEMPTY)],
                [CUTS, NONEMPTY],
                Fraction(1, 10),
                Fraction(1, 20),
                "tight",
                redraw=False,
            ),
            labeled("ab")[1:3],
            4,
        ),
    ),
    ABMS20(
        "Remark 7.4",
        "small-epsilon",
        "SmallEpsilon",
        "what its base learner learns, at a small ε",
        tight="N′·(e^ε₀ − 1)/(e^ε − 1)",
        theorem="composition, Theorem 10",
        trial=lambda: Trial(SmallEpsilon(_occam(), Fraction(1, 2)), labeled("ab"), 3),
    ),
)
