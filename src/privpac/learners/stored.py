"""The values inside a file that privpac writes, as JSON types and back, without pickle.

Main declarations
    DOMAINS     the domains that a file may name
    STORED      the frozen dataclasses that a file may hold, by their names there
    stored      a value in JSON types: a stored class as its name and fields, a tuple as a list
    restored    the value again
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import fields
from itertools import chain
from types import NoneType
from typing import Any

from privpac.classes.base import Hypothesis
from privpac.classes.fields import fit
from privpac.classes.values import from_plain, to_plain
from privpac.data.any_values import Anything, Numbers
from privpac.data.code_lists import CodeLists
from privpac.data.grid import Grid
from privpac.data.hierarchy import Hierarchy
from privpac.data.line import Line
from privpac.data.listing import Listing
from privpac.data.named_columns import Columns
from privpac.data.pairs import Pairs
from privpac.data.paths import Paths, PathsFromEnd
from privpac.learners.error import ErrorEstimate, TrainingError
from privpac.privacy.budget import Budget
from privpac.privacy.certificate import Certificate, Entry, Utility

DOMAINS = Anything, CodeLists, Columns, Grid, Hierarchy, Line, Listing, Numbers, Pairs, Paths, PathsFromEnd
STORED: dict[str, Any] = {each.__name__: each for each in (*DOMAINS, Budget, Certificate, Utility, Entry)} | {
    "ErrorEstimate": TrainingError,
    "ErrorOnNewRecords": ErrorEstimate,
}  # the first name is that of earlier versions
UNCHANGED = {int, str, NoneType}  # what is written and read as it is


def stored(value: Any) -> Any:
    """``value`` in JSON types.

    >>> stored(Line(0, 9))["is"], stored((1, "a"))
    ('Line', [1, 'a'])
    """
    if value is None or type(value) in (int, str):
        return value
    if isinstance(value, Hypothesis):
        return json.loads(value.to_json())
    if isinstance(value, tuple):
        return list(value) if _only(value, UNCHANGED) else [stored(each) for each in value]
    name = next((name for name, kind in STORED.items() if kind is type(value)), None)
    if name is not None:
        return {"is": name} | {part.name: stored(getattr(value, part.name)) for part in fields(value)}
    return to_plain(value)


def restored(plain: Any) -> Any:
    """The value that :func:`stored` wrote; KeyError, TypeError, or ValueError if it wrote no such thing.

    >>> restored(stored(Line(0, 9))) == Line(0, 9)
    True
    """
    if isinstance(plain, list):
        if _only(plain, UNCHANGED):
            return tuple(plain)
        if _only(plain, {list}) and _only(chain.from_iterable(plain), UNCHANGED):  # a table: no call for each entry
            return tuple(map(tuple, plain))
        return tuple(map(restored, plain))
    if isinstance(plain, dict) and "hypothesis" in plain:
        return Hypothesis.from_json(json.dumps(plain))
    if isinstance(plain, dict) and "is" in plain:
        value = STORED[plain["is"]](**{name: restored(part) for name, part in plain.items() if name != "is"})
        fit(value)
        return value
    return from_plain(plain)


def _only(values: Iterable[Any], kinds: set[type]) -> bool:
    """Whether all values are exactly of these types."""
    return set(map(type, values)) <= kinds
