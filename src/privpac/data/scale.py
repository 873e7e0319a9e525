"""The values of a line: their kind, bounds, step, and zone, and the number of each.

Main declarations
    Scale    the declared values between low and high, without the records
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.data.choices import LineRule, one_of
from privpac.data.codes import bounds, float_codes, floats_with, kind_of
from privpac.data.columns import numbered, objects
from privpac.data.domain import Remembered
from privpac.data.refusal import Refused, Setting
from privpac.data.steps import EXACT, FINEST, FloatSteps, own_step, places_of, units_in
from privpac.data.text import rank, unrank
from privpac.data.zones import known_zone

TOO_FINE = "the step is finer than floats of this size; choose a larger one, narrower bounds, or "


@dataclass(frozen=True, eq=False)
class Scale(Remembered):
    """The values from ``low`` to ``high``: all of their kind, or the multiples of a ``step``."""

    low: Any
    high: Any
    on_invalid: LineRule = "raise"
    step: Any = None  # None: every value of the kind
    zone: str | None = None  # where clocks show the times of the line; None: UTC
    numbered = True

    def __post_init__(self) -> None:
        one_of("on_invalid", self.on_invalid, LineRule)
        for name, bound in zip(("low", "high"), bounds(self.low, self.high, self.step), strict=True):
            object.__setattr__(self, name, bound)
        known_zone(self.zone, self.kind)
        if self.step is not None:
            object.__setattr__(self, "step", own_step(self.step, self.kind))
            if self.kind != "float":
                units_in(self.step, self.kind, self.precision)  # refuses a step that is not a whole number of units
            elif not self._floats.distinct:
                raise Refused("step", TOO_FINE, Setting.to("step", FINEST))

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[Any, ...]:
        return self.kind, self.first, self.last, self.precision, self.on_invalid, self.step, self.zone

    @cached_property
    def kind(self) -> str:
        """What the values are: integer, float, decimal, string, or a numpy time unit such as datetime64[D]."""
        return kind_of(self.low)

    @cached_property
    def first(self) -> int:
        """The code of ``low`` on the unbounded line of all values."""
        return self._code(self.low)

    @cached_property
    def last(self) -> int:
        """The code of ``high`` on the unbounded line of all values."""
        return self._code(self.high)

    @property
    def size(self) -> int:
        return self.ends[1] - self.ends[0] + 1

    @cached_property
    def units(self) -> int:
        """How many codes of the unbounded line a step holds; 1 among floats, which are not equally far apart."""
        return 1 if self.step is None or self.kind == "float" else units_in(self.step, self.kind, self.precision)

    @property
    def places(self) -> int | None:
        """How many decimals the floats of the line have; None if they have as many as they need."""
        return None if self.step is None or self.kind != "float" else places_of(self.step)

    @property
    def by_bits(self) -> bool:
        """Whether every float has its own code, so that almost all codes lie close to 0."""
        return self.kind == "float" and self.step is None

    @cached_property
    def _floats(self) -> FloatSteps:
        return FloatSteps(self.step, max(abs(self.low), abs(self.high)))

    @property
    def float_steps(self) -> FloatSteps | None:
        """The multiples of a line of floats, if floats alone find them; None on other lines."""
        return self._floats if self.kind == "float" and self.step is not None and self._floats.fast else None

    @cached_property
    def ends(self) -> tuple[int, int]:
        """The multiples of the step at ``low`` and at ``high``, or their codes."""
        low, high = self.multiples(objects([self.first, self.last])).tolist()
        return low, high

    def multiples(self, codes: NDArray[Any]) -> NDArray[Any]:
        """The last multiple of the step up to each code."""
        if self.step is None:
            return codes
        if self.kind == "float":
            return self._floats.numbers(floats_with(codes.astype(np.int64)))
        if codes.dtype.kind == "O" or self.units >= 2**63:
            return np.asarray(codes.astype(object) // self.units)
        wide = np.uint64 if codes.dtype == np.uint64 else np.int64
        return np.asarray(codes.astype(wide) // wide(self.units))

    @cached_property
    def precision(self) -> int:
        """How many places decimals have, or how many characters of text count: those of the longer bound."""
        if self.kind == "string":
            return max(len(self.low), len(self.high))
        if self.kind == "decimal":
            return max(places_of(each) for each in (self.low, self.high, self.step or Decimal(1)))
        return 0

    def decode(self, number: int) -> Any:
        multiple = self.ends[0] + numbered(number, self.size)
        if self.step is not None and multiple == self.ends[0]:
            return self.low  # which may lie between two multiples
        code = multiple * self.units
        if self.kind == "integer":
            return code
        if self.kind == "float":
            return self._floats.value(code) if self.step is not None else float(floats_with(np.array([code]))[0])
        if self.kind == "decimal":
            return Decimal(code).scaleb(-self.precision, EXACT)
        if self.kind == "string":
            return unrank(code, self.precision)
        value = np.array(code, dtype=np.int64).view(self.kind)[()]
        return value if isinstance(self.low, np.datetime64) else value.item()

    def _code(self, bound: Any) -> int:
        """The code of a bound on the unbounded line."""
        if self.kind == "integer":
            return int(bound)
        if self.kind == "float":
            return int(float_codes(np.array([bound]))[0])
        if self.kind == "decimal":
            return int(bound.scaleb(self.precision, EXACT))
        if self.kind == "string":
            return rank(bound, self.precision)
        return int(np.array(bound, dtype=self.kind).astype(np.int64))
