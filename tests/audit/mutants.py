"""Mutants: a line of the library is changed so that it costs more than it claims. An audit by name must refute each."""

import inspect
import sys
from contextlib import contextmanager
from dataclasses import fields, is_dataclass, replace
from functools import cached_property
from importlib import import_module
from textwrap import dedent
from typing import NamedTuple

import numpy as np

from privpac.audit.claims.case import Case

HELPERS = {"np": np, "replace": replace}  # names that a changed line may use, whether its module imports them or not


class Mutant(NamedTuple):
    """``privpac audit audited`` must refute the library in which ``line`` of ``function`` is ``instead``.

    ``ratio`` is what the first claim that refutes it costs, as a multiple of that claim. ``case`` is a claim of the
    right library that shows the fault where no claim of this name does.
    """

    audited: str
    function: str  # module:class.name, within privpac
    line: str
    instead: str
    ratio: float | None = None
    case: Case | None = None

    def __str__(self):
        return f"{self.audited}: {self.function}, {' '.join(self.instead.split())}"


def mutants_of(table):
    """The mutants of a table: audited name → (function, line, instead), with a ratio if one is stated."""
    return [Mutant(audited, *each) for audited, some in table.items() for each in some]


def owner(function):
    """The class or the module that a function belongs to, and its name there."""
    module, _, path = function.partition(":")
    *classes, name = path.split(".")
    holder = import_module(f"privpac.{module}")
    for each in classes:
        holder = getattr(holder, each)
    return holder, name


def source(function):
    """Its text."""
    holder, name = owner(function)
    return inspect.getsource(_bare(vars(holder)[name]))


def changed(mutant):
    """The function with the changed line, without its decorators."""
    text = source(mutant.function)
    assert text.count(mutant.line) == 1, f"{mutant}: the line is not there, or not once"
    return _compiled(*owner(mutant.function), text.replace(mutant.line, mutant.instead))


@contextmanager
def planted(mutant):
    """The library with the mutant in it."""
    holder, name = owner(mutant.function)
    right = vars(holder)[name]
    wrong = _like(right, changed(mutant), holder, name)
    places = [holder] if inspect.isclass(holder) else _importers(name, right)
    for place in places:
        setattr(place, name, wrong)
    _forget()
    try:
        yield
    finally:
        for place in places:
            setattr(place, name, right)
        _forget()


def _compiled(holder, name, text):
    """The function of this text, without its decorators, in the module of its holder."""
    text = dedent(text)
    while text.startswith("@"):
        text = text.partition("\n")[2]
    if inspect.isclass(holder):
        text = text.replace("super()", f"super({holder.__name__}, self)")
    module, names = import_module(getattr(holder, "__module__", holder.__name__)), {}
    exec("from __future__ import annotations\n" + text, HELPERS | vars(module), names)
    return names[name]


def _like(right, function, holder, name):
    """The function as a property or a static method, if the right one is."""
    if isinstance(right, cached_property):
        kept = cached_property(function)
        kept.__set_name__(holder, name)
        return kept
    return type(right)(function) if isinstance(right, property | staticmethod | classmethod) else function


def _forget():
    """What modules have computed once and keep."""
    for key, module in list(sys.modules.items()):
        if key.startswith(("privpac.mechanisms.", "privpac.learners.")):
            for each in list(vars(module).values()):
                getattr(each, "cache_clear", bool)()


def fresh(part):
    """A claim or a part of one, without what its properties have computed already."""
    if is_dataclass(part):
        for name in [name for name in vars(part) if isinstance(getattr(type(part), name, None), cached_property)]:
            del vars(part)[name]
        for field in fields(part):
            fresh(vars(part).get(field.name))
    return part


def _importers(name, function):
    """The modules that know a function by its name."""
    ours = [module for key, module in list(sys.modules.items()) if key.startswith("privpac.")]
    return [module for module in ours if vars(module).get(name) is function]


def _bare(function):
    for inner in ("fget", "func", "__func__", "__wrapped__"):
        function = getattr(function, inner, function)
    return function
