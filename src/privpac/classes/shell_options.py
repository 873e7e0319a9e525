"""Classes on the command line: ``--class thresholds --low 0 --high 2^64-1``.

A class that can be named there has a ``shell_name`` and a method ``from_shell``; the parameters of that method are the
options of the class, annotated with the types below. An option has the same name, type, and meaning in all classes.
Option values arrive as text, and the functions at the end of this file read them.
"""

from __future__ import annotations

import csv
import io
import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal, InvalidOperation
from inspect import signature
from itertools import takewhile
from pathlib import Path
from typing import Annotated, Literal

from privpac.classes.concept_class import ConceptClass
from privpac.classes.hypothesis import Value
from privpac.data.domains.line_steps import FINEST, StepArgument
from privpac.refusals.option_words import BoundKind, ThresholdDirection, TreeKind, one_of, words_of
from privpac.refusals.refusal import Part as SentencePart
from privpac.refusals.refusal import Refused, Setting, parts_of

# A whole number such as 120, -2^31, or 2**64-1; the groups are base, power, sign, and the number added or subtracted.
WHOLE_NUMBER = re.compile(r"([+-]?\d[\d_]*)(?:(?:\^|\*\*)(\d+)(?:([+-])(\d+))?)?")
DURATIONS = {"d": "days", "h": "hours", "m": "minutes", "s": "seconds", "ms": "milliseconds", "us": "microseconds"}
DURATION = re.compile(rf"([0-9]{{1,9}})({'|'.join(DURATIONS)})")
MOST_BITS = 2**22  # the most bits of a number written as a power
COMMA_NUMBER = re.compile(r"[+-]?\d[\d.']*,[\d.,]*\d")  # 0,5 or 1.234,5
OTHER_DATE = re.compile(  # 31/12/2026, 31.12.26, 2026/12/31, or 31-Dec-2026, perhaps with a time
    r"(?:\d{1,2}([./-])\d{1,2}\1(?:\d{4}|\d{2})|\d{4}([./])\d{1,2}\2\d{1,2}|\d{1,2}[. -]+[A-Za-z]{3,9}[. -]+\d{2,4})"
    r"(?:[ T].*)?"
)


@dataclass(frozen=True)
class Option:
    """The purpose of an option, and the placeholder for its value in a help text."""

    help: str
    metavar: str | None = None


Low = Annotated[str | None, Option("Smallest value: 0, -2^31, 0.5, 2026-01-31, A00.")]
High = Annotated[str | None, Option("Largest value: 120, 2^64-1, 99.5, 2026-12-31, Z99.")]
Kind = Annotated[
    Literal[BoundKind, TreeKind] | None,
    Option(f"Kind of values ({', '.join(words_of(BoundKind))}) or taxonomy ({', '.join(words_of(TreeKind))})."),
]
Direction = Annotated[
    ThresholdDirection | None,
    Option("Direction of thresholds: above (x ≥ t), below (x < t), or either; default: either."),
]
Step = Annotated[
    str | None,
    Option("Distance between cuts: 0.1, 5, 15m, 1h, 1d, finest; default: four digits of the width, a day, a minute."),
]
Zone = Annotated[
    str | None, Option("Time zone of the column, such as Europe/Berlin, for times with offsets; default: UTC.")
]
K = Annotated[int | None, Option("Largest number of values in a set, or of codes in a rule of has-any.")]
Size = Annotated[str | None, Option("Number of possible points; unbounded if omitted.")]
Separator = Annotated[
    str | None,
    Option(
        'Separator of the steps of a path ("" makes every character a step), or of the codes in a cell; for other '
        'classes, of the cells in a text file: ";", tab.'
    ),
]
Height = Annotated[int | None, Option("Largest number of steps in a path.")]
Bits = Annotated[int | None, Option("Number of bits of a spider's values.")]
Side = Annotated[str | None, Option("Side of the grid {0 … side − 1}^dim of half-planes and half-spaces.")]
Center = Annotated[str | None, Option("Point where the boundaries of central half-planes meet.", "X,Y")]
Margin = Annotated[
    float | None,
    Option("Declared distance of all records from the boundary of a half-space, as a share of the radius of the grid."),
]
Dim = Annotated[
    int | None,
    Option("Number of columns that a half-space or a rectangle reads; largest dimension of an affine subspace (flat)."),
]
Length = Annotated[int | None, Option("Number of columns that a flat reads, such as 8 for x1 … x8.")]
Field = Annotated[int | None, Option("Number of values of each column of a flat: a prime; default: 2, for bits.")]
Parents = Annotated[Path | None, Option("File of a taxonomy, with lines name,parent.", "CSV")]
Matrix = Annotated[Path | None, Option("File of an explicit class, with a line of 0 and 1 for each concept.", "CSV")]
Part = Annotated[
    list[str] | None,
    Option(
        "Part of and, or, trees, …: 'delay thresholds 0 99', 'job points', 'job points A,B', 'icd starts-with J,K'.",
        "TEXT",
    ),
]
Depth = Annotated[
    str | None,
    Option("Largest number of tests on a path of a tree: 1, 2, 3, or auto, which chooses one of these; default: 2."),
]
Pairs = Annotated[bool | None, Option("Let two tests share a line of a scorecard: age ≥ 40 and job ≠ clerk.")]
ColumnList = Annotated[str | None, Option("Columns of equalities, with commas between them.", "A,B,C")]
AtMost = Annotated[int | None, Option("Largest number of equalities in a rule.")]
Order = Annotated[int | None, Option("Largest number of columns that a query of marginals reads; default: 2.")]
MostCodes = Annotated[int | None, Option("Largest number of codes in a cell of has-any.")]


