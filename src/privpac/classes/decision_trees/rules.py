"""Decision trees as hypotheses: tests at the inner nodes, labels at the leaves.

Where the test of a node holds, the branch ``yes`` decides, otherwise the branch ``no``. A missing value passes no test,
so it takes the branch ``no``. The simplified tree, with the same labels, is printed, drawn, and exported.

With more than two labels, a tree is not a boolean function: its answer for a record is a label. For each label,
:func:`answer_is` gives the boolean rule that is true where that label is the answer.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privpac.classes.compositions.rules import ColumnRule
from privpac.classes.decision_trees.sentences import Clause, clause_sentence, either
from privpac.classes.hypothesis import Column, Constant, Hypothesis, Labels
from privpac.classes.lines.rules import Threshold
from privpac.classes.picture_shapes import DrawnTree, Pills, Shape
from privpac.classes.tree_orders.paths import HasPrefix, HasSuffix
from privpac.classes.tree_orders.taxonomy import AtOrAbove, AtOrBelow
from privpac.classes.values.missing_entries import IsMissing
from privpac.classes.values.points import OneOf
from privpac.data.domains.domain import Domain
from privpac.data.domains.line import Line
from privpac.data.domains.paths import PathNode
from privpac.data.values.tables import records
from privpac.data.values.value_text import value_text

DEEPEST = 8  # the most splits on a path; learned trees have fewer, and recursion stays cheap
NUMBERS = frozenset({"integer", "float", "decimal"})  # the kinds of lines whose cuts can be compared with each other
Path = tuple[tuple[Hypothesis, bool], ...]  # the tests above a node, from the root down, each with its outcome


@dataclass(frozen=True)
class Split(Hypothesis):
    """Where ``test`` holds, ``yes`` decides, otherwise ``no``; a branch is another split, or a Constant.

    >>> grown, clerk = ColumnRule(Threshold(28), "age"), ColumnRule(OneOf(frozenset(["clerk"])), "job")
    >>> rule = Split(grown, Split(clerk, Constant(True), Constant(False)), Constant(False))
    >>> print(rule, rule({"age": [30, 30, 27, None], "job": ["clerk", "nurse", "clerk", "clerk"]}))
    age ≥ 28 and job = clerk [ True False False False]
    """

    leaf: ClassVar[type[Hypothesis]] = Constant  # the type of a branch that is not another split
    test: Hypothesis
    yes: Hypothesis
    no: Hypothesis

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.test, Split):
            raise TypeError("the test of a split must be a rule that is not itself a tree")
        split, leaf = type(self), self.leaf
        if not all(type(branch) in (split, leaf) for branch in (self.yes, self.no)):
            raise TypeError(f"a branch must be a {split.__name__}, or a {leaf.__name__} at a leaf")
        if self.depth > DEEPEST:
            raise ValueError(f"a tree may have at most {DEEPEST} splits on a path")

    @property
    def depth(self) -> int:
        """The largest number of tests on a path."""
        return 1 + max(branch.depth if isinstance(branch, Split) else 0 for branch in (self.yes, self.no))

    @property
    def constant(self) -> bool | None:
        """The label, if all leaves that can be reached have the same one."""
        return rule.label if isinstance(rule := simplified(self), Constant) else None

    def __call__(self, column: Column, /) -> Labels:
        return np.where(self.test(column), self.yes(column), self.no(column))

    def sentence(self, *names: str) -> str:
        """When the label is positive, in words."""
        rule = simplified(self)
        return rule.sentence(*names) if isinstance(rule, Constant) else clause_sentence(_clause(rule), names)

    def drawing(self, domain: Domain | None, columns: Sequence[str]) -> tuple[Shape, ...]:
        rule = simplified(self)
        return (_tree_shape(rule, columns),) if isinstance(rule, Split) else rule.drawing(domain, columns)


def _clause(tree: Hypothesis) -> Clause:
    """The condition under which the label is positive."""
    if not isinstance(tree, Split):
        return tree.constant is True
    return either(tree.test, _clause(tree.yes), _clause(tree.no))


def _tree_shape(tree: Split, columns: Sequence[str]) -> DrawnTree:
    def branch_shape(branch: Hypothesis) -> DrawnTree | bool | str:
        if isinstance(branch, Split):
            return _tree_shape(branch, columns)
        return value_text(branch.label) if isinstance(branch, Answer) else branch.constant is True

    return DrawnTree(tree.test.sentence(*columns), branch_shape(tree.yes), branch_shape(tree.no))


def simplified(tree: Hypothesis, path: Path = ()) -> Hypothesis:
    """A tree that is no larger and has the same label for every record that takes ``path``, missing values included.

    >>> on, off = Constant(True), Constant(False)
    >>> print(simplified(Split(Threshold(7), Split(Threshold(5), on, off), Split(Threshold(9), on, off))))
    x ≥ 7
    >>> print(simplified(Split(Threshold(7), on, on)))
    always
    """
    if not isinstance(tree, Split):
        return tree
    test = tree.test
    outcomes = [test.constant, *(implied_outcome(test, earlier, passed) for earlier, passed in path)]
    for outcome in outcomes:
        if outcome is not None:  # the path decides the test
            return simplified(tree.yes if outcome else tree.no, path)
    yes_path, no_path = (*path, (test, True)), (*path, (test, False))
    yes, no = simplified(tree.yes, yes_path), simplified(tree.no, no_path)
    # One branch may replace the split, if it also gives the right labels on the other side of the test. In "x ≥ 7: yes,
    # otherwise x ≥ 5", the branch x ≥ 5 says yes wherever x ≥ 7.
    if simplified(no, yes_path) == yes:
        return no
    if simplified(yes, no_path) == no:
        return yes
    return type(tree)(test, yes, no)


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
        """The answer whose label is ``labels[number]``; here ``label`` is a number."""
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
    """Where ``test`` holds, ``yes`` answers, otherwise ``no``; a branch is another LabelSplit, or an Answer.

    >>> long, wide = ColumnRule(Threshold(2.5), "length"), ColumnRule(Threshold(1.7), "width")
    >>> rule = LabelSplit(long, LabelSplit(wide, Answer("virginica"), Answer("versicolor")), Answer("setosa"))
    >>> print(rule)
    setosa if length < 2.5; virginica if length ≥ 2.5 and width ≥ 1.7; otherwise versicolor
    >>> rule({"length": [1.4, 5.1, 5.1], "width": [0.2, 1.5, 2.1]}).tolist()
    ['setosa', 'versicolor', 'virginica']
    """

    leaf: ClassVar[type[Hypothesis]] = Answer

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
        texts = {label: f"({text})" if ";" in text else text for label, text in conditions.items()}
        cases = [f"{value_text(label)} if {texts[label]}" for label in first]
        return "; ".join([*cases, f"otherwise {value_text(last)}"])


def answer_is(rule: Hypothesis, label: Hashable) -> Hypothesis:
    """The boolean rule "the answer of ``rule`` is ``label``": one label against all others."""
    if isinstance(rule, Answer):
        return Constant(rule.label == label)
    assert isinstance(rule, LabelSplit)
    return simplified(Split(rule.test, answer_is(rule.yes, label), answer_is(rule.no, label)))


def implied_outcome(test: Hypothesis, earlier: Hypothesis, passed: bool) -> bool | None:
    """The outcome of ``test`` on all records that ``passed`` an ``earlier`` test, or failed it; None if both can occur.

    >>> implied_outcome(Threshold(5), Threshold(7), True), implied_outcome(Threshold(9), Threshold(7), False)
    (True, False)
    >>> implied_outcome(OneOf(frozenset(["EV"])), OneOf(frozenset(["UA"])), True)
    False
    """
    if test == earlier:
        return passed
    if isinstance(test, ColumnRule) and isinstance(earlier, ColumnRule):
        return implied_outcome(test.part, earlier.part, passed) if test.column == earlier.column else None
    return _outcome_on_column(test, earlier, passed)


def _outcome_on_column(test: Hypothesis, earlier: Hypothesis, passed: bool) -> bool | None:
    """The implied outcome for two tests of one column. A missing value passes no test except :class:`IsMissing`."""
    if isinstance(test, IsMissing) or isinstance(earlier, IsMissing):
        return False if passed else None
    if isinstance(test, Threshold) and isinstance(earlier, Threshold):
        return _outcome_of_cut(test, earlier, passed)
    for kind in (HasPrefix, HasSuffix):
        if isinstance(test, kind) and isinstance(earlier, kind) and test.separator == earlier.separator:
            return _outcome_of_node(test.steps, earlier.steps, passed)
    values, earlier_values = _values(test), _values(earlier)
    if earlier_values is None:
        return None
    if passed:
        return _common_outcome(test, earlier_values) if values is not None or isinstance(test, Threshold) else None
    return False if values is not None and values <= earlier_values else None


def _outcome_of_cut(test: Threshold, earlier: Threshold, passed: bool) -> bool | None:
    """The implied outcome for two cuts of one line."""
    kinds = {Line(threshold.cut, threshold.cut).kind for threshold in (test, earlier)}
    if len(kinds) > 1 and not kinds <= NUMBERS:
        return None
    at_or_below, at_or_above = test.cut <= earlier.cut, test.cut >= earlier.cut
    if passed:  # the value exists, on one side of the earlier cut
        if earlier.above and at_or_below:  # value ≥ earlier.cut ≥ test.cut
            return test.above
        if not earlier.above and at_or_above:  # value < earlier.cut ≤ test.cut
            return not test.above
        return None
    # The value is missing, or on the opposite side of the earlier cut. A missing value passes no test.
    return False if test.above == earlier.above and (at_or_above if earlier.above else at_or_below) else None


def _outcome_of_node(test: PathNode, earlier: PathNode, passed: bool) -> bool | None:
    """The implied outcome for two prefixes (or two suffixes), given by their steps."""
    shorter = min(len(test), len(earlier))
    if test[:shorter] != earlier[:shorter]:
        return False if passed else None
    if passed:
        return True if len(test) <= len(earlier) else None
    return False if len(earlier) <= len(test) else None


def _values(test: Hypothesis) -> frozenset[Hashable] | None:
    """The values that pass a test; None if the test does not list them."""
    match test:
        case OneOf(values):
            return values
        case AtOrAbove(path):
            return frozenset(path)
        case AtOrBelow(name, below):
            return below | {name}
    return None


def _common_outcome(test: Hypothesis, values: frozenset[Hashable]) -> bool | None:
    """The outcome of the test on all these values; None if outcomes differ, or the test cannot read a value."""
    try:
        outcomes = {bool(test([value])[0]) for value in values}
    except (TypeError, ValueError):  # for example, a text where the test compares numbers
        return None
    return outcomes.pop() if len(outcomes) == 1 else None
