"""Linear algebra on one thread.

On a busy machine, the threads of a matrix product wait for each other: small products then take ten times as long.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any


@contextmanager
def one_thread() -> Iterator[None]:
    """A block, or a function, whose matrix products use one thread.

    The limit holds for the whole process. If two Python threads are in such blocks, the one that leaves first may lift
    the limit for the other, which then takes longer.
    """
    with _libraries().limit(limits=1):
        yield


@cache
def _libraries() -> Any:
    """The linear algebra libraries that numpy uses."""
    from threadpoolctl import ThreadpoolController  # noqa: PLC0415  (it looks at all loaded libraries)

    return ThreadpoolController().select(user_api="blas")
