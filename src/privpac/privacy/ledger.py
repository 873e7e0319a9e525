"""The ledger: the only door to private records.

Only a ledger opens a sealed sample. It checks the input, charges its account, and only then lets the mechanism toss a
coin, so the account always covers everything that ran.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from functools import reduce
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol, Self

from privpac.exact.entropy import Entropy, entropy
from privpac.privacy.budget import NOTHING, Budget
from privpac.privacy.certificate import RECORDS, Certificate, Entry, Statement, Utility, today
from privpac.privacy.disjoint_parts import THEOREM, Part, Payments

if TYPE_CHECKING:
    from flint import arb

Data = Any  # records, or a view of them, in the form that a mechanism takes
Release = Any  # what a mechanism releases
View = Callable[[Data], Data]
Law = dict[Release, "arb"]  # the probability of every release, as a rigorous ball
OTHER_PROCESS = (
    "an account in memory belongs to one process, and a second process would spend it again; use a BudgetStore account"
)
ONE_CHARGE = Lock()  # held by one charge at a time, to any account in memory


class BudgetExceeded(RuntimeError):
    """The account's remaining budget does not cover the cost; nothing was spent and nothing released.

    >>> from privpac.mechanisms import discrete_laplace
    >>> discrete_laplace(7, epsilon=2, budget=Budget(1))
    Traceback (most recent call last):
    privpac.privacy.ledger.BudgetExceeded: discrete Laplace costs ε = 2 but ε = 1 remains of ε = 1; ask for less or \
