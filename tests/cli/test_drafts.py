"""Drafts: made before anything is spent, kept when they are whole, gone otherwise."""

from pathlib import Path

import pytest

from privpac.cli.drafts import drafts


def test_a_draft_becomes_the_file_when_it_is_kept(tmp_path):
    with drafts({"out": tmp_path / "a", "report": None}) as (draft, nothing):
        draft.write("text\n")
        assert not (tmp_path / "a").exists()
        draft.keep()
    assert nothing is None
    assert (tmp_path / "a").read_bytes() == b"text\n"
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def interrupted(folder):
    with drafts({"out": folder / "a", "report": folder / "b"}) as (draft, _):
        draft.write("half")
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
    with drafts({"out": Path("/dev/null")}) as (draft,):
        draft.write("text")
        draft.keep()
    assert Path("/dev/null").is_char_device()
