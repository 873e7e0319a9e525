"""How a fit or a release pays: as it runs, or once for all runs with the same key.

proof: docs/proofs/once.md
"""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, is_dataclass
from importlib.metadata import version
from typing import Any

from privpac.privacy.budget import Budget
from privpac.privacy.certificate import RECORDS, Statement
from privpac.privacy.ledger import Ledger, account_unit
from privpac.privacy.store.once import AlreadyCharged, Claim, ClaimingAccount, Once
from privpac.refusals.refusal import Refused, Setting
from privpac.requests.conditions import Conditions, fit_ledger
from privpac.requests.json_values import restored, stored
from privpac.requests.request import Request

SHORT = 100  # characters; a longer part of a question is replaced by its digest
Asked = Mapping[str, Any]  # what decides a release, by name; all of it is public
UNNAMED = (
    "an account protects one unit, and these units have no name; give units with a name, such as a column of a "
    "DataFrame; or, if X is a table that has them, the name of their column: ",
    Setting.to("unit", "patient"),
)
RESERVED = "an account that protects single records calls them 'records'; give the column of units another name"


class Unkept(UserWarning):
    """The release is paid for and returned, but it could not be kept: a later run with its key will be refused."""


def protected(budget: object, unit: object, what: str) -> str:
    """What is protected: single records, or the unit that a column names; refused if the account protects another one.

    An allowance for this fit alone has no unit of its own, so its units need no name.

    >>> protected(None, None, "this fit"), protected(None, "patient", "this fit")
    ('records', 'patient')
    """
    name = RECORDS if unit is None else _name_of(unit)
    if budget is None or isinstance(budget, Budget):
        return name
    if not name:
        raise Refused("unit", *UNNAMED)
    account = budget.account if isinstance(budget, Ledger | Once) else budget
    described = f"account {account.name!r}" if hasattr(account, "name") else "the account"
    return account_unit(getattr(account, "unit", None), name, what, described)


def _name_of(unit: object) -> str:
    """The name of the column of units, which ``unit`` is or has; empty if it has none."""
    columns = [unit] if isinstance(unit, str) else [*getattr(unit, "columns", [getattr(unit, "name", "")])]
    if columns == [RECORDS]:
        raise Refused("unit", RESERVED)
    return columns[0] if len(columns) == 1 and isinstance(columns[0], str) else ""


@dataclass
class Payment:
    """What one fit releases, and the ledger that pays; no ledger if an earlier fit under the same key released it."""

    ledger: Ledger | None
    released: Any = None
    statement: Statement = field(default_factory=lambda: Statement(()))


@contextmanager
def payment(
    budget: object, cost: Budget, name: str, asked: Asked, *, unit: str, what: str = "a fit"
) -> Iterator[Payment]:
    """A block that may spend at most ``cost``. At its end, the payment's statement says what was spent."""
    random_state = asked["random_state"]
    if not isinstance(budget, Once):
        ledger = fit_ledger(budget, random_state, cost, unit, what)
        yield (paid := Payment(ledger))
        paid.statement = ledger.since(0).unsigned()
        return
    claim = Claim(budget.key, question({**asked, "cost": cost}))
    if (kept := budget.released(claim)) is not None:
        yield Payment(None, *_restored(kept))
        return
    fit_ledger(budget.account, random_state, cost, what=what)  # only to refuse an account that cannot pay
    ledger = Ledger(ClaimingAccount(budget, claim, name, cost), random_state).branch(unit)
    paid = Payment(ledger)
    try:
        yield paid
    except AlreadyCharged:
        # Another run was charged for this key first, and released it, unless the store was replaced meanwhile.
        if (kept := budget.released(claim)) is None:
            raise
        paid.released, paid.statement = _restored(kept)
        return
    paid.statement = ledger.since(0).unsigned()
    _keep(budget, paid.released, paid.statement)


def asked_of(front: Request, conditions: Conditions, names: Sequence[str], n: int, *beside: Any) -> Asked:
    """Everything public that decides a release; ``beside`` are labels and units, which may be names of columns."""
    columns = tuple(each if isinstance(each, str) else None for each in beside)
    own = {name: getattr(front, name) for name in names}
    kind = vars(type(front)).get("kind", type(front).__name__)  # a request asks what its front would ask
    return {"kind": kind, **vars(conditions), **own, "n": n, "columns": columns}


def question(asked: Asked) -> tuple[tuple[str, str], ...]:
    """Public parameters as text: equal parameters give equal text, in every process.

    >>> question({"epsilon": 1, "classes": ("no", "yes")})
    (('epsilon', '1'), ('classes', "('no', 'yes')"))
    """
    return tuple((name, _short(_spelled(value))) for name, value in asked.items())


def _short(text: str) -> str:
    return text if len(text) <= SHORT else f"sha256 {hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"


def _spelled(value: object) -> str:
    """A public value as text; unlike its repr, it leaves nothing out."""
    if is_dataclass(value) and not isinstance(value, type):
        parts = {part.name: getattr(value, part.name) for part in fields(value) if part.compare}
        return f"{type(value).__name__}{_spelled(parts)}"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_spelled(key)}: {_spelled(each)}' for key, each in value.items())}}}"
    if isinstance(value, frozenset | set):
        return f"{{{', '.join(sorted(map(_spelled, value)))}}}"
    if hasattr(value, "to_json"):  # a class that is a matrix
        return str(value.to_json())
    plain = value.tolist() if hasattr(value, "tolist") else value  # an array
    return f"({', '.join(map(_spelled, plain))})" if isinstance(plain, tuple | list) else repr(plain)


def _keep(once: Once, released: object, statement: Statement) -> None:
    """Keep a release under its key; a warning, not an error, if that fails."""
    try:
        once.account.keep(
            once.key, json.dumps({"privpac": version("privpac"), "released": stored((released, statement.entries))})
        )
    except Exception as error:  # whatever it is, the release is paid for
        lost = f"the release under the key {once.key!r} was charged and is returned here, but it could not be kept, so "
        warnings.warn(f"{lost}a later run with this key will be refused; save it now ({error})", Unkept, stacklevel=5)


def _restored(kept: str) -> tuple[Any, Statement]:
    """What this version kept; refused if another version did, which may certify another algorithm."""
    writer = ""
    try:
        content = json.loads(kept)
        writer = str(content["privpac"])
        if writer == version("privpac"):
            released, entries = restored(content["released"])
            return released, Statement(entries)
    except (AttributeError, KeyError, TypeError, ValueError):
        pass
    other = "the release that is kept under this key was written by another version of privpac"
    raise Refused("once", f"{other}{writer and f', {writer}'}; use that version")
