"""Learning in the browser: a preview that spends nothing, a charge that happens once, and no record on any page."""

import json
import re
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from urllib.parse import urlencode

import pytest

from privpac.app.pages import learn as learn_page
from privpac.app.session import NamedTable
from privpac.classes.schemas.schema import Unit
from privpac.classes.shell_options import in_shell
from privpac.learners.model import Model
from privpac.privacy.budget import Budget
from privpac.privacy.certificate import Entry
from privpac.privacy.store.accounts import BudgetStore
from tests.app.conftest import account, bought, released

ASKED = {
    **{"source": "t1", "class": "thresholds", "low": "-60", "high": "1440", "x": "dep_delay", "y": "late"},
    **{"classes": "0, 1", "epsilon": "1", "account": "clinic", "report_error": "yes"},
}


def test_a_preview_tells_the_cost_and_spends_nothing(browser, folder):
    page = browser.get("/learn", ASKED)
    for text in ("ε = 1", "clinic: ε = 2, δ = 1e-05 left afterwards", "3,000", "PureThresholdLearner", "read-only"):
        assert text in page.text
    assert "Certified error" in page.text and "/learn/spend" not in page.text
    assert account(folder).spent == Budget(0)


@pytest.mark.slow
def test_it_is_spent_once_and_the_rule_is_shown(spender, folder):
    form = spender.get("/learn", ASKED).hidden()
    place = released(spender.post("/learn/spend", form))
    assert account(folder).spent == Budget(1)
    page = spender.get(place)
    assert "late = 1 if dep_delay ≥" in unescape(page.text) and "Privacy cost" in page.text
    assert "<h2>Risks</h2>" in page.text and "how likely 1 is in each region of the rule" in page.text
    assert "<style>" not in page.text
    assert "(UTC). Table: flights.csv" in page.text and "at 00:00" not in page.text  # charges have a day, and no hour
    of = place.partition("?")[2]
    model = Model.from_json(spender.get(f"/learn/model.json?{of}").text)
    assert model.certificate.private and model.certificate.privacy == Budget(1) and model.on_invalid == "default"
    report = spender.get(f"/learn/report.html?{of}")
    assert report.text.startswith("<!doctype html>") and "'sha256-" in report.headers["content-security-policy"]
    assert "unsafe" not in report.headers["content-security-policy"]
    # a second click, the back button, and a new preview of the same question
    assert released(spender.post("/learn/spend", form)) == place
    assert "released before" in spender.get("/learn", ASKED).text
    assert account(folder).spent == Budget(1)


@pytest.mark.slow
def test_fields_that_were_not_sent_count_as_they_are_shown(spender, folder):
    page = spender.get("/learn", {"source": "t1", "x": "dep_delay", "y": "late", "low": "0", "high": "90"})
    form = page.hidden()
    assert (form["epsilon"], form["account"], form["report_error"]) == ("1", "clinic", "yes")
    released(spender.post("/learn/spend", form))
    assert account(folder).spent == Budget(1)


def sent_and_seen(browser, form) -> str:
    """The rule on the page that a form leads to."""
    place = released(browser.post("/learn/spend", form))
    return re.search("late = 1 if dep_delay ≥ [0-9]+", unescape(browser.get(place).text))[0]


@pytest.mark.slow
def test_simultaneous_requests_are_charged_once(spender, folder):
    form = spender.get("/learn", ASKED).hidden()
    with ThreadPoolExecutor(8) as many:
        seen = set(many.map(lambda _: sent_and_seen(spender, form), range(8)))
    assert len(seen) == 1  # no one sees a page without the rule
    assert account(folder).spent == Budget(1)
    assert len(account(folder).history()) == 1  # the rule and its error, as a whole


@pytest.mark.slow
def test_anew_must_be_said_and_is_charged_once(spender, folder):
    place = bought(spender, "/learn", ASKED)
    again = spender.get(place).hidden()
    assert again["round"] == "1"
    reply = spender.post("/learn/spend", again)
    assert reply.status == 400 and "tick the box" in reply.text
    assert account(folder).spent == Budget(1)
    other = {released(spender.post("/learn/spend", again | {"anew": "yes"})) for _ in range(3)}
    assert len(other) == 1 and place not in other
    assert account(folder).spent == Budget(2)


@pytest.mark.slow
@pytest.mark.parametrize(
    "changed", [{"epsilon": "2"}, {"round": "1", "anew": "yes"}, {"token": "0" * 64}, {"y": "carrier"}]
)
def test_a_form_that_does_not_match_its_token_is_refused(spender, folder, changed):
    reply = spender.post("/learn/spend", spender.get("/learn", ASKED).hidden() | changed)
    assert reply.status == 400 and "nothing was charged" in reply.text
    assert account(folder).spent == Budget(0)


