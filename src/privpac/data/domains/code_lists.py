"""Cells that hold several codes each, such as "J10;I25;E11".

The number of codes in a cell has a public bound, so that no record takes more work than that, whatever it holds.

Throughout this file
    s       the most distinct codes that a record may have
    most    the most codes that a cell may list, repeated and empty ones included
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from privpac.data.domains.domain import VOID, Domain, Fitted, one_by_one
from privpac.data.values.allowed_types import missing
from privpac.data.values.columns import Array, objects
from privpac.data.values.equal_values import hashables
from privpac.refusals.refusal import Refused

ALWAYS_READ = 250  # codes that are read from every cell, however small s is


def codes_in(text: object, separator: str) -> tuple[str, ...]:
    """The distinct codes of a text, sorted, without spaces (U+0020) around them; empty codes are left out.

    >>> codes_in("J10; I25;;J10", ";")
    ('I25', 'J10')
    """
    if not isinstance(text, str):
        raise TypeError("values must be text")
    return tuple(sorted({code.strip(" ") for code in text.split(separator)} - {""}))


def first_codes(text: str, separator: str, most: int) -> str:
    """The text up to its first ``most`` codes.

    >>> first_codes("J10;I25;E11", ";", 2)
    'J10;I25'
    """
    return separator.join(text.split(separator, most)[:most])


@dataclass(frozen=True)
class CodeLists(Domain):
    """All texts with at most ``s`` distinct codes. The code of a text in this domain is the tuple of its codes.

    An empty text has no codes; missing values (None, NULL, an empty cell of a CSV file) are not in the domain.

    >>> CodeLists(";", 3).encode(["J10;I25", ""]).tolist()
    [('I25', 'J10'), ()]
    """

    separator: str
    s: int
    size = math.inf  # codes are unbounded

    def __post_init__(self) -> None:
        if not isinstance(self.separator, str) or len(self.separator) != 1 or self.separator.isspace():
            raise Refused("separator", "the separator must be one character such as ';' or ','")
        if type(self.s) is not int or self.s < 1:
            raise Refused.must("s", "be a whole number, at least 1: the most codes of a record")

    @property
    def most(self) -> int:
        return max(ALWAYS_READ, 2 * self.s)

    @property
    def words(self) -> str:
        return f"at most {self.s} codes, separated by {self.separator!r}"

    def encode(self, values: object) -> Array:
        """The codes of each text; ValueError if some are missing or have more than ``s`` codes."""
        entries = hashables(values, "values")
        if any(map(missing, distinct := set(entries))):
            raise ValueError("some values are missing; write the separator alone where a record has no codes")
        if any(isinstance(value, str) and value.count(self.separator) >= self.most for value in distinct):
            raise ValueError(
                f"some values list more than {self.most} codes, repeated and empty ones included; list fewer"
            )
        codes = {value: codes_in(value, self.separator) for value in distinct}
        if max(map(len, codes.values()), default=0) > self.s:
            raise ValueError(f"some values have more than s={self.s} codes; declare a larger s")
        return objects(map(codes.__getitem__, entries))

    def decode(self, code: tuple[str, ...]) -> str:
        """A text with these codes."""
        return self.separator.join(code)

    def fit(self, values: Array, clamp: bool) -> Fitted:
        """The texts. A text with more than s codes is void; under ``clamp``, it keeps the first s of its sorted codes.

        A text that lists more than ``most`` codes is void; under ``clamp``, its codes after the first ``most`` are cut
        off before the others are sorted.
        """

        def fit_value(text: str) -> str | None:
            if text.count(self.separator) >= self.most:
                if not clamp:
                    return VOID
                text = first_codes(text, self.separator, self.most)
            codes = codes_in(text, self.separator)
            if len(codes) <= self.s:
                return text
            return self.decode(codes[: self.s]) if clamp else VOID

        return one_by_one(values, fit_value)
