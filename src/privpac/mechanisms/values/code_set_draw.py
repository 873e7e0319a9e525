"""An exact draw among all sets of at most k codes that lists only the sets it must.

proof: docs/proofs/any_code_learner.md, Lemma 1

All sets are divided into cells. The weights in a cell are bounded from above by those of a product, from which a set is
proposed. It is accepted with probability (its weight)/(its share of the bound). If it is rejected, all sets of its cell
that begin with the same code become a cell of their own, with a closer bound, and the draw starts anew.

Throughout this file
    A, a       a set of codes, numbers v of code_bearers; it weighs a^|A|·r^(−err(A)), r = e^rate
    err(A)     the errors of the rule that labels 1 the records that bear a code of A
    k, s       the most codes of a set, and the most codes that a record bears
    heavy      codes that cells list one by one; the others are light, and weigh little together
    H          the number of heavy codes
    B          the codes that all sets of a cell share; counts of a cell are of records that bear none of them
    m          the number of codes, apart from B, of each set of the cell
    σ(v)       a bound on what code v gains a set, positive minus negative records: see CodeCells.gains
    x(v)       r^(σ(v) − top), at most 1, where top is the largest σ; X is the sum of x over all light codes
    G[q][i]    at least the sum of the products of x over all choices of q codes from place i on
    shared     shared[q, v] bounds how many negative records v shares with q rarer codes: see Bearers.shared
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product
from math import ceil, factorial
from typing import NamedTuple

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from privpac.data.samples.sample import Ints
from privpac.exact.biased_coins import single_head
from privpac.exact.entropy import Entropy
from privpac.exact.exponential_weights import STEEPEST, Weights, exponentiate
from privpac.exact.exponential_weights import draw as draw_group
from privpac.mechanisms.values.code_bearers import Bearers
from privpac.privacy.rounding import ball

FINE = 2**20  # logarithms are multiples of 1/FINE, so that their sums are exact floats
MARGIN = 2.0**-16  # exceeds the total float error of the logarithm of a bound
LEAST = 1e-280  # smaller bounds are raised to this, which is far from underflow
SHARES = 2.0**50  # the number of shares of a whole
NO_CODES = -(2**40)  # the largest σ if there are no codes: below every σ

Floats = NDArray[np.float64]


def powers(exponents: Ints, rate: float) -> Floats:
    """r^exponent for exponents ≤ 0; results below e^(−700) are raised to it."""
    t = exponents.astype(np.float64) * rate
    exponentiate(t)
    return t


def shares(weights: Floats, total: float, allowed: NDArray[np.bool_] | bool = True) -> Ints:
    """For each weight, at least (weight/total)·2^50 shares; none where it is not allowed."""
    return np.where(allowed, np.floor(np.where(allowed, weights, 0.0) / total * SHARES).astype(np.int64) + 1, 0)


def draw_place(shares: Ints, coins: Entropy) -> tuple[int, Fraction]:
    """A place with probability ∝ its shares, and this probability."""
    sums = np.cumsum(shares)
    place = int(np.searchsorted(sums, coins.below(int(sums[-1])), side="right"))
    return place, Fraction(int(shares[place]), int(sums[-1]))


class LightCodes(NamedTuple):
    """Light codes: their number, their largest σ, their weight relative to it, and the shares of each."""

    number: int
    top: int
    weight: float
    shares: Ints

    @staticmethod
    def of(gains: Ints, rate: float) -> LightCodes:
        """Light codes with these σ."""
        top = int(gains.max(initial=NO_CODES))
        x = powers(gains - top, rate)
        return LightCodes(len(gains), top, float(x.sum()), shares(x, float(x.sum()) or 1.0))


@dataclass(eq=False)
class Cell:
    """All sets of B and m more codes whose first code is at a place that the cell owns.

    The places are those of the heavy ``codes``, in this order, then one for all light codes. The cell owns the places
    where ``own`` is true, and the last one if ``tail``. ``zeros[i]`` and ``ones[i]`` count the negative and positive
    records that bear codes[i] and none of B; ``errors`` is err(B), and ``left`` the number of positive records that
    bear none of B. ``capped`` and ``divided`` say how the cell is bounded: see CodeCells.gains.
    """

    B: tuple[int, ...]
    m: int
    errors: int
    left: int
    codes: Ints
    zeros: Ints
    ones: Ints
    own: NDArray[np.bool_] = field(default_factory=lambda: np.empty(0, dtype=np.bool_))
    tail: bool = True
    capped: bool = False
    divided: bool = True

    def after(self, place: int) -> tuple[Ints, Ints, Ints]:
        """Codes and counts after this place."""
        return self.codes[place + 1 :], self.zeros[place + 1 :], self.ones[place + 1 :]


class CodeChain(NamedTuple):
    """The weights of products of the codes of a cell; ``tails[q]`` is the weight of all choices of q light codes."""

    x: Floats
    tails: list[float]
    G: list[Floats]
    light: int  # the number of light codes

    def stage(self, q: int, p: int) -> tuple[Floats, NDArray[np.bool_]]:
        """For q more codes from place p on: the weight of choices that begin at each place, and whether any do."""
        weights = np.append(self.x[p:] * self.G[q - 1][p + 1 :], self.tails[q])
        codes_from_here = np.append(np.arange(len(self.x) - p - 1, -1, -1) + self.light + 1, self.light)
        return weights, codes_from_here >= q


class CellBound(NamedTuple):
    """The bound of a cell, r^score·total, without the factors a; ``first`` has the shares of each first code."""

    score: int
    total: float
    chain: CodeChain
    first: Ints


class CodeCells:
    """The division of all sets of at most k of the codes into cells, the first H codes heavy."""

    def __init__(self, bearers: Bearers, H: int, *, k: int, s: int, rate: Fraction, log_a: float) -> None:
        self.bearers, self.heavy, self.s, self.rate, self.log_a = bearers, bearers.first(H), s, rate, log_a
        self.float_rate = float(min(rate, Fraction(STEEPEST)))
        pos = bearers.pos[H:]
        # For cells that are not capped, and for those that are.
        self.light = LightCodes.of(pos, self.float_rate), LightCodes.of(0 * pos, self.float_rate)
        self.shared = self.heavy.shared(k)
        self.cells: list[Cell] = []
        self.scores: list[int] = []
        self.priors: list[float] = []
        all_entries = np.arange(len(self.heavy.zeros))
        codes, (zeros, _) = np.arange(H), self.heavy.bearer_counts(all_entries)
        for m in range(min(k, len(bearers.codes)) + 1):
            self.add(Cell((), m, bearers.P, bearers.P, codes, zeros, self.heavy.pos))

    def draw(self, coins: Entropy) -> tuple[int, ...]:
        """A set with probability ∝ a^|A|·r^(−err(A))."""
        while True:
            i = draw_group(Weights(self.scores, self.rate, None, self.priors), coins)
            A, place, share = self.propose(self.cells[i], coins)
            if len(set(A)) == len(A) and single_head(lambda: self.acceptance(i, A, share), coins):  # noqa: B023  (used at once)
                return A
            heavy, m = len(self.cells[i].codes), self.cells[i].m
            if place < heavy and m > 1:  # with m = 1, the bound of a heavy code is exact, but for rounding
                self.split_off(i, place)
            elif place == heavy and heavy > 0 and m > 0:  # with m = 0, the cell is the empty set, and stays
                self.split_off_light(i)

    def acceptance(self, i: int, A: tuple[int, ...], share: Fraction) -> arb:
        """The probability of accepting A: its weight over its share of the bound of cell i."""
        cell = self.cells[i]
        # Both the weight and the bound have a factor a for each code of A. It cancels.
        prior = arb(self.priors[i]) - arb(self.log_a) * (len(cell.B) + cell.m)
        return (-ball(self.rate * (self.bearers.errors(A) + self.scores[i])) - prior).exp() / ball(share)

    def gains(self, cell: Cell) -> Ints:
        """σ of each heavy code.

        If ``divided``, each negative record of a set is divided equally among the codes of the set that it bears, at
        most min(s, m). Otherwise it counts for only one of these codes, the one that the fewest negative records bear.
        If ``capped``, σ counts no positive records: the set gains at most all that are left.
        """
        if cell.divided or self.shared is None:
            lost = cell.zeros // min(self.s, max(cell.m, 1))
        else:
            # Records that the code may share with m − 1 codes that fewer negative records bear do not count for it.
            lost = np.maximum(cell.zeros - self.shared[cell.m - 1, cell.codes], 0)
        return -lost if cell.capped else cell.ones - lost

    def cell_bound(self, cell: Cell) -> CellBound:
        """The bound of a cell, with what ``propose`` needs."""
        σ, light, h = self.gains(cell), self.light[cell.capped], len(cell.codes)
        top = int(max(σ.max(initial=NO_CODES), light.top))
        x = powers(σ - top, self.float_rate)
        X = light.weight * float(powers(np.array([light.top - top]), self.float_rate)[0])
        tails = [X**q / factorial(q) for q in range(cell.m + 1)]
        G = [np.ones(h + 1)]
        for tail in tails[1:]:
            sums = np.append(np.cumsum((x * G[-1][1:])[::-1])[::-1] + tail, tail)
            G.append(np.maximum(sums, LEAST))
        score = (cell.left if cell.capped else 0) + cell.m * top - cell.errors
        chain = CodeChain(x, tails, G, light.number)
        if not cell.m:
            return CellBound(score, 1.0, chain, np.empty(0, dtype=np.int64))
        weights, allowed = chain.stage(cell.m, 0)
        allowed &= np.append(cell.own, cell.tail)
        total = max(float(weights[allowed].sum()), LEAST)
        return CellBound(score, total, chain, shares(weights, total, allowed))

    def propose(self, cell: Cell, coins: Entropy) -> tuple[tuple[int, ...], int, Fraction]:
        """A set, the place of its first code apart from B, and the probability of this proposal.

        The place of a light code is len(cell.codes).
        """
        _, _, chain, next_shares = self.cell_bound(cell)
        A, first, share, p, q = cell.B, len(cell.codes), Fraction(1), 0, cell.m
        while q:
            if q < cell.m:
                weights, allowed = chain.stage(q, p)
                next_shares = shares(weights, max(float(weights[allowed].sum()), LEAST), allowed)
            place, chance = draw_place(next_shares, coins)
            share *= chance
            if place == len(next_shares) - 1:
                places = [draw_place(self.light[cell.capped].shares, coins) for _ in range(q)]
                for v, chance in places:
                    A, share = (*A, len(self.heavy.codes) + v), share * chance
                return A, first, share * factorial(q)  # each order of the q light codes proposes the same set
            first = p + place if q == cell.m else first
            A, p, q = (*A, int(cell.codes[p + place])), p + place + 1, q - 1
        return A, first, share

    def add(self, cell: Cell) -> None:
        """Add a cell with the smallest of its bounds, its codes in the order of their gains."""
        variants: list[tuple[Cell, int, float]] = []  # with the two parts of its bound
        for capped, divided in product((False, True), repeat=2) if cell.m > 1 else [(False, True)]:
            variant = replace(cell, capped=capped, divided=divided)
            order = np.argsort(-self.gains(variant), kind="stable")
            variant.codes, variant.zeros, variant.ones = cell.codes[order], cell.zeros[order], cell.ones[order]
            variant.own = np.arange(len(order), 0, -1) + self.light[0].number >= cell.m  # enough codes from here on
            score, prior = self.bound(variant)
            variants.append((variant, score, prior))
        best, score, prior = min(variants, key=lambda bounded: self.float_rate * bounded[1] + bounded[2])
        self.cells.append(best)
        self.scores.append(score)
        self.priors.append(prior)

    def bound(self, cell: Cell) -> tuple[int, float]:
        """The bound of a cell: its score, and the logarithm of all other factors."""
        cell_bound = self.cell_bound(cell)
        with ctx.workprec(64):
            log = ceil(float((arb(cell_bound.total).log() + MARGIN).upper()) * FINE) / FINE
        return cell_bound.score, log + self.log_a * (len(cell.B) + cell.m)

    def split_off(self, i: int, place: int) -> None:
        """The sets of cell i that begin with the code at this place become a cell of their own."""
        cell = self.cells[i]
        v, zero, one = int(cell.codes[place]), int(cell.zeros[place]), int(cell.ones[place])
        bearing = self.heavy.entries(v)
        if cell.B:
            bearing = bearing[~np.isin(self.heavy.number[bearing], cell.B).any(axis=1)]
        v_zeros, v_ones = self.heavy.bearer_counts(bearing)  # records that bear v, by their other codes
        codes, zeros, ones = cell.after(place)
        zeros, ones, errors = zeros - v_zeros[codes], ones - v_ones[codes], cell.errors - one + zero
        self.add(Cell((*cell.B, v), cell.m - 1, errors, cell.left - one, codes, zeros, ones))
        cell.own[place] = False
        self.shrink(i)

    def split_off_light(self, i: int) -> None:
        """The sets of cell i whose codes, apart from B, are all light become a cell of their own."""
        cell = self.cells[i]
        codes, zeros, ones = cell.after(len(cell.codes))
        self.add(Cell(cell.B, cell.m, cell.errors, cell.left, codes, zeros, ones))
        cell.tail = False
        self.shrink(i)

    def shrink(self, i: int) -> None:
        """Bound what is left of cell i, without leading codes that no set has; an empty cell gives way to the last."""
        cell = self.cells[i]
        start = int(np.argmax(np.append(cell.own, True)))  # the first place that the cell owns
        cell.own, (cell.codes, cell.zeros, cell.ones) = cell.own[start:], cell.after(start - 1)
        if cell.own.any() or (cell.tail and self.light[0].number >= cell.m):
            self.scores[i], self.priors[i] = self.bound(cell)
            return
        last = self.cells.pop(), self.scores.pop(), self.priors.pop()
        if i < len(self.cells):
            self.cells[i], self.scores[i], self.priors[i] = last
