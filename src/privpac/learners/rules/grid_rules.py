"""Rules on several columns of a table: "delay ≥ 37 and hour ≥ 17".

The grid divides each ordered column into cells, whose ends are public; rules cut columns only there.

[BBKN14, Thm 3.2] [McKS20]  docs/references.bib        proof: docs/proofs/rule_learner.md
"""

from __future__ import annotations

from typing import Any, ClassVar

from privpac.classes.compositions.compose import And, Compose
from privpac.classes.concept_class import ConceptClass
from privpac.classes.hypothesis import Hypothesis
from privpac.learners.algorithm import Learner
from privpac.learners.audit_cases import ALONE, CUTS, Universe
from privpac.learners.grids.grids import ColumnPart, rules_of
from privpac.mechanisms.algorithm import Ask
from privpac.mechanisms.selection.permute_and_flip import PermuteAndFlip
from privpac.privacy.ledger import Records

MOST_RULES = 10**6  # the most rules of a grid; the grid is as fine as this permits


class RuleLearner(Learner):
    """Learn a composition (And, Or, any boolean function) of thresholds, intervals and explicit classes on columns.

    Privacy   ε, for all inputs: selection, Theorem 5, with the scores of rule learner, Theorem 1
    Utility   noisy labels or not, against the best rule of the grid: rule learner, Theorem 2
    Time      O(n + MOST_RULES) for any columns

    >>> from privpac import PrivateClassifier, Thresholds
    >>> flights = {"delay": list(range(100)) * 24, "hour": [hour for hour in range(24) for _ in range(100)]}
    >>> late = [delay >= 37 and hour >= 17 for delay, hour in zip(flights["delay"], flights["hour"])]
    >>> rules = And(Thresholds(0, 99).on("delay"), Thresholds(0, 23).on("hour"))
    >>> clf = PrivateClassifier(rules, method="RuleLearner", epsilon=6)
    >>> print(clf.fit(flights, late).hypothesis_)
    delay ≥ 37 and hour ≥ 17
    """

    concept_class: Compose
    kinds: ClassVar[tuple[type[ConceptClass], ...]] = (Compose,)
    title: ClassVar[str] = "permute-and-flip over all rules of a grid"
    theorem: ClassVar[str] = "rule learner, Theorem 2"
    pure: ClassVar[bool] = True
    audited: ClassVar[tuple[Universe, ...]] = (Universe(And(*CUTS), "2 columns", ((0, 0), (2, 1)), ALONE),)

    @classmethod
    def _supports(cls, concept_class: ConceptClass) -> bool:
        return isinstance(concept_class, Compose) and _rules(concept_class) is not None

    def run(self, records: Records, ask: Ask) -> Hypothesis:
        H, rules = self.concept_class, _rules(self.concept_class)
        place = ask(PermuteAndFlip(self.cost), records.see(lambda sample: -rules.errors(sample, H.table).ravel()))
        return H.of_leaves(rules.combination(place))

    def failure(self, n: int, alpha: float) -> float:
        return self.chance(self.log_flipped(_rules(self.concept_class).size), n, alpha)

    @property
    def reference_rules(self) -> tuple[str, ...]:
        return tuple(_rules(self.concept_class).reference_rules)


def _rules(concept_class: Compose) -> Any:
    """The GridRules of the class; None if some part has no grid, so that no learner is made for the class."""
    return rules_of(tuple(map(ColumnPart.of, concept_class.leaves)), concept_class.domain, MOST_RULES)
