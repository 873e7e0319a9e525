"""Refusals: which parameter is wrong, and a sentence that says what to do instead.

A sentence holds the parameters it names as values, so that Python and the command line can each spell them:
``on_invalid='default'`` and ``--on-invalid default``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import ContextDecorator
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self, TypeVar

Result = TypeVar("Result")
IN_SCHEMA = " is declared by the schema; leave it out, or change the schema"


@dataclass(frozen=True)
class Sketch:
    """A placeholder for a value that the caller knows; in the shell, it is ``typed`` if that is not empty."""

    text: str
    typed: str = ""

    def __repr__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Setting:
    """A parameter, and the value to set it to if ``values`` has an entry.

    >>> print(Setting("on_invalid"), Setting.to("on_invalid", "default"), Setting.to("feature", Sketch("[…]")))
    on_invalid on_invalid='default' feature=[…]
    """

    name: str
    values: tuple[object, ...] = ()

    @staticmethod
    def to(name: str, value: object) -> Setting:
        """The parameter with this value."""
        return Setting(name, (value,))

    def __str__(self) -> str:
        return f"{self.name}={self.values[0]!r}" if self.values else self.name


@dataclass(frozen=True)
class InPython:
    """Text for callers from Python only, such as advice that the command line cannot follow."""

    text: str

    def __str__(self) -> str:
        return self.text


Part = str | Setting | InPython


@dataclass(frozen=True)
class Sentence:
    """Text, settings, and advice in a row."""

    parts: tuple[Part, ...]

    def __str__(self) -> str:
        return "".join(map(str, self.parts))


class Refusal(Exception):
    """A call is refused: ``parameter`` is wrong, and ``sentence`` says why, what to do instead, and nothing private."""

    def __init__(self, parameter: str, *reason: Part) -> None:
        super().__init__(parameter, *reason)  # so that it can be pickled

    @classmethod
    def must(cls, parameter: str, what: str) -> Self:
        """The refusal that says what the parameter must be or do.

        >>> print(Refused.must("epsilon", "be positive"))
        epsilon must be positive
        """
        return cls(parameter, Setting(parameter), f" must {what}")

    @property
    def parameter(self) -> str:
        """The parameter that is wrong."""
        return str(self.args[0])

    @property
    def sentence(self) -> Sentence:
        """What is wrong with the parameter, and what to do instead."""
        return Sentence(self.args[1:])

    def __str__(self) -> str:
        return str(self.sentence)


class Refused(Refusal, ValueError):
    """A ValueError that names its parameter."""


class RefusedType(Refusal, TypeError):
    """A TypeError that names its parameter."""


def parts_of(error: Exception) -> tuple[Part, ...]:
    """The parts of a refusal's sentence, or the message of another error."""
    return error.sentence.parts if isinstance(error, Refusal) else (str(error),)


def refusal_about(error: Exception, parameter: str, before: Iterable[Part] = (), after: Iterable[Part] = ()) -> Refusal:
    """The same refusal about another parameter and with text around it; a TypeError stays a TypeError.

    >>> print(refusal_about(Refused.must("values", "be text"), "X", before=["column 3: "]))
    column 3: values must be text
    """
    kind = RefusedType if isinstance(error, TypeError) else Refused
    return kind(parameter, *before, *parts_of(error), *after)


@dataclass(frozen=True)
class InOtherWords(ContextDecorator):
    """A block whose errors of these ``kinds`` are told in other ``words``, or pass if ``words`` returns the error.

    Errors of engines, of numpy, and of the code of values may quote records. ``raise … from None`` would only hide such
    an error: it stays the ``__context__`` of the new one, where debuggers and services that collect errors find it.
    What is raised here keeps nothing of it.

    >>> try:
    ...     with InOtherWords(lambda error: Refused("X", "some entries spell no number"), ValueError):
    ...         int("a secret")
    ... except Refused as refusal:
    ...     print(refusal, refusal.__context__, refusal.__cause__)
    some entries spell no number None None
    """

    words: Callable[[Any], BaseException]
    kinds: type[BaseException] | tuple[type[BaseException], ...] = Exception

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        other = self.words(error) if isinstance(error, self.kinds) else error
        if other is None or other is error:
            return
        del error, trace  # a traceback would show them among the variables
        try:
            raise other
        finally:
            other.__context__ = None


def about(parameter: str) -> InOtherWords:
    """Turn errors that name no parameter into refusals of this one.

    >>> with about("X"):
    ...     raise TypeError("values must be text")
    Traceback (most recent call last):
    privpac.refusals.refusal.RefusedType: values must be text
    """
    return InOtherWords(
        lambda error: error if isinstance(error, Refusal) else refusal_about(error, parameter), (TypeError, ValueError)
    )


def in_column(name: object, parameter: str) -> InOtherWords:
    """Let errors begin with the column that they are about."""
    return InOtherWords(lambda error: refusal_about(error, parameter, [f"column {name!r}: "]), (TypeError, ValueError))


def each_column(parts: Iterable[tuple[object, Callable[[], Result]]], parameter: str) -> list[Result]:
    """What the functions return, each for the column of this name; a refusal names all columns that are refused.

    >>> each_column([("age", lambda: int("37")), ("stay", lambda: int("x")), ("dose", lambda: int("y"))], "X")
    Traceback (most recent call last):
    privpac.refusals.refusal.Refused: 2 columns do not fit what is declared: 'stay', 'dose'; column 'stay': invalid ...
    """
    results, refused, first = list[Result](), list[str](), None
    for name, work in parts:
        try:
            with in_column(name, parameter):
                results.append(work())
        except Refusal as error:
            first = first or error.with_traceback(None)
            refused.append(repr(name))
    if first is not None:  # outside the block above: an error would keep the other one
        names = f"{len(refused)} columns do not fit what is declared: {', '.join(refused)}; "
        raise first if len(refused) == 1 else refusal_about(first, parameter, [names])
    return results
