"""Refusals: which parameter is wrong, and a sentence whose parts say what to do instead.

A sentence that names a parameter holds it as a value, so that Python and the command line each spell it in their way:
``on_invalid='default'`` and ``--on-invalid default``.

Main declarations
    Refused        a ValueError about a parameter
    RefusedType    a TypeError about a parameter
    Setting        a parameter inside a sentence, perhaps with what to set it to
    Sketch         what stands for a value: (negative, positive)
    InPython       what only callers from Python can do
    Sentence       text and such parts
    retold         a refusal with more around it
    about          errors that name no parameter become refusals of one
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Self


@dataclass(frozen=True)
class Sketch:
    """What stands for a value that the caller knows."""

    text: str

    def __repr__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Setting:
    """A parameter, and what to set it to if ``values`` has an entry.

    >>> print(Setting("on_invalid"), Setting.to("on_invalid", "default"), Setting.to("feature", Sketch("[…]")))
    on_invalid on_invalid='default' feature=[…]
    """

    name: str
    values: tuple[Any, ...] = ()

    @staticmethod
    def to(name: str, value: Any) -> Setting:
        """The parameter with this value."""
        return Setting(name, (value,))

    def __str__(self) -> str:
        return f"{self.name}={self.values[0]!r}" if self.values else self.name


@dataclass(frozen=True)
class InPython:
    """Text for callers from Python: what it says cannot be done elsewhere."""

    text: str

    def __str__(self) -> str:
        return self.text


Part = str | Setting | InPython


@dataclass(frozen=True)
class Sentence:
    """Parts in a row.

    >>> print(Sentence(("give a smaller ", Setting("delta"))))
    give a smaller delta
    """

    parts: tuple[Part, ...]

    def __str__(self) -> str:
        return "".join(map(str, self.parts))


class Refusal(Exception):
    """A call is refused: ``parameter`` says what is wrong, ``sentence`` how and what to do instead.

    All of it is public: nothing in a refusal quotes a record.
    """

    def __init__(self, parameter: str, *reason: Part) -> None:
        super().__init__(parameter, *reason)  # so that it can be pickled

    @classmethod
    def must(cls, parameter: str, what: str) -> Self:
        """It must be something that it is not.

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
        """What is wrong with it."""
        return Sentence(self.args[1:])

    def __str__(self) -> str:
        return str(self.sentence)


class Refused(Refusal, ValueError):
    """A ValueError that names its parameter."""


class RefusedType(Refusal, TypeError):
    """A TypeError that names its parameter."""


def parts_of(error: Exception) -> tuple[Part, ...]:
    """What an error says."""
    return error.sentence.parts if isinstance(error, Refusal) else (str(error),)


def retold(error: Exception, parameter: str, before: Iterable[Part] = (), after: Iterable[Part] = ()) -> Refusal:
    """The same refusal, said of another parameter and with more around it; a TypeError stays one.

    >>> print(retold(Refused.must("values", "be text"), "X", before=["column 3: "]))
    column 3: values must be text
    """
    kind = RefusedType if isinstance(error, TypeError) else Refused
    return kind(parameter, *before, *parts_of(error), *after)


@contextmanager
def about(parameter: str) -> Iterator[None]:
    """Errors about values that name no parameter are said of this one.

    >>> with about("X"):
    ...     raise TypeError("values must be text")
    Traceback (most recent call last):
    privpac.data.refusal.RefusedType: values must be text
    """
    try:
        yield
    except Refusal:
        raise
    except (TypeError, ValueError) as error:
        raise retold(error, parameter) from None
