"""What kind of number a row of a plan is.

Main declarations
    Kind         certified, no certificate, published or a lower bound, and what else must be known of it
    Section      the first of these: in this order the rows of a plan are printed
    Constants    whether a paper prints all constants of a bound
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Section(Enum):
    """Kinds, as they follow each other in a plan."""

    CERTIFIED = "certified"
    NOTHING = "no certificate"
    PUBLISHED = "published"
    LOWER = "lower bound"


class Constants(Enum):
    """Whether all constants of a published bound are printed; those that are hidden are set to 1."""

    PRINTED = ""
    HIDDEN = "O-constants = 1"
    HIDDEN_BELOW = "Ω-constant = 1"


@dataclass(frozen=True)
class Kind:
    """``regime`` is that of a bound, where it is not the one that was asked for.

    >>> print(Kind(Section.PUBLISHED, Constants.HIDDEN, "realizable"))
    published, O-constants = 1 (realizable)
    """

    section: Section
    constants: Constants = Constants.PRINTED
    regime: str | None = None

    def __str__(self) -> str:
        constants = f", {self.constants.value}" if self.hidden else ""
        return f"{self.section.value}{constants}{f' ({self.regime})' if self.regime else ''}"

    @property
    def hidden(self) -> bool:
        """Whether some constants are, so that the number shows an order of magnitude and guarantees nothing."""
        return self.constants is not Constants.PRINTED


CERTIFIED, NOTHING = Kind(Section.CERTIFIED), Kind(Section.NOTHING)
