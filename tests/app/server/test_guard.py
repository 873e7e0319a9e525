"""Who may ask: a wrong host, a missing cookie, and forged requests that carry the cookie are refused."""

import pytest
from starlette.requests import Request

from privpac.app.server.guard import Guard, cookie_name
from privpac.app.session import Session


def test_the_key_opens_the_door_once_it_is_a_cookie(started):
    browser = started()
    assert browser.get("/").status == 403
    assert browser.get("/?key=wrong").status == 403
    reply = browser.get(f"/?key={browser.session.key}")
    assert (reply.status, reply.headers["location"]) == (303, "/")
    cookie = reply.headers["set-cookie"]
    assert "HttpOnly" in cookie and "samesite=strict" in cookie.lower()
    assert browser.session.key not in cookie
    assert browser.enter().get("/").status == 200


@pytest.mark.parametrize("path", ["/", "/plan", "/explorer.css", "/explorer.js", "/nowhere"])
def test_nothing_is_shown_without_the_cookie(started, path):
    browser = started()
    assert browser.get(path).status == 403
    browser.cookie = f"{cookie_name(browser.session.port)}=0"
    assert browser.get(path).status == 403


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1", "localhost.evil.example", ""])
def test_another_host_is_refused_even_with_cookie_and_key(browser, host):
    assert browser.get("/", Host=host).status == 421
    assert browser.get(f"/?key={browser.session.key}", Host=host).status == 421


def test_two_hosts_in_one_request_are_refused():
    session = Session(8765)
    headers = [(b"host", session.hosts[0].encode())]
    scope = {"type": "http", "method": "GET", "path": "/", "query_string": b"", "headers": headers}
    assert Guard(None, session).refusal(Request(scope)) is None
    answer = Guard(None, session).refusal(Request(scope | {"headers": [*headers, (b"host", b"evil.example")]}))
    assert answer.status_code == 421


def test_this_machine_has_two_names(browser):
    for host in browser.session.hosts:
        assert browser.get("/", Host=host).status == 200


@pytest.mark.parametrize(
    "forged",
    [
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},  # another port of this machine
        {"Sec_Fetch_Site": "none"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": None},
        {"Origin": "http://localhost:1"},
    ],
    ids=str,
)
@pytest.mark.parametrize("path", ["/upload", "/learn/spend"])
def test_a_forged_request_with_the_cookie_is_refused(spender, forged, path):
    token = spender.session.form_token
    reply = spender.post(path, {"form_token": token}, **{"X_Form_Token": token, "X_File_Name": "a.csv"} | forged)
    assert reply.status == 403
    assert "this server" in reply.text or "another site" in reply.text


def test_a_form_without_its_token_is_refused(spender):
    for fields in ({}, {"form_token": "0" * 64}, {"form_token": spender.session.cookie}):
        assert spender.post("/learn/spend", fields).status == 403
    assert spender.upload(b"a,b\n1,2\n", "a.csv", token="0").status == 403


def test_browsers_are_told_what_pages_may_do(browser):
    for path in ("/", "/nowhere", "/explorer.js"):
        headers = browser.get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["referrer-policy"] == "same-origin"
        assert headers["cache-control"] == "no-store"
        assert "server" not in headers or "privpac" not in headers["server"]


def test_other_methods_are_refused(browser):
    assert browser.send("DELETE", "/").status == 405
    assert browser.send("PUT", "/upload", b"x").status == 405


def test_a_post_where_a_page_is_read_is_refused(browser):
    assert browser.post("/plan", {"form_token": browser.session.form_token}).status == 405
