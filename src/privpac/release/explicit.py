"""How many records satisfy each query of a class whose queries and points can be listed.

proof: docs/proofs/marginals.md, Theorem 2

Throughout this file
    M      the matrix of labels: a row for each query, a column for each declared point
    h      the number of records at each point
    w      weights of the points, in records: an estimate of h
    Δ      the most counts of queries that one substitution changes: the queries that tell two points apart or, if a
           record may become void, that hold at one point

Either the counts of all queries get noise, M·h + Z, and weights of the points are fitted; or the counts of all points
get noise, h + Z, and queries are sums of them. Public numbers alone decide which of the two has less noise.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import ClassVar, NamedTuple

import numpy as np

from privpac.classes.concept_class import ConceptClass
from privpac.classes.hypothesis import Hypothesis, Labels
from privpac.data.domains.domain import Domain
from privpac.data.samples.sample import Ints, Sample
from privpac.exact.entropy import Entropy
from privpac.mechanisms.algorithm import Ask
from privpac.privacy.ledger import Records
from privpac.refusals.refusal import Refused
from privpac.release.noise_choice import Noise, NoisySanitizer, noise_for, public_total
from privpac.release.postprocessing.consistency import Floats, nonnegative
from privpac.release.postprocessing.fitted_weights import fitted_weights
from privpac.release.postprocessing.synthetic import spread
from privpac.release.sanitizer import Answers, Frame

MOST_ENTRIES = 2**22  # entries of M
MOST_FITTED = 2**20  # entries of M, if queries get noise
MOST_POINTS = 2**11  # points whose pairs are all compared, to find Δ


@dataclass(frozen=True)
class ListedAnswers(Answers):
    """A count for every query. A query is known by its labels at all points: its pattern, such as "0110"."""

    n: int
    domain: Domain
    patterns: tuple[str, ...]
    numbers: tuple[int, ...]  # the count of each pattern
    weights: tuple[int, ...]  # w, for synthetic records

    def __post_init__(self) -> None:
        complete = len(self.patterns) == len(self.numbers) and len(self.weights) == self.domain.size
        if not complete or any(len(pattern) != self.domain.size or {*pattern} - {*"01"} for pattern in self.patterns):
            raise ValueError("give every query a label for each point, and a count")

    @cached_property
    def _number_of(self) -> dict[str, int]:
        return {pattern: i for i, pattern in enumerate(self.patterns)}

    @cached_property
    def _points(self) -> list[object]:
        return self.domain.listed()

    def count(self, query: Hypothesis) -> int:
        try:
            labels = query(self._points)
        except (TypeError, ValueError, KeyError, IndexError):
            labels = np.zeros(0, dtype=bool)  # the query reads other columns or values
        number = self._number_of.get(_pattern(labels))
        if number is None:
            raise Refused("query", "this query is not one of the class; make it with concept_class.hypothesis")
        return self.numbers[number]

    def gap(self, sample: Sample) -> int:
        return int(np.abs(self.true(sample) - np.array(self.numbers, dtype=np.int64)).max())

    def true(self, sample: Sample) -> Ints:
        """The true counts of all queries."""
        bits = np.array([list(pattern.encode()) for pattern in self.patterns], dtype=np.int64) - ord("0")
        return bits @ point_counts(sample, self.domain)

    def counts(self) -> Frame:
        """A line for each query: the points where it holds, and its count."""
        points = list(map(str, self._points))
        texts: list[object] = [
            ", ".join(x for x, bit in zip(points, pattern, strict=True) if bit == "1") for pattern in self.patterns
        ]
        return {"holds at": texts, "records": list(self.numbers)}

    def rows(self, size: int, coins: Entropy) -> Frame:
        values = [self._points[i] for i in spread(self.weights, size, coins).tolist()]
        columns: Sequence[Iterable[object]] = self.domain.split(values) if values else [()] * len(self.domain.columns)
        unnamed = ["value"] if len(columns) == 1 else [f"x{i + 1}" for i in range(len(columns))]
        names = list(map(str, self.domain.column_names)) or unnamed
        return {name: list(column) for name, column in zip(names, columns, strict=True)}


def _pattern(labels: Labels) -> str:
    return "".join("1" if label else "0" for label in labels.tolist())


def point_counts(sample: Sample, domain: Domain) -> Ints:
    """h: how many records lie at each point."""
    h = np.zeros(int(domain.size), dtype=np.int64)
    np.add.at(h, domain.numbers(sample.points), 1 if sample.counts is None else sample.counts)
    return h


class Queries(NamedTuple):
    """The matrix M with its Δ."""

    M: Ints
    changes: int | None  # Δ; None if there are too many points to compare all pairs

    @staticmethod
    def of(M: Ints) -> Queries:
        """The queries of a matrix, with Δ."""
        if M.shape[1] > MOST_POINTS or M.size > MOST_FITTED:
            return Queries(M, None)
        common = M.astype(np.float64).T @ M  # how many queries hold at both of two points; floats hold it exactly
        single = np.diag(common)
        apart = single[:, None] + single - 2 * common
        return Queries(M, int(max(apart.max(), single.max())))

    @property
    def by_points(self) -> bool:
        """Whether points get noise.

        If both are Gaussian, the noise of queries has a variance in proportion to Δ, that of points in proportion to 2.
        Since n is known, a query that holds at s of N points has s·(N − s)/N times the variance of a point.
        """
        s, N = self.M.sum(axis=1), self.M.shape[1]
        return self.changes is None or self.changes * N > 2 * int((s * (N - s)).max())


@lru_cache(maxsize=16)
def queries_of(concept_class: ConceptClass) -> Queries:
    """All queries of a class on all points of its domain.

    >>> from privpac.classes.finite.explicit import ExplicitClass
    >>> queries_of(ExplicitClass([[0, 0, 1], [0, 1, 1], [1, 1, 1]])).changes
    3
    """
    points = concept_class.domain.listed()
    return Queries.of(concept_class.materialize().matrix_on(concept_class.named(points)).astype(np.int64))


@dataclass(frozen=True)
class ExplicitSanitizer(NoisySanitizer):
    """Noisy counts of all queries, fitted by weights of the points; or noisy counts of all points.

    Privacy   ε or (ε, δ) for all inputs: marginals, Theorem 2
    Time      O(n); up to 1500 rounds over the matrix of all queries and points, of at most 2^20 labels

    >>> import privpac as pp
    >>> sizes = pp.ExplicitClass([[0, 0, 1], [0, 1, 1]], points="SML", concepts=["large", "not small"])
    >>> release = pp.PrivateRelease(sizes, epsilon=1).fit(["S"] * 3000 + ["M"] * 2000 + ["L"] * 5000)
    >>> abs(release.answer(sizes.hypothesis("not small")) - 0.7) < 0.01
    True
    """

    kinds: ClassVar[tuple[type[ConceptClass], ...]] = (ConceptClass,)
    title: ClassVar[str] = "fitted noisy counts of all queries"
    theorem: ClassVar[str] = "marginals, Theorem 2"

    @classmethod
    def _supports(cls, concept_class: ConceptClass) -> bool:
        domain, size = concept_class.domain, concept_class.size
        return domain.numbered and 0 < size <= MOST_ENTRIES and domain.size * size <= MOST_ENTRIES

    @property
    def noise(self) -> Noise:
        """The noise of points, of which two counts change by 1; or that of queries, of which Δ counts change by 1."""
        M, changes = self._queries
        if changes is None or self._queries.by_points:
            return noise_for(self.terms.cost, 2, M.shape[1])
        return noise_for(self.terms.cost, changes, len(M))

    @property
    def _queries(self) -> Queries:
        """The queries whose counts, or whose points' counts, get noise."""
        return queries_of(self.concept_class)

    def _counted(self, sample: Sample) -> Ints:
        """h: how many records lie at each point of ``_queries``."""
        return point_counts(sample, self.domain)

    def run(self, records: Records, ask: Ask) -> Answers:
        queries, n, noise = self._queries, records.size, self.noise
        M, known = queries.M, public_total(self.terms, n)
        if queries.by_points:
            h = np.asarray(ask(noise, records.see(self._counted)), np.float64)
            w = h - (0 if known is None else (h.sum() - known) / len(h))
        else:
            noisy = np.asarray(ask(noise, records.see(lambda sample: M @ self._counted(sample))), np.float64)
            w = weights_near(noisy, M.astype(np.float64), float(noise.variance), known is None, n)
        return self._answers(n, w)

    def _answers(self, n: int, w: Floats) -> Answers:
        return listed_answers(n, self.domain, queries_of(self.concept_class).M, w)


def listed_answers(n: int, domain: Domain, M: Ints, w: Floats) -> ListedAnswers:
    """The counts of all queries that follow from the weights w, in whole records."""
    numbers = np.clip(np.rint(M @ w), 0, n).astype(int)
    patterns = tuple(_pattern(row.astype(bool)) for row in M)
    weights = np.maximum(np.rint(w), 0).astype(int)
    return ListedAnswers(n, domain, patterns, tuple(numbers.tolist()), tuple(weights.tolist()))


def weights_near(y: Floats, M: Floats, variance: float, void: bool, n: int) -> Floats:
    """Weights w with M·w near the noisy counts y: a fit or, if the fit fails, least squares made non-negative.

    If records may be ``void``, void records are fitted as one more point, at which no query holds.
    """
    S = np.column_stack([M, np.zeros(len(M))]) if void else M
    unbiased, _, rank, _ = np.linalg.lstsq(S, y, rcond=None)
    start = np.full(S.shape[1], n / S.shape[1])
    fitted = fitted_weights(S @ unbiased, lambda w: S @ w, lambda r: S.T @ r, start, int(rank) * variance)
    return (nonnegative(np.asarray(unbiased, dtype=np.float64), n) if fitted is None else fitted)[: M.shape[1]]
