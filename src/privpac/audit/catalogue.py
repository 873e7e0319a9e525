"""Every mechanism of the library on universes so small that all neighbours can be tried.

Throughout this file
    records    a sample: a tuple of n records          view    records → the data that a mechanism takes
    (x, y)     a labelled record: x a point, or a node of a binary tree written as a string of bits
    v          a rule, named by a node: h_v(x) is what it says of x, and (x, y) may support it

Main declarations
    Case         a claim to be audited: a mechanism, a view, a universe, n
    CATALOGUE    the claims that this library makes
    named        the cases of one mechanism
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, product
from typing import Any

from flint import arb

from privpac.audit.exact import Worst, worst_divergence
from privpac.audit.sampling import Verdict, audit
from privpac.data.line import Line
from privpac.exact.entropy import SYSTEM
from privpac.mechanisms.interior import QuantileDyadic, QuantileExponential
from privpac.mechanisms.noise import AboveThreshold, DiscreteLaplace
from privpac.mechanisms.selection import Exponential, SparseExponential
from privpac.mechanisms.stability import StabilityHistogram
from privpac.mechanisms.stable import NO_PUBLIC, DiscountedExponential, Public, PublicStableExponential, Stable
from privpac.privacy.budget import Budget

Records = tuple[Any, ...]
Labelled = tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Case:
    """One claim: ``mechanism`` on ``view(records)`` costs ``claimed``, for every sample of n records of ``universe``.

    >>> case = next(named("sparse exponential"))
    >>> print(case.about)
    3 keys
    >>> case.exact().refuted
    False
    >>> case.sampled(runs=100, confidence=1 - 1e-9).refuted
    False
    """

    mechanism: Any
    view: Callable[[Records], Any]
    about: str
    universe: Sequence[Any]
    n: int
    claimed: Budget

    @property
    def name(self) -> str:
        """The mechanism's name."""
        return str(self.mechanism.name)

    def law(self, records: Records) -> dict[Any, arb]:
        """The exact law of the output."""
        law: dict[Any, arb] = self.mechanism.law(self.view(records))
        return law

    def release(self, records: Records) -> Any:
        """One output, with the system's coins."""
        return self.mechanism.release(self.mechanism.check(self.view(records)), SYSTEM)

    def exact(self) -> Worst:
        """The worst of all neighbours."""
        return worst_divergence(self.law, self.universe, self.n, self.claimed)

    def sampled(self, runs: int, confidence: float) -> Verdict:
        """What the outputs themselves show on the worst pair of neighbours."""
        return audit(self.release, self.exact().pair, claimed=self.claimed, runs=runs, confidence=confidence)


def support(records: Iterable[str]) -> Counter[str]:
    """How many records support each candidate; a record is the string of those that it supports.

    >>> support(["a", "ab"])
    Counter({'a': 2, 'b': 1})
    """
    return Counter(chain.from_iterable(records))


@dataclass(frozen=True)
class Rules:
    """Rules that exist where a record supports them.

    >>> POINTS.stable((("a", 1), ("b", 0)))
    Stable(names=['a'], level=[0], support=[1], errors=[0], counts=None)
    """

    says: Callable[[str, str], bool]  # (v, x) → h_v(x)
    supports: Callable[[str, str, int], bool]  # (v, x, y) → whether (x, y) supports v
    level: Callable[[str], int] = len

    def stable(self, records: Labelled) -> Stable:
        """The rules that ``records`` support."""
        prefixes = {x[:depth] for x, _ in records for depth in range(len(x) + 1)}
        q = {v: sum(self.supports(v, x, y) for x, y in records) for v in sorted(prefixes)}
        names = [v for v in q if q[v]]
        errors = [sum(self.says(v, x) != y for x, y in records) for v in names]
        return Stable(names, [self.level(v) for v in names], [q[v] for v in names], errors)

    def discounted(self, records: Labelled) -> tuple[dict[str, int], Stable]:
        """Beside the rule that says 0 of everything."""
        return {"nothing": sum(y for _, y in records)}, self.stable(records)

    def public_stable(self, records: Labelled) -> tuple[dict[str, int], Stable, Public]:
        """The same without public candidates."""
        return (*self.discounted(records), NO_PUBLIC)

    def both_constants(self, records: Labelled) -> tuple[dict[str, int], Stable, Public]:
        """Beside the two rules that say the same of everything."""
        ones = sum(y for _, y in records)
        return {"all 0": ones, "all 1": len(records) - ones}, self.stable(records), NO_PUBLIC

    def with_public(self, records: Labelled) -> tuple[dict[str, int], Stable, Public]:
        """Beside the rule that says 0, with two public candidates of which one says 1 and the other asks for x = 0."""
        errors = [sum(y == 0 for _, y in records), sum((x[:1] == "0") != y for x, y in records)]
        return (*self.discounted(records), Public(["all 1", "first bit 0"], errors, log_prior=-2.0))


POINTS = Rules(lambda v, x: v == x, lambda v, x, y: y == 1 and v == x, level=lambda v: 0)
SUBTREES = Rules(lambda v, x: x.startswith(v), lambda v, x, y: y == 1 and x.startswith(v))
ROOT_PATHS = Rules(lambda v, x: v.startswith(x), lambda v, x, y: y == 1 and x.startswith(v))
THRESHOLDS = Rules(lambda v, x: x >= v + "1", lambda v, x, y: len(v) < len(x) and x.startswith(v))

