"""The fields of frozen dataclasses, converted to their declared types."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from dataclasses import fields
from functools import cache
from itertools import chain
from types import UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np

from privpac.refusals.option_words import one_of
from privpac.refusals.refusal import RefusedType

NUMBERS: dict[Any, tuple[type, ...]] = {  # for each declared type of numbers, the types that are converted to it
    bool: (bool, np.bool_),
    int: (int, np.integer),
    float: (int, float, np.integer, np.floating),
}
# For each declared type of collections, the types that are converted to it.
ACCEPTED: dict[Any, Any] = {tuple: (tuple, list, np.ndarray), frozenset: (frozenset, set)}


def fit_fields(value: Any) -> None:
    """Give every field of ``value`` its declared type; TypeError if that is not possible.

    Lists become tuples, sets become frozen sets, and numpy's numbers become Python's. So equal values have equal
    representations and can be keys. Nothing is rounded, and text is not read as a list of characters. A field
    declared as Any keeps its value.

    >>> from privpac.classes.vectors.boxes import Box
    >>> Box([np.int64(1), None], [2, 3])
    Box(low=(1, None), high=(2, 3))
    """
    for name, kind in _kinds(value.__class__).items():
        argument = getattr(value, name)
        fitted = [one_of(name, argument, kind)] if get_origin(kind) is Literal else _converted(kind, argument)
        if not fitted:
            wanted = kind.__name__ if isinstance(kind, type) else kind
            raise RefusedType(name, f"{name} of {type(value).__name__} must be {wanted}")
        object.__setattr__(value, name, fitted[0])


@cache
def _kinds(cls: Any) -> dict[str, Any]:
    """The declared type of every field of a dataclass, except those declared as Any."""
    kinds = get_type_hints(cls)
    return {field.name: kinds[field.name] for field in fields(cls) if kinds[field.name] is not Any}


def _converted(kind: Any, value: Any) -> list[Any]:
    """A list of one: ``value`` converted to ``kind``; an empty list if that is impossible. (The value may be None.)"""
    if kind is Hashable:
        return [value] if _hashable(value) else []
    if isinstance(kind, UnionType):
        return next((fitted for option in get_args(kind) if (fitted := _converted(option, value))), [])
    if kind in NUMBERS:
        is_number = isinstance(value, NUMBERS[kind]) and (kind is bool or not isinstance(value, bool))
        return [kind(value)] if is_number else []
    collection = get_origin(kind)
    if collection in ACCEPTED:
        return _converted_collection(collection, get_args(kind)[0], value)
    return [value] if not isinstance(kind, type) or isinstance(value, kind) else []


def _converted_collection(collection: Any, kind: Any, value: Any) -> list[Any]:
    """A list of one: ``value`` as a ``collection``, tuple or frozenset, of members of ``kind``; empty if impossible."""
    if not isinstance(value, ACCEPTED[collection]):
        return []
    if type(value) is collection and _are_all(kind, value):
        return [value]  # not copied: many hypotheses may share one long collection
    fitted = [_converted(kind, member) for member in value]
    return [collection(member for (member,) in fitted)] if all(fitted) else []


def _are_all(kind: object, values: Collection[Any]) -> bool:
    """Whether all values are of this kind. There may be a million, so no Python function is called for each of them."""
    if kind is Hashable:
        return _hashable(values)
    types = set(map(type, values))
    if get_origin(kind) is not tuple:
        return types <= {kind}
    if not types <= {tuple}:
        return False
    member_kind = get_args(kind)[0]
    return _are_all(member_kind, values if member_kind is Hashable else tuple(chain.from_iterable(values)))


def _hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:  # a tuple that holds a list calls itself Hashable, but is not
        return False
    return True
