"""A model's rule on the columns of a record, as SQL and Python need it.

Main declarations
    needed     the columns that must be there
    by_name    the rule on the column that it reads
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from privpac.classes.base import Hypothesis
from privpac.classes.composed import ColumnRule

if TYPE_CHECKING:
    from privpac.learners.model import Model


def needed(model: Model) -> tuple[Any, ...]:
    """The columns that must be there: all, if the rule reads several by their positions; None for a bare value."""
    several = len(model.domain.columns) > 1 and isinstance(model.feature, int | None)
    if several and not model.domain.column_names:
        return tuple(range(len(model.domain.columns)))
    return model.columns or (None,)


def by_name(model: Model) -> Hypothesis:
    """The rule on the column that it reads, if it reads one that has a name or a position."""
    one = not model.domain.column_names and isinstance(model.feature, str | int) and len(needed(model)) == 1
    return ColumnRule(model.hypothesis, model.feature) if one else model.hypothesis  # type: ignore[arg-type]
