"""The store knows a question by a key: no crash and no second server charges it twice, and the key tells no record."""

import re
from dataclasses import replace
from html import unescape

import pytest

from privpac.app.outcomes.outcome import Question
from privpac.app.outcomes.outcome_store import OutcomeStore
from privpac.app.pages.learn import LEARN
from privpac.app.session import NamedTable, Session
from privpac.app.spending.store_keys import store_key
from privpac.learners.model import Model
from privpac.privacy.budget import Budget
from privpac.privacy.store.durable_account import DurableAccount
from tests.app.conftest import released, spent
from tests.app.outcomes.test_outcome_store import ASKING, COUNTS, Died
from tests.app.pages.test_learn import ASKED

pytestmark = pytest.mark.slow

FREE = "Show the release, for nothing"


@pytest.fixture
def serve(started, folder):
    """A server that may spend; each keeps its releases in a folder of its own."""

    def start(keep: str, **given):
        return started(spends=True, keep=folder / keep, **given).enter()

    return start


def model(browser, place: str) -> Model:
    return Model.from_json(browser.get(place.replace("released", "model.json")).text)


def ask(browser, asked=ASKED, page: str = "/learn") -> str:
    """Send the form that a preview offers; returns where the release is."""
    return released(browser.post(f"{page}/spend", browser.get(page, asked).hidden()))


def test_a_second_server_with_a_folder_of_its_own_shows_the_release_for_nothing(serve, folder):
    first, second = serve("one"), serve("two")
    asked = ASKED | {"epsilon": "3"}  # all that the account has
    place = ask(first, asked)
    page = second.get("/learn", asked).text
    assert FREE in page and "Spend" not in page and "cannot pay" not in page
    assert ask(second, asked) == place
    assert model(first, place).to_json() == model(second, place).to_json()
    assert "Charged to clinic: ε = 3 on" in second.get(place).text  # what the first one charged
    assert "released before" in second.get("/learn", asked).text and FREE not in second.get("/learn", asked).text
    assert spent(folder) == Budget(3)


def test_so_does_one_whose_preview_is_older_than_the_release(serve, folder):
    first, second = serve("one"), serve("two")
    form = second.get("/release", COUNTS).hidden()
    place = ask(first, COUNTS, "/release")
    assert released(second.post("/release/spend", form)) == place
    files = [each.get(place.replace("released", "release.json")).text for each in (first, second)]
    assert files[0] == files[1] and spent(folder).epsilon == 1


def test_anew_is_a_release_that_nobody_has_seen(serve, folder):
    first, second = serve("one"), serve("two")
    place = ask(first)
    anew = first.get(place).hidden() | {"anew": "yes"}
    released(first.post("/learn/spend", anew))
    again = second.get("/learn", ASKED).hidden()
    assert again["round"] == "1"  # the latest one, for nothing
    shown = second.get(released(second.post("/learn/spend", again))).hidden()
    assert shown["round"] == "2" and spent(folder) == Budget(2)
    assert second.post("/learn/spend", shown).status == 400  # the box is not ticked
    released(second.post("/learn/spend", shown | {"anew": "yes"}))
    assert spent(folder) == Budget(3)


def dies(*_, **__):
    raise Died


def test_a_server_that_dies_between_the_charge_and_its_folder_loses_nothing(serve, folder, monkeypatch):
    first, asked = serve("one"), ASKED | {"epsilon": "3"}
    form = first.get("/learn", asked).hidden()
    monkeypatch.setattr(OutcomeStore, "note_anyway", dies)
    with pytest.raises(Died):
        LEARN.spend(first.session, form)
    monkeypatch.undo()
    assert spent(folder) == Budget(3)
    again = serve("one")
    page = again.get("/learn", asked)
    assert "This question was asked before" in page.text and "not answered" in page.text and FREE in page.text
    [file] = (folder / "one").glob("*.json")
    failed = again.get(f"/learn/released?of={file.stem}")
    assert "still at work. Charged to clinic: ε = 3" in failed.text and FREE in failed.text
    assert "nothing was released" not in failed.text  # the store has it
    place = released(again.post("/learn/spend", page.hidden()))
    assert "dep_delay ≥" in again.get(place).text and "Charged to clinic: ε = 3 on" in again.get(place).text
    assert spent(folder) == Budget(3)


