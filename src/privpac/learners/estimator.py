"""Classes that join scikit-learn's when the first estimator is made: scikit-learn takes longer to load than the rest.

Plans, models, and most commands name the estimators and never make one. A class is found in scikit-learn's from its
first instance on, so everybody who holds an estimator holds one of scikit-learn's.

Main declarations
    Estimator       from its first instance on, a subclass of scikit-learn's BaseEstimator
    Classifier      the same, with ClassifierMixin
    check_fitted    refuse an estimator that has learned nothing yet, as scikit-learn does
"""

# ruff: noqa: PLC0415  (importing late is what this file is for)
from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

_Waiting: Any = type("_Waiting", (), {})  # Python changes the bases of a class only if they are not `object` alone


class Estimator(_Waiting):  # type: ignore[misc]
    """A scikit-learn estimator from its first instance on.

    >>> class Silent(Estimator):
    ...     def __init__(self, volume=0):
    ...         self.volume = volume
    >>> Silent(3).get_params()
    {'volume': 3}
    """

    def __new__(cls, *given: Any, **named: Any) -> Self:
        if Estimator.__bases__ == (_Waiting,):
            _join()
        return super().__new__(cls)  # type: ignore[no-any-return]


class Classifier(Estimator):
    """A scikit-learn classifier from its first instance on."""


def check_fitted(estimator: Estimator) -> None:
    """NotFittedError, which is a ValueError, for an estimator that has learned nothing yet."""
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(estimator)


def _join() -> None:
    from sklearn.base import BaseEstimator, ClassifierMixin

    Classifier.__bases__ = (ClassifierMixin, Estimator)
    Estimator.__bases__ = (BaseEstimator,)
    for each in _below(Estimator):
        BaseEstimator.__init_subclass__.__func__(each)  # which gives it what scikit-learn gives to its subclasses


def _below(kind: type[Any]) -> Iterator[type[Any]]:
    for each in type.__subclasses__(kind):
        yield each
        yield from _below(each)
