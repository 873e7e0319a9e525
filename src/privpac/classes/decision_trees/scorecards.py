"""Scorecards: each test has points, and the label is positive if a record's points are enough.

They are linear threshold functions that people can read. A test is a concept of a part, as in decision trees, or a
combination of two such concepts: both hold, only the first does, just one does, … A missing value passes no test, so it
brings no points.

Throughout this file
    T      the number of tests of all parts            P      finitely many points
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, product
from math import comb, gcd
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from privpac.classes.compositions.rules import Composed, has_joint
from privpac.classes.concept_class import ConceptClass
from privpac.classes.decision_trees.rules import Split, simplified
from privpac.classes.decision_trees.trees import OverTests, column_parts, dividing_tests, number_of_tests
from privpac.classes.finite.patterns import PatternTable, first_of_each
from privpac.classes.hypothesis import Column, Constant, Hypothesis, Labels, Value
from privpac.classes.picture_shapes import DrawnPoints, Pills, Shape
from privpac.classes.shell_options import Pairs, Part
from privpac.data.domains.domain import Domain
from privpac.data.values.tables import records
from privpac.refusals.refusal import Refused, RefusedType

MOST_SAID = 3  # the most tests in a sentence
MOST_POINTS = 2**31 - 1  # the most points in total; they fit in the integers of every database
# Entry k is the largest weight that a threshold function of k tests needs, or of k tests and all their conjunctions.
LARGEST_WEIGHTS = (0, 1, 1, 2, 3)
LARGEST_OF_PAIRS = (0, 1, 2, 3)
MOST_COUNTED = 2**10  # the most lines for which the size of the class is computed; with more, it counts as infinite


@dataclass(frozen=True)
class Scorecard(Hypothesis):
    """The label is positive if the ``points`` of the ``tests`` that hold add up to ``enough`` or more.

    >>> from privpac.classes.compositions.rules import ColumnRule
    >>> from privpac.classes.lines.rules import Threshold
    >>> from privpac.classes.values.points import OneOf
    >>> grown, clerk = ColumnRule(Threshold(40), "age"), ColumnRule(OneOf(frozenset(["clerk"])), "job")
    >>> card = Scorecard((grown, clerk), (3, -2), 2)
    >>> print(card, card({"age": [40, 40, 39, None], "job": ["nurse", "clerk", "nurse", "nurse"]}))
    at least 2 points: age ≥ 40 +3, job = clerk −2 [ True False False False]
    """

    tests: tuple[Hypothesis, ...]
    points: tuple[int, ...]
    enough: int

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.tests or len(self.tests) != len(self.points):
            raise ValueError("a scorecard needs at least one test, and points for each")
        if sum(map(abs, self.points)) + abs(self.enough) > MOST_POINTS:
            raise ValueError(f"the points of a scorecard may add up to at most {MOST_POINTS}")

    @property
    def constant(self) -> bool | None:
        """The label, if the least or the most possible points decide it."""
        if sum(points for points in self.points if points > 0) < self.enough:
            return False
        return True if sum(points for points in self.points if points < 0) >= self.enough else None

    def total(self, column: Column, /) -> NDArray[np.int64]:
        """The points of every record."""
        total = np.zeros(records(column), dtype=np.int64)
        for test, points in zip(self.tests, self.points, strict=True):
            total += np.where(test(column), points, 0)
        return total

    def __call__(self, column: Column, /) -> Labels:
        return np.asarray(self.total(column) >= self.enough)

    def sentence(self, *names: str) -> str:
        """The number of points that is enough, and the tests with the most points, added or subtracted."""
        if self.constant is not None:
            return Constant(self.constant).sentence()
        heaviest = sorted(range(len(self.tests)), key=lambda i: -abs(self.points[i]))[:MOST_SAID]
        tests = [(self.tests[i].sentence(*names), signed(self.points[i])) for i in sorted(heaviest)]
        texts = [f"({test}) {points}" if has_joint(test) else f"{test} {points}" for test, points in tests]
        rest = len(self.tests) - len(texts)
        more = [f"and {rest} more test{'s' * (rest > 1)}"] if rest else []
        plural = "" if self.enough == 1 else "s"
        return f"at least {with_minus(self.enough)} point{plural}: {', '.join(texts + more)}"

    def drawing(self, domain: Domain | None, columns: Sequence[str]) -> tuple[Shape, ...]:
        if self.constant is not None:
            return (Pills((("every record", self.constant),)),)
        lines = [(test.sentence(*columns), points) for test, points in zip(self.tests, self.points, strict=True)]
        return (DrawnPoints(tuple(lines), self.enough),)


def with_minus(points: int) -> str:
    """A number, with a typographic minus sign if it is negative."""
    return str(points).replace("-", "−")


def signed(points: int) -> str:
    """Points with their sign."""
    return f"+{points}" if points > 0 else with_minus(points)


def scorecard(tests: Sequence[Hypothesis], points: Sequence[int], enough: int) -> Hypothesis:
    """The simplest rule with these tests and points: tests without points are dropped, and common factors divided out.

    >>> from privpac.classes.lines.rules import Threshold
    >>> print(scorecard([Threshold(3), Threshold(5), Threshold(7)], [4, 0, 2], 5))
    at least 3 points: x ≥ 3 +2, x ≥ 7 +1
    >>> print(scorecard([Threshold(3)], [-2], 0), "|", scorecard([Threshold(3)], [2], 3))
    x < 3 | never
    """
    scored = [(test, value) for test, value in zip(tests, points, strict=True) if value]
    if not scored:
        return Constant(enough <= 0)
    unit = gcd(*(value for _, value in scored))
    card = Scorecard(tuple(test for test, _ in scored), tuple(value // unit for _, value in scored), -(-enough // unit))
    if card.constant is not None:
        return Constant(card.constant)
    if len(card.tests) > 1:
        return card
    (test,) = card.tests
    if card.points[0] > 0:
        return test
    return negated(test) if isinstance(test, Split) else Split(test, Constant(False), Constant(True))


def negated(tree: Hypothesis) -> Hypothesis:
    """The tree with the opposite labels at its leaves."""
    if isinstance(tree, Split):
        return Split(tree.test, negated(tree.yes), negated(tree.no))
    return Constant(not tree.constant)


def pair_of_tests(table: Sequence[bool], first: Hypothesis, second: Hypothesis) -> Hypothesis:
    """The rule G(first, second), where ``table`` is (G(0, 0), G(0, 1), G(1, 0), G(1, 1)), as it reads best.

    >>> from privpac.classes.compositions.rules import ColumnRule
    >>> from privpac.classes.lines.rules import Threshold
    >>> grown, old, busy = (ColumnRule(Threshold(t), name) for t, name in ((40, "age"), (60, "age"), (9, "hours")))
    >>> only_first, just_one = (False, False, True, False), (False, True, True, False)
    >>> print(pair_of_tests(only_first, grown, busy), "|", pair_of_tests(just_one, grown, old))
    age ≥ 40 and hours < 9 | 40 ≤ age < 60
    >>> print(pair_of_tests(just_one, grown, busy))
    exactly one of: age ≥ 40; hours ≥ 9
    """
    neither, second_only, first_only, both = map(Constant, table)
    tree = simplified(Split(first, Split(second, both, first_only), Split(second, second_only, neither)))
    if isinstance(tree, Split) and isinstance(tree.yes, Split) and isinstance(tree.no, Split):
        return Composed("xor", tuple(table), (first, second))
    return tree


@dataclass(frozen=True, init=False, repr=False)
class Scorecards(OverTests):
    """All scorecards over the tests of its parts; parts are as in :class:`Trees`.

    With ``pairs``, a line of a card may join two tests: "age ≥ 40 and job ≠ clerk: +2".

    >>> from privpac.classes.lines.thresholds import Thresholds
    >>> from privpac.classes.values.points import Points
    >>> cards = Scorecards(Thresholds(0, 2).on("age"), Points().on("job", values=("clerk", "nurse")))
    >>> rules = cards.representatives({"age": [0, 1, 2], "job": ["clerk", "nurse", "clerk"]})
    >>> [str(h) for h in rules][:5]
    ['never', 'always', 'age < 1', 'age ≥ 1', 'age < 2']
    """

    shell_name: ClassVar[str] = "scorecards"
    title: ClassVar[str] = "scorecards"
    pairs: bool

    def __init__(self, *parts: ConceptClass, pairs: bool = False) -> None:
        super().__init__(*parts)
        if type(pairs) is not bool:
            raise RefusedType.must("pairs", "be True or False")
        object.__setattr__(self, "pairs", pairs)

    @classmethod
    def from_shell(cls, part: Part, pairs: Pairs = None) -> Self:
        return cls(*column_parts(part), pairs=bool(pairs))

    def __repr__(self) -> str:
        return f"Scorecards({', '.join([*map(repr, self.parts), *['pairs=True'] * self.pairs])})"

    @property
    def size(self) -> int | float:
        """2^(L² + 1): at least the number of concepts, since L lines have at most this many threshold functions.

        The lines are the T tests; pairs add the T·(T − 1)/2 conjunctions of two tests. All other functions of two tests
        are weighted sums of these lines.
        """
        T = sum(map(number_of_tests, self.parts))
        if T > MOST_COUNTED:
            return math.inf
        lines = int(T) + (comb(int(T), 2) if self.pairs else 0)
        return 2 ** (lines**2 + 1) if lines <= MOST_COUNTED else math.inf

    def pattern_table(self, points: Sequence[Value]) -> PatternTable:
        """The patterns of all scorecards, each once, fewer tests first; at most 4 tests may divide P, 3 for pairs."""
        tests, rules = dividing_tests(self.parts, points)  # a boolean matrix (test, point), and the tests as rules
        largest_weights = LARGEST_OF_PAIRS if self.pairs else LARGEST_WEIGHTS
        if len(rules) >= len(largest_weights):
            kind = f"scorecards{' of pairs' * self.pairs}"
            limit = f"the patterns of {kind} are listed for at most {len(largest_weights) - 1} tests"
            raise Refused("points", f"{limit}, and more divide these points; give fewer points, or use Trees")
        largest = largest_weights[len(rules)]
        if self.pairs:
            tests, rules = _with_conjunctions(tests, rules)
        cards = _all_points(largest, len(rules))
        totals = cards @ tests.astype(np.int64)  # a row for each card, a column for each point
        enough = np.arange(totals.min() + 1, totals.max() + 1)  # every total reaches less, and none reaches more
        labels = (totals[:, None] >= enough[:, None]).reshape(-1, len(points))
        labels = np.concatenate([np.full((2, len(points)), [[False], [True]]), labels])
        first = first_of_each(labels).tolist()
        # The first two rows are the constants. For all others: the positions in ``cards`` and in ``enough``.
        choices = (divmod(i - 2, len(enough)) for i in first[2:])
        simplest = [scorecard(rules, cards[i].tolist(), int(enough[j])) for i, j in choices]
        return labels[first], [Constant(False), Constant(True), *simplest]


def _with_conjunctions(tests: Labels, rules: list[Hypothesis]) -> PatternTable:
    """The tests, and all conjunctions of two of them."""
    pairs = list(combinations(range(len(rules)), 2))
    conjunctions = [tests[i] & tests[j] for i, j in pairs]
    conjunction_rules = [pair_of_tests((False, False, False, True), rules[i], rules[j]) for i, j in pairs]
    return np.array([*tests, *conjunctions]).reshape(-1, tests.shape[1]), [*rules, *conjunction_rules]


@lru_cache(maxsize=8)
def _all_points(largest: int, tests: int) -> NDArray[np.int64]:
    """All ways to give each test from −``largest`` to ``largest`` points, a row for each way, the simplest first.

    Simple means that few tests have points; then, that the points are few; then, that earlier tests have them.
    """
    points = np.array(list(product(range(-largest, largest + 1), repeat=tests)), dtype=np.int64)
    size = abs(points)
    return points[np.lexsort((*-size.T[::-1], size.sum(axis=1), (size > 0).sum(axis=1)))]
