"""One classifier for every class: a request for a rule, as a scikit-learn estimator."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from privpac.data.domains.domain import WhichFit
from privpac.data.engines.views import is_table
from privpac.learners.errors.risks import UNMEASURED, grade_column, label_probabilities, risk_column
from privpac.learners.model import model_of
from privpac.learners.rule_request import RuleRequest
from privpac.requests.input_checks import check_readable, fetch_query
from privpac.requests.labels import predicted


class PrivateClassifier(ClassifierMixin, BaseEstimator, RuleRequest):  # type: ignore[misc]
    """Learn a rule of any class privately, using the algorithm certified with the fewest records.

    The choice depends only on the parameters and on the number of records, never on the records.

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
        The name of an algorithm, such as "FiniteLearner"; or "auto", the one certified with the fewest records.
    regime
        "agnostic": labels may be noisy. "realizable": some rule of the class makes no error (your claim).
    feature
        The column of X that the rule reads, by position or name; a list of columns for rules about vectors; None if
        X is the column itself. It may be left out if X has no other columns. Compositions already name their columns.
    classes
        The two labels, (negative, positive). None takes them from y, which makes public which labels occur. ``Trees``
        take up to 64 labels, ``("red", "green", "blue")``, and one tree for all of them costs what it costs for two.
        After a fit, ``labels_`` has them in this order, and ``classes_`` has them sorted, as scikit-learn expects.
    on_invalid
        What to do with a record that does not fit the declared domain: "raise" (before anything is spent), "clamp" (to
        the nearest bound), or "default" (the record counts toward n but toward no score).
    max_records
        With ``fit(..., unit=)``: how many records of each unit count. The guarantee is then per unit.
    report_error
        Hold out a fifth of the records, or of the units, and measure the error on new records there: ``error_``, with
        the risk in each region of the rule: ``risks_``. Each record pays for learning or for measuring, so this costs
        no additional ε. Leaves of a tree that decide hardly a record are pruned.
    allow_large_delta
        Without it, δ·n above 0.1 is refused before anything is spent, and δ·n above 0.01 draws a warning.
    budget
        An account or a ledger to charge; or a Budget, which is a new allowance for each fit; None for just ε and δ.
        ``account.once(key)``: a fit that runs again with this key is charged once, and gets the same rule.
    public
        Unlabeled records that anyone may see, with the columns of X. Candidates are chosen, or certified, with them, so
        the certificate does not depend on the size of the domain. It assumes that they come from the distribution of
        the private records; privacy assumes nothing about them.
    random_state
        A seed, for tests and teaching only: nothing released with a seed is private.
    """

    warns = True  # of habits that cost privacy

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False  # most classes take two labels
        tags.classifier_tags.poor_score = True  # on scikit-learn's small test sets, of which the rule reads one column
        tags.non_deterministic = self.random_state is None
        tags.input_tags.string = True  # the domain decides which values are allowed
        tags.input_tags.allow_nan = self.on_invalid != "raise"  # a missing value is void
        return tags

    def predict(self, X: object) -> NDArray[Any]:
        """The label of each record: one of ``classes``."""
        check_is_fitted(self)
        return predicted(self.hypothesis_, self.labels_, self._read(X))

    def decision_function(self, X: object) -> NDArray[Any]:
        """A number for each record, above 0 where ``predict`` gives ``classes_[1]``; larger means more likely.

        For a scorecard, this is its points minus the points needed, plus ½; for other rules, a grade by ``risks_``, or
        1 and −1 if no risks were measured. With more than two labels, each of ``classes_`` has a column, and only the
        predicted label's is above 0.
        """
        check_is_fitted(self)
        if self.hypothesis_.answers is not None:
            predictions = self.predict(X)
            chosen = np.column_stack([predictions == label for label in self.classes_.tolist()])
            return np.where(chosen, 1.0, -1.0) if self._risks is None else self._probabilities(X) - 1 + chosen
        if len(self.labels_) == 1:  # the only label is negative
            return predicted(self.hypothesis_, (-1.0,), self._read(X))
        grades = grade_column(self.hypothesis_, self._risks, self._read(X))
        return grades if self._order == [0, 1] else -grades

    def _read(self, X: object) -> Iterator[tuple[Any, WhichFit | None]]:
        """Some records at a time: the values that the rule reads, and which of the records fit the domain."""
        reading = self.reading_
        X = fetch_query(X, reading.selected if reading.by_name else (), once=True)
        table = None if is_table(X) else reading.table(check_readable(X, "X"))
        by_name = reading.by_name and hasattr(table, "columns")  # columns that the rule does not read may be missing
        # After a fit of a mapping, the number of columns is unknown.
        if _has_columns(table) and hasattr(self, "n_features_in_") and not by_name:
            table = validate_data(self, table, reset=False, skip_check_array=True)
        return reading.values(X, table)

    def _with_columns_remembered(self, table: object) -> Any:
        """A table in memory; remembers its columns, as scikit-learn requires."""
        if not _has_columns(table):
            return super()._with_columns_remembered(table)
        return validate_data(self, table, reset=True, skip_check_array=True)

    @property
    def predict_proba(self) -> Callable[[Any], NDArray[np.float64]]:
        """The probability of each label, from ``risks_``, for a fit with ``report_error=True``; never 0 or 1.

        It may be below 1/2 where ``predict`` gives the positive label: a rule weighs errors over all records. Columns
        come in the order of ``classes_``.
        """
        if not self.report_error:
            raise AttributeError(UNMEASURED)
        return self._probabilities

    def _probabilities(self, X: object) -> NDArray[np.float64]:
        check_is_fitted(self)
        columns = label_probabilities(risk_column(self._measured_risks(), self._read(X)), len(self.labels_))
        return columns[:, self._order]

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels in the order in which scikit-learn expects them: sorted, whatever order ``classes`` declares.

        ``labels_`` has them as they are declared. If they cannot be sorted, both are the same.

        >>> import privpac as pp
        >>> clf = pp.PrivateClassifier(pp.Thresholds(0, 9), classes=("well", "ill"), feature=None)
        >>> clf = clf.fit([2, 5], ["ill", "ill"])
        >>> clf.classes_.tolist(), clf.labels_.tolist()
        (['ill', 'well'], ['well', 'ill'])
        """
        return self.labels_[self._order]

    @property
    def _order(self) -> list[int]:
        """The positions of the sorted labels among the declared ones."""
        labels = self.labels_.tolist()
        try:
            return sorted(range(len(labels)), key=labels.__getitem__)
        except TypeError:
            return list(range(len(labels)))

    def _repr_mimebundle_(self, **asked: Any) -> dict[str, str]:
        """For a notebook: the rule, after a fit, instead of the parameters."""
        bundle: dict[str, str] = super()._repr_mimebundle_(**asked)
        if "text/html" in bundle and hasattr(self, "hypothesis_"):
            bundle["text/html"] = model_of(self)._repr_html_()
        return bundle


def _has_columns(table: object) -> bool:
    return hasattr(table, "columns") or isinstance(table, np.ndarray)
