"""The files that a command writes: opened before anything is spent, moved into place when complete.

A draft lies next to the file it becomes. If the disk fills up or the command is interrupted, the old file stays and no
partial file remains. Devices and pipes have no draft: they are written directly.

A draft has the mode of the file that it replaces. In place of a new file, its owner and group can read what was
released, and its owner alone a file with records.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from privpac.data.files.private_files import GROUP, OWNER, make, write_new
from privpac.refusals.refusal import Refused, Setting


@dataclass(frozen=True)
class Draft:
    """A file ``draft`` that becomes the file ``path`` when ``keep`` is called."""

    argument: Path  # the path as the caller wrote it
    path: Path  # the same path without links
    draft: Path

    @staticmethod
    def of(path: Path, parameter: str, mode: int = GROUP) -> Draft:
        """An empty draft for the option; Refused if the file cannot be written."""
        place = path.resolve()  # a link stays; its target is replaced
        try:
            return Draft(path, place, _beside(place, mode))
        except OSError:
            instead = "choose a path in an existing folder that you may write to"
            raise Refused(parameter, f"{path} cannot be written; {instead}") from None

    def write(self, text: str, encoding: str = "utf-8") -> None:
        """Write the text to the draft."""
        write_new(self.draft, text, newline="\n", encoding=encoding)

    def keep(self) -> None:
        """Move the draft into place."""
        if self.draft != self.path:
            self.draft.replace(self.path)

    def discard(self) -> None:
        """Delete the draft unless it was kept."""
        if self.draft != self.path:
            self.draft.unlink(missing_ok=True)


@contextmanager
def drafts(
    options: Mapping[str, Path | None], reads: Iterable[str | Path | None] = (), mode: int = GROUP
) -> Iterator[tuple[Draft | None, ...]]:
    """A draft for each option that names a file; Refused if it is also an input, or named twice.

    >>> with drafts({"out": Path("visits.csv")}, reads=["visits.csv"]):
    ...     pass
    Traceback (most recent call last):
    privpac.refusals.refusal.Refused: out is also an input file; choose another name
    """
    from privpac.data.files.csv_files import matching  # noqa: PLC0415  (numpy, which --help does not need)

    inputs = [Path(name) for text in reads if text is not None for name in (text, *matching(str(text)))]
    outputs = [(option, path) for option, path in options.items() if path is not None]
    for i, (option, path) in enumerate(outputs):
        if any(_same(path, other) for other in inputs):
            raise Refused(option, Setting(option), " is also an input file; choose another name")
        if twice := [other for other, before in outputs[:i] if _same(path, before)]:
            one = " are the same file; choose another name for one of them"
            raise Refused(option, Setting(twice[0]), " and ", Setting(option), one)
    opened: dict[str, Draft] = {}
    try:
        for option, path in outputs:
            opened[option] = Draft.of(path, option, mode)
        yield tuple(map(opened.get, options))
    finally:
        for each in opened.values():
            each.discard()


def save_draft(place: Draft, write: Callable[[Draft], None]) -> bool:
    """Write the draft and move it into place; False if that fails."""
    try:
        write(place)
        place.keep()
    except OSError:
        return False
    return True


def _beside(place: Path, mode: int) -> Path:
    """An empty file beside the place, or a device itself; OSError if it cannot be written."""
    exists = place.exists()
    if exists and not os.access(place, os.W_OK):
        raise PermissionError
    if exists and not place.is_file() and not place.is_dir():
        return place
    if place.is_dir():
        raise IsADirectoryError
    draft = place.with_name(f".{os.getpid()}-{abs(hash(place)):x}.part")
    make(draft, OWNER if exists else mode)
    if exists:
        shutil.copymode(place, draft)  # while it is empty
    return draft


def _same(one: Path, other: Path) -> bool:
    both_exist = os.path.exists(one) and os.path.exists(other)  # noqa: PTH110  (it never raises)
    return one.samefile(other) if both_exist else one.resolve() == other.resolve()
