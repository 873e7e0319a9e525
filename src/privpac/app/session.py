"""The state of a running explorer: its secrets, the tables and schemas it may read, the accounts, and its releases.

Uploaded tables stay in memory and are never written.
"""

from __future__ import annotations

import hmac
import platform
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any

from privpac.app.outcomes.outcome import SpendOutcome
from privpac.app.outcomes.outcome_store import OutcomeStore
from privpac.classes.schemas.schema import Schema, Unit
from privpac.data.files.file_format import FileFormat
from privpac.data.open_table import opened, table_of_bytes
from privpac.exact.entropy import entropy
from privpac.privacy.store.accounts import BudgetStore
from privpac.privacy.store.durable_account import DurableAccount
from privpac.refusals.refusal import Refused, Setting

MOST_BYTES = 20 * 10**6  # the largest upload
MOST_UPLOADS = 5  # uploads that stay in memory; the oldest goes first
CREDENTIALS = re.compile(r"(?<=//)[^/?#]*@|(?<=[?&])password=[^&#]*&?", re.IGNORECASE)  # user and password in a URL


@dataclass(frozen=True)
class NamedTable:
    """A table named by the person who started the server: a file, or ADDRESS#TABLE for a table of a database."""

    address: str

    @property
    def name(self) -> str:
        """The name without folders and without the address of a database, which may hold a password."""
        if "://" not in self.address:
            return Path(self.address).name
        return CREDENTIALS.sub("", self.address).rpartition("/")[2]

    @property
    def place(self) -> str:
        """The absolute path of a file, or the address of a database without its credentials."""
        path, mark, table = self.address.partition("#")
        return CREDENTIALS.sub("", self.address) if "://" in path else f"{Path(path).absolute()}{mark}{table}"

    def table(self, file_format: FileFormat) -> Any:
        """The table, as an Ibis table; ``file_format`` says how to read a file."""
        place, mark, table = self.address.rpartition("#")
        return opened(place, table, file_format) if mark else opened(self.address, None, file_format)


@dataclass(frozen=True)
class Upload:
    """A table that came through the browser."""

    number: int
    file_name: str  # the name that the browser sent
    content: bytes = field(repr=False)
    # The place is random: one computed from the content would reveal something about the records.
    place: str = field(default_factory=lambda: f"upload {entropy(None).octets(16).hex()}")

    @property
    def name(self) -> str:
        return f"{self.file_name} (upload {self.number})"

    def table(self, file_format: FileFormat) -> Any:
        return table_of_bytes(self.content, self.file_name, file_format)


Source = NamedTable | Upload  # a table that pages can offer: its name, and the place that identifies it


def same_unit(a: Unit | None, b: Unit | None) -> bool:
    """Whether two declarations protect the same unit, whatever their descriptions say.

    >>> same_unit(Unit("patient", 3, "a number"), Unit("patient", 3)), same_unit(Unit("patient", 3), None)
    (True, False)
    """
    return a == b or (a is not None and b is not None and (a.column, a.max_records) == (b.column, b.max_records))


