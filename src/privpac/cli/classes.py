"""How a command is told a concept class: ``--class thresholds --low 0 --high 2^64-1``.

A command that is about a class takes a parameter ``of: Described`` and is decorated by ``names_a_class``, which puts
``--class`` and the options of all classes in its place; ``of.build()`` is the class. Options that the class has no use
for are refused.

Main declarations
    Described          the class's name and the options, as given
    names_a_class      gives a command the options
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_args, get_type_hints

import typer

from privpac.classes.base import ConceptClass
from privpac.classes.shell import in_shell, options_of
from privpac.cli.spelling import option
from privpac.data.refusal import Part, Refusal, Refused, Setting, parts_of


@dataclass(frozen=True)
class Described:
    """A class by its name and the options that were given.

    >>> Described("thresholds", {"low": "0", "high": "2^64-1"}).build().known("Littlestone").value
    64
    >>> Described("and", {"part": ["delay thresholds 0 9", "carrier points"]}).build().size
    inf
    """

    class_name: str
    options: dict[str, Any]

    @property
    def files(self) -> list[Path]:
        """The files that describe the class."""
        return [value for value in self.options.values() if isinstance(value, Path)]

    def build(self) -> ConceptClass:
        """The class; Refused if an option is missing, misplaced or wrong."""
        kinds = in_shell()
        if self.class_name not in kinds:
            unknown = f"no class is called {self.class_name!r}; choose one of {', '.join(kinds)}"
            raise Refused("class_name", unknown)
        kind = kinds[self.class_name]
        taken = options_of(kind)
        given = {name: value for name, value in self.options.items() if value not in (None, [])}
        if idle := [name for name in given if name not in taken]:
            about = f" says nothing about the class {self.class_name}, which takes "
            raise Refused(idle[0], Setting(idle[0]), about, *_listed(taken))
        if missing := [name for name, needed in taken.items() if needed and name not in given]:
            if missing != ["part"]:
                raise Refused(missing[0], f"the class {self.class_name} needs ", *_listed(missing))
            given["part"] = []
        try:
            return kind.from_shell(**given)
        except (TypeError, ValueError) as error:  # bounds of two kinds, for example: what was written is at fault
            wrong = option(error.parameter) if isinstance(error, Refusal) else "class_name"
            raise Refused(wrong if wrong in taken else "class_name", *parts_of(error)) from None


def _listed(names: Iterable[str]) -> tuple[Part, ...]:
    """The options, with commas between them."""
    return tuple(part for name in names for part in (", ", Setting(name)))[1:]


def options() -> dict[str, Any]:
    """The options of all classes, as typer takes them.

    >>> {"low", "high", "part"} <= set(options())
    True
    """
    hints = {
        name: hint
        for kind in in_shell().values()
        for name, hint in get_type_hints(kind.from_shell, include_extras=True).items()
        if name != "return"
    }
    return {
        name: Annotated[kind, typer.Option(help=about.help, metavar=about.metavar)]
        for name, (kind, about) in ((name, get_args(hint)) for name, hint in hints.items())
    }


def names_a_class(command: Callable[..., None]) -> Callable[..., None]:
    """The command with ``--class`` and the options of all classes in place of its parameter of type Described."""
    hints = get_type_hints(command, include_extras=True)
    (place,) = [name for name, hint in hints.items() if hint is Described]
    known = options()
    about = typer.Option("--class", metavar="NAME", help=f"One of {', '.join(in_shell())}.")

    @wraps(command)
    def described(*args: Any, class_name: str, **given: Any) -> None:
        chosen = {name: given.pop(name) for name in known}
        command(*args, **given, **{place: Described(class_name, chosen)})

    keyword, parameters = inspect.Parameter.KEYWORD_ONLY, inspect.signature(command).parameters.values()
    own = [each.replace(annotation=hints[each.name]) for each in parameters if each.name != place]
    before = [each for each in own if each.kind is not keyword]
    added = [
        inspect.Parameter("class_name", keyword, annotation=Annotated[str, about]),
        *(inspect.Parameter(name, keyword, annotation=hint, default=None) for name, hint in known.items()),
    ]
    signature = inspect.Signature([*before, *added, *own[len(before) :]], return_annotation=None)
    described.__signature__ = signature  # type: ignore[attr-defined]
    described.__annotations__ = {each.name: each.annotation for each in signature.parameters.values()}
    return described
