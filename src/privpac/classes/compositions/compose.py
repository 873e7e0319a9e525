"""Boolean combinations and unions of classes, on the same points or on columns of one table.

Throughout this file
    G      a boolean function of k bits       H₁ … H_k   the parts

G(H₁, …, H_k) is the class of all G(h₁, …, h_k) with h_i in H_i. Either all parts live on the same points, or every part
reads a column of a table: ``thresholds.on("delay")``. On given points, its patterns are all G(p₁, …, p_k) with p_i a
pattern of H_i.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, ClassVar, Self

import numpy as np

from privpac.classes.compositions.rules import ColumnRule, composition
from privpac.classes.concept_class import ConceptClass, Known
from privpac.classes.finite.boolean_functions import Gate, GateLike, gate
from privpac.classes.finite.explicit import ExplicitClass
from privpac.classes.finite.patterns import PatternClass, PatternTable, each_once, first_of_each
from privpac.classes.hypothesis import Constant, Hypothesis, Value
from privpac.classes.shell_options import Part, column_part
from privpac.classes.values.missing_entries import IsMissing
from privpac.data.domains.domain import Domain
from privpac.data.domains.named_columns import Columns, common
from privpac.data.domains.with_missing import WithMissing
from privpac.data.values.equal_values import hashables
from privpac.data.values.tables import pick
from privpac.refusals.refusal import Refused, RefusedType, Setting

# For each dimension of Not(H), the dimension of H that equals it.
OF_NOT = {kind: kind for kind in ("VC", "Littlestone", "dual VC", "dual Littlestone")}
OF_NOT |= dict.fromkeys(("threshold", "dual threshold"), "complement threshold")


@dataclass(frozen=True, repr=False)
class OnColumn(PatternClass):
    """A class on one column of a table: a name, or a position counted from 0. Written ``concept_class.on(column)``.

    >>> from privpac.classes.lines.thresholds import Thresholds
    >>> late = Thresholds(0, 999, direction="above").on("delay")
    >>> [str(h) for h in late.representatives({"delay": [3, 37]})]
    ['delay ≥ 3', 'delay ≥ 37', 'never']
    """

    concept_class: ConceptClass
    column: str | int
    missing: bool = field(default=False, kw_only=True)  # whether an entry may be absent
    na: Sequence[str] = field(default=(), kw_only=True)  # texts that stand for an absent entry

    def __post_init__(self) -> None:
        _check_class(self.concept_class)
        ColumnRule(Constant(False), self.column)  # refuses an invalid column
        if type(self.missing) is not bool:
            raise RefusedType.must("missing", "be True or False")
        if self.na and not self.missing:
            raise Refused("na", "na says how a missing entry is spelled; set ", Setting.to("missing", True), " as well")
        if not isinstance(self.na, list | tuple):
            raise RefusedType.must("na", 'be a list of texts, such as ["", "NA", "?"]')
        object.__setattr__(self, "na", tuple(self.na))
        _ = self.domain  # refuses texts that are declared values
        if self.concept_class.domain.column_names:
            raise TypeError("this class already reads columns; write .on(column) on its parts only")

    def __repr__(self) -> str:
        absent = ", missing=True" * self.missing + f", na={self.na!r}" * bool(self.na)
        return f"{self.concept_class!r}.on({self.column!r}{absent})"

    @property
    def domain(self) -> Columns:
        domain = self.concept_class.domain
        return Columns((self.column,), (WithMissing(domain, tuple(self.na)) if self.missing else domain,))

    @property
    def size(self) -> int | float:
        return self.concept_class.size + self.missing

    def known(self, kind: str) -> Known | None:
        """The dimensions of the class: other columns only add copies of points. Unknown if entries may be missing."""
        return None if self.missing else self.concept_class.known(kind)

    @property
    def absence(self) -> ColumnRule:
        """The concept that is true where the entry is missing, for a column with ``missing``."""
        line = self.concept_class.domain.line
        # In columns of numbers and times, the texts ``na`` have become None before a rule reads them.
        texts = tuple(self.na) if line is None or line.kind == "string" else ()
        has_nan = line is not None and line.kind in ("float", "decimal")
        return ColumnRule(IsMissing(texts, has_nan), self.column, missing=True)

    def hypothesis(self, *choice: Value) -> ColumnRule:
        """A concept of the class, read on the column."""
        return ColumnRule(_concept(self.concept_class, choice), self.column, missing=self.missing)

    def pattern_table(self, points: Sequence[Value]) -> PatternTable:
        """The patterns of the class on the values in the column; a missing value has the label False."""
        values = hashables(pick(points, self.column), f"column {self.column!r}")
        present = dict.fromkeys(value for value in values if not self._is_missing(value))
        index = {value: i for i, value in enumerate(present)}
        labels, hypotheses = patterns_of(self.concept_class, list(index))
        # An extra last column of zeros, which the index −1 selects, gives missing values the label False.
        labels = np.concatenate([labels, np.zeros((len(labels), 1), dtype=bool)], axis=1)
        patterns = labels[:, [index.get(value, -1) for value in values]]
        rules: list[Hypothesis] = [ColumnRule(h, self.column, missing=self.missing) for h in hypotheses]
        if not self.missing:
            return patterns, rules
        all_patterns = np.concatenate([patterns, [[self._is_missing(value) for value in values]]])
        return each_once(all_patterns, [*rules, self.absence])

    def _is_missing(self, value: object) -> bool:
        """Whether an entry is absent; ``hashables`` has made None of every other kind of missing entry."""
        return self.missing and (value is None or (isinstance(value, str) and value in self.na))


ConceptClass.column_class = OnColumn  # ``on`` of every class makes it; concept_class.py cannot import this file


class Combination(PatternClass):
    """A class built from several classes, its parts, on their common domain."""

    parts: tuple[ConceptClass, ...]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self.parts))})"

    @property
    def domain(self) -> Domain:
        """The domain of the parts; if they read columns, the columns of all parts."""
        return common_domain(self.parts)


@dataclass(frozen=True, init=False, repr=False)
class Compose(Combination):
    """G(h₁, …, h_k) for all h₁ of the first class, …, h_k of the last.

    ``G`` is a name (and, or, xor, majority, not), a function of k booleans or its 2^k values.

    >>> from privpac.classes.lines.intervals import Intervals
    >>> ring = Compose(lambda outer, inner: outer and not inner, Intervals(0, 9), Intervals(0, 9))
    >>> ring.size, ring.materialize([1, 3, 5, 7, 9])
    (3136, ExplicitClass(31 concepts, 5 points))
    """

    gate: Gate
    parts: tuple[ConceptClass, ...]

    def __init__(self, G: GateLike, *classes: ConceptClass) -> None:
        object.__setattr__(self, "gate", gate(G, len(classes)))
        object.__setattr__(self, "parts", classes)
        common_domain(classes)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join([self.gate.name, *map(repr, self.parts)])})"

    @property
    def size(self) -> int | float:
        """The number of ways to choose the parts: at least the number of concepts."""
        sizes = [part.size for part in self.parts]
        return math.prod(sizes) if all(sizes) else 0  # ∞ · 0 is undefined

    def known(self, kind: str) -> Known | None:
        """The dimensions of a negation; for other functions, no closed form holds for all classes."""
        is_negation = self.gate.table == (True, False)
        return self.parts[0].known(OF_NOT[kind]) if is_negation and kind in OF_NOT else None

    def hypothesis(self, *choices: Value) -> Hypothesis:
        """G of one concept of each part.

        A choice is the argument of the part's method ``hypothesis``, or a tuple if that takes several arguments.

        >>> from privpac.classes.lines.intervals import Intervals
        >>> from privpac.classes.values.points import Points
        >>> print(And(Intervals(0, 99).on("delay"), Points().on("carrier")).hypothesis((37, 52), "EV"))
        37 ≤ delay ≤ 52 and carrier = EV
        """
        if len(choices) != len(self.parts):
            raise ValueError(f"give {len(self.parts)} choices, one for each part, not {len(choices)}")
        tuples = [choice if isinstance(choice, tuple) else (choice,) for choice in choices]
        return composition(self.gate, tuple(map(_concept, self.parts, tuples)))

    @property
    def leaves(self) -> tuple[ConceptClass, ...]:
        """The parts, with every composition among them replaced by its own leaves, in order."""
        return tuple(leaf for part in self.parts for leaf in (part.leaves if isinstance(part, Compose) else (part,)))

    @property
    def table(self) -> tuple[bool, ...]:
        """The truth table of the class as a boolean function of its leaves, from (0, …, 0) to (1, …, 1).

        >>> from privpac.classes.lines.thresholds import Thresholds
        >>> Or(Thresholds(0, 9), Not(Thresholds(0, 9))).table
        (True, False, True, True)
        """
        tables = [part.table if isinstance(part, Compose) else (False, True) for part in self.parts]
        return tuple(self.gate(*np.array(list(product(*tables)), dtype=bool).T).tolist())

    def of_leaves(self, rules: Iterable[Hypothesis]) -> Hypothesis:
        """The concept made of these concepts of the leaves, in order."""
        leaves = iter(rules)  # one iterator for all parts: each takes its own leaves from it
        chosen = [part.of_leaves(leaves) if isinstance(part, Compose) else next(leaves) for part in self.parts]
        return composition(self.gate, tuple(chosen))

    def pattern_table(self, points: Sequence[Value]) -> PatternTable:
        labels, hypotheses = zip(*(patterns_of(part, points) for part in self.parts), strict=True)
        rows = self.gate.on_rows(*labels)  # one row for each choice of a pattern of every part
        first = first_of_each(rows)
        indices = np.unravel_index(first, [len(rules) for rules in hypotheses])  # one array for each part
        chosen = [[part[i] for i in part_indices] for part, part_indices in zip(hypotheses, indices, strict=True)]
        return rows[first], [composition(self.gate, rules) for rules in zip(*chosen, strict=True)]


def _concept(concept_class: ConceptClass, choice: tuple[Value, ...]) -> Hypothesis:
    """The concept that ``hypothesis`` makes of the arguments ``choice``; a single hypothesis is already a concept."""
    if len(choice) == 1 and isinstance(choice[0], Hypothesis):
        return choice[0]
    return concept_class.hypothesis(*choice)


class _ByName(Compose):
    """A composition whose boolean function is the name of the class: and, or, xor, majority, not.

    Those with a ``shell_name`` can be named on the command line.
    """

    def __init__(self, *classes: ConceptClass) -> None:
        super().__init__(type(self).__name__.lower(), *classes)

    @classmethod
    def from_shell(cls, part: Part) -> Self:
        if len(part or ()) < 2:
            example = Setting.to("part", "delay thresholds 0 999"), " ", Setting.to("part", "carrier points")
            raise Refused("part", "name at least two parts: ", *example)
        return cls(*map(column_part, part or ()))

    __repr__ = Combination.__repr__


class And(_ByName):
    """The rules "all parts hold".

    >>> from privpac.classes.lines.thresholds import Thresholds
    >>> from privpac.classes.values.points import Points
    >>> rule = And(Thresholds(0, 999).on("delay"), Points().on("carrier"))
    >>> for h in rule.representatives({"delay": [37, 2], "carrier": ["EV", "UA"]}):
    ...     print(h)
    delay ≥ 37 and carrier = EV
    delay ≥ 37 and carrier = UA
    delay ≥ 2 and carrier = UA
    """

    shell_name: ClassVar[str] = "and"


class Or(_ByName):
    """The rules "at least one part holds".

    >>> from privpac.classes.vectors.boxes import Conjunctions
    >>> Or(Conjunctions(2), Conjunctions(2)).materialize()
    ExplicitClass(16 concepts, 4 points)
    """

    shell_name: ClassVar[str] = "or"


class Xor(_ByName):
    """The rules "an odd number of parts hold".

    >>> from privpac.classes.vectors.parities import Parities
    >>> Xor(Parities(3), Parities(3)).materialize()
    ExplicitClass(8 concepts, 8 points)
    """


class Majority(_ByName):
    """The rules "more than half of the parts hold".

    >>> from privpac.classes.vectors.boxes import Conjunctions
    >>> bits = Conjunctions(2, monotone=True)
    >>> Majority(bits, bits, bits).materialize()
    ExplicitClass(5 concepts, 4 points)
    """

    shell_name: ClassVar[str] = "majority"


class Not(_ByName):
    """The negations of the rules of one class. VC and Littlestone dimension stay the same.

    >>> from privpac.classes.vectors.parities import Parities
    >>> [str(h) for h in Not(Parities(1)).representatives([(0,), (1,)])]
    ['always', 'not (x₁ = 1)']
    """


@dataclass(frozen=True, init=False, repr=False)
class Union(Combination):
    """The concepts of several classes, on the same points or on columns of one table.

    Decision stumps are the union of thresholds on each column.

    >>> from privpac.classes.lines.thresholds import Thresholds
    >>> stumps = Union(*(Thresholds(0, 9, direction="either").on(column) for column in ("width", "height")))
    >>> stumps.size, stumps.materialize({"width": [1, 5, 9], "height": [2, 7, 3]})
    (40, ExplicitClass(8 concepts, 3 points))
    """

    parts: tuple[ConceptClass, ...]

    def __init__(self, *classes: ConceptClass) -> None:
        if not classes:
            raise ValueError("a union needs at least one class")
        object.__setattr__(self, "parts", classes)
        common_domain(classes)

    @property
    def size(self) -> int | float:
        """The sum of the sizes of the parts: at least the number of concepts, since parts may share some."""
        sizes = [part.size for part in self.parts]
        return math.inf if math.inf in sizes else sum(sizes)  # ∞ plus an integer too large for a float would fail

    def pattern_table(self, points: Sequence[Value]) -> PatternTable:
        return each_once(*patterns_of_all(self.parts, points))


def patterns_of(part: ConceptClass, points: Sequence[Value]) -> PatternTable:
    """The pattern table of any class on distinct points."""
    if isinstance(part, PatternClass):
        return part.pattern_table(points)
    table = part.materialize(points)
    rules: list[Any] = list(table.concepts)
    if isinstance(part, ExplicitClass):  # its concepts are names
        rules = [part.hypothesis(name) for name in rules]
    return table.matrix_on(points), rules


def patterns_of_all(parts: Iterable[ConceptClass], points: Sequence[Value]) -> PatternTable:
    """The patterns of several classes, one class after the other; some may occur twice."""
    labels, rules = zip(*(patterns_of(part, points) for part in parts), strict=True)
    return np.concatenate(labels), [rule for part_rules in rules for rule in part_rules]


def common_domain(parts: tuple[ConceptClass, ...]) -> Domain:
    """The domain of a combination; ValueError if the parts do not fit together."""
    for part in parts:
        _check_class(part)
    return common([part.domain for part in parts])


def _check_class(part: object) -> None:
    if not isinstance(part, ConceptClass):
        raise TypeError("a part must be a concept class; for a matrix write ExplicitClass(matrix)")
