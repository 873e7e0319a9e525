"""The only door to private records.

A sealed sample is opened by a ledger and by nothing else. A ledger checks the input, charges its account, and only
then lets the mechanism toss a coin, so what was spent is the sum of what ran.

Main declarations
    Sealed            records that only a ledger opens; their number is public
    Opened            records that need no ledger
    Records           what both are to an algorithm
    Mechanism         what can be spent on: a cost, a theorem, a validity check, a release
    Account           an allowance and what was charged to it; ``BudgetStore`` has durable ones
    MemoryAccount     an account that lives as long as the process
    Ledger            charges an account, then runs a mechanism; keeps what ran
    spend             one release, charged to a ledger, an account or an allowance
    BudgetExceeded    the refusal of a charge
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from threading import Lock
from typing import Any, NoReturn, Protocol, Self

from privpac.exact.entropy import Entropy, entropy
from privpac.privacy.budget import Budget
from privpac.privacy.certificate import Certificate, Utility
from privpac.privacy.statement import Entry, Statement


class BudgetExceeded(RuntimeError):
    """The account's remaining budget does not cover the cost; nothing was spent and nothing released.

    >>> from privpac.mechanisms import discrete_laplace
    >>> discrete_laplace(7, epsilon=2, budget=Budget(1))
    Traceback (most recent call last):
    privpac.privacy.ledger.BudgetExceeded: discrete Laplace costs ε = 2 but ε = 1 remains of ε = 1; ask for less or \
use another account
    """


class Sealed:
    """Records that only a ledger opens. Their number is public.

    >>> Sealed([3, 1, 4]), Sealed([3, 1, 4]).see(max)
    (Sealed(3 records), Sealed(3 records))
    """

    __slots__ = ("_records", "_views", "size")

    def __init__(self, records: Any, size: int | None = None) -> None:
        self._records = records
        self._views: tuple[Callable[[Any], Any], ...] = ()
        self.size = len(records) if size is None else size

    def see(self, view: Callable[[Any], Any]) -> Sealed:
        """What ``view`` makes of the records: sealed as well, and not looked at before a ledger opens it."""
        seen = Sealed(self._records, self.size)
        seen._views = (*self._views, view)
        return seen

    def _open(self) -> Any:
        return reduce(lambda seen, view: view(seen), self._views, self._records)

    def __repr__(self) -> str:
        return f"Sealed({self.size} records)"


@dataclass(frozen=True)
class Opened:
    """Records that nobody need seal: those of an audit or a test.

    >>> Opened([3, 1, 4], 3).see(max)
    4
    """

    records: Any
    size: int

    def see(self, view: Callable[[Any], Any]) -> Any:
        """What ``view`` makes of the records."""
        return view(self.records)


class Records(Protocol):
    """What an algorithm is given: it may know how many records there are, and say what a mechanism sees of them."""

    @property
    def size(self) -> int: ...
    def see(self, view: Callable[[Any], Any]) -> Any: ...


class Mechanism(ABC):
    """A private release: public parameters are its fields, private data is its argument.

    ``theorem`` names the proof of ``cost`` in docs/proofs; ``check`` validates the data before anything is spent and
    returns it in the form that ``release`` takes; ``release`` is total on checked data.
    """

    cost: Budget

    @property
    @abstractmethod
    def name(self) -> str: ...

    @property
    @abstractmethod
    def theorem(self) -> str: ...

    def check(self, data: Any) -> Any:
        return data

    @abstractmethod
    def release(self, data: Any, coins: Entropy) -> Any: ...


class Account(Protocol):
    """An allowance and what was charged to it."""

    @property
    def total(self) -> Budget: ...
    @property
    def spent(self) -> Budget: ...
    def charge(self, entry: Entry) -> None:
        """Record ``entry`` durably, or raise BudgetExceeded and record nothing."""


CHARGING = Lock()  # one for all accounts of this process


ANOTHER = (
    "an account in memory belongs to one process, and another would spend it again; use an account of a BudgetStore"
)


class OfThisProcess:
    """What is charged to in this process: copies are the thing itself, and it cannot be handed to another process.

    An account whose copies could be spent once more would promise nothing.
    """

    def __init__(self) -> None:
        self._process = os.getpid()

    def check_process(self) -> None:
        """Refuse to be charged in a process that was forked from the one it belongs to."""
        if os.getpid() != self._process:
            raise RuntimeError(ANOTHER)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: Any) -> Self:
        return self

    def __reduce__(self) -> NoReturn:
        raise TypeError(ANOTHER)


class MemoryAccount(OfThisProcess):
    """An account that lives as long as the process.

    >>> account = MemoryAccount(Budget(1))
    >>> account.charge(Entry("exponential", Budget(2), "selection, Theorem 1"))
    Traceback (most recent call last):
    privpac.privacy.ledger.BudgetExceeded: exponential costs ε = 2 but ε = 1 remains of ε = 1; ask for less or use \
