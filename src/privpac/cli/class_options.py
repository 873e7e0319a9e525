"""How a command line describes a concept class: ``--class thresholds --low 0 --high 2^64-1``.

A command about a class takes a parameter ``of: ClassOptions`` and carries the decorator ``names_a_class``, which
replaces that parameter with ``--class`` and the options of all classes; ``of.build()`` builds the class. Options that
the class does not take are refused.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, cached_property, update_wrapper
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_type_hints

import typer

from privpac.cli.spelling import OF_CLASSES, option
from privpac.refusals.refusal import InOtherWords, Refused, Setting, parts_of

if TYPE_CHECKING:
    from privpac.classes.concept_class import ConceptClass

FIRST = ("low", "high")  # options that most people need, so that they are in no panel


@dataclass(frozen=True)
class ClassOptions:
    """A class by its name and its options.

    >>> thresholds = ClassOptions("thresholds", {"low": "0", "high": "2^64-1", "direction": "above"})
    >>> thresholds.build().known("Littlestone").value
    64
    >>> ClassOptions("and", {"part": ["delay thresholds 0 9", "carrier points"]}).build().size
    inf
    """

    class_name: str | None
    options: dict[str, Any]

    @property
    def files(self) -> list[Path]:
        return [value for value in self.options.values() if isinstance(value, Path)]

    @property
    def typed_options(self) -> dict[str, Any]:
        """The options that the user typed."""
        return {name: value for name, value in self.options.items() if value not in (None, [])}

    def without_file_separator(self, *, by_schema: bool) -> tuple[ClassOptions, str | None]:
        """These options without ``--separator``, and its value, which separates the cells of the user's file.

        Some classes have an option of this name themselves, which separates the codes in a cell. They keep it, and the
        file's separator is then None. With ``by_schema``, a schema describes the columns, so ``--separator`` is always
        the file's.

        >>> ClassOptions("thresholds", {"low": "0", "separator": ";"}).without_file_separator(by_schema=False)[1]
        ';'
        """
        if self._has_separator(by_schema):
            return self, None
        return replace(self, options={**self.options, "separator": None}), self.options.get("separator")

    def file_words(self, *, by_schema: bool) -> InOtherWords:
        """A block that opens the user's file. If ``--separator`` belongs to the class, refusals name a schema instead.

        >>> with ClassOptions("starts-with", {}).file_words(by_schema=False):
        ...     raise Refused("source", "say what separates cells: ", Setting.to("separator", ";"))
        Traceback (most recent call last):
        privpac.refusals.refusal.Refused: say what separates cells: separator = ";" in a schema, because separator ...
        """

        def in_a_schema(error: Refused) -> Refused:
            *before, advice = parts_of(error)
            if not (isinstance(advice, Setting) and advice.name == "separator" and self._has_separator(by_schema)):
                return error
            line = f"separator = {json.dumps(advice.values[0])} in a schema, because "
            return Refused(error.parameter, *before, line, Setting("separator"), " is that of the class")

        return InOtherWords(in_a_schema, Refused)

    def _has_separator(self, by_schema: bool) -> bool:
        """Whether ``--separator`` is an option of the class, and not of the file."""
        from privpac.classes.shell_options import in_shell, options_of

        concept_class = None if by_schema else in_shell().get(self.class_name or "")
        return concept_class is not None and "separator" in options_of(concept_class)

    def build(self) -> ConceptClass:
        """The class; Refused if an option is missing, misplaced, or wrong."""
        from privpac.classes.schemas.classes_by_name import class_from_options

        return class_from_options(self.class_name, self.typed_options, option)


def class_names() -> list[str]:
    """The names that ``--class`` takes, and that shells complete; classes for declared columns come first."""
    from privpac.classes.schemas.classes_by_name import ON_ALL_COLUMNS, ON_ONE_COLUMN
    from privpac.classes.shell_options import in_shell

    return list(dict.fromkeys((*ON_ONE_COLUMN, *ON_ALL_COLUMNS, *in_shell())))


@cache
def options() -> dict[str, Any]:
    """The options of all classes, annotated for typer. They are the parameters of ``from_shell`` of each class.

    >>> {"low", "high", "part"} <= set(options())
    True
    """
    from privpac.classes.shell_options import in_shell

    hints = {  # option → its type and its help
        name: hint
        for concept_class in in_shell().values()
        for name, hint in get_type_hints(concept_class.from_shell, include_extras=True).items()
        if name != "return"
    }
    return {
        name: Annotated[
            value_type,
            typer.Option(
                *_spellings(name, value_type),
                help=about.help,
                metavar=about.metavar,
                rich_help_panel=None if name in FIRST else OF_CLASSES,
            ),
        ]
        for name, (value_type, about) in ((name, get_args(hint)) for name, hint in hints.items())
    }


def _spellings(name: str, value_type: Any) -> tuple[str, ...]:
    """How to type an option: one letter has one dash, a flag has no --no-…; () leaves it to typer."""
    if value_type == bool | None:
        return (f"--{name}",)
    return (f"-{name}",) if len(name) == 1 else ()


class names_a_class:  # noqa: N801  (a decorator)
    """A command with ``--class`` and the options of all classes in place of its parameter of type ClassOptions.

    Typer reads the signature and the annotations of a command. Both are made on demand, because they load all classes.
    """

    def __init__(self, command: Callable[..., None]) -> None:
        update_wrapper(self, command, ("__module__", "__name__", "__qualname__", "__doc__"))
        self.command = command

    def __call__(self, *args: object, class_name: str | None, **named: Any) -> None:
        (parameter,) = [name for name, hint in self._hints.items() if hint is ClassOptions]
        of_class = {name: named.pop(name) for name in options()}
        self.command(*args, **named, **{parameter: ClassOptions(class_name, of_class)})

    @cached_property
    def _hints(self) -> dict[str, Any]:
        return get_type_hints(self.command, include_extras=True)

    @cached_property
    def __signature__(self) -> inspect.Signature:
        about = typer.Option(
            "--class", metavar="NAME", help=f"One of {', '.join(class_names())}.", autocompletion=class_names
        )
        keyword, parameters = inspect.Parameter.KEYWORD_ONLY, inspect.signature(self.command).parameters.values()
        hints = self._hints
        own = [p.replace(annotation=hints[p.name]) for p in parameters if hints[p.name] is not ClassOptions]
        before = [parameter for parameter in own if parameter.kind is not keyword]
        added = [
            inspect.Parameter("class_name", keyword, annotation=Annotated[str | None, about], default=None),
            *(inspect.Parameter(name, keyword, annotation=hint, default=None) for name, hint in options().items()),
        ]
        return inspect.Signature([*before, *added, *own[len(before) :]], return_annotation=None)

    @cached_property
    def __annotations__(self) -> dict[str, Any]:  # type: ignore[override]
        return {parameter.name: parameter.annotation for parameter in self.__signature__.parameters.values()}
