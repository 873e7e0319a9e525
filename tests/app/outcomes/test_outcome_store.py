"""What was charged and released outlives the server: nothing is lost, and nothing is charged twice."""

import json
import os
import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from privpac.app.outcomes.outcome import Question, SpendOutcome
from privpac.app.outcomes.outcome_store import OutcomeStore, folder_beside
from privpac.app.pages.learn import LEARN
from privpac.app.session import NamedTable
from privpac.learners.model import Model
from privpac.privacy.budget import Budget
from privpac.privacy.certificate import Entry
from privpac.privacy.store.database import StoreError
from privpac.privacy.store.durable_account import DurableAccount
from privpac.refusals.refusal import Refused
from tests.app.conftest import bought, released, spent
from tests.app.pages.test_learn import ASKED

ASKING = Question("learn", (("epsilon", "1"),), "/data/visits.csv", 100)
BEGUN = SpendOutcome(ASKING, "clinic", "visits.csv", datetime(2026, 1, 2, tzinfo=UTC))
COUNTS = {"source": "t1", "what": "counts", "by": "carrier", "epsilon": "1", "account": "clinic"}


@pytest.fixture
def serve(started, folder):
    """A server that may spend and keeps releases; call it again to start it anew."""
    return lambda **given: started(spends=True, keep=folder / "kept", **given).enter()


def test_an_outcome_is_read_as_it_was_written():
    tried = (Entry("exponential", Budget("1/3", "1e-6"), "a theorem"),)
    done = SpendOutcome(ASKING, "clinic", "visits.csv", BEGUN.day, tried, "a rule", "{}", "<p>ü</p>")
    assert SpendOutcome.from_json(done.to_json()) == done
    assert done.cost == Budget("1/3", "1e-6")
    for broken in ("", "[]", "{}", done.to_json().replace('"version": 1', '"version": 2'), done.to_json()[:-9]):
        with pytest.raises(Refused):
            SpendOutcome.from_json(broken)


def test_only_one_process_begins(tmp_path):
    first, second = OutcomeStore(tmp_path / "kept"), OutcomeStore(tmp_path / "kept")
    first.begin(BEGUN)
    with pytest.raises(Refused, match="answered by another request"):
        second.begin(BEGUN)
    assert second.get(ASKING.key) == BEGUN
    first.forget(ASKING.key)
    second.begin(BEGUN)


def test_only_one_thread_begins_even_in_memory():
    kept = OutcomeStore()
    kept.begin(BEGUN)
    with pytest.raises(Refused, match="answered by another request"):
        kept.begin(replace(BEGUN, account="school"))
    assert kept.get(ASKING.key) is BEGUN


def test_only_keys_name_files(tmp_path):
    (tmp_path / "secret.json").write_text(BEGUN.to_json())
    kept = OutcomeStore(tmp_path / "kept")
    kept.begin(BEGUN)
    for key in ("../secret", "secret", "", ASKING.key + "/", "A" * 64):
        assert kept.get(key) is None


@pytest.mark.slow
def test_a_damaged_file_is_named_and_never_charged_again(serve, folder):
    browser = serve()
    place = bought(browser, "/learn", ASKED)
    [file] = (folder / "kept").iterdir()
    file.write_text("{")
    browser = serve()
    assert "is damaged" in browser.get("/learn", ASKED).text and "/learn/spend" not in browser.get("/learn", ASKED).text
    assert "is damaged" in browser.get(place).text
    assert file.name in browser.get("/budgets").text
    assert spent(folder) == Budget(1)


DONE = replace(BEGUN, tried=(Entry("exponential", Budget(1), "a theorem"),), title="a rule", text="{}")


@pytest.mark.parametrize(
    ("whole", "part"),
    [
        ('"0"', '"1/0"'),
        ('"0"', '"nan"'),
        ('"text": "{}"', '"text": 7'),
        ('"title": "a rule"', '"title": ["a rule"]'),
        ('"account": "clinic"', '"account": null'),
        ('"cost": [', '"cost": [[], '),
        ('"fields": {', '"fields": [{'),
        ('"tried": [', f'"tried": [{"[" * 10**5}'),
    ],
)
def test_all_damage_is_seen(whole, part):
    assert SpendOutcome.from_json(DONE.to_json()) == DONE and whole in DONE.to_json()
    with pytest.raises(Refused):
        SpendOutcome.from_json(DONE.to_json().replace(whole, part, 1))


