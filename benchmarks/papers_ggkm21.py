"""PolyPriLearn of [GGKM21] beside the exponential mechanism: how many records each asks for, and whether they do.

Predicted: subsets must agree on a hypothesis although each of them sees errors only to the nearest α/(4d + 3), and a
subset votes for as many hypotheses as there are concepts. So the tight N grows with d²·(d + 1), and exceeds that of the
exponential mechanism, which is pure, a thousand times and more; the printed N is 20 to 100 times larger still.
The bar: at its tight N, PolyPriLearn succeeds in at least 95 of 100 runs on every hostile population, a run takes less
than 10 seconds, and the exponential mechanism never asks for more records. (Of more than 200 concepts: 20 runs.)

The first tables have classes by their list, with the levels of all classes. On points and sets of any domain, by
the closed form, the levels let a subset vote only for the hull of its ones, which lies in the target. So N should grow
as 1/α, not depend on the domain, and be hundreds of times smaller than by the list.
The bar: 95 of 100 runs (19 of 20 for N > 5000), less than a second each. The library's learners, which count values,
should ask for fewer records.

A population is hostile where concepts err just as much as a level allows: some subsets then count them in and others do
not. A run draws the subsets as counts, which has the law of dealing N independent records to them.

Main declarations
    CLASSES    classes of Littlestone dimension 1 to 3
    hostile    populations for a class
    unlisted   the same on points and sets of domains without a list
    tables     the figures
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from itertools import islice
from time import process_time
from typing import Any

import numpy as np
from measure import Table, in_processes
from numpy.typing import NDArray

import privpac as pp
from privpac.dimensions.oracle import ListedOracle
from privpac.exact.entropy import SYSTEM
from privpac.learners.finite import FiniteLearner
from privpac.learners.sample_sizes import certified_n
from privpac.papers.ggkm21 import PolyPriLearn
from privpac.requests.conditions import Conditions

RNG = np.random.default_rng(21)
BETA, COST = 0.05, pp.Budget(1, 1e-6)
THIN = 1.05  # times α: concepts that miss so much are wrong
FEW, DEAR, LONG = 20, 200, 5000  # runs in a quick run, for more than 200 concepts, and for N > 5000 without a list
CLASSES: dict[str, Any] = {
    "40 points": pp.Points(40),
    "thresholds on 3 points": pp.ExplicitClass(np.tri(4, 3, -1, dtype=int)),
    "at most 2 of 20 points": pp.SparseSets(2, 20),
    "at most 2 of 40 points": pp.SparseSets(2, 40),
    "at most 3 of 9 points": pp.SparseSets(3, 9),
    "flats of dimension ≤ 2 of F_2^4": pp.AffineSubspaces(2, 4, 2),
}
Masses = NDArray[np.float64]


def hostile(learner: PolyPriLearn) -> Iterator[tuple[str, NDArray[np.bool_], Masses]]:
    """Names, targets, and masses of the points of the class."""
    M, levels = learner.F.matrix, learner.numbers.levels
    X = M.shape[1]
    yield "one point", M[-1], np.eye(X)[0]
    yield "evenly", M[0], np.full(X, 1 / X)
    for t, share in [(1, 0.0), *((t, 0.5) for t in range(1, levels.d + 2))]:
        level = float(levels.alpha(t)) - share * float(levels.step)
        f, c = M[RNG.choice(len(M), 2, replace=False)]
        differ = f != c
        masses = np.where(differ, level / differ.sum(), 0.0)
        rest = ~differ if not differ.all() else np.eye(X, dtype=bool)[0]
        yield f"t = {t}, {share:g} steps below", c, masses + np.where(rest, (1 - masses.sum()) / rest.sum(), 0.0)


def run(learner: PolyPriLearn, target: NDArray[np.bool_], masses: Masses, n0: int = 0) -> tuple[bool, float]:
    """Whether one run at the tight N, or on subsets of n₀ records, succeeds; and its CPU seconds, with the drawing."""
    start, X, n0 = process_time(), len(masses), n0 or learner.numbers.n0
    cells = np.zeros((X, 2))
    cells[np.arange(X), target.astype(int)] = masses
    subsets = RNG.multinomial(n0, cells.ravel(), size=learner.numbers.m).reshape(-1, X, 2)
    rule = learner.choice(subsets, lambda mechanism, seen: mechanism.release(mechanism.check(seen), SYSTEM))
    error = masses[rule(list(learner.F.points)) != target].sum()
    return error <= float(learner.alpha) + 1e-12, process_time() - start


def at_tight_n(alpha: float, quick: bool) -> Table:
    rows = in_processes(row_at_tight_n, [(name, alpha, quick) for name in CLASSES])
    header = (
        "class",
        "Ldim",
        "m",
        "n₀",
        "tight N",
        "printed N",
        "EM's n",
        "populations",
        "hardest: good",
        "slowest run, CPU s",
    )
    return Table(f"PolyPriLearn at its tight N, α = {alpha}, β = {BETA}, ε = 1, δ = 1e-6", header, rows)


def row_at_tight_n(name: str, alpha: float, quick: bool) -> tuple[object, ...]:
    learner = PolyPriLearn(CLASSES[name], COST, alpha, BETA, "tight", oracle=ListedOracle(CLASSES[name]))
    runs = FEW if quick or learner.shape.concepts > DEAR else 100
    printed = PolyPriLearn(CLASSES[name], COST, alpha, BETA).N
    outcomes = [[run(learner, c, masses) for _ in range(runs)] for _, c, masses in hostile(learner)]
    worst = min(sum(ok for ok, _ in each) for each in outcomes)
    slowest = max(seconds for each in outcomes for _, seconds in each)
    numbers = (learner.shape.d, learner.numbers.m, learner.numbers.n0, learner.N, f"{printed:.1e}")
    asked = Conditions.of(epsilon=1, alpha=alpha, beta=BETA, regime="realizable")
    em = certified_n(FiniteLearner, learner.F.concept_class, asked)
    return name, *numbers, em, len(outcomes), f"{worst} of {runs}", f"{slowest:.2f}"


def thin(learner: PolyPriLearn) -> Iterator[tuple[str, NDArray[np.bool_], Masses]]:
    """Populations where few records tell the target, a largest concept, from concepts that err just more than α."""
    M, mass = learner.F.matrix, THIN * float(learner.alpha)
    target = M[M.sum(axis=1).argmax()]
    ones, zeros = np.flatnonzero(target), np.flatnonzero(~target)
    for name, few, many in (
        ("thin ones, one zero", ones, zeros[:1]),
        ("thin ones, zeros evenly", ones, zeros),
        ("a thin one beside another", ones[:1], ones[1:]),
        ("a thin one, others and zeros evenly", ones[:1], np.concatenate([ones[1:], zeros])),
    ):
        if len(many):
            masses = np.zeros(M.shape[1])
            masses[few], masses[many] = mass / len(few), (1 - mass) / len(many)
            yield name, target, masses


def too_many(failures: Iterator[bool], runs: int) -> bool:
    """Whether more than 5 % of the runs fail; no run begins after that is decided."""
    return sum(islice(filter(None, failures), runs // 20 + 1)) > runs // 20


def least(learner: PolyPriLearn, runs: int) -> int:
    """The smallest m·n₀, within 5 % and for the tight m, at which 95 % of runs succeed on every population."""
    some = [*hostile(learner), *thin(learner)]

    def enough(n0: int) -> bool:
        return not any(too_many((not run(learner, *each[1:], n0)[0] for _ in range(runs)), runs) for each in some)

    low, high = 0, 1
    while not enough(high):
        low, high = high, 2 * high
    while high - low > max(1, high // 20):
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high * learner.numbers.m


def by_error(quick: bool) -> Table:
    """How many records it takes for a smaller α: as printed, as proved, and as measured."""
    names, alphas, runs = ("40 points", "at most 2 of 20 points"), (0.4, 0.2, 0.1, 0.05), FEW if quick else 60
    rows = in_processes(row_by_error, [(name, alpha, runs) for name in names for alpha in alphas])
    header = ("class", "α", "printed N", "tight N", "m", "measured n")
    return Table(f"Smallest n with success in 95 % of {runs} runs on every population, by α", header, rows)


def row_by_error(name: str, alpha: float, runs: int) -> tuple[object, ...]:
    learner = PolyPriLearn(CLASSES[name], COST, alpha, BETA, "tight", oracle=ListedOracle(CLASSES[name]))
    printed = PolyPriLearn(CLASSES[name], COST, alpha, BETA).N
    return name, alpha, f"{printed:.1e}", learner.N, learner.numbers.m, least(learner, runs)


def texts(n: int) -> list[Any]:
    """A popular few, and a tail of texts that no two records share."""
    few = RNG.zipf(1.3, n).tolist()
    return [f"name {i}" if v % 2 else f"ж{v}" for i, v in zip(few, RNG.integers(0, 2**63, n).tolist(), strict=True)]


def numbers(n: int) -> list[Any]:
    return RNG.integers(9, 2**64, n, dtype=np.uint64).tolist()  # type: ignore[no-any-return]


UNLISTED: dict[str, Any] = {  # a class, the values of a largest concept, a value beside it, and others
    "points of 2^64 numbers": (pp.Points(2**64), [8], 7, numbers),
    "points, texts": (pp.Points(), ["ж"], "Ж", texts),
    "at most 2 of 2^64 numbers": (pp.SparseSets(2, 2**64), [8, 5], 7, numbers),
    "at most 3 texts": (pp.SparseSets(3), ["ж", "э", "ю"], "Ж", texts),
}


def one_concept(learner: PolyPriLearn, name: str, shares: tuple[float, ...], n: int) -> tuple[bool, float]:
    """Whether one run on n records succeeds, and its CPU seconds, with the reading of the records.

    Of the ``shares``, the first lies in the target; of the others, the second has one value, and the rest differ; of
    the target, the third is at its first point, and the rest is even.
    """
    mass, heavy, first = shares
    _, target, other, many = UNLISTED[name]
    rest = len(target) - 1
    weights = [first, *[(1 - first) / rest] * rest] if rest else [1.0]
    is_target, is_other, which = RNG.random(n) < mass, RNG.random(n) < heavy, RNG.choice(len(target), n, p=weights)
    drawn = zip(is_target.tolist(), is_other.tolist(), which.tolist(), many(n), strict=True)
    x = [target[i] if one else other if two else v for one, two, i, v in drawn]
    start = process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # fewer records than N
        rule = learner.learn(x, is_target)
    seconds, labels = process_time() - start, rule([*target, other])
    error = mass * float(np.dot(~labels[:-1], weights)) + labels[-1] * heavy * (1 - mass)
    return error <= float(learner.alpha), seconds


def smallest_success(learner: PolyPriLearn, name: str, some: list[tuple[float, ...]], runs: int) -> int:
    """The smallest n, within 5 % and for the tight m, at which 95 % of runs succeed on every population."""

    def fails(n: int, population: tuple[float, ...]) -> bool:
        return too_many((not one_concept(learner, name, population, n)[0] for _ in range(runs)), runs)

    low, high = 0, learner.N
    while high - low > max(1, high // 20):
        middle = (low + high) // 2
        low, high = (middle, high) if any(fails(middle, each) for each in some) else (low, middle)
    return high


def unlisted(quick: bool) -> Table:
    """At the tight N, and the smallest n for the tight m at which 95 % of runs succeed on every population."""
    alphas = {
        name: (0.25, 0.1, 0.01) if isinstance(H, pp.Points) else (0.25, 0.1) for name, (H, *_) in UNLISTED.items()
    }
    rows = in_processes(row_unlisted, [(name, alpha, quick) for name in UNLISTED for alpha in alphas[name]])
    header = ("class", "α", "m", "n₀", "tight N", "measured n", "library's n", "populations", "hardest: good")
    title = "PolyPriLearn on domains that are not listed, β = 0.05, ε = 1, δ = 1e-6"
    return Table(title, (*header, "slowest run, CPU s"), rows)


def row_unlisted(name: str, alpha: float, quick: bool) -> tuple[object, ...]:
    H, target, *_ = UNLISTED[name]
    learner = PolyPriLearn(H, COST, alpha, BETA, "tight")
    runs = FEW if quick or learner.N > LONG else 100
    masses, firsts = (0, 0.95, THIN, 2), (1.0,) if len(target) == 1 else (1 / len(target), 0.9)
    populations = [(a * alpha, heavy, first) for a in masses for heavy in (0, 0.9) for first in firsts]
    at_n = [[one_concept(learner, name, each, learner.N) for _ in range(runs)] for each in populations]
    measured = smallest_success(learner, name, populations, min(runs, 60))
    best = pp.plan(H, alpha=alpha, beta=BETA, epsilon=1, delta=COST.delta, regime="realizable").best
    worst, slowest = min(sum(ok for ok, _ in each) for each in at_n), max(s for each in at_n for _, s in each)
    sizes = (learner.numbers.m, learner.numbers.n0, learner.N, measured, best.n if best else "–")
    return name, alpha, *sizes, len(populations), f"{worst} of {runs}", f"{slowest:.2f}"


def tables(quick: bool) -> list[Table]:
    return [*(at_tight_n(alpha, quick) for alpha in (0.25, 0.1)), by_error(quick), unlisted(quick)]