@pytest.mark.slow
def test_a_table_that_grew_since_the_preview_is_refused(spender, folder):
    form = spender.get("/learn", ASKED).hidden()
    with (folder / "flights.csv").open("a") as file:
        file.write("\n5,A,0\n")
    assert spender.post("/learn/spend", form).status == 400
    assert account(folder).spent == Budget(0)


def test_a_read_only_server_never_spends(spender, folder):
    form = spender.get("/learn", ASKED).hidden()  # with all its tokens
    spender.session.spends = False
    reply = spender.post("/learn/spend", form)
    assert reply.status == 400 and "read-only; start it again with --spend; nothing was charged" in reply.text
    assert account(folder).spent == Budget(0)


def test_an_account_that_cannot_pay_is_told_before(spender, folder):
    page = spender.get("/learn", ASKED | {"epsilon": "4"})
    assert "cannot pay" in page.text and "/learn/spend" not in page.text


@pytest.mark.slow
def test_an_account_that_was_emptied_since_the_preview_is_not_charged(spender, folder):
    form = spender.get("/learn", ASKED).hidden()
    account(folder).charge(Entry("someone else", Budget("2.5"), "a theorem"))
    reply = spender.post("/learn/spend", form)
    assert reply.status == 400 and "ε = 0.5" in reply.text and "nothing was charged" in reply.text
    assert account(folder).spent == Budget("2.5")
    assert "cannot pay" in spender.get("/learn", ASKED).text


@pytest.mark.slow
def test_an_engine_that_dies_while_it_reads_charges_nothing(spender, folder, monkeypatch):
    form = spender.get("/learn", ASKED).hidden()
    monkeypatch.setattr("privpac.requests.reading.Reading.gathered", lambda *_, **__: 1 / 0)
    reply = spender.post("/learn/spend", form)
    assert reply.status == 400 and "(ZeroDivisionError); nothing was charged" in reply.text
    assert account(folder).spent == Budget(0)
    monkeypatch.undo()
    released(spender.post("/learn/spend", form))  # the same button works once the engine does
    assert account(folder).spent == Budget(1)


@pytest.mark.slow
def test_a_failure_after_a_charge_tells_the_truth_and_is_not_charged_again(spender, folder, monkeypatch):
    monkeypatch.setattr(learn_page, "model_of", lambda *given: 1 / 0)
    form = spender.get("/learn", ASKED).hidden()
    place = released(spender.post("/learn/spend", form))
    page = spender.get(place)
    assert "failed after a charge (ZeroDivisionError)" in page.text and "ε = 1" in page.text
    assert released(spender.post("/learn/spend", form)) == place
    assert account(folder).spent == Budget(1)


def test_a_tree_takes_several_labels_and_any_depth(spender):
    asked = ASKED | {"class": "trees", "part": "dep_delay thresholds -60 1440", "classes": "0,1,2", "depth": "auto"}
    ahead = spender.get("/learn", asked)
    assert "exponential mechanism over all trees" in ahead.text
    page = spender.get(released(spender.post("/learn/spend", ahead.hidden())))
    assert "late = " in page.text and "0, 1, or 2" in page.text


def test_a_card_may_have_pairs_of_tests(spender):
    asked = ASKED | {"class": "scorecards", "part": "dep_delay thresholds -60 1440", "pairs": "yes"}
    ahead = spender.get("/learn", asked)
    assert "boosted votes of public tests" in ahead.text and ">one or two: " in ahead.text
    page = spender.get(released(spender.post("/learn/spend", ahead.hidden())))
    assert "boosted votes" in page.text


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"x": "delay"}, "no column &#39;delay&#39;"),
        ({"y": ""}, "name the column that holds the labels"),
        ({"classes": "a,b,c"}, "must be two different labels"),
        ({"source": "t9"}, "choose a table"),
        ({"epsilon": "x"}, "“Privacy ε” must be a finite number"),
        ({"delta": "0.5", "class": "points", "size": ""}, "too large for 3000 records"),
    ],
    ids=str,
)
def test_what_is_wrong_is_said_before_a_record_is_read(browser, asked, words):
    page = browser.get("/learn", ASKED | asked)
    assert words.casefold() in page.text.casefold()
    assert page.status == 200


@pytest.mark.slow
def test_no_value_of_a_record_is_on_a_page(started, folder):
    secrets = [f"SECRET{i}" for i in range(40)]
    lines = "\n".join(f"{name},{name},{name}" for name in secrets)
    (folder / "flights.csv").write_text(f"{secrets[0]},{secrets[1]},late\n{lines}\n")
    browser = started(spends=True).enter()
    pages = [browser.get("/learn", ASKED | {"x": secrets[0]}), browser.get("/learn", ASKED | {"x": "delay"})]
    form = pages[0].hidden()
    place = released(browser.post("/learn/spend", form))
    pages.append(browser.get(place))
    typed = secrets[0]  # the person typed it
    assert not any(name in page.text.replace(typed, "") for page in pages for name in secrets)


