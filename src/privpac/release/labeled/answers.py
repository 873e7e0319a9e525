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

    The ``gap`` of a subclass is the largest error of TP, FN, FP, TN, and the numbers of flagged and unflagged records
    of all rules; if ``joint``, also of the numbers of wrong and right labels. Each of these counts the records in a
    set of pairs of a value and a label, so substituting one record changes it by at most 1.
    """

    classes: Classes  # negative, positive
    label: str  # the name of the column of labels, for tables

    @property
    def joint(self) -> bool:
        """Whether the gap also bounds the errors of the numbers of wrong and right labels."""
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
class LabelFields:
    """The fields that a sanitizer of labeled records adds: (negative, positive), and the name of the labels' column."""

    classes: Classes = ()
    label: str = "label"
    theorem: ClassVar[str] = "labeled release, Theorem 1"

    @property
    def records_in_engine(self) -> Any:
        """None: labels and values are counted together, here."""
        return None


def largest_gap(answered: Outcomes, true: Outcomes, *, joint: bool = True) -> int:
    """The largest error of TP, FN, FP, TN, of the flagged and the unflagged; if ``joint``, of the wrong and the right.

    >>> zero = np.zeros(1, dtype=np.int64)
    >>> largest_gap(Outcomes(zero + 1, zero, zero + 1, zero), Outcomes(zero, zero, zero, zero))
    2
    """
    tp, fn, fp, tn = (a - b for a, b in zip(answered, true, strict=True))
    errors = [tp, fn, fp, tn, tp + fp, fn + tn, *([fp + fn, tp + tn] if joint else [])]
    return max(int(np.abs(each).max(initial=0)) for each in errors)
