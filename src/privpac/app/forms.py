"""The fields of forms, and what a browser sends for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

FormValues = dict[str, str]


@dataclass(frozen=True)
class FormField:
    """A field of a form.

    ``options`` makes it a choice among values with names; ``steps`` adds a slider over these values; ``lines`` makes it
    a text of several lines.
    """

    label: str
    name: str
    value: str = ""
    hint: str = ""
    options: Mapping[str, str] | None = None
    steps: Sequence[str] = ()
    lines: int = 0
    flag: bool = False  # a box to tick
    fixed: bool = False  # shown, and never typed; nothing is shown for an empty one
    needed: bool = False  # the browser does not send the form without it
    rare: bool = False  # folded away until it is needed
    reloads: bool = False  # other fields depend on it
    loads: bool = False  # a file can be chosen to fill it, which the browser reads

    @property
    def label_inside(self) -> str:
        """The label inside a sentence."""
        return f"{self.label[:1].lower()}{self.label[1:]}"


def complete_values(fields: Iterable[FormField], values: FormValues) -> FormValues:
    """What was sent, and what the other fields of the form show."""
    return values | {field.name: field.value for field in fields}
