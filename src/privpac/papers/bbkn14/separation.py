"""[BBKN14, §6]: proper learning takes more examples if it must be fast. A demonstration.

The theorem assumes a pseudorandom generator: no fast program tells its values from uniform ones. Nobody has proved that
one exists. Here a keyed hash takes its place; it is believed to be one as long as 2^ℓ is too large to try all
seeds. At sizes that can be run, 2^ℓ is small, so this code shows how the argument works and proves nothing about
speed.

Throughout this file
    d, ℓ      values have d bits, seeds have ℓ     G     the generator: {0, 1}^ℓ → {0, …, 2^d − 1}
    c_j       x = j                                POINT^    the c_j with j = G(r) for some seed r, at most 2^ℓ
    m         the number of examples               D_j   m times the example (j, 1)
    η         the advantage of a fast program over guessing, when it tells G(r) from uniform values
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from math import ceil, exp, log
from typing import ClassVar

from privpac.classes.values.points import OneOf, Points
from privpac.data.domains.line import Line
from privpac.exact.entropy import Entropy, entropy
from privpac.mechanisms.algorithm import Ask
from privpac.mechanisms.selection.exponential import Exponential
from privpac.papers.bbkn14.occam import comparison_size, store_goal_as_fractions
from privpac.papers.paper_learner import Examples, PaperLearner
from privpac.privacy.budget import Budget, Number, as_count

MOST_BITS = 512  # bits of one hash


@dataclass(frozen=True)
class Generator:
    """G_d: the keyed BLAKE2b hash of an ℓ-bit seed, as a number of d bits.

    >>> G = Generator(d=40, ell=8, key=b"example")
    >>> G(0) == Generator(40, 8, b"another")(0), len(G.image) <= 2**8, max(G.image) < 2**40
    (False, True, True)
    """

    d: int
    ell: int
    key: bytes

    def __post_init__(self) -> None:
        if not isinstance(self.key, bytes) or len(self.key) > MOST_BITS // 8:
            raise TypeError(f"write Generator(d, ell, key): two numbers, and a key of at most {MOST_BITS // 8} bytes")
        for name in ("d", "ell"):
            object.__setattr__(self, name, as_count(getattr(self, name), name))
        if not self.ell <= self.d <= MOST_BITS:
            raise ValueError(f"d and ell must satisfy 1 ≤ ell ≤ d ≤ {MOST_BITS}")

    def __call__(self, r: int) -> int:
        if not 0 <= r < 2**self.ell:
            raise ValueError("a seed must be a number from 0 to 2^ell − 1")
        digest = blake2b(r.to_bytes(-(-self.ell // 8), "big"), key=self.key, digest_size=-(-self.d // 8)).digest()
        return int.from_bytes(digest, "big") >> -self.d % 8

    @cached_property
    def image(self) -> frozenset[int]:
        """All values of G. This takes 2^ℓ hashes: that is what "slow" means here."""
        return frozenset(map(self, range(2**self.ell)))


@dataclass(frozen=True)
class HatPointLearner(PaperLearner):
    """c_j with probability ∝ e^(−ε·errors/2), over the values j of G: a proper learner of POINT^.

    Privacy   ε, for all inputs: bbkn14, Theorem 21
    Utility   error ≤ α with probability ≥ 1 − β with N examples or more: bbkn14, Theorem 2
    Time      2^ℓ hashes

    >>> G = Generator(d=64, ell=10, key=b"example")
    >>> learner = HatPointLearner(G, Budget(1), 0.1, 0.05)
    >>> learner.N, learner.learn([G(5)] * 300, [1] * 300, rng=1) == Points().hypothesis(G(5))
    (248, True)
    """

    generator: Generator
    cost: Budget
    alpha: Number
    beta: Number
    name: ClassVar[str] = "exponential mechanism over the values of a generator"
    theorem: ClassVar[str] = "bbkn14, Theorem 21"

    def __post_init__(self) -> None:
        store_goal_as_fractions(self)

    @property
    def domain(self) -> Line:
        return Line(0, 2**self.generator.d - 1)

    @property
    def N(self) -> int:  # noqa: N802  (the paper's letter)
        """(ℓ·ln 2 + ln(1/β)) over −ln(1 − α(1 − 1/r)), r = e^(ε/2), rounded up."""
        α, β, ε = float(self.alpha), float(self.beta), float(self.cost.epsilon)
        return comparison_size(2**self.generator.ell, 0.0, α, β, ε)

    def run(self, data: Examples, ask: Ask) -> OneOf:
        candidates, counts = sorted(self.generator.image), Counter(data)
        # Minus the errors of c_j, up to a constant: c_j differs from the all-0 function at j alone.
        scores = [counts[j, True] - counts[j, False] for j in candidates]
        return Points().hypothesis(candidates[ask(Exponential(self.cost), scores)])


def accepts(learner: PaperLearner, j: int, m: int, rng: Entropy | int | None = None) -> bool:
    """Whether ``learner`` returns c_j on D_j. If it is fast, this distinguishes values of G from uniform j.

    >>> G = Generator(d=64, ell=4, key=b"example")
    >>> learner = HatPointLearner(G, Budget(1), 0.1, 0.05)
    >>> accepts(learner, G(3), 200, rng=1), accepts(learner, 2**63, 200, rng=1)
    (True, False)
    """
    released = learner.release(learner.check([(j, 1)] * m), entropy(rng))
    return bool(released == Points().hypothesis(j))


def acceptance(size: int, m: int, epsilon: float) -> float:
    """Pr[c_j on D_j] for the exponential mechanism over |H| = ``size`` rules with c_j: 1/(1 + (|H| − 1)e^(−εm/2)).

    >>> round(acceptance(2**64, 100, 1), 4), round(acceptance(2**10, 100, 1), 4)
    (0.9965, 1.0)
    """
    return 1 / (1 + (size - 1) * exp(-epsilon * m / 2))


def fast_needs(d: int, beta: float, epsilon: float, advantage: float = 0.0) -> int:
    """ln((2^d − 1)(1 − β − η)/(β + η))/ε: with fewer examples, no fast, pure learner of rules x = j succeeds.

    A fast learner of POINT^ with failure β returns c_j on D_j for at least 1 − β − η of all j, because it would tell G
    from uniform values otherwise. With fewer examples, privacy excludes that.

    >>> fast_needs(64, 0.05, 1), fast_needs(1024, 0.05, 1)
    (48, 713)
    """
    failure = beta + advantage
    if not (0 < failure < 1 and epsilon > 0 and d > 0):
        raise ValueError("beta + advantage must lie strictly between 0 and 1, epsilon and d must be positive")
    # The factor 1 − 1e-12 is for rounding: the bound must not come out too large.
    return max(ceil((log(2**d - 1) + log(1 / failure - 1)) / epsilon * (1 - 1e-12)), 1)  # E-BBKN14-17