@pytest.mark.slow
def test_units_are_counted_and_protected(started, folder):
    spender = started(spends=True, unit=Unit("carrier", 5)).enter()
    page = spender.get("/learn", ASKED)
    assert "Protected as a whole: each <strong>carrier</strong>" in page.text
    assert "Units" in page.text and "with any one unit replaced" in page.text
    place = released(spender.post("/learn/spend", page.hidden()))
    model = json.loads(spender.get(f"/learn/model.json?{place.partition('?')[2]}").text)
    assert model["records"] == 10


@pytest.mark.slow
def test_an_upload_is_learned_from(spender, folder):
    number = json.loads(spender.upload((folder / "flights.csv").read_bytes(), "mine.csv").text)["source"]
    page = spender.get("/learn", ASKED | {"source": number})
    assert "3,000" in page.text
    released(spender.post("/learn/spend", page.hidden()))
    assert account(folder).spent == Budget(1)


def test_a_schema_names_the_labels(started, folder):
    schema = '[label]\ncolumn = "late"\nclasses = [0, 1]\n[columns.dep_delay]\nkind = "integer"\nlow = 0\nhigh = 90\n'
    (folder / "flights.toml").write_text(schema)
    browser = started(schemas={"flights.toml": folder / "flights.toml"}).enter()
    asked = {"source": "t1", "schema": "flights.toml", "class": "thresholds", "x": "dep_delay", "account": "clinic"}
    page = browser.get("/learn", asked)
    assert 'name="y"' not in page.text and "A release costs" in page.text


@pytest.mark.slow
def test_an_upload_is_spelled_as_the_schema_says_and_its_label_may_be_a_condition(started, folder):
    schema = 'separator = ";"\ndecimal_comma = true\n[label]\ncolumn = "price"\nat_least = 50.5\n'
    (folder / "prices.toml").write_text(schema + '[columns.area]\nkind = "decimal"\nlow = 0.0\nhigh = 99.0\n')
    lines = ["area;price", *(f"{i % 99},5;{i % 99},0" for i in range(2000))]
    content = "\n".join(lines).encode()
    plain = started().enter()
    assert "say what separates cells" in plain.upload(content, "prices.csv").text
    spender = started(spends=True, schemas={"prices.toml": folder / "prices.toml"}).enter()
    number = json.loads(spender.upload(content, "prices.csv").text)["source"]
    asked = {"source": number, "schema": "prices.toml", "class": "auto", "epsilon": "1", "account": "clinic"}
    page = spender.get("/learn", asked)
    place = released(spender.post("/learn/spend", page.hidden()))
    model = json.loads(spender.get(f"/learn/model.json?{place.partition('?')[2]}").text)
    assert model["label"] == "price ≥ 50.5" and model["classes"] == ["no", "yes"] and model["records"] == 2000


def test_addresses_of_databases_hide_passwords():
    assert NamedTable("postgresql://ann:secret@host/clinic#visits").name == "clinic#visits"


def test_nothing_released_is_a_sentence(browser):
    for path in ("/learn/released", "/learn/model.json", "/learn/report.html"):
        assert browser.get(f"{path}?of=0").status == 400


@pytest.mark.slow
def test_a_table_that_is_gone_since_the_preview_costs_nothing(spender, folder):
    form = spender.get("/learn", ASKED).hidden()
    (folder / "flights.csv").rename(folder / "away.csv")
    reply = spender.post("/learn/spend", form)
    assert reply.status == 400 and "There is no file" in reply.text and "nothing was charged" in reply.text
    (folder / "away.csv").rename(folder / "flights.csv")
    released(spender.post("/learn/spend", form))
    assert account(folder).spent == Budget(1)


@pytest.mark.slow
@pytest.mark.parametrize(
    "forged", [{"schema": "x"}, {"class": "intervals"}, {"source": "t9"}, {"account": "x"}, {"round": "7"}], ids=str
)
def test_a_forged_form_says_that_nothing_was_charged(spender, folder, forged):
    reply = spender.post("/learn/spend", spender.get("/learn", ASKED).hidden() | forged)
    assert reply.status == 400 and "nothing was charged" in reply.text
    assert account(folder).spent == Budget(0)


