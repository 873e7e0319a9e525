"""What was asked and what came of it, as a value that can be written as JSON.

A question is known by its key, which is made from the question alone: the same question has the same key in every run
of the server. What is written here was typed by people or released; nothing else about records is in it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from typing import Any

from privpac.privacy.budget import Budget
from privpac.privacy.certificate import Entry, day_of
from privpac.refusals.refusal import Refused

FORMAT, VERSION = "privpac explorer outcome", 1
Fields = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Question:
    """What is asked: the fields of a form, the table, the number of records, and how often it was released before."""

    kind: str  # the page that asks
    fields: Fields  # without the table
    table: str  # which one, by its address
    n: int
    schema: str = ""  # a digest of the schema, which may change under the same name
    round: int = 0

    @property
    def key(self) -> str:
        """The same for the same question.

        >>> Question("learn", (("epsilon", "1"),), "/data/visits.csv", 5000).key[:8]
        'cc09f6e3'
        """
        whole = [self.kind, self.fields, self.table, self.n, self.schema, self.round]
        return sha256(json.dumps(whole).encode()).hexdigest()

    def like(self, other: Question) -> bool:
        """Whether only the tables differ."""
        return self == replace(other, table=self.table)


@dataclass(frozen=True)
class SpendOutcome:
    """A question, the charges that were tried for it, and what was released.

    Neither ``text`` nor ``failure``: it was asked, and the server stopped before it was answered, or is still at it.
    """

    question: Question
    account: str
    source: str  # the name of the table on pages
    asked: datetime  # the day, UTC
    tried: tuple[Entry, ...] = ()
    title: str = ""
    text: str = ""  # the model or the release, as JSON
    report: str = ""  # the page about it
    failure: str = ""  # why nothing was released
    unkept: str = ""  # why it is only in the memory of the server

    @property
    def cost(self) -> Budget:
        """What the charges cost that were tried; for a release, all of them were made."""
        return sum((entry.cost for entry in self.tried), Budget(0))

    def to_json(self) -> str:
        """As text; ``unkept`` is about this run of the server alone."""
        asked = self.question
        whole = {
            **{"format": FORMAT, "version": VERSION, "kind": asked.kind, "fields": dict(asked.fields)},
            **{"table": asked.table, "n": asked.n, "schema": asked.schema, "round": asked.round},
            **{"account": self.account, "source": self.source, "asked": self.asked.isoformat(), "title": self.title},
            **{"tried": [_written(each) for each in self.tried], "failure": self.failure},
            **{"text": self.text, "report": self.report},
        }
        return json.dumps(whole, ensure_ascii=False, indent=1)

    @staticmethod
    def from_json(text: str) -> SpendOutcome:
        """Read it again; Refused if it is anything else."""
        try:
            said = json.loads(text)
            if said["format"] == FORMAT and said["version"] == VERSION:
                return _outcome(said)
        except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError):
            pass
        raise Refused("keep", "the file was not written by this version of privpac explore")


def _outcome(said: dict[str, Any]) -> SpendOutcome:
    fields = tuple((str(name), str(value)) for name, value in said["fields"].items())
    asked = Question(said["kind"], fields, said["table"], said["n"], said["schema"], said["round"])
    tried = tuple(_read(each) for each in said["tried"])
    account, source, *rest = (_text(said[name]) for name in ("account", "source", "title", "text", "report", "failure"))
    when = day_of(datetime.fromisoformat(said["asked"]))
    return SpendOutcome(asked, account, source, when, tried, *rest)


def _text(said: Any) -> str:
    if not isinstance(said, str):
        raise TypeError
    return said


def _written(entry: Entry) -> dict[str, Any]:
    """What tells a charge from others; the account holds the rest."""
    cost = [str(entry.cost.epsilon), str(entry.cost.delta)]
    return {"time": entry.time.isoformat(), "mechanism": entry.mechanism, "cost": cost, "theorem": entry.theorem}


def _read(said: dict[str, Any]) -> Entry:
    when = datetime.fromisoformat(said["time"])
    return Entry(said["mechanism"], Budget(*said["cost"]), said["theorem"], time=when)
