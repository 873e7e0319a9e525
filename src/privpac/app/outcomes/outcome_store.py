"""The store of outcomes: in the memory of the server, and in a folder that outlives it.

A file is made before anything is charged, and only one process can make it. So a question is charged once, even if the
server is started again or runs twice, and a server that dies leaves a file that says which charges it tried.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import mkstemp

from privpac.app.outcomes.outcome import SpendOutcome
from privpac.data.files.private_files import make
from privpac.privacy.store.database import sa
from privpac.refusals.refusal import Refused

KEY = re.compile("[0-9a-f]{64}")
BEING_ANSWERED = "this question is being answered by another request; look at the preview again"


def folder_beside(url: str) -> Path:
    """The folder of releases for a store: beside its file, or in the current folder.

    >>> folder_beside("sqlite:////data/budget.db").as_posix(), folder_beside("postgresql://host/budget").name
    ('/data/budget.releases', 'budget.releases')
    """
    place = sa.make_url(url)
    file = Path(str(place.database or "budget"))
    return file.with_suffix(".releases") if place.drivername == "sqlite" else Path.cwd() / f"{file.name}.releases"


class OutcomeStore:
    """Outcomes by the keys of their questions; without a folder, in memory only."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder
        self._memory: dict[str, SpendOutcome] = {}

    def get(self, key: str) -> SpendOutcome | None:
        """The outcome with this key; Refused if its file cannot be read, so that nothing is charged again.

        Only a release with its page is final: before that, another server may go on with the question.
        """
        outcome = self._memory.get(key)
        final = outcome is not None and (outcome.report or outcome.unkept)
        if self.folder is None or not KEY.fullmatch(key) or final:
            return outcome
        if (on_disk := self._read(key)) is None:
            return outcome
        if on_disk.report:
            self._memory[key] = on_disk
        return on_disk

    def begin(self, outcome: SpendOutcome) -> None:
        """Keep the question, before anything is charged; Refused if it was kept before."""
        if self._memory.setdefault(outcome.question.key, outcome) is not outcome:
            raise Refused("spend", BEING_ANSWERED)
        if self.folder is None:
            return
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            is_new = _link(self._draft(outcome), self._place(outcome.question.key))
        except OSError:
            self._memory.pop(outcome.question.key)
            raise
        if not is_new:
            self._memory.pop(outcome.question.key)
            raise Refused("spend", BEING_ANSWERED)
        _flush(self.folder)

    def note(self, outcome: SpendOutcome) -> None:
        """Keep what is known now. It is on disk when this returns, and in memory even if this fails.

        Another server may have released an answer meanwhile. On disk, only a release may replace it.
        """
        self._memory[outcome.question.key] = outcome
        if self.folder is None or (not outcome.is_released and self._released(outcome.question.key)):
            return
        self._draft(outcome).replace(self._place(outcome.question.key))
        _flush(self.folder)

    def note_anyway(self, outcome: SpendOutcome) -> SpendOutcome:
        """Keep what was released; if the folder fails, in memory only. Returns the outcome, which then says so."""
        try:
            self.note(outcome)
        except OSError as error:
            outcome = replace(outcome, unkept=error.strerror or type(error).__name__)
            self._memory[outcome.question.key] = outcome
        return outcome

    def forget(self, key: str) -> None:
        """Forget a question that charged nothing, so it may be asked again; what another server released stays."""
        self._memory.pop(key, None)
        if self.folder is not None and not self._released(key):
            with suppress(OSError):
                self._place(key).unlink()

    def all(self) -> list[SpendOutcome]:
        """Every outcome that can be read, latest first: by day, and within a day by the time at which it was kept."""
        on_disk = [] if self.folder is None else [path.stem for path in self.folder.glob("*.json")]
        outcomes = []
        for key in {*on_disk, *self._memory}:
            with suppress(Refused, OSError):
                outcomes += [outcome] if (outcome := self.get(key)) else []
        return sorted(outcomes, key=lambda outcome: (outcome.day, self._rank(outcome.question.key)), reverse=True)

    def _rank(self, key: str) -> int:
        """A number that grows with the time at which an outcome was kept: of its file, or its position in memory."""
        if self.folder is None:
            return list(self._memory).index(key)
        with suppress(OSError):
            return self._place(key).stat().st_mtime_ns
        return 0

    def damaged(self) -> list[str]:
        """The names of the files that cannot be read."""
        return [] if self.folder is None else [path.name for path in self.folder.glob("*.json") if self._broken(path)]

    def _read(self, key: str) -> SpendOutcome | None:
        """The outcome in the file of this key; None if there is no file."""
        try:
            outcome = SpendOutcome.from_json(self._place(key).read_text("utf-8"))
        except FileNotFoundError:
            return None
        except (Refused, UnicodeDecodeError, MemoryError):
            raise self._damage_refusal(key) from None
        if outcome.question.key != key:  # a copy of another file, with the answer to another question
            raise self._damage_refusal(key)
        return outcome

    def _released(self, key: str) -> bool:
        try:
            outcome = self._read(key)
        except (Refused, OSError):
            return False
        return outcome is not None and outcome.is_released

    def _broken(self, path: Path) -> bool:
        try:
            return self.get(path.stem) is None
        except (Refused, OSError):  # damaged, or another person's
            return True

    def _damage_refusal(self, key: str) -> Refused:
        return Refused("keep", f"the file {self._place(key)} is damaged; see Budgets")

    def _draft(self, outcome: SpendOutcome) -> Path:
        """Write the outcome to a new file, which only the owner can read, and return it once it is complete on disk."""
        descriptor, name = mkstemp(".draft", dir=self.folder)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(outcome.to_json())
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:  # some errors, such as a full disk, name no file; this one names the folder
            Path(name).unlink(missing_ok=True)
            raise OSError(error.errno, error.strerror, str(self.folder)) from None
        return Path(name)

    def _place(self, key: str) -> Path:
        assert self.folder is not None
        return self.folder / f"{key}.json"


def _link(draft: Path, place: Path) -> bool:
    """Give the draft its name, and return whether the name was free. Nobody ever sees a file that is half written."""
    try:
        os.link(draft, place)
    except FileExistsError:
        return False
    except OSError:  # this file system has no links, so the file is empty for a moment
        try:
            make(place)
        except FileExistsError:
            return False
        draft.replace(place)
    finally:
        draft.unlink(missing_ok=True)
    return True


def _flush(folder: Path) -> None:
    """Write a folder to disk: without this, a power failure may undo the renaming of a file."""
    if hasattr(os, "O_DIRECTORY"):
        place = os.open(folder, os.O_DIRECTORY)
        try:
            os.fsync(place)
        finally:
            os.close(place)