use another account
    """


class OtherUnit(BudgetExceeded):
    """The account protects another unit; nothing was spent and nothing released."""


class Sealed:
    """Records that only a ledger opens. Their number is public.

    >>> Sealed([3, 1, 4]), Sealed([3, 1, 4]).see(max)
    (Sealed(3 records), Sealed(3 records))
    """

    __slots__ = ("_records", "_views", "part", "size")

    def __init__(self, records: Data, size: int | None = None, part: Part | None = None) -> None:
        self._records = records
        self._views: tuple[View, ...] = ()
        self.part = part  # which of several disjoint parts of a sample; None if other seals may hold the same records
        self.size = len(records) if size is None else size

    def see(self, view: View) -> Sealed:
        """A ``view`` of the records. It is sealed as well, and computed only when a ledger opens it."""
        sealed = Sealed(self._records, self.size, self.part)
        sealed._views = (*self._views, view)
        return sealed

    def _open(self) -> Data:
        return reduce(lambda records, view: view(records), self._views, self._records)

    def __repr__(self) -> str:
        return f"Sealed({self.size} records)"


@dataclass(frozen=True)
class Opened:
    """Records that need no seal, such as those of an audit or a test.

    >>> Opened([3, 1, 4], 3).see(max)
    4
    """

    records: Data
    size: int

    def see(self, view: View) -> Data:
        """The ``view`` of the records."""
        return view(self.records)


class Records(Protocol):
    """Records as an algorithm receives them: it knows their number and chooses the view that a mechanism receives."""

    @property
    def size(self) -> int: ...
    def see(self, view: View) -> Data: ...


class Mechanism(ABC):
    """A private release: its fields are public parameters, its argument is private data.

    ``theorem`` names the proof of ``cost`` in docs/proofs. (For a learner, it names the proof of its error; the
    mechanisms that the learner asks name the proofs of their costs.) ``check`` validates the data before anything is
    spent, and returns them in the form that ``release`` takes. ``release`` never fails on checked data.
    """

    cost: Budget

    @property
    @abstractmethod
    def name(self) -> str: ...

    @property
    @abstractmethod
    def theorem(self) -> str: ...

    def check(self, data: Data) -> Data:
        return data

    @abstractmethod
    def release(self, data: Data, coins: Entropy) -> Release: ...


class Account(Protocol):
    """An allowance and the charges to it. All charges protect the same unit, which is None until it is known."""

    @property
    def unit(self) -> str | None: ...
    @property
    def total(self) -> Budget: ...
    @property
    def spent(self) -> Budget: ...
    def charge(self, entry: Entry) -> None:
        """Record ``entry`` durably, or raise BudgetExceeded or OtherUnit and record nothing."""


class AccountElsewhere:
    """The stand-in that another process gets for an account in memory: it refuses every charge."""

    @property
    def total(self) -> Budget:
        raise RuntimeError(OTHER_PROCESS)

    spent = unit = total  # reading any of them raises

    def charge(self, entry: Entry) -> None:
        raise RuntimeError(OTHER_PROCESS)


class OfThisProcess:
    """An object that belongs to one process: copying returns it, and in another process it refuses every charge.

    If a copy of an account could be spent again, the account would promise nothing.
    """

    def __init__(self) -> None:
        self._process = os.getpid()

    def check_process(self) -> None:
        """Refuse a charge from a forked process."""
        if os.getpid() != self._process:
            raise RuntimeError(OTHER_PROCESS)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[type[AccountElsewhere], tuple[()]]:
        return AccountElsewhere, ()


class MemoryAccount(OfThisProcess):
    """An account that lives as long as the process."""

    def __init__(self, total: Budget, unit: str | None = None) -> None:
        super().__init__()
        self.total, self.unit = total, unit
        self.spent = NOTHING

    def charge(self, entry: Entry) -> None:
        self.check_process()
        with ONE_CHARGE:
            unit = account_unit(self.unit, entry.unit, entry.mechanism)
            self.spent, self.unit = spent_after(entry, self.total, self.spent), unit


def account_unit(before: str | None, unit: str, what: str, account: str = "the account") -> str:
    """The unit of an account after a charge for ``what``, which protects ``unit``.

    OtherUnit if the account's unit ``before`` the charge is another one.

    proof: docs/proofs/budget_store.md, Theorem 4
    """
    if before is not None and before != unit:
        differ = f"{account} protects {_protected(before)}, and {what} protects {_protected(unit)}"
        raise OtherUnit(f"{differ}; costs add up only for one of them, so use another account")
    return unit


def _protected(unit: str) -> str:
    return "single records" if unit == RECORDS else f"each {unit!r} as a whole"


def spent_after(entry: Entry, total: Budget, spent: Budget) -> Budget:
    """``spent`` plus the cost of ``entry``; BudgetExceeded if that is more than ``total``."""
    if not (after := spent + entry.cost) <= total:
        left = Budget(max(total.epsilon - spent.epsilon, Fraction(0)), max(total.delta - spent.delta, Fraction(0)))
        raise BudgetExceeded(
            f"{entry.mechanism} costs {entry.cost} but {left} remains of {total}; ask for less or use another account"
        )
    return after


class Ledger(OfThisProcess):
    """The list of what ran: a ledger charges its account first, and only then releases.

    What a mechanism calls a record may be a larger ``unit``, such as all visits of a patient. Whoever prepares the data
    so that each unit counts as one record names the unit here.

    >>> from privpac.mechanisms import discrete_laplace
    >>> ledger = Ledger(Budget(1))
    >>> noisy = discrete_laplace(41, epsilon=0.25, budget=ledger)
    >>> print(ledger.remaining)
    ε = 0.75
    >>> print(ledger)
    discrete Laplace: ε = 0.25 [noise, Theorem 1]
    """

    def __init__(self, account: Account | Budget, rng: Coins = None, who: str = "", unit: str = RECORDS) -> None:
        if not isinstance(account, Budget) and not hasattr(account, "charge"):
            once = "; account.once(key) pays for a whole fit or release only" if hasattr(account, "key") else ""
            raise TypeError(f"a ledger needs a Budget, such as Budget(1), or an account to charge{once}")
        super().__init__()
        self._account: Account = MemoryAccount(account) if isinstance(account, Budget) else account
        self._coins = entropy(rng)
        self._who, self._unit = who, unit
        self._payments = Payments()
        self._entries: list[Entry] = []
        self._books = [self._entries]  # every list that a charge is added to
        self._day: datetime | None = None  # the day on which a task began, for all its charges

    def branch(self, unit: str | None = None) -> Self:
        """A ledger for one of several tasks. It shares the account and the coins; this ledger lists its charges, too.

        All charges of a task have the day on which it began, so that no date reveals that the task ran past midnight.
        The task may protect another ``unit``; the account decides whether it pays for that.

        >>> from privpac.mechanisms import discrete_laplace
        >>> ledger = Ledger(Budget(1))
        >>> task = ledger.branch()
        >>> both = discrete_laplace(41, epsilon=0.25, budget=task), discrete_laplace(41, epsilon=0.5, budget=ledger)
        >>> print(task.spent, ledger.spent, task.remaining, sep=", ")
        ε = 0.25, ε = 0.75, ε = 0.25
        """
        task = object.__new__(type(self))
        task.__dict__ |= self.__dict__  # including what a subclass adds
        task._entries = []
        task._books = [task._entries, *self._books]
        task._day = today()
        task._unit = self._unit if unit is None else unit
        return task

    def spend(self, mechanism: Mechanism, sample: Sealed) -> Release:
        """Check the mechanism's view of the sample, charge ``mechanism.cost``, and only then toss coins.

        The parts of a sample have no record in common, so a release about one of them is charged only what it adds to
        the largest total of a part.
        """
        data = mechanism.check(sample._open())
        with self._payments.due(sample.part, mechanism.cost) as due:
            name, cost, theorem = _charge(mechanism, due, sample.part)
            day = self._day or today()
            entry = Entry(name, cost, theorem, self._coins.private, self._who, day, self._unit)
            self._account.charge(entry)
        for entries in self._books:
            entries.append(entry)
        return mechanism.release(data, self._coins)

    @property
    def account(self) -> Account:
        """The account that this ledger charges."""
        return self._account

    @property
    def coins(self) -> Entropy:
        """The source of coins for everything that runs."""
        return self._coins

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The charges for what ran through this ledger, in order."""
        return tuple(self._entries)

    @property
    def spent(self) -> Budget:
        """The total cost of what ran through this ledger."""
        return self.since(0).spent

    @property
    def remaining(self) -> Budget:
        """What the account still allows."""
        return self._account.total - self._account.spent

    def since(self, count: int) -> Statement:
        """What ran after the first ``count`` releases."""
        return Statement(self.entries[count:])

    def certificate(self, utility: Utility | None = None) -> Certificate:
        """The privacy and utility guarantees for everything this ledger released."""
        return self.since(0).certificate(utility)

    def __str__(self) -> str:
        return str(self.since(0))


def _charge(mechanism: Mechanism, due: Budget, part: Part | None) -> tuple[str, Budget, str]:
    """The name, cost, and theorem of a charge. Less is due than the mechanism's cost if other parts have paid more."""
    if part is None or due == mechanism.cost:
        return mechanism.name, due, mechanism.theorem
    return f"{mechanism.name} ({part.name}, {mechanism.cost})", due, f"{mechanism.theorem}; {THEOREM}"


Payer = Ledger | Account | Budget | None  # a Budget is a new allowance; None keeps no account
Coins = Entropy | int | None  # an integer is a seed, for tests and teaching only


def spend(mechanism: Mechanism, data: Data, budget: Payer, rng: Coins, size: int = 1) -> Release:
    """One release, charged to ``budget``. Without a budget, nothing is charged: the call itself shows what it costs."""
    if budget is None:
        return mechanism.release(mechanism.check(data), entropy(rng))
    if isinstance(budget, Ledger) and rng is not None:
        raise ValueError("a ledger has its own source of coins; give rng to the ledger, not to the mechanism")
    ledger = budget if isinstance(budget, Ledger) else Ledger(budget, rng)
    return ledger.spend(mechanism, Sealed(data, size))
