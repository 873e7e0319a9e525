"""Conjunctions of equalities over columns of any values: "carrier = EV and origin = JFK".

Throughout this file
    c      the number of columns            j      the most equalities in a rule
    κ      the number of levels: ways to choose 1 to j of the c columns

A missing value equals nothing. Values are equal if Python says so: 1, 1.0 and True are one value.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar, Self

import numpy as np

from privpac.classes.compositions.compose import Combination
from privpac.classes.compositions.rules import ColumnRule, composition
from privpac.classes.concept_class import Family
from privpac.classes.finite.boolean_functions import gate
from privpac.classes.finite.patterns import PatternTable, each_once
from privpac.classes.hypothesis import Constant, Hypothesis, Value
from privpac.classes.matrices import check_matrix_size
from privpac.classes.shell_options import AtMost, ColumnList
from privpac.classes.values.points import OneOf
from privpac.data.domains.anything import Anything
from privpac.data.domains.named_columns import Columns
from privpac.data.values.tables import pick
from privpac.refusals.refusal import Refused, RefusedType, Setting

MOST_LEVELS = 100_000  # the largest κ; a learner counts the values of every choice of columns, so this bounds its time
MOST_EQUALITIES = 8  # the most equalities in a rule


@dataclass(frozen=True, init=False, repr=False)
class Equalities(Combination):
    """All conjunctions of at most ``at_most`` equalities over ``columns``, names or positions counted from 0.

    The values need not be declared: text, numbers, dates and the like. The conjunction of no equalities, "always", is
    one of the rules.

    >>> flights = Equalities("carrier", "origin", "dest", at_most=2)
    >>> print(flights.hypothesis({"carrier": "EV", "origin": "JFK"}))
    carrier = EV and origin = JFK
    >>> rules = flights.representatives({"carrier": ["EV", "UA"], "origin": ["JFK", "JFK"], "dest": ["BOS", "BOS"]})
    >>> [str(h) for h in rules]
    ['never', 'always', 'carrier = EV', 'carrier = UA']
    """

    shell_name: ClassVar[str] = "equalities"
    columns: tuple[str | int, ...]
    at_most: int

    def __init__(self, *columns: str | int, at_most: int) -> None:
        if not columns:
            raise Refused("columns", "name at least one column, such as Equalities('carrier', 'origin', at_most=2)")
        if any(isinstance(column, bool) or not isinstance(column, str | int) for column in columns):
            raise RefusedType("columns", "each column must be a name, or a position counted from 0")
        if len(set(columns)) < len(columns) or any(isinstance(column, int) and column < 0 for column in columns):
            raise Refused("columns", "name each column once, by its name or by its position counted from 0")
        if type(at_most) is not int:
            raise RefusedType("at_most", Setting("at_most"), " must be a whole number")
        if not 1 <= at_most <= min(len(columns), MOST_EQUALITIES):
            most = min(len(columns), MOST_EQUALITIES)
            what = "the number of columns" if most == len(columns) else "the longest rules that are supported"
            raise Refused.must("at_most", f"lie between 1 and {most}, {what}")
        object.__setattr__(self, "columns", columns)
        object.__setattr__(self, "at_most", at_most)
        if self.levels > MOST_LEVELS:
            too_many = f"these columns can be combined in more than {MOST_LEVELS} ways; name fewer columns, or say "
            raise Refused("columns", too_many, Setting.to("at_most", self._most_equalities()))

    def _most_equalities(self) -> int:
        """The largest j for which κ is small enough; 1 if there are too many columns for any j."""
        c = len(self.columns)
        return max((j for j in range(1, self.at_most) if _choices(c, j) <= MOST_LEVELS), default=1)

    @classmethod
    def from_shell(cls, columns: ColumnList, at_most: AtMost) -> Self:
        names = [name.strip() for name in next(csv.reader([columns or ""]), [])]
        if not names or not all(names):
            raise Refused("columns", "write the columns with commas between them: ", Setting.to("columns", "a,b,c"))
        return cls(*names, at_most=at_most)  # type: ignore[arg-type]

    def __repr__(self) -> str:
        return f"Equalities({', '.join(map(repr, self.columns))}, at_most={self.at_most})"

    def family(self) -> Family:
        members = [(j, type(self)(*self.columns, at_most=j)) for j in range(1, self.at_most + 1)]
        return Family("equalities in a rule", self.at_most, members)

    @property
    def domain(self) -> Columns:
        return Columns(self.columns, (Anything(),) * len(self.columns))

    @property
    def size(self) -> float:
        """Infinite: any value can be named."""
        return math.inf

    @property
    def levels(self) -> int:
        """κ: the number of ways to choose the columns of a rule."""
        return _choices(len(self.columns), self.at_most)

    def hypothesis(self, values: Mapping[str | int, Hashable]) -> Hypothesis:
        """The conjunction that requires these values, by column; the rule "always" if there are none."""
        if not values.keys() <= set(self.columns) or len(values) > self.at_most:
            raise Refused("values", f"give values for at most {self.at_most} of the columns of this class")
        named_columns = [column for column in self.columns if column in values]
        parts = [
            ColumnRule(OneOf(frozenset(Anything().encode([values[name]]).tolist())), name) for name in named_columns
        ]
        return composition(gate("and", len(parts)), tuple(parts)) if parts else Constant(True)

    def pattern_table(self, points: Sequence[Value]) -> PatternTable:
        """The patterns of never, of always, and of the conjunctions that some point satisfies; each pattern once."""
        rows = list(zip(*(Anything().encode(pick(points, column)).tolist() for column in self.columns), strict=True))
        positions = range(len(self.columns))
        choices = [choice for i in range(1, self.at_most + 1) for choice in combinations(positions, i)]
        # The distinct pairs of a choice of columns and the values of some point in them: one rule each.
        cells = dict.fromkeys((choice, tuple(row[i] for i in choice)) for choice in choices for row in rows)
        check_matrix_size(len(cells) + 2, len(rows))
        required = [dict(zip((self.columns[i] for i in choice), values, strict=True)) for choice, values in cells]
        rules = [Constant(False), *map(self.hypothesis, [{}, *required])]
        return each_once(np.array([rule(points) for rule in rules], dtype=bool), rules)


def _choices(c: int, j: int) -> int:
    """κ, the number of ways to choose 1 to j of c columns."""
    return sum(math.comb(c, i) for i in range(1, j + 1))
