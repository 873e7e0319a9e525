"""Summaries in the browser: a preview says how wide intervals will be, one charge pays for all, and files keep them."""

import re

import pyarrow as pa
import pytest
from pyarrow import parquet

from privpac.app.pages.summarize import SUMMARIZE
from privpac.app.session import NamedTable
from privpac.privacy.budget import Budget
from privpac.release.release import Release
from tests.app.conftest import SCHEMA, bought, rows, spent

PAID = {"source": "t1", "epsilon": "2", "account": "clinic"}
ASKED = PAID | {"x": "dep_delay", "low": "0", "high": "90", "step": "1", "by": "carrier", "groups": "A, B"}
WITH_QUARTILES = ASKED | {"quartiles": "yes"}


@pytest.mark.slow
def test_a_summary_is_previewed_charged_once_and_kept(spender, folder):
    page = spender.get("/summarize", WITH_QUARTILES)
    assert "A release costs" in page.text and "3,000" in page.text and "in a group of 1,500 records" in page.text
    assert "in each of 2 groups" in page.text
    assert spent(folder) == Budget(0)
    form = page.hidden()
    place = spender.post("/summarize/spend", form).headers["location"]
    once = spent(folder)
    assert once == Budget(2) and spender.post("/summarize/spend", form).headers["location"] == place
    assert spent(folder) == once
    of = place.partition("?")[2]
    release = Release.from_json(spender.get(f"/summarize/release.json?{of}").text)
    assert release.n == 3000 and release.guarantee.certificate.private
    first, second = rows(spender.get(f"/summarize/summary.csv?{of}").text)
    assert (first["carrier"], second["carrier"]) == ("A", "B") and "q75 high" in first
    low, mean, high = (float(first[name]) for name in ("mean low", "mean", "mean high"))
    assert low < mean < high and abs(mean - 44) < 5 * (high - low) and float(first["missing"]) < 60
    shown = spender.get(place).text
    for words in ("upper quartile", "What the intervals say", "Not counted", "<svg", "summary.csv"):
        assert words in shown
    assert "<style>" not in shown
    assert spender.get(f"/summarize/report.html?{of}").text.startswith("<!doctype html>")
    assert spent(folder) == once


@pytest.mark.slow
def test_without_quartiles_means_are_more_exact_and_no_distribution_is_asked_for(spender):
    widths = [
        float(re.search("<dt>Mean of a group</dt><dd>± ([0-9.]+)<", spender.get("/summarize", asked).text)[1])
        for asked in (WITH_QUARTILES, ASKED)
    ]
    assert widths[1] < widths[0] / 1.5
    shown = spender.get(bought(spender, "/summarize", ASKED)).text
    assert "upper quartile" not in shown and '<th class="count">mean</th>' in shown


@pytest.mark.slow
def test_all_records_together(spender):
    shown = spender.get(bought(spender, "/summarize", ASKED | {"by": "", "groups": ""})).text
    assert "dep_delay: counts, sums, and means" in shown


@pytest.mark.slow
def test_odd_cells_are_missing_or_not_counted(started, folder):
    """A messy file: empty cells and NA are missing, and unknown wards are not counted."""
    cells = [("A", "4.7"), ("A", ""), ("B", "NA"), ("b ", "3"), ("", "5"), ("B", "12"), ("A", "1e9"), ("B", "soon")]
    (folder / "messy.csv").write_text("ward,stay\n" + "".join(f"{ward},{stay}\n" for ward, stay in cells * 500))
    browser = started(data={"t1": NamedTable(str(folder / "messy.csv"))}, spends=True).enter()
    asked = PAID | {"x": "stay", "low": "0", "high": "20", "step": "1", "by": "ward", "groups": "A,B"}
    place = bought(browser, "/summarize", asked)
    first, second = rows(browser.get(f"/summarize/summary.csv?{place.partition('?')[2]}").text)
    for row, mean in ((first, 4), (second, 12)):
        assert abs(int(row["records"]) - 500) < 30 and abs(int(row["missing"]) - 500) < 30
        assert abs(float(row["mean"]) - mean) < 1
    assert (
        1900
        < int(re.search("<dt>Not counted</dt><dd>about ([0-9,]+)", browser.get(place).text)[1].replace(",", ""))
        < 2100
    )


@pytest.mark.slow
def test_groups_that_are_whole_numbers_are_found_in_typed_tables(started, folder):
    parquet.write_table(pa.table({"ward": [1, 2] * 800, "stay": [3.5, 7.5] * 800}), folder / "typed.parquet")
    browser = started(data={"t1": NamedTable(str(folder / "typed.parquet"))}, spends=True).enter()
    asked = PAID | {"x": "stay", "low": "0", "high": "20", "step": "0.5", "by": "ward", "groups": "1,2"}
    first, _ = rows(
        browser.get(f"/summarize/summary.csv?{bought(browser, '/summarize', asked).partition('?')[2]}").text
    )
    assert first["ward"] == "1" and abs(int(first["records"]) - 800) < 40 and abs(float(first["mean"]) - 3.5) < 1


@pytest.mark.slow
def test_a_schema_offers_its_columns(started, folder):
    (folder / "flights.toml").write_text('[label]\ncolumn = "late"\nclasses = ["0", "1"]\n' + SCHEMA)
    browser = started(schemas={"flights.toml": folder / "flights.toml"}, spends=True).enter()
    page = browser.get("/summarize")
    assert '<option value="dep_delay" selected>' in page.text and "Declared: dep_delay, carrier, late." in page.text
    assert "Least value" not in page.text
    found = bought(browser, "/summarize", PAID | {"schema": "flights.toml", "x": "dep_delay", "by": "carrier"})
    assert "dep_delay by carrier: counts, sums, and means" in browser.get(found).text


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"x": ""}, "ame the column that holds the number"),
        ({"x": "nobody"}, "no column"),
        ({"by": "nobody"}, "no column"),
        ({"by": "carrier, late"}, "several columns of groups need a schema"),
        ({"groups": ""}, "ame the column of groups and its values"),
        ({"groups": "A, A"}, "among the values twice"),
        ({"by": ""}, "ame the column of groups and its values"),
        ({"by": "dep_delay"}, "ame each column once"),
        ({"step": "much"}, "“Round down to multiples of” must be a number"),
        ({"step": "0"}, "step must be a positive number"),
        ({"low": "x"}, "Least value"),
        ({"low": "9", "high": "1"}, "must not exceed"),
        ({"high": "1e12", "step": "0.001"}, "at most"),
        ({"epsilon": "-1"}, "ε"),
    ],
    ids=str,
)
def test_what_is_wrong_is_said_and_nothing_is_spent(spender, folder, asked, words):
    page = spender.get("/summarize", ASKED | asked)
    assert page.status == 200 and words.lower() in page.text.lower() and "<form method=post" not in page.text
    form = {"form_token": spender.session.form_token, "token": "x", "round": "0"} | ASKED | asked
    refused = spender.post("/summarize/spend", form)
    assert (
        refused.status == 400 and "nothing was charged" in refused.text and "Look at the preview again" in refused.text
    )
    assert spent(folder) == Budget(0)


def test_what_is_released_can_be_kept_as_files():
    kept = {f"/summarize/{name}" for name in ("summary.csv", "release.json")}
    assert {*SUMMARIZE.views} == kept | {"/summarize", "/summarize/released", "/summarize/report.html"}
