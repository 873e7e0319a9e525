"""What every mechanism owes before its first coin: bad input refused, nothing spent, nothing private said.

Main declarations
    SECRET                a number that stands in private data and must never stand in an error message
    Untouchable           coins that must not be tossed
    assert_refused        a call with bad input: an error that says what to change, and nothing spent
    assert_pays_first     a call with good input: charged its cost before the first coin, not at all if refused
"""

from collections.abc import Callable, Iterator
from inspect import signature
from typing import Any

import pytest

from privpac.exact.entropy import Entropy
from privpac.privacy.budget import Budget
from privpac.privacy.certificate import Entry
from privpac.privacy.ledger import BudgetExceeded, Ledger, MemoryAccount
from privpac.refusals.refusal import Refusal

SECRET = 987654321


class Untouchable(Entropy):
    """Coins that must not be tossed."""

    private = True

    def octets(self, count: int) -> bytes:
        raise AssertionError("a coin was tossed")


class Refusing:
    """An account that notes what it was asked for, and refuses."""

    total = spent = Budget(1)

    def __init__(self) -> None:
        self.asked: list[Entry] = []

    def charge(self, entry: Entry) -> None:
        self.asked.append(entry)
        raise BudgetExceeded("refused")


def assert_refused(mechanism: Callable[..., Any], *data: Any, match: str | None = None, **parameters: Any) -> None:
    """A ValueError or TypeError, before anything is spent or drawn, that does not quote SECRET."""
    ledger = Ledger(Budget(10**9, "0.999"), Untouchable())
    with pytest.raises((ValueError, TypeError), match=match) as caught:
        mechanism(*data, **parameters, budget=ledger)
    assert ledger.entries == (), "charged for bad input"
    if isinstance(caught.value, Refusal):
        assert caught.value.parameter in signature(mechanism).parameters
    for error in chain(caught.value):
        assert str(SECRET) not in f"{error} {getattr(error, '__notes__', '')}", "a private value is quoted"


def assert_pays_first(mechanism: Callable[..., Any], *data: Any, cost: Budget, theorem: str, **parameters: Any) -> None:
    """Charges exactly ``cost`` before the first coin; without the budget tosses none; a seed marks the release."""
    refusing = Refusing()
    with pytest.raises(BudgetExceeded):
        mechanism(*data, **parameters, budget=refusing, rng=Untouchable())
    assert [(entry.cost, entry.theorem) for entry in refusing.asked] == [(cost, theorem)]

    for short in (Budget(cost.epsilon * (1 - Budget("1e-30").epsilon), cost.delta), Budget(0)):
        account = MemoryAccount(short)
        with pytest.raises(BudgetExceeded) as caught:
            mechanism(*data, **parameters, budget=account, rng=Untouchable())
        assert account.spent == Budget(0) and str(SECRET) not in str(caught.value)

    exact = MemoryAccount(cost)
    with pytest.raises(AssertionError, match="a coin was tossed"):
        mechanism(*data, **parameters, budget=exact, rng=Untouchable())
    assert exact.spent == cost

    ledger, seeded = Ledger(cost), Ledger(cost, rng=1)
    mechanism(*data, **parameters, budget=ledger)
    released = [mechanism(*data, **parameters, rng=1), mechanism(*data, **parameters, budget=seeded)]
    assert released[0] == released[1]
    assert ledger.certificate().private and ledger.certificate().privacy == cost
    assert not seeded.certificate().private
    assert ledger.certificate().theorems == seeded.certificate().theorems == (theorem,)


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """An error and all that it came from."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