def test_a_time_without_a_zone_can_be_compared(tmp_path):
    other = replace(DONE, question=replace(ASKING, n=7))
    for each, text in ((DONE, DONE.to_json()), (other, other.to_json().replace("+00:00", ""))):
        (tmp_path / f"{each.question.key}.json").write_text(text)
    assert len(OutcomeStore(tmp_path).all()) == 2


@pytest.mark.parametrize("links", [True, False])
def test_a_question_is_begun_once_and_leaves_no_draft(tmp_path, monkeypatch, links):
    if not links:
        monkeypatch.setattr(os, "link", lambda *_: (_ for _ in ()).throw(PermissionError))
    first, second = OutcomeStore(tmp_path), OutcomeStore(tmp_path)
    first.begin(DONE)
    with pytest.raises(Refused, match="another request"):
        second.begin(DONE)
    assert [path.name for path in tmp_path.iterdir()] == [f"{DONE.question.key}.json"]
    assert OutcomeStore(tmp_path).get(DONE.question.key) == DONE


def test_another_server_never_sees_a_file_that_is_half_written(tmp_path, monkeypatch):
    """An empty file, even for a moment, would be called damaged, and stay so if the first server died then."""
    seen, flush, key = [], os.fsync, DONE.question.key
    monkeypatch.setattr(os, "fsync", lambda file: (seen.append(OutcomeStore(tmp_path).get(key)), flush(file)))
    OutcomeStore(tmp_path).begin(DONE)
    assert seen == [None, DONE]


def test_files_that_cannot_be_read_stop_no_other(tmp_path):
    kept = OutcomeStore(tmp_path)
    kept.begin(DONE)
    others = [tmp_path / f"{replace(ASKING, n=n).key}.json" for n in range(4)]
    others[0].mkdir()
    others[1].symlink_to(others[1])
    others[2].write_text(DONE.to_json())  # a copy: the answer to another question
    others[3].write_bytes(b"\xff")
    for each in (kept, OutcomeStore(tmp_path)):
        assert each.all() == [DONE]
        assert sorted(each.damaged()) == sorted(path.name for path in others)
        for path in others:
            with pytest.raises((Refused, OSError)):
                each.get(path.stem)


@pytest.mark.slow
def test_after_a_restart_the_release_is_shown_and_not_charged_again(serve, folder):
    first = serve()
    form = first.get("/learn", ASKED).hidden()
    place = released(first.post("/learn/spend", form))
    shown = first.get(place).text
    model = first.get(place.replace("released", "model.json")).text
    again = serve()
    assert again.session.form_token != first.session.form_token
    assert again.post("/learn/spend", form).status == 403  # a form of the server that is gone
    page = again.get("/learn", ASKED)
    assert "released before" in page.text and place in page.text
    body = "".join(line for line in shown.splitlines() if "report" in line or "dep_delay" in line)
    assert body and "dep_delay ≥" in again.get(place).text
    assert Model.from_json(again.get(place.replace("released", "model.json")).text) == Model.from_json(model)
    assert again.get(place.replace("released", "report.html")).status == 200
    for path in ("/", "/budgets"):
        assert place in again.get(path).text, path
    assert spent(folder) == Budget(1)
    anew = again.get(place).hidden()
    assert anew["round"] == "1"
    other = released(again.post("/learn/spend", anew | {"anew": "yes"}))
    assert other != place and spent(folder) == Budget(2)


@pytest.mark.slow
def test_a_release_is_kept_with_its_files(serve, folder):
    first = serve()
    place = bought(first, "/release", COUNTS)
    files = [place.replace("released", name) for name in ("release.json", "counts.csv")]
    before = [first.get(each).text for each in files]
    again = serve()
    assert [again.get(each).text for each in files] == before
    assert len(again.get(place.replace("released", "synthetic.csv")).text.splitlines()) == 3001
    assert "released before" in again.get("/release", COUNTS).text


