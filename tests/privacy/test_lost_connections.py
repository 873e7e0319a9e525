"""Connections to a real server that are lost in the middle of a charge: the truth about what was charged."""

import os
import socket
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread

import psycopg
import pytest
import sqlalchemy as sa

from privpac.privacy.budget import Budget
from privpac.privacy.certificate import Entry
from privpac.privacy.store.accounts import BudgetStore, StoreError
from privpac.privacy.store.database import _engine
from privpac.privacy.store.once import Claim

ENTRY = Entry("exponential", Budget(1), "selection, Theorem 1")
NAME = ".s.PGSQL.5432"


class Deaf:
    """Stands between a client and the server, and once swallows the server's answer to the COMMIT of a charge."""

    def __init__(self, server: str, folder: str) -> None:
        self.server, self.deaf = server, None  # the client that hears no answer any more
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(f"{folder}/{NAME}")
        self.listener.listen()
        Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            server.connect(f"{self.server}/{NAME}")
            Thread(target=self.forward, args=(client, server), daemon=True).start()
            Thread(target=self.answer, args=(server, client), daemon=True).start()

    def forward(self, client, server):
        charging = False
        with suppress(OSError):  # the other thread closes both when the server is done
            while data := client.recv(2**16):
                charging |= b"INSERT INTO privpac_entry" in data
                if self.deaf is None and charging and b"COMMIT" in data:
                    self.deaf = client  # before the server hears of it: its answer may come at once
                server.sendall(data)
            server.shutdown(socket.SHUT_WR)

    def answer(self, server, client):
        with suppress(OSError):
            while (data := server.recv(2**16)) and client is not self.deaf:
                client.sendall(data)
            client.shutdown(socket.SHUT_RDWR)  # wakes the thread that waits for the client
        client.close()
        server.close()


@contextmanager
def deaf(url):
    """The address of the same store, through a connection that loses one answer."""
    place = sa.make_url(url)
    with TemporaryDirectory() as folder:
        between = Deaf(place.query["host"], folder)
        lossy = place.update_query_dict({"host": folder}).render_as_string(hide_password=False)
        yield lossy
        _engine(BudgetStore(lossy).url, 5, os.getpid()).dispose()
        between.listener.close()


@pytest.fixture
def url(postgres):
    url = postgres()
    BudgetStore(url).account("clinic", Budget(2))
    return url


def test_the_answer_to_a_commit_is_lost(url):
    with deaf(url) as lossy:
        account = BudgetStore(lossy, timeout=5).account("clinic")
        with pytest.raises(StoreError, match=r"ε = 1 was charged all the same, and nothing was released for it"):
            account.charge(ENTRY)
    assert BudgetStore(url).account("clinic").spent == Budget(1)


def test_a_claim_whose_answer_is_lost_is_found_and_counts(url):
    with deaf(url) as lossy:
        claim = Claim("May 3", (("n", "7"),))
        BudgetStore(lossy, timeout=5).account("clinic").charge_once(ENTRY, claim)
    account = BudgetStore(url).account("clinic")
    assert account.claim_on("May 3") == claim
    assert account.spent == Budget(1)


def killed_before_commit(url, *, back):
    """The engine of a store whose server ends the connection just before a commit; ``back``: others are accepted."""
    engine = _engine(BudgetStore(url, timeout=1).url, 1, os.getpid())

    todo = [True]

    @sa.event.listens_for(engine, "commit")
    def kill(connection):
        if not todo:
            return
        todo.clear()
        pid = connection.connection.dbapi_connection.info.backend_pid
        with psycopg.connect(url, autocommit=True) as other:
            other.execute("SELECT pg_terminate_backend(%s, 5000)", [pid])
        if not back:
            Path(sa.make_url(url).query["host"], NAME).rename(Path(sa.make_url(url).query["host"], "away"))


def test_the_server_ends_the_connection_before_the_commit(url):
    account = BudgetStore(url, timeout=1).account("clinic")
    killed_before_commit(url, back=True)
    with pytest.raises(StoreError, match=r"(?s)terminat.*; nothing was charged$"):
        account.charge(ENTRY)
    assert account.spent == Budget(0)
    account.charge(ENTRY)
    assert account.spent == Budget(1)


def test_the_server_does_not_come_back(url):
    account = BudgetStore(url, timeout=1).account("clinic")
    killed_before_commit(url, back=False)
    socket_file = Path(sa.make_url(url).query["host"], "away")
    try:
        with pytest.raises(StoreError, match="perhaps ε = 1 was charged: see privpac budget history clinic"):
            account.charge(ENTRY)
    finally:
        socket_file.rename(socket_file.with_name(NAME))
    assert account.spent == Budget(0)
