"""The explorer in a real browser without JavaScript: every form works, and a release is charged once."""

from urllib.parse import urlencode

import pytest

from privpac.privacy.budget import Budget
from tests.app.chromium import NEEDED
from tests.app.conftest import spent_at
from tests.app.test_browser import EXPLICIT, PAPER, SUMMARY

pytestmark = NEEDED
COUNTS = {"source": "t1", "what": "counts", "by": "carrier", "epsilon": "0.75", "account": "clinic"}


@pytest.fixture
def plain(tab):
    """A browser without JavaScript; tests may still look at its pages."""
    tab.tell("Emulation.setScriptExecutionDisabled", value=True)
    yield tab
    tab.tell("Emulation.setScriptExecutionDisabled", value=False)


def pressed(tab, selector: str, path: str) -> None:
    """Focus a button, press Enter, and wait for another page."""
    tab.run(f"document.querySelector('{selector}').focus()")
    tab.press("Enter", 13, "\r")
    tab.wait(f"(location.pathname + location.search).includes('{path}') && document.readyState === 'complete'")


def test_without_javascript_forms_work(plain):
    plain.open(f"{plain.base}/neighbors?epsilon=3")
    assert plain.run("document.querySelector('.facts dd').textContent").startswith("at most 20.1 times")
    assert plain.run("getComputedStyle(document.querySelector('.slider')).display") == "none"
    pressed(plain, "#f-n", "changed=")
    for path, selector, after in (
        ("/plan", "#asked > button", "/plan?find=records"),
        ("/budgets", "#asked > button", "/budgets?account="),
        ("/classes", "#cell-0-0", "draw=0.0"),
        ("/learn", "#asked > button", "/learn?source=t1"),
        ("/release", "#asked > button", "/release?source=t1"),
        ("/summarize", "#asked > button", "/summarize?source=t1"),
        ("/papers", "#asked > button", "/papers?source=t1"),
    ):
        plain.open(plain.base + path)
        pressed(plain, selector, after)
    plain.open(f"{plain.base}/classes")
    pressed(plain, "#cell-0-0", "draw=0.0")
    assert plain.run("document.getElementById('f-table').value").startswith("1000")


@pytest.mark.slow
@pytest.mark.parametrize(("page", "asked"), [("/release", COUNTS), ("/summarize", SUMMARY), ("/papers", PAPER)])
def test_without_javascript_a_release_is_charged_once(plain, seat, page, asked):
    before = spent_at(seat)
    for _ in range(2):
        plain.open(f"{plain.base}{page}?{urlencode(asked | {'epsilon': '0.75'})}")
        if plain.run("document.querySelector('[name=anew]')") is None:
            pressed(plain, "form[action*=spend] button", f"{page}/released")
    assert spent_at(seat).epsilon - before.epsilon == Budget("0.75").epsilon


@pytest.mark.slow
def test_without_javascript_a_pasted_class_is_drawn_and_learned(plain, seat):
    before = spent_at(seat)
    plain.open(f"{plain.base}/learn?{urlencode(EXPLICIT | {'epsilon': '0.25'})}")
    assert plain.run("getComputedStyle(document.getElementById('l-matrix')).display") == "none"
    pressed(plain, "#cell-1-1", "draw=1.1")
    assert plain.run("document.getElementById('f-matrix').value") == "A,B\n1,0\n0,0"
    pressed(plain, "form[action*=spend] button", "/learn/released")
    assert spent_at(seat).epsilon - before.epsilon == Budget("0.25").epsilon
    plain.open(f"{plain.base}/plan?class=taxonomy")
    pressed(plain, "#asked > button", "parents=")
    assert plain.run("document.querySelector('#result .facts') !== null")


def test_without_javascript_a_file_is_sent(plain, tmp_path):
    (tmp_path / "mine.csv").write_text("dep_delay,late\n" + "5,0\n50,1\n" * 321)
    plain.open(f"{plain.base}/release")
    found = plain.tell("Runtime.evaluate", expression="document.getElementById('upload')")["result"]["objectId"]
    plain.tell("DOM.setFileInputFiles", files=[str(tmp_path / "mine.csv")], objectId=found)
    pressed(plain, "button[form=sending]", "/release?source=u")
    assert "mine.csv" in plain.run("document.getElementById('f-source').selectedOptions[0].textContent")
    plain.open(f"{plain.base}/release")
    pressed(plain, "button[form=sending]", "/upload/form")
    assert "Choose a file first" in plain.run("document.body.textContent")
