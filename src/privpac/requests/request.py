"""A question to private records: its public parameters, under the names that scikit-learn knows them by."""

from __future__ import annotations

from inspect import signature
from typing import Any, ClassVar, Self

from privpac.requests.conditions import ASKED, Conditions


class Request:
    """A request. Commands make it; the estimators of scikit-learn are requests, too."""

    kind: ClassVar[str]  # the estimator that asks the same; an account knows the question by this name
    asked: ClassVar[tuple[str, ...]] = ASKED  # the parameters that are conditions
    feature: Any

    def asking(self, **others: Any) -> Self:
        """A request with other parameters, and otherwise with those of this one."""
        own = {name: getattr(self, name) for name in signature(type(self)).parameters}
        return type(self)(**own | others)

    def conditions(self) -> Conditions:
        """All public parameters, checked."""
        return Conditions.of(**{name: getattr(self, name) for name in self.asked})

    @property
    def _unnamed(self) -> bool:
        """Whether no column is named; a rule then reads the first, and X must not have others."""
        return isinstance(self.feature, tuple) and not self.feature
