"""The browser opens by itself, without showing the key to others on the machine."""

import os
import stat
import webbrowser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from privpac.app.server.front_door import a_person_watches, opened_in_browser
from tests.app.chromium import NEEDED, Chromium

ADDRESS = "http://127.0.0.1:8765/?key=SECRET"


@pytest.fixture
def asked_for(monkeypatch):
    """The addresses that a browser was told to open."""
    found = []
    monkeypatch.setattr(webbrowser, "open", found.append)
    return found


def test_the_key_is_in_a_file_for_this_person_alone(asked_for):
    with opened_in_browser(ADDRESS):
        (told,) = asked_for
        assert "SECRET" not in told
        file = Path(unquote(urlsplit(told).path))
        assert ADDRESS in file.read_text("utf-8")
        assert stat.S_IMODE(file.stat().st_mode) == 0o600 and stat.S_IMODE(file.parent.stat().st_mode) == 0o700
        assert file.stat().st_uid == os.getuid()
    assert not file.parent.exists()


def test_a_browser_that_does_not_open_stops_nothing(monkeypatch):
    def fails(_):
        raise webbrowser.Error("no browser")

    monkeypatch.setattr(webbrowser, "open", fails)
    with opened_in_browser(ADDRESS):
        pass


@pytest.mark.parametrize(
    ("environment", "terminal", "watches"),
    [
        ({"DISPLAY": ":0"}, True, True),
        ({"WAYLAND_DISPLAY": "w"}, True, True),
        ({}, True, False),
        ({"DISPLAY": ":0"}, False, False),
    ],
)
def test_it_opens_only_if_a_person_sits_at_a_screen(monkeypatch, environment, terminal, watches):
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr("sys.stdout.isatty", lambda: terminal)
    assert a_person_watches(environment) is watches


@pytest.mark.slow
@NEEDED
def test_a_real_browser_comes_in_through_the_file(browser, asked_for):
    session, chromium = browser.session, Chromium()
    try:
        with opened_in_browser(f"http://127.0.0.1:{session.port}/?key={session.key}"):
            chromium.open(asked_for[0])
            chromium.wait(
                "location.pathname === '/' && location.search === '' && document.querySelector('nav') !== null"
            )
            assert "Explorer" in chromium.run("document.querySelector('h1').textContent")
            assert chromium.run("history.length") <= 2  # the address with the key is not among the pages to go back to
    finally:
        chromium.close()
