"""Whole numbers, of Python's types or numpy's, without loading numpy."""

from __future__ import annotations

from typing import Any


def is_whole(value: Any) -> bool:
    """Whether a value is an integer. A truth value of numpy counts as an index before numpy 2.3, and here never.

    >>> import numpy as np
    >>> [is_whole(each) for each in (3, np.int64(3), True, np.True_, 3.0)]
    [True, True, False, False, False]
    """
    truth = isinstance(value, bool) or getattr(getattr(value, "dtype", None), "kind", "") == "b"
    return hasattr(value, "__index__") and not truth
