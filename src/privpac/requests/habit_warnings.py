"""Habits that cost privacy: fits that nobody adds up, and wrappers that read records which no account pays for.

Warnings depend on public parameters and on who called, never on records, and come before anything is spent.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Hashable
from threading import Lock

from privpac.privacy.budget import NOTHING, Budget

WRAPPERS = {  # modules that call fit, and what they do with records by themselves
    "sklearn.calibration": "CalibratedClassifierCV fits probabilities to the labels of raw records after this fit, and "
    "no ε pays for that; for probabilities with a guarantee, use report_error=True and predict_proba",
    "sklearn.model_selection._classification_threshold": "TunedThresholdClassifierCV chooses its cut on raw records "
    "after this fit, and no ε pays for that; for a cut with a guarantee, use report_error=True and operating_point",
}
DEEPEST = 100  # the most callers that are looked at

_lock = Lock()
_fits: dict[Hashable, tuple[int, Budget]] = {}
_said: set[Hashable] = set()


class UncountedFits(UserWarning):
    """Several fits without an account: their costs add up, and nobody adds them."""


class UnpaidReading(UserWarning):
    """A wrapper of scikit-learn reads records by itself; the guarantee of the fit does not cover what it learns."""


def note_fit(what: Hashable, cost: Budget) -> None:
    """Count a fit without an account; from the second one of the same class and columns on, warn once per process."""
    with _lock:
        count, spent = _fits.get(what, (0, NOTHING))
        count, spent = _fits[what] = count + 1, spent + cost
        first = count > 1 and what not in _said
        if first:
            _said.add(what)
    if first:
        together = f"if they read the same records, together they cost {spent}, and each further fit adds its own cost"
        advice = 'use budget= to charge all of them to one account (the guide\'s page "Around scikit-learn")'
        warnings.warn(
            f"this is fit {count} of this class and these columns without budget=; {together}; {advice}",
            UncountedFits,
            stacklevel=4,
        )


def note_wrappers() -> None:
    """Warn, once per process, of each wrapper of scikit-learn that is calling and reads records by itself."""
    frame, deep = sys._getframe(1), 0
    while frame.f_back is not None and deep < DEEPEST:
        frame, deep = frame.f_back, deep + 1
        module = frame.f_globals.get("__name__", "")
        if module in WRAPPERS and module not in _said:
            _said.add(module)
            warnings.warn(WRAPPERS[module], UnpaidReading, stacklevel=4)
