"""What noisy counts of cells say about a column: its kind, its bounds, its values. No record is seen here.

Throughout this file
    n       the number of records or, with units, of units; public
    cell    a listed part of what entries may say, such as ("integer", 1, 5) for 32 to 63: the legend of ``entry_cells``
            lists the forms of cells
    seen    the cells and keys whose noisy counts are clearly above 0, with these counts
    about   the comment on a column in the file: what was seen, or why there is no suggestion
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
from privpac.release.suggestions.entry_cells import BEYOND, BLANKS, MISSING, PERIOD, Cell, Form, cells, date_format

ROUND = (1, 2, 5, 10)
NEARLY_ALL = Fraction(49, 50)  # if this share of the records has values that are seen, these count as all values
MOST_VALUES = 50  # values of a column
MOST_NUMBERS = 10  # labels that are numbers: a column with more is probably a quantity
IN_ORDER = ["0", "1"], ["-1", "1"], ["no", "yes"], ["n", "y"], ["false", "true"]  # negative, then positive labels
FEW_WORDS = Fraction(1, 10)  # the largest share of texts that count as missing in a column of numbers
COVERED = Fraction(9, 10)  # so many records count per unit that at least this share of the units loses none
FROM_ZERO = 4  # bounds begin at 0 if the largest number is at least this many times the smallest
NUMBERS, TIMES = ("integer", "number"), ("date", "datetime")
Declared = Column | Label | Unit
Role = Literal["column", "label", "unit"]


@dataclass(frozen=True)
class Source:
    """A column of the table, and what is public about it."""

    name: str
    form: Form
    role: Role = "column"
    spells: bool = False  # whether entries come from an engine, where texts such as "37" may spell values


@dataclass(frozen=True)
class Suggestion:
    """What is suggested for a column, or the reason why nothing is."""

    source: Source
    declared: Declared | None
    about: str  # what was seen, or the reason
    missing: int = 0  # how many entries are missing, by noisy counts


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

    def cells_of(self, *kinds: str) -> dict[Cell, int]:
        """The cells of these kinds, with their counts; the kind of a cell is its first entry."""
        return {cell: count for cell, count in self.counts.items() if cell[0] in kinds}

    def total(self, *kinds: str) -> int:
        """How many entries lie in the cells of these kinds, by noisy counts."""
        return sum(self.cells_of(*kinds).values())

    @property
    def blanks(self) -> dict[str, int]:
        """The seen texts that usually stand for missing values, such as "?", with their counts."""
        return {BLANKS[cell[1]]: count for cell, count in self.cells_of("missing").items() if len(cell) > 1}

    @property
    def words(self) -> dict[str, int]:
        """The seen texts that neither spell values nor usually stand for missing ones, with their counts."""
        return {key: count for key, count in self.keys.items() if isinstance(key, str)}

    @property
    def texts(self) -> dict[Hashable, int]:
        """The values of a column of texts, where a blank such as "?" is one more value. Blanks alone make no column."""
        return self.keys | self.blanks if self.keys else {}


def suggestion_for(source: Source, shown: ShownKeys, n: int, limit: int) -> Suggestion:
    """The suggestion for a column; ``limit`` is the least noisy count of a cell that is clearly not empty.

    >>> counts = {("integer", 1, 4): 900, ("integer", 1, 6): 800}
    >>> ages = ShownKeys(tuple(counts.get(cell, 0) for cell in cells("integer")), ())
    >>> column = suggestion_for(Source("age", "integer"), ages, 2000, 100).declared
    >>> column.low, column.high
    (0, 200)
    """
    seen = Seen.of(source.form, shown, limit)
    try:
        declaration, about = _ROLES[source.role](source, seen, n)
    except Refusal as error:  # such as values that differ only in how they are spelled
        declaration, about = None, f"what was seen is not a valid declaration: {error}"
    blanks, absent = tuple(seen.blanks), seen.total("missing")
    if isinstance(declaration, Column) and declaration.ordered and (words := seen.words):
        blanks, absent = (*blanks, *words), absent + sum(words.values())
        about += f"; {' and '.join(words)} {'counts' if len(words) == 1 else 'count'} as missing"
    if isinstance(declaration, Column):
        if declaration.values is not None:  # texts such as "?" are then values
            blanks, absent = (), seen.counts.get(MISSING, 0)
        declaration = replace(declaration, missing=absent > 0, na=blanks)
    return Suggestion(source, declaration, about, absent)


def _column(source: Source, seen: Seen, n: int) -> tuple[Column | None, str]:
    """The column with the kind of most entries: truth values, numbers, times, or texts."""
    numbers, times, texts = seen.total(*NUMBERS), seen.total(*TIMES), sum(seen.texts.values())
    truths, written = seen.total("truth"), seen.total("written")
    most = max(numbers, times, texts, truths, written)
    if source.form == "truth" or 0 < most == truths:
        return Column(source.name, "category", values=(False, True)), "truth values"
    if not most:
        return None, _nothing(seen)
    if most == numbers:
        mixed = sum(seen.words.values()) > n * FEW_WORDS  # such as "5+" and "<1" among numbers
        return _values(source.name, seen, n) if mixed else _line(source.name, seen)
    if most == times:
        return _times(source.name, seen)
    if most == written:
        return _written_dates(source.name, seen)
    return _values(source.name, seen, n)


def _nothing(seen: Seen) -> str:
    """Why a column has no suggestion."""
    if seen.total("missing"):
        return "most entries are missing"
    if seen.counts.get(BEYOND):
        return "entries are too long, too large, or of a kind that a schema cannot declare"
    return "no range and no value is frequent enough to be seen, as in names and free text"


def _line(name: str, seen: Seen) -> tuple[Column | None, str]:
    """A column of numbers, with round bounds around all cells that are seen."""
    ends = [end for cell in seen.cells_of(*NUMBERS) for end in _ends(cell)]
    smallest, largest = min(ends), max(ends)
    if smallest == largest:
        return None, f"every entry that was seen is {smallest}"
    whole = not seen.cells_of("number")
    low = Decimal(0) if 0 < smallest <= largest / FROM_ZERO else rounded(smallest, up=False)
    high = Decimal(0) if largest < 0 and smallest / FROM_ZERO <= largest else rounded(largest, up=True)
    about = f"the ranges of {'whole ' * whole}numbers that were seen reach from {_plain(smallest)} to {_plain(largest)}"
    if whole:
        return Column(name, "integer", low=int(low), high=int(high)), about
    return Column(name, "float64", low=low, high=high), about


def _ends(cell: Cell) -> tuple[Decimal, Decimal]:
    """The least and the greatest number of a cell; of numbers that are not whole, the bound that they stay below."""
    if len(cell) == 2:  # the cell of 0
        return Decimal(0), Decimal(0)
    kind, sign, e = cell
    ends = Decimal(2) ** e, Decimal(2) ** (e + 1) - (kind == "integer")
    return ends if sign > 0 else (-ends[1], -ends[0])


def rounded(number: Decimal, *, up: bool) -> Decimal:
    """The next round number above or below: 1, 2, or 5 times a power of ten, or its negative.

    >>> print(rounded(Decimal(127), up=True), rounded(Decimal(16), up=False), rounded(Decimal("-0.3"), up=False))
    200 10 -0.5
    """
    if not number:
        return Decimal(0)
    away = up == (number > 0)
    power = Decimal(1).scaleb(floor(log10(abs(number))))
    digit = (abs(number) / power).quantize(Decimal("1e-9"), ROUND_CEILING if away else ROUND_FLOOR)
    step = min(r for r in ROUND if r >= digit) if away else max(r for r in ROUND if r <= digit)
    size = Decimal(f"{step * power:f}")  # 200, not 2E+2
    return size if number > 0 else -size


def _plain(number: Decimal) -> str:
    return f"{float(number):.4g}" if number % 1 else f"{int(number):,}"


def _times(name: str, seen: Seen) -> tuple[Column, str]:
    return _between_years(name, [cell[1] for cell in seen.cells_of(*TIMES)], days=not seen.cells_of("datetime"))


def _between_years(name: str, years: list[int], *, days: bool, written: str | None = None) -> tuple[Column, str]:
    """A column of days, or of times, from the first day of the first of these years to the last day of the last."""
    first, last = min(years), max(years)
    whole_years = f"the years of {'days' if days else 'times'}"
    about = f"{whole_years} that were seen reach from {first} to {last}"
    if days:
        return Column(name, "date", low=date(first, 1, 1), high=date(last, 12, 31), format=written), about
    low, high = datetime(first, 1, 1), datetime(last, 12, 31, 23, 59, 59)
    return Column(name, "datetime", low=low, high=high, format=written), about


def _written_dates(name: str, seen: Seen) -> tuple[Column | None, str]:
    """Dates such as 31/01/2026, in the form that most of them have."""
    written = seen.cells_of("written")  # ("written", order, sign, clock, year); a form is a cell without its year
    if not (forms := sorted({cell[:-1] for cell in written if cell[1] != "?"})):
        unclear = "dates such as 03/04/2026 were seen, but no day that tells whether days or months come first"
        return None, f'{unclear}; declare a date with format = "%d/%m/%Y" or "%m/%d/%Y"'

    def like(form: Cell) -> dict[Cell, int]:
        """The cells of dates that may have this form."""
        order = form[1]
        orders = (order,) if order == "Y" else (order, "?")  # "?": the day or the month may come first
        return {cell: count for cell, count in written.items() if cell[1] in orders and cell[2:-1] == form[2:]}

    chosen = max(forms, key=lambda form: sum(like(form).values()))
    years, style = [cell[-1] for cell in like(chosen)], date_format(chosen)
    return _between_years(name, [min(years), max(years) + PERIOD - 1], days="%H" not in style, written=style)


def _values(name: str, seen: Seen, n: int) -> tuple[Column | None, str]:
    """A category, if nearly all entries have values that are seen; otherwise a code, which allows other values, too."""
    frequent = nlargest(MOST_VALUES, seen.texts, key=lambda text: seen.texts[text])
    values = tuple(sorted(frequent, key=str))
    others = n - seen.counts.get(MISSING, 0) - sum(seen.texts[value] for value in values)
    if others <= max(n * (1 - NEARLY_ALL), Fraction(seen.limit, 2)):  # such a small rest may be only noise
        if len(values) < 2:
            return None, "one value is all that was seen"
        return Column(name, "category", values=values), f"{len(values)} values were seen"
    many = "1 value was" if len(values) == 1 else f"{len(values)} values were"
    fitting = f"{many} seen; other values, perhaps in about {_percent(others, n)} of the entries, fit as well"
    return Column(name, "code", values=values), f"{fitting}: rules ask whether an entry begins with one of these values"


def _label(source: Source, seen: Seen, n: int) -> tuple[Label | None, str]:
    if source.form == "true label":
        return Label(source.name, (False, True)), "truth values"
    labels: list[Any] = sorted(seen.keys, key=_numbers_first)
    if len(labels) < 2:
        few = "one label" if labels else "no label"
        return None, f"{few} is frequent enough to be seen; name the labels, or a condition: at_least = 5000"
    if len(labels) > MOST_LABELS or (len(labels) > MOST_NUMBERS and all(isinstance(label, int) for label in labels)):
        return None, f"{len(labels)} different values were seen, which are too many for labels"
    if len(labels) > 2:
        return Label(source.name, tuple(labels)), f"{len(labels)} labels were seen"
    if [str(label).lower() for label in labels] not in IN_ORDER:  # the rarer one is probably the one that matters
        labels.sort(key=lambda label: -seen.keys[label])
    about = "2 labels were seen; the second one is the positive one, which rules look for: swap them if that is wrong"
    return Label(source.name, tuple(labels)), about


def _numbers_first(label: Hashable) -> tuple[bool, int, str]:
    """The key that sorts numbers by size, then texts."""
    return (False, label, "") if isinstance(label, int) else (True, 0, str(label))


def _unit(source: Source, seen: Seen, n: int) -> tuple[Unit | None, str]:
    """How many records count per unit: enough for all records of nine units in ten."""
    # The cell ("size", e) counts the units of 2^e to 2^(e+1) − 1 records.
    sizes = sorted((2 ** (cell[1] + 1) - 1, count) for cell, count in seen.cells_of("size").items())
    if not sizes:
        return None, "how many records a unit has was not seen; say how many of them count"
    total = sum(count for _, count in sizes)
    cumulative = zip(accumulate(count for _, count in sizes), sizes, strict=True)
    enough = next(size for covered, (size, _) in cumulative if covered >= COVERED * total)
    return Unit(source.name, enough), f"the ranges of records per unit that were seen reach up to {sizes[-1][0]}"


_ROLES: dict[Role, Any] = {"column": _column, "label": _label, "unit": _unit}


def _percent(part: int, n: int) -> str:
    return f"{max(0, min(1, part / max(n, 1))):.0%}".replace("%", " %")
