"""Which values count as whole numbers. This file needs no numpy, so that commands start fast."""

from __future__ import annotations

from typing import Any


def is_whole(value: Any) -> bool:
    """Whether a value is an integer. A truth value is not one, although numpy before 2.3 gives it ``__index__``.

    >>> import numpy as np
    >>> [is_whole(each) for each in (3, np.int64(3), True, np.True_, 3.0)]
    [True, True, False, False, False]
    """
    is_truth_value = isinstance(value, bool) or getattr(getattr(value, "dtype", None), "kind", "") == "b"
    return hasattr(value, "__index__") and not is_truth_value
