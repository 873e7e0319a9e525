"""Domains with one more value, *missing*: a column that declares that an entry may be missing.

Whether an entry is missing depends on that entry alone: None, NaN, NaT, pandas' NA, NULL, the texts that are declared
to spell it, and texts that are too long to be read. An entry that is not missing but spells no value does not fit.

proof: docs/proofs/missing_values.md

Throughout this file
    absent     a mask: which entries are missing
    fits       a mask: which entries are missing or fit ``domain``
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.data.domains.domain import Domain, Fitted
from privpac.data.domains.line import Line
from privpac.data.values.allowed_types import gaps, too_long
from privpac.data.values.columns import Array, column, number_below, objects
from privpac.data.values.line_codes import EXACT_FLOATS
from privpac.refusals.refusal import Refused

GAP = None  # a missing value


@dataclass(frozen=True)
class WithMissing(Domain):
    """The values of ``domain``, which reads one column, and *missing*, which is None here and blank in a table.

    The texts in ``na`` also spell *missing*. Its code is the next number after those of the domain's values, or None if
    these have no numbers.

    >>> ages = WithMissing(Line(0, 120), na=("?",))
    >>> ages.size, ages.encode([37, None, "?"]).tolist(), ages.decode(121) is None
    (122, [37, 121, 121], True)
    """

    domain: Domain
    na: tuple[str, ...] = ()
    optional = True

    def __post_init__(self) -> None:
        if isinstance(self.domain, WithMissing) or len(self.domain.columns) > 1:
            raise Refused("missing", "only a single column with values of its own may lack entries")
        if not isinstance(self.na, tuple) or not all(isinstance(text, str) for text in self.na):
            raise Refused("na", 'na must list texts, such as ["", "NA", "?"]')
        values_of_na = self.domain.spell(objects(self.na))
        is_list = self.domain.numbered and not isinstance(self.domain, Line)
        if is_list and self.domain.fit(values_of_na, clamp=False)[1].any():
            raise Refused("na", "a text in na is also a declared value; remove it from one of the two")

    @property
    def present(self) -> Domain:
        return self.domain

    @property
    def size(self) -> int | float:
        return self.domain.size + 1

    @property
    def numbered(self) -> bool:
        return self.domain.numbered

    @property
    def gap_code(self) -> Any:
        """The code of a missing value."""
        return self.domain.size if self.numbered else GAP

    @property
    def words(self) -> str:
        return f"{self.domain.words}, or missing"

    def absent(self, codes: Array) -> NDArray[np.bool_]:
        """Which of the codes stand for a missing value."""
        if self.numbered:
            return np.asarray(codes == self.gap_code, dtype=bool)
        return np.array([code is GAP for code in codes.tolist()], dtype=bool)

    def encode(self, values: object) -> Array:
        array = column(values, "values")
        absent = self.gaps_in(array)
        codes = self.domain.encode(self._without_text(array[~absent]))
        wide = codes.dtype.kind == "O" or self.size > 2**64
        result = np.full(len(array), self.gap_code, dtype=object if wide else codes.dtype)
        result[~absent] = codes
        return result

    def decode(self, code: Any) -> Any:
        if not self.numbered:
            return GAP if code is GAP else self.domain.decode(code)
        number = number_below(code, self.size)
        return GAP if number == self.gap_code else self.domain.decode(number)

    def fit(self, values: Array, clamp: bool) -> Fitted:
        """Every value, in a type that the domain decides; a missing one fits."""
        absent = self.gaps_in(values)
        present_values, present_fits = self.domain.fit(values[~absent], clamp)
        fits, dtype = np.ones(len(values), dtype=bool), self._dtype
        fits[~absent] = present_fits
        gap = np.datetime64("NaT") if dtype.kind == "M" else np.nan if dtype.kind == "f" else GAP
        entries = np.full(len(values), gap, dtype=dtype)
        entries[~absent & fits] = present_values[present_fits].astype(dtype)
        return entries, fits

    def spell(self, texts: Array) -> Array:
        """The values that the texts spell, None if they spell a missing one; other texts stay as they are.

        >>> WithMissing(Line(0, 120), ("NA",)).spell(objects(["37", "NA", "old"])).tolist()
        [37, None, 'old']
        """
        if texts.dtype.kind != "O":
            return texts
        absent, spelled = self.gaps_in(texts), self.domain.spell(texts).tolist()
        entries = zip(texts.tolist(), spelled, absent.tolist(), strict=True)
        return objects(GAP if is_gap else text if value is None else value for text, value, is_gap in entries)

    def with_none(self, values: Array) -> Array:
        """The values, None for missing ones; numbers and times in numpy's types stay as they are."""
        if values.dtype.kind not in "OU":
            return values
        return objects(GAP if is_gap else value for value, is_gap in zip(values, self.gaps_in(values), strict=True))

    def _without_text(self, entries: Array) -> Array:
        """The entries; on a line of numbers or times, with None for texts, so that the line refuses them as missing."""
        line = self.domain.line
        if line is None or line.kind == "string" or entries.dtype.kind != "O":
            return entries
        return objects(GAP if type(entry) is str else entry for entry in entries.tolist())

    def gaps_in(self, values: Array) -> NDArray[np.bool_]:
        """Which entries are missing; each depends only on itself."""
        kind = values.dtype.kind
        if kind == "f":
            with np.errstate(invalid="ignore"):  # a signalling NaN is a NaN
                return np.asarray(np.isnan(values))
        if kind in "mM":
            return np.asarray(np.isnat(values))
        if kind not in "OU":
            return np.zeros(len(values), dtype=bool)
        entries, na = values.tolist(), frozenset(self.na)
        spelled = [type(entry) is str and (entry in na or too_long(entry)) for entry in entries]
        return np.asarray(np.array(gaps(entries), dtype=bool) | np.array(spelled, dtype=bool))

    @property
    def _dtype(self) -> np.dtype:
        """The type of ``fit``'s entries, missing ones included: numpy's floats and times where these are exact."""
        line = self.domain.line
        if line is None:
            return np.dtype(object)
        if line.kind.startswith("datetime64"):
            return np.dtype(line.kind)
        whole = line.kind == "integer" and line.low > -EXACT_FLOATS and line.high < EXACT_FLOATS
        return np.dtype(np.float64 if whole or line.kind == "float" else object)