@pytest.mark.slow
def test_two_servers_at_once_charge_once(serve, folder):
    first, second = serve(), serve()
    forms = [each.get("/learn", ASKED).hidden() for each in (first, second)]
    place = released(first.post("/learn/spend", forms[0]))
    assert released(second.post("/learn/spend", forms[1])) == place
    assert spent(folder) == Budget(1)


@pytest.mark.slow
def test_another_table_under_the_same_number_is_another_question(serve, folder):
    first = serve()
    place = bought(first, "/learn", ASKED)
    (folder / "other.csv").write_bytes((folder / "flights.csv").read_bytes())
    other = serve(data={"t1": NamedTable(str(folder / "other.csv"))})
    assert "released before" not in other.get("/learn", ASKED).text
    assert "is not offered now" in other.get(place).text and "Release anew" not in other.get(place).text


@pytest.mark.slow
def test_another_upload_is_another_question_and_the_earlier_release_is_named(serve, folder):
    content = (folder / "flights.csv").read_bytes()
    first = serve()
    asked = ASKED | {"source": json.loads(first.upload(content, "mine.csv").text)["source"]}
    place = bought(first, "/learn", asked)
    again = serve()
    again.upload(content, "mine.csv")
    page = again.get("/learn", asked)
    assert "an earlier upload of mine.csv" in page.text and place in page.text and "/learn/spend" in page.text
    assert b"dep_delay,carrier" not in b"".join(each.read_bytes() for each in (folder / "kept").iterdir())


class Died(BaseException):
    """The server is gone at once: nothing after it runs."""


def dies_at_the_charge(browser, monkeypatch, *, charged: bool) -> None:
    """Its server dies with a question, just before or just after the charge is on disk."""
    charge = DurableAccount.charge_once

    def dying(self, entry, claim):
        if charged:
            charge(self, entry, claim)
        raise Died

    form = browser.get("/learn", ASKED).hidden()
    monkeypatch.setattr(DurableAccount, "charge_once", dying)
    with pytest.raises(Died):
        LEARN.spend(browser.session, form)
    monkeypatch.undo()


@pytest.mark.slow
def test_a_server_that_dies_after_a_charge_leaves_the_truth(serve, folder, monkeypatch):
    dies_at_the_charge(serve(), monkeypatch, charged=True)
    again = serve()
    page = again.get("/learn", ASKED)
    assert "not answered" in page.text
    [place] = {f"/learn/released?of={each.stem}" for each in (folder / "kept").glob("*.json")}
    assert "nothing was released. Charged to clinic: ε = 1" in again.get(place).text
    anew = again.post("/learn/spend", page.hidden() | {"anew": "yes"})
    assert "dep_delay ≥" in again.get(released(anew)).text
    assert spent(folder) == Budget(2)


@pytest.mark.slow
@pytest.mark.parametrize("where", ["preview", "page"])
def test_a_question_whose_server_died_before_the_charge_is_simply_asked_again(serve, folder, monkeypatch, where):
    dies_at_the_charge(serve(), monkeypatch, charged=False)
    again = serve()
    [place] = {f"/learn/released?of={each.stem}" for each in (folder / "kept").glob("*.json")}
    page = again.get("/learn", ASKED) if where == "preview" else again.get(place)
    assert "Nothing has been charged for this question" in page.text and "nothing was released. Charged" in (
        again.get(place).text
    )
    assert page.hidden()["round"] == "0" and "anew" not in page.hidden()
    assert released(again.post("/learn/spend", page.hidden())) == place
    found = again.get(place).text
    assert "dep_delay ≥" in found and "Charged to clinic: ε = 1 on" in found  # and not twice that
    assert spent(folder) == Budget(1)
    assert released(again.post("/learn/spend", page.hidden())) == place  # once more: the same release
    assert spent(folder) == Budget(1)


