"""What was asked in the explorer and what came of it, as a value that can be written as JSON.

An outcome holds only what people typed and what was released, and nothing else about records. Outcomes are files in the
folder that ``privpac explore --keep`` names.
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
    """What a user asks: the fields of a form, the table, and the number of records.

    ``round`` is the number of earlier releases that answered the same question.
    """

    kind: str  # the page with the form
    fields: Fields  # the fields of the form, except the table
    table: str  # the address of the table
    n: int
    schema: str = ""  # a digest of the schema, which may change under the same name
    round: int = 0

    @property
    def key(self) -> str:
        """A digest of the question, the same in every run of the server.

        >>> Question("learn", (("epsilon", "1"),), "/data/visits.csv", 5000).key[:8]
        'cc09f6e3'
        """
        parts = [self.kind, self.fields, self.table, self.n, self.schema, self.round]
        return sha256(json.dumps(parts).encode()).hexdigest()

    def like(self, other: Question) -> bool:
        """Whether the two questions are equal, except perhaps for the table."""
        return self == replace(other, table=self.table)


@dataclass(frozen=True)
class SpendOutcome:
    """A question, the charges that were tried for it, and what was released.

    If both ``text`` and ``failure`` are empty, the server is still working on the question, or stopped before it
    answered.
    """

    question: Question
    account: str
    source: str  # the name of the table, as pages show it
    day: datetime  # when it was asked, UTC
    tried: tuple[Entry, ...] = ()
    title: str = ""
    text: str = ""  # the model or the release, as JSON
    report: str = ""  # the report page, as HTML
    failure: str = ""  # why nothing was released
    unkept: str = ""  # why the outcome is only in the server's memory

    @property
    def is_released(self) -> bool:
        return bool(self.text)

    @property
    def cost(self) -> Budget:
        """The total cost of the attempted charges. If something was released, all of these charges were made."""
        return sum((entry.cost for entry in self.tried), Budget(0))

    def to_json(self) -> str:
        """The outcome as JSON, without ``unkept``, which concerns only this run of the server."""
        question = self.question
        content = {
            "format": FORMAT,
            "version": VERSION,
            "kind": question.kind,
            "fields": dict(question.fields),
            "table": question.table,
            "n": question.n,
            "schema": question.schema,
            "round": question.round,
            "account": self.account,
            "source": self.source,
            "asked": self.day.isoformat(),
            "title": self.title,
            "tried": [_charge_values(entry) for entry in self.tried],
            "failure": self.failure,
            "text": self.text,
            "report": self.report,
        }
        return json.dumps(content, ensure_ascii=False, indent=1)

    @staticmethod
    def from_json(text: str) -> SpendOutcome:
        """The outcome that ``to_json`` wrote; Refused if the text is anything else."""
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
    tried = tuple(_charge(values) for values in content["tried"])
    names = ("account", "source", "title", "text", "report", "failure")
    texts = {name: _text(content[name]) for name in names}
    return SpendOutcome(question, day=day_of(datetime.fromisoformat(content["asked"])), tried=tried, **texts)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _charge_values(entry: Entry) -> dict[str, Any]:
    """The fields that identify a charge; the account holds the others."""
    cost = [str(entry.cost.epsilon), str(entry.cost.delta)]
    return {"time": entry.time.isoformat(), "mechanism": entry.mechanism, "cost": cost, "theorem": entry.theorem}


def _charge(values: dict[str, Any]) -> Entry:
    time = datetime.fromisoformat(values["time"])
    return Entry(values["mechanism"], Budget(*values["cost"]), values["theorem"], time=time)
