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
        parts = [self.kind, self.fields, self.table, self.n, self.schema, self.round]
        return sha256(json.dumps(parts).encode()).hexdigest()

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
    day: datetime  # when it was asked, UTC
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
        question = self.question
        content = {
            **{"format": FORMAT, "version": VERSION, "kind": question.kind, "fields": dict(question.fields)},
            **{"table": question.table, "n": question.n, "schema": question.schema, "round": question.round},
            **{"account": self.account, "source": self.source, "asked": self.day.isoformat(), "title": self.title},
            **{"tried": [_charge_values(each) for each in self.tried], "failure": self.failure},
            **{"text": self.text, "report": self.report},
        }
        return json.dumps(content, ensure_ascii=False, indent=1)

    @staticmethod
    def from_json(text: str) -> SpendOutcome:
        """Read it again; Refused if it is anything else."""
        try:
            content = json.loads(text)
            if content["format"] == FORMAT and content["version"] == VERSION:
                return _outcome(content)
        except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError):
            pass
        raise Refused("keep", "the file was not written by this version of privpac explore")


def _outcome(content: dict[str, Any]) -> SpendOutcome:
    fields = tuple((str(name), str(value)) for name, value in content["fields"].items())
    question = Question(content["kind"], fields, content["table"], content["n"], content["schema"], content["round"])
    tried = tuple(_charge(each) for each in content["tried"])
    names = ("account", "source", "title", "text", "report", "failure")
    account, source, *rest = (_text(content[name]) for name in names)
    day = day_of(datetime.fromisoformat(content["asked"]))
    return SpendOutcome(question, account, source, day, tried, *rest)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _charge_values(entry: Entry) -> dict[str, Any]:
    """What tells a charge from others; the account holds the rest."""
    cost = [str(entry.cost.epsilon), str(entry.cost.delta)]
    return {"time": entry.time.isoformat(), "mechanism": entry.mechanism, "cost": cost, "theorem": entry.theorem}


def _charge(values: dict[str, Any]) -> Entry:
    time = datetime.fromisoformat(values["time"])
    return Entry(values["mechanism"], Budget(*values["cost"]), values["theorem"], time=time)