@pytest.mark.slow
def test_a_question_that_another_server_still_works_on_is_charged_once(serve, folder, monkeypatch):
    """Asked again while the first server, which seems dead, is about to charge: one of the two charges."""
    first, second = serve(), serve()
    form = first.get("/learn", ASKED).hidden()
    charge, replies = DurableAccount.charge_once, []

    def overtaken(self, entry, claim):
        monkeypatch.undo()
        replies.append(second.post("/learn/spend", second.get("/learn", ASKED).hidden()))
        charge(self, entry, claim)

    monkeypatch.setattr(DurableAccount, "charge_once", overtaken)
    place = released(first.post("/learn/spend", form))
    assert released(replies[0]) == place
    assert first.get(place).text.count("Charged to clinic: ε = 1 on") == 1
    assert spent(folder) == Budget(1)


@pytest.mark.slow
def test_a_full_disk_before_the_charge_names_the_folder(serve, folder, monkeypatch):
    browser = serve()
    form = browser.get("/learn", ASKED).hidden()

    def full(number):
        raise OSError(28, os.strerror(28))

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        reply = browser.post("/learn/spend", form)
    assert f"{folder / 'kept'} cannot be used: No space left on device; nothing was charged." in reply.text
    assert spent(folder) == Budget(0)
    released(browser.post("/learn/spend", form))


@pytest.mark.slow
def test_accounts_that_cannot_be_written_are_told_in_one_sentence(serve, folder, monkeypatch):
    browser = serve()
    form = browser.get("/learn", ASKED).hidden()

    def full(self, entry, claim):
        raise StoreError("the budget store cannot be used: database or disk is full; nothing was charged")

    monkeypatch.setattr(DurableAccount, "charge_once", full)
    reply = browser.post("/learn/spend", form)
    assert "disk is full; nothing was charged." in reply.text and reply.text.count("nothing was charged") == 1


def test_a_store_that_is_gone_is_not_called_a_changed_question(serve, folder):
    browser = serve()
    form = browser.get("/learn", ASKED).hidden()
    (folder / "budget.db").unlink()
    reply = browser.post("/learn/spend", form)
    assert reply.status == 400 and "Choose an account that pays for the release" in reply.text
    assert "nothing was charged" in reply.text


@pytest.mark.slow
def test_a_lost_connection_to_the_accounts_is_told_and_resolved(serve, folder, monkeypatch):
    browser = serve()
    form = browser.get("/learn", ASKED).hidden()
    charge, store, away = DurableAccount.charge_once, folder / "budget.db", folder / "away.db"

    def lost(self, entry, claim):
        charge(self, entry, claim)
        store.rename(away)
        store.write_bytes(b"not a database" * 99)  # charged, and then the accounts cannot be asked
        raise OSError("connection reset")

    monkeypatch.setattr(DurableAccount, "charge_once", lost)
    place = released(browser.post("/learn/spend", form))
    assert browser.get(place).status == 400  # not even whose it is can be read
    monkeypatch.undo()
    away.replace(store)
    page = browser.get(place).text
    assert "connection to the accounts was lost" in page and "Charged to clinic: ε = 1" in page
    assert released(browser.post("/learn/spend", form)) == place
    assert spent(folder) == Budget(1)


@pytest.mark.slow
def test_a_connection_lost_before_the_charge_costs_nothing(serve, folder, monkeypatch):
    browser = serve()
    form = browser.get("/learn", ASKED).hidden()

    def lost(self, entry, claim):
        raise OSError("connection refused")

    monkeypatch.setattr(DurableAccount, "charge_once", lost)
    reply = browser.post("/learn/spend", form)
    assert reply.status == 400 and "nothing was charged" in reply.text
    monkeypatch.undo()
    released(browser.post("/learn/spend", form))
    assert spent(folder) == Budget(1)


@pytest.mark.slow
def test_a_folder_that_cannot_be_written_is_found_before_a_charge(serve, folder):
    browser = serve()
    form = browser.get("/learn", ASKED).hidden()
    (folder / "kept").write_text("")
    assert "Not a directory" in browser.get("/learn", ASKED).text
    reply = browser.post("/learn/spend", form)
    assert reply.status == 400 and "nothing was charged" in reply.text
    assert spent(folder) == Budget(0)


