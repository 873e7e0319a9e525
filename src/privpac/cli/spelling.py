"""Sentences as the command line writes them: options where Python has parameters."""

from __future__ import annotations

import shlex

from privpac.refusals.refusal import InPython, Part, Sentence, Setting, Sketch

OPTIONS = {  # parameters whose options have other names
    "X": "data",
    "source": "data",
    "feature": "x",
    "concept_class": "class_name",
    "random_state": "seed",
    "url": "store",
    "limit": "size",
    "domain_size": "size",
    "center": "centre",
    "total": "epsilon",
}
WRITTEN = {"class_name": "--class", "as_json": "--json", "broken": "--controls", "k": "-k"}
PLACES = {  # placeholders
    "classes": "NEGATIVE,POSITIVE",
    **dict.fromkeys(("feature", "y", "unit"), "COLUMN"),
    "max_records": "K",
}


def option(parameter: str) -> str:
    """The command's parameter for a parameter of the library.

    >>> option("feature"), option("epsilon")
    ('x', 'epsilon')
    """
    return OPTIONS.get(parameter, parameter)


def for_the_shell(sentence: Sentence) -> str:
    """The sentence, with options in place of parameters, and without the parts meant only for Python.

    >>> for_the_shell(Sentence(("fill them, or say ", Setting.to("on_invalid", "default"), ", which counts them")))
    'fill them, or say --on-invalid default, which counts them'
    """
    return "".join(map(_spelled, sentence.parts))


def _spelled(part: Part) -> str:
    if isinstance(part, InPython):
        return ""
    return _setting(part) if isinstance(part, Setting) else part


def _setting(setting: Setting) -> str:
    """An option and its value: nothing after a flag, a placeholder for a value that the caller knows."""
    name = option(setting.name)
    written = WRITTEN.get(name, f"--{name.replace('_', '-')}")
    words = [PLACES.get(setting.name) if isinstance(value, Sketch) else _value(value) for value in setting.values]
    return " ".join([written, *filter(None, words)])


def _value(value: object) -> str:
    return "" if value is True else shlex.quote(str(value))