another account
    """

    def __init__(self, total: Budget) -> None:
        super().__init__()
        self.total = total
        self.spent = Budget(0)

    def charge(self, entry: Entry) -> None:
        self.check_process()
        with CHARGING:
            require(entry, self.total, self.spent)
            self.spent += entry.cost


def require(entry: Entry, total: Budget, spent: Budget) -> None:
    """Raise BudgetExceeded unless ``spent`` + the entry's cost stays within ``total``."""
    if not spent + entry.cost <= total:
        left = Budget(max(total.epsilon - spent.epsilon, Fraction(0)), max(total.delta - spent.delta, Fraction(0)))
        raise BudgetExceeded(
            f"{entry.mechanism} costs {entry.cost} but {left} remains of {total}; ask for less or use another account"
        )


class Ledger(OfThisProcess):
    """Charge first, then release; remember what ran.

    >>> from privpac.mechanisms import discrete_laplace
    >>> ledger = Ledger(Budget(1))
    >>> noisy = discrete_laplace(41, epsilon=0.25, budget=ledger)
    >>> print(ledger.remaining)
    ε = 0.75
    >>> print(ledger)
    discrete Laplace: ε = 0.25 [noise, Theorem 1]
    """

    def __init__(self, account: Account | Budget, rng: Entropy | int | None = None, who: str = "") -> None:
        if not isinstance(account, Budget) and not hasattr(account, "charge"):
            raise TypeError("a ledger needs a Budget, like Budget(1), or an account to charge")
        super().__init__()
        self._account: Account = MemoryAccount(account) if isinstance(account, Budget) else account
        self._coins = entropy(rng)
        self._who = who
        self._entries: list[Entry] = []
        self._books = [self._entries]  # where charges are written

    def branch(self) -> Self:
        """A ledger for one task among others: same account, same coins; what it charges is listed here as well.

        >>> from privpac.mechanisms import discrete_laplace
        >>> ledger = Ledger(Budget(1))
        >>> task = ledger.branch()
        >>> both = discrete_laplace(41, epsilon=0.25, budget=task), discrete_laplace(41, epsilon=0.5, budget=ledger)
        >>> print(task.spent, ledger.spent, task.remaining, sep=", ")
        ε = 0.25, ε = 0.75, ε = 0.25
        """
        task = object.__new__(type(self))  # with what a subclass adds
        task.__dict__ |= self.__dict__
        task._entries = []
        task._books = [task._entries, *self._books]
        return task

    def spend(self, mechanism: Mechanism, sample: Sealed) -> Any:
        """Check what the mechanism sees of the sample, charge ``mechanism.cost``, and only then toss coins."""
        data = mechanism.check(sample._open())
        entry = Entry(mechanism.name, mechanism.cost, mechanism.theorem, self._coins.private, self._who)
        self._account.charge(entry)
        for entries in self._books:
            entries.append(entry)
        return mechanism.release(data, self._coins)

    @property
    def entries(self) -> tuple[Entry, ...]:
        """What ran through this ledger, in order."""
        return tuple(self._entries)

    @property
    def spent(self) -> Budget:
        """The sum of what ran through this ledger."""
        return self.since(0).spent

    @property
    def remaining(self) -> Budget:
        """What the account still allows."""
        return self._account.total - self._account.spent

    def since(self, count: int) -> Statement:
        """What ran after the first ``count`` releases."""
        return Statement(self.entries[count:])

    def certificate(self, utility: Utility | None = None) -> Certificate:
        """Both halves of the guarantee for everything this ledger released."""
        return self.since(0).certificate(utility)

    def __str__(self) -> str:
        return str(self.since(0))


def spend(
    mechanism: Mechanism, data: Any, budget: Ledger | Account | Budget | None, rng: Entropy | int | None, size: int = 1
) -> Any:
    """One release charged to ``budget``: a ledger, an account, an allowance, or None for the mechanism's own cost."""
    if isinstance(budget, Ledger):
        if rng is not None:
            raise ValueError("a ledger brings its own source of coins; give rng to the ledger, not to the mechanism")
        ledger = budget
    else:
        ledger = Ledger(mechanism.cost if budget is None else budget, rng)
    return ledger.spend(mechanism, Sealed(data, size))
