"""WHAT TO USE: private learning algorithms, and the scikit-learn classifier that runs them."""

from typing import TYPE_CHECKING, Any

from privpac.learners.algorithm import Learner
from privpac.learners.choice import LEARNERS
from privpac.requests.terms import Terms

if TYPE_CHECKING:
    from privpac.learners.classifier import PrivateClassifier

__all__ = ["LEARNERS", "Learner", "PrivateClassifier", "Terms"]


def __getattr__(name: str) -> Any:
    """The classifier, which loads scikit-learn: plans and models do not wait for it."""
    if name != "PrivateClassifier":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from privpac.learners.classifier import PrivateClassifier  # noqa: PLC0415

    return PrivateClassifier
