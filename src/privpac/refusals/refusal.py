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
IN_SCHEMA = " is declared by the schema; leave it out, or change the schema"  # follows the name of a parameter


@dataclass(frozen=True)
class Sketch:
    """A placeholder for a value that the caller knows: ``text``, or on the command line ``typed``, if not empty."""

    text: str
    typed: str = ""

    def __repr__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Setting:
    """A parameter inside a sentence; if ``values`` has an entry, together with that value.

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
    """Text, settings, and advice for Python, one after another."""

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
    """A block that replaces an error of these ``kinds`` by ``words(error)``; if that is the error itself, it passes.

    Errors of engines, of numpy, and of the code of values may quote records. ``raise … from None`` would only hide such
    an error: it stays the ``__context__`` of the new one, where debuggers and services that collect errors find it.
    The error that this block raises keeps nothing of the one that it replaces.

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
        replacement = self.words(error) if isinstance(error, self.kinds) else error
        if replacement is None or replacement is error:
            return
        del error, trace  # a traceback would show them among the variables
        try:
            raise replacement
        finally:
            replacement.__context__ = None


def about(parameter: str) -> InOtherWords:
    """A block that turns errors that name no parameter into refusals of this one.

    >>> with about("X"):
    ...     raise TypeError("values must be text")
    Traceback (most recent call last):
    privpac.refusals.refusal.RefusedType: values must be text
    """
    return InOtherWords(
        lambda error: error if isinstance(error, Refusal) else refusal_about(error, parameter), (TypeError, ValueError)
    )


def in_column(name: object, parameter: str) -> InOtherWords:
    """A block that turns errors into refusals that begin with the name of the column."""
    return InOtherWords(lambda error: refusal_about(error, parameter, [f"column {name!r}: "]), (TypeError, ValueError))


def each_column(columns: Iterable[tuple[object, Callable[[], Result]]], parameter: str) -> list[Result]:
    """The results of ``(name, function)`` pairs, one for each column; a refusal names all columns that are refused.

    >>> each_column([("age", lambda: int("37")), ("stay", lambda: int("x")), ("dose", lambda: int("y"))], "X")
    Traceback (most recent call last):
    privpac.refusals.refusal.Refused: 2 columns do not fit what is declared: 'stay', 'dose'; column 'stay': invalid ...
    """
    results, refused_names, first_refusal = list[Result](), list[str](), None
    for name, read in columns:
        try:
            with in_column(name, parameter):
                results.append(read())
        except Refusal as refusal:
            first_refusal = first_refusal or refusal.with_traceback(None)
            refused_names.append(repr(name))
    if first_refusal is not None:  # raised here, because an error raised in the ``except`` block would keep that one
        if len(refused_names) == 1:
            raise first_refusal
        names = f"{len(refused_names)} columns do not fit what is declared: {', '.join(refused_names)}; "
        raise refusal_about(first_refusal, parameter, [names])
    return results