def test_a_charge_without_a_release_is_told_and_its_coins_are_never_tossed_again(serve, folder, monkeypatch):
    first, second = serve("one"), serve("two")
    form, older = first.get("/learn", ASKED).hidden(), second.get("/learn", ASKED).hidden()
    monkeypatch.setattr(DurableAccount, "keep", dies)
    with pytest.raises(Died):
        LEARN.spend(first.session, form)
    monkeypatch.undo()
    second.session.store = replace(second.session.store, timeout=0.2)
    reply = second.post("/learn/spend", older)
    assert reply.status == 400 and "was charged before" in reply.text and "Nothing more was charged" in reply.text
    page = second.get("/learn", ASKED)
    assert "nobody may toss coins twice for one charge" in page.text and FREE not in page.text
    assert page.hidden()["round"] == "1" and spent(folder) == Budget(1)
    released(second.post("/learn/spend", page.hidden() | {"anew": "yes"}))
    assert spent(folder) == Budget(2)


def test_other_records_of_the_same_number_are_the_same_question_and_pages_do_not_tell_them_apart(serve, folder):
    first, second = serve("one"), serve("two")
    place = ask(first)
    before = second.get("/learn", ASKED).text
    lines = (folder / "flights.csv").read_text().splitlines()
    (folder / "flights.csv").write_text("\n".join([lines[0], "1440,B,0", *lines[2:]]))  # a neighbor
    assert second.get("/learn", ASKED).text == before
    assert ask(second) == place and model(second, place).to_json() == model(first, place).to_json()
    assert spent(folder) == Budget(1)


def test_another_table_is_another_question(serve, folder):
    first = serve("one")
    ask(first)
    lines = (folder / "flights.csv").read_text()
    (folder / "other.csv").write_text(lines)
    (folder / "flights.csv").write_text(lines + "\n5,A,0\n")
    second = serve("two", data={"t1": NamedTable(str(folder / "flights.csv")), "t2": NamedTable(f"{folder}/other.csv")})
    for source in ("t1", "t2"):
        assert "Spend ε = 1 and release" in second.get("/learn", ASKED | {"source": source}).text
    upload = second.upload(lines.encode(), "flights.csv")
    number = re.search('"source":"(u[0-9]+)"', upload.text)[1]
    assert "Spend ε = 1 and release" in second.get("/learn", ASKED | {"source": number}).text


def test_the_charge_is_on_the_page_of_budgets_under_the_name_of_its_user(serve):
    browser = serve("one")
    browser.session.user = "clinic"
    ask(browser)
    page = unescape(browser.get("/budgets").text)
    assert re.search(
        "<td>clinic</td><td>late = 1 if [^<]* · flights.csv · PureThresholdLearner</td><td>ε = 1</td>", page
    )
    other = serve("two")  # which shares the store, and not the folder of releases
    page = unescape(other.get("/budgets").text)
    assert re.search("<td>PureThresholdLearner, in the explorer \\([0-9a-f]{8}\\)</td><td>ε = 1</td>", page)


def test_a_key_tells_machines_apart_only_where_a_store_is_shared(monkeypatch):
    here, shared = Session(1), Session(1, store="postgresql://host/budget")
    keys = {}
    for node in ("a", "b"):
        monkeypatch.setattr("platform.node", lambda node=node: node)
        asked = (ASKING, replace(ASKING, table="postgresql://host/clinic#visits"))
        keys[node] = [store_key(session, each) for session in (here, shared) for each in asked]
    assert [x == y for x, y in zip(keys["a"], keys["b"], strict=True)] == [True, True, False, True]
    assert re.fullmatch("explore [0-9a-f]{32}", keys["a"][0])


def test_every_part_of_a_question_is_in_its_key():
    session, first = Session(1), Question("learn", (("epsilon", "1"),), "/data/visits.csv", 100)
    changes = [{"kind": "release"}, {"fields": ()}, {"table": "/x.csv"}, {"n": 99}, {"schema": "0"}, {"round": 1}]
    assert len({store_key(session, replace(first, **each)) for each in [{}, *changes]}) == 7
