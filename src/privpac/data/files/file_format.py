"""How files spell a table: separators and encodings of text files, decimal commas, and dates.

The user declares all of it; nothing is guessed from records. Numbers and dates are rewritten cell by cell in the usual
spelling, which every domain reads: 1.234,5 as 1234.5, and 31.01.2026 as 2026-01-31. A date that is not spelled as
declared stays unchanged, so that 2026-01-31 is read, too; but 37.5 is not a number where commas separate decimals.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

from privpac.data.files.date_formats import DateFormat
from privpac.data.values.value_text import sql_name, sql_text
from privpac.refusals.refusal import IN_SCHEMA, Refused, Setting

# In each of these except UTF-8, one byte is one character. Lines end at the same bytes in all of them, so no line
# decides where another one ends.
ENCODINGS = ("utf-8", "latin-1", "cp1252", "iso8859-15", "cp1250", "cp1251", "cp850")
KNOWN = {codecs.lookup(name).name: name for name in ENCODINGS} | {"utf-8-sig": "utf-8"}
SEPARATORS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "space": " "}
NUMERIC = "[-+0-9.,eE\\s]+"  # a text of characters that occur in numbers
GROUPED = "\\s*[-+]?[1-9][0-9]{0,2}(?:\\.[0-9]{3})+(?:,[0-9]*)?\\s*"  # 1.234.567,8, not 0.123


@dataclass(frozen=True)
class FileFormat:
    """How files spell a table; None where nothing is declared.

    If ``decimal_comma``, ``numbers`` are the columns with decimal commas (None: all). ``dates`` holds the date format
    of each column that has one. The texts that ``kept`` lists for a column, such as those that stand for a missing
    entry, are not rewritten.

    >>> FileFormat(separator="tab", encoding="ISO-8859-1")
    FileFormat(separator='\\t', encoding='latin-1')
    >>> FileFormat(encoding="utf-16")
    Traceback (most recent call last):
    privpac.refusals.refusal.Refused: encoding must be one of utf-8, latin-1, ...; save the file as UTF-8 otherwise
    """

    separator: str | None = None
    encoding: str | None = None
    decimal_comma: bool | None = field(default=None, repr=False)
    numbers: frozenset[str] | None = field(default=None, repr=False)
    dates: Mapping[str, str] = field(default_factory=dict, repr=False, hash=False)
    kept: Mapping[str, Sequence[str]] = field(default_factory=dict, repr=False, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "separator", _separator(self.separator))
        object.__setattr__(self, "encoding", _encoding(self.encoding))
        if not isinstance(self.decimal_comma, bool | None):
            raise Refused.must("decimal_comma", "be true or false")

    @property
    def declared(self) -> dict[str, Any]:
        """The declared facts about whole files, by their names."""
        names = ("separator", "encoding", "decimal_comma")
        return {name: getattr(self, name) for name in names if getattr(self, name) is not None}

    def with_facts_of(self, other: Self) -> Self:
        """This format with the facts that the ``other`` declares; Refused if a fact is declared in both."""
        if both := [name for name in other.declared if name in self.declared]:
            raise Refused(both[0], Setting(both[0]), IN_SCHEMA)
        return replace(self, **other.declared)

    def comma(self, column: str) -> bool:
        """Whether numbers in this column have decimal commas."""
        return bool(self.decimal_comma) and (self.numbers is None or column in self.numbers)

    def expressions(self, columns: Iterable[str]) -> dict[str, str]:
        """For each of the columns that needs it, an SQL expression of DuckDB that rewrites it in the usual spelling."""
        expressions: dict[str, str] = {}
        for name in columns:
            if name in self.dates:
                expressions[name] = DateFormat(self.dates[name]).sql(sql_name(name))
            elif self.comma(name):
                expressions[name] = _sql_with_point(sql_name(name))
        for name, texts in self.kept.items():
            if name in expressions and texts:
                cell, kept = sql_name(name), ", ".join(map(sql_text, texts))
                expressions[name] = f"CASE WHEN {cell} IN ({kept}) THEN {cell} ELSE {expressions[name]} END"
        return expressions


def _sql_with_point(cell: str) -> str:
    """The SQL expression of DuckDB for the number that ``cell`` spells with a comma, in the usual spelling.

    Points and commas change places, so that a number with a decimal point is not read as another number.
    """
    plain = f"replace(replace({cell}, '.', ''), ',', '.')"
    return (
        f"CASE WHEN NOT regexp_full_match({cell}, {sql_text(NUMERIC)}) THEN {cell} "
        f"WHEN regexp_full_match({cell}, {sql_text(GROUPED)}) THEN {plain} ELSE translate({cell}, '.,', ',.') END"
    )


def with_point(cell: str) -> str:
    """The number that a cell spells with a comma, in the usual spelling; ``_sql_with_point`` does the same in SQL.

    >>> [with_point(cell) for cell in ("1.234,5", "37,5", "37.5", "A.1")]
    ['1234.5', '37.5', '37,5', 'A.1']
    """
    if not re.fullmatch(NUMERIC, cell, re.ASCII):
        return cell
    if re.fullmatch(GROUPED, cell, re.ASCII):
        return cell.replace(".", "").replace(",", ".")
    return cell.translate(str.maketrans(".,", ",."))


def _separator(typed: str | None) -> str | None:
    if typed is None:
        return None
    sign = SEPARATORS.get(typed, typed) if isinstance(typed, str) else ""
    if len(sign) != 1 or not sign.isascii() or sign.isalnum() or sign in '"\r\n\0.-+':
        one_sign = 'be one sign that separates cells, such as ";" or "|"; "tab" stands for the tab character'
        raise Refused.must("separator", one_sign)
    return sign


def _encoding(typed: str | None) -> str | None:
    if typed is None:
        return None
    try:
        name = KNOWN.get(codecs.lookup(typed).name)
    except (LookupError, TypeError, ValueError):
        name = None
    if name is None:
        raise Refused.must("encoding", f"be one of {', '.join(ENCODINGS)}; save the file as UTF-8 otherwise")
    return name
