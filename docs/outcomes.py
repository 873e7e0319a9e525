"""What pages showed when they ran: the tests run every page and keep its outcome, and the documentation shows it.

An outcome belongs to a page, the code and the data that made it, and the packages installed. If any of them has
changed, or if the tests have not run, the documentation runs the page itself. What changed while the tests ran is not
kept: nobody knows which version a page has seen.

Main declarations
    keep    keeps what a page showed, with the pictures that it saved
    kept    what a page showed, and its pictures; None if nothing is kept
"""

import shutil
import sys
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from importlib.metadata import distributions
from pathlib import Path
from tempfile import mkdtemp

import privpac

HERE = Path(__file__).parent
KEPT = HERE / "_build" / "outcomes"
MADE_OF = Path(privpac.__file__).parent, HERE.parent / "examples", HERE / "pages.py", HERE / "notebooks.py"
SHOWN = "shown.md"


def keep(text: str, shown: str, folder: Path, *, under: Path = KEPT) -> None:
    """Keep what the page with this ``text`` showed, and the pictures that it saved in ``folder``."""
    place = under / _name(text)
    if place.exists() or _made_of() != _digest():  # someone has edited the code while it ran
        return
    under.mkdir(parents=True, exist_ok=True)
    draft = Path(mkdtemp(dir=under))
    (draft / SHOWN).write_text(shown, "utf-8")
    for picture in folder.glob("*.svg"):
        shutil.copy(picture, draft)
    try:
        draft.replace(place)
    except OSError:  # another process has kept the same page
        shutil.rmtree(draft)


def kept(text: str, folder: Path, *, under: Path = KEPT) -> str | None:
    """What the page with this ``text`` showed; its pictures are copied into ``folder``."""
    place = under / _name(text)
    if not place.exists():
        return None
    for picture in place.glob("*.svg"):
        shutil.copy(picture, folder)
    return (place / SHOWN).read_text("utf-8")


def _name(text: str) -> str:
    return sha256(f"{_made_of()}\n{text}".encode()).hexdigest()


@cache
def _made_of() -> str:
    """The digest when the code began to run."""
    return _digest()


def _digest() -> str:
    """A digest of everything beside its text that decides what a page shows."""
    found = sha256(_installed().encode())
    for path in sorted(path for each in MADE_OF for path in _files(each)):
        found.update(f"{path}\n".encode() + path.read_bytes())
    return found.hexdigest()


@cache
def _installed() -> str:
    """The versions of Python and of all packages."""
    return "\n".join([sys.version, *sorted(f"{each.metadata['Name']} {each.version}" for each in distributions())])


def _files(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
    else:
        yield from (each for each in path.rglob("*") if each.is_file() and "__pycache__" not in each.parts)


_made_of()  # before any page runs
