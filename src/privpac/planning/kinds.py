"""The kinds of numbers in a plan: how far each can be trusted."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Section(Enum):
    """The sections of a plan, in order."""

    CERTIFIED = "certified"
    NOTHING = "no certificate"
    PUBLISHED = "published"
    LOWER = "lower bound"


class Constants(Enum):
    """Whether the paper prints all constants of a bound; hidden ones are set to 1."""

    PRINTED = ""
    HIDDEN = "O-constants = 1"
    HIDDEN_BELOW = "Ω-constant = 1"


@dataclass(frozen=True)
class Kind:
    """The kind of a number.

    ``regime`` is that of a bound, if it differs from the plan's. ``within`` says with which rules of the class a
    certificate compares, if not with all: ``with margin 1.5``.

    >>> print(Kind(Section.CERTIFIED, within="with margin 1.5"))
    certified with margin 1.5
    >>> print(Kind(Section.PUBLISHED, Constants.HIDDEN, "realizable"))
    published, O-constants = 1 (realizable)
    """

    section: Section
    constants: Constants = Constants.PRINTED
    regime: str | None = None
    within: str = ""

    def __str__(self) -> str:
        constants = f", {self.constants.value}" if self.hidden else ""
        within = f" {self.within}" if self.within else ""
        return f"{self.section.value}{within}{constants}{f' ({self.regime})' if self.regime else ''}"

    @property
    def certified(self) -> bool:
        """Whether a certificate proves the number."""
        return self.section is Section.CERTIFIED

    @property
    def hidden(self) -> bool:
        """Whether some constants are hidden; the number then shows only an order of magnitude."""
        return self.constants is not Constants.PRINTED


CERTIFIED, NOTHING = Kind(Section.CERTIFIED), Kind(Section.NOTHING)
