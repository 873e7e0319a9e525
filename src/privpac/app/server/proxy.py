"""Several users behind a proxy that authenticates them: the proxy says who asks, and each user has a session.

The name of a user arrives in a header. Whoever can reach this server could write such a header, so it counts only
together with the key, which the proxy sends and browsers never see. If a browser sends headers with these two names,
the proxy must replace them. A user has the account of the same name, and no other: what one user uploads or releases,
another cannot see.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from hmac import compare_digest
from pathlib import Path
from threading import Lock
from typing import Any
from urllib.parse import urlsplit

from privpac.app.session import Session
from privpac.data.files.private_files import OWNER, opener
from privpac.exact.entropy import entropy
from privpac.refusals.refusal import Refused, Setting

KEY_HEADER = "X-Privpac-Key"
TOKEN = re.compile(r"[A-Za-z0-9-]+")
SHORTEST_KEY = 32  # characters


class NotAllowed(Exception):
    """A request that is not answered; its text says why."""


@dataclass(frozen=True)
class Proxy:
    """The proxy in front of a server.

    >>> proxy = Proxy("https://explorer.clinic.example", "X-Remote-User", "0" * 32)
    >>> proxy.host, proxy.user([("x-privpac-key", "0" * 32), ("x-remote-user", "ann")])
    ('explorer.clinic.example', 'ann')
    """

    address: str  # what browsers see
    header: str
    key: str = field(repr=False)
    _sessions: dict[str, Session] = field(default_factory=dict, repr=False)
    _lock: Any = field(default_factory=Lock, repr=False)

    def __post_init__(self) -> None:
        url = urlsplit(self.address)
        if url.scheme not in ("http", "https") or not url.netloc or url.path or url.query or "@" in url.netloc:
            raise Refused(
                "proxy", Setting("proxy"), " must be the address that browsers see, https://HOST, without a path"
            )
        if not TOKEN.fullmatch(self.header) or self.header.lower() in ("host", "cookie", KEY_HEADER.lower()):
            raise Refused("user_header", Setting("user_header"), " must be the name of a header, such as X-Remote-User")

    @property
    def host(self) -> str:
        return urlsplit(self.address).netloc

    def user(self, headers: list[tuple[str, str]]) -> str:
        """The name of the user; NotAllowed if the proxy did not send it."""
        if not compare_digest(_single(headers, KEY_HEADER).encode(), self.key.encode()):
            raise NotAllowed(f"this server answers its proxy only, which sends the key as {KEY_HEADER}")
        if not (name := _user_name(_single(headers, self.header))):
            raise NotAllowed(f"the proxy must send one user's name as {self.header}")
        return name

    def session(self, shared: Session, headers: list[tuple[str, str]]) -> Session:
        """The user's own session, made from the ``shared`` one; NotAllowed without an account of the same name."""
        user = self.user(headers)
        with self._lock:
            if user not in self._sessions:
                if user not in shared.store.accounts():
                    command = f"privpac budget create {user!r} --epsilon 3 --store …"
                    raise NotAllowed(f"there is no account {user!r}; a privacy officer creates it: {command}")
                self._sessions[user] = shared.for_user(user)
            return self._sessions[user]


def _single(headers: list[tuple[str, str]], name: str) -> str:
    """The value of a header that occurs once, otherwise ""; a second one may come from a browser."""
    values = [value for header, value in headers if header.lower() == name.lower()]
    return values[0] if len(values) == 1 else ""


def _user_name(value: str) -> str:
    """The name in a header, which arrives as Latin-1 and is UTF-8; "" if it is anything else.

    A name with spaces around it is refused, not trimmed, because trimming could turn one user into another.
    """
    try:
        name = value.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return ""
    return name if name.isprintable() and name == name.strip() else ""


def key_in_file(path: Path) -> str:
    """The key in a file that the proxy reads too; a new one if the file does not exist."""
    try:
        with open(path, "x", encoding="utf-8", opener=opener(OWNER)) as file:
            file.write(entropy(None).octets(32).hex())
    except FileExistsError:
        pass
    if path.stat().st_mode & 0o007:
        raise Refused("key_file", f"everyone on this machine can read the key in {path}; chmod 640 {path}")
    key = path.read_text("utf-8").strip()
    if len(key) < SHORTEST_KEY or not key.isalnum():
        raise Refused("key_file", f"the key in {path} must have at least {SHORTEST_KEY} letters and digits")
    return key


def proxy_from_options(address: str | None, header: str | None, key_file: Path | None) -> Proxy | None:
    """The proxy that three options describe; None if none of them is given."""
    options: Mapping[str, Any] = {"proxy": address, "user_header": header, "key_file": key_file}
    if not any(options.values()):
        return None
    for name, value in options.items():
        if value is None:
            three_settings = (Setting("proxy"), ", ", Setting("user_header"), ", and ", Setting("key_file"))
            raise Refused(name, *three_settings, " belong together; see the guide about the explorer")
    return Proxy(str(address).rstrip("/"), str(header), key_in_file(Path(str(key_file))))
