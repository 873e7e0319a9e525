"""The files that a command writes: opened before anything is spent, in place when they are whole.

A draft lies beside the file it becomes, so that a full disk or an interruption leaves no half of it and what was there
before stays. Devices and pipes have no draft: they are written directly.

Main declarations
    Draft     a file that is being written
    drafts    the drafts of some options, and nothing of them left behind
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from privpac.data.csv_sql import matching
from privpac.data.refusal import Refused, Setting


@dataclass(frozen=True)
class Draft:
    """What is written to ``draft`` becomes the file ``path``."""

    asked: Path  # as the caller wrote it
    path: Path
    draft: Path

    @staticmethod
    def of(path: Path, parameter: str) -> Draft:
        """An empty draft for the option; Refused if the file cannot be written."""
        place = path.resolve()  # a link is kept, and what it leads to is replaced
        try:
            return Draft(path, place, _beside(place))
        except OSError:
            instead = "choose a name in a folder that exists and may be written"
            raise Refused(parameter, f"{path} cannot be written; {instead}") from None

    def write(self, text: str) -> None:
        """The text, as the draft."""
        self.draft.write_text(text, encoding="utf-8", newline="\n")

    def keep(self) -> None:
        """Put the draft in its place."""
        if self.draft != self.path:
            self.draft.replace(self.path)

    def discard(self) -> None:
        """Leave nothing behind that was not kept."""
        if self.draft != self.path:
            self.draft.unlink(missing_ok=True)


@contextmanager
def drafts(
    options: Mapping[str, Path | None], reads: Iterable[str | Path | None] = ()
) -> Iterator[tuple[Draft | None, ...]]:
    """A draft for each option that names a file; Refused if one of them is read, or named twice.

    >>> with drafts({"out": Path("visits.csv")}, reads=["visits.csv"]):
    ...     pass
    Traceback (most recent call last):
    privpac.data.refusal.Refused: out is the file that is read; choose another name
    """
    read = [Path(name) for text in reads if text is not None for name in (text, *matching(str(text)))]
    given = [(option, path) for option, path in options.items() if path is not None]
    for i, (option, path) in enumerate(given):
        if any(_same(path, other) for other in read):
            raise Refused(option, Setting(option), " is the file that is read; choose another name")
        if twice := [other for other, before in given[:i] if _same(path, before)]:
            one = " are one file; choose another name for one of them"
            raise Refused(option, Setting(twice[0]), " and ", Setting(option), one)
    made: dict[str, Draft] = {}
    try:
        for option, path in given:
            made[option] = Draft.of(path, option)
        yield tuple(map(made.get, options))
    finally:
        for each in made.values():
            each.discard()


def _beside(place: Path) -> Path:
    """An empty file beside the place, or a device itself; OSError if it cannot be written."""
    there = place.exists()
    if there and not os.access(place, os.W_OK):
        raise PermissionError
    if there and not place.is_file() and not place.is_dir():
        return place
    if place.is_dir():
        raise IsADirectoryError
    draft = place.with_name(f".{os.getpid()}-{abs(hash(place)):x}.part")
    draft.touch(exist_ok=False)
    if there:
        shutil.copymode(place, draft)
    return draft


def _same(one: Path, other: Path) -> bool:
    there = os.path.exists(one) and os.path.exists(other)  # noqa: PTH110  (which answers for any name)
    return one.samefile(other) if there else one.resolve() == other.resolve()
