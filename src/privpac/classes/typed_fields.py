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

NUMBERS: dict[Any, tuple[type, ...]] = {
    bool: (bool, np.bool_),
    int: (int, np.integer),
    float: (int, float, np.integer, np.floating),
}
ACCEPTED: dict[Any, Any] = {tuple: (tuple, list, np.ndarray), frozenset: (frozenset, set)}


def fit(value: Any) -> None:
    """Give every field of ``value`` its declared type; TypeError if that is not possible.

    Lists become tuples, sets frozen sets and numpy's numbers Python's, so that equal values are written the same way
    and can be keys. Nothing is rounded, and text is not read as a list of characters. Any stays as it is.

    >>> from privpac.classes.vectors.boxes import Box
    >>> Box([np.int64(1), None], [2, 3])
    Box(low=(1, None), high=(2, 3))
    """
    for name, kind in _kinds(value.__class__).items():
        argument = getattr(value, name)
        fitted = [one_of(name, argument, kind)] if get_origin(kind) is Literal else _as(kind, argument)
        if not fitted:
            wanted = kind.__name__ if isinstance(kind, type) else kind
            raise RefusedType(name, f"{name} of {type(value).__name__} must be {wanted}")
        object.__setattr__(value, name, fitted[0])


@cache
def _kinds(cls: Any) -> dict[str, Any]:
    kinds = get_type_hints(cls)
    return {field.name: kinds[field.name] for field in fields(cls) if kinds[field.name] is not Any}


def _as(kind: Any, value: Any) -> list[Any]:
    """A list of ``value`` as ``kind``; an empty one if it is not of this kind."""
    if kind is Hashable:
        return [value] * _hashable(value)
    if isinstance(kind, UnionType):
        return next((fitted for each in get_args(kind) if (fitted := _as(each, value))), [])
    if kind in NUMBERS:
        right = isinstance(value, NUMBERS[kind]) and (kind is bool or not isinstance(value, bool))
        return [kind(value)] if right else []
    many = get_origin(kind)
    if many in ACCEPTED:
        return _collection(many, get_args(kind)[0], value)
    return [value] * (not isinstance(kind, type) or isinstance(value, kind))


def _collection(many: Any, kind: Any, value: Any) -> list[Any]:
    if not isinstance(value, ACCEPTED[many]):
        return []
    if type(value) is many and _already(kind, value):
        return [value]  # not copied, because many values may share a long one
    fitted = [_as(kind, each) for each in value]
    return [many(each for (each,) in fitted)] if all(fitted) else []


def _already(kind: Any, values: Collection[Any]) -> bool:
    """Whether all values are of this kind already. There may be a million, so no function is called for each."""
    if kind is Hashable:
        return _hashable(values)
    types = set(map(type, values))
    if get_origin(kind) is not tuple:
        return types <= {kind}
    inner = get_args(kind)[0]
    return types <= {tuple} and _already(inner, values if inner is Hashable else tuple(chain.from_iterable(values)))


def _hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:  # a tuple that holds a list calls itself Hashable, but is not
        return False
    return True
