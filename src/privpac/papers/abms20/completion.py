"""[ABMS20, Eq. 17]: the score of a step of Algorithm 5, by a table of all completions or, for cuts and points, without.

[ABMS20]  docs/references.bib        proof: docs/proofs/abms20.md, Theorems 6 and 8

Throughout this file
    G      a boolean function of k bits          h_1, …, h_{i−1}    what earlier steps ``learned``
    H_i    the class of this step                c_{i+1}, …, c_k    concepts of the ``later`` classes
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.classes.concept_class import ConceptClass
from privpac.classes.finite.boolean_functions import Gate
from privpac.classes.hypothesis import Hypothesis, Labels
from privpac.papers.abms20.closed_forms import ClosedForm, ScoredPatterns, has_closed_form
from privpac.papers.abms20.patterns import Patterns
from privpac.papers.paper_learner import Examples

BITS = np.array([False]), np.array([True])


@dataclass(frozen=True)
class CompletionErrors:
    """The score of step i: the errors of a pattern h on D_i, if the later classes complete it as well as they can.

    q(D_i, h) = min over c_{i+1}, …, c_k of the errors of G(h_1, …, h_{i−1}, h, c_{i+1}, …, c_k) on D_i.

    >>> from privpac.classes.finite.boolean_functions import gate
    >>> from privpac.classes.lines.thresholds import Thresholds
    >>> q = CompletionErrors(gate("and", 2), [], [Thresholds(0, 9, direction="above")])
    >>> q(np.array([[True, True], [False, True]]), ((3, True), (7, False)))
    array([1, 1])
    """

    G: Gate
    learned: Sequence[Hypothesis]
    later: Sequence[ConceptClass]

    def __call__(self, rows: Labels, D: Examples) -> NDArray[np.int64]:
        """The scores of patterns that are given as rows, one label for each example."""
        x, y = _columns(D)
        before = [np.asarray(h(x), dtype=bool)[None] for h in self.learned]
        later_patterns = [Patterns.on(H, x) for H in self.later]
        after = [patterns.rows[:, patterns.column] for patterns in later_patterns]
        # Which examples each completion (row) gets wrong if h labels every point 0, and if h labels every point 1.
        wrong_if_0, wrong_if_1 = (
            (self.G.on_rows(*before, np.full((1, len(D)), label), *after) != y).astype(np.int32)
            for label in (False, True)
        )
        # errors[h, completion]: start from the all-0 labels, and correct the count where h is 1.
        errors = wrong_if_0.sum(axis=1) + rows.astype(np.int32) @ (wrong_if_1 - wrong_if_0).T
        return np.asarray(errors.min(axis=1), dtype=np.int64)  # E-ABMS20-7

    def has_closed_form(self, H: ConceptClass) -> bool:
        """Whether the patterns of H can be scored without a table: for cuts and points with one later class or none.

        >>> from privpac.classes.finite.boolean_functions import gate
        >>> from privpac.classes.lines.thresholds import Thresholds
        >>> cuts = Thresholds(0, 9)
        >>> [CompletionErrors(gate("and", 3), [], [cuts] * k).has_closed_form(cuts) for k in (1, 2)]
        [True, False]
        """
        return len(self.later) <= 1 and all(map(has_closed_form, (H, *self.later)))

    def scored(self, H: ConceptClass, points: Sequence[Any], D: Examples) -> ScoredPatterns:
        """The patterns of H on the points of all records, the first of which are D, with their scores."""
        form = ClosedForm.on(H, points)
        x, y = _columns(D)
        before = [np.asarray(h(x), dtype=bool) for h in self.learned]
        if not self.later:
            return ScoredPatterns(form.errors(*_signs(self.G, before, y)), form.labels)
        last = ClosedForm.on(self.later[0], x)
        scores = [
            last.errors(*_signs(self.G, [*before, form.labels(j)[: len(D)]], y)).min() for j in range(form.patterns)
        ]
        return ScoredPatterns(np.array(scores, dtype=np.int64), form.labels)


def _columns(D: Examples) -> tuple[list[Any], Labels]:
    return [x for x, _ in D], np.array([y for _, y in D], dtype=bool)


def _signs(G: Gate, before: list[Labels], y: Labels) -> tuple[int, NDArray[np.int64]]:
    """The errors if the last bit is 0 everywhere, and by how much each example changes them if it is 1."""
    wrong_if_0, wrong_if_1 = ((G(*before, bit) != y).astype(np.int64) for bit in BITS)
    return int(wrong_if_0.sum()), wrong_if_1 - wrong_if_0