@pytest.mark.slow
def test_a_full_disk_after_the_charge_loses_nothing(serve, folder, monkeypatch):
    browser = serve()
    form = browser.get("/learn", ASKED).hidden()
    note = OutcomeStore.note

    def full(self, outcome):
        note(self, outcome)
        if outcome.text:
            raise OSError(28, os.strerror(28))

    monkeypatch.setattr(OutcomeStore, "note", full)
    place = released(browser.post("/learn/spend", form))
    page = browser.get(place).text
    assert "No space left on device" in page and "dep_delay ≥" in page
    assert Model.from_json(browser.get(place.replace("released", "model.json")).text)
    assert spent(folder) == Budget(1)


@pytest.mark.slow
def test_a_page_that_fails_after_a_release_loses_nothing(serve, folder, monkeypatch, capfd):
    monkeypatch.setattr("privpac.app.pages.learn.fit_page", lambda *_: 1 / 0)
    browser = serve()
    place = bought(browser, "/learn", ASKED)
    assert "The release itself is in the files above" in browser.get(place).text
    assert Model.from_json(browser.get(place.replace("released", "model.json")).text)
    assert "ZeroDivisionError" in capfd.readouterr().err


@pytest.mark.slow
def test_a_schema_that_changed_makes_another_question(serve, folder):
    schema = '[label]\ncolumn = "late"\nclasses = [0, 1]\n[columns.dep_delay]\nkind = "integer"\nlow = 0\nhigh = {}\n'
    (folder / "flights.toml").write_text(schema.format(90))
    asked = {"source": "t1", "schema": "flights.toml", "class": "thresholds", "x": "dep_delay", "account": "clinic"}
    browser = serve(schemas={"flights.toml": folder / "flights.toml"})
    bought(browser, "/learn", asked)
    assert "released before" in browser.get("/learn", asked).text
    (folder / "flights.toml").write_text(schema.format(95))
    assert "released before" not in browser.get("/learn", asked).text


@pytest.mark.slow
def test_files_are_for_the_owner_alone_and_hold_no_password(serve, folder):
    browser = serve()
    bought(browser, "/learn", ASKED)
    [file] = (folder / "kept").iterdir()
    assert [each.stat().st_mode & 0o077 for each in (file, file.parent)] == [0, 0]
    assert NamedTable("postgresql://ann:secret@host/clinic#visits").place == "postgresql://host/clinic#visits"


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://ann:secret@host/clinic#visits",
        "postgresql://ann:a@secret@host/clinic#visits",
        "postgresql://host/clinic?user=ann&password=secret#visits",
        "postgresql://host/clinic?PASSWORD=secret&sslmode=require#visits",
    ],
)
def test_no_name_of_a_table_holds_a_password(address):
    named = NamedTable(address)
    assert "secret" not in named.name + named.place
    assert named.name.startswith("clinic") and named.name.endswith("#visits") and "//host/clinic" in named.place


def test_a_folder_beside_the_store(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert folder_beside(f"sqlite:///{tmp_path}/budget.db") == tmp_path / "budget.releases"
    assert folder_beside("postgresql://ann:secret@host/clinic") == tmp_path / "clinic.releases"


def test_a_kept_outcome_has_a_day_and_no_hour(tmp_path):
    """Files of earlier versions, too; outcomes of one day stay in their order."""
    late = datetime(2026, 1, 2, 23, 59, 59, 123456, UTC)
    tried = (Entry("exponential", Budget(1), "a theorem", time=late),)
    written = replace(BEGUN, tried=tried).to_json()
    assert written.count("2026-01-02T00:00:00+00:00") == 2 and "23:59" not in written
    older = SpendOutcome.from_json(written.replace("T00:00:00+", "T12:34:56.789012+"))
    assert (older.day, older.tried[0].time) == (BEGUN.day, BEGUN.day)
    kept = OutcomeStore(tmp_path / "kept")
    for i in (3, 1, 2):
        kept.begin(replace(BEGUN, question=replace(ASKING, round=i)))
        os.utime(kept.folder / f"{replace(ASKING, round=i).key}.json", ns=(0, 10**9 * i))
    assert [each.question.round for each in kept.all()] == [3, 2, 1]


@pytest.mark.slow
def test_pages_show_days(serve):
    browser = serve()
    bought(browser, "/learn", ASKED)
    for page in (browser.get("/budgets", {}).text, browser.get("/learn", ASKED).text):
        assert not re.search(r"\d\d:\d\d", page)