def in_shell() -> dict[str, type[ConceptClass]]:
    """The classes that can be named in a shell, by their names in order."""
    return dict(sorted(ConceptClass.in_shell.items()))


def options_of(kind: type[ConceptClass]) -> dict[str, bool]:
    """The options of a class, and whether each is needed."""
    parameters = signature(kind.from_shell).parameters.values()
    return {option.name: option.default is option.empty for option in parameters}


def column_part(text: str) -> ConceptClass:
    """The class that a part 'COLUMN CLASS WORD …' describes, quoted as in a shell.

    The words are the bounds and a direction, or the declared values. Other options follow as NAME=VALUE.

    >>> column_part("delay thresholds 0 150 step=0.1").concept_class.domain.step
    Decimal('0.1')
    >>> column_part("job points clerk,nurse")
    Categories(('clerk', 'nurse')).on('job')
    >>> column_part("icd starts-with J10,J11,K20").column
    'icd'
    """
    kinds = {name: kind for name, kind in in_shell().items() if kind.shell_words}  # the classes that can be parts
    try:
        words = shlex.split(text)
    except ValueError:
        raise Refused("part", f"the part {text!r} has an unclosed quotation mark; close it") from None
    trailing = _named_options(kinds.get(words[1]) if len(words) > 1 else None, words[2:])
    if len(named_options := dict(trailing)) < len(trailing):
        raise Refused("part", f"the part {text!r} sets an option twice; set each option once")
    words = words[: len(words) - len(trailing)]
    if len(words) < 2 or words[1] not in kinds or len(words) > 2 + len(kinds[words[1]].shell_words):
        forms = (f"COLUMN {name} {' '.join(map(_placeholder, kind.shell_words))}" for name, kind in kinds.items())
        raise Refused("part", f"write a part as one of {', '.join(map(repr, forms))}")
    column, name, *values = words
    kind = kinds[name]
    return _part_of(text, kind, column, dict(zip(kind.shell_words, values, strict=False)) | named_options)


def _placeholder(word: str) -> str:
    """The placeholder for an option where a refusal shows the form of a part: LOW for low."""
    return "A,B" if word in ("size", "values") else word.upper()


def _part_of(text: str, kind: type[ConceptClass], column: str, options: dict[str, str]) -> ConceptClass:
    """The class of a part, from the texts of its options.

    ``text`` is the whole part, which refusals quote. They write LOW, not --low: a part has no option --low.
    """
    bounds = {"low", "high"} & set(kind.shell_words)
    if bounds - set(options):
        needs = f"the part {text!r} needs LOW and HIGH, as in {f'{column} {kind.shell_name} 0 120'!r}"
        raise Refused("part", needs)
    size, values = options.get("size"), options.pop("values", None)
    if size is not None and not WHOLE_NUMBER.fullmatch(size):  # where a size is expected, values may be listed instead
        values = options.pop("size")
    try:
        concept_class = kind.from_shell(**options)
        return concept_class.on(column, None if values is None else next(csv.reader([values])))
    except (TypeError, ValueError) as error:
        parts = (_in_part(sentence_part, kind) for sentence_part in parts_of(error))
        raise Refused("part", f"in the part {text!r}: ", *parts) from None


def _in_part(sentence_part: SentencePart, kind: type[ConceptClass]) -> SentencePart:
    """A piece of a refusal's sentence, with each option as people type it inside --part: LOW, or kind=string."""
    if not isinstance(sentence_part, Setting) or sentence_part.name not in options_of(kind):
        return sentence_part
    name, values = sentence_part.name, sentence_part.values
    if name in kind.shell_words or not values:
        return " ".join([name.upper(), *map(str, values)])
    return f"{name}={values[0]}"


def _named_options(kind: type[ConceptClass] | None, words: list[str]) -> list[list[str]]:
    """The trailing words NAME=VALUE, where NAME is an option of the class, as lists [name, value], last word first."""
    names = () if kind is None else options_of(kind)
    trailing = takewhile(lambda word: "=" in word and word.split("=")[0] in names, reversed(words))
    return [word.split("=", 1) for word in trailing]


