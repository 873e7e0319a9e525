"""Refusals in the words of a page: the labels of its fields where Python has parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from privpac.app.forms import FormField
from privpac.privacy.ledger import BudgetExceeded
from privpac.refusals.refusal import InPython, Part, Refusal, Setting, Sketch

# The names of fields, by the names of parameters, where the two differ.
FIELDS = {
    "X": "source",
    "feature": "x",
    "concept_class": "class",
    "class_name": "class",
    "columns": "x",
    "of": "x",
    "label": "y",
    "method": "algorithm",
}
# How a schema writes the format of a file, for which pages have no field.
SPELLING = {"separator": '"{}"', "decimal_comma": "true", "encoding": '"{}"'}
EXPECTED = (ValueError, TypeError, LookupError, ImportError, OSError, BudgetExceeded)


@dataclass(frozen=True)
class PageRefusal:
    """A sentence, and the name of the field that is wrong."""

    sentence: str
    field: str | None = None


def result_or_refusal(compute: Callable[[], dict[str, object]], fields: Iterable[FormField]) -> dict[str, object]:
    """The values that a page computes, with None as ``refusal``; or, if the computation refuses, ``refusal`` alone."""
    try:
        return compute() | {"refusal": None}
    except EXPECTED as error:
        parameter = getattr(error, "parameter", None)
        return {"refusal": PageRefusal(page_sentence(error, fields), FIELDS.get(str(parameter), parameter))}


def page_sentence(error: Exception, fields: Iterable[FormField] = ()) -> str:
    """What an error says, as a sentence that names fields of the page.

    >>> from privpac.refusals.refusal import Refused
    >>> page_sentence(Refused.must("epsilon", "be positive"), [FormField("Privacy ε", "epsilon")])
    '“Privacy ε” must be positive.'
    >>> page_sentence(Refused("source", "a.csv cannot be read"))
    'a.csv cannot be read.'
    """
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename} cannot be used: {error.strerror}."
    labels = {field.name: field.label for field in fields}
    parts: tuple[Part, ...] = error.sentence.parts if isinstance(error, Refusal) else (str(error),)
    text = "".join(_page_text(part, labels) for part in parts)
    keeps_case = not text[:1].isascii() or set("./") & set(text.partition(" ")[0])  # δ, an address, or a file
    return f"{text if keeps_case else text[:1].upper() + text[1:]}{'' if text.endswith(('.', '?')) else '.'}"


def _page_text(part: Part, labels: dict[str, str]) -> str:
    if isinstance(part, InPython):
        return ""
    if not isinstance(part, Setting):
        return part
    name = f"“{labels.get(FIELDS.get(part.name, part.name), part.name)}”"
    values = [_typed(value) for value in part.values if not isinstance(value, Sketch) or value.typed]
    if part.name in SPELLING and values and part.name not in labels:
        return f"{part.name} = {SPELLING[part.name].format(*values)} in a schema with which the server is started"
    return " = ".join([name, *values])


def _typed(value: object) -> str:
    """A value as people type it into a field."""
    if isinstance(value, Sketch):
        return value.typed
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
