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

LONGEST_PART = 100  # characters; a longer part of a question is replaced by its digest
Question = Mapping[str, Any]  # everything that decides a release, by name; all of it is public
UNNAMED = (
    "an account protects one unit, and these units have no name; give units with a name, such as a column of a "
    "DataFrame; or, if X is a table that has them, the name of their column: ",
    Setting.to("unit", "patient"),
)
RESERVED = "an account that protects single records calls them 'records'; give the column of units another name"


class Unkept(UserWarning):
    """The release is paid for and returned, but it could not be kept, so a later run with its key will be refused."""


def protected(budget: object, unit: object, what: str) -> str:
    """What is protected: single records, or the unit that a column names; refused if the account protects another unit.

    A new budget for this fit alone has no unit of its own, so its units need no name.

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
    """The name of the column of units: ``unit`` itself, or the name that the column ``unit`` has; empty if none."""
    names = [unit] if isinstance(unit, str) else [*getattr(unit, "columns", [getattr(unit, "name", "")])]
    if names == [RECORDS]:
        raise Refused("unit", RESERVED)
    return names[0] if len(names) == 1 and isinstance(names[0], str) else ""


@dataclass
class Payment:
    """What one fit releases, and the ledger that pays; None if an earlier fit under the same key released it."""

    ledger: Ledger | None
    released: Any = None
    statement: Statement = field(default_factory=lambda: Statement(()))


@contextmanager
def payment(
    budget: object, cost: Budget, name: str, question: Question, *, unit: str, what: str = "a fit"
) -> Iterator[Payment]:
    """A block that may spend at most ``cost`` and puts its release into the payment.

    At its end, the payment's statement says what was spent. If ``budget`` is a key under which an earlier run was
    charged, the payment has that run's release and no ledger.
    """
    random_state = question["random_state"]
    if not isinstance(budget, Once):
        ledger = fit_ledger(budget, random_state, cost, unit, what)
        yield (paid := Payment(ledger))
        paid.statement = ledger.since(0).unsigned()
        return
    claim = Claim(budget.key, question_text({**question, "cost": cost}))
    if (kept := budget.released(claim)) is not None:
        yield Payment(None, *_restored(kept))
        return
    fit_ledger(budget.account, random_state, cost, what=what)  # refuses an account that cannot pay
    ledger = Ledger(ClaimingAccount(budget, claim, name, cost), random_state).branch(unit)
    paid = Payment(ledger)
    try:
        yield paid
    except AlreadyCharged:
        # Another run was charged under this key first, and kept its release, unless the store was replaced meanwhile.
        if (kept := budget.released(claim)) is None:
            raise
        paid.released, paid.statement = _restored(kept)
        return
    paid.statement = ledger.since(0).unsigned()
    _keep(budget, paid.released, paid.statement)


def question_of(
    request: Request, conditions: Conditions, names: Sequence[str], n: int, *labels_and_units: Any
) -> Question:
    """Everything public that decides a release: the conditions, the request's own parameters ``names``, and more.

    Of ``labels_and_units``, only the names of columns are public.
    """
    columns = tuple(column if isinstance(column, str) else None for column in labels_and_units)
    parameters = {name: getattr(request, name) for name in names}
    kind = vars(type(request)).get("kind", type(request).__name__)  # a command asks the same question as its estimator
    return {"kind": kind, **vars(conditions), **parameters, "n": n, "columns": columns}


def question_text(question: Question) -> tuple[tuple[str, str], ...]:
    """The names and values of a question as text: equal values give equal text, in every process.

    >>> question_text({"epsilon": 1, "classes": ("no", "yes")})
    (('epsilon', '1'), ('classes', "('no', 'yes')"))
    """
    return tuple((name, _shortened(_spelled(value))) for name, value in question.items())


def _shortened(text: str) -> str:
    """The text itself, or the digest of a long one."""
    if len(text) <= LONGEST_PART:
        return text
    return f"sha256 {hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"


def _spelled(value: object) -> str:
    """A public value as text; unlike its repr, it leaves nothing out."""
    if is_dataclass(value) and not isinstance(value, type):
        parts = {part.name: getattr(value, part.name) for part in fields(value) if part.compare}
        return f"{type(value).__name__}{_spelled(parts)}"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_spelled(key)}: {_spelled(entry)}' for key, entry in value.items())}}}"
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
    except Exception as error:  # of any kind: the release is paid for, so it must be returned
        unkept = f"the release under the key {once.key!r} was charged and is returned here, but it could not be kept"
        refused = "so a later run with this key will be refused"
        warnings.warn(f"{unkept}, {refused}; save it now ({error})", Unkept, stacklevel=5)


def _restored(kept: str) -> tuple[Any, Statement]:
    """The release and the statement that were kept.

    Refused if another version of privpac kept them, because its certificates may be about another algorithm.
    """
    writer = ""
    try:
        content = json.loads(kept)
        writer = str(content["privpac"])
        if writer == version("privpac"):
            released, entries = restored(content["released"])
            return released, Statement(entries)
    except (AttributeError, KeyError, TypeError, ValueError):
        pass
    foreign = "the release that is kept under this key was written by another version of privpac"
    raise Refused("once", f"{foreign}{writer and f', {writer}'}; use that version")
