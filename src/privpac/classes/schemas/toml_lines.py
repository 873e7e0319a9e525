"""TOML files that know their lines, so that a refusal can name the line to change.

Python's reader reports lines for errors of syntax only. To find the line of a key, the text is cut into statements,
which are headings like ``[columns.age]`` or assignments, and Python's reader reads each of them on its own.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cached_property
from typing import Any

from privpac.refusals.refusal import InOtherWords, Refusal, Refused

PLACE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")  # the end of the reader's messages
UNQUOTED = re.compile(r"\[(columns)\.([^\"'\[\]]+)\]\s*(?:#.*)?")  # the heading of a column without quotation marks
BARE = re.compile(r"[A-Za-z0-9_-]+")
CLOSING = ("]", "}", '"""', "'''")  # if a value takes several lines, the last one has one of these
Path = tuple[str, ...]


@dataclass(frozen=True)
class Toml:
    """The text of a TOML file, and the file's name for messages.

    >>> text = Toml("[columns.age]\\nlow = 0\\n")
    >>> text.plain, text.line(("columns", "age", "low"))
    ({'columns': {'age': {'low': 0}}}, 2)
    """

    text: str
    file: str = ""

    @cached_property
    def plain(self) -> dict[str, Any]:
        """The content of the text; numbers with a point are decimals, as written."""
        with InOtherWords(self._unparsed, (ValueError, ArithmeticError, RecursionError)):
            return tomllib.loads(self.text, parse_float=Decimal)

    def _unparsed(self, error: Exception) -> Refused:
        """The error of a text that is not TOML, and its line."""
        if not isinstance(error, tomllib.TOMLDecodeError):
            return self._refused(1, "some number in this file is too long, or some list too deep; shorten it")
        place = PLACE.search(str(error))
        line = int(place[1]) if place and place[1] else self.text.rstrip().count("\n") + 1
        heading = UNQUOTED.fullmatch(self.text.split("\n")[line - 1].strip())
        if heading and str(error).startswith("Expected"):
            return self._refused(line, f"this name needs quotes: {section_title(heading[1], heading[2].strip())}")
        return self._refused(line, _advice(PLACE.sub("", str(error))))

    def line(self, path: Path) -> int:
        """The line of the key. If it is not written, of the innermost table around it, or the first key in it."""
        # Pairs (steps shared with the path, −line): the most steps win, then the first line.
        around = [(len(written), -number) for number, written in self._paths if written == path[: len(written)]]
        inside = [(0, -number) for number, written in self._paths if path == written[: len(path)]]
        return -max([*around, *inside], default=(0, -1))[1]

    def refused(self, path: Path, reason: str) -> Refused:
        """A refusal that begins with the file and the line of the key."""
        return self._refused(self.line(path), reason)

    def about(self, *table: str) -> InOtherWords:
        """A context that turns refusals of a key of this table into refusals of the file, with the line of the key."""
        where = f"in {section_title(*table)}, "
        return InOtherWords(lambda error: self.refused((*table, error.parameter), f"{where}{error}"), Refusal)

    @cached_property
    def _paths(self) -> list[tuple[int, Path]]:
        """Pairs (line, path) for every table and every key: the line where its statement begins, and its path."""
        places: list[tuple[int, Path]] = []
        table: Path = ()
        for number, text in statements(self.text):
            paths = list(key_paths(tomllib.loads(text)))
            if text.lstrip().startswith("["):
                table = max(paths, key=len)
                places.append((number, table))
            else:
                places += [(number, (*table, *path)) for path in paths]
        return places

    def _refused(self, line: int, reason: str) -> Refused:
        return Refused("schema", f"{self.file}, line {line}: {reason}" if self.file else f"line {line}: {reason}")


def statements(text: str) -> Iterator[tuple[int, str]]:
    """The statements of a TOML text, each with the number of its first line.

    >>> list(statements('low = 0\\nvalues = [\\n  "A",\\n  "B",\\n]\\n'))
    [(1, 'low = 0'), (2, 'values = [\\n  "A",\\n  "B",\\n]')]
    """
    lines: list[str] = []  # the lines of a statement that has begun
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        lines.append(line)
        if len(lines) > 1 and not any(mark in line for mark in CLOSING):
            continue
        statement = "\n".join(lines)
        try:
            content = tomllib.loads(statement)
        except tomllib.TOMLDecodeError:  # the value goes on
            continue
        if content:
            yield number + 1 - len(lines), statement
        lines.clear()


def toml_key(name: str) -> str:
    """A name as a key of TOML: bare if it can be, otherwise in quotes."""
    return name if BARE.fullmatch(name) else toml_value(name)


def toml_value(plain: object) -> str:
    """A value as TOML writes it.

    >>> toml_value("no"), toml_value(True), toml_value([Decimal("0.50"), 3]), toml_value(date(2026, 1, 31))
    ('"no"', 'true', '[0.50, 3]', '2026-01-31')
    """
    if isinstance(plain, str | bool):
        return json.dumps(plain, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(plain, Sequence):
        return f"[{', '.join(map(toml_value, plain))}]"
    return plain.isoformat() if isinstance(plain, date) else str(plain)


def section_title(*table: str) -> str:
    """The heading of a table."""
    return f"[{'.'.join(map(toml_key, table))}]"


def key_paths(plain: dict[str, Any]) -> Iterator[Path]:
    """The path of every key; the path of a table comes before the paths of its keys."""
    for name, value in plain.items():
        yield (name,)
        if isinstance(value, dict):
            yield from ((name, *path) for path in key_paths(value))


def _advice(reason: str) -> str:
    """The message of the TOML reader, as something to do."""
    if reason.startswith("Cannot declare"):
        return "this table is declared twice; keep one of the two"
    if reason == "Cannot overwrite a value":
        return "this key is set twice; keep one of the two"
    return f"this is not TOML ({reason[:1].lower() + reason[1:]}); write key = value, with text in quotes"
