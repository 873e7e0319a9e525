"""The contracts of a sanitizer and of its answers: a sanitizer privately answers all queries of a class at once.

Throughout this room
    c      a query: a rule of the class; its count is the number of records with c(x) = 1
    n      the number of records, public; void records, which do not fit the domain, count in n and satisfy no query
    gap    the largest |answer − count| over all queries of the class
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple, Self

from privpac.classes.hypothesis import Hypothesis
from privpac.data.counting.records_in_engine import RecordsInEngine
from privpac.data.samples.sample import Sample
from privpac.exact.entropy import Entropy
from privpac.mechanisms.algorithm import Ask
from privpac.privacy.ledger import Records
from privpac.refusals.refusal import Refused
from privpac.release.charts import Chart
from privpac.requests.conditions import ForClass
from privpac.requests.json_values import STORED

Frame = dict[str, list[object]]  # a table for people: names of columns, and their entries
RECORDS = "records"  # the name of the column of counts


@dataclass(frozen=True)
class Sanitizer(ForClass):
    """An algorithm that answers all queries of ``concept_class``; ``theorem`` is that of its privacy."""

    certain: ClassVar[bool] = False  # whether its answers have bounds that always hold, so that no gap is measured

    @property
    def records_in_engine(self) -> type[RecordsInEngine] | None:
        """The engine-side form of the records, if counts are enough; None if the records must be loaded."""
        return None

    def check_size(self, n: int) -> None:
        """Refused if n records are too many. It is called before anything is spent."""

    def method_text(self, n: int) -> str:
        """The method for n records, in a few words."""
        return self.title

    @abstractmethod
    def run(self, records: Records, ask: Ask) -> Answers:
        """The algorithm; every ``ask(mechanism, records.see(view))`` is a release."""

    def with_certificate(self, share: Fraction) -> tuple[Self, Fraction] | None:
        """This sanitizer with larger noise, and the variance of the noise that the same cost then allows the gap.

        The gap gets about ``share`` of the cost. None if the noise is not Gaussian: the costs of the answers and of
        their certificate are then added.
        """
        return None

    def least_gap(self, n: int) -> Fraction | None:
        """A lower bound, as a fraction of n records, on the error of every private release; None if none is known."""
        return None

    def known_gap(self, n: int) -> int | None:
        """A bound on the gap that holds with probability 1 − β for all samples of n records; None if none is proved."""
        return None


class Bounds(NamedTuple):
    """How far answers are off at most, with certainty."""

    shown: int  # the largest error of a count that is shown
    unseen: int  # the largest true count that is not shown


def headings(columns: Iterable[Hashable], *taken: str) -> list[str]:
    """The names of columns as texts that differ from each other and from names that are taken.

    >>> headings(["job", 1, "1", "records"], RECORDS)
    ['job', '1', '1 (column)', 'records (column)']
    """
    names: list[str] = []
    for column in columns:
        heading = str(column)
        while heading in (*taken, *names):
            heading += " (column)"
        names.append(heading)
    return names


def unanswered(which: str) -> Refused:
    """The refusal of a query, by a release that answers only queries about ``which``."""
    return Refused("query", f"this release answers queries about {which}; make them with concept_class.hypothesis")


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
        """The released counts, as a table."""

    def shown(self, measured: int | None) -> Frame:
        """The counts; subclasses may add intervals that hold if every answer is off by at most ``measured``."""
        return self.counts()

    @abstractmethod
    def rows(self, size: int, coins: Entropy) -> Frame:
        """Synthetic records, drawn from the answers alone."""

    @property
    def subject(self) -> str:
        """The question that the answers are about, as a heading."""
        return "How many records satisfy each query"

    @property
    def remark(self) -> str:
        """How values were read, where a reader would expect something else."""
        return ""

    @property
    def fitting(self) -> tuple[int, int] | None:
        """How many records are not void by these answers, and how many answers this sums up; None if no answers do."""
        return None

    @property
    def answers_per_entry(self) -> int | None:
        """The most answers of which an entry of ``counts`` is a sum or difference; None if it is neither."""
        return 1

    def drawing(self) -> tuple[Chart, ...]:
        """The charts in a picture of the answers; none if a table says enough."""
        return ()

    def drawn(self, measured: int | None) -> tuple[Chart, ...]:
        """The charts; subclasses may add intervals that hold if every answer is off by at most ``measured``."""
        return self.drawing()

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

    def mean(self, measured: int | None = None) -> tuple[Any, Any, Any]:
        """The mean, and where it lies if every answer is off by ``measured`` at most."""
        raise Refused("concept_class", "only releases of values on a line have a mean; release Thresholds(low, high)")

    def quantile(self, q: Fraction) -> Hashable:
        """The smallest value that at least a fraction q of the records does not exceed."""
        raise Refused("q", "only releases of values in an order have quantiles; release Thresholds(low, high)")
