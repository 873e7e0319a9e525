"""Warnings about habits that cost privacy: repeated fits without an account, and wrappers that read records unpaid.

Warnings depend on public parameters and on the callers, never on records, and come before anything is spent.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Hashable
from threading import Lock

from privpac.privacy.budget import NOTHING, Budget

WRAPPERS = {  # modules that call ``fit``, and a warning about what they do with the records themselves
    "sklearn.calibration": "CalibratedClassifierCV fits probabilities to the labels of raw records after this fit, and "
    "no ε pays for that; for probabilities with a guarantee, use report_error=True and predict_proba",
    "sklearn.model_selection._classification_threshold": "TunedThresholdClassifierCV chooses its cut on raw records "
    "after this fit, and no ε pays for that; for a cut with a guarantee, use report_error=True and operating_point",
}
DEEPEST = 100  # how many callers are searched for a wrapper, at most

_lock = Lock()
_fits: dict[Hashable, tuple[int, Budget]] = {}  # the number of fits and their total cost, by class and columns
_warned: set[Hashable] = set()  # the classes and columns, and the modules, for which a warning was given


class UncountedFits(UserWarning):
    """Several fits without an account: their costs add up, but no account adds them."""


class UnpaidReading(UserWarning):
    """A wrapper of scikit-learn reads records itself, and the guarantee of the fit does not cover what it learns."""


def note_fit(class_and_columns: Hashable, cost: Budget) -> None:
    """Count a fit without an account; at the second fit of the same class and columns, warn, once per process."""
    with _lock:
        count, spent = _fits.get(class_and_columns, (0, NOTHING))
        count, spent = _fits[class_and_columns] = count + 1, spent + cost
        warns = count > 1 and class_and_columns not in _warned
        if warns:
            _warned.add(class_and_columns)
    if warns:
        together = f"if they read the same records, together they cost {spent}, and each further fit adds its own cost"
        advice = 'use budget= to charge all of them to one account (the guide\'s page "Around scikit-learn")'
        warnings.warn(
            f"this is fit {count} of this class and these columns without budget=; {together}; {advice}",
            UncountedFits,
            stacklevel=4,
        )


def note_wrappers() -> None:
    """Warn, once per process, about each wrapper of scikit-learn that called the fit and reads records itself."""
    frame, depth = sys._getframe(1), 0
    while frame.f_back is not None and depth < DEEPEST:
        frame, depth = frame.f_back, depth + 1
        module = frame.f_globals.get("__name__", "")
        if module in WRAPPERS and module not in _warned:
            _warned.add(module)
            warnings.warn(WRAPPERS[module], UnpaidReading, stacklevel=4)
