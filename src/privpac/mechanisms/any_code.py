"""Private selection of a set of at most k codes, each borne by a positive record; a record bears at most s codes.

proof: docs/proofs/any_code_learner.md

Throughout this file
    A, err(A)   a set of codes, and the records that "bears any of A" gets wrong; the empty set errs on all P positives
    a           e^(−λ): a set weighs a^|A|·r^(−err(A)), r = e^(ε/2)
    pos(v)      positive records that bear v
    heavy       codes of which all sets B are listed; the others are light, and few of them are ever proposed
    t           Σ pos(v) over the light codes that are proposed: they gain at most t records

Main declarations
    Bearers               which records bear which codes
    AnyCodeExponential    A with probability ∝ a^|A|·r^(−err(A)); (ε, δ)-DP
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import ceil, factorial
from typing import Any, ClassVar, NamedTuple

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from privpac.data.listed import filled_in_order
from privpac.data.sample import Ints, Sample
from privpac.exact.entropy import Entropy
from privpac.exact.samplers import bernoulli_exp
from privpac.exact.weighted import Weights, draw, probabilities
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Mechanism
from privpac.privacy.rounding import ball

FINE = 2**20  # λ is a multiple of 1/FINE, so that its multiples are exact floats


class Node(NamedTuple):
    """A set of codes, and the errors of this set with each later code, or with each pair of later codes."""

    B: tuple[int, ...]
    more: int  # 1 or 2
    errors: Ints

    def at(self, place: int, codes: int) -> tuple[int, ...]:
        """The set at this place among the errors."""
        first = self.B[-1] + 1 if self.B else 0
        if self.more == 1:
            return (*self.B, first + place)
        u, w = (int(each[place]) for each in np.triu_indices(codes - first, 1))
        return (*self.B, first + u, first + w)


@dataclass(frozen=True, eq=False)
class Bearers:
    """Entry i bears the codes ``number[i]``, padded with −1; ``gain`` is its negative minus its positive records.

    Codes that no positive record bears are left out; the others are numbered by pos(v), largest first.
    """

    codes: list[str]
    pos: Ints
    number: NDArray[np.int64]
    gain: Ints
    P: int

    @staticmethod
    def of(sample: Sample) -> Bearers:
        """The records as a learner sees them: points are tuples of codes."""
        m = np.ones(len(sample.labels), dtype=np.int64) if sample.counts is None else sample.counts
        borne: dict[str, int] = {}
        for codes, label, times in zip(sample.points.tolist(), sample.labels.tolist(), m.tolist(), strict=True):
            for code in codes if label else ():
                borne[code] = borne.get(code, 0) + times
        ordered = sorted(borne, key=lambda code: (-borne[code], code))
        place = {code: i for i, code in enumerate(ordered)}
        rows = [[place[code] for code in codes if code in place] for codes in sample.points.tolist()]
        number = np.full((len(rows), max(map(len, rows), default=0)), -1, dtype=np.int64)
        for i, row in enumerate(rows):
            number[i, : len(row)] = row
        pos = np.array([borne[code] for code in ordered], dtype=np.int64)
        return Bearers(ordered, pos, number, np.where(sample.labels, -m, m), sample.positives)

    def errors(self, chosen: tuple[int, ...]) -> int:
        """err of a set of codes."""
        return self.P + int(self.gain[np.isin(self.number, chosen).any(axis=1)].sum())

    def heavy(self, H: int) -> Bearers:
        """The first H codes only, with entries that bear the same of them joined."""
        number = np.sort(np.where(self.number < H, self.number, -1), axis=1)
        some = number.max(axis=1, initial=-1) >= 0
        distinct, where = np.unique(number[some], axis=0, return_inverse=True)
        gain = np.zeros(len(distinct), dtype=np.int64)
        np.add.at(gain, where.reshape(-1), self.gain[some])
        return Bearers(self.codes[:H], self.pos[:H], distinct, gain, self.P)

    def sets(self, k: int) -> Iterator[Node]:
        """All sets of 1 to k codes; those that share all but their last code, or last two, stand together."""
        return self._sets((), self.number, self.gain, self.P, k)

    def _sets(self, B: tuple[int, ...], number: NDArray[np.int64], gain: Ints, errors: int, k: int) -> Iterator[Node]:
        """Those that begin with B; ``number`` and ``gain`` are of the entries that bear no code of B."""
        first = B[-1] + 1 if B else 0
        change = np.zeros(len(self.codes) + 1, dtype=np.int64)  # the padding −1 counts in the last place
        np.add.at(change, number, gain[:, None])
        yield Node(B, 1, errors + change[first:-1])
        if len(B) + 2 == k:
            yield Node(B, 2, errors + _of_pairs(number - first, gain, change[first:-1]))
        elif len(B) + 2 < k:
            for v in range(first, len(self.codes)):
                kept = ~(number == v).any(axis=1)
                yield from self._sets((*B, v), number[kept], gain[kept], errors + int(change[v]), k)


def _of_pairs(number: NDArray[np.int64], gain: Ints, change: Ints) -> Ints:
    """The change of errors by each pair u < w of codes; an entry that bears both counts once. Rows are in order."""
    h = len(change)
    both = np.zeros(h * h, dtype=np.int64)
    for i, j in combinations(range(number.shape[1]), 2):
        u, w = number[:, i], number[:, j]
        there = u >= 0
        np.add.at(both, u[there] * h + w[there], gain[there])
    u, w = np.triu_indices(h, 1)
    pairs: Ints = change[u] + change[w] - both[u * h + w]
    return pairs


class LightProposal(NamedTuple):
    """A set of b heavy codes with so many errors, and m light codes, one after another, with Σ pos = t."""

    b: int
    errors: int
    m: int
    t: int


@dataclass(frozen=True, eq=False)
class Envelope:
    """Weights that bound those of all sets from above, with a proposal for each: each light code gains pos(v)."""

    bearers: Bearers
    H: int
    k: int
    rate: Any
    log_a: float

    @cached_property
    def heavy(self) -> Bearers:
        """The heavy codes."""
        return self.bearers.heavy(self.H)

    @cached_property
    def listed(self) -> list[dict[int, int]]:
        """For each b, errors → the number of sets of b heavy codes."""
        found: list[dict[int, int]] = [{self.bearers.P: 1}, *({} for _ in range(self.k))]
        for node in self.heavy.sets(self.k):
            values, counts = np.unique(node.errors, return_counts=True)
            into = found[len(node.B) + node.more]
            for e, count in zip(values.tolist(), counts.tolist(), strict=True):
                into[e] = into.get(e, 0) + count
        return found

    @cached_property
    def sequences(self) -> list[dict[int, int]]:
        """For each m, t → the number of sequences of m light codes, with repetitions."""
        values, counts = np.unique(self.bearers.pos[self.H :], return_counts=True)
        one = dict(zip(values.tolist(), counts.tolist(), strict=True))
        found = [{0: 1}]
        for _ in range(self.k):
            more: dict[int, int] = {}
            for t, p in ((t, p) for t in found[-1] for p in one):
                more[t + p] = more.get(t + p, 0) + found[-1][t] * one[p]
            found.append(more)
        return found

    @cached_property
    def proposals(self) -> list[LightProposal]:
        """All of them."""
        return [
            LightProposal(b, e, m, t)
            for b in range(self.k + 1)
            for m in range(self.k - b + 1)
            for e in self.listed[b]
            for t in self.sequences[m]
        ]

    @cached_property
    def weights(self) -> Weights:
        """k!·(the weight of a proposal), where each of the m! orders of the light codes has an equal part."""
        scores = [t - e for _, e, _, t in self.proposals]
        orders = [factorial(self.k) // factorial(m) for m in range(self.k + 1)]
        counts = [self.listed[b][e] * self.sequences[m][t] * orders[m] for b, e, m, t in self.proposals]
        priors = [self.log_a * (b + m) for b, _, m, _ in self.proposals]
        return Weights(scores, self.rate, np.array(counts, dtype=object), priors)

    def propose(self, coins: Entropy) -> tuple[tuple[int, ...], int]:
        """A set, and how many errors more it has than its weight was computed for; −1 if a light code repeats."""
        b, e, m, t = self.proposals[draw(self.weights, coins)]
        B = self._member(b, e, coins.below(self.listed[b][e]))
        E = self._sequence(m, t, coins)
        if not m:
            return B, 0
        return (*B, *E), self.bearers.errors((*B, *E)) - e + t if len(set(E)) == m else -1

    def _member(self, b: int, e: int, place: int) -> tuple[int, ...]:
        """The set of b heavy codes with e errors at this place."""
        for node in self.heavy.sets(b) if b else ():
            if len(node.B) + node.more == b:
                there = np.flatnonzero(node.errors == e)
                if place < len(there):
                    return node.at(int(there[place]), self.H)
                place -= len(there)
        return ()

    def _sequence(self, m: int, t: int, coins: Entropy) -> tuple[int, ...]:
        """A uniform one of the sequences of m light codes with Σ pos = t."""
        chosen = []
        for left in range(m, 0, -1):
            place = coins.below(self.sequences[left][t])
            for p, codes in self._by_pos.items():
                rest = self.sequences[left - 1].get(t - p, 0)
                if place < len(codes) * rest:
                    chosen.append(int(codes[place // rest]))
                    t -= p
                    break
                place -= len(codes) * rest
        return tuple(chosen)

    @cached_property
    def _by_pos(self) -> dict[int, NDArray[np.intp]]:
        """The light codes by pos."""
        light = self.bearers.pos[self.H :]
        return {int(p): self.H + np.flatnonzero(light == p) for p in np.unique(light)}


@dataclass(frozen=True)
class AnyCodeExponential(Mechanism):
    """A set A of at most k codes with probability ∝ a^|A|·r^(−err(A)), r·((1 + a)^s − 1) ≤ δ/(1 − δ); (ε, δ)-DP.

    >>> from privpac.exact.entropy import SYSTEM
    >>> points = np.array([("J10",), ("E11", "J10"), ("E11",)], dtype=object)
    >>> sample = Sample(points, np.array([True, True, False]), np.array([90, 90, 200]), 380)
    >>> sorted(AnyCodeExponential(Budget(1, 1e-6), 2, 2).release(Bearers.of(sample), SYSTEM))
    ['J10']
    """

    cost: Budget
    k: int
    s: int
    name: ClassVar[str] = "exponential over sets of codes"
    theorem: ClassVar[str] = "any code learner, Theorem 1"

    @property
    def log_a(self) -> float:
        """−λ, rounded down to a multiple of 1/FINE."""
        with ctx.workprec(128):
            odds = ball(self.cost.delta / (1 - self.cost.delta)) / ball(self.cost.epsilon / 2).exp()
            λ = -((odds.log1p() / self.s).expm1().log())
            return -ceil(float((λ * FINE).upper()) + 2**-10) / FINE

    def envelope(self, data: Bearers) -> Envelope:
        """Codes are light as long as together they weigh at most about 1; any other choice gives the same law."""
        gains = np.minimum(data.pos * float(self.cost.epsilon / 2) + self.log_a, 50.0)
        light = int(np.searchsorted(np.cumsum(np.exp(gains)[::-1]), 1.0))
        return Envelope(data, len(data.codes) - light, self.k, self.cost.epsilon / 2, self.log_a)

    def release(self, data: Bearers, coins: Entropy) -> frozenset[str]:
        envelope = self.envelope(data)
        while True:
            chosen, more = envelope.propose(coins)
            if more >= 0 and bernoulli_exp(envelope.rate * more, coins):
                return filled_in_order(data.codes[v] for v in chosen)  # in no order that records decide

    def law(self, data: Bearers) -> dict[Any, arb]:
        """The probability of every set, listed one by one. For small data."""
        sets = [A for i in range(self.k + 1) for A in combinations(range(len(data.codes)), i)]
        scores, priors = [-data.errors(A) for A in sets], [self.log_a * len(A) for A in sets]
        chances = probabilities(Weights(scores, self.cost.epsilon / 2, log_prior=priors))
        return {frozenset(data.codes[v] for v in A): p for A, p in zip(sets, chances, strict=True)}
