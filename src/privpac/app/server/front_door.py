"""Opens the explorer in the browser of the person who started it.

The explorer's address contains a secret key. It must not be in the command that opens the browser, because everyone on
the machine can see the commands that run. So the browser opens a file that only this person can read, and the page in
it leads to the address with the key.
"""

from __future__ import annotations

import os
import sys
import webbrowser
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from privpac.app.markup import render
from privpac.data.files.private_files import OWNER, write_new

DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY")


def a_person_watches(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether a person started the server at a screen. Without a screen, a text browser would take the terminal."""
    screen = sys.platform in ("darwin", "win32") or any(environment.get(name) for name in DISPLAYS)
    return screen and sys.stdout.isatty()


@contextmanager
def opened_in_browser(address: str) -> Iterator[None]:
    """Open the address, with the key in it, in a browser; if that fails, the person still has the printed address."""
    with TemporaryDirectory(prefix="privpac-", ignore_cleanup_errors=True) as folder:  # only this person can read it
        page = Path(folder, "explorer.html")
        text = render("enter.html", title="privpac explorer", address=address, link="Open the explorer")
        write_new(page, text, OWNER)
        with suppress(webbrowser.Error):
            webbrowser.open(page.as_uri())
        yield
