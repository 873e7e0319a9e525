"""Uploads, long forms, and failures."""

from contextlib import suppress

import pytest

from privpac.app.server import routes as server
from privpac.refusals.refusal import Refused, RefusedType
from tests.app.conftest import of_json


def test_an_upload_stays_in_memory_and_is_kept_once(browser, folder):
    before = sorted(folder.iterdir())
    first = of_json(browser.upload(b"age,late\n41,1\n", "ages.csv"))
    assert first == {"source": "u1", "name": "ages.csv (upload 1)"}
    assert of_json(browser.upload(b"age,late\n41,1\n", "ages.csv")) == first
    assert of_json(browser.upload(b"age,late\n42,1\n", "ages.csv"))["source"] == "u2"
    assert sorted(folder.iterdir()) == before


def test_24_megabytes_are_refused(browser):
    try:
        reply = browser.upload(b"age\n" + b"1\n" * 12_000_000, "ages.csv")
    except OSError:  # the server hung up before it had read all
        reply = None
    assert reply is None or (reply.status, "20 MB" in reply.text) == (413, True)
    assert browser.session.sources == {"t1": "flights.csv"}


def test_24_megabytes_are_refused_before_they_are_read(browser):
    headers = {"Origin": browser.origin, "X-Form-Token": browser.session.form_token, "Content-Length": "24000000"}
    assert browser.send("POST", "/upload", None, headers).status == 413


def test_a_body_longer_than_it_says_is_refused(browser):
    content = (b"1\n" * 10**6 for _ in range(12))  # in parts, without a length
    headers = {"Origin": browser.origin, "X-File-Name": "a.csv", "X-Form-Token": browser.session.form_token}
    with suppress(OSError):  # the server may hang up before it has read all
        assert browser.send("POST", "/upload", content, headers).status == 413
    assert browser.session.sources == {"t1": "flights.csv"}


def test_a_file_that_is_not_a_table_is_refused_without_quoting_it(browser):
    for content, name in ((b"\xff\xfe\x00secret", "a.csv"), (b"secret", "a.parquet"), (b"secret", "a.exe")):
        reply = browser.upload(content, name)
        assert reply.status == 400
        assert "secret" not in reply.text


def test_a_long_form_is_refused(spender):
    reply = spender.post("/learn/spend", {"form_token": spender.session.form_token, "x": "1" * 10**6})
    assert reply.status == 413


def test_a_failure_says_nothing_about_records(started, monkeypatch, capfd):
    def broken(session, fields):
        raise ArithmeticError("record 4711")

    monkeypatch.setitem(server.PAGES, "/", broken)
    reply = started().enter().get("/")
    assert reply.status == 500
    assert "ArithmeticError" in reply.text and "4711" not in reply.text
    assert "4711" not in capfd.readouterr().err


@pytest.mark.parametrize("kind", [Refused, RefusedType])
def test_a_refusal_is_explained(started, monkeypatch, kind):
    def refusing(session, fields):
        raise kind.must("epsilon", "be positive")

    monkeypatch.setitem(server.PAGES, "/", refusing)
    reply = started().enter().get("/")
    assert reply.status == 400
    assert "must be positive" in reply.text


def test_home_says_whether_this_server_spends(browser, spender):
    assert "read-only" in browser.get("/").text
    assert "may spend" in spender.get("/").text


def test_the_name_of_an_upload_is_escaped(browser):
    name = of_json(browser.upload(b"a,b\n1,2\n", "%3Cscript%3E.csv"))["name"]
    assert name == "<script>.csv (upload 1)"
    page = browser.get("/learn").text
    assert "&lt;script&gt;.csv" in page and "<script>.csv" not in page


@pytest.mark.slow
def test_old_uploads_are_forgotten(browser):
    numbers = [of_json(browser.upload(f"a\n{i}\n".encode(), "a.csv"))["source"] for i in range(7)]
    assert numbers == [f"u{i}" for i in range(1, 8)]
    assert list(browser.session.sources) == ["t1", "u3", "u4", "u5", "u6", "u7"]
