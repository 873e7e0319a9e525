"""Several users behind a proxy: one account each, nothing of the others, and no forged name."""

import json
from dataclasses import dataclass

import pytest

from privpac.app.server.proxy import Proxy, key_in_file, proxy_from_options
from privpac.app.session import NamedTable
from privpac.privacy.budget import Budget
from privpac.privacy.store.accounts import BudgetStore
from privpac.refusals.refusal import Refused
from tests.app.conftest import Browser, Reply, released, running
from tests.app.pages.test_learn import ASKED

PUBLIC, KEY = "https://explorer.clinic.example", "k" * 40
HOST = PUBLIC.removeprefix("https://")


@dataclass
class Behind(Browser):
    """A browser of one user behind the proxy, which sends the key and the user's name."""

    user: str = ""
    key: str = KEY
    public: str = PUBLIC

    @property
    def origin(self) -> str:
        return self.public

    def send(self, method, path, body=None, headers=None) -> Reply:
        sent = {"Host": HOST, "X-Remote-User": self.user or None, "X-Privpac-Key": self.key or None}
        return super().send(method, path, body, sent | (headers or {}))


@pytest.fixture
def house(folder):
    store = BudgetStore(f"sqlite:///{folder}/budget.db")
    for name in ("ann", "bob"):
        store.account(name, Budget(3, 1e-5))
    data = {"t1": NamedTable(str(folder / "flights.csv"))}
    proxy = Proxy(PUBLIC, "X-Remote-User", KEY)
    session, server = running(proxy, data=data, store=store.url, spends=True, keep=folder / "kept")
    yield session, store
    server.should_exit = True


def asked(user: str) -> dict[str, str]:
    return ASKED | {"account": user}


@pytest.mark.slow
def test_each_user_pays_with_an_account_of_the_same_name(house):
    session, store = house
    ann, bob = (Behind(session, user=user) for user in ("ann", "bob"))
    places = [released(each.post("/learn/spend", each.get("/learn", asked(each.user)).hidden())) for each in (ann, bob)]
    assert places[0] != places[1]
    assert [store.account(name).spent.epsilon for name in ("ann", "bob", "clinic")] == [1, 1, 0]
    assert {entry.who for entry in store.account("ann").history()} == {"ann"}
    assert "ann · may spend" in ann.get("/").text


@pytest.mark.slow
def test_a_user_sees_nothing_of_the_others(house):
    session, _ = house
    ann, bob = (Behind(session, user=user) for user in ("ann", "bob"))
    place = released(ann.post("/learn/spend", ann.get("/learn", asked("ann")).hidden()))
    for path in (place, place.replace("released", "model.json"), place.replace("released", "report.html")):
        assert ann.get(path).status == 200
        assert bob.get(path).status == 400 and "dep_delay" not in bob.get(path).text
    for path in ("/", "/budgets"):
        assert place in ann.get(path).text
        assert place not in bob.get(path).text and "ann<" not in bob.get(path).text
    number = json.loads(ann.upload(b"dep_delay,late\n1,0\n", "anns.csv", session_token(ann)).text)["source"]
    assert number == "u1" and "anns.csv" in ann.get("/learn").text
    assert "anns.csv" not in bob.get("/learn").text
    assert "choose a table" in bob.get("/learn", asked("bob") | {"source": "u1"}).text.lower()
    assert "anns.csv" not in Behind(session, user="clinic").get("/learn").text


def session_token(browser: Behind) -> str:
    return browser.get("/learn").text.partition('data-token="')[2].partition('"')[0]


@pytest.mark.slow
def test_a_user_cannot_charge_another(house):
    session, store = house
    with pytest.raises(Refused, match="choose an account"):
        session.for_user("bob").account("ann")
    ann, bob = (Behind(session, user=user) for user in ("ann", "bob"))
    assert 'value="ann"' not in bob.get("/learn").text
    page = bob.get("/learn", asked("ann"))
    assert "/learn/spend" not in page.text
    theirs, ours = ann.get("/learn", asked("ann")).hidden(), bob.get("/learn", asked("bob")).hidden()
    assert bob.post("/learn/spend", theirs).status == 403  # the token of ann's form
    assert bob.post("/learn/spend", ours | {"account": "ann"}).status == 400
    assert bob.post("/learn/spend", theirs | {"form_token": ours["form_token"]}).status == 400
    assert [store.account(name).spent for name in ("ann", "bob")] == [Budget(0), Budget(0)]


@pytest.mark.parametrize(
    "forged",
    [
        {"key": ""},
        {"key": "x" * 40},
        {"key": KEY[:-1]},
        {"user": ""},
        {"user": " "},
        {"user": "eve"},  # no account
        {"user": "ann\u00ff"},  # Latin-1, which is not UTF-8
    ],
    ids=str,
)
def test_without_the_key_or_a_known_user_nothing_is_answered(house, forged):
    session, _ = house
    eve = Behind(session, **{"user": "ann"} | forged)
    for path in ("/", "/budgets", "/explorer.js"):
        assert eve.get(path).status == 403
    assert eve.post("/learn/spend", {}).status == 403


