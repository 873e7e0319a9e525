"""The front of every release for scikit-learn: a request, with its answers and synthetic records."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from privpac.release.release import Release
from privpac.release.release_request import ReleaseRequest
from privpac.release.sanitizer import Frame

Parameters = ParamSpec("Parameters")
Returned = TypeVar("Returned")


def of_release(
    method: Callable[Concatenate[Release, Parameters], Returned],
) -> Callable[Concatenate[PrivateRelease, Parameters], Returned]:
    """A method of the release that ``fit`` made, as a method of its front."""

    @wraps(method)
    def of_front(front: PrivateRelease, /, *args: Parameters.args, **named: Parameters.kwargs) -> Returned:
        return method(front.released(), *args, **named)

    return of_front


class PrivateRelease(BaseEstimator, ReleaseRequest):  # type: ignore[misc]
    """Answer every query of a class at once: which fraction of the records satisfies each of its rules.

    Parameters
    ----------
    concept_class
        The class of queries, with its domain: ``Points()`` for counts of values, ``Thresholds(low, high)`` for a
        distribution function and its quantiles; or a :class:`Schema` for a whole table.
    epsilon, delta
        The privacy guarantee. Counts of values that are not declared need δ > 0. With ``delta=None``, δ is
        min(10⁻⁶, 1/(100·n)), where n is the number of records or units.
    method
        The name of a sanitizer, such as "PointSanitizer", or "auto".
    beta
        The probability that a measured bound fails.
    certify
        The share of ε that measures how far the answers are off; 0 for none. Where bounds hold with certainty, nothing
        is measured and the answers get all of ε. Counts of codes and most tables are paid for together with their
        bound; the bound then takes about this share of the price.
    classes
        With labels, ``fit(X, y)``: the two declared labels, (negative, positive). The release then answers for every
        rule of the class how often it is right and wrong: ``error``, ``rates``, ``curve``, and ``best``.
    budget
        An account or a ledger to charge; or a Budget, which is a new allowance for each fit; None for just ε and δ.
        ``account.once(key)``: a release that runs again with this key is charged once, and gives the same answers.
    marginals
        With a schema: which columns are counted together, such as ``[("age", "sex"), ("age", "region", "sex")]``. These
        marginals get all of ε; columns in none of them are left out, and X need not have them. None for all pairs of
        columns.
    feature
        The column of X, by position or name; a list of columns for classes of vectors. It may be left out if X is the
        column itself, has no other columns, or the class names its columns.
    on_invalid
        What to do with a record that does not fit the declared domain: "raise" (before anything is spent), "clamp" (to
        the nearest bound), or "default" (the record counts toward n but satisfies no query).
    max_records
        With ``fit(..., unit=)``: how many records of each unit count. The guarantee is then per unit. Each unit has
        this many places, whether records fill them or not, and fractions are fractions of all places.
    allow_large_delta
        Without it, δ·n above 0.1 is refused before anything is spent, and δ·n above 0.01 draws a warning.
    random_state
        A seed, for tests and teaching only: nothing released with a seed is private.

    >>> from privpac.classes.values.points import Points
    >>> carriers = ["EV"] * 300 + ["UA"] * 700 + ["B6"] * 3
    >>> release = PrivateRelease(Points(), epsilon=1, delta=1e-6).fit(carriers)
    >>> low, high = release.interval(Points().hypothesis("EV"))
    >>> low <= 300 / 1003 <= high
    True
    """

    answer = of_release(Release.answer)
    answers = of_release(Release.answers)
    interval = of_release(Release.interval)
    quantile = of_release(Release.quantile)
    mean = of_release(Release.mean)
    mean_interval = of_release(Release.mean_interval)
    error = of_release(Release.error)
    rates = of_release(Release.rates)
    curve = of_release(Release.curve)
    best = of_release(Release.best)
    counts = of_release(Release.counts)
    to_json = of_release(Release.to_json)
    save = of_release(Release.save)

    def synthetic(self, size: int) -> Frame:
        """Synthetic records, drawn from the answers alone, which costs no privacy."""
        return self.released().synthetic(size, self.random_state)

    def released(self) -> Release:
        """The release as self-contained data."""
        check_is_fitted(self)
        return self.release_

    def _repr_mimebundle_(self, **options: Any) -> dict[str, str]:
        """In a notebook: the card of the release after ``fit``, before it the parameters."""
        bundle: dict[str, str] = super()._repr_mimebundle_(**options)
        if "text/html" in bundle and hasattr(self, "release_"):
            bundle["text/html"] = self.release_._repr_html_()
        return bundle
