"""Releases in the browser: previews spend nothing, answers come with their error, synthetic records cost nothing."""

import re

import pytest

from privpac.app.pages.release import RELEASE
from privpac.app.session import NamedTable
from privpac.classes.values.points import Points
from privpac.privacy.budget import Budget
from privpac.release.private_release import PrivateRelease
from privpac.release.release import Release
from tests.app.conftest import SCHEMA, rows, spent

PAID = {"source": "t1", "epsilon": "1", "account": "clinic"}
ASKED = {
    "counts": {"what": "counts", "by": "carrier"},
    "distribution": {"what": "distribution", "x": "dep_delay", "low": "0", "high": "120"},
    "curve": {"what": "curve", "x": "dep_delay", "low": "0", "high": "120", "y": "late", "classes": "0, 1"},
    "crosstab": {"what": "crosstab", "part": "dep_delay thresholds 0 100 step=20\ncarrier points A,B"},
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ASKED)
def test_each_kind_is_previewed_released_once_and_kept(spender, folder, kind):
    asked = PAID | ASKED[kind]
    page = spender.get("/release", asked)
    assert "A release costs" in page.text and "3,000" in page.text
    assert spent(folder) == Budget(0)
    form = page.hidden()
    place = spender.post("/release/spend", form).headers["location"]
    once = spent(folder)
    assert once.epsilon == 1
    assert spender.post("/release/spend", form).headers["location"] == place
    assert spent(folder) == once
    of = place.partition("?")[2]
    release = Release.from_json(spender.get(f"/release/release.json?{of}").text)
    assert release.n == 3000 and release.guarantee.certificate.private
    assert len(rows(spender.get(f"/release/counts.csv?{of}").text)) >= 2
    assert len(rows(spender.get(f"/release/synthetic.csv?{of}").text)) == 3000
    shown = spender.get(place).text
    assert ("data-cuts" in shown) is (kind == "curve")
    assert "How far the counts are off" in shown and "<svg" in shown and "<style>" not in shown
    assert spender.get(f"/release/report.html?{of}").text.startswith("<!doctype html>")
    assert spent(folder) == once


@pytest.mark.slow
def test_fields_that_were_not_sent_count_as_they_are_shown(spender, folder):
    page = spender.get("/release", {"source": "t1", "what": "crosstab"})
    assert spender.post("/release/spend", page.hidden()).status == 303
    assert spent(folder).epsilon == 1


@pytest.mark.slow
def test_a_whole_table_by_its_schema(started, folder):
    (folder / "flights.toml").write_text(SCHEMA)
    browser = started(schemas={"flights.toml": folder / "flights.toml"}, spends=True).enter()
    page = browser.get("/release", PAID | {"what": "table", "schema": "flights.toml"})
    place = browser.post("/release/spend", page.hidden()).headers["location"]
    found = rows(browser.get(f"/release/synthetic.csv?{place.partition('?')[2]}").text)
    assert set(found[0]) == {"dep_delay", "carrier"} and {row["carrier"] for row in found} <= {"A", "B"}


def test_a_whole_table_needs_a_schema(browser):
    assert "a whole table" not in browser.get("/release", {"what": "table"}).text


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"what": "counts", "by": ""}, "takes names of different columns"),
        ({"what": "counts", "by": "nobody"}, "no column"),
        ({"what": "counts", "by": "carrier", "delta": "0"}, "δ above 0"),
        ({"what": "distribution", "x": ""}, "ame the column"),
        ({"what": "distribution", "x": "dep_delay", "low": "9", "high": "1"}, "must not exceed"),
        ({"what": "crosstab", "part": "carrier"}, "rite a part as"),
        (ASKED["curve"] | {"y": ""}, "ame the column that holds the labels"),
        (ASKED["curve"] | {"y": "nobody"}, "no column"),
        (ASKED["curve"] | {"classes": "0, 1, 2"}, "two different labels"),
    ],
    ids=str,
)
def test_what_is_wrong_is_said(browser, asked, words):
    page = browser.get("/release", PAID | asked)
    assert page.status == 200 and words in page.text


@pytest.mark.slow
def test_questions_of_different_pages_do_not_mix(spender):
    form = spender.get("/release", PAID | ASKED["counts"]).hidden()
    place = spender.post("/release/spend", form).headers["location"]
    assert spender.get(place.replace("/release/", "/learn/")).status == 400
    assert spender.post("/learn/spend", form).status == 400


def test_an_example_names_columns_of_the_shipped_table_only(started, folder):
    """The form does not suggest columns that the table does not have."""
    (folder / "wards.csv").write_text("ward\nA\n")
    named = {"t1": NamedTable(str(folder / "flights.csv")), "t2": NamedTable(str(folder / "wards.csv"))}
    browser = started(data=named).enter()
    assert "carrier points" in browser.get("/release", {"what": "crosstab", "source": "t1"}).text
    page = browser.get("/release", {"what": "crosstab", "source": "t2"}).text
    assert "carrier points" not in page and "needs a line for each column, such as: ward points A,B,C" in page


@pytest.mark.slow
def test_bounds_that_are_known_are_shown_before_anything_is_spent(spender, folder):
    asked = {"source": "t1", "what": "counts", "by": "carrier", "epsilon": "1", "account": "clinic"}
    page = spender.get("/release", asked)
    bound = int(re.search("<dt>Error of every count</dt><dd>± ([0-9]+) records", page.text)[1])
    assert f"a value that is not shown has at most {2 * bound}" in page.text
    assert all(f"<td>± {other} records</td>" in page.text for other in (bound, bound_at("0.1"), bound_at("3")))
    place = spender.post("/release/spend", page.hidden()).headers["location"]
    assert f"Every count shown is off by at most {bound}, with certainty" in spender.get(place).text


def bound_at(ε: str) -> int:
    return PrivateRelease(Points(), epsilon=ε, delta=None).preview(3000).known // 2


def test_what_is_released_can_be_kept_as_files():
    kept = {f"/release/{name}" for name in ("release.json", "counts.csv", "synthetic.csv")}
    assert {*RELEASE.views} == kept | {"/release", "/release/released", "/release/report.html"}
