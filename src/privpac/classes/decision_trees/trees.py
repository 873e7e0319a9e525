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

from privpac.classes.compositions.compose import Combination, OnColumn, common_domain, patterns_of
from privpac.classes.concept_class import ConceptClass, Family
from privpac.classes.decision_trees.rules import Split
from privpac.classes.finite.patterns import first_of_each
from privpac.classes.hypothesis import Constant, Hypothesis, Labels, Value
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.matrices import check_room
from privpac.classes.shell_options import Depth, Part, column_part
from privpac.refusals.refusal import Refused, Setting

DEPTHS = (1, 2, 3)
AUTO = "auto"


@dataclass(frozen=True, init=False, repr=False)
class OverTests(Combination):
    """A class of rules over the tests of its parts; ``title`` is what people call such rules."""

    title: ClassVar[str]
    parts: tuple[ConceptClass, ...]

    def __init__(self, *parts: ConceptClass) -> None:
        if not parts:
            raise Refused("part", f"{self.title} need at least one part, such as Thresholds(17, 90).on('age')")
        object.__setattr__(self, "parts", parts)
        common_domain(parts)

    @classmethod
    def from_shell(cls, part: Part) -> Self:
        """The parts as they are written."""
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
        """The parts as they are written; depth 2 if none is given."""
        return cls(*column_parts(part), depth=typed_depth(depth))

    def __repr__(self) -> str:
        return f"Trees({', '.join(map(repr, self.parts))}, depth={self.depth!r})"

    @property
    def deepest(self) -> int:
        """The most tests on a path."""
        return DEPTHS[-1] if self.depth == AUTO else int(self.depth)

    def family(self) -> Family:
        """The trees of other depths."""
        return Family("depth", self.deepest, [(d, type(self)(*self.parts, depth=d)) for d in DEPTHS])

    @property
    def size(self) -> int | float:
        """N(d), where N(0) = 2 and N(d) = 2 + T · N(d − 1)²: at least the number of concepts.

        Different trees may be the same concept; ``materialize().size`` counts concepts.
        """
        T = sum(map(number_of_tests, self.parts))
        size: int | float = 2
        for _ in range(self.deepest):
            size = 2 + T * size**2
        return size

    def pattern_table(self, points: Sequence[Value]) -> tuple[Labels, list[Hypothesis]]:
        """The patterns of all trees, each once, built level by level."""
        tests, rules = dividing_tests(self.parts, points)
        labels = np.array([[False] * len(points), [True] * len(points)])
        trees: list[Hypothesis] = [Constant(False), Constant(True)]
        for _ in range(self.deepest):
            labels, trees = _deeper(tests, rules, labels, trees)
        return labels, trees


def _deeper(
    tests: Labels, rules: list[Hypothesis], labels: Labels, trees: list[Hypothesis]
) -> tuple[Labels, list[Hypothesis]]:
    """The trees, and all splits into two of them; each pattern once, the smaller tree first."""
    rows, places = [labels], [(-1, i, i) for i in range(len(trees))]
    for t, test in enumerate(tests):
        yes, no = first_of_each(labels[:, test]), first_of_each(labels[:, ~test])
        check_room(len(places) + len(yes) * len(no), labels.shape[1])
        block = np.empty((len(yes), len(no), labels.shape[1]), dtype=bool)
        block[:, :, test], block[:, :, ~test] = labels[yes][:, None, test], labels[no][None, :, ~test]
        rows.append(block.reshape(-1, labels.shape[1]))
        places += [(t, i, j) for i in yes.tolist() for j in no.tolist()]
    every = np.concatenate(rows)
    first = first_of_each(every)
    chosen = [places[i] for i in first.tolist()]
    return every[first], [trees[i] if t < 0 else Split(rules[t], trees[i], trees[j]) for t, i, j in chosen]


def dividing_tests(parts: Sequence[ConceptClass], points: Sequence[Value]) -> tuple[Labels, list[Hypothesis]]:
    """The tests that tell points apart, each once; a test and its negation divide the points alike."""
    labels, rules = zip(*(patterns_of(part, points) for part in parts), strict=True)
    rows, every = np.concatenate(labels), [rule for some in rules for rule in some]
    first = first_of_each(rows ^ rows[:, :1])
    dividing = [i for i in first.tolist() if rows[i].any() and not rows[i].all()]
    return rows[dividing], [every[i] for i in dividing]


def column_parts(part: list[str] | None) -> tuple[ConceptClass, ...]:
    """The parts as they are written in a shell."""
    if not part:
        one = Setting.to("part", "age thresholds 0 120"), " ", Setting.to("part", "job points clerk,nurse")
        raise Refused("part", "name at least one part: ", *one)
    return tuple(map(column_part, part))


def typed_depth(text: str | int | None) -> int | str:
    """The depth as it is typed; 2 if none is.

    >>> typed_depth(" 3"), typed_depth("auto"), typed_depth(None)
    (3, 'auto', 2)
    """
    if not isinstance(text, str):
        return 2 if text is None else text
    return int(text) if text.strip() in map(str, DEPTHS) else text.strip()


def number_of_tests(part: ConceptClass) -> int | float:
    """The number of tests of a part: the inner cuts of a line, which split alike in both directions; else all concepts.

    One more asks whether the entry is missing, if it may be.

    >>> from privpac.classes.values.points import Points
    >>> jobs = Points().on("job", values=("clerk", "nurse"))
    >>> number_of_tests(Thresholds(0, 9).on("age")), number_of_tests(Points()), number_of_tests(jobs)
    (9, inf, 2)
    """
    of, missing = (part.concept_class, part.missing) if isinstance(part, OnColumn) else (part, False)
    if not isinstance(of, Thresholds):
        return of.size + missing
    both_ways = missing and of.direction == "either"  # not x ≥ t is another test than x < t
    return (of.domain.size - 1) * (1 + both_ways) + missing
