"""The fields of forms, and what a browser sends for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

FormValues = dict[str, str]


@dataclass(frozen=True)
class FormField:
    """A field of a form.

    ``options`` maps the values of a drop-down list to their names; ``steps`` adds a slider over these values; ``lines``
    is the height of a text area.
    """

    label: str
    name: str
    value: str = ""
    hint: str = ""
    options: Mapping[str, str] | None = None
    steps: Sequence[str] = ()
    lines: int = 0
    flag: bool = False  # a checkbox
    fixed: bool = False  # users see the value but cannot edit it; an empty one is hidden
    needed: bool = False  # the browser refuses to send the form without it
    rare: bool = False  # the page folds it away until someone opens it
    reloads: bool = False  # a change reloads the page, because other fields depend on it
    loads: bool = False  # the browser can fill it from a local file

    @property
    def label_inside(self) -> str:
        """The label with a lowercase first letter, for use inside a sentence."""
        return f"{self.label[:1].lower()}{self.label[1:]}"


def complete_values(fields: Iterable[FormField], values: FormValues) -> FormValues:
    """The values of ``fields`` as the form shows them, and the other values as the browser sent them."""
    return values | {field.name: field.value for field in fields}
