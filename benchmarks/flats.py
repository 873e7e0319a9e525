"""Flats of dimension at most k in F_2^256: how many records it takes on hostile populations.

A population is a target flat with a probability for each of its points; all other records are negative, one bit away
from the target. The family has points of equal probability on independent points and on whole flats, heavy flats with
light rests, and geometric chains, around the error α where rules turn from good to bad. Its worst members are then
perturbed, and the worst of these count. Each figure is the mean, over records and deals, of the exact probability that
the learner's own selection releases a rule of error above α.

Predicted: a flat needs about T = (2/ε)·ln(L/δ) votes. Three points of mass α/2 each get .32·αn/2 of them at best.
The bar at ε = 1: success of 95 % with 1371, 2277, 4076 records for k = 1, 2, 3.
Beside it: a stability histogram of the hulls of subsets (the SOA's rule for flats) on four fifths of the records,
then the exponential mechanism over what it shows on the rest, at its best subset size; and what the exponential
mechanism over all flats, which cannot be run, would need by its certificate.

Main declarations
    family      hostile populations
    tables      the figures
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import product
from math import exp

import numpy as np
from measure import Table

import privpac as pp
from privpac.data.samples.sample import Sample
from privpac.exact.entropy import SYSTEM
from privpac.exact.exponential_weights import probabilities
from privpac.learners.certificates.deviation import chance
from privpac.learners.sample_sizes import certified_n
from privpac.learners.subspaces.flats import FlatLearner, Hulls, ballots
from privpac.mechanisms.histograms.stability import StabilityHistogram
from privpac.mechanisms.selection.votes import VoteExponential
from privpac.privacy.bisection import smallest_upto
from privpac.privacy.budget import Budget
from privpac.requests.conditions import Conditions, Terms

RNG = np.random.default_rng(6)
ALPHA, COST, BITS = 0.1, Budget(1, "0.000001"), 256
BARS = {1: 1371, 2: 2277, 3: 4076}
Masses = np.ndarray
Failure = Callable[[Masses, int, int], float]  # (masses, n, runs) → the probability of an error above α


def family(k: int) -> list[Masses]:
    """Probabilities of the 2^k points of a flat; point i has the coordinates that are the bits of i."""
    N, independent, found = 2**k, [0, *(1 << i for i in range(k))], []

    def add(places: object, values: object, beside: Masses | None = None) -> None:
        masses = np.zeros(N) if beside is None else beside.copy()
        masses[places] = values
        found.append(masses)

    for total in (1.001, 1.15, 1.3, 1.5, 1.7, 2, 2.5, 3, 4):
        for s in range(1, k + 2):
            add(independent[:s], total / s)
        for j in range(2, k + 1):
            add(slice(2**j), total / 2**j)
    for heavy, light, j in product((1.001, 1.5, 3, 6), (0.1, 0.3, 0.6, 0.99, 1.1), range(k)):
        flat = np.where(np.arange(N) < 2**j, heavy / 2**j, 0.0)
        add(2**j, light, flat)
        add(slice(2**j, N), light / (N - 2**j), flat)
    for ratio, lead in product((0.3, 0.5, 0.7), (0.5, 0.8, 1.1, 2)):
        add(independent, lead * ratio ** np.arange(k + 1))
    return [ALPHA * masses * (1 + 1e-6) for masses in found if 1 < masses.sum() < 9.9]


@lru_cache
def space(k: int) -> tuple[pp.AffineSubspaces, np.ndarray]:
    """The class; the points of a target, and as many one bit away from it."""
    basis = RNG.integers(0, 2, (k, BITS))
    inside = (RNG.integers(0, 2, BITS) + np.array(list(product((0, 1), repeat=k)))[:, ::-1] @ basis) % 2
    outside = inside.copy()
    outside[:, 0] ^= 1
    return pp.AffineSubspaces(p=2, n=BITS, dim=k), np.concatenate([inside, outside])


def drawn(k: int, masses: Masses, n: int) -> Sample:
    """Independent records, counted."""
    _, points = space(k)
    N = len(masses)
    rest = max(1 - masses.sum(), 0.0)
    counts = RNG.multinomial(n, np.concatenate([masses, np.full(N, rest / N)]))
    there = counts > 0
    return Sample(points[there], (np.arange(2 * N) < N)[there], counts[there], n, points[there])


def misses(k: int, masses: Masses, rule: object) -> float:
    """The error of a rule inside the target."""
    _, points = space(k)
    return float(masses[~rule(points[: len(masses)])].sum())  # type: ignore[operator]


def by_votes(k: int) -> Failure:
    """The learner itself."""
    H, _ = space(k)
    learner = FlatLearner(H, Terms(COST, regime="realizable"))

    def failure(masses: Masses, n: int, runs: int) -> float:
        vote, total = learner.vote(n), 0.0
        mechanism = VoteExponential.of(COST, sizes=vote.sizes, deals=vote.deals, cap=vote.cap)
        for _ in range(runs):
            data = ballots(H, drawn(k, masses, n))
            votes = mechanism.votes(data, [mechanism.deal(data, SYSTEM) for _ in range(vote.deals)])
            weights, outcome = mechanism.menu(mechanism.candidates(data, votes))
            rules = [outcome(group, 0) for group in range(len(weights.scores))]
            bad = {rule: misses(k, masses, rule) > ALPHA for rule in set(rules)}
            total += sum(float(p) for p, rule in zip(probabilities(weights, 64), rules, strict=True) if bad[rule])
        return total / runs

    return failure


def by_histogram(k: int, m: int) -> Failure:
    """The stability histogram of the hulls of subsets of m records, then the exponential mechanism."""
    H, _ = space(k)
    least = StabilityHistogram(COST).least

    def failure(masses: Masses, n: int, runs: int) -> float:
        failed = 0.0
        first = n * 4 // 5
        for _ in range(runs):
            sample, rest = drawn(k, masses, first), drawn(k, masses, n - first)
            hulls, later = Hulls(H, sample), Hulls(H, rest)
            order = np.concatenate([np.repeat(np.arange(len(hulls.ones)), hulls.ones), np.full(first - hulls.P, -1)])
            subsets = RNG.permutation(order)[: first // m * m].reshape(-1, m).tolist()
            votes = [hulls.hull([i for i in subset if i >= 0]) for subset in subsets]
            named = sorted({v for v in votes if v is not None})
            shown = [
                hulls.flats[v] for v in named if votes.count(v) + np.diff(RNG.geometric(1 - exp(-0.5), 2))[0] >= least
            ]
            rules = [*shown, pp.classes.Constant(False)]
            errors = np.array([later.errors_of(flat) for flat in shown] + [later.P])
            weights = np.exp(-0.5 * (errors - errors.min()))
            bad = np.array([misses(k, masses, rule) > ALPHA for rule in rules])
            failed += float(weights[bad].sum() / weights.sum())
        return failed / runs

    return failure


def worst(failure: Failure, k: int, n: int, runs: int, rounds: int = 2) -> tuple[float, Masses]:
    """The worst of the family and of perturbed members of it."""
    candidates = family(k)
    for _ in range(rounds):
        ranked = sorted(candidates, key=lambda masses: -failure(masses, n, max(runs // 40, 2)))[:6]
        moved = [masses * np.exp(RNG.normal(0, 0.1, len(masses))) for masses in ranked for _ in range(2)]
        candidates = [*ranked, *(masses for masses in moved if ALPHA < masses.sum() < 1)]
    ranked = sorted(candidates, key=lambda masses: -failure(masses, n, max(runs // 10, 4)))[:4]
    return max(((failure(masses, n, runs), masses) for masses in ranked), key=lambda found: found[0])


def smallest(failure: Failure, k: int, start: int, most: int, runs: int) -> int:
    """The least n, in steps of 7 %, at which the worst population succeeds 95 times in 100; ``most`` if it is larger.

    A population that fails at some n is tried first at the next.
    """
    n, failed, masses = start, *worst(failure, k, start, runs)
    while n < most and failed > 0.05:
        n = n * 107 // 100
        failed = failure(masses, n, runs)
        if failed <= 0.05:
            failed, masses = worst(failure, k, n, runs)
    return min(n, most)


def tables(quick: bool) -> list[Table]:
    runs, rows, found = (40, [], []) if quick else (160, [], [])
    for k, n in BARS.items():
        H, _ = space(k)
        asked = Conditions.of(epsilon=1, delta=1e-6, regime="realizable")
        failed, masses = worst(by_votes(k), k, n, runs)
        em = smallest_upto(10**6, lambda n, H=H: chance(H.log_size, 0, n, ALPHA, 0.5, "realizable") <= 0.05)
        rows.append((k, n, 1 - failed, certified_n(FlatLearner, H, asked), em))
        found.append((k, n, str((masses / ALPHA).round(2).tolist())))
        if not quick:
            best = 8 * n
            for m in {1: (25, 15, 35), 2: (45, 30, 60), 3: (70, 50, 90)}[k]:
                best = smallest(by_histogram(k, m), k, n, best, runs // 4)
            rows[-1] += (best,)
    header = ("k", "n", "worst success", "certified", "all flats, certified", *(() if quick else ("histogram, 95 %",)))
    title = "ε = 1, δ = 1e-6, α = .1, F_2^256: success with the bar's records on the worst population found"
    return [
        Table(title, header, rows),
        Table("the worst population: masses of its points, in α", ("k", "n", "masses"), found),
    ]
