"""A running explorer, and a browser that sends what it is told to send."""

import csv
import http.client
import json
import re
import socket
import threading
import time
from dataclasses import dataclass
from html import unescape
from io import StringIO
from urllib.parse import urlencode

import pytest
import uvicorn

from privpac.app.server.proxy import Proxy
from privpac.app.server.routes import application
from privpac.app.session import NamedTable, Session
from privpac.privacy.budget import Budget
from privpac.privacy.store.accounts import BudgetStore
from tests.app.chromium import Chromium

FLIGHTS = "dep_delay,carrier,late\n" + "\n".join(f"{i % 90},{'AB'[i % 2]},{int(i % 90 >= 35)}" for i in range(3000))

SCHEMA = """
[columns.dep_delay]
kind = "integer"
low = 0
high = 90
[columns.carrier]
kind = "category"
values = ["A", "B"]
"""


@dataclass
class Reply:
    status: int
    headers: dict[str, str]
    text: str

    def field(self, name: str) -> str:
        """The value of a hidden field."""
        return unescape(re.search(f'name="{name}" value="([^"]*)"', self.text)[1])

    def hidden(self) -> dict[str, str]:
        """All hidden fields of the first form that spends."""
        form = self.text[self.text.index("<form method=") :]
        found = re.findall('<input type="hidden" name="([^"]*)" value="([^"]*)">', form[: form.index("</form>")])
        return {unescape(name): unescape(value) for name, value in found}


def as_read(page: str) -> str:
    """A page without the marks that keep numbers on one line, which nobody sees."""
    return re.sub('<span class="whole">([^<]*)</span>', r"\1", page).replace("\N{NO-BREAK SPACE}", " ")


def account(folder):
    """The account that pays."""
    return BudgetStore(f"sqlite:///{folder}/budget.db").account("clinic")


def spent(folder) -> Budget:
    return account(folder).spent


def released(reply: Reply) -> str:
    """Where the answer to a form that spends is."""
    assert reply.status == 303, reply.text
    return reply.headers["location"]


def bought(browser, page: str, asked: dict[str, str]) -> str:
    """Where the answer to a question is, once it is paid."""
    return released(browser.post(f"{page}/spend", browser.get(page, asked).hidden()))


def rows(text: str) -> list[dict[str, str]]:
    """The rows of a CSV file."""
    return list(csv.DictReader(StringIO(text)))


@dataclass
class Browser:
    """Requests of one browser; ``cookie`` is what it sends along."""

    session: Session
    cookie: str = ""

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.session.port}"

    def send(self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None) -> Reply:
        sent = {"Host": f"127.0.0.1:{self.session.port}", "Cookie": self.cookie} | (headers or {})
        connection = http.client.HTTPConnection("127.0.0.1", self.session.port, timeout=60)
        connection.request(method, path, body, {name: text for name, text in sent.items() if text is not None})
        answer = connection.getresponse()
        named, text = {k.lower(): v for k, v in answer.getheaders()}, answer.read().decode()
        reply = Reply(answer.status, named, as_read(text) if "html" in named.get("content-type", "") else text)
        connection.close()
        return reply

    def get(self, path: str, query: dict[str, str] | None = None, **headers: str) -> Reply:
        return self.send("GET", f"{path}?{urlencode(query)}" if query else path, headers=headers)

    def post(self, path: str, fields: dict[str, str], **headers: str | None) -> Reply:
        """A form, as a page of this server sends it; ``headers`` forges some."""
        own = {
            "Origin": self.origin,
            "Sec-Fetch-Site": "same-origin",
            "Content-Type": "application/x-www-form-urlencoded",
        }
        named = {name.replace("_", "-"): text for name, text in headers.items()}
        return self.send("POST", path, urlencode(fields).encode(), own | named)

    def upload(self, content: bytes, name: str, token: str | None = None) -> Reply:
        headers = {"Origin": self.origin, "X-File-Name": name, "X-Form-Token": token or self.session.form_token}
        return self.send("POST", "/upload", content, headers)

    def enter(self) -> "Browser":
        """Exchange the key for the cookie."""
        reply = self.get(f"/?key={self.session.key}")
        self.cookie = reply.headers["set-cookie"].partition(";")[0]
        return self


def running(proxy: Proxy | None = None, **given) -> tuple[Session, uvicorn.Server]:
    place = socket.socket()
    place.bind(("127.0.0.1", 0))
    session = Session(place.getsockname()[1], **given)
    server = uvicorn.Server(
        uvicorn.Config(application(session, proxy), log_level="critical", lifespan="off", ws="none")
    )
    threading.Thread(target=server.run, kwargs={"sockets": [place]}, daemon=True).start()
    while not server.started:
        time.sleep(0.01)
    return session, server


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "flights.csv").write_text(FLIGHTS)
    BudgetStore(f"sqlite:///{tmp_path}/budget.db").account("clinic", Budget(3, 1e-5))
    return tmp_path


@pytest.fixture
def started(folder):
    """Start a server, which stops after the test."""
    servers = []

    def start(**given) -> Browser:
        named = {"data": {"t1": NamedTable(str(folder / "flights.csv"))}, "store": f"sqlite:///{folder}/budget.db"}
        session, server = running(**named | given)
        servers.append(server)
        return Browser(session)

    yield start
    for server in servers:
        server.should_exit = True


@pytest.fixture
def browser(started) -> Browser:
    """A browser at a read-only server."""
    return started().enter()


@pytest.fixture
def spender(started) -> Browser:
    """A browser at a server that may spend."""
    return started(spends=True).enter()


@pytest.fixture(scope="session")
def seat(tmp_path_factory):
    """A browser in front of a server that may spend."""
    folder = tmp_path_factory.mktemp("explorer")
    (folder / "flights.csv").write_text(FLIGHTS)
    url = f"sqlite:///{folder}/budget.db"
    account = BudgetStore(url).account("clinic", Budget(9, 1e-5))
    session, server = running(data={"t1": NamedTable(str(folder / "flights.csv"))}, store=url, spends=True)
    chromium = Chromium()
    chromium.base = f"http://127.0.0.1:{session.port}"
    chromium.look(1200)
    chromium.open(f"{chromium.base}/?key={session.key}")
    assert chromium.run("location.href") == f"{chromium.base}/"
    yield chromium, account
    chromium.close()
    server.should_exit = True


@pytest.fixture
def tab(seat):
    chromium, _ = seat
    chromium.look(1200)
    chromium.complaints.clear()
    return chromium


def spent_at(seat) -> Budget:
    """What the account in front of the browser has paid."""
    return seat[1].spent


def of_json(reply: Reply):
    return json.loads(reply.text)
