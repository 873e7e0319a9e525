"""Functions that are compiled on first use and kept on disk. They run beside other threads."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from importlib.resources import files
from typing import Any, TypeVar

from numba import njit

Function = TypeVar("Function", bound=Callable[..., Any])


def sources() -> str:
    """A digest of every file in this folder. Compiled functions call functions of any file in it, and of no other."""
    folder = sorted((file.name, file.read_bytes()) for file in files(__package__).iterdir() if file.is_file())
    return sha256(repr(folder).encode()).hexdigest()


SOURCES = sources()


def compiled(function: Function) -> Function:
    """Compile on first use; keep the result on disk if it can be written.

    Numba recompiles when the file of the function changes, but not when another file with a function that it calls
    changes. So the stamp that numba compares is replaced by the digest of all files.
    """
    compiler: Any = njit
    try:
        dispatcher = compiler(cache=True, nogil=True)(function)
        dispatcher._cache._cache_file._source_stamp = SOURCES
    except (RuntimeError, AttributeError):  # nowhere to write, or a numba version that keeps its stamp elsewhere
        dispatcher = compiler(nogil=True)(function)
    result: Function = dispatcher
    return result
