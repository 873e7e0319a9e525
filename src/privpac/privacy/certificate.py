"""Certificates: what ran, and what it guarantees. Privacy always holds; utility is claimed only where it is proved."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, time
from fractions import Fraction

from privpac.privacy.budget import Budget
from privpac.privacy.rounding import ceil_to, certainty

RECORDS = "records"


@dataclass(frozen=True)
class Utility:
    """With probability at least 1 − ``beta`` the error is at most ``alpha``, given ``assumptions``.

    >>> print(Utility(42, Fraction(1, 20), "rank", "interior point, Theorem 2", ("83 or more records",)))
    rank error ≤ 42 with probability ≥ 0.95 [interior point, Theorem 2; assuming 83 or more records]
    >>> print(Utility(Fraction(1, 10), Fraction(1, 20), "agnostic", "finite learner, Theorem 2", weights=(1, 9)).claim)
    average cost ≤ that of the best rule of the class + 0.9 with probability ≥ 0.95, where errors cost 1 and 9
    """

    alpha: Fraction | int
    beta: Fraction
    regime: str  # "agnostic" or "realizable"; for other algorithms, the kind of error: "rank"
    theorem: str
    assumptions: tuple[str, ...] = ()
    within: str = ""  # which rules the result is compared with, if not all of the class: "with margin 1.5"
    weights: tuple[int, ...] = ()  # what errors cost, label by label, if costs differ; α is a share of the largest

    @property
    def scale(self) -> int:
        """The largest weight of an error, of which α is a share; 1 if all errors cost the same."""
        return max(self.weights, default=1)

    @property
    def costs(self) -> str:
        """The weights of errors, label by label, as text."""
        *first, last = map(str, self.weights)
        return f"{', '.join(first)}{',' * (len(first) > 1)} and {last}"

    @property
    def claim(self) -> str:
        """The bound, without its theorem and assumptions."""
        within = f" ({self.within})" if self.within else ""
        error, bound = f"{self.regime} error", f"{ceil_to(self.alpha, 6):.10g}"
        if self.regime == "realizable":
            error = f"if some rule {self.within} makes no error: error" if self.within else "error"
        if self.regime == "agnostic":
            error = "average cost" if self.weights else "error"
            bound = f"that of the best rule of the class{within} + {ceil_to(self.alpha * self.scale, 6):.10g}"
        costs = f", where errors cost {self.costs}" if self.weights else ""
        return f"{error} ≤ {bound} with probability ≥ {certainty(self.beta)}{costs}"

    def __str__(self) -> str:
        assuming = f"; assuming {', '.join(self.assumptions)}" if self.assumptions else ""
        return f"{self.claim} [{self.theorem}{assuming}]"


@dataclass(frozen=True)
class Certificate:
    """A guarantee of privacy, which holds for every input, and one of utility, which is None if nothing is proved.

    >>> print(Certificate(Budget(1, 1e-6), theorems=("selection, Theorem 2",)))
    privacy: ε = 1, δ = 1e-06 for every pair of samples of equal size that differ in one record \
[selection, Theorem 2]
    utility: no guarantee claimed
    >>> print(Certificate(Budget(1, 1e-6), theorems=("selection, Theorem 2",), protected=5000))
    privacy: ε = 1, δ = 1e-06 for every pair of samples of equal size that differ in one record; δ·n = 0.005 for \
n = 5000 [selection, Theorem 2]
    utility: no guarantee claimed
    """

    privacy: Budget
    theorems: tuple[str, ...] = ()
    utility: Utility | None = None
    private: bool = True  # False if a seed decided the coins
    unit_records: int | None = None  # how many records of each unit count; None: single records are protected
    given: tuple[str, ...] = ()  # other facts that the caller declared public
    protected: int | None = None  # the number of records or units that are protected; None if unknown
    units: bool = field(default=False, compare=False)  # whether units are protected; not in files, as unit_records is

    @property
    def delta_n(self) -> Fraction | None:
        """The expected number of records or units that δ allows to be revealed outright; None without δ or n."""
        return self.privacy.delta * self.protected if self.privacy.delta and self.protected else None

    @property
    def claim(self) -> str:
        """The guarantee of privacy, without its theorems."""
        k = self.unit_records
        counts = "1 record counts" if k == 1 else f"{k} records count"
        protected = f"one unit, of which {counts}" if k is not None else "one unit" if self.units else "one record"
        claim = f"{self.privacy} for every pair of samples of equal size that differ in {protected}"
        if self.delta_n is not None:
            units = " units" if self.units or k is not None else ""
            claim += f"; δ·n = {float(self.delta_n):.3g} for n = {self.protected}{units}"
        claim = "; ".join([claim, *(f"given that {fact}" for fact in self.given)])
        if not self.private:
            claim = f"NOT PRIVATE, because a seed decided its coins (with system entropy: {claim})"
        return claim

    @property
    def cited(self) -> str:
        """The guarantee of privacy with its theorems."""
        return f"{self.claim} [{'; '.join(self.theorems) or 'nothing was released'}]"

    @property
    def privacy_line(self) -> str:
        return f"privacy: {self.cited}"

    @property
    def utility_line(self) -> str:
        return f"utility: {self.utility or 'no guarantee claimed'}"

    def __str__(self) -> str:
        return f"{self.privacy_line}\n{self.utility_line}"


def today() -> datetime:
    """The beginning of this day, UTC. Charges have no exact times, because running times may depend on records."""
    return day_of(datetime.now(UTC))


@dataclass(frozen=True)
class Entry:
    """One charge: what ran, what it cost, under which theorem, and whether its coins were private.

    ``time`` is the beginning of the day, UTC. The order of the entries of one day is known from their numbers.
    """

    mechanism: str
    cost: Budget
    theorem: str
    private: bool = True
    who: str = ""
    time: datetime = field(default_factory=today)
    unit: str = field(default=RECORDS, compare=False)  # the column that names the protected units; kept by the account

    def __post_init__(self) -> None:
        object.__setattr__(self, "time", day_of(self.time))

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
        """The total cost of what ran, by basic composition."""
        return sum((entry.cost for entry in self.entries), Budget(0))

    def certificate(
        self,
        utility: Utility | None = None,
        unit_records: int | None = None,
        given: tuple[str, ...] = (),
        protected: int | None = None,
    ) -> Certificate:
        """The guarantees for everything that ran. See :class:`Certificate` for the arguments."""
        theorems = tuple(dict.fromkeys(entry.theorem for entry in self.entries))
        private = all(entry.private for entry in self.entries)
        units = unit_records is not None or any(entry.unit != RECORDS for entry in self.entries)
        return Certificate(self.spent, theorems, utility, private, unit_records, given, protected, units)

    def unsigned(self) -> Statement:
        """The statement without the names of those who ran things, to keep with a release."""
        return Statement(tuple(replace(entry, who="") for entry in self.entries))

    def __str__(self) -> str:
        return "\n".join(map(str, self.entries)) or "nothing was released"


def day_of(moment: datetime) -> datetime:
    """The beginning of the day of ``moment``, UTC."""
    return datetime.combine(moment.astimezone(UTC).date(), time(), UTC)
