"""Decision trees with more than two labels: tests at the inner nodes, a label at each leaf.

Such a rule is not a boolean function: its answer for a record is a label. For each label, :func:`answer_is` gives the
boolean rule that is true where that label is the answer.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.classes.decision_trees.rules import Split, simplified
from privpac.classes.hypothesis import Column, Constant, Hypothesis
from privpac.classes.picture_shapes import Pills, Shape
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

    def with_answers(self, labels: Sequence[Hashable]) -> Answer:
        """The label in place of its number."""
        return Answer(labels[self.label])  # type: ignore[call-overload]

    def __call__(self, column: Column, /) -> NDArray[Any]:
        labels = np.empty(records(column), dtype=object)
        labels.fill(self.label)
        return labels

    def sentence(self, *names: str) -> str:
        return f"always {value_text(self.label)}"

    def drawing(self, domain: Domain | None, columns: Sequence[str]) -> tuple[Shape, ...]:
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
        """None: the answers are not booleans."""
        return None

    @property
    def answers(self) -> tuple[Hashable, ...]:
        """The distinct labels of the leaves, in the order of the leaves."""
        return tuple(dict.fromkeys((*self.yes.answers, *self.no.answers)))  # type: ignore[misc]

    def with_answers(self, labels: Sequence[Hashable]) -> LabelSplit:
        return LabelSplit(self.test, self.yes.with_answers(labels), self.no.with_answers(labels))

    def sentence(self, *names: str) -> str:
        """When each label is the answer, in words; the label with the longest condition comes last, as "otherwise"."""
        rule = simplified(self)
        if not isinstance(rule, LabelSplit):
            return rule.sentence(*names)
        conditions = {label: answer_is(rule, label).sentence(*names) for label in rule.answers}
        *first, last = sorted(conditions, key=lambda label: len(conditions[label]))
        closed = {label: f"({text})" if ";" in text else text for label, text in conditions.items()}
        cases = [f"{value_text(label)} if {closed[label]}" for label in first]
        return "; ".join([*cases, f"otherwise {value_text(last)}"])


def answer_is(rule: Hypothesis, label: Hashable) -> Hypothesis:
    """The boolean rule "the answer of ``rule`` is ``label``": one label against all others."""
    if isinstance(rule, Answer):
        return Constant(rule.label == label)
    assert isinstance(rule, LabelSplit)
    return simplified(Split(rule.test, answer_is(rule.yes, label), answer_is(rule.no, label)))
