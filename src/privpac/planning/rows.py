"""The rows of a plan: what a learner needs or reaches, or what a published bound says, and how far to trust it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from decimal import Decimal
from enum import Enum
from fractions import Fraction

from privpac.report.numbers import grouped


class Section(Enum):
    """The sections of a plan, in order."""

    CERTIFIED = "certified"
    NOTHING = "no certificate"
    PUBLISHED = "published"
    LOWER = "lower bound"


class Constants(Enum):
    """Whether the paper prints all constants of a bound; hidden ones are set to 1."""

    PRINTED = ""
    HIDDEN = "O-constants = 1"
    HIDDEN_BELOW = "Ω-constant = 1"


@dataclass(frozen=True)
class Kind:
    """The kind of a number.

    ``regime`` is that of a bound, if it differs from the plan's. ``within`` says with which rules of the class a
    certificate compares, if not with all: ``with margin 1.5``.

    >>> print(Kind(Section.CERTIFIED, within="with margin 1.5"))
    certified with margin 1.5
    >>> print(Kind(Section.PUBLISHED, Constants.HIDDEN, "realizable"))
    published, O-constants = 1 (realizable)
    """

    section: Section
    constants: Constants = Constants.PRINTED
    regime: str | None = None
    within: str = ""

    def __str__(self) -> str:
        constants = f", {self.constants.value}" if self.hidden else ""
        within = f" {self.within}" if self.within else ""
        return f"{self.section.value}{within}{constants}{f' ({self.regime})' if self.regime else ''}"

    @property
    def certified(self) -> bool:
        """Whether a certificate proves the number."""
        return self.section is Section.CERTIFIED

    @property
    def hidden(self) -> bool:
        """Whether some constants are hidden; the number then shows only an order of magnitude."""
        return self.constants is not Constants.PRINTED


CERTIFIED, NOTHING = Kind(Section.CERTIFIED), Kind(Section.NOTHING)


class Sought(Enum):
    """What a plan looks for; the value heads its column."""

    RECORDS = "n"
    ERROR = "error"
    EPSILON = "ε"

    def of(self, row: Row) -> float | None:
        """The number in the row."""
        return {Sought.RECORDS: row.n, Sought.ERROR: row.alpha, Sought.EPSILON: row.epsilon}[self]

    def text(self, row: Row) -> str:
        """The number in the row, formatted for people."""
        if self is Sought.RECORDS:
            return human(row.n)
        return "–" if (value := self.of(row)) is None else f"{value:.4g}"


@dataclass(frozen=True)
class Row:
    """The row of a learner or of a published bound: ``n`` records for an error of ``alpha`` under ``epsilon``.

    The row of a bound has the bound's name as ``learner``, and no ``title``. ``kind`` says how far to trust the number.
    ``proper`` is None if the bound covers proper and improper learners. ``remark`` lists further assumptions of a
    certificate, or problems of a bound.
    """

    learner: str
    n: int | None
    alpha: float | None
    proper: bool | None
    privacy: str
    kind: Kind
    source: str
    remark: str = ""
    automatic: bool = True  # whether its rules are readable; other learners are last resorts
    title: str = ""  # the learner's name in models and reports
    delta: float | None = None  # the δ that is spent; None if the row does not say
    epsilon: float | None = None  # the ε that is spent, or that is needed; None if no ε suffices
    paper: bool = False  # an algorithm of a paper: it runs only if named; a certificate is for the α that it aims at

    @property
    def delta_n(self) -> float | None:
        """δ·n: how many of the n records δ allows to be revealed outright, on average; None without n."""
        return None if self.delta is None or self.n is None else float(Fraction(self.delta) * self.n)

    def plain(self) -> dict[str, object]:
        """The fields as plain values for tables and JSON, with the kind in words."""
        return asdict(self) | {"kind": str(self.kind)}


def human(n: int | None) -> str:
    """A number of records, formatted for people.

    >>> human(617), human(12345), human(320_000_000), human(None)
    ('617', '12,345', '3.2·10⁸', '–')
    """
    if n is None:
        return "–"
    if n < 10**7:
        return grouped(n)
    mantissa, _, exponent = f"{Decimal(n):.1e}".partition("e+")
    return f"{mantissa}·10{str(int(exponent)).translate(str.maketrans('0123456789', '⁰¹²³⁴⁵⁶⁷⁸⁹'))}"
