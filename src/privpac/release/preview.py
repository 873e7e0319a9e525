"""What a release would cost and promise, before it reads a record.

Main declarations
    ReleasePreview    the sanitizer, its cost, and how its error is known
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from privpac.learners.conditions import Conditions
from privpac.privacy.budget import Budget
from privpac.release.releasing import Releasing


@dataclass(frozen=True)
class ReleasePreview:
    """A release of ``n`` records that has not happened; everything here is public.

    >>> from privpac.classes.line import Thresholds
    >>> from privpac.release.private_release import PrivateRelease
    >>> ahead = PrivateRelease(Thresholds(0, 120), epsilon=1).preview(5000)
    >>> print(ahead.sanitizer, ahead.cost, ahead.measuring, sep="; ")
    LineSanitizer; ε = 1; 1/10
    """

    n: int
    sanitizer: str  # the name that ``method`` takes
    title: str  # what it does
    cost: Budget  # per record, or per unit
    measuring: Fraction  # the share of it that measures the error, about; zero where bounds are certain
    certain: bool  # whether bounds hold with certainty
    protected: int  # how many records or units are protected
    known: int | None = None  # by how many records every answer is off at most: known now, or None if it is measured

    @classmethod
    def of(cls, releasing: Releasing, conditions: Conditions, n: int) -> ReleasePreview:
        """The preview of a release of n records."""
        made = releasing.sanitizer
        cost = conditions.price_ahead(n, releasing.cost)
        share, known = releasing.share, made.known_gap(n)
        return cls(n, made.name, made.how(n), cost, share, made.certain, n // conditions.k, known)
