"""The values in the files that privpac writes: to JSON types and back, without pickle."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from itertools import chain
from types import NoneType
from typing import Any, TypeVar

from privpac.classes.hypothesis import Hypothesis
from privpac.classes.plain_values import from_plain, parse, to_plain
from privpac.classes.typed_fields import fit_fields
from privpac.data.domains.anything import Anything, Numbers
from privpac.data.domains.code_lists import CodeLists
from privpac.data.domains.grid import Grid
from privpac.data.domains.hierarchy import Hierarchy
from privpac.data.domains.line import Line
from privpac.data.domains.listing import Listing
from privpac.data.domains.named_columns import Columns
from privpac.data.domains.pairs import Pairs
from privpac.data.domains.paths import Paths, PathsFromEnd
from privpac.data.domains.with_missing import WithMissing
from privpac.privacy.budget import Budget
from privpac.privacy.certificate import Certificate, Entry, Utility
from privpac.refusals.refusal import InOtherWords

DOMAINS = (
    Anything, CodeLists, Columns, Grid, Hierarchy, Line, Listing, Numbers, Pairs, Paths, PathsFromEnd, WithMissing,
)  # fmt: skip
# The dataclasses that files may hold, by the name that stands for them; other rooms add their own.
STORED: dict[str, Any] = {kind.__name__: kind for kind in (*DOMAINS, Budget, Certificate, Utility, Entry)}
Made = TypeVar("Made")  # what a file is read into
UNCHANGED = {int, str, NoneType}  # types whose values are JSON already


def stored(value: Any) -> Any:
    """``value`` in JSON types.

    >>> stored(Line(0, 9))["is"], stored((1, "a"))
    ('Line', [1, 'a'])
    """
    if type(value) in UNCHANGED:
        return value
    if isinstance(value, Hypothesis):
        return json.loads(value.to_json())
    if isinstance(value, tuple):
        return list(value) if _only(value, UNCHANGED) else [stored(entry) for entry in value]
    name = next((name for name, kind in STORED.items() if kind is type(value)), None)
    if name is not None:
        names = [field.name for field in fields(value) if field.compare]
        return {"is": name} | {part: stored(getattr(value, part)) for part in names}
    return to_plain(value)


def restored(plain: object) -> Any:
    """The value that :func:`stored` wrote; KeyError, TypeError, or ValueError for anything else."""
    if isinstance(plain, list):
        if _only(plain, UNCHANGED):
            return tuple(plain)
        if _only(plain, {list}) and _only(chain.from_iterable(plain), UNCHANGED):  # a table, read without recursion
            return tuple(map(tuple, plain))
        return tuple(map(restored, plain))
    if isinstance(plain, dict) and "hypothesis" in plain:
        return Hypothesis.from_json(json.dumps(plain))
    if isinstance(plain, dict) and "is" in plain:
        value = STORED[plain["is"]](**{name: restored(part) for name, part in plain.items() if name != "is"})
        fit_fields(value)
        return value
    return from_plain(plain)


def _only(values: Iterable[Any], kinds: set[type]) -> bool:
    """Whether all values are exactly of these types."""
    return set(map(type, values)) <= kinds


@dataclass(frozen=True)
class FileKind:
    """A kind of JSON file. Its first entry, such as "privpac model" for a model, holds the version of its format."""

    name: str
    version: int
    about: tuple[str, ...]  # entries for people, which are not read
    write: str  # how to write such a file, in words
    again: str = ""  # more advice for a file in another format

    @property
    def mark(self) -> str:
        """The name of the first entry."""
        return f"privpac {self.name}"

    def read(self, text: str, make: Callable[..., Made]) -> Made:
        """``make`` applied to the values in a file of this kind; ValueError for any other text."""
        foreign = f"this JSON is not a {self.name} that privpac wrote; write one with {self.write}"
        plain = parse(text)
        if not isinstance(plain, dict) or self.mark not in plain:
            raise ValueError(foreign)
        if type(plain[self.mark]) is not int or plain[self.mark] != self.version:
            raise ValueError(
                f"this {self.name} was written in another format; this version of privpac reads format {self.version}: "
                f"use the version that wrote it{self.again}"
            )
        failures = (KeyError, TypeError, AttributeError, ArithmeticError, RecursionError)
        with InOtherWords(lambda _: ValueError(foreign), failures):
            return make(
                **{name: restored(part) for name, part in plain.items() if name not in (self.mark, *self.about)}
            )


def writable(text: str) -> str:
    """JSON text that UTF-8 can encode: a lone surrogate is escaped, as in \\ud800."""
    return text.encode("utf-8", "backslashreplace").decode()
