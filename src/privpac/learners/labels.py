"""Labels: which records are positive, and which have one of the two labels at all.

Main declarations
    positives    which labels are positive, and which are declared; says the learner its classes
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import assert_all_finite

from privpac.data.listed import missing
from privpac.data.listing import Listing
from privpac.data.records import member, shown
from privpac.data.valid import valid

if TYPE_CHECKING:
    from privpac.learners.base import PrivateLearner

UNKNOWN = (
    "Unknown label type: some labels are none of the two declared classes {} (case, spaces and type count); declare "
    "the two labels that occur, classes=(negative, positive), or choose another column"
)
MULTICLASS = (
    "Unknown label type: there are more than two labels. Only binary classification is supported. The type of the "
    "target is multiclass; declare two labels, classes=(negative, positive)"
)
NO_LABEL = (
    "some labels are missing or infinite: {}; give each record a label or leave it out, or declare the two, "
    "classes=(negative, positive), and say on_invalid='default', which counts such records in n and in no score"
)
MIXED = "the labels are of several types, which have no order; declare the two: classes=(negative, positive)"


def positives(learner: PrivateLearner, labels: NDArray[Any]) -> tuple[NDArray[np.bool_], NDArray[np.bool_] | None]:
    """Which labels are positive, and which are declared at all (None: all)."""
    if learner.on_invalid == "raise" or learner.classes is None:  # then which labels occur is public
        _finite(labels)
    learner.classes_ = _classes(learner, labels)
    negative, positive = learner.classes_[0], learner.classes_[-1]
    if labels.dtype.kind == "O" and learner.on_invalid != "raise":
        named, known = valid(Listing((negative, positive)), labels, "default")
        found = np.ones(len(labels), dtype=bool) if known is None else known.copy()
        found[found] = member(named, [positive])
    else:
        found = member(labels, [positive])
        known = found | member(labels, [negative])
    if len(learner.classes_) == 1:
        found = np.zeros(len(labels), dtype=bool)
    if known is None or known.all():
        return found, None
    if learner.on_invalid == "raise":
        raise ValueError(UNKNOWN.format(f"{shown(negative)} and {shown(positive)}"))
    return found, known


def _finite(labels: NDArray[Any]) -> None:
    if labels.dtype.kind == "O" and any(map(missing, labels)):  # some of which cannot even be compared
        raise ValueError(NO_LABEL.format("Input y contains NaN"))
    try:
        assert_all_finite(labels, input_name="y")
    except ValueError as error:  # scikit-learn's words, which its checks look for, and quote nothing
        raise ValueError(NO_LABEL.format(str(error).rstrip("."))) from None


def _classes(learner: PrivateLearner, labels: NDArray[Any]) -> NDArray[Any]:
    """The two labels, negative first: the declared ones, or those of y where the caller makes them public."""
    if learner.classes is not None:
        pair = np.asarray(learner.classes)
        if pair.shape != (2,) or pair[0] == pair[1]:
            raise ValueError("classes must be two different labels, (negative, positive)")
        return pair
    try:
        found = np.unique(labels)
    except Exception:  # what their comparison raises may quote them
        raise TypeError(MIXED) from None
    if len(found) > 2:
        raise ValueError(MULTICLASS)
    return found
