"""Trees or scorecards: chosen by n and ε before a record is read, so the choice costs nothing.

proof: docs/proofs/auto.md        figures: benchmarks/auto_choice.py
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain
from typing import ClassVar, Self

from privpac.classes.concept_class import ConceptClass
from privpac.classes.decision_trees.auto import Auto
from privpac.classes.decision_trees.scorecards import Scorecards
from privpac.classes.decision_trees.trees import Trees
from privpac.classes.hypothesis import Hypothesis
from privpac.classes.lines.thresholds import Thresholds
from privpac.learners.algorithm import Learner
from privpac.learners.audit_cases import Trial, Universe
from privpac.learners.decision_trees.private_cut_trees import PrivateCutTrees
from privpac.learners.decision_trees.scorecards import ScorecardLearner
from privpac.learners.decision_trees.trees import DecisionTreeLearner
from privpac.mechanisms.algorithm import Ask
from privpac.privacy.budget import Budget
from privpac.privacy.certificate import Utility
from privpac.privacy.ledger import Records
from privpac.refusals.refusal import Refused
from privpac.requests.conditions import Terms

LEARNERS: tuple[type[Learner], ...] = PrivateCutTrees, DecisionTreeLearner, ScorecardLearner


@dataclass(frozen=True)
class AutoLearner(Learner):
    """Learn a scorecard from very few records or from many, and a tree in between.

    Trees have depth 3, and scorecards have pairs of tests, unless there are too many tests. A scorecard of very few
    records has one line: noise would choose the rest of a tree.

    Privacy   (ε, δ), or ε without scorecards, for all inputs: that of the learner it chooses, since n and ε are public
    Utility   against the best rule of the class it chooses, if that is a class of trees
    Time      that of the learner it chooses

    >>> from privpac import PrivateClassifier
    >>> rules = Auto(Thresholds(17, 90).on("age"), Thresholds(0, 99).on("hours"))
    >>> for n in (100, 500, 100_000):
    ...     print(PrivateClassifier(rules, epsilon=1).fitting(n).learner.choice)
    scorecards of pairs, chosen by n and ε alone: no privacy spent
    trees of depth 3, chosen by n and ε alone: no privacy spent
    scorecards of pairs, chosen by n and ε alone: no privacy spent
    """

    concept_class: Auto
    n: int | None = None  # None until it is known; then the algorithm says what it chooses

    kinds: ClassVar[tuple[type[ConceptClass], ...]] = (Auto,)
    title: ClassVar[str] = "trees or scorecards, whichever suits n and ε"
    theorem: ClassVar[str] = DecisionTreeLearner.theorem
    several: ClassVar[bool] = True
    turns: ClassVar[tuple[int, ...]] = (200, 2500)  # values of ε·n; between them, trees err less often
    reads_missing: ClassVar[bool] = True
    audited: ClassVar[tuple[Universe, ...]] = (
        Universe(
            Auto(Thresholds(0, 1).on(0)),
            "1 column",
            ((0,), (1,)),
            (Trial(1, 1e-6, 1, 14), Trial(6, 1e-6, 2, 3), Trial(25, 1e-6, 1, 7), Trial(70, 1e-6, 3, 0)),  # two of trees
        ),
    )

    @classmethod
    def _supports(cls, concept_class: ConceptClass) -> bool:
        return isinstance(concept_class, Auto) and DecisionTreeLearner.supports(concept_class.trees[0])

    @classmethod
    def for_class(cls, concept_class: ConceptClass, terms: Terms) -> Self | None:
        """Also if δ = 0, since some members spend none."""
        if not cls.supports(concept_class):
            return None
        assert isinstance(concept_class, Auto)
        return cls(concept_class, terms)

    def for_records(self, n: int) -> Self:
        return replace(self, n=n)

    def run(self, records: Records, ask: Ask) -> Hypothesis:
        return self.member(records.size // self.copies).run(records, ask)

    def member(self, n: int | None) -> Learner:
        """The algorithm that learns from n records, a public number; a tree if n is unknown."""
        learner = next(learner for each in self._preferred(n) if (learner := learner_of(each, self.terms)))
        return learner if n is None else learner.for_records(n)

    def _preferred(self, n: int | None) -> Iterator[Trees | Scorecards]:
        """The members that suit n records, the best first; scorecards only for two labels, and if there is a δ."""
        two, ε, (few, many) = self.terms.labels == 2, self.copies * self.terms.cost.epsilon, self.turns
        if two and self.terms.cost.delta and n is not None and not few <= ε * n < many:
            yield from reversed(self.concept_class.cards)
        yield from reversed(self.concept_class.trees)

    @property
    def acting(self) -> Learner:
        return self.member(self.n)

    @property
    def choice(self) -> str:
        name = _name(self.acting.concept_class)
        return "" if self.n is None else f"{name}, chosen by n and ε alone: no privacy spent"

    @property
    def cost(self) -> Budget:  # type: ignore[override]
        return self.acting.cost

    def failure(self, n: int, alpha: float) -> float:
        return self.member(n).failure(n, alpha)

    def certified_alpha(self, n: int, beta: Fraction | None = None) -> Fraction | None:
        return self.member(n).certified_alpha(n, beta)

    def utility(self, n: int) -> Utility | None:
        found, chosen = self.member(n).utility(n), self.for_records(n)
        return found and replace(found, assumptions=tuple(map(str, chosen.assumptions)), within=chosen.within)

    @property
    def cells(self) -> tuple[tuple[int, ...], ...]:
        """Those of all members together, since it does not know n while records are read."""
        columns = zip(*(each.cells for each in self._learners), strict=True)
        return tuple(tuple(sorted(set(chain(*each)))) if all(each) else () for each in columns)

    @property
    def _learners(self) -> Iterator[Learner]:
        """The algorithms for its members, whether or not it has the δ for them."""
        for member in self.concept_class.members:
            with suppress(Refused):  # it has too many tests
                kind = next(each for each in LEARNERS if each.supports(member))
                yield kind(member, self.terms)

    @property
    def reference_rules(self) -> tuple[str, ...]:
        """The trees of the depth that is chosen, over the tests that they have."""
        best, depth = "the best tree", _depth(self.acting.concept_class)
        rules = self.acting.reference_rules or (f"the best rule means {best}",)
        return tuple(each.replace(best, best + depth) for each in rules)

    @property
    def within(self) -> str:
        return ", ".join(filter(None, (_depth(self.acting.concept_class).strip(), self.acting.within)))


def learner_of(concept_class: Trees | Scorecards, terms: Terms) -> Learner | None:
    """The algorithm for a member; None if it has too many tests."""
    with suppress(Refused):
        return next((learner for each in LEARNERS if (learner := each.for_class(concept_class, terms))), None)
    return None


def _name(concept_class: ConceptClass) -> str:
    if isinstance(concept_class, Scorecards):
        return "scorecards of pairs" if concept_class.pairs else "scorecards"
    return f"trees{_depth(concept_class)}"


def _depth(concept_class: ConceptClass) -> str:
    return f" of depth {concept_class.depth}" if isinstance(concept_class, Trees) else ""
