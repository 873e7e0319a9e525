"""A dimension: lower and upper bounds, a witness that proves one of them, and a reason for the other."""

from __future__ import annotations

from dataclasses import dataclass
from pkgutil import resolve_name
from typing import Any

from privpac.classes.concept_class import ConceptClass
from privpac.classes.finite.explicit import ClassOrMatrix


@dataclass(frozen=True)
class Dimension:
    """A dimension between ``lower``, which the ``witness`` proves, and ``upper``, which holds for the ``reason`` given.

    For irreducibility, the witness proves the upper bound. If a closed form is known, the reason is a theorem and the
    witness is None.

    >>> print(Dimension("Littlestone", 14, 15, None, "time limit"))
    Littlestone dimension between 14 and 15 (time limit)
    """

    kind: str
    lower: int | float
    upper: int | float
    witness: Any
    reason: str

    def __post_init__(self) -> None:
        if not self.lower <= self.upper:
            raise ValueError("the lower bound exceeds the upper bound")

    @property
    def exact(self) -> bool:
        """Whether the bounds meet."""
        return self.lower == self.upper

    @property
    def value(self) -> int | float:
        """The dimension; ValueError if only bounds are known."""
        if not self.exact:
            raise ValueError(f"only bounds are known: {self}; allow more time, or use lower and upper")
        return self.lower

    def __str__(self) -> str:
        number = f"{self.lower}" if self.exact else f"between {self.lower} and {self.upper}"
        kind = self.kind if self.kind == "irreducibility" else f"{self.kind} dimension"
        return f"{kind} {number} ({self.reason})"

    def _repr_html_(self) -> str:
        """In a notebook: the bounds and a picture of the witness."""
        # The drawing function is looked up by name, because `report` is a higher room.
        view: str = resolve_name("privpac.report.notebook:dimension_view")(self)
        return view


def closed_form(concept_class: ClassOrMatrix, kind: str) -> Dimension | None:
    """The dimension of a class given by a rule, if it is known; a theorem then takes the place of a witness."""
    known = concept_class.known(kind) if isinstance(concept_class, ConceptClass) else None
    return None if known is None else Dimension(kind, known.value, known.value, None, known.why)
