"""Objects of one process, such as an account in memory: another process would spend it again."""

from __future__ import annotations

import os
from typing import Self

from privpac.privacy.budget import Budget
from privpac.privacy.certificate import Entry

ANOTHER = (
    "an account in memory belongs to one process, and a second process would spend it again; use a BudgetStore account"
)


class Elsewhere:
    """The stand-in that another process gets for an account in memory: it refuses every charge.

    >>> Elsewhere().charge(Entry("exponential", Budget(2), "selection, Theorem 1"))
    Traceback (most recent call last):
    RuntimeError: an account in memory belongs to one process, and a second process would spend it again; use a \
BudgetStore account
    """

    @property
    def total(self) -> Budget:
        raise RuntimeError(ANOTHER)

    spent = unit = total

    def charge(self, entry: Entry) -> None:
        raise RuntimeError(ANOTHER)


class OfThisProcess:
    """Belongs to one process: copying returns the same object, and in another process it refuses every charge.

    If copies of an account could be spent again, the account would promise nothing.
    """

    def __init__(self) -> None:
        self._process = os.getpid()

    def check_process(self) -> None:
        """Refuse a charge from a forked process."""
        if os.getpid() != self._process:
            raise RuntimeError(ANOTHER)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[type[Elsewhere], tuple[()]]:
        return Elsewhere, ()
