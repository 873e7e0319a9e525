"""A request for a private rule: it reads, seals, charges, learns, and certifies, without scikit-learn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Self, cast

import numpy as np

from privpac.classes.base import ConceptClass
from privpac.data.domains.base import Domain
from privpac.data.engines.views import is_table
from privpac.data.samples.units import Quota
from privpac.data.values.shown import shown
from privpac.learners.algorithm import Learner
from privpac.learners.choice import certified_n, chosen
from privpac.learners.fit import Fit, Preview
from privpac.learners.model import model_of
from privpac.privacy.budget import Number, as_count
from privpac.privacy.ledger import Sealed
from privpac.refusals.option_words import InvalidRule, Regime
from privpac.refusals.refusal import Refused, about
from privpac.requests.conditions import Conditions, as_share
from privpac.requests.holding_out import parts_sealed
from privpac.requests.input_checks import fetch_query
from privpac.requests.labels import Against
from privpac.requests.paying import asked_of, payment, protected
from privpac.requests.reading import Gathered, Reading
from privpac.requests.request import Request

DECIDING = "concept_class", "method", "feature", "classes"  # what is released, with the conditions
OCCURRING = "which labels occur is public"


class RuleRequest(Request):
    """A request for a rule, with the parameters of ``PrivateClassifier``, its front for scikit-learn."""

    kind = "PrivateClassifier"

    def __init__(
        self,
        concept_class: ConceptClass | None = None,
        *,
        epsilon: Number = 1.0,
        delta: Number | None = None,
        alpha: Number = 0.1,
        beta: Number = 0.05,
        method: str = "auto",
        regime: Regime = "agnostic",
        feature: Any = (),
        classes: Sequence[Any] | None = (0, 1),
        on_invalid: InvalidRule = "raise",
        max_records: int | None = None,
        report_error: bool = False,
        allow_large_delta: bool = False,
        budget: Any = None,
        random_state: int | None = None,
    ) -> None:
        self.concept_class = concept_class
        self.epsilon = epsilon
        self.delta = delta
        self.alpha = alpha
        self.beta = beta
        self.method = method
        self.regime = regime
        self.feature = feature
        self.classes = classes
        self.on_invalid = on_invalid
        self.max_records = max_records
        self.report_error = report_error
        self.allow_large_delta = allow_large_delta
        self.budget = budget
        self.random_state = random_state

    def fit(self, X: Any, y: Any, unit: Any = None) -> Self:
        """Learn from records X with labels y, protecting each record, or each unit (a column of names) as a whole.

        X is a table or a column: numpy, pandas, polars, pyarrow, DuckDB, or lists. With an Ibis table, y and unit are
        column names, and the database does the counting.
        """
        conditions = self.conditions()
        ready = self._fit(conditions, 1)  # which refuses wrong parameters before a record is read
        quota = self._quota(unit, conditions)
        whom = protected(self.budget, unit, "this fit")
        reading = self._reading(ready.learner.domain, y, unit)
        X = fetch_query(X, (*reading.asked, *reading.beside) if reading.by_name else (), y, unit, once=unit is None)
        sample, classes = self._gathered(reading, X, y, quota, conditions)
        n = sample.size
        fit = self._fit(conditions, n)
        ahead = self._ahead(fit, conditions, n)
        occurring = {"labels": classes} if self.classes is None else {}  # the caller makes them public
        asked = {**asked_of(self, conditions, DECIDING, n, y, unit), **occurring}
        with payment(self.budget, ahead.cost, fit.name, asked, unit=whom) as paid:
            if paid.ledger is not None:
                learned, held = Sealed(sample, n), None
                if conditions.report_error:
                    learned, held = parts_sealed(sample, reading.domain, fit.k, paid.ledger.coins)
                paid.released = fit.run(learned, paid.ledger.spend, held)
        (rule, error), self.ledger_ = paid.released, paid.statement
        self.hypothesis_ = rule.named(*reading.known_names(getattr(self, "feature_names_in_", ())))
        error = error and replace(error, per_unit=unit is not None)
        self.error_ = error and error.named(shown(classes[0]), shown(classes[-1]))
        self.learner_, self.n_records_ = fit.learner, n
        self.reading_, self.classes_ = reading, classes
        self.privacy_ = self.ledger_.spent
        also_public = () if self.classes is not None else (OCCURRING,)
        self.guarantee_ = self.ledger_.certificate(
            ahead.utility, conditions.max_records, also_public, n // conditions.k
        )
        return self

    def save(self, path: str | Path, label: str | None = None) -> None:
        """Write the rule as a ``Model``, which ``pp.load(path)`` reads; ``label`` names the predicted column."""
        model_of(self, label).save(path)

    def learner(self) -> Learner:
        """The algorithm that ``method`` names, or the one certified with the fewest records.

        It is set up for a fit of one record; the default δ is smaller for more records.

        >>> from privpac.classes.finite.explicit import ExplicitClass
        >>> from privpac.learners.classifier import PrivateClassifier
        >>> PrivateClassifier(ExplicitClass([[0, 1], [1, 1]])).learner().title
        'permute-and-flip over all concepts'
        """
        return self.fitting(1).learner

    def fitting(self, n: int) -> Fit:
        """Everything a fit of n records releases, as one algorithm."""
        return self._fit(self.conditions(), n)

    def _fit(self, conditions: Conditions, n: int) -> Fit:
        return Fit.of(chosen(self._class, conditions, self.method), self._class, conditions, n)

    def preview(self, n: int) -> Preview:
        """What a fit of n records would cost and promise; it is refused here if the fit would be.

        >>> from privpac.classes.finite.explicit import ExplicitClass
        >>> from privpac.learners.classifier import PrivateClassifier
        >>> print(PrivateClassifier(ExplicitClass([[0, 1], [1, 1]]), epsilon=2).preview(1000).cost)
        ε = 2
        """
        conditions, n = self.conditions(), as_count(n, "n")
        return self._ahead(self._fit(conditions, n), conditions, n)

    def _ahead(self, fit: Fit, conditions: Conditions, n: int) -> Preview:
        """The preview of a fit, before anything is spent; a δ that is too large for n is refused."""
        ahead = Preview.of(fit, conditions, n)
        rules = len(list(self.classes)) if isinstance(self.classes, Against) else 1  # one for each label, alike
        conditions.check_delta(rules * ahead.cost.delta, n)
        return ahead

    def certified_n(self, alpha: Number | None = None, beta: Number | None = None) -> int | None:
        """The smallest number of records that certifies an error of at most α; None if no number does."""
        conditions, kind = self.conditions(), type(self.learner())
        α = conditions.alpha if alpha is None else as_share(alpha, "alpha")
        β = conditions.beta if beta is None else as_share(beta, "beta")
        return certified_n(kind, self._class, conditions, float(α), float(β)) if conditions.k == 1 else None

    def certified_alpha(self, n: int, beta: Number | None = None) -> Fraction | None:
        """The smallest error certified with n records; None if no error below 1 is certified."""
        β = None if beta is None else as_share(beta, "beta")
        fit, learned = self.fitting(n), self.conditions().sizes(n).learned
        return fit.learner.certified_alpha(learned, β) if fit.k == 1 else None

    @property
    def _class(self) -> ConceptClass:
        return cast(ConceptClass, self.concept_class)

    def _reading(self, domain: Domain, *beside: Any) -> Reading:
        """How to read records; columns with labels or units are not features."""
        names = tuple(name for name in beside if isinstance(name, str))
        return Reading(domain, 0 if self._unnamed else self.feature, self.on_invalid, names)

    def _gathered(self, reading: Reading, X: Any, y: Any, quota: Quota | None, conditions: Conditions) -> Gathered:
        """The records and the two labels."""
        if y is None:
            raise Refused("y", f"{type(self).__name__} requires y to be passed, but the target y is None")
        with about("X"):
            table = self._table(reading, X)
            return reading.gathered(X, table, y, quota, self.classes, apart=conditions.report_error)

    def _table(self, reading: Reading, X: Any) -> Any:
        """X as a table; its columns are remembered."""
        table = super()._table(reading, X)
        if not is_table(X):
            return self._seen(table)
        features = reading.features(X)
        self.feature_names_in_, self.n_features_in_ = np.array(features, dtype=object), len(features)
        return None

    def _seen(self, table: Any) -> Any:
        """A table in memory, unchanged; for a mapping, the columns of another fit are forgotten."""
        if isinstance(table, Mapping):
            for name in ("feature_names_in_", "n_features_in_"):
                self.__dict__.pop(name, None)
        return table
