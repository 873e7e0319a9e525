"""What a running explorer knows: its secrets, the tables and schemas it may read, the accounts, and what it released.

Uploaded tables stay in memory and are never written.
"""

from __future__ import annotations

import hmac
import platform
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

from privpac.app.outcomes.outcome import SpendOutcome
from privpac.app.outcomes.outcome_store import OutcomeStore
from privpac.classes.schemas.schema import Schema, Unit
from privpac.data.open_table import open_table, table_of_bytes
from privpac.exact.entropy import entropy
from privpac.privacy.store.account import DurableAccount
from privpac.privacy.store.store import BudgetStore
from privpac.refusals.refusal import Refused, Setting

MOST_BYTES = 20 * 10**6  # of an upload
PASSWORD = re.compile(r"(?<=//)[^/?#]*@|(?<=[?&])password=[^&#]*&?", re.IGNORECASE)  # and whoever it is of
MOST_UPLOADS = 5  # in memory
OTHER_UNIT = " or the other schemas; a server protects one unit, so start one for each"


class Source(Protocol):
    """A table by its name on pages."""

    @property
    def name(self) -> str: ...
    @property
    def place(self) -> str: ...
    def table(self) -> Any: ...


@dataclass(frozen=True)
class NamedTable:
    """A file, or a table of a database written ADDRESS#TABLE, that the person who started the server named."""

    address: str

    @property
    def name(self) -> str:
        """Without folders, and without the address of a database, which may hold a password."""
        if "://" not in self.address:
            return Path(self.address).name
        return PASSWORD.sub("", self.address).rpartition("/")[2]

    @property
    def place(self) -> str:
        """Which table it is, in every run of the server; without the password of a database."""
        path, mark, table = self.address.partition("#")
        return PASSWORD.sub("", self.address) if "://" in path else f"{Path(path).absolute()}{mark}{table}"

    def table(self) -> Any:
        """The table, as an Ibis table."""
        place, mark, table = self.address.rpartition("#")
        return open_table(place, table) if mark else open_table(self.address)


@dataclass(frozen=True)
class Upload:
    """A table that came through the browser."""

    number: int
    file_name: str  # in the browser
    content: bytes = field(repr=False)
    place: str = field(default_factory=lambda: f"upload {entropy(None).octets(16).hex()}")  # never from its content

    @property
    def name(self) -> str:
        return f"{self.file_name} (upload {self.number})"

    def table(self) -> Any:
        """The table, as an Ibis table."""
        return table_of_bytes(self.content, self.file_name)


def same_unit(a: Unit | None, b: Unit | None) -> bool:
    """Whether two declarations protect the same, whatever they say about it.

    >>> same_unit(Unit("patient", 3, "a number"), Unit("patient", 3)), same_unit(Unit("patient", 3), None)
    (True, False)
    """
    return a == b or (a is not None and b is not None and (a.column, a.max_records) == (b.column, b.max_records))