def bound(text: str, kind: str | None = None, parameter: str = "low") -> Value:
    """The value of a bound written as text.

    Without a ``kind``, the first kind that can read the text decides. Refusals speak of the option ``parameter``.

    >>> bound("2^64-1"), bound("0.5"), bound("2026-01-31"), bound("J10"), bound("7", "string")
    (18446744073709551615, 0.5, datetime.date(2026, 1, 31), 'J10', '7')
    """
    readers: dict[str, Callable[[str], Value]] = {
        "integer": _integer,
        "float64": float,
        "decimal": Decimal,
        "date": date.fromisoformat,
        "datetime": datetime.fromisoformat,
        "string": str,
    }
    if kind is not None:
        one_of("kind", kind, BoundKind)
    else:
        _check_plain(text, parameter)
    candidates = [readers[kind]] if kind else [readers[name] for name in words_of(BoundKind) if name != "decimal"]
    for read in candidates:
        try:
            return read(text)
        except (ValueError, InvalidOperation):
            continue
    examples = "7, 2^64-1, 0.5, 2026-01-31 or 2026-01-31T12:00"
    raise Refused(parameter, f"{text!r} is not a valid {kind}; write a value like {examples}")


def _check_plain(text: str, parameter: str) -> None:
    """Refuse a date or a number in another spelling: it would be read as text, and cuts would be texts.

    >>> bound("31/12/2026", parameter="high")
    Traceback (most recent call last):
    privpac.refusals.refusal.Refused: high='31/12/2026' would be read as text; write a date as 2026-01-31 (a file \
with other dates needs a schema with format = "%d/%m/%Y"), or say kind='string'
    """
    instead: tuple[SentencePart, ...]
    if COMMA_NUMBER.fullmatch(text.strip()):
        instead = "write a number as 0.5 (if the file writes 0,5, add ", Setting.to("decimal_comma", True), ")"
    elif OTHER_DATE.fullmatch(text.strip()):
        instead = ('write a date as 2026-01-31 (a file with other dates needs a schema with format = "%d/%m/%Y")',)
    else:
        return
    as_text = Setting.to(parameter, text), " would be read as text; "
    raise Refused(parameter, *as_text, *instead, ", or say ", Setting.to("kind", "string"))


def is_text(text: str) -> bool:
    """Whether a text spells neither a number nor a date.

    >>> [is_text(text) for text in ("age", "Q1 2026", "37", "14,6", "31.12.2026")]
    [True, True, False, False, False]
    """
    try:
        return isinstance(bound(text), str)
    except Refused:
        return False


def duration_of(text: str) -> timedelta | None:
    """The duration that a text such as 15m states; None if the text is not a duration.

    >>> duration_of("15m"), duration_of("15")
    (datetime.timedelta(seconds=900), None)
    """
    match = DURATION.fullmatch(text.strip())
    return None if match is None else timedelta(**{DURATIONS[match[2]]: int(match[1])})


def step_of(text: str | None) -> StepArgument | None:
    """The step between cuts that a text states; None for None.

    >>> step_of("0.1"), step_of("5"), step_of("15m"), step_of("finest")
    (0.1, 5, datetime.timedelta(seconds=900), 'finest')
    """
    if text is None:
        return None
    if text == FINEST:
        return "finest"
    if (duration := duration_of(text)) is not None:
        return duration
    for reader in (_integer, float):
        try:
            return reader(text)
        except ValueError:
            continue
    raise Refused("step", f"{text!r} is not a step; write one like 0.1, 5, 15m, 1h, 1d, or {FINEST}")


def both_bounds(low: str | None, high: str | None, kind: str | None) -> tuple[Value, Value]:
    """Both bounds; None for a bound that is not given."""
    return None if low is None else bound(low, kind), None if high is None else bound(high, kind, "high")


def whole(text: str | None, parameter: str, before: str = "") -> int:
    """The whole number that a text states. A refusal consists of ``before``, the option ``parameter``, and the reason.

    >>> whole("2^16", "side")
    65536
    """
    try:
        return _integer(text or "")
    except ValueError:
        raise Refused(parameter, before, Setting(parameter), " must be a whole number such as 120 or 2^16") from None


def _integer(text: str) -> int:
    match = WHOLE_NUMBER.fullmatch(text.strip())
    if not match:
        raise ValueError("not a whole number")
    base, power, sign, addend = match.groups()
    if power is None:
        return int(base)
    if abs(int(base)).bit_length() * int(power) > MOST_BITS:
        raise ValueError(f"a bound may have at most {MOST_BITS} bits")
    minus = -1 if base.startswith("-") else 1  # −2^31 is −(2^31)
    return int(minus * abs(int(base)) ** int(power) + int(f"{sign}{addend}" if sign else 0))


def parents_of(text: str, where: str) -> list[tuple[str, str | None]]:
    """The pairs (name, parent) in CSV text, which refusals call ``where``; a first line "name,parent" is skipped.

    The root has an empty parent.

    >>> parents_of("J10,J\\nJ,", "the taxonomy")
    [('J10', 'J'), ('J', None)]
    """
    rows = csv.reader(io.StringIO(text, newline=""))
    lines = [[cell.strip() for cell in line] for line in rows if any(line)]
    if any(len(line) != 2 for line in lines):
        raise Refused("parents", f"every line of {where} must have two cells: name,parent")
    if lines and [cell.lower() for cell in lines[0]] == ["name", "parent"]:
        lines.pop(0)
    return [(name, parent or None) for name, parent in lines]
