"""Scorecards: points for tests on the columns of a table, by private boosting.

[DW00] [MT07]  docs/references.bib        proof: docs/proofs/scorecards.md

Throughout this file
    T      the number of public tests          t      the number of rounds
    b, s   a vote: test b speaks for the label 1 (s = 1) or against it (s = −1); test T always holds
    c_b    the votes of test b for the label 1, minus those against it
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any, ClassVar

from privpac.classes.concept_class import ConceptClass
from privpac.classes.decision_trees.scorecards import Scorecards, scorecard
from privpac.classes.hypothesis import Hypothesis
from privpac.classes.lines.thresholds import Thresholds
from privpac.learners.algorithm import Learner
from privpac.learners.decision_trees.public_tests import TreeTests, tree_tests
from privpac.learners.grids.grids import ColumnPart
from privpac.learners.universe import Tried, Universe
from privpac.mechanisms.algorithm import Ask
from privpac.mechanisms.decision_trees.boosting import BoostedVotes, Vote
from privpac.privacy.ledger import Records

MOST_ROUNDS = 50
PER_ROUND = 100  # ε·n for each round: with less, noise chooses the votes (benchmarks/auto_choice.py)
LINES = 24  # tests on a card: more are hard to read, and err no less often


class ScorecardLearner(Learner):
    """Learn a scorecard by boosting: each of up to 50 rounds privately chooses one vote of one test.

    For many records: on most tables, scorecards err less often than decision trees if ε·n is 7,000 or more.

    Privacy   (ε, δ), for all inputs: scorecards, Theorem 1
    Utility   nothing is certified
    Time      O(t·(n·columns + T))

    >>> from privpac import PrivateClassifier
    >>> from privpac.classes.values.points import Points
    >>> people = {"age": list(range(20, 60)) * 500, "job": ["clerk"] * 10_000 + ["nurse"] * 10_000}
    >>> rich = [age >= (30 if job == "nurse" else 50) for age, job in zip(people["age"], people["job"])]
    >>> cards = Scorecards(Thresholds(20, 59).on("age"), Points().on("job", values=("clerk", "nurse")))
    >>> clf = PrivateClassifier(cards, epsilon=3).fit(people, rich)
    >>> bool((clf.predict(people) == rich).mean() > 0.9)
    True
    """

    concept_class: Scorecards
    kinds: ClassVar[tuple[type[ConceptClass], ...]] = (Scorecards,)
    title: ClassVar[str] = "boosted votes of public tests"
    theorem: ClassVar[str] = "scorecards, Theorem 1"
    automatic: ClassVar[bool] = False  # nothing is certified
    reads_missing: ClassVar[bool] = True
    audited: ClassVar[tuple[Universe, ...]] = (
        Universe(
            Scorecards(Thresholds(0, 1, direction="above").on(0), Thresholds(0, 1, direction="above").on(1)),
            "2 columns, one round",
            ((0, 0), (1, 1)),
            (Tried(1, 1e-6, 1, 16), Tried(6, 1e-6, 2, 2), Tried("0.2", 1e-6, 1, 79)),
        ),
        Universe(
            Scorecards(Thresholds(0, 1).on(0, missing=True)),
            "1 column, missing entries, one round",
            ((None,), (1,)),
            (Tried(1, 1e-6, 1, 16),),
        ),
    )

    @classmethod
    def _supports(cls, concept_class: ConceptClass) -> bool:
        return isinstance(concept_class, Scorecards) and _tests(concept_class) is not None

    def run(self, records: Records, ask: Ask) -> Hypothesis:
        tests: TreeTests = _tests(self.concept_class)
        boosted = BoostedVotes(self.cost, tests.public, rounds(self.cost.epsilon, records.size), LINES)
        return _card(tests, ask(boosted, records.see(tests.labeled)))

    def failure(self, n: int, alpha: float) -> float:
        return 1.0


def rounds(epsilon: Fraction, n: int) -> int:
    """t: one round for each 100 of ε·n, at most 50.

    >>> [rounds(Fraction(1), n) for n in (10, 1000, 10_000)]
    [1, 10, 50]
    """
    return min(MOST_ROUNDS, max(1, int(epsilon * n / PER_ROUND)))


def _tests(concept_class: Scorecards) -> Any:
    """The public tests; None if some part cannot be listed."""
    # Points for x ≥ t and for a missing entry say all that points for x < t would.
    return tree_tests(tuple(map(ColumnPart.of, concept_class.parts)), concept_class.domain, 1, below=False)


def _card(tests: TreeTests, votes: tuple[Vote, ...]) -> Hypothesis:
    """The votes as points: Σ ±c_b > 0, + where test b holds, is Σ c_b over the tests that hold ≥ ⌊Σ ±c_b/2⌋ + 1."""
    c: Counter[int] = Counter()
    for b, s in votes:
        c[b] += s
    always = c.pop(tests.public.number, 0)
    voted = sorted(c)  # part by part
    enough = (sum(c.values()) - always) // 2 + 1
    return scorecard([tests.rules[b] for b in voted], [c[b] for b in voted], enough)
