"""A model's rule on the columns of a record, as SQL and Python need it.

Main declarations
    read_by       the columns that are read
    needed        the columns that must be there
    names_read    the names of the columns
    by_name       the rule on the column that it reads
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from privpac.classes.base import Hypothesis
from privpac.classes.composed import ColumnRule, Composed
from privpac.classes.scorecard_rules import Scorecard
from privpac.classes.tree_rules import Split

if TYPE_CHECKING:
    from privpac.learners.model import Model


def read_by(model: Model) -> tuple[Any, ...]:
    """The columns that the rule reads: names, or positions if it reads several without names; None for a bare value."""
    several = len(model.domain.columns) > 1 and isinstance(model.feature, int | None)
    if several and not model.domain.column_names:
        return tuple(range(len(model.domain.columns)))
    return model.columns or (None,)


def needed(model: Model) -> tuple[Any, ...]:
    """The columns that must be there for a positive label: all, unless the rule itself labels what is missing.

    Under "raise", a rule with "not" or "or" does.
    """
    itself = model.on_invalid == "raise" and isinstance(model.hypothesis, Composed | Split | Scorecard)
    return () if itself else read_by(model)


def by_name(model: Model) -> Hypothesis:
    """The rule on the column that it reads, if it reads one that has a name or a position."""
    one = not model.domain.column_names and isinstance(model.feature, str | int) and len(read_by(model)) == 1
    return ColumnRule(model.hypothesis, model.feature) if one else model.hypothesis  # type: ignore[arg-type]


def names_read(model: Model) -> list[str]:
    """The names of the columns that the rule reads, in order, if they have names."""
    return [each for each in read_by(model) if isinstance(each, str)]
