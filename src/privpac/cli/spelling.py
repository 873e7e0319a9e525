"""Sentences in the words of the command line: options where Python has parameters.

Main declarations
    option     the option that a parameter of the library is here
    spelled    a sentence with options in it
"""

from __future__ import annotations

import shlex

from privpac.data.refusal import InPython, Part, Sentence, Setting, Sketch

OPTIONS = {  # whose names differ
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
WRITTEN = {"class_name": "--class", "as_json": "--json", "broken": "--controls"}
PLACES = {"classes": "NEGATIVE,POSITIVE", "feature": "COLUMN", "unit": "COLUMN", "max_records": "K"}  # of values


def option(parameter: str) -> str:
    """The parameter of a command that says what this parameter of the library says.

    >>> option("feature"), option("epsilon")
    ('x', 'epsilon')
    """
    return OPTIONS.get(parameter, parameter)


def spelled(sentence: Sentence) -> str:
    """The sentence, with options where it names parameters, and without what only Python can do.

    >>> spelled(Sentence(("fill them, or say ", Setting.to("on_invalid", "default"), ", which counts them")))
    'fill them, or say --on-invalid default, which counts them'
    """
    return "".join(map(_spelled, sentence.parts))


def _spelled(part: Part) -> str:
    if isinstance(part, InPython):
        return ""
    return _setting(part) if isinstance(part, Setting) else part


def _setting(setting: Setting) -> str:
    """An option, and what is to follow it: nothing after a flag, a place for a value that the caller knows."""
    name = option(setting.name)
    written = WRITTEN.get(name, f"--{name.replace('_', '-')}")
    words = [PLACES.get(setting.name) if isinstance(value, Sketch) else _value(value) for value in setting.values]
    return " ".join([written, *filter(None, words)])


def _value(value: object) -> str:
    return "" if value is True else shlex.quote(str(value))
