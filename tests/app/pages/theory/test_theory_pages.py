"""Pages that show theory: dimensions and a game, exact laws on two neighbors, and a paper that fails."""

import math
import re
from itertools import product

import pytest

from privpac.app.pages.table_editor import after_click
from privpac.app.pages.theory.broken_paper import broken_page
from privpac.app.pages.theory.classes import EXAMPLES, classes_page
from privpac.app.pages.theory.neighbors import LEARNERS, neighbors_page
from privpac.app.session import Session
from tests.grid import over


@pytest.fixture
def session():
    return Session(8765)


def told(page: str) -> list[str]:
    return re.findall("<dd>(.*?)<small>", page)


def refusal(page: str) -> str:
    return re.search('id="refusal"[^>]*>(.*?)</p>', page)[1]


@pytest.mark.parametrize(
    ("name", "vc", "littlestone"), [("a tree", 1, 2), ("thresholds", 1, 2), ("points", 1, 1), ("all of 3 points", 3, 3)]
)
def test_dimensions_of_the_examples(session, name, vc, littlestone):
    page = classes_page(session, {"table": EXAMPLES[name]})
    assert told(page)[:2] == [str(vc), str(littlestone)]
    assert ("Tree order" in page) == (vc <= 1)


def test_soa_makes_as_many_mistakes_as_the_dimension_and_no_more(session):
    text = EXAMPLES["all of 3 points"]
    played = ""
    for mistakes in range(1, 4):
        page = classes_page(session, {"table": text, "play": played})
        x, y = re.findall(r">(x\d) = (\d) ✗<", page)[0]
        played += f"{',' * bool(played)}{x}:{y}"
        assert f"{mistakes} of at most 3" in classes_page(session, {"table": text, "play": played})
    assert "✗" not in re.sub("<p>Show.*?</p>", "", classes_page(session, {"table": text, "play": played}))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("01\n0", "different lengths"),
        ("0x", "only 0 and 1"),
        ("", "only 0 and 1"),
        ("01\n" * 65, "at most 64"),
        ("<script>", "only 0 and 1"),
    ],
)
def test_tables_that_are_none(session, text, words):
    page = classes_page(session, {"table": text})
    assert words in refusal(page) and "<script>" not in page.replace('<script src="/explorer.js" defer></script>', "")


def test_a_game_of_another_table_is_refused(session):
    assert "start again" in refusal(classes_page(session, {"table": "01", "play": "x9:1"}))


@pytest.mark.slow
@pytest.mark.parametrize("learner", LEARNERS)
def test_the_loss_of_every_pair_stays_within_epsilon_and_some_come_close(session, learner):
    worst = 0.0
    for value, label, changed in product("037", "01", "14"):
        asked = {"learner": learner, "epsilon": "2", "value": value, "label": label, "changed": changed, "cut": "3"}
        page = neighbors_page(session, asked)
        assert "The promise holds." in page and told(page)[0] == "at most 7.39 times"
        worst = max(worst, math.log(float(told(page)[1].removesuffix(" times"))))
    assert 0.5 < worst <= 2.001


def test_both_laws_are_whole(session):
    page = neighbors_page(session, {})
    rows = re.findall(r"<tr><td>(.*?)</td><td.*?>([\d.]+)</td><td.*?>([\d.]+)</td>", page)
    assert len(rows) == 9
    for column in (1, 2):
        assert abs(sum(float(row[column]) for row in rows) - 1) < 1e-4


def test_wrong_numbers_are_said(session):
    assert refusal(neighbors_page(session, {"n": "13"})) == "“Records” must be a whole number from 1 to 12."
    assert "ε" in refusal(neighbors_page(session, {"epsilon": "-1"}))


def test_the_paper_fails_every_time(session):
    said = re.search('class="dials".*?aria-label="(.*?)"', broken_page(session, {}))[1]
    assert said == "on S, 25 times: normal at 120° 25 times; on S′, 25 times: normal at 60° 25 times"  # 50 · 7.2e-10


def test_a_click_on_a_cell_flips_it_without_a_script(browser):
    page = browser.get("/classes", {"table": "00\n01", "draw": "0.1"}).text
    assert ">01\n01</textarea>" in page and 'aria-label="c1 on x2: 1"' in page
    assert 'form="asked" name="draw" value="1.0"' in page and '<form id="asked"' in page


@over(
    ("drawn", "after"),
    [
        *(("add line", "00\n01\n00"), ("drop line", "00"), ("add point", "000\n010"), ("drop point", "0\n0")),
        *(("9.9", "00\n01"), ("0.", "00\n01"), ("x", "00\n01"), ("-1.0", "00\n01")),
    ],
)
def test_a_table_is_drawn(drawn, after):
    assert after_click("00\n01", drawn) == after


def test_nothing_is_left_to_take_away():
    assert after_click("0", "drop line") == "0" and after_click("0", "drop point") == "0"
    assert after_click("", "add line") == "" and after_click("0\n01", "1.1") == "0\n01"


def test_a_large_table_is_not_drawn(browser):
    page = browser.get("/classes", {"table": "\n".join(["0" * 13, "1" * 13])}).text
    assert "data-grid" not in page and "are drawn here" in page