class Session:
    """A running explorer.

    >>> session = Session(port=8765)
    >>> session.hosts[0], session.spends, len(session.key) >= 32
    ('127.0.0.1:8765', False, True)
    """

    def __init__(
        self,
        port: int,
        data: Mapping[str, Source] | None = None,
        schemas: Mapping[str, Path] | None = None,
        store: str = "sqlite:///budget.db",
        *,
        spends: bool = False,
        keep: Path | None = None,
        user: str = "",
        unit: Unit | None = None,
        held: float | None = None,
    ) -> None:
        self.port, self.spends, self.user, self.held, self._unit = port, spends, user, held, unit
        self.hosts = tuple(host if port == 80 else f"{host}:{port}" for host in ("127.0.0.1", "localhost"))
        self.key, self._secret = entropy(None).octets(32).hex(), entropy(None).octets(32)
        self.store = BudgetStore(store)
        self.schemas = dict(schemas or {})
        self.lock = Lock()  # one release at a time: whoever asks the same again finds the answer
        self._upload_lock = Lock()
        self.outcome_store = OutcomeStore(keep)
        self._sources: dict[str, Source] = dict(data or {})

    @property
    def cookie(self) -> str:
        """What the browser shows instead of the key."""
        return self.signed("cookie")

    @property
    def form_token(self) -> str:
        """What our own forms hold, and other sites cannot know."""
        return self.signed("form")

    def sent_by_us(self, token: str) -> bool:
        """Whether a form holds our token."""
        return hmac.compare_digest(token.encode(), self.form_token.encode())

    def signed(self, text: str) -> str:
        """A token for a text that only this server can make."""
        return hmac.new(self._secret, text.encode(), "sha256").hexdigest()

    def for_user(self, user: str) -> Session:
        """A session of one user: the same tables, schemas, and store; secrets, uploads, and an account of their own."""
        named = {number: each for number, each in self._sources.items() if not isinstance(each, Upload)}
        place = self.port, named, self.schemas, self.store.url
        own = Session(*place, spends=self.spends, user=user, held=self.held, unit=self._unit)
        own.outcome_store = self.outcome_store
        return own

    @property
    def mode(self) -> str:
        """What this server may do, and for whom."""
        may = "may spend" if self.spends else "read-only"
        return f"{self.user} · {may}" if self.user else may

    def accounts(self) -> list[str]:
        """The names of the accounts that may be seen and charged: a user has the one of the same name."""
        return [name for name in self.store.accounts() if self.user in ("", name)]

    def account(self, name: str) -> DurableAccount:
        """The account with this name; Refused if it is missing or someone else's."""
        if name not in self.accounts():
            raise Refused("account", "choose an account that pays for the release; see Budgets")
        return self.store.account(name)

    def outcomes(self) -> list[SpendOutcome]:
        """What was asked and released at the expense of these accounts, latest first."""
        names = set(self.accounts())
        return [each for each in self.outcome_store.all() if each.account in names]

    @property
    def sources(self) -> dict[str, str]:
        """The names of all tables, by their identifiers."""
        return {number: source.name for number, source in self._sources.items()}

    def source(self, number: str) -> Source:
        """The table with this identifier."""
        if number not in self._sources:
            raise Refused("source", "choose a table; an uploaded one is forgotten when the server stops")
        return self._sources[number]

    def number_of(self, place: str) -> str | None:
        """The identifier of a table; None if it is not offered now."""
        return next((number for number, each in self._sources.items() if each.place == place), None)

    def machine(self, place: str) -> str:
        """The machine on which a table is, if the store may be used by others; a database has its own address."""
        shared = not self.store.url.startswith("sqlite:") and "://" not in place
        return platform.node() if shared else ""

    def add_upload(self, content: bytes, file_name: str) -> str:
        """Keep an uploaded table in memory; returns its identifier, which is the same if the table is."""
        table_of_bytes(content, file_name)  # refuses what cannot be read
        with self._upload_lock:
            return self._upload_number(content, file_name)

    def _upload_number(self, content: bytes, file_name: str) -> str:
        uploads = {number: each for number, each in self._sources.items() if isinstance(each, Upload)}
        for number, each in uploads.items():
            if each.content == content and each.file_name == file_name:
                return number
        count = 1 + max((each.number for each in uploads.values()), default=0)
        for number in list(uploads)[: max(0, len(uploads) - MOST_UPLOADS + 1)]:
            del self._sources[number]
        self._sources[f"u{count}"] = Upload(count, file_name, content)
        return f"u{count}"

    def schema(self, name: str) -> Schema | None:
        """The schema with this name; None if no name is given."""
        if not name:
            return None
        if name not in self.schemas:
            raise Refused("schema", "choose one of the schemas that the server was started with")
        return Schema.read(self.schemas[name])

    def unit(self) -> Unit | None:
        """Whose records are protected as a whole, as the person who started the server declared it; None for records.

        An option of the command says so, or every schema does. Refused if they differ: pages show the number of units,
        and for a table whose unit another schema declares, that of its records is not public.
        """
        declared = {name: Schema.read(path).unit or self._unit for name, path in self.schemas.items()}
        unit = self._unit or next(iter(declared.values()), None)
        for name, each in declared.items():
            if not same_unit(each, unit):
                raise Refused("unit", f"{name} declares another unit than ", Setting("unit"), OTHER_UNIT)
        return unit

    def schema_digest(self, name: str) -> str:
        """What the schema with this name says now; nothing without a name."""
        return sha256(self.schemas[name].read_bytes()).hexdigest() if name in self.schemas else ""
