"""Half-spaces without a margin: public records measure how few records any half-space of a net treats differently.

[MT07]  docs/references.bib        proof: docs/proofs/public_records.md

Throughout this file
    W, B      the net of normals, and the biases of each, as in ``privpac.learners.half_spaces.nets``
    c         a public point: the median of every tenth public record; the other public records are counted
    ρ_w(x)    how far w'·(x − c) may be from w·(x − c), where w' is a normal whose nearest one in the net is w
"""

from __future__ import annotations

from functools import lru_cache
from math import log
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from privpac.classes.concept_class import ConceptClass
from privpac.classes.finite.public_records import PublicRecords, WithPublic
from privpac.classes.hypothesis import Hypothesis
from privpac.classes.vectors.half_spaces import HalfSpaces
from privpac.learners.audit_cases import FEW, Universe
from privpac.learners.half_spaces.nets import NetRules, net
from privpac.learners.public.covers import PublicLearner, share_above
from privpac.mechanisms.algorithm import Ask
from privpac.mechanisms.selection.exponential import Exponential
from privpac.privacy.ledger import Records

FINENESS = {1: 1, 2: 256, 3: 32, 4: 10}  # the largest coefficient of the normals in d dimensions
MOST_DIMENSIONS = max(FINENESS)
WIDEST = 2**32  # sides for which 64-bit integers hold every number below
CENTERING = 10  # every tenth public record decides c
MOST_COUNTED = 2**11  # public records that are counted
AT_ONCE = 2**18  # numbers that are sorted at a time


class PublicNetLearner(PublicLearner):
    """Learn a half-space in up to four dimensions: public records certify a net, without a margin.

    Privacy   ε, for all inputs, public ones too: public records, Theorem 1
    Utility   noisy labels or not, no margin: public records, Theorem 4
    Time      a projection and a count of the records for each direction: some thousands

    >>> from privpac import PrivateClassifier
    >>> rng = np.random.default_rng(0)
    >>> X, public = rng.integers(0, 1000, (4000, 2)), rng.integers(0, 1000, (500, 2))
    >>> clf = PrivateClassifier(HalfSpaces(2, 1000), epsilon=1, public=public).fit(X, 3 * X[:, 0] >= 2 * X[:, 1])
    >>> print(clf.learner_.name, clf.guarantee_.utility.alpha < 0.1)
    PublicNetLearner True
    """

    title: ClassVar[str] = "exponential mechanism over a net that public records certify"
    theorem: ClassVar[str] = "public records, Theorem 4"
    audited: ClassVar[tuple[Universe, ...]] = (
        Universe(
            WithPublic(HalfSpaces(1, 3), PublicRecords.of([(0,), (1,), (2,)] * 20)), "3 points of a line", ((2,),), FEW
        ),
    )

    @classmethod
    def _supports(cls, concept_class: ConceptClass) -> bool:
        assert isinstance(concept_class, WithPublic)
        H, known = concept_class.concept_class, bool(concept_class.public.points)
        return known and isinstance(H, HalfSpaces) and H.dim in FINENESS and H.side <= WIDEST

    def run(self, records: Records, ask: Ask) -> Hypothesis:
        rules = net_rules(self.half_spaces)
        return rules.rule(ask(Exponential(self.cost), records.see(rules.scores)))

    @property
    def half_spaces(self) -> HalfSpaces:
        return cast(HalfSpaces, self.concept_class.concept_class)

    @property
    def log_candidates(self) -> float:
        return log(net_rules(self.half_spaces).size)

    def uncovered(self, chance: float) -> float:
        return share_above(*most_undecided(self.concept_class), chance)


@lru_cache(maxsize=8)
def net_rules(H: HalfSpaces) -> NetRules:
    """The candidates; they do not depend on public records."""
    return NetRules(net(H.dim, FINENESS[H.dim]), H.side)


@lru_cache(maxsize=8)
def most_undecided(concept_class: WithPublic) -> tuple[int, int]:
    """The most counted public records on which a half-space and its candidate differ, and how many are counted."""
    H = cast(HalfSpaces, concept_class.concept_class)
    rules, X = net_rules(H), np.array(concept_class.public.points, dtype=np.int64)
    centering = np.arange(len(X)) % CENTERING == CENTERING - 1
    c = np.median(X[centering], axis=0).astype(np.int64) if centering.any() else np.full(H.dim, H.side // 2)
    X = X[~centering][:MOST_COUNTED] - c
    reach = 16 * H.dim * FINENESS[H.dim] * H.side
    kind = np.int32 if reach < 2**31 else np.int64
    W, step, X = rules.normals.astype(kind), rules.step.astype(kind), X.astype(kind)
    most, rows = 0, max(AT_ONCE // (2 * len(X)), 1)
    for i in range(0, len(W), rows):
        most = max(most, _most_undecided(W[i : i + rows], step[i : i + rows], X))
    return most, len(X)


def _most_undecided(W: NDArray[Any], step: NDArray[Any], X: NDArray[Any]) -> int:
    """For some normals: the most of the intervals [u − max(ρ, step − 1), u + ρ] that share a point.

    All numbers are doubled, so they are integers. An interval that begins where another one ends shares that point.
    """
    apart = np.abs(X)
    largest = np.abs(W) == np.abs(W).max(axis=1, keepdims=True)
    # The least |x − c| among the coordinates where |w| is largest: one of them is as large in w'.
    unchanged = np.full((len(W), len(X)), apart.max(initial=0), dtype=X.dtype)
    for i in range(W.shape[1]):
        np.minimum(unchanged, apart[:, i], out=unchanged, where=largest[:, i, None])
    u, ρ = 2 * (W @ X.T), apart.sum(axis=1, dtype=X.dtype) - unchanged  # both doubled
    starts, ends = u - np.maximum(ρ, 2 * (step[:, None] - 1)), u + ρ
    events = np.concatenate([2 * starts, 2 * ends + 1], axis=1)  # an odd number is an end; it sorts after a start
    events.sort(axis=1)
    return int(np.cumsum(1 - 2 * (events & 1), axis=1, dtype=np.int32).max(initial=0))
