"""The words of the command line: panels of options, and messages with options in place of Python's parameters."""

from __future__ import annotations

import shlex

from privpac.refusals.refusal import InPython, Part, Sentence, Setting, Sketch

# Panels of options, which only --help-all shows. --help shows the options in no panel, which a user needs first.
OF_CLASSES, OF_TABLES = "Classes", "Tables"
OF_PRIVACY, OF_REPORTS = "Privacy and accuracy", "Reports"
OPTIONS = {  # a parameter of the library → the parameter of the command, where the two differ
    "X": "data",
    "source": "data",
    "feature": "x",
    "concept_class": "class_name",
    "random_state": "seed",
    "url": "store",
    "limit": "size",
    "domain_size": "size",
    "total": "epsilon",
    "class_weight": "weights",
}
# a parameter of the command → its option, where this is not the name with two dashes
SPECIAL_OPTIONS = {"class_name": "--class", "as_json": "--json", "broken": "--controls", "k": "-k"}
PLACEHOLDERS = {  # a parameter of the library → what stands for a value that only the caller knows
    "classes": "NEGATIVE,POSITIVE",
    **dict.fromkeys(("feature", "y", "unit"), "COLUMN"),
    "max_records": "K",
    "public": "DATA",
}


def option(parameter: str) -> str:
    """The command's name for a parameter of the library.

    >>> option("feature"), option("epsilon")
    ('x', 'epsilon')
    """
    return OPTIONS.get(parameter, parameter)


def for_the_shell(sentence: Sentence) -> str:
    """The sentence with options in place of parameters, without the parts that concern only Python.

    >>> for_the_shell(Sentence(("fill them, or say ", Setting.to("on_invalid", "default"), ", which counts them")))
    'fill them, or say --on-invalid default, which counts them'
    """
    return "".join(map(_part, sentence.parts))


def _part(part: Part) -> str:
    if isinstance(part, InPython):
        return ""
    return _setting(part) if isinstance(part, Setting) else part


def _setting(setting: Setting) -> str:
    """An option and its value. A flag has no value; a value that only the caller knows becomes a placeholder."""
    name = option(setting.name)
    written = SPECIAL_OPTIONS.get(name, f"--{name.replace('_', '-')}")
    words = [
        value.typed or PLACEHOLDERS.get(setting.name) if isinstance(value, Sketch) else _value(value)
        for value in setting.values
    ]
    return " ".join([written, *filter(None, words)])


def _value(value: object) -> str:
    """A value as it is typed; several are joined by commas."""
    typed = ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
    return "" if value is True else shlex.quote(typed)
