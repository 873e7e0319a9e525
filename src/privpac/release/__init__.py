"""ALL QUERIES AT ONCE: how many records satisfy each rule of a class, from one private release."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from privpac.release.released import Release

if TYPE_CHECKING:
    from privpac.release.given_answers import certified
    from privpac.release.private_release import PrivateRelease

__all__ = ["PrivateRelease", "Release", "certified"]

_HOMES = {"PrivateRelease": "private_release", "certified": "given_answers"}


def __getattr__(name: str) -> Any:
    """What loads scikit-learn: releases that are read do not wait for it."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