def test_the_key_of_the_session_and_its_cookie_open_nothing(house):
    session, _ = house
    eve = Behind(session, cookie=f"privpac-{session.port}={session.cookie}", user="ann", key="")
    assert eve.get(f"/?key={session.key}").status == 403
    assert eve.get("/").status == 403


def test_a_second_header_is_refused(house):
    """A proxy that adds its header to that of a browser instead of replacing it."""
    proxy = Proxy(PUBLIC, "X-Remote-User", KEY)
    with pytest.raises(Exception, match="one user"):
        proxy.user([("x-privpac-key", KEY), ("x-remote-user", "ann"), ("X-Remote-User", "bob")])


def test_without_the_option_the_header_means_nothing(spender):
    page = spender.get("/budgets", **{"X-Remote-User": "ann"})
    assert "clinic" in page.text and "ann ·" not in page.text
    spender.cookie = ""
    assert spender.get("/", **{"X-Remote-User": "clinic", "X-Privpac-Key": spender.session.key}).status == 403


def test_forged_sites_and_hosts_are_refused_behind_a_proxy(house):
    session, store = house
    ann = Behind(session, user="ann")
    form = ann.get("/learn", asked("ann")).hidden()
    for forged in ({"Origin": f"http://127.0.0.1:{session.port}"}, {"Origin": None}, {"Sec_Fetch_Site": "cross-site"}):
        assert ann.post("/learn/spend", form, **forged).status == 403
    for host in (f"127.0.0.1:{session.port}", "evil.example"):
        assert ann.get("/", Host=host).status == 421
    assert store.account("ann").spent == Budget(0)


def test_names_are_text_beyond_latin_letters(folder):
    proxy = Proxy(PUBLIC, "X-Remote-User", KEY)
    sent = "Zoë".encode().decode("latin-1")
    assert proxy.user([("X-Privpac-Key", KEY), ("X-Remote-User", sent)]) == "Zoë"


@pytest.mark.parametrize("address", ["clinic", "ftp://host", "https://host/path", "https://", "https://ann@host"])
def test_an_address_is_a_scheme_and_a_host(address):
    with pytest.raises(Refused, match="proxy must be the address"):
        Proxy(address, "X-Remote-User", KEY)


@pytest.mark.parametrize("header", ["", "X Remote", "Host", "cookie", "X-Privpac-Key"])
def test_a_header_has_a_name(header):
    with pytest.raises(Refused, match="user_header"):
        Proxy(PUBLIC, header, KEY)


def test_the_three_options_belong_together(tmp_path):
    assert proxy_from_options(None, None, None) is None
    for some in ((PUBLIC, None, None), (PUBLIC, "X-Remote-User", None), (None, "X-Remote-User", tmp_path / "key")):
        with pytest.raises(Refused, match="belong together"):
            proxy_from_options(*some)
    assert list(tmp_path.iterdir()) == []


def test_a_key_is_made_once_and_must_be_secret(tmp_path):
    path = tmp_path / "key"
    key = key_in_file(path)
    assert (key_in_file(path), len(key), path.stat().st_mode & 0o077) == (key, 64, 0)
    path.chmod(0o644)
    with pytest.raises(Refused, match="chmod 640"):
        key_in_file(path)
    path.chmod(0o600)
    path.write_text("short")
    with pytest.raises(Refused, match="at least 32"):
        key_in_file(path)


@pytest.mark.slow
def test_a_question_in_the_name_of_another_shows_nothing_that_they_released(house):
    """Bob asks what Ann asked, about Ann's account, which is a part of the question."""
    session, store = house
    ann, bob = (Behind(session, user=user) for user in ("ann", "bob"))
    before = bob.get("/learn", asked("ann")).text
    place = released(ann.post("/learn/spend", ann.get("/learn", asked("ann")).hidden()))
    assert "dep_delay ≥" in ann.get("/learn", asked("ann")).text
    page = bob.get("/learn", asked("ann")).text
    assert page == before and place not in page and "dep_delay ≥" not in page
    assert store.account("bob").spent == Budget(0)


@pytest.mark.parametrize("name", ["ann\u00a0", "\u3000ann", "ann\x0b", "ann\u200b", "ann\x00"], ids=ascii)
def test_a_name_that_only_looks_like_another_is_not_that_user(name):
    with pytest.raises(Exception, match="one user"):
        sent = name.encode().decode("latin-1")
        Proxy(PUBLIC, "X-Remote-User", KEY).user([("X-Privpac-Key", KEY), ("X-Remote-User", sent)])
