"""Decision trees of small depth over tests on declared columns.

Throughout this file
    T      the number of tests of all parts         d      the depth: the most tests on a path
    P      finitely many points

A test is a concept of a part: a cut of a line, an equality with a declared category, a prefix. The trees of depth 0 are
the two constants. Those of depth d are the constants, and all splits by one test into two trees of depth d − 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from privpac.classes.compositions.compose import Combination, OnColumn, common_domain, patterns_of_all
from privpac.classes.concept_class import ConceptClass, Family
from privpac.classes.decision_trees.rules import Split
from privpac.classes.finite.patterns import PatternTable, first_of_each
from privpac.classes.hypothesis import Constant, Hypothesis, Labels, Value
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.matrices import check_matrix_size
from privpac.classes.shell_options import Depth, Part, column_part
from privpac.refusals.refusal import Refused, Setting

DEPTHS = (1, 2, 3)  # the depths that users may choose
AUTO = "auto"  # the depth that lets a learner choose among all of them


@dataclass(frozen=True, init=False, repr=False)
class OverTests(Combination):
    """A class of rules over the tests of its parts; ``title`` names such rules in messages."""

    title: ClassVar[str]
    parts: tuple[ConceptClass, ...]

    def __init__(self, *parts: ConceptClass) -> None:
        if not parts:
            raise Refused("part", f"{self.title} need at least one part, such as Thresholds(17, 90).on('age')")
        object.__setattr__(self, "parts", parts)
        common_domain(parts)

    @classmethod
    def from_shell(cls, part: Part) -> Self:
        return cls(*column_parts(part))


@dataclass(frozen=True, init=False, repr=False)
class Trees(OverTests):
    """All decision trees with at most ``depth`` tests on a path, 1, 2 or 3, over the tests of its parts.

    With ``depth="auto"``, the trees of all these depths; a learner chooses the depth together with the tree, at no
    additional cost.

    A part is a class on a column, such as ``Thresholds(17, 90).on("age")`` or
    ``Points().on("job", values=("clerk", "nurse"))``; or all parts read the same points.

    >>> from privpac.classes.values.points import Points
    >>> trees = Trees(Thresholds(17, 90).on("age"), Points().on("job", values=("clerk", "nurse")), depth=2)
    >>> trees.size
    6840302
    >>> rules = trees.representatives({"age": [20, 30, 40], "job": ["clerk", "nurse", "clerk"]})
    >>> [str(h) for h in rules]
    ['never', 'always', 'age < 30', 'age ≥ 30', 'age < 40', 'age ≥ 40', 'job ≠ clerk', 'job = clerk']
    """

    shell_name: ClassVar[str] = "trees"
    title: ClassVar[str] = "decision trees"
    depth: int | str

    def __init__(self, *parts: ConceptClass, depth: int | str = 2) -> None:
        super().__init__(*parts)
        if depth != AUTO and (type(depth) is not int or depth not in DEPTHS):
            raise Refused.must("depth", "be 1, 2 or 3, or auto")
        object.__setattr__(self, "depth", depth)

    @classmethod
    def from_shell(cls, part: Part, depth: Depth = None) -> Self:
        return cls(*column_parts(part), depth=typed_depth(depth))

    def __repr__(self) -> str:
        return f"Trees({', '.join(map(repr, self.parts))}, depth={self.depth!r})"

    @property
    def deepest(self) -> int:
        """The most tests on a path."""
        return DEPTHS[-1] if self.depth == AUTO else int(self.depth)

    def family(self) -> Family:
        return Family("depth", self.deepest, [(d, type(self)(*self.parts, depth=d)) for d in DEPTHS])

    @property
    def size(self) -> int | float:
        """The number N(d) of trees, at least the number of concepts: N(0) = 2 and N(d) = 2 + T · N(d − 1)²."""
        T = sum(map(number_of_tests, self.parts))
        size: int | float = 2
        for _ in range(self.deepest):
            size = 2 + T * size**2
        return size

    def pattern_table(self, points: Sequence[Value]) -> PatternTable:
        tests, rules = dividing_tests(self.parts, points)
        labels = np.array([[False] * len(points), [True] * len(points)])
        trees: list[Hypothesis] = [Constant(False), Constant(True)]
        for _ in range(self.deepest):
            labels, trees = _next_level(tests, rules, labels, trees)
        return labels, trees


def _next_level(tests: Labels, rules: list[Hypothesis], labels: Labels, trees: list[Hypothesis]) -> PatternTable:
    """The pattern table of these trees and of all splits into two of them; each pattern once, with its smallest tree.

    ``tests`` and ``rules`` are the pattern table of the tests, ``labels`` and ``trees`` that of the trees.
    """
    points = labels.shape[1]
    blocks = [labels]
    # (test, yes, no) as indices; −1 as the test means the tree itself.
    recipes = [(-1, i, i) for i in range(len(trees))]
    for t, test in enumerate(tests):
        # Among trees that agree where the test holds, one is enough for the branch yes, and the same for no.
        yes, no = first_of_each(labels[:, test]), first_of_each(labels[:, ~test])
        check_matrix_size(len(recipes) + len(yes) * len(no), points)
        block = np.empty((len(yes), len(no), points), dtype=bool)
        block[:, :, test], block[:, :, ~test] = labels[yes][:, None, test], labels[no][None, :, ~test]
        blocks.append(block.reshape(-1, points))
        recipes += [(t, i, j) for i in yes.tolist() for j in no.tolist()]
    all_labels = np.concatenate(blocks)
    first = first_of_each(all_labels)
    chosen = [recipes[i] for i in first.tolist()]
    return all_labels[first], [trees[i] if t < 0 else Split(rules[t], trees[i], trees[j]) for t, i, j in chosen]


def dividing_tests(parts: Sequence[ConceptClass], points: Sequence[Value]) -> PatternTable:
    """The pattern table of the tests that tell points apart; of a test and its negation, the first one only."""
    labels, rules = patterns_of_all(parts, points)
    first = first_of_each(labels ^ labels[:, :1])  # XOR with the first label makes negations equal
    dividing = [i for i in first.tolist() if labels[i].any() and not labels[i].all()]
    return labels[dividing], [rules[i] for i in dividing]


def column_parts(part: list[str] | None) -> tuple[ConceptClass, ...]:
    """The classes of the parts that a user typed in a shell."""
    if not part:
        example = Setting.to("part", "age thresholds 0 120"), " ", Setting.to("part", "job points clerk,nurse")
        raise Refused("part", "name at least one part: ", *example)
    return tuple(map(column_part, part))


def typed_depth(text: str | int | None) -> int | str:
    """The depth that a user typed, a number or "auto"; 2 by default. Other texts are returned for Trees to refuse.

    >>> typed_depth(" 3"), typed_depth("auto"), typed_depth(None)
    (3, 'auto', 2)
    """
    if not isinstance(text, str):
        return 2 if text is None else text
    return int(text) if text.strip() in map(str, DEPTHS) else text.strip()


def number_of_tests(part: ConceptClass) -> int | float:
    """The number of tests of a part: of its concepts or, for thresholds, of the inner cuts.

    The two directions of a cut count once, because they split records alike. If entries may be missing, one more test
    asks whether an entry is missing.

    >>> from privpac.classes.values.points import Points
    >>> jobs = Points().on("job", values=("clerk", "nurse"))
    >>> number_of_tests(Thresholds(0, 9).on("age")), number_of_tests(Points()), number_of_tests(jobs)
    (9, inf, 2)
    """
    tests, missing = (part.concept_class, part.missing) if isinstance(part, OnColumn) else (part, False)
    if not isinstance(tests, Thresholds):
        return tests.size + missing
    # Where entries may be missing, "not x ≥ t" and "x < t" are two different tests.
    directions = 2 if missing and tests.direction == "either" else 1
    return (tests.domain.size - 1) * directions + missing
