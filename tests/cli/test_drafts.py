"""Drafts: made before anything is spent, kept when they are whole, gone otherwise."""

import os
import stat
from pathlib import Path

import pytest

from privpac.cli.drafts import drafts


def test_a_draft_becomes_the_file_when_it_is_kept(tmp_path):
    with drafts({"out": tmp_path / "a", "report": None}) as files:
        draft, nothing = files.values()
        draft.write("text\n")
        assert not (tmp_path / "a").exists()
        draft.keep()
    assert nothing is None
    assert (tmp_path / "a").read_bytes() == b"text\n"
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def interrupted(folder):
    with drafts({"out": folder / "a", "report": folder / "b"}) as files:
        files["out"].write("half")
        raise KeyboardInterrupt


def test_nothing_is_left_of_what_was_not_kept(tmp_path):
    (tmp_path / "a").write_text("old")
    with pytest.raises(KeyboardInterrupt):
        interrupted(tmp_path)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a": "old"}


@pytest.mark.parametrize("place", [".", "file/a", "nowhere/a", "n" * 300])
def test_a_place_that_cannot_be_written_is_refused_and_nothing_left(tmp_path, place):
    (tmp_path / "file").touch()
    with pytest.raises(ValueError, match="cannot be written"), drafts({"a": tmp_path / "a", "b": tmp_path / place}):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_device_is_written_and_stays():
    with drafts({"out": Path("/dev/null")}) as files:
        files["out"].write("text")
        files["out"].keep()
    assert Path("/dev/null").is_char_device()


@pytest.fixture(params=[0, 0o022], ids=oct)
def generous(request):
    """A umask that lets everyone read."""
    before = os.umask(request.param)
    yield
    os.umask(before)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.usefixtures("generous")
def test_nobody_else_reads_what_is_written(tmp_path):
    """Not even the draft: whoever opens it while it is empty would read what is written later."""
    (tmp_path / "old").touch()
    (tmp_path / "old").chmod(0o606)
    with drafts({"out": tmp_path / "model", "again": tmp_path / "old"}) as files:
        model, old = files.values()
        assert (mode(model.draft), mode(old.draft)) == (0o640, 0o606)
        model.write("{}")
        model.keep()
        old.keep()
    with drafts({"out": tmp_path / "records"}, mode=0o600) as files:
        (records,) = files.values()
        assert mode(records.draft) == 0o600
        records.write("37,yes")
        records.keep()
    assert [mode(tmp_path / name) for name in ("model", "old", "records")] == [0o640, 0o606, 0o600]


@pytest.mark.slow
@pytest.mark.usefixtures("generous")
def test_commands_write_for_the_owner_and_the_group(typed, tmp_path, monkeypatch):
    """A model and its report may be shared with a group; predictions hold the records, and stay with their owner."""
    monkeypatch.chdir(tmp_path)
    Path("visits.csv").write_text("delay,late\n" + "37,yes\n2,no\n" * 500)
    asked = ["--x", "delay", "--y", "late", "--class", "thresholds", "--low", "0", "--high", "99", "--epsilon", "1"]
    asked += ["--classes", "no,yes"]
    assert typed("learn", "visits.csv", *asked, "--out", "model.json", "--report", "report.html")[::2] == (0, "")
    assert typed("predict", "model.json", "visits.csv", "--out", "predicted.csv")[::2] == (0, "")
    assert typed("budget", "create", "clinic", "--epsilon", "3")[0] == 0
    modes = {path.name: mode(path) for path in tmp_path.iterdir() if path.name != "visits.csv"}
    assert modes == {"model.json": 0o640, "report.html": 0o640, "predicted.csv": 0o600, "budget.db": 0o600}
