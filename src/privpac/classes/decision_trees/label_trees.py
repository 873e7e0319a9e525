"""Decision trees with more than two labels: tests at the inner nodes, a label at each leaf.

Such a rule is no boolean function: it answers a label for each record. For each of its labels, :func:`against` says
when that label is the answer, which is a boolean function.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.classes.decision_trees.rules import Split, simplified
from privpac.classes.hypothesis import Column, Constant, Hypothesis
from privpac.classes.picture_shapes import DrawnTree, Pills, Shape
from privpac.data.domains.domain import Domain
from privpac.data.values.tables import records
from privpac.data.values.value_text import value_text


@dataclass(frozen=True)
class Answer(Hypothesis):
    """The same label for every record: a leaf.

    >>> print(Answer("setosa"), Answer("setosa")([1, 2]))
    always setosa ['setosa' 'setosa']
    """

    label: Hashable

    @property
    def answers(self) -> tuple[Hashable, ...]:
        return (self.label,)

    def __call__(self, column: Column, /) -> NDArray[Any]:
        found = np.empty(records(column), dtype=object)
        found.fill(self.label)
        return found

    def sentence(self, *names: str) -> str:
        return f"always {value_text(self.label)}"

    def drawing(self, domain: Domain | None, columns: Sequence[str]) -> tuple[Shape, ...]:
        """One leaf."""
        return (Pills(((f"every record: {value_text(self.label)}", True),)),)


@dataclass(frozen=True)
class LabelSplit(Split):
    """Where ``test`` holds, ``yes`` answers, otherwise ``no``; a branch is another such split, or an Answer.

    >>> from privpac.classes.compositions.rules import ColumnRule
    >>> from privpac.classes.lines.rules import Threshold
    >>> long, wide = ColumnRule(Threshold(2.5), "length"), ColumnRule(Threshold(1.7), "width")
    >>> rule = LabelSplit(long, LabelSplit(wide, Answer("virginica"), Answer("versicolor")), Answer("setosa"))
    >>> print(rule)
    setosa if length < 2.5; virginica if length ≥ 2.5 and width ≥ 1.7; otherwise versicolor
    >>> rule({"length": [1.4, 5.1, 5.1], "width": [0.2, 1.5, 2.1]}).tolist()
    ['setosa', 'versicolor', 'virginica']
    """

    @classmethod
    def _branches(cls) -> tuple[type[Hypothesis], type[Hypothesis]]:
        return LabelSplit, Answer

    @property
    def constant(self) -> None:
        """None: no label is that of a boolean function."""
        return None

    @property
    def answers(self) -> tuple[Hashable, ...]:
        """The labels of its leaves, from top to bottom."""
        return tuple(dict.fromkeys((*self.yes.answers, *self.no.answers)))  # type: ignore[misc]

    def __call__(self, column: Column, /) -> NDArray[Any]:
        return np.where(self.test(column), self.yes(column), self.no(column))

    def sentence(self, *names: str) -> str:
        """When each label is the answer, in words; the one that takes most words comes last."""
        rule = simplified(self)
        if not isinstance(rule, LabelSplit):
            return rule.sentence(*names)
        told = {label: against(rule, label).sentence(*names) for label in rule.answers}
        *first, last = sorted(told, key=lambda label: len(told[label]))
        cases = [f"{value_text(label)} if {_bracketed(told[label])}" for label in first]
        return "; ".join([*cases, f"otherwise {value_text(last)}"])

    def drawing(self, domain: Domain | None, columns: Sequence[str]) -> tuple[Shape, ...]:
        """The tests with their branches."""
        rule = simplified(self)
        if not isinstance(rule, LabelSplit):
            return rule.drawing(domain, columns)
        return (_shape(rule, columns),)


def _bracketed(text: str) -> str:
    """A condition that could be mistaken for several in a list."""
    return f"({text})" if ";" in text else text


def against(rule: Hypothesis, label: Hashable) -> Hypothesis:
    """When ``label`` is the answer of a rule with several labels, as a boolean rule.

    >>> from privpac.classes.lines.rules import Threshold
    >>> print(against(LabelSplit(Threshold(5), Answer("old"), Answer("new")), "new"))
    x < 5
    """
    if isinstance(rule, Answer):
        return Constant(rule.label == label)
    assert isinstance(rule, LabelSplit)
    return simplified(Split(rule.test, against(rule.yes, label), against(rule.no, label)))


def answering(rule: Hypothesis, labels: Sequence[Hashable]) -> Hypothesis:
    """A rule that answers labels in place of their numbers; a boolean rule stays as it is.

    >>> answering(Answer(1), ("red", "green", "blue"))
    Answer(label='green')
    """
    if isinstance(rule, LabelSplit):
        return LabelSplit(rule.test, answering(rule.yes, labels), answering(rule.no, labels))
    return Answer(labels[rule.label]) if isinstance(rule, Answer) else rule  # type: ignore[call-overload]


def _shape(tree: LabelSplit, columns: Sequence[str]) -> DrawnTree:
    yes, no = (
        _shape(branch, columns) if isinstance(branch, LabelSplit) else value_text(branch.label)  # type: ignore[attr-defined]
        for branch in (tree.yes, tree.no)
    )
    return DrawnTree(tree.test.sentence(*columns), yes, no)
