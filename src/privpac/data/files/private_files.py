"""Files that privpac writes: who may read them is decided when they are made, and not by the umask alone.

If a file were created for everyone and restricted afterwards, somebody could open it in between and read what is
written later. So the mode is part of the call that creates the file. A umask may take rights away but adds none. A file
that exists keeps its mode. On Windows, folders and not modes decide about other users.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

OWNER = 0o600  # budget stores, keys, predictions, drafts: records, or what decides about them
GROUP = 0o640  # models, reports, counts, synthetic tables, pictures


def opener(mode: int) -> Callable[[str, int], int]:
    """The function by which ``open`` creates a new file with this mode."""
    return lambda name, flags: os.open(name, flags, mode)


def write_new(
    path: str | Path, text: str, mode: int = GROUP, newline: str | None = None, encoding: str = "utf-8"
) -> None:
    """Write text to a file that is made with this mode, unless it exists; "?" for what the encoding lacks."""
    lacking = "strict" if encoding == "utf-8" else "replace"
    with open(path, "w", encoding=encoding, errors=lacking, newline=newline, opener=opener(mode)) as file:
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
