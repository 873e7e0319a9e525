"""The tour is a notebook that runs, holds no outputs, and shows what its text promises."""

import json
import re

import pytest
from notebooks import run_notebook
from outcomes import keep

VALID = {"markdown": {"cell_type", "id", "metadata", "source"}}
VALID["code"] = VALID["markdown"] | {"execution_count", "outputs"}


def notebook(*cells):
    made = [{"cell_type": kind, "source": source.splitlines(keepends=True)} for kind, source in cells]
    return json.dumps({"cells": made})


@pytest.fixture(scope="module")
def tour(root):
    return (root / "docs" / "guide" / "tour.ipynb").read_text("utf-8")


@pytest.mark.slow
def test_the_tour_runs_and_shows_what_it_says(tour, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)  # a reader has no clone
    page = run_notebook(tour, "tour")
    cards = re.findall(r"<div class=\"privpac\">.*?<strong>(.*?)</strong>", page, re.DOTALL)
    assert [card.partition(" ")[0] for card in cards] == [
        "Thresholds(low=-60,",
        "1",
        "How",
        "Littlestone",
        "REFUTED",
        "NOT",
    ]
    assert "1 if dep_delay ≥" in cards[1] and "ε = 0 remains" in page and "\nTrue\n" in page
    assert list(tmp_path.iterdir()) == []
    keep(tour, page, tmp_path)


def test_the_notebook_is_one_that_jupyter_opens_and_holds_no_outputs(tour):
    found = json.loads(tour)
    assert (found["nbformat"], found["nbformat_minor"]) == (4, 5) and found["metadata"]["kernelspec"][
        "name"
    ] == "python3"
    assert all(set(cell) == VALID[cell["cell_type"]] for cell in found["cells"])
    assert all(cell.get("outputs", []) == [] and cell.get("execution_count") is None for cell in found["cells"])
    assert len({cell["id"] for cell in found["cells"]}) == len(found["cells"])


def test_cells_share_names_and_show_their_last_value():
    page = run_notebook(notebook(("markdown", "# A"), ("code", "x = 2\nprint('a')\nx + 1"), ("code", "x;")), "two")
    shown = ["# A", "~~~~python\nx = 2\nprint('a')\nx + 1\n~~~~", "~~~~text\na\n~~~~", "~~~~text\n3\n~~~~"]
    assert page == "\n\n".join([*shown, "~~~~python\nx;\n~~~~"])


def test_a_cell_that_fails_is_seen():
    with pytest.raises(ZeroDivisionError):
        run_notebook(notebook(("code", "1 / 0")), "wrong")
