"""Budget accounts that outlive the process: a store opens, creates, and lists them.

Guarantees, assumptions, and proofs: docs/proofs/budget_store.md
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from privpac.privacy.budget import Budget
from privpac.privacy.store.database import Database, StoreError, sa
from privpac.privacy.store.durable_account import DurableAccount
from privpac.privacy.store.tables import (
    ACCOUNT,
    CUT_TO_DAY,
    ENTRY,
    HAS_HOUR,
    READABLE,
    SCHEMA,
    TABLES,
    UNIT,
    VERSION,
    lock_account,
    one_at_a_time,
    unit_of,
    upgrade,
)
from privpac.refusals.refusal import InPython, Refusal, Refused, RefusedType


class UnknownAccountError(Refusal, LookupError):
    """No account has this name, and no total was given to create it."""


class AccountExistsError(Refused):
    """The account exists with another total, or protects another unit."""


@dataclass(frozen=True, repr=False)
class BudgetStore(Database):
    """The accounts at ``url``: ``sqlite:///file`` or ``postgresql://user@host/database``.

    A store is a value: it may be copied, pickled, and passed to other processes. It does not touch the database until
    an account is requested. If the database stays locked for ``timeout`` seconds, a StoreError is raised.

    >>> from tempfile import TemporaryDirectory
    >>> folder = TemporaryDirectory()
    >>> store = BudgetStore(f"sqlite:///{folder.name}/budget.db")
    >>> account = store.account("clinic", Budget(3.0, 1e-5))
    >>> from privpac.privacy.certificate import Entry
    >>> account.charge(Entry("exponential", Budget(0.5), "selection, Theorem 1"))
    >>> print(store.account("clinic").remaining)
    ε = 2.5, δ = 1e-05
    >>> store.account("clinic", Budget(4.0))
    Traceback (most recent call last):
    privpac.privacy.store.accounts.AccountExistsError: account 'clinic' has the total ε = 3, δ = 1e-05, not ε = 4; \
open it without a total, or choose another name
    >>> folder.cleanup()
    """

    url: str = "sqlite:///budget.db"
    timeout: float = 30.0

    def account(self, name: str, total: Budget | None = None, unit: str | None = None) -> DurableAccount:
        """The account ``name``, created with ``total`` if it does not exist.

        All charges to an account protect one ``unit``: a column that names the persons, or "records". If it is not
        given, the first charge decides.
        """
        if not (total is None or isinstance(total, Budget)):
            raise RefusedType.must("total", "be a Budget, such as Budget(3.0, 1e-5)")
        if not isinstance(name, str):
            raise RefusedType("name", f"an account's name must be text, such as 'clinic', not {type(name).__name__}")
        if not (name.strip() and name.isprintable()):
            raise Refused("name", "an account's name must be printable and not blank")
        if unit is not None and not (isinstance(unit, str) and unit.strip() and unit.isprintable()):
            raise Refused("unit", "an account's unit is the name of a column, such as 'patient', or 'records'")
        if total is not None and (name not in self._totals() or not self._of_this_version()):
            self._create(name, total, unit)
        totals = self._totals()
        if name not in totals:
            names = ", ".join(sorted(totals)) or "none"
            advice = InPython(". Give a total to create it")
            raise UnknownAccountError("name", f"no account {name!r} in {self}; it has {names}", advice)
        self._forget_hours()
        if total not in (None, totals[name]):
            raise AccountExistsError(
                "total",
                f"account {name!r} has the total {totals[name]}, not {total}; "
                "open it without a total, or choose another name",
            )
        if unit is not None and (recorded := self._recorded_unit(name, unit)) != unit:
            different = f"account {name!r} has the unit {recorded!r}, not {unit!r}"
            raise AccountExistsError("unit", f"{different}; open it without a unit, or choose another name")
        return DurableAccount(self, name, totals[name])

    def accounts(self) -> list[str]:
        """The names of all accounts, sorted; none if the store does not exist yet."""
        return sorted(self._totals())

    def _totals(self) -> dict[str, Budget]:
        if self.missing:
            return {}
        with self.transaction() as connection:
            if not self._ready(connection):
                return {}
            return {row.name: Budget(row.epsilon, row.delta) for row in connection.execute(sa.select(ACCOUNT))}

    def _of_this_version(self) -> bool:
        with self.transaction() as connection:
            return bool(connection.scalar(sa.select(SCHEMA.c.version)) == VERSION)

    def _recorded_unit(self, name: str, unit: str) -> str:
        """The unit of the account; ``unit`` is recorded as its unit if it had none."""
        with self.transaction(writes=True) as connection:
            lock_account(connection, name)
            upgrade(connection)
            if (recorded := unit_of(connection, name)) is None:
                connection.execute(UNIT.insert().values(account=name, unit=unit))
            return recorded or unit

    def _create(self, name: str, total: Budget, unit: str | None) -> None:
        """Insert the account unless it exists: two processes may create it at the same time."""
        with self.transaction(writes=True) as connection:
            one_at_a_time(connection)
            if not self._ready(connection):
                TABLES.create_all(connection, checkfirst=False)
                connection.execute(SCHEMA.insert().values(version=VERSION))
            upgrade(connection)
            if connection.scalar(sa.select(ACCOUNT.c.name).where(ACCOUNT.c.name == name)) is None:
                values = {"name": name, "epsilon": str(total.epsilon), "delta": str(total.delta)}
                connection.execute(ACCOUNT.insert().values(values))
                if unit is not None:
                    connection.execute(UNIT.insert().values(account=name, unit=unit))

    def _forget_hours(self) -> None:
        """Reduce the times in entries of earlier versions to the day, if this user may change the store."""
        with self.transaction() as connection:
            if connection.scalar(sa.select(ENTRY.c.number).where(HAS_HOUR).limit(1)) is None:
                return
        with suppress(StoreError), self.transaction(writes=True) as connection:
            connection.execute(CUT_TO_DAY)

    def _ready(self, connection: sa.Connection) -> bool:
        """Whether the store's tables exist; False if they may be created, and StoreError if they may not."""
        inspector = sa.inspect(connection)
        if not inspector.has_table(SCHEMA.name):
            if connection.dialect.name == "sqlite" and inspector.get_table_names():
                raise StoreError(f"{self} contains tables of another application; choose another file")
            return False
        version = connection.scalar(sa.select(SCHEMA.c.version))
        if version not in READABLE:
            raise StoreError(f"{self} has schema version {version}, but privpac reads {VERSION}; upgrade privpac")
        return True
