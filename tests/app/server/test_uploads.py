"""Files from a form, as a browser without JavaScript sends them: in memory, with their token, and not too large."""

import pytest

from privpac.app.server.uploads import FormPart, form_parts
from privpac.app.session import Session

KIND = "multipart/form-data; boundary=----WebKitFormBoundaryX"
TABLE = b"age,late\r\n41,1\r\n\r\n--\r\n"


def form(browser=None, *, file: bytes = TABLE, name: str = "ages.csv", page: str = "/learn", token: str = "") -> bytes:
    fields = {"form_token": token or (browser.session.form_token if browser else "t"), "page": page}
    parts = [f'Content-Disposition: form-data; name="{each}"\r\n\r\n{said}'.encode() for each, said in fields.items()]
    parts.append(f'Content-Disposition: form-data; name="upload"; filename="{name}"\r\n\r\n'.encode() + file)
    return (
        b"".join(b"------WebKitFormBoundaryX\r\n" + part + b"\r\n" for part in parts)
        + b"------WebKitFormBoundaryX--\r\n"
    )


def sent(browser, body: bytes, kind: str = KIND, **headers):
    return browser.send("POST", "/upload/form", body, {"Origin": browser.origin, "Content-Type": kind} | headers)


def test_files_arrive_as_they_are():
    found = form_parts(KIND, form())
    assert found == {"form_token": FormPart(b"t"), "page": FormPart(b"/learn"), "upload": FormPart(TABLE, "ages.csv")}
    assert form_parts(KIND.replace("X", '"').replace("boundary=", 'boundary="'), b"") == {}


@pytest.mark.parametrize(
    "body", [b"", b"--", b"------WebKitFormBoundaryX", b"\r\n------WebKitFormBoundaryX\r\n\r\n", form()[:80]]
)
def test_broken_forms_hold_nothing(body):
    assert "upload" not in form_parts(KIND, body)
    assert form_parts("text/plain", body) == form_parts("multipart/form-data", body) == {}


def test_a_file_is_kept_in_memory_and_the_page_shows_it(browser, folder):
    before = sorted(folder.iterdir())
    for page, shown in (("/learn", "/learn"), ("/release", "/release"), ("http://evil.example/", "/learn")):
        reply = sent(browser, form(browser, page=page))
        assert (reply.status, reply.headers["location"]) == (303, f"{shown}?source=u1")
    assert browser.session.source("u1").content == TABLE
    assert sorted(folder.iterdir()) == before


def test_a_forged_form_is_refused(browser):
    assert sent(browser, form(token="0" * 64)).status == 403
    assert sent(browser, b"").status == 403
    assert sent(browser, form(browser), kind="text/plain").status == 403
    assert sent(browser, form(browser), Origin="http://evil.example").status == 403
    assert browser.session.sources == {"t1": "flights.csv"}


def test_what_cannot_be_read_is_a_sentence(browser):
    assert "choose a file" in sent(browser, form(browser, file=b"", name="")).text.lower()
    reply = sent(browser, form(browser, file=b"secret", name="a.parquet"))
    assert reply.status == 400 and "secret" not in reply.text


@pytest.mark.parametrize("first", [b"a,a", b"SECRET\0,b", b""])
def test_a_first_line_that_names_no_columns_is_a_sentence_with_and_without_javascript(browser, first):
    content = first + b"\n1,2\n"
    for reply in (sent(browser, form(browser, file=content, name="a.csv")), browser.upload(content, "a.csv")):
        assert reply.status == 400 and "he first line" in reply.text and "SECRET" not in reply.text


def test_an_unforeseen_failure_of_an_upload_quotes_nothing(browser, monkeypatch, capfd):
    def fails(*_):
        raise RuntimeWarning("SECRET")

    monkeypatch.setattr(Session, "add_upload", fails)
    reply = browser.upload(b"a,b\n1,2\n", "a.csv")
    assert (reply.status, reply.text) == (500, "The file cannot be read (RuntimeWarning).")
    assert "SECRET" not in "".join(capfd.readouterr())


def test_24_megabytes_are_refused(browser):
    headers = {"Origin": browser.origin, "Content-Type": KIND, "Content-Length": "24000000"}
    assert browser.send("POST", "/upload/form", None, headers).status == 413
