"""One classifier for every class: it reads, seals, charges, learns, certifies, and predicts.

Main declarations
    PrivateClassifier    a scikit-learn classifier for every class with a learning algorithm
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NoReturn, Self, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from privpac.classes.base import ConceptClass, Hypothesis
from privpac.data.choices import InvalidRule, Regime
from privpac.data.columns import parts
from privpac.data.domain import Domain, WhichFit
from privpac.data.engine_views import may_be_record
from privpac.data.engines import is_table
from privpac.data.refusal import InPython, Refused, Setting, Sketch, about
from privpac.data.tables import width
from privpac.data.units import Quota
from privpac.data.values import shown
from privpac.exact.entropy import entropy
from privpac.learners.algorithm import Learner
from privpac.learners.choice import LearnerName, certified_n, chosen
from privpac.learners.conditions import ASKED, Conditions, as_share
from privpac.learners.error import ErrorEstimate
from privpac.learners.fitting import Fit
from privpac.learners.given import at_hand, given
from privpac.learners.holding_out import parts_sealed
from privpac.learners.labels import Against, predicted
from privpac.learners.paying import asked_of, paid, protected
from privpac.learners.preview import Preview
from privpac.learners.reading import Gathered, Reading
from privpac.privacy.budget import Number, as_count
from privpac.privacy.ledger import Ledger, Sealed

DECIDING = "concept_class", "method", "feature", "classes"  # what is released, with the conditions
OCCURRING = "which labels occur is public"
TOGETHER = (
    *(Setting("unit"), " and ", Setting("max_records"), " belong together: ", InPython("fit(X, y, ")),
    *(Setting.to("unit", Sketch("column")), InPython("),"), " ", Setting.to("max_records", Sketch("k"))),
)


class PrivateClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Learn a rule of any class privately, using the algorithm certified with the fewest records.

    The choice depends only on the parameters, never on the data.

    >>> import privpac as pp
    >>> visits = {"age": [21, 34, 70, 85] * 500, "readmitted": ["no", "no", "yes", "yes"] * 500}  # or a DataFrame
    >>> clf = pp.PrivateClassifier(pp.Thresholds(0, 120), epsilon=1, feature="age", classes=("no", "yes"))
    >>> clf = clf.fit(visits, "readmitted")
    >>> clf.predict({"age": [12, 99]}).tolist()
    ['no', 'yes']
    >>> print(clf.hypothesis_, clf.privacy_, sep="; ")
    age ≥ ...; ε = 1

    ``clf.save("model.json")`` writes the rule, and ``pp.load("model.json").predict(table)`` applies it.

    Parameters
    ----------
    concept_class
        The class of rules to learn from, with its domain: ``Thresholds(low=0, high=120)``.
    epsilon, delta
        The privacy guarantee. Pure algorithms spend no δ. With ``delta=None``, δ is min(10⁻⁶, 1/(100·n)), where n is
        the number of records or units. On average, δ allows δ·n of them to be revealed outright.
    alpha, beta
        The error to plan for, and the probability that a certificate fails.
    method
        The name of an algorithm, such as "FiniteLearner", or "auto".
    regime
        "agnostic": labels may be noisy. "realizable": some rule of the class makes no error (your claim).
    feature
        The column of X that the rule reads, by position or name; a list of columns for rules about vectors; None if
        X is the column itself. It may be left out if X has no other columns. Compositions already name their columns.
    classes
        The two labels, (negative, positive). None takes them from y, which makes public which labels occur.
    on_invalid
        What to do with a record that does not fit the declared domain: "raise" (before anything is spent), "clamp" (to
        the nearest bound), or "default" (the record counts toward n but toward no score).
    max_records
        With ``fit(..., unit=)``: how many records of each unit count. The guarantee is then per unit.
    report_error
        Hold out a fifth of the records, or of the units, and measure the error on new records there: ``error_``. Each
        record pays for learning or for measuring, so this costs no additional ε.
    allow_large_delta
        Without it, δ·n above 0.1 is refused before anything is spent, and δ·n above 0.01 draws a warning.
    budget
        An account or a ledger to charge; or a Budget, which is a new allowance for each fit; None for just ε and δ.
        ``account.once(key)``: a fit that runs again with this key is charged once, and gets the same rule.
    random_state
        A seed, for tests and teaching only: nothing released with a seed is private.
    """

    def __init__(
        self,
        concept_class: ConceptClass | None = None,
        *,
        epsilon: Number = 1.0,
        delta: Number | None = None,
        alpha: Number = 0.1,
        beta: Number = 0.05,
        method: LearnerName = "auto",
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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.poor_score = True  # few records, and one column rarely explains them
        tags.non_deterministic = self.random_state is None
        tags.input_tags.string = True  # the domain decides which values are allowed
        tags.input_tags.allow_nan = self.on_invalid != "raise"  # a missing value is void
        return tags

    def fit(self, X: Any, y: Any, unit: Any = None) -> Self:
        """Learn from records X with labels y, protecting each record, or each unit (a column of names) as a whole.

        X is a table or a column: numpy, pandas, polars, pyarrow, DuckDB, or lists. With an Ibis table, y and unit are
        column names, and the database does the counting.
        """
        conditions, ready = self.conditions(), self.fitting(1)  # which refuse wrong parameters before a record is read
        if (unit is None) != (conditions.max_records is None):
            raise Refused("max_records" if unit is None else "unit", *TOGETHER)
        whom = protected(self.budget, unit, "this fit")
        reading = self._reading(ready.learner.domain, y, unit)
        X = at_hand(X, (*reading.asked, *reading.beside) if reading.by_name else (), y, unit, once=unit is None)
        sample, classes = self._gathered(reading, X, y, unit, conditions)
        n = sample.size
        fit = self.fitting(n) if conditions.delta is None else ready
        ahead = self._ahead(fit, conditions, n)

        def run(ledger: Ledger) -> tuple[Hypothesis, ErrorEstimate | None]:
            learned, held = Sealed(sample, n), None
            if conditions.report_error:
                learned, held = parts_sealed(sample, reading.domain, fit.k, ledger.coins)
            return fit.run(learned, ledger.spend, held)

        occurring = {"labels": classes} if self.classes is None else {}  # the caller makes them public
        asked = {**asked_of(self, conditions, DECIDING, n, y, unit), **occurring}
        (rule, error), self.ledger_ = paid(self.budget, ahead.cost, fit.name, asked, run, unit=whom)
        self.hypothesis_ = rule.named(*reading.known_names(getattr(self, "feature_names_in_", ())))
        self.error_ = error and error.named(shown(classes[0]), shown(classes[-1]))
        self.learner_, self.n_records_ = fit.learner, n
        self.reading_, self.classes_ = reading, classes
        self.privacy_ = self.ledger_.spent
        also_public = () if self.classes is not None else (OCCURRING,)
        self.guarantee_ = self.ledger_.certificate(
            ahead.utility, conditions.max_records, also_public, n // conditions.k
        )
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """The label of each record: one of ``classes``."""
        check_is_fitted(self)
        return predicted(self.hypothesis_, self.classes_, self._read(X))

    def decision_function(self, X: Any) -> NDArray[Any]:
        """The side of the rule on which each record lies: 1 or −1, as OneVsRestClassifier asks."""
        check_is_fitted(self)
        return predicted(self.hypothesis_, (-1.0, 1.0) if len(self.classes_) > 1 else (-1.0,), self._read(X))

    def _read(self, X: Any) -> Iterator[tuple[Any, WhichFit | None]]:
        """The values that the rule reads, and which records fit the domain, some records at a time."""
        X = at_hand(X, self.reading_.asked if self.reading_.by_name else (), once=True)
        return self.reading_.values(X, self._table(self.reading_, X, reset=False))

    @property
    def predict_proba(self) -> NoReturn:
        """Refused: a rule has no probabilities."""
        raise AttributeError("a rule gives labels, not probabilities; use predict, or decision_function for its side")

    def save(self, path: str | Path, label: str | None = None) -> None:
        """Write the rule as a ``Model``, which ``pp.load(path)`` reads; ``label`` names the predicted column."""
        from privpac.learners.model import model_of  # noqa: PLC0415  (which reads fitted classifiers)

        model_of(self, label).save(path)

    def learner(self) -> Learner:
        """The algorithm that ``method`` names, or the one certified with the fewest records.

        It is set up for a fit of one record; the default δ is smaller for more records.

        >>> from privpac.classes.explicit import ExplicitClass
        >>> PrivateClassifier(ExplicitClass([[0, 1], [1, 1]])).learner().title
        'permute-and-flip over all concepts'
        """
        return self.fitting(1).learner

    def fitting(self, n: int) -> Fit:
        """Everything a fit of n records releases, as one algorithm."""
        conditions = self.conditions()
        return Fit.of(chosen(self._class, conditions, self.method), self._class, conditions, n)

    def preview(self, n: int) -> Preview:
        """What a fit of n records would cost and promise; it is refused here if the fit would be.

        >>> from privpac.classes.explicit import ExplicitClass
        >>> print(PrivateClassifier(ExplicitClass([[0, 1], [1, 1]]), epsilon=2).preview(1000).cost)
        ε = 2
        """
        n = as_count(n, "n")
        return self._ahead(self.fitting(n), self.conditions(), n)

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

    def _repr_mimebundle_(self, **asked: Any) -> dict[str, str]:
        """In a notebook: the rule, once there is one, instead of the parameters."""
        bundle: dict[str, str] = super()._repr_mimebundle_(**asked)
        if "text/html" in bundle and hasattr(self, "hypothesis_"):
            from privpac.learners.model import model_of  # noqa: PLC0415  (which reads fitted classifiers)

            bundle["text/html"] = model_of(self)._repr_html_()
        return bundle

    @property
    def _class(self) -> ConceptClass:
        return cast(ConceptClass, self.concept_class)

    def conditions(self) -> Conditions:
        """All public parameters, checked."""
        return Conditions.of(**{name: getattr(self, name) for name in ASKED})

    def _reading(self, domain: Domain, *beside: Any) -> Reading:
        """How to read records; columns with labels or units are not features."""
        names = tuple(name for name in beside if isinstance(name, str))
        return Reading(domain, 0 if self._unnamed else self.feature, self.on_invalid, names)

    @property
    def _unnamed(self) -> bool:
        """Whether no column is named; the rule then reads the first, and X must not have others."""
        return isinstance(self.feature, tuple) and not self.feature

    def _gathered(self, reading: Reading, X: Any, y: Any, unit: Any, conditions: Conditions) -> Gathered:
        """The records and the two labels; remembers the columns, as scikit-learn requires."""
        if y is None:
            raise Refused("y", f"{type(self).__name__} requires y to be passed, but the target y is None")
        key = entropy(self.random_state).octets(16).hex()  # any key is safe; a fresh one favors no record
        quota = None if unit is None else Quota(unit, conditions.k, key)
        with about("X"):
            table = self._table(reading, X, reset=True)
            return reading.gathered(X, table, y, quota, self.classes, apart=conditions.report_error)

    def _table(self, reading: Reading, X: Any, *, reset: bool) -> Any:
        """X as a table; remembers its columns at fit and compares them later, as scikit-learn requires."""
        if is_table(X):
            if reset:
                features = reading.features(X)
                if self._unnamed:
                    reading.check_only(features, secret=may_be_record(X))
                self.feature_names_in_, self.n_features_in_ = np.array(features, dtype=object), len(features)
            return None
        table = reading.table(given(X, "X"))
        if reset and self._unnamed and (count := width(table)) is not None:
            reading.check_only(range(count) if isinstance(table, np.ndarray) else [name for name, _ in parts(table)])
        if hasattr(table, "columns") or isinstance(table, np.ndarray):
            # a rule that reads its columns by name needs no others; without n_features_in_, the fit saw columns
            compared = reset or (
                hasattr(self, "n_features_in_") and not (reading.by_name and hasattr(table, "columns"))
            )
            return validate_data(self, table, reset=reset, skip_check_array=True) if compared else table
        if isinstance(table, Mapping) and reset:
            for name in ("feature_names_in_", "n_features_in_"):
                self.__dict__.pop(name, None)  # left over from another fit
        return table
