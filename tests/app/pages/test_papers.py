"""The papers' algorithms in the browser: a list, a plan that reads nothing private, and a run where it is certified."""

import re

import pytest

import privpac as pp
from privpac.app.pages.papers import PAPERS
from privpac.app.session import NamedTable
from privpac.classes.schemas.schema import Unit
from privpac.papers.editions import EDITIONS
from privpac.privacy.budget import Budget
from tests.app.conftest import spent

PLAN = {"source": "t1", "algorithm": "occam", "class": "thresholds", "low": "1", "high": "90", "direction": "above"}
ASKED = PLAN | {"x": "dep_delay", "y": "late", "classes": "0, 1", "alpha": "0.1", "epsilon": "1", "account": "clinic"}


def test_the_list_has_every_algorithm_and_links_those_that_run(browser):
    page = browser.get("/papers").text
    links = re.findall('<a href="/papers[?]algorithm=([^&]*)&amp;source=t1">', page)
    assert links == [each.key for each in EDITIONS if each.runs]
    assert all(f"<td>{each.name}</td>" in page for each in EDITIONS if not each.runs)
    assert 'href="/broken"' in page


@pytest.mark.papers
@pytest.mark.parametrize("key", [each.key for each in EDITIONS if each.runs])
def test_each_algorithm_shows_its_plan_without_names_of_columns(browser, key):
    """Each begins with a class that it learns."""
    page = browser.get("/papers", {"source": "t1", "algorithm": key}).text
    assert "Records it asks for" in page and "as proved here" in page and "name the column that the rule reads" in page
    assert "<form method" not in page.split('id="sending"')[0] and 'role="alert"' not in page


@pytest.mark.slow
def test_a_run_is_previewed_charged_once_and_kept(spender, folder):
    page = spender.get("/papers", ASKED)
    N = int(re.search("<dt>Records it asks for</dt><dd>([0-9,]+)<", page.text)[1].replace(",", ""))
    H = pp.Thresholds(1, 90, direction="above")
    known = {"regime": "realizable", "on_invalid": "default", "alpha": 0.1}
    assert N == pp.PrivateClassifier(H, method="PrivateOccam", **known).certified_n() <= 3000
    assert "if some rule of the class makes no error" in page.text and spent(folder) == Budget(0)
    form = page.hidden()
    place = spender.post("/papers/spend", form).headers["location"]
    once = spent(folder)
    assert once == Budget(1) and spender.post("/papers/spend", form).headers["location"] == place
    assert spent(folder) == once
    of = place.partition("?")[2]
    model = pp.Model.from_json(spender.get(f"/papers/model.json?{of}").text)
    assert model.certificate.privacy == Budget(1) and len(model.predict({"dep_delay": [5, 80]})) == 2
    shown = spender.get(place).text
    assert "PrivateOccam of [BBKN14, Thm 3.2]" in shown and "stands for records that do not fit" in shown
    assert spender.get(f"/papers/report.html?{of}").text.startswith("<!doctype html>")
    assert spender.get(place.replace("/papers/", "/learn/")).status == 400
    assert spent(folder) == once


@pytest.mark.slow
def test_records_that_do_not_fit_stop_no_run(started, folder):
    """A messy file: the same preview, and a run that is charged, with and without misfits."""
    for name, last in (("whole", "50,1"), ("messy", ",maybe")):
        (folder / f"{name}.csv").write_text("delay,late\n" + "10,0\n50,1\n" * 500 + last + "\n")
        browser = started(data={"t1": NamedTable(str(folder / f"{name}.csv"))}, spends=True).enter()
        page = browser.get("/papers", ASKED | {"x": "delay"})
        answer = browser.post("/papers/spend", page.hidden())
        assert answer.status == 303 and "released" in browser.get(answer.headers["location"]).text
    assert spent(folder) == Budget(2)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"algorithm": "polypri"}, "It asks for more records than the 3,000 that it would learn from here"),
        ({"report_error": "yes", "alpha": "0.03"}, "that it would learn from here"),
        ({"x": ""}, "To run it, name the column"),
        ({"y": ""}, "To run it, name the column"),
    ],
    ids=str,
)
def test_what_is_not_certified_is_not_run(spender, folder, asked, words):
    page = spender.get("/papers", ASKED | asked)
    assert words in page.text and "as proved here" in page.text and 'name="token"' not in page.text
    refused = spender.post("/papers/spend", {"form_token": spender.session.form_token, "token": "x"} | ASKED | asked)
    assert refused.status == 400 and "nothing was charged" in refused.text
    assert spent(folder) == Budget(0)


@pytest.mark.slow
def test_units_are_protected_by_other_learners(started, folder):
    browser = started(unit=Unit("carrier", 5)).enter()
    page = browser.get("/papers", ASKED).text
    assert "This server protects each carrier as a whole" in page and "<dt>Units</dt>" in page


@pytest.mark.slow
@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"x": "nobody"}, "no column"),
        ({"y": "nobody"}, "no column"),
        ({"algorithm": "opt-private", "direction": ""}, "thresholds in one direction"),
        ({"algorithm": "switching"}, "thresholds on 1"),
        ({"alpha": "2"}, "Error α"),
        ({"beta": "x"}, "β"),
        ({"epsilon": "0"}, "ε"),
        ({"low": "x"}, "Least value"),
        ({"classes": "0"}, "two different labels"),
    ],
    ids=str,
)
def test_what_is_wrong_is_said(browser, asked, words):
    page = browser.get("/papers", ASKED | asked)
    assert page.status == 200 and words in re.search('role="alert">(.*?)</p>', page.text)[1]


@pytest.mark.slow
def test_an_algorithm_that_is_not_private_cannot_be_chosen(browser):
    page = browser.get("/papers", ASKED | {"algorithm": "high-h"}).text
    assert '<option value="high-h"' not in page and "HighH, " not in page


@pytest.mark.slow
def test_a_schema_of_the_server_changes_nothing_but_how_files_are_read(started, folder):
    (folder / "s.toml").write_text('separator = ";"\n[columns.delay]\nkind = "integer"\nlow = 0\nhigh = 9\n')
    (folder / "t.csv").write_text("delay;late\n" + "10;0\n50;1\n" * 500)
    named = {"data": {"t1": NamedTable(str(folder / "t.csv"))}, "schemas": {"s.toml": folder / "s.toml"}}
    browser = started(**named, spends=True).enter()
    page = browser.get("/papers", ASKED | {"x": "delay"})
    assert 'id="f-schema"' not in page.text and "1,000" in page.text
    assert browser.post("/papers/spend", page.hidden()).status == 303 and spent(folder) == Budget(1)


def test_what_is_released_can_be_kept_as_files():
    kept = {f"/papers/{name}" for name in ("model.json",)}
    assert {*PAPERS.views} == kept | {"/papers", "/papers/released", "/papers/report.html"}
