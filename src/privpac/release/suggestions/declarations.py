"""What noisy counts of cells say about a column: its kind, its bounds, its values. No record is seen here.

Throughout this file
    n       the number of records, public; with units, that of units
    seen    the cells and keys whose noisy counts are clearly above 0, with these counts
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from fractions import Fraction
from heapq import nlargest
from itertools import accumulate
from math import floor, log10
from typing import Any, Literal

from privpac.classes.schemas.schema import Column, Label, Unit
from privpac.data.samples.sample import MOST_LABELS
from privpac.mechanisms.histograms.column_histograms import ShownKeys
from privpac.refusals.refusal import Refusal
from privpac.release.suggestions.entry_cells import BEYOND, BLANKS, MISSING, Cell, Form, cells

ROUND = (1, 2, 5, 10)
NEARLY_ALL = Fraction(49, 50)  # of the records have values that are seen: all values are then listed
MOST_VALUES = 50  # of a column
MOST_NUMBERS = 10  # labels that are numbers; more are no labels
COVERED = Fraction(9, 10)  # of the units have all of their records counted
FROM_ZERO = 4  # bounds begin at 0 if the smallest number is this many times smaller than the largest
NUMBERS, TIMES = ("integer", "number"), ("date", "datetime")
Declared = Column | Label | Unit
Role = Literal["column", "label", "unit"]


@dataclass(frozen=True)
class Source:
    """A column of the table, and what is public about it; its entries may be texts that ``spell`` values."""

    name: str
    form: Form
    role: Role = "column"
    spells: bool = False


@dataclass(frozen=True)
class Suggestion:
    """What is suggested for a column, or the reason why nothing is."""

    source: Source
    declared: Declared | None
    about: str  # what was seen, or the reason
    missing: int = 0  # about how many entries are missing


@dataclass(frozen=True)
class Seen:
    """The cells and the other keys that are clearly not empty, with their noisy counts."""

    counts: dict[Cell, int] = field(default_factory=dict)
    keys: dict[Hashable, int] = field(default_factory=dict)
    limit: int = 1  # the least noisy count of a cell that is clearly not empty

    @classmethod
    def of(cls, form: Form, shown: ShownKeys, limit: int) -> Seen:
        """The cells whose noisy counts are at least ``limit``, and all keys that are shown."""
        listed = zip(cells(form), shown.listed, strict=True)
        return cls({cell: count for cell, count in listed if count >= limit}, dict(shown.others), limit)

    def kind(self, *kinds: str) -> dict[Cell, int]:
        """The cells of these kinds."""
        return {cell: count for cell, count in self.counts.items() if cell[0] in kinds}

    def total(self, *kinds: str) -> int:
        """How many entries lie in these cells, about."""
        return sum(self.kind(*kinds).values())

    @property
    def blanks(self) -> dict[str, int]:
        """The texts that usually stand for missing values."""
        return {BLANKS[cell[1]]: count for cell, count in self.kind("missing").items() if len(cell) > 1}

    @property
    def texts(self) -> dict[Hashable, int]:
        """The values of a column of texts, where a text such as "?" is one more value."""
        return self.keys | self.blanks if self.keys else {}


def declared(source: Source, shown: ShownKeys, n: int, limit: int) -> Suggestion:
    """What a schema may say about a column.

    >>> counts = {("integer", 1, 4): 900, ("integer", 1, 6): 800}
    >>> ages = ShownKeys(tuple(counts.get(cell, 0) for cell in cells("integer")), ())
    >>> found = declared(Source("age", "integer"), ages, 2000, 100).declared
    >>> found.low, found.high
    (0, 200)
    """
    seen = Seen.of(source.form, shown, limit)
    try:
        found, about = _ROLES[source.role](source, seen, n)
    except Refusal as error:  # such as values that differ only in how they are spelled
        found, about = None, f"what was seen is not a valid declaration: {error}"
    blanks, absent = tuple(seen.blanks), seen.total("missing")
    if isinstance(found, Column):
        if found.values is not None:  # where texts such as "?" are values
            blanks, absent = (), seen.counts.get(MISSING, 0)
        found = replace(found, missing=absent > 0, na=blanks)
    return Suggestion(source, found, about, absent)


def _column(source: Source, seen: Seen, n: int) -> tuple[Column | None, str]:
    numbers, times, texts = seen.total(*NUMBERS), seen.total(*TIMES), sum(seen.texts.values())
    truths = seen.total("truth")
    most = max(numbers, times, texts, truths)
    if source.form == "truth" or 0 < most == truths:
        return Column(source.name, "category", values=(False, True)), "truth values"
    if not most:
        return None, _nothing(seen)
    if most == numbers:
        return _line(source.name, seen)
    if most == times:
        return _times(source.name, seen)
    return _values(source.name, seen, n)


def _nothing(seen: Seen) -> str:
    """Why a column has no suggestion."""
    if seen.total("missing"):
        return "most entries are missing"
    if seen.counts.get(BEYOND):
        return "entries are too long, too large, or of a kind that a schema cannot declare"
    return "no range and no value is frequent enough to be seen, as in names, free text, and dates like 31.01.2026"


def _line(name: str, seen: Seen) -> tuple[Column | None, str]:
    ends = [end for cell in seen.kind(*NUMBERS) for end in _ends(cell)]
    smallest, largest = min(ends), max(ends)
    if smallest == largest:
        return None, f"every entry that was seen is {smallest}"
    whole = not seen.kind("number")
    low = Decimal(0) if 0 < smallest <= largest / FROM_ZERO else rounded(smallest, up=False)
    high = Decimal(0) if largest < 0 and smallest / FROM_ZERO <= largest else rounded(largest, up=True)
    about = f"{'whole ' * whole}numbers were seen between {_plain(smallest)} and {_plain(largest)}"
    if whole:
        return Column(name, "integer", low=int(low), high=int(high)), about
    return Column(name, "float64", low=low, high=high), about


def _ends(cell: Cell) -> tuple[Decimal, Decimal]:
    """The least and the greatest number of a cell, about."""
    if len(cell) == 2:
        return Decimal(0), Decimal(0)
    kind, sign, e = cell
    ends = Decimal(2) ** e, Decimal(2) ** (e + 1) - (kind == "integer")
    return ends if sign > 0 else (-ends[1], -ends[0])


def rounded(number: Decimal, *, up: bool) -> Decimal:
    """The next round number, 1, 2, or 5 times a power of ten.

    >>> print(rounded(Decimal(127), up=True), rounded(Decimal(16), up=False), rounded(Decimal("-0.3"), up=False))
    200 10 -0.5
    """
    if not number:
        return Decimal(0)
    away = up == (number > 0)
    power = Decimal(1).scaleb(floor(log10(abs(number))))
    digit = (abs(number) / power).quantize(Decimal("1e-9"), ROUND_CEILING if away else ROUND_FLOOR)
    chosen = min(each for each in ROUND if each >= digit) if away else max(each for each in ROUND if each <= digit)
    size = Decimal(f"{chosen * power:f}")  # 200, not 2E+2
    return size if number > 0 else -size


def _plain(number: Decimal) -> str:
    return f"{float(number):.4g}" if number % 1 else f"{int(number):,}"


def _times(name: str, seen: Seen) -> tuple[Column, str]:
    years = [cell[1] for cell in seen.kind(*TIMES)]
    first, last = min(years), max(years)
    about = f"{'days' if not seen.kind('datetime') else 'times'} were seen from {first} to {last}"
    if not seen.kind("datetime"):
        return Column(name, "date", low=date(first, 1, 1), high=date(last, 12, 31)), about
    return Column(name, "datetime", low=datetime(first, 1, 1), high=datetime(last, 12, 31, 23, 59, 59)), about


def _values(name: str, seen: Seen, n: int) -> tuple[Column | None, str]:
    """A category, if nearly all entries have values that are seen; else a code, which may have others, too."""
    frequent = nlargest(MOST_VALUES, seen.texts, key=lambda text: seen.texts[text])
    values = tuple(sorted(frequent, key=str))
    rest = n - seen.counts.get(MISSING, 0) - sum(seen.texts[value] for value in values)
    if rest <= max(n * (1 - NEARLY_ALL), Fraction(seen.limit, 2)):
        if len(values) < 2:
            return None, "one value is all that was seen"
        return Column(name, "category", values=values), f"{len(values)} values were seen"
    many = "1 value was" if len(values) == 1 else f"{len(values)} values were"
    other = f"{many} seen, and others, in about {_percent(rest, n)} of the entries, fit as well"
    return Column(name, "code", values=values), f"{other}; rules ask whether an entry begins with one of these values"


def _label(source: Source, seen: Seen, n: int) -> tuple[Label | None, str]:
    if source.form == "true label":
        return Label(source.name, (False, True)), "truth values"
    found: list[Any] = sorted(seen.keys, key=_number_first)
    if len(found) < 2:
        few = "one label" if found else "no label"
        return (
            None,
            f"{few} is frequent enough to be seen; name the labels, or a condition: at_least = 5000",
        )
    if len(found) > MOST_LABELS or (len(found) > MOST_NUMBERS and all(isinstance(each, int) for each in found)):
        return None, f"{len(found)} different values were seen, which are too many for labels"
    return Label(source.name, tuple(found)), f"{len(found)} labels were seen; the first one is the negative one"


def _number_first(label: Hashable) -> tuple[bool, int, str]:
    return (False, label, "") if isinstance(label, int) else (True, 0, str(label))


def _unit(source: Source, seen: Seen, n: int) -> tuple[Unit | None, str]:
    """How many records count per unit: enough for nine of ten units."""
    sizes = sorted((2 ** (cell[1] + 1) - 1, count) for cell, count in seen.kind("size").items())
    if not sizes:
        return None, "how many records a unit has was not seen; say how many of them count"
    total = sum(count for _, count in sizes)
    reached = zip(accumulate(count for _, count in sizes), sizes, strict=True)
    enough = next(size for sofar, (size, _) in reached if sofar >= COVERED * total)
    return Unit(source.name, enough), f"units with up to {sizes[-1][0]} records were seen"


_ROLES: dict[Role, Any] = {"column": _column, "label": _label, "unit": _unit}


def _percent(some: int, n: int) -> str:
    return f"{max(0, min(1, some / max(n, 1))):.0%}".replace("%", " %")