class Session:
    """A running explorer.

    A release appears a multiple of ``hold_seconds`` after its start, so that its time reveals less; if None, when done.

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
        hold_seconds: float | None = None,
    ) -> None:
        self.port, self.spends, self.user, self.hold_seconds, self._unit = port, spends, user, hold_seconds, unit
        self.hosts = tuple(host if port == 80 else f"{host}:{port}" for host in ("127.0.0.1", "localhost"))
        self.key, self._secret = entropy(None).octets(32).hex(), entropy(None).octets(32)
        self.store = BudgetStore(store)
        self.schemas = dict(schemas or {})
        self.lock = Lock()  # one release at a time, so a repeated question finds its answer
        self._upload_lock = Lock()
        self.outcome_store = OutcomeStore(keep)
        self._sources: dict[str, Source] = dict(data or {})

    @property
    def cookie(self) -> str:
        """The cookie that a browser sends instead of the key."""
        return self.token_of("cookie")

    @property
    def form_token(self) -> str:
        """The token in our own forms. Other sites cannot know it."""
        return self.token_of("form")

    def sent_by_us(self, token: str) -> bool:
        return hmac.compare_digest(token.encode(), self.form_token.encode())

    def token_of(self, text: str) -> str:
        """A token for the text. Only this server can make it."""
        return hmac.new(self._secret, text.encode(), "sha256").hexdigest()

    def for_user(self, user: str) -> Session:
        """A session for one user: shared tables, schemas, and store, but its own secrets, uploads, and account."""
        tables = {identifier: source for identifier, source in self._sources.items() if not isinstance(source, Upload)}
        shared = self.port, tables, self.schemas, self.store.url
        session = Session(*shared, spends=self.spends, user=user, hold_seconds=self.hold_seconds, unit=self._unit)
        session.outcome_store = self.outcome_store
        return session

    @property
    def mode(self) -> str:
        """What this server may do, and for whom."""
        rights = "may spend" if self.spends else "read-only"
        return f"{self.user} · {rights}" if self.user else rights

    def accounts(self) -> list[str]:
        """The names of the accounts that may be seen and charged. A user has only the account with the user's name."""
        return [name for name in self.store.accounts() if self.user in ("", name)]

    def account(self, name: str) -> DurableAccount:
        """The account with this name; Refused if it is missing or someone else's."""
        if name not in self.accounts():
            raise Refused("account", "choose an account that pays for the release; see Budgets")
        return self.store.account(name)

    def outcomes(self) -> list[SpendOutcome]:
        """The questions and releases that these accounts paid for, latest first."""
        names = set(self.accounts())
        return [outcome for outcome in self.outcome_store.all() if outcome.account in names]

    @property
    def sources(self) -> dict[str, str]:
        """The names of all tables, by their identifiers."""
        return {identifier: source.name for identifier, source in self._sources.items()}

    def source(self, identifier: str) -> Source:
        if identifier not in self._sources:
            raise Refused("source", "choose a table; an uploaded one is forgotten when the server stops")
        return self._sources[identifier]

    def table(self, identifier: str, schema: Schema | None = None) -> Any:
        """The table with this identifier. A file is read as ``schema`` says, or else as the only schema says."""
        if schema is None and len(self.schemas) == 1:
            schema = self.schema(next(iter(self.schemas)))
        return self.source(identifier).table(schema.files if schema else FileFormat())

    def identifier_of(self, place: str) -> str | None:
        """The identifier of the table at this place; None if the server does not offer it now."""
        return next((identifier for identifier, source in self._sources.items() if source.place == place), None)

    def machine(self, place: str) -> str:
        """The name of this machine for a file, if servers on other machines may share the store; otherwise "".

        Two machines may have different files at the same path. The address of a database is the same everywhere.
        """
        shared = not self.store.url.startswith("sqlite:") and "://" not in place
        return platform.node() if shared else ""

    def add_upload(self, content: bytes, file_name: str) -> str:
        """Keep an uploaded table in memory and return its identifier. The same table keeps the same identifier."""
        self._check_readable(content, file_name)
        with self._upload_lock:
            uploads = {name: source for name, source in self._sources.items() if isinstance(source, Upload)}
            for identifier, upload in uploads.items():
                if upload.content == content and upload.file_name == file_name:
                    return identifier
            number = 1 + max((upload.number for upload in uploads.values()), default=0)
            for oldest in list(uploads)[: max(0, len(uploads) - MOST_UPLOADS + 1)]:
                del self._sources[oldest]
            self._sources[f"u{number}"] = Upload(number, file_name, content)
            return f"u{number}"

    def _check_readable(self, content: bytes, file_name: str) -> None:
        """Refused if a file can be read neither in the usual format nor in that of any schema."""
        for file_format in [Schema.read(path).files for path in self.schemas.values()]:
            with suppress(Refused):
                table_of_bytes(content, file_name, file_format)
                return
        table_of_bytes(content, file_name)

    def schema(self, name: str) -> Schema | None:
        """The schema with this name; None if no name is given."""
        if not name:
            return None
        if name not in self.schemas:
            raise Refused("schema", "choose one of the schemas that the server was started with")
        return Schema.read(self.schemas[name])

    def unit(self) -> Unit | None:
        """The unit that the person who started the server declared; None if single records are protected.

        Either an option of the command declares it, or every schema does. Refused if they differ: pages show the number
        of units, and if another schema declares a unit for the table, its number of records is not public.
        """
        declared = {name: Schema.read(path).unit or self._unit for name, path in self.schemas.items()}
        unit = self._unit or next(iter(declared.values()), None)
        for name, schema_unit in declared.items():
            if not same_unit(schema_unit, unit):
                advice = " or the other schemas; a server protects one unit, so start one for each"
                raise Refused("unit", f"{name} declares another unit than ", Setting("unit"), advice)
        return unit

    def schema_digest(self, name: str) -> str:
        """A digest of the file of this schema, as it is now; "" if there is no such schema."""
        return sha256(self.schemas[name].read_bytes()).hexdigest() if name in self.schemas else ""