TIGHT, ROUGH, LOOSE = Budget(1, 1e-6), Budget("0.1", "0.3"), Budget(6, "0.9")
PURE = (Budget("0.1"), Budget(1), Budget(6))
APPROXIMATE = (TIGHT, ROUGH, LOOSE)


def strings(*lengths: int) -> list[str]:
    """The strings of bits of the given lengths: leaves or nodes of a binary tree.

    >>> strings(0, 1)
    ['', '0', '1']
    """
    return ["".join(bits) for length in lengths for bits in product("01", repeat=length)]


def labelled(points: Iterable[str]) -> list[tuple[str, int]]:
    """Every point with every label.

    >>> labelled("a")
    [('a', 0), ('a', 1)]
    """
    return list(product(points, (0, 1)))


def _selections() -> Iterator[Case]:
    def votes(records: Records) -> list[int]:
        return [records.count(key) for key in "abc"]

    def correct(records: Records) -> list[int]:
        return [sum((x >= t) == y for x, y in records) for t in range(5)]

    for cost, n in product(PURE, (1, 2, 4)):
        yield Case(Exponential(cost), votes, "3 candidates", "abc", n, cost)
        yield Case(Exponential(cost, [1, 10**9, 1]), votes, "one candidate against 10⁹", "abc", n, cost)
    rules = list(product(range(4), (0, 1)))
    yield Case(Exponential(Budget(1)), correct, "threshold rules on 4 points", rules, 3, Budget(1))
    for cost, n in product(APPROXIMATE, (1, 2, 4)):
        yield Case(SparseExponential(cost), support, "3 keys", "abc", n, cost)
    pairs = ["", "a", "b", "ab", "bc", "cd"]
    for cost, n in product(APPROXIMATE, (1, 3)):
        yield Case(SparseExponential(cost, k=2), support, "up to 2 of 4 keys each", pairs, n, cost)


def _stable_selections() -> Iterator[Case]:
    tree, leaves, points = labelled(strings(0, 1, 2)), labelled(strings(2)), labelled("abc")
    for cost, cap, levels in product(APPROXIMATE, (0, 2), (3, None)):
        about = f"root paths, C = {cap}, {levels or 'unbounded'} levels"
        yield Case(PublicStableExponential(cost, levels, cap), ROOT_PATHS.public_stable, about, tree, 2, cost)
    for cost, n in product(APPROXIMATE, (1, 3)):
        mechanism = PublicStableExponential(cost, 2, 1)
        yield Case(mechanism, THRESHOLDS.both_constants, "thresholds on 4 points, C = 1", leaves, n, cost)
        mechanism = PublicStableExponential(cost, 3, 0)
        yield Case(mechanism, ROOT_PATHS.public_stable, "root paths to leaves, C = 0", leaves, n, cost)
        mechanism = PublicStableExponential(cost, 3, 3)
        yield Case(mechanism, SUBTREES.with_public, "subtrees and public rules, C = 3", leaves, n, cost)
        yield Case(DiscountedExponential(cost, 1), POINTS.discounted, "3 points", points, n, cost)
        yield Case(DiscountedExponential(cost, 3), SUBTREES.discounted, "subtrees of depth 2", leaves, n, cost)
        yield Case(DiscountedExponential(cost, None), SUBTREES.discounted, "subtrees, unbounded", leaves, n, cost)


def _noise() -> Iterator[Case]:
    def columns(records: Records) -> list[int]:
        return [sum(column) for column in zip(*records, strict=True)]

    for cost, n in product(PURE[:2], (1, 3)):
        yield Case(DiscreteLaplace(cost), sum, "bits", (0, 1), n, cost)
        yield Case(DiscreteLaplace(cost, 3), sum, "0 … 3", range(4), n, cost)
    for cost, n in product(PURE, (1, 3)):
        yield Case(DiscreteLaplace(cost, 3, 0, 3 * n), sum, f"0 … 3, kept in 0 … {3 * n}", range(4), n, cost)
    bits = list(product((0, 1), repeat=4))
    for cost, n in product(PURE[1:], (1, 2)):
        yield Case(AboveThreshold(cost, 1), columns, "4 counts of bits", bits, n, cost)
    for cost, n in product(APPROXIMATE, (1, 2, 3)):
        yield Case(StabilityHistogram(cost), Counter, "3 keys", "abc", n, cost)


def _quantiles() -> Iterator[Case]:
    for cost, size, n in product(PURE, (2, 5, 8), (1, 4)):
        line = Line(0, size - 1)
        for τ in (Fraction(1, 2), Fraction(1, 10)):
            about = f"0 … {size - 1}, τ = {float(τ)}"
            yield Case(QuantileExponential(cost, line, τ), tuple, about, range(size), n, cost)
    yield Case(QuantileExponential(Budget(8), Line(0, 2)), tuple, "0 … 2, far records unlisted", range(3), 15, Budget(8))
    for cost, size, (n, kept) in product(APPROXIMATE, (2, 5, 8), ((1, 1), (4, 4), (4, 2), (5, 3))):
        about = f"0 … {size - 1}, {kept} kept"
        yield Case(QuantileDyadic(cost, Line(0, size - 1), kept=kept), tuple, about, range(size), n, cost)


CATALOGUE = (*_selections(), *_stable_selections(), *_noise(), *_quantiles())


def named(name: str) -> Iterator[Case]:
    """The cases of the mechanism with this name.

    >>> {case.about for case in named("stability histogram")}
    {'3 keys'}
    """
    return (case for case in CATALOGUE if case.name == name)
