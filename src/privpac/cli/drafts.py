"""The files that a command writes: opened before anything is spent, moved into place when complete.

A draft lies next to the file it becomes. If the disk fills up or the command is interrupted, the old file stays and no
partial file remains. Devices and pipes have no draft: they are written directly.

A draft has the mode of the file that it replaces. In place of a new file, its owner and group can read what was
released; only its owner can read a file with records.
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
            return Draft(path, place, _empty_draft(place, mode))
        except OSError:
            instead = "choose a path in an existing folder that you may write to"
            raise Refused(parameter, f"{path} cannot be written; {instead}") from None

    def write(self, text: str, encoding: str = "utf-8") -> None:
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
) -> Iterator[dict[str, Draft | None]]:
    """The options with a draft for each file; Refused if a file is also an input, or named twice.

    >>> with drafts({"out": Path("visits.csv")}, reads=["visits.csv"]):
    ...     pass
    Traceback (most recent call last):
    privpac.refusals.refusal.Refused: out is also an input file; choose another name
    """
    from privpac.data.files.csv_files import matching

    inputs = [Path(name) for text in reads if text is not None for name in (text, *matching(str(text)))]
    outputs = [(option, path) for option, path in options.items() if path is not None]
    for i, (option, path) in enumerate(outputs):
        if any(_same(path, read) for read in inputs):
            raise Refused(option, Setting(option), " is also an input file; choose another name")
        if same := [earlier for earlier, earlier_path in outputs[:i] if _same(path, earlier_path)]:
            advice = " are the same file; choose another name for one of them"
            raise Refused(option, Setting(same[0]), " and ", Setting(option), advice)
    opened: dict[str, Draft] = {}
    try:
        for option, path in outputs:
            opened[option] = Draft.of(path, option, mode)
        yield {option: opened.get(option) for option in options}
    finally:
        for draft in opened.values():
            draft.discard()


@dataclass(frozen=True)
class SavedFiles:
    """The paths of the files that were written, and of those that could not be, by option."""

    written: dict[str, str]
    lost: dict[str, str]

    @property
    def only_printed(self) -> bool:
        """Whether a file is lost, and no file of ``--out`` has what was paid for."""
        return bool(self.lost) and "out" not in self.written

    def check(self, what: str) -> None:
        """Refused if a file is lost; ``what`` names what was printed and is then to be saved."""
        if self.lost:
            save = f"; the budget is spent, so save the {what} printed above" if self.only_printed else ""
            raise Refused(next(iter(self.lost)), f"{' and '.join(self.lost.values())} could not be written{save}")


def save_drafts(places: Mapping[str, Draft | None], texts: Mapping[str, Callable[[], str]]) -> SavedFiles:
    """Write the drafts and move them into place."""
    files = SavedFiles({}, {})
    for option, place in places.items():
        if place is None:
            continue
        try:
            place.write(texts[option]())
            place.keep()
        except OSError:
            files.lost[option] = str(place.argument)
        else:
            files.written[option] = str(place.argument)
    return files


def _empty_draft(place: Path, mode: int) -> Path:
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
