"""Answers about labeled records: noisy outcomes of every rule of a class.

proof: docs/proofs/labeled_release.md
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from privpac.classes.hypothesis import Hypothesis
from privpac.data.values.allowed_types import missing
from privpac.release.labeled.rates import Outcomes
from privpac.release.sanitizer import Answers

Classes = tuple[Hashable, ...]


class LabeledAnswers(Answers):
    """Outcomes of every rule of a class, as whole numbers; ``count`` is how many records a rule flags.

    Subclasses measure as their ``gap`` the largest error of all TP, FN, FP, TN, and flagged or unflagged records; if
    ``joint``, also of all records that are labeled wrongly or rightly. Each of these counts the records in a set of
    pairs of a value and a label, so substituting one record changes it by at most 1.
    """

    classes: Classes  # negative, positive
    label: str  # the name of the column of labels, for tables

    @property
    def joint(self) -> bool:
        """Whether the gap is also that of the numbers of wrong labels."""
        return True

    @abstractmethod
    def outcomes(self, rule: Hypothesis) -> Outcomes:
        """The outcomes of a rule, one entry each; Refused if it is not a rule of the class."""

    @abstractmethod
    def every(self) -> Outcomes:
        """The outcomes of all rules, or of those among which ``best`` chooses."""

    @abstractmethod
    def rule(self, i: int) -> Hypothesis:
        """The rule with entry i in ``every``."""

    def count(self, query: Hypothesis) -> int:
        return int(self.outcomes(query).flagged[0])

    def _check_labels(self) -> None:
        if len(self.classes) != 2 or self.classes[0] == self.classes[1] or any(map(missing, self.classes)):
            raise ValueError("classes must be two different labels, (negative, positive)")


@dataclass(frozen=True)
class OfLabels:
    """What a sanitizer has beside others if records have labels, (negative, positive), in a column of this name."""

    classes: Classes = ()
    label: str = "label"
    theorem: ClassVar[str] = "labeled release, Theorem 1"

    @property
    def records_in_engine(self) -> Any:
        """None: labels and values are counted together, here."""
        return None


def largest_gap(answered: Outcomes, true: Outcomes, *, joint: bool = True) -> int:
    """The largest error of the four counts, of those of flagged and unflagged records, and of wrong and right ones.

    >>> zero = np.zeros(1, dtype=np.int64)
    >>> largest_gap(Outcomes(zero + 1, zero, zero + 1, zero), Outcomes(zero, zero, zero, zero))
    2
    """
    tp, fn, fp, tn = (a - b for a, b in zip(answered, true, strict=True))
    errors = [tp, fn, fp, tn, tp + fp, fn + tn, *([fp + fn, tp + tn] if joint else [])]
    return max(int(np.abs(each).max(initial=0)) for each in errors)