@pytest.mark.slow
def test_a_browser_that_hangs_up_finds_its_release_later(spender, folder):
    form = urlencode(spender.get("/learn", ASKED).hidden())
    cookie, port = spender.cookie, spender.session.port
    head = f"POST /learn/spend HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: {spender.origin}\r\nCookie: {cookie}\r\n"
    with socket.create_connection(("127.0.0.1", port)) as line:
        line.sendall(f"{head}Content-Length: {len(form)}\r\n\r\n{form}".encode())
    for _ in range(200):
        if "dep_delay ≥" in (home := unescape(spender.get("/").text)):
            break
        time.sleep(0.05)
    assert "Latest releases" in home and "released before" in spender.get("/learn", ASKED).text
    assert account(folder).spent == Budget(1)


@pytest.mark.slow
def test_a_refusal_leads_back_to_the_form_as_it_was(spender, folder):
    form = spender.get("/learn", ASKED).hidden()
    (folder / "flights.csv").rename(folder / "away.csv")
    refused = spender.post("/learn/spend", form)
    (folder / "away.csv").rename(folder / "flights.csv")
    back = unescape(re.search('href="(/learn[?][^"]*)">Look at the preview again', refused.text)[1])
    assert not {"token", "form_token", "round"} & {each.partition("=")[0] for each in back.partition("?")[2].split("&")}
    assert spender.get(back).hidden() == form


def test_an_account_that_protects_another_unit_pays_for_nothing(started, folder):
    BudgetStore(f"sqlite:///{folder}/budget.db").account("clinic", unit="patient")
    spender = started(spends=True).enter()
    for page in (spender.get("/learn", ASKED), spender.get("/release", {**ASKED, "what": "counts", "by": "carrier"})):
        text = unescape(page.text)
        assert "account 'clinic' protects each 'patient' as a whole" in text.lower() and "/spend" not in text
    assert "fixed, for each patient as a whole" in spender.get("/budgets").text
    assert account(folder).spent == Budget(0)


@pytest.mark.slow
def test_the_only_schema_is_chosen_and_classes_come_in_the_order_of_need(started, folder):
    (folder / "a.toml").write_text('[columns.dep_delay]\nkind = "integer"\nlow = 0\nhigh = 90\n')
    one = started(schemas={"a.toml": folder / "a.toml"}).enter()
    for page in ("/learn", "/plan"):
        text = one.get(page).text
        assert '<option value="a.toml" selected>' in text and '<option value="auto" selected>' in text
    assert '<option value="" selected>' in one.get("/learn", {"schema": ""}).text
    two = started(schemas={"a.toml": folder / "a.toml", "b.toml": folder / "a.toml"}).enter().get("/learn").text
    assert '<option value="" selected>' in two
    offered = re.findall('<option value="([^"]*)"', two[two.index('id="f-class"') :])
    assert offered[:4] == ["thresholds", "points", "sparse-sets", "auto"] and {*in_shell()} <= {*offered}


def test_other_prices_are_compared_before_anything_is_spent(browser, folder):
    text = browser.get("/learn", ASKED | {"epsilon": "0.7"}).text
    rows = re.findall(
        "<tr><td>([0-9.]+(?: [(]this one[)])?)</td><td>≤ best [+] ([0-9.]+) %</td><td>ε = ([0-9.]+),", text
    )
    assert [ε for ε, _, _ in rows] == ["0.1", "0.5", "0.7 (this one)", "1", "3"]
    errors = [float(error) for _, error, _ in rows]
    assert errors == sorted(errors, reverse=True) and f"≤ best + {errors[2]:g} %" in text
    assert [left for _, _, left in rows] == ["2.9", "2.5", "2.3", "2", "0"]
    assert account(folder).spent == Budget(0)


@pytest.mark.slow
def test_with_a_hold_no_page_shows_a_release_before_its_moment(started, folder, monkeypatch):
    """Nor is it in the folder, of which other pages and other servers show what there is."""
    browser = started(spends=True, hold_seconds=120.0).enter()
    seen = []

    def wait(start, h):
        seen.append((h, [each.text or each.failure for each in browser.session.outcome_store.all()]))

    monkeypatch.setattr("privpac.privacy.hold._wait", wait)
    page = browser.get(bought(browser, "/learn", ASKED))
    assert seen == [(120.0, [""])] and "Charged to clinic" in page.text


def test_with_a_hold_a_failed_release_is_held_too(started, folder, monkeypatch):
    browser, seen = started(spends=True, hold_seconds=120.0).enter(), []
    form = browser.get("/learn", ASKED).hidden()
    monkeypatch.setattr("privpac.privacy.hold._wait", lambda start, h: seen.append(h))
    monkeypatch.setattr("privpac.learners.rule_request.RuleRequest.fit", lambda *_, **__: 1 / 0)
    assert browser.post("/learn/spend", form).status == 400
    assert seen == [120.0]
