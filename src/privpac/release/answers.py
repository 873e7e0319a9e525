"""What a release ships: a whole number for every query, frozen and public.

Throughout this room
    c      a query: a rule of the class; its count is the number of records with c(x) = 1
    n      the number of records, public; void records count in n and in no query
    gap    the largest |answer − count| over all queries of the class

Main declarations
    Answers    the contract
    Bounds     bounds that always hold
    headings   the names of columns in a table for people
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable
from fractions import Fraction
from typing import Any, NamedTuple

from privpac.classes.base import Hypothesis
from privpac.data.refusal import Refused
from privpac.data.sample import Sample
from privpac.exact.entropy import Entropy
from privpac.learners.stored import STORED
from privpac.release.charts import Chart

Frame = dict[str, list[Any]]  # a table for people: column names and entries
RECORDS = "records"  # what counts are called there


class Bounds(NamedTuple):
    """How far an answer is off at most, with certainty: for what is shown, and for everything else."""

    shown: int
    unseen: int


def headings(columns: Iterable[Hashable], *taken: str) -> list[str]:
    """The names of columns as texts, all different, and different from those that are taken.

    >>> headings(["job", 1, "1", "records"], RECORDS)
    ['job', '1', '1 (column)', 'records (column)']
    """
    found: list[str] = []
    for column in columns:
        heading = str(column)
        while heading in (*taken, *found):
            heading += " (column)"
        found.append(heading)
    return found


class Answers(ABC):
    """A whole number for every query of a class. Subclasses are frozen dataclasses of public fields.

    What is certified is what ships: ``gap`` compares the records with ``count`` itself, in whole numbers.
    """

    n: int

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if STORED.setdefault(cls.__name__, cls).__module__ != cls.__module__:
            raise TypeError(f"something called {cls.__name__} is already stored in files; choose another name")
        STORED[cls.__name__] = cls  # a dataclass with slots is made twice

    @abstractmethod
    def count(self, query: Hypothesis) -> int:
        """The answer to a query, at most n if a gap is measured; Refused if it is not a rule of the class."""

    @abstractmethod
    def gap(self, sample: Sample) -> int:
        """The largest |answer − count| over all queries; substituting one record changes it by at most 1."""

    @abstractmethod
    def counts(self) -> Frame:
        """What is shown, as a table."""

    @abstractmethod
    def rows(self, size: int, coins: Entropy) -> Frame:
        """Synthetic records, drawn from the answers alone."""

    @property
    def subject(self) -> str:
        """What is answered, as a heading."""
        return "How many records satisfy each query"

    @property
    def remark(self) -> str:
        """How values were read, where a reader would expect something else."""
        return ""

    @property
    def fitting(self) -> tuple[int, int] | None:
        """How many records fit what is declared, and of how many answers that is the sum; None if none tell."""
        return None

    @property
    def answers_per_entry(self) -> int | None:
        """An entry of ``counts`` is a sum or difference of at most this many answers; None if of none."""
        return 1

    def drawing(self) -> tuple[Chart, ...]:
        """The charts in a picture of the answers; none if a table says enough."""
        return ()

    @property
    def farthest(self) -> int:
        """No answer can be off by more than this, whatever the records are: n, if answers lie between 0 and n."""
        return self.n

    @property
    def certain(self) -> Bounds | None:
        """Bounds that hold with certainty, if there are any."""
        return None

    def bound(self, query: Hypothesis) -> int | None:
        """How far the answer to this query is off at most, with certainty."""
        return None

    def quantile(self, q: Fraction) -> Any:
        """The smallest value that at least a fraction q of the records does not exceed."""
        raise Refused("q", "only releases of values in an order have quantiles; release Thresholds(low, high)")
