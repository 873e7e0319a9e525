"""Suggested schemas in the browser: a preview spends nothing, one charge for all columns, and a file to edit."""

import pytest

from privpac.app.pages.suggest import SUGGEST
from privpac.classes.schemas.schema import Schema
from privpac.privacy.budget import Budget
from tests.app.conftest import spent

ASKED = {"source": "t1", "epsilon": "2", "account": "clinic", "columns": "dep_delay, carrier", "y": "late"}


@pytest.mark.slow
def test_a_schema_is_previewed_charged_once_and_kept(spender, folder):
    page = spender.get("/suggest", ASKED)
    assert "A release costs" in page.text and "3,000" in page.text and "Ranges of values are seen" in page.text
    assert spent(folder) == Budget(0)
    form = page.hidden()
    place = spender.post("/suggest/spend", form).headers["location"]
    once = spent(folder)
    assert once.epsilon == 2 and spender.post("/suggest/spend", form).headers["location"] == place
    assert spent(folder) == once
    of = place.partition("?")[2]
    schema = Schema.parse(spender.get(f"/suggest/schema.toml?{of}").text)
    assert [column.name for column in schema.columns] == ["dep_delay", "carrier"] and len(schema.label.classes) == 2
    shown = spender.get(place).text
    assert "records that fit, at least" in shown and "[columns.carrier]" in shown and "<style>" not in shown
    assert spender.get(f"/suggest/report.html?{of}").text.startswith("<!doctype html>")


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"columns": ""}, "takes names of different columns"),
        ({"columns": "nothing"}, "nothing"),
        ({"epsilon": "0.001"}, "Nothing was spent"),
        ({"y": "nothing"}, "nothing"),
    ],
)
def test_what_cannot_be_asked_is_explained(browser, wrong, words):
    assert words in browser.get("/suggest", ASKED | wrong).text


def test_the_form_offers_half_an_epsilon(browser):
    assert 'value="0.5"' in browser.get("/suggest").text and SUGGEST.kind == "suggest"
