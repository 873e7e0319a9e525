"""Scorecards: points for tests on the columns of a table, by private boosting.

[DW00] [MT07]  docs/references.bib        proof: docs/proofs/scorecards.md

Throughout this file
    T      the number of public tests; a finding is a test or a pair of tests, and finding T always holds
    t      the number of rounds
    b, s   a vote: finding b speaks for the label 1 (s = 1) or against it (s = −1)
    c_b    the votes of finding b for the label 1, minus those against it
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import ClassVar, Self

from privpac.classes.concept_class import ConceptClass
from privpac.classes.decision_trees.scorecards import Scorecards, pair_of_tests, scorecard
from privpac.classes.hypothesis import Hypothesis
from privpac.classes.lines.thresholds import Thresholds
from privpac.learners.algorithm import Learner
from privpac.learners.audit_cases import Trial, Universe
from privpac.learners.decision_trees.public_tests import TreeTests, tree_tests
from privpac.learners.grids.grids import ColumnPart
from privpac.mechanisms.algorithm import Ask
from privpac.mechanisms.decision_trees.boosting import BoostedVotes, Vote
from privpac.mechanisms.decision_trees.pairs import JOINS, pair_of
from privpac.privacy.ledger import Records
from privpac.refusals.refusal import Setting

MOST_ROUNDS, MOST_ROUNDS_OF_PAIRS = 50, 25
PER_ROUND = 100  # of ε·n for each round; with less, noise chooses the votes (benchmarks/auto_choice.py)
MOST_LINES, MOST_LINES_OF_PAIRS = 24, 15  # longer cards are hard to read and make no fewer errors
WITHOUT_PAIRS = ", or leave out ", Setting("pairs")
BITS = Thresholds(0, 1, direction="above").on(0), Thresholds(0, 1, direction="above").on(1)


class ScorecardLearner(Learner):
    """Learn a scorecard by boosting: each of up to 50 rounds, or 25 with pairs, privately chooses one vote.

    A vote is that of a test or, with pairs, of two tests as one.

    For very few records, and for many: on most tables, scorecards of pairs err less often than decision trees if ε·n is
    below 200, or 2,500 or more.

    Privacy   (ε, δ), for all inputs: scorecards, Theorem 1
    Utility   nothing is certified
    Time      O(t·(n·columns + T)); with pairs, O(t·(n·columns² + T²))

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
            Scorecards(*BITS),
            "2 columns, one round",
            ((0, 0), (1, 1)),
            (Trial(1, 1e-6, 1, 16), Trial(6, 1e-6, 2, 2), Trial("0.2", 1e-6, 1, 79)),
        ),
        Universe(
            Scorecards(*BITS, pairs=True),
            "pairs of 2 columns, one round",
            ((0, 0), (0, 1), (1, 1)),
            (Trial(1, 1e-6, 1, 20), Trial(6, 1e-6, 2, 3), Trial("0.2", 1e-6, 1, 99)),
        ),
        Universe(
            Scorecards(Thresholds(0, 1).on(0, missing=True)),
            "1 column, missing entries, one round",
            ((None,), (1,)),
            (Trial(1, 1e-6, 1, 16),),
        ),
    )

    @classmethod
    def _supports(cls, concept_class: ConceptClass) -> bool:
        return isinstance(concept_class, Scorecards) and _tests(concept_class) is not None

    def run(self, records: Records, ask: Ask) -> Hypothesis:
        return _card(self.tests, ask(self.boosted(records.size), records.see(self.tests.labeled)))

    def boosted(self, n: int) -> BoostedVotes:
        """The mechanism for n records."""
        pairs = self.concept_class.pairs
        most, lines = (MOST_ROUNDS_OF_PAIRS, MOST_LINES_OF_PAIRS) if pairs else (MOST_ROUNDS, MOST_LINES)
        return BoostedVotes(self.cost, self.tests.public, rounds(self.cost.epsilon, n, most), lines, pairs)

    def for_records(self, n: int) -> Self:
        """Few rounds spend no δ."""
        return replace(self, terms=replace(self.terms, cost=self.boosted(self.copies * n).cost))

    @property
    def tests(self) -> TreeTests:
        tests = _tests(self.concept_class)
        assert tests is not None  # otherwise the class is not supported
        return tests

    @property
    def cells(self) -> tuple[tuple[int, ...], ...]:
        return self.tests.first_codes

    def failure(self, n: int, alpha: float) -> float:
        return 1.0


def rounds(epsilon: Fraction, n: int, most: int) -> int:
    """t: one round for each 100 of ε·n, at most ``most``.

    >>> [rounds(Fraction(1), n, MOST_ROUNDS) for n in (10, 1000, 10_000)]
    [1, 10, 50]
    """
    return min(most, max(1, int(epsilon * n / PER_ROUND)))


def _tests(concept_class: Scorecards) -> TreeTests | None:
    """The public tests, as many as trees of depth 1 may have (depth 3 with pairs); None if a part cannot be listed."""
    parts, domain = tuple(map(ColumnPart.of, concept_class.parts)), concept_class.domain
    # ``below=False``: points for x ≥ t and for a missing entry can express all that points for x < t could.
    if concept_class.pairs:
        return tree_tests(parts, domain, depth=3, below=False, rules="scorecards of pairs", otherwise=WITHOUT_PAIRS)
    return tree_tests(parts, domain, depth=1, below=False, rules="scorecards", otherwise=())


def _card(tests: TreeTests, votes: tuple[Vote, ...]) -> Hypothesis:
    """The votes as a scorecard: points c_b for each finding that holds, and how many points are enough for the label 1.

    The votes say 1 if Σ ±c_b > 0, with + where finding b holds. Finding T always holds, so this is true if the points
    of the findings b ≠ T that hold exceed (Σ_(b≠T) c_b − c_T)/2.
    """
    c: Counter[int] = Counter()
    for b, s in votes:
        c[b] += s
    always = c.pop(tests.public.number, 0)
    voted = sorted(c)  # single tests, part by part, then pairs
    enough = (sum(c.values()) - always) // 2 + 1
    return scorecard([_finding(tests, b) for b in voted], [c[b] for b in voted], enough)


def _finding(tests: TreeTests, b: int) -> Hypothesis:
    """A test, or a pair of tests, as a rule."""
    T = tests.public.number
    if b < T:
        return tests.rules[b]
    k, i, j = pair_of(b - T - 1, T)
    return pair_of_tests(JOINS[k], tests.rules[i], tests.rules[j])
