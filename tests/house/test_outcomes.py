"""The documentation shows what pages showed in the tests, as long as nothing that made them has changed."""

import outcomes
import pytest
from outcomes import keep, kept


@pytest.fixture
def place(tmp_path):
    return tmp_path / "kept"


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "folder"
    made.mkdir()
    return made


def test_an_outcome_comes_back_with_its_pictures(place, folder, tmp_path):
    assert kept("a page", tmp_path, under=place) is None
    (folder / "rule.svg").write_text("<svg/>", "utf-8")
    (folder / "records.csv").write_text("1", "utf-8")
    keep("a page", "shown", folder, under=place)
    assert kept("a page", tmp_path, under=place) == "shown"
    assert {path.name for path in tmp_path.iterdir()} == {"kept", "folder", "rule.svg"}
    assert kept("another page", tmp_path, under=place) is None


def test_the_first_of_two_outcomes_stays(place, folder, tmp_path):
    for shown in ("first", "second"):
        keep("a page", shown, folder, under=place)
    assert kept("a page", tmp_path, under=place) == "first"
    assert len(list(place.iterdir())) == 1


@pytest.mark.parametrize("made", range(2), ids=["code in a folder", "a file"])
def test_a_page_runs_again_after_any_change(place, folder, tmp_path, monkeypatch, made):
    inner = tmp_path / "code" / "room"
    inner.mkdir(parents=True)
    file = inner / "module.py"
    file.write_text("x = 1", "utf-8")
    monkeypatch.setattr(outcomes, "MADE_OF", (tmp_path / "code", file)[made : made + 1])
    outcomes._made_of.cache_clear()
    keep("a page", "shown", folder, under=place)
    assert kept("a page", tmp_path, under=place) == "shown"
    file.write_text("x = 2", "utf-8")
    outcomes._made_of.cache_clear()
    assert kept("a page", tmp_path, under=place) is None
    monkeypatch.undo()
    outcomes._made_of.cache_clear()


def test_nothing_is_kept_if_the_code_changed_while_it_ran(place, folder, tmp_path, monkeypatch):
    file = tmp_path / "module.py"
    file.write_text("x = 1", "utf-8")
    monkeypatch.setattr(outcomes, "MADE_OF", (file,))
    outcomes._made_of.cache_clear()
    outcomes._made_of()
    file.write_text("x = 2", "utf-8")
    keep("a page", "shown by x = 1", folder, under=place)
    outcomes._made_of.cache_clear()
    assert kept("a page", tmp_path, under=place) is None
    monkeypatch.undo()
    outcomes._made_of.cache_clear()


def test_all_code_and_data_count():
    files = {path.name for each in outcomes.MADE_OF for path in outcomes._files(each)}
    assert {"classifier.py", "notebook.css", "flights.csv", "pages.py", "notebooks.py"} <= files
