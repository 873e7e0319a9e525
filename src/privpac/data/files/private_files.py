"""Files that privpac writes, with permissions that are set when they are created, not by the umask alone.

If a file were created for everyone and restricted afterwards, somebody could open it in between and read what is
written later. So the mode is part of the call that creates the file. A umask may take permissions away but adds none. A
file that exists keeps its mode. On Windows, folders decide which other users may read a file, and modes do not.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

OWNER = 0o600  # for files that hold records or protect them: budget stores, keys, predictions, drafts
GROUP = 0o640  # for released results: models, reports, counts, synthetic tables, pictures


def opener(mode: int) -> Callable[[str, int], int]:
    """The function by which ``open`` creates a new file with this mode."""
    return lambda name, flags: os.open(name, flags, mode)


def write_new(
    path: str | Path, text: str, mode: int = GROUP, newline: str | None = None, encoding: str = "utf-8"
) -> None:
    """Write text to a file; a new file gets this mode. Characters that the encoding lacks become "?"."""
    errors = "strict" if encoding == "utf-8" else "replace"
    with open(path, "w", encoding=encoding, errors=errors, newline=newline, opener=opener(mode)) as file:
        file.write(text)


def make(path: str | Path, mode: int = OWNER) -> None:
    """Make an empty file; FileExistsError if it exists."""
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode))


def own_folder() -> str:
    """A folder that only this user can enter; it is removed when the process ends."""
    return _folder(os.getpid()).name


@cache
def _folder(process: int) -> TemporaryDirectory[str]:
    """The folder of one ``process``: a forked child has its own."""
    return TemporaryDirectory(prefix=f"privpac-{process}-")
