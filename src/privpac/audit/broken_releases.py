"""Broken twins of releases and of their certificates: mistakes that are easy to make and that the audit must refute.

Main declarations
    Noiseless     a certificate without noise
    Fractional    a certificate of answers that are not whole numbers
    off_by        the largest error of fixed answers: the view of a certificate
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flint import arb

from privpac.exact.entropy import Entropy
from privpac.mechanisms.measured_gap import MeasuredGap


def off_by(answers: Mapping[Any, Any], records: Sequence[Any]) -> Any:
    """The largest distance between an answer and the number of records that are this value.

    >>> off_by({"a": 2, "b": 0}, "abb")
    2
    """
    return max(abs(answer - sum(each == key for each in records)) for key, answer in answers.items())


@dataclass(frozen=True)
class Noiseless(MeasuredGap):
    """Adds q, but no noise."""

    def release(self, data: int, coins: Entropy) -> int:
        return data + self.spare

    def law(self, data: int, reach: int = 40) -> dict[int, arb]:
        return {data + self.spare: arb(1)}


@dataclass(frozen=True)
class Fractional(MeasuredGap):
    """Adds noise to the largest error as it is, so that its fractional part shows."""

    def check(self, data: Any) -> Any:
        return data

    def release(self, data: Any, coins: Entropy) -> Any:
        whole = data.__floor__()
        return super().release(whole, coins) + (data - whole)

    def law(self, data: Any, reach: int = 40) -> dict[Any, arb]:
        whole = data.__floor__()
        return {bound + (data - whole): p for bound, p in super().law(whole, reach).items()}
