"""A request for a private rule. It reads and seals records, pays, learns, and certifies, all without scikit-learn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar, Self, cast

import numpy as np

from privpac.classes.concept_class import ConceptClass
from privpac.data.domains.domain import Domain
from privpac.data.engines.views import is_table
from privpac.data.samples.units import Quota
from privpac.data.values.value_text import value_text
from privpac.learners.algorithm import Learner
from privpac.learners.choice import learner_for
from privpac.learners.errors.risks import OperatingPoint, Region, Risks, measured_risks, risks_of
from privpac.learners.fit import Fit, Preview
from privpac.learners.model import model_of
from privpac.learners.public.requests import PUBLIC_TABLE, is_number, with_public
from privpac.learners.sample_sizes import certified_n
from privpac.privacy.budget import Number, as_count
from privpac.privacy.ledger import Sealed
from privpac.refusals.option_words import InvalidRule, Regime
from privpac.refusals.refusal import Refused, RefusedType, Setting, about
from privpac.requests.conditions import Conditions, as_share
from privpac.requests.habit_warnings import note_fit, note_wrappers
from privpac.requests.holding_out import sealed_parts
from privpac.requests.input_checks import fetch_query
from privpac.requests.labels import Against, declared_number
from privpac.requests.paying import payment, protected, question_of
from privpac.requests.reading import Gathered, Reading
from privpac.requests.request import Request
from privpac.requests.weights import EXAMPLE, ErrorWeights, declared_weights

DECIDING = "concept_class", "method", "feature", "classes"  # with the conditions, they decide what is released
NO_WEIGHTS = (
    " is not taken: a fit takes X, y, and unit. Private records have no weights of their own, but labels do: ",
    EXAMPLE,
)


class RuleRequest(Request):
    """A request for a rule. Its parameters are those of ``PrivateClassifier``, its front for scikit-learn."""

    kind = "PrivateClassifier"
    warns: ClassVar[bool] = False  # whether a fit warns of habits that cost privacy
    # What ``with_public`` was called with last, and the class that it returned, so that a table is read once.
    _public_cache: tuple[Any, ConceptClass | None] = (None, None)

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
        feature: object = (),
        classes: Sequence[Any] | None = (0, 1),
        on_invalid: InvalidRule = "raise",
        max_records: int | None = None,
        report_error: bool = False,
        allow_large_delta: bool = False,
        budget: object = None,
        random_state: int | None = None,
        class_weight: object = None,
        prevalence: Number | None = None,
        public: object = None,
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
        self.class_weight = class_weight
        self.prevalence = prevalence
        self.public = public

    @property
    def weights(self) -> ErrorWeights:
        """What an error costs, for each declared label."""
        return declared_weights(self.class_weight, self.prevalence, self.classes)

    @property
    def balanced(self) -> bool:
        """Whether a noisy count decides the weights."""
        return isinstance(self.class_weight, str) and self.prevalence is None

    def fit(self, X: object, y: object, unit: object = None, **others: Any) -> Self:
        """Learn from records X with labels y, protecting each record, or each unit (a column of names) as a whole.

        X is a table or a column: numpy, pandas, polars, pyarrow, DuckDB, or lists. With an Ibis table, y and unit are
        column names, and the database does the counting.
        """
        if others:
            raise RefusedType(name := next(iter(others)), name, *NO_WEIGHTS)
        if self.public is not None and self.public is X:
            raise Refused("public", "X itself is not public: its records are protected; leave out ", Setting("public"))
        conditions = self.conditions()
        fit_of_one = self._fit(conditions, 1)  # refuses wrong parameters before a record is read
        quota = self._quota(unit, conditions)
        protected_unit = protected(self.budget, unit, "this fit")

        reading = self._reading(fit_of_one.learner.domain, y, unit)
        X = fetch_query(
            X, (*reading.selected, *reading.side_columns) if reading.by_name else (), y, unit, once=unit is None
        )
        sample, classes = self._gathered(reading, X, y, quota, conditions, fit_of_one.learner.cells)

        n = sample.size
        fit = self._fit(conditions, n)  # the default δ, and some choices, depend on n
        preview = self._checked_preview(fit, conditions, n)
        public_labels = {"labels": classes} if self.classes is None else {}
        public = {} if self.public is None else {"public": fit.learner.concept_class}
        parameters = {**question_of(self, conditions, DECIDING, n, y, unit), **public_labels, **public}
        if self.warns and self.random_state is None:  # a seeded fit is not private anyway
            note_wrappers()
            if self.budget is None and not isinstance(self.classes, Against):
                note_fit((self.concept_class, str(reading.selected), str(reading.side_columns)), preview.cost)
        with payment(self.budget, preview.cost, fit.name, parameters, unit=protected_unit) as paid:
            if paid.ledger is not None:  # otherwise, an earlier fit under the same key released everything
                learned, held_out = Sealed(sample, n), None
                if conditions.report_error:
                    learned, held_out = sealed_parts(sample, reading.domain, fit.k, paid.ledger.coins)
                paid.released = fit.run(learned, paid.ledger.spend, held_out)

        # From here on, everything follows from what was released and from public parameters.
        rule, error, weights = paid.released
        self.ledger_ = paid.statement
        names = reading.known_names(getattr(self, "feature_names_in_", ()))
        self.hypothesis_ = rule.with_answers(classes.tolist()).named(*names)
        error = error and replace(error, per_unit=unit is not None)
        label_names = [*map(value_text, classes)]
        self.error_ = error and error.named(*(label_names if len(classes) > 1 else label_names * 2))
        self.learner_, self.n_records_ = fit.learner.weighted(weights) if conditions.balanced else fit.learner, n
        costs = (1,) * len(classes) if weights.even else weights.by_label
        self.class_weight_ = dict(zip(classes.tolist(), costs, strict=False))
        self.reading_, self.labels_ = reading, classes
        self.privacy_ = self.ledger_.spent
        also_public = () if self.classes is not None else ("which labels occur is public",)
        # If held-out records decided the weights, the weights do not depend on the records learned from.
        independent = conditions.balanced and conditions.report_error and fit.k == 1
        utility = self.learner_.utility(preview.learned) if independent else preview.utility
        utility = error.certified(utility) if error else utility
        self.guarantee_ = self.ledger_.certificate(utility, conditions.max_records, also_public, n // conditions.k)
        return self

    def conditions(self) -> Conditions:
        """All public parameters, checked, with the number of labels."""
        return replace(super().conditions(), labels=declared_number(self.classes))

    @property
    def risks_(self) -> list[Region]:
        """The regions of the rule, each with its measured risk; none without ``report_error=True``.

        With more than two labels, ``risk`` is that of the label that the rule answers, and ``risks`` has all of them.
        """
        risks = self._risks
        return risks.regions if risks else []

    def operating_point(
        self, *, sensitivity: float | None = None, flagged_at_most: float | None = None
    ) -> OperatingPoint:
        """A rule that flags the regions with the highest risks, chosen by what was measured, at no further cost.

        With ``sensitivity``, these are the fewest regions that hold this share of the positive records; with
        ``flagged_at_most``, the most regions that hold at most this share of all records. Estimates decide which; the
        intervals of the result hold for any choice.
        """
        return self._measured_risks().operating_point(sensitivity, flagged_at_most)

    @property
    def _risks(self) -> Risks | None:
        return risks_of(self.error_, self._names, self.labels_.tolist())

    def _measured_risks(self) -> Risks:
        return measured_risks(self.error_, self._names, self.labels_.tolist())

    @property
    def _names(self) -> tuple[str, ...]:
        return getattr(self.hypothesis_, "_columns", ())

    def save(self, path: str | Path, label: str | None = None) -> None:
        """Write the rule as a ``Model``, which ``pp.load(path)`` reads; ``label`` names the predicted column."""
        model_of(self, label).save(path)

    def learner(self) -> Learner:
        """The algorithm that ``method`` names, or the one certified with the fewest records.

        It is set up for a fit of one record; the default δ is smaller for more records.
        """
        return self.fitting(1).learner

    def fitting(self, n: int) -> Fit:
        """Everything a fit of n records releases, as one algorithm."""
        return self._fit(self.conditions(), n)

    def _fit(self, conditions: Conditions, n: int) -> Fit:
        """Everything a fit of n records releases under these conditions."""
        return Fit.of(learner_for(self._class, conditions, self.method), self._class, conditions, n)

    def preview(self, n: int) -> Preview:
        """What a fit of n records would cost and promise; Refused if the fit would be."""
        conditions, n = self.conditions(), as_count(n, "n")
        return self._checked_preview(self._fit(conditions, n), conditions, n)

    def _checked_preview(self, fit: Fit, conditions: Conditions, n: int) -> Preview:
        """The preview of a fit; a δ that is too large for n is refused."""
        preview = Preview.of(fit, conditions, n)
        rules = len(list(self.classes)) if isinstance(self.classes, Against) else 1  # a rule for each label
        conditions.check_delta(rules * preview.cost.delta, n)
        return preview

    def certified_n(self, alpha: Number | None = None, beta: Number | None = None) -> int | None:
        """The smallest number of records that certifies an error of at most α; None if no number does."""
        conditions, kind = self.conditions(), type(self.learner())
        α = conditions.alpha if alpha is None else as_share(alpha, "alpha")
        β = conditions.beta if beta is None else as_share(beta, "beta")
        if conditions.k > 1 or conditions.balanced:  # records of a unit depend on each other; weights are not known yet
            return None
        return certified_n(kind, self._class, conditions, float(α), float(β))

    def certified_alpha(self, n: int, beta: Number | None = None) -> Fraction | None:
        """The smallest error certified with n records; None if no error below 1 is certified."""
        β = None if beta is None else as_share(beta, "beta")
        fit, learned = self.fitting(n), self.conditions().sizes(n).learned
        return fit.learner.certified_alpha(learned, β) if fit.k == 1 and not fit.count_cost.epsilon else None

    def with_counted_weights(self) -> Self:
        """The same request with the weights of the fit, if a noisy count decided them."""
        if not self.balanced:
            return self
        return self.asking(classes=(0, 1), class_weight=self.learner_.terms.weights.by_label, budget=None)

    @property
    def _class(self) -> ConceptClass:
        """The class to learn from, with the public records if there are any."""
        if self.public is None or not isinstance(self.concept_class, ConceptClass):
            return cast(ConceptClass, self.concept_class)
        if is_number(self.public):
            raise RefusedType("public", "a fit reads the public records themselves: ", PUBLIC_TABLE)
        arguments = self.concept_class, self.public, self.feature, self.on_invalid
        cached, extended = self._public_cache
        if cached is None or any(new is not old for new, old in zip(arguments, cached, strict=True)):
            extended = with_public(*arguments)
            self._public_cache = arguments, extended
        return cast(ConceptClass, extended)

    def _reading(self, domain: Domain, *beside: Any) -> Reading:
        """How to read records; ``beside`` are the labels and the units, whose columns are not features."""
        names = tuple(name for name in beside if isinstance(name, str))
        return Reading(domain, 0 if self._unnamed else self.feature, self.on_invalid, names)

    def _gathered(  # noqa: PLR0917  (two more than ``fit`` takes)
        self,
        reading: Reading,
        X: object,
        y: object,
        quota: Quota | None,
        conditions: Conditions,
        cells: tuple[tuple[int, ...], ...] = (),
    ) -> Gathered:
        """The records that count, and the labels that occur or were declared."""
        if y is None:
            raise Refused("y", f"{type(self).__name__} requires y to be passed, but the target y is None")
        with about("X"):
            table = self._table(reading, X)
            return reading.gathered(X, table, y, quota, self.classes, apart=conditions.report_error, cells=cells)

    def _table(self, reading: Reading, X: object) -> Any:
        """X as a table in memory, or None if it stays in an engine; remembers its columns, as scikit-learn expects."""
        table = super()._table(reading, X)
        if not is_table(X):
            return self._with_columns_remembered(table)
        features = reading.features(X)
        self.feature_names_in_, self.n_features_in_ = np.array(features, dtype=object), len(features)
        return None

    def _with_columns_remembered(self, table: object) -> Any:
        """The table, unchanged. A mapping has no columns for scikit-learn, so those of an earlier fit are forgotten."""
        if isinstance(table, Mapping):
            for name in ("feature_names_in_", "n_features_in_"):
                self.__dict__.pop(name, None)
        return table
