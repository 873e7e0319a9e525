"""[GGKM21, Thm 6.6, App. C] as a reduction: a private learner of the queries is the discriminator of the game.

[GGKM21] [BLM20]  docs/references.bib      corrections: docs/errata/GGKM21.md      proof: docs/proofs/ggkm21_proper.md

Throughout this file, as in ``sanitizer``, and
    A      the learner of the queries, for any labels: error at most α_A above the best with probability 1 − β_A
    m      how many of the n records each run of A is given, drawn with replacement
    side   the label that real records get; synthetic ones get the opposite. With True, A learns a query that holds more
           often of real records than of synthetic ones, and with False less often
    rule   the labels of a learned query on the points        kinds    for each record, the number of its point
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from math import ceil, floor, log
from typing import Any, ClassVar

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from privpac.classes.finite.explicit import ExplicitClass
from privpac.classes.hypothesis import Labels
from privpac.data.values.equal_values import hashables
from privpac.exact.entropy import Entropy
from privpac.mechanisms.algorithm import FREE, Algorithm, Ask, Coin, Uniform
from privpac.mechanisms.selection.exponential import Exponential
from privpac.papers.abms20.agnostic import goals
from privpac.papers.abms20.closure import as_hypothesis
from privpac.papers.abms20.relabeling import check_base
from privpac.papers.abms20.subsampling import redrawn_share
from privpac.papers.ggkm21.sanitizer import FoolingGame
from privpac.papers.paper_learner import PaperLearner
from privpac.privacy.accounting.composition import optimal_at_delta
from privpac.privacy.budget import Budget, Number, as_count, as_rational
from privpac.privacy.ledger import Mechanism
from privpac.privacy.rounding import PRECISION, ball

HALF = Fraction(1, 2)
SIDES = (True, False)
USES = 3  # releases in a round: a hypothesis for each side, and the choice between the two


@dataclass(frozen=True)
class SyntheticRecord(Mechanism):
    """A record by the generator's weights, which are public.

    >>> {z: round(float(p), 2) for z, p in SyntheticRecord((1, 0, 3)).law(None).items()}
    {0: 0.25, 1: 0.0, 2: 0.75}
    """

    weights: tuple[int, ...]
    cost: Budget = FREE
    name: ClassVar[str] = "a synthetic record"
    theorem: ClassVar[str] = "no record is seen"

    @cached_property
    def _ends(self) -> list[int]:
        return list(accumulate(self.weights))

    def release(self, data: Any, coins: Entropy) -> int:
        return bisect_right(self._ends, coins.below(self._ends[-1]))

    def law(self, data: Any) -> dict[int, arb]:
        with ctx.workprec(PRECISION):
            total = sum(self.weights)
            return {z: ball(Fraction(weight, total)) for z, weight in enumerate(self.weights)}


@dataclass(frozen=True)
class Fooled:
    """The released queries, by their labels on the points, and the synthetic distribution, as in ``Synthetic``."""

    plays: tuple[tuple[tuple[bool, ...], int], ...]
    shares: tuple[float, ...]
    regret: float

    def estimates(self, queries: ExplicitClass) -> dict[Any, float]:
        """Est, the answer to each query: its probability under the synthetic distribution."""
        answers = queries.matrix_on(queries.points) @ np.array(self.shares)
        return dict(zip(queries.concepts, answers.tolist(), strict=True))


@dataclass(frozen=True)
class FoolingByLearner(Algorithm):
    """T rounds of Hedge against a private learner that tells records from synthetic ones.

    ``learner`` learns ``queries`` from any labels, properly or improperly. Nobody can check that it does so; privacy
    does not depend on it. Each run draws a ``share`` of the n records with replacement, and replaces about half of what
    it draws by synthetic records. ``delta`` is the δ of the whole game.

    Privacy   (ε, δ) for all inputs: ggkm21 proper, Theorem 8
    Utility   all queries within α with probability 1 − β from N or more records, whatever they are: Theorem 9

    >>> from privpac.papers.abms20 import PrivateAgnostic
    >>> from privpac.papers.bbkn14 import PrivateOccam
    >>> Q = ExplicitClass([[0, 0, 1], [0, 1, 1], [1, 1, 1]], points="abc")
    >>> A = PrivateAgnostic(PrivateOccam(Q, Budget(1), 0.01, 1e-5, "tight"), Q, 0.05, 1e-4, "tight")
    >>> game = FoolingByLearner(Q, A, 0.4, 0.05, share=Fraction(1, 300), rounds=30, delta=1e-6)
    >>> print(game.cost, A.N, game.N, sep="; ")
    ε = 0.985173, δ = 1e-06; 264510; 79353000
    """

    queries: ExplicitClass
    learner: PaperLearner
    alpha: Fraction
    beta: Fraction = Fraction(1, 20)
    share: Number = Fraction(1, 100)
    rounds: int = 50
    delta: Number = 0
    name: ClassVar[str] = "fooling game by a learner"
    theorem: ClassVar[str] = "ggkm21 proper, Theorem 8"

    def __post_init__(self) -> None:
        check_base(self.learner, self.queries)
        as_count(self.rounds, "rounds")
        for field in ("share", "delta", "alpha", "beta"):
            object.__setattr__(self, field, as_rational(getattr(self, field), field))
        _ = self.generator, self.cost  # what is impossible fails here, before anything is spent

    @cached_property
    def generator(self) -> FoolingGame:
        """The game whose generator this is; its discriminator never runs."""
        return FoolingGame(self.queries, Budget(1), self.alpha, self.beta, self.rounds)

    @cached_property
    def use(self) -> Budget:
        """The cost of one hypothesis, which also bounds the cost of the choice between the two."""
        return redrawn_share(self.learner.cost, self.share)

    @cached_property
    def cost(self) -> Budget:  # type: ignore[override]
        return optimal_at_delta(self.use, USES * self.rounds, self.delta)

    @property
    def N(self) -> int | None:  # noqa: N802  (the paper's letter)
        """How many records are enough; None if T rounds, or what the learner promises, are too little for α."""
        (α_A, β_A), T = map(float, goals(self.learner)), self.rounds
        spare, β = float(self.alpha) - self.generator.hedge_regret - 2 * α_A, float(self.beta) - 2 * T * β_A
        if self.learner.N is None or spare <= 0 or β <= 0:
            return None
        slack = 2 * log(2 * T / β) / float(self.use.epsilon) + 1
        return max(ceil(slack / spare), ceil(self.learner.N / Fraction(self.share)))

    def sample_size(self, n: int) -> int:
        """m, for n records."""
        return floor(Fraction(self.share) * n)

    def check(self, data: Sequence[Any]) -> NDArray[np.intp]:
        """For each record, the number of its point: records that no query tells apart have the same."""
        records, m = hashables(list(data), "records"), self.sample_size(len(data))
        self.queries.domain.points(records)
        if m < 1:
            raise ValueError(f"give at least {ceil(1 / Fraction(self.share))} records: of fewer, none is drawn")
        self.learner.check(((self.queries.points[0], True),) * m)  # what it refuses depends on m, not on the points
        return np.asarray(self.queries.columns(records), dtype=np.intp)

    def run(self, kinds: NDArray[np.intp], ask: Ask) -> Fooled:
        size = len(self.queries.points)
        losses, shares, regret = np.zeros(size, dtype=np.int64), np.zeros(size), 0.0
        plays = []
        for _ in range(self.rounds):
            p = self.generator.weights(losses)
            rules = [self.hypothesis(kinds, p, side, ask) for side in SIDES]
            chosen = ask(Exponential(Budget(self.use.epsilon)), self.scores(rules, kinds, p))
            q, s = rules[chosen], -1 if SIDES[chosen] else 1  # s as in ``sanitizer``: −1 if p answers q with too little
            loss = (q if s == 1 else ~q).astype(np.int64)
            losses += loss
            plays.append((tuple(q.tolist()), s))
            shares += p / p.sum()
            regret += float(loss @ p) / float(p.sum())
        return Fooled(tuple(plays), tuple((shares / self.rounds).tolist()), (regret - int(losses.min())) / self.rounds)

    def hypothesis(self, kinds: NDArray[np.intp], p: NDArray[np.int64], side: bool, ask: Ask) -> Labels:
        """The labels of what A learns from m records, each of them real or, by a coin, synthetic."""
        points, drawn, examples = self.queries.points, SyntheticRecord(tuple(p.tolist())), []
        for _ in range(self.sample_size(len(kinds))):
            real, record = ask(Coin(HALF), None), kinds[ask(Uniform(len(kinds)), None)]
            synthetic = ask(drawn, None)
            examples.append((points[record if real else synthetic], side if real else not side))
        return np.asarray(as_hypothesis(ask(self.learner, tuple(examples)))(list(points)), dtype=bool)

    def scores(self, rules: list[Labels], kinds: NDArray[np.intp], p: NDArray[np.int64]) -> list[int]:
        """For each rule, how many more of n real than of n synthetic records satisfy it; fewer, for the side False."""
        real = [int(q[kinds].sum()) for q in rules]
        inside = np.array([int(p[q].sum()) for q in rules])
        synthetic = self.generator.whole_counts(inside, int(p.sum()), len(kinds)).tolist()
        return [r - s if side else s - r for r, s, side in zip(real, synthetic, SIDES, strict=True)]
