"""A suggested schema: what was measured, with which certainty, and the file that says so.

The file is a valid schema if at least one column is suggested. A column or a label without a suggestion is a comment,
with the reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from privpac.classes.schemas.schema import Column, Label, Schema, section_text
from privpac.classes.schemas.toml_lines import section_title, toml_value
from privpac.data.values.value_text import value_text
from privpac.mechanisms.histograms.column_histograms import ShownKeys
from privpac.privacy.certificate import Certificate, Statement
from privpac.refusals.refusal import Refused
from privpac.release.suggestions.declarations import Declared, Role, Suggestion
from privpac.release.suggestions.suggested_columns import Released, SuggestedColumns

HALF = Fraction(1, 2)  # a column is suggested only if at least this share of the records seems to fit
HEAD = """\
# A schema of {source}, suggested by privpac from noisy counts.
# Edit it: bounds are wider than what was seen, rare values are missing, and you know what is possible.
#
# price    {cost}, for {columns} columns of {n:,} {records} together
# seen     ranges of values that about {limit:,} {records} or more share{values}
# certain  "at least" is about these {n:,} {records}{each};
#          all lines that say so are true at once with probability {confidence}
"""
RULE = 'on_invalid = "clamp"        # numbers beyond the bounds count as the nearest bound\n'
SEEDED = "# NOT PRIVATE: a seed decided the noise; for tests and teaching only\n"
NO_LABEL = """\
# [label]                   # which column do rules predict? Name it, or run `privpac schema suggest` with --y
# column = ""
# classes = ["no", "yes"]   # its two labels, the negative one first
"""


@dataclass(frozen=True)
class SuggestedSchema:
    """What was released about the columns of ``source``, and what it suggests.

    ``statement`` says what ran and what it cost.
    """

    algorithm: SuggestedColumns
    released: Released  # for each column: the histogram that was shown, and a fresh noisy count of what fits
    statement: Statement
    certificate: Certificate = field(repr=False)
    source: str = "a table"
    undeclarable: tuple[str, ...] = ()  # columns of types that no schema can declare; they were not looked at
    units: bool = False  # whether n counts units, of which one record each was looked at
    spelled: Mapping[str, Any] = field(default_factory=dict)  # how files spell the table: separator, encoding, …

    @cached_property
    def suggestions(self) -> list[Suggestion]:
        """What is suggested for each column; nothing for a column that most records do not seem to fit."""
        histograms, fresh_counts = self.released
        suggestions = self.algorithm.suggestions([ShownKeys(*histogram) for histogram in histograms])
        return [self._unless_few_fit(*pair) for pair in zip(suggestions, fresh_counts, strict=True)]

    def _unless_few_fit(self, suggestion: Suggestion, fresh: int) -> Suggestion:
        """The suggestion; without a declaration if ``fresh``, about how many records fit it, is less than half."""
        if suggestion.declared is None or fresh >= HALF * self.algorithm.n:
            return suggestion
        about = share_text(Fraction(max(fresh, 0), self.algorithm.n))
        why = f"{suggestion.about}, but only about {about} of the {self.counted} fit"
        return Suggestion(suggestion.source, None, why, suggestion.missing)

    @property
    def counted(self) -> str:
        """What n counts: units or records."""
        return "units" if self.units else "records"

    @property
    def columns(self) -> list[Column]:
        """The columns that are suggested."""
        return [declared for declared in self._declared if isinstance(declared, Column)]

    @property
    def label(self) -> Label | None:
        """The labels that are suggested."""
        return next((declared for declared in self._declared if isinstance(declared, Label)), None)

    @property
    def _declared(self) -> list[Declared | None]:
        return [suggestion.declared for suggestion in self.suggestions]

    @property
    def at_least(self) -> dict[str, Fraction]:
        """For each column with a suggestion, a lower bound on the share of records that fit it; all hold at once."""
        pairs = zip(self.suggestions, self.released[1], strict=True)
        fresh_counts = {s.source.name: fresh for s, fresh in pairs if s.declared is not None}
        return {name: self.algorithm.at_least(fresh) for name, fresh in fresh_counts.items()}

    @cached_property
    def schema(self) -> Schema:
        """The suggested schema; Refused if no column is suggested, with a text that explains it column by column."""
        if not self.columns:
            spent = f"{self.statement.spent} is spent, and this is what it bought"
            raise Refused("table", f"no column could be suggested; {spent}:\n{self.text}")
        return Schema.parse(self.text)

    @cached_property
    def text(self) -> str:
        """The text of the file."""
        algorithm, noise = self.algorithm, self.algorithm.noise
        values = "" if noise.least is None else f"; single values, from about {noise.least:,} on"
        head = HEAD.format(
            source=value_text(self.source),
            cost=algorithm.cost,
            columns=len(algorithm.sources),
            n=algorithm.n,
            records=self.counted,
            limit=algorithm.ranges_from,
            values=values,
            each=", of which one record each was looked at" if self.units else "",
            confidence=_confidence(algorithm.beta),
        )
        sections = [
            *(self._sections_of("label") or [NO_LABEL]),
            *self._sections_of("unit"),
            *self._sections_of("column"),
            *map(_undeclarable, self.undeclarable),
        ]
        spelled = "".join(f"{name} = {toml_value(setting)}\n" for name, setting in self.spelled.items())
        seeded = "" if self.certificate.private else SEEDED
        return "\n".join([seeded + head + RULE + spelled, *sections])

    def _sections_of(self, role: Role) -> list[str]:
        return [self._section(suggestion) for suggestion in self.suggestions if suggestion.source.role == role]

    def _section(self, suggestion: Suggestion) -> str:
        source = suggestion.source
        path = ("columns", source.name) if source.role == "column" else (source.role,)
        lines = [suggestion.about, *self._missing(suggestion)]
        if suggestion.declared is None:
            named = [] if source.role == "column" else [f"column = {toml_value(source.name)}"]
            return _comments([section_title(*path), *named, f"not suggested: {lines[0]}", *lines[1:]])
        lines.append(f"at least {share_text(self.at_least[source.name])} of the {self.counted} fit")
        return section_text(path, suggestion.declared) + _comments(lines)

    def _missing(self, suggestion: Suggestion) -> list[str]:
        if not suggestion.missing:
            return []
        return [f"about {share_text(Fraction(suggestion.missing, self.algorithm.n))} of the entries are missing"]


def _confidence(beta: Fraction) -> str:
    """1 − β as a text, which is never simply 1.

    >>> _confidence(Fraction(1, 20)), _confidence(Fraction(1, 10**20))
    ('0.95', '1 − 1e-20')
    """
    return f"{float(1 - beta)}" if beta > Fraction(1, 10**9) else f"1 − {float(beta)}"


def _undeclarable(name: str) -> str:
    return _comments([section_title("columns", name), "not suggested: a schema cannot declare its storage type"])


def _comments(lines: list[str]) -> str:
    return "".join(f"# {line}\n" for text in lines for line in text.split("\n"))


def share_text(share: Fraction) -> str:
    """A share in percent, rounded down to a tenth.

    >>> share_text(Fraction(1999, 2000)), share_text(Fraction(3, 2))
    ('99.9 %', '100.0 %')
    """
    tenths = min(1000 * share.numerator // share.denominator, 1000)
    return f"{tenths // 10}.{tenths % 10} %"
