"""A request to private records: its public parameters, under the names that scikit-learn gives them."""

from __future__ import annotations

from inspect import signature
from typing import Any, ClassVar, Self

import numpy as np

from privpac.data.engines.views import is_table, may_be_record
from privpac.data.samples.units import Quota
from privpac.data.values.columns import parts
from privpac.data.values.tables import width
from privpac.exact.entropy import entropy
from privpac.refusals.refusal import InPython, Refused, Setting, Sketch
from privpac.requests.conditions import CONDITIONS, Conditions
from privpac.requests.input_checks import check_readable
from privpac.requests.reading import Reading

UNIT_AND_LIMIT_TOGETHER = (
    *(Setting("unit"), " and ", Setting("max_records"), " belong together: ", Setting.to("unit", Sketch("column"))),
    *(InPython(","), " ", Setting.to("max_records", Sketch("k"))),
)


class Request:
    """A request to private records. Commands make requests, and so do the estimators for scikit-learn.

    ``kind`` is the name of the estimator that makes the same request; with it, a key on an account recognizes the
    question. ``condition_names`` are the parameters that are conditions.
    """

    kind: ClassVar[str]
    condition_names: ClassVar[tuple[str, ...]] = CONDITIONS
    feature: Any
    random_state: int | None

    def asking(self, **others: Any) -> Self:
        """The same request, except for these parameters."""
        parameters = {name: getattr(self, name) for name in signature(type(self)).parameters}
        return type(self)(**parameters | others)

    def conditions(self) -> Conditions:
        """All public parameters, checked."""
        return Conditions.of(**{name: getattr(self, name) for name in self.condition_names})

    @property
    def _unnamed(self) -> bool:
        """Whether no column is named; X must then have only one."""
        return isinstance(self.feature, tuple) and not self.feature

    def _quota(self, unit: object, conditions: Conditions) -> Quota | None:
        """How many records of a unit count; None if each record is protected by itself."""
        if (unit is None) != (conditions.max_records is None):
            raise Refused("max_records" if unit is None else "unit", *UNIT_AND_LIMIT_TOGETHER)
        key = entropy(self.random_state).octets(16).hex()  # privacy holds for any key; a new one favors no record
        return None if unit is None else Quota(unit, conditions.k, key)

    def _table(self, reading: Reading, X: object) -> Any:
        """X as a table in memory; None for a column or a table in an engine. Refused if it is unclear what to read."""
        if is_table(X):
            if self._unnamed:
                reading.check_only(reading.features(X), secret=may_be_record(X))
            return None
        table = reading.table(check_readable(X, "X"))
        if self._unnamed and (count := width(table)) is not None:
            reading.check_only(range(count) if isinstance(table, np.ndarray) else [name for name, _ in parts(table)])
        return table
