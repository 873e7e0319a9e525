"""Units: the owners of records, and which of their records count.

A promise per unit protects all records of one person, patient, or flight together. Each unit has exactly k slots. If it
has more than k records, the k with the smallest keyed hashes count; slots that no record fills are void. The hash
covers the unit, the record's content, and its number among equal records, so each unit chooses independently. What a
unit contributes depends only on its own records and the key, and n = k · (number of units) is as public as the number
of units.

Throughout this file
    k      slots of a unit                    key    a text that the caller draws; the claims hold for every key

proof: docs/proofs/composition.md
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from hashlib import md5
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from privpac.data.domains.anything import Anything
from privpac.data.domains.on_invalid import valid
from privpac.data.values.allowed_types import missing
from privpac.data.values.columns import Array
from privpac.data.values.equal_values import canonical
from privpac.refusals.option_words import InvalidRule
from privpac.refusals.refusal import Refused, Setting

NAMELESS = (
    "some records have no unit (an empty cell, or, in a CSV file, a line that is not UTF-8); fill in their units, say ",
    *(Setting.to("encoding", "cp1252"), " if the file is written so, or say "),
    Setting.to("on_invalid", "default"),
    ", which drops them",
)


class Quota(NamedTuple):
    """At most k records of each unit count; ``unit`` is a column or the name of one."""

    unit: Any
    k: int
    key: str


def slots_of(quota: Quota, content: Sequence[Array], rule: InvalidRule) -> tuple[NDArray[np.intp], int]:
    """The rows that count, in order, and n; ``content`` holds the columns that distinguish the records of a unit.

    A record without a unit is refused under the rule "raise". Otherwise it does not count at all, not even in n, so its
    owner contributes nothing through it.

    >>> patients, ages = np.array(["ann", "bob", "ann", "ann"]), np.array([37, 52, 38, 39])
    >>> rows, n = slots_of(Quota(patients, 2, key="4f"), [ages], "raise")
    >>> len(rows), 1 in rows, n
    (3, True, 4)
    """
    unit, k, _ = quota
    if len(unit) != len(content[0]):
        raise Refused("unit", "there are not as many units as records; give one unit for each record")
    number, rows = unit_numbers(unit)
    if rule == "raise" and len(rows) < len(unit):
        raise Refused("unit", *NAMELESS)
    records_of = np.bincount(number)  # by the number of a unit
    too_many = records_of[number] > k
    chosen = _smallest(number[too_many], rows[too_many], content, quota)
    return np.sort(np.concatenate([rows[~too_many], chosen])), k * len(records_of)


def digest(key: str, content: Sequence[object]) -> str:
    """The keyed hash of a unit, the entries of its record, and the number of equal records before it."""
    text = "".join([key, *map(_with_length, content)])
    return md5(text.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()


def _with_length(entry: object) -> str:
    """The text of an entry after its length, so that adjacent entries do not run together; "?" if it has no text.

    Equal entries have the same text: a missing entry of another unit may turn pandas' integers into floats.
    """
    try:
        text = str(canonical(entry))
    except Exception:  # whatever a value may raise, and numbers of more than 4300 digits
        return "?"
    return "-" if missing(entry) else f"{len(text)}:{text}"


def unit_numbers(unit: Array) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """For each record that has a unit, the unit's number; and the rows of these records."""
    if unit.dtype.kind in "iu":
        return np.unique(unit, return_inverse=True)[1], np.arange(len(unit))
    names, fits = valid(Anything(), unit, "default")
    numbers: dict[Hashable, int] = {}
    number = np.fromiter((numbers.setdefault(name, len(numbers)) for name in names), dtype=np.intp, count=len(names))
    return number, np.arange(len(unit)) if fits is None else np.flatnonzero(fits)


def _smallest(
    number: NDArray[np.intp], rows: NDArray[np.intp], content: Sequence[Array], quota: Quota
) -> NDArray[np.intp]:
    """The k rows of each unit with the smallest digests."""
    names = quota.unit[rows].tolist()
    records = zip(*(column[rows].tolist() for column in content), strict=True)
    texts = ["".join(map(_with_length, record)) for record in records]
    copies: Counter[tuple[int, str]] = Counter()  # how many equal records of a unit came before
    digests = np.empty(len(rows), dtype="S32")
    for i, (unit, text) in enumerate(zip(number.tolist(), texts, strict=True)):
        digests[i] = digest(quota.key, [names[i], text, copies[unit, text]])
        copies[unit, text] += 1
    order = np.lexsort((digests, number))
    sorted_numbers = number[order]
    first = np.searchsorted(sorted_numbers, sorted_numbers)
    return rows[order[np.arange(len(order)) - first < quota.k]]
