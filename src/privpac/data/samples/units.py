"""Units: the owners of records, and which of their records count.

A promise per unit protects all records of one person, patient, or flight together. Each unit has exactly k slots. If it
has more than k records, the k with the smallest keyed hashes count; slots that no record fills are void. A record's
hash is computed from the unit, the record's content, and its number among equal records of the unit. So what a unit
contributes depends only on its own records and the key, and n = k · (number of units) is as public as the number of
units.

Throughout this file
    k      slots of a unit                    key    a text that the caller draws; the claims hold for every key
    n      the number of slots of all units

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
    """At most ``k`` records of each unit count. ``unit`` is the column that names each record's unit, or its name."""

    unit: Any
    k: int
    key: str


def slots_of(quota: Quota, content: Sequence[Array], rule: InvalidRule) -> tuple[NDArray[np.intp], int]:
    """The positions of the records that count, in order, and n.

    ``content`` holds the columns that distinguish the records of a unit.

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
    unit_sizes = np.bincount(number)
    in_large_unit = unit_sizes[number] > k
    chosen = _smallest(number[in_large_unit], rows[in_large_unit], content, quota)
    return np.sort(np.concatenate([rows[~in_large_unit], chosen])), k * len(unit_sizes)


def digest(key: str, content: Sequence[object]) -> str:
    """The keyed hash of ``content``: a unit, the entries of its record, and how many equal records come before it."""
    text = "".join([key, *map(_with_length, content)])
    return md5(text.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()


def _with_length(entry: object) -> str:
    """The text of an entry after its length, so that adjacent entries do not run together; "?" if it has no text.

    Equal entries have the same text: a missing entry of another unit may turn pandas' integers into floats.
    """
    try:
        text = str(canonical(entry))
    except Exception:  # the value's own code may raise anything, and Python writes no number of more than 4,300 digits
        return "?"
    return "-" if missing(entry) else f"{len(text)}:{text}"


def unit_numbers(unit: Array) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """For each record that has a unit, the unit's number; and the positions of these records."""
    if unit.dtype.kind in "iu":
        return np.unique(unit, return_inverse=True)[1], np.arange(len(unit))
    names, fits = valid(Anything(), unit, "default")
    number_of: dict[Hashable, int] = {}
    number = np.fromiter((number_of.setdefault(name, len(number_of)) for name in names), np.intp, len(names))
    return number, np.arange(len(unit)) if fits is None else np.flatnonzero(fits)


def _smallest(
    number: NDArray[np.intp], rows: NDArray[np.intp], content: Sequence[Array], quota: Quota
) -> NDArray[np.intp]:
    """For each unit, the k of ``rows`` with the smallest digests; ``number[i]`` is the unit of row ``rows[i]``."""
    names = quota.unit[rows].tolist()
    records = zip(*(column[rows].tolist() for column in content), strict=True)
    texts = ["".join(map(_with_length, record)) for record in records]
    copies: Counter[tuple[int, str]] = Counter()  # how many equal records of a unit came before
    digests = np.empty(len(rows), dtype="S32")
    for i, (unit, text) in enumerate(zip(number.tolist(), texts, strict=True)):
        digests[i] = digest(quota.key, [names[i], text, copies[unit, text]])
        copies[unit, text] += 1
    order = np.lexsort((digests, number))  # by unit, then by digest
    sorted_numbers = number[order]
    first_of_unit = np.searchsorted(sorted_numbers, sorted_numbers)
    rank_in_unit = np.arange(len(order)) - first_of_unit
    return rows[order[rank_in_unit < quota.k]]
