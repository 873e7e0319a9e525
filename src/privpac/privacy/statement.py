"""What ran: one entry for each release, and their joint guarantee.

Main declarations
    Entry        one charge
    Statement    what ran, and its certificate
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, time

from privpac.privacy.budget import Budget
from privpac.privacy.certificate import Certificate, Utility


@dataclass(frozen=True)
class Entry:
    """One charge: what ran, what it cost, under which theorem, and whether its coins were private."""

    mechanism: str
    cost: Budget
    theorem: str
    private: bool = True
    who: str = ""
    time: datetime = field(default_factory=lambda: datetime.now(UTC))

    def __str__(self) -> str:
        return f"{self.mechanism}: {self.cost} [{self.theorem}]{'' if self.private else ' NOT PRIVATE (seeded)'}"


@dataclass(frozen=True)
class Statement:
    """What ran, in order.

    >>> print(Statement((Entry("exponential", Budget(2), "selection, Theorem 1"),)))
    exponential: ε = 2 [selection, Theorem 1]
    """

    entries: tuple[Entry, ...] = ()

    @property
    def spent(self) -> Budget:
        """The total cost of what ran."""
        return sum((entry.cost for entry in self.entries), Budget(0))

    def certificate(
        self,
        utility: Utility | None = None,
        unit_records: int | None = None,
        given: tuple[str, ...] = (),
        protected: int | None = None,
    ) -> Certificate:
        """The privacy and utility guarantees for everything released; the other arguments say what is protected."""
        theorems = tuple(dict.fromkeys(entry.theorem for entry in self.entries))
        private = all(entry.private for entry in self.entries)
        return Certificate(self.spent, theorems, utility, private, unit_records, given, protected)

    def by_day(self) -> Statement:
        """The same without names and times of day, to keep with a release: running times may depend on records.

        >>> str(Statement((Entry("exponential", Budget(2), "selection, Theorem 1"),)).by_day().entries[0].time.time())
        '00:00:00'
        """
        return Statement(tuple(replace(entry, who="", time=_midnight(entry.time)) for entry in self.entries))

    def __str__(self) -> str:
        return "\n".join(map(str, self.entries)) or "nothing was released"


def _midnight(moment: datetime) -> datetime:
    return datetime.combine(moment.astimezone(UTC).date(), time(), UTC)
