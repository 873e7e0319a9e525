"""Claims to audit, and the small universes to audit them on.

Throughout this file
    records    a sample: a tuple of n records          view    records → the data that a mechanism takes
    (x, y)     a labeled record: x is a point, or a node of a binary tree written as a string of bits
    v          a rule, named by a node: what it says of x is h_v(x), and (x, y) may support it
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import chain, combinations, product
from typing import Any

import numpy as np
from flint import arb, ctx

from privpac.audit.exact_divergence import BITS, Worst, once, worst_divergence
from privpac.audit.sampling import Verdict, audit
from privpac.audit.timing import rank_correlation
from privpac.data.samples.prefix_counts import Codes
from privpac.data.samples.sample import Sample, Tally
from privpac.data.values.columns import objects
from privpac.exact.entropy import SYSTEM, Entropy
from privpac.learners.tree_orders.chains import UNLIMITED
from privpac.mechanisms.algorithm import Ask
from privpac.mechanisms.lines.zoom import ValueCounts
from privpac.mechanisms.noise.gaussian import jointly
from privpac.mechanisms.selection.public_stable import NO_PUBLIC, Public, Stable
from privpac.privacy.budget import Budget, Number, as_rational
from privpac.privacy.ledger import Mechanism

Records = tuple[Any, ...]
LabeledRecords = tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Case:
    """One claim: ``mechanism`` on ``view(records)`` costs ``claimed``, for all samples of n records of ``universe``.

    Every sample starts with the records of ``crowd``, so that rare and extreme cases can also be tried among many
    records.

    >>> from privpac.mechanisms.selection.exponential import SparseExponential
    >>> case = Case(SparseExponential(Budget(1, 0.1)), support, "two keys", "ab", 2, Budget(1, 0.1))
    >>> print(case.exact())
    NOT_REFUTED: 0.0909091 is the worst of 2 pairs, ('a', 'b') against ('a', 'a'), within the claimed δ = 0.1 at ε = 1
    >>> case.sampled(runs=100, confidence=1 - 1e-9).refuted
    False
    """

    mechanism: Any
    view: Callable[[Any], Any]
    about: str
    universe: Sequence[Any]
    n: int
    claimed: Budget
    crowd: Records = field(default=(), kw_only=True)
    ordered: bool = field(default=False, kw_only=True)  # whether the law depends on the order of the records

    @property
    def name(self) -> str:
        return str(self.mechanism.name)

    def law(self, records: Records) -> dict[Any, arb]:
        law: dict[Any, arb] = self.mechanism.law(self.data(records))
        return law

    def data(self, records: Records) -> Any:
        """What the mechanism sees of the crowd and of the records."""
        return self.view((*self.crowd, *records))

    def exact(self) -> Worst:
        return worst_divergence(self.law, self.universe, self.n, self.claimed, ordered=self.ordered)

    def overspent(self, by: Number = Fraction(11, 10)) -> Case:
        """A case to be refuted: the claim divided by this factor, as if the mechanism cost more than it says.

        >>> case = Case(max, max, "", "ab", 1, Budget(1.1, 0.11))
        >>> print(case.overspent().claimed)
        ε = 1, δ = 0.1
        """
        factor = as_rational(by, "by")
        return replace(self, claimed=Budget(self.claimed.epsilon / factor, self.claimed.delta / factor))

    def sampled(self, runs: int, confidence: float) -> Verdict:
        """An audit by outputs, on the worst pair of neighbors."""
        checked = once(lambda records: self.mechanism.check(self.data(records)))

        def release(records: Records) -> Any:
            return self.mechanism.release(checked(records), SYSTEM)

        return audit(release, self.exact().pair, claimed=self.claimed, runs=runs, confidence=confidence)

    def timed(self, runs: int, confidence: float) -> tuple[Verdict, float | None]:
        """An audit by outputs and times on the worst pair; and the rank correlation of time and noise on one sample."""
        S, T = (self.mechanism.check(self.data(records)) for records in self.exact().pair)

        def release(data: Any) -> Any:
            return self.mechanism.release(data, SYSTEM)

        release(S), release(T)  # The first runs fill the caches that all further ones use.
        verdict = audit(release, (S, T), claimed=self.claimed, runs=runs, confidence=confidence, timing=True)
        return verdict, rank_correlation(lambda: release(S), S, runs)


def support(records: Iterable[Iterable[str]]) -> Counter[str]:
    """How many records support each candidate; a record is the string of the candidates that it supports.

    >>> support(["a", "ab"])
    Counter({'a': 2, 'b': 1})
    """
    return Counter(chain.from_iterable(records))


def votes(records: Records) -> list[int]:
    """How many records are for "a" and how many for "b".

    >>> votes(("a", "c", "a"))
    [2, 0]
    """
    return [records.count(key) for key in "ab"]


def tally_of(records: LabeledRecords) -> Tally:
    """How many records have each label at each value.

    >>> tally_of((("a", 1), ("a", 0), ("b", 1))).ones
    array([1, 1])
    """
    labels = np.array([y == 1 for _, y in records], dtype=bool)
    return Sample(objects(x for x, _ in records), labels, None, len(records)).tally()


def counts_by_value(records: Records) -> ValueCounts:
    """Values on a line, None if void, as zoom sees them.

    >>> counts_by_value((3, None, 3))
    ValueCounts(values=array([3], dtype=uint64), counts=array([2]), void=1)
    """
    values = [value for value in records if value is not None]
    return ValueCounts.of(np.array(values, dtype=np.uint64), None, len(records))


def counts_by_code(records: Records) -> Codes:
    """Codes, None if void, as a pruned trie sees them.

    >>> counts_by_code(("ab", None, "ab")).nodes
    ['ab']
    """
    counts = Counter(code for code in records if code is not None)
    return Codes(list(counts), np.array(list(counts.values()), dtype=np.int64))


@dataclass(frozen=True)
class Rules:
    """Rules that are candidates only if a record supports them; the methods add other candidates.

    >>> SUBTREES.stable((("01", 1), ("00", 0)))
    Stable(names=['', '0', '01'], level=[0, 1, 2], support=[1, 1, 1], errors=[1, 1, 0], counts=None, spare=None)
    """

    says: Callable[[str, str], bool]  # (v, x) → h_v(x)
    supports: Callable[[str, str, int], bool]  # (v, x, y) → whether (x, y) supports v
    level: Callable[[str], int] = len  # v → its level

    def stable(self, records: LabeledRecords) -> Stable:
        nodes = sorted({x[:depth] for x, _ in records for depth in range(len(x) + 1)})
        q = {v: sum(self.supports(v, x, y) for x, y in records) for v in nodes}
        names = [v for v in nodes if q[v]]
        errors = [sum(self.says(v, x) != y for x, y in records) for v in names]
        return Stable(names, level=[self.level(v) for v in names], support=[q[v] for v in names], errors=errors)

    def against_nothing(self, records: LabeledRecords) -> tuple[dict[str, int], Stable]:
        """A fallback with its errors, the rule that labels everything 0; and the supported rules."""
        return {"nothing": sum(y for _, y in records)}, self.stable(records)

    def alone(self, records: LabeledRecords) -> tuple[dict[str, int], Stable, Public]:
        """``against_nothing``, without public rules."""
        return (*self.against_nothing(records), NO_PUBLIC)

    def with_spare(self, records: LabeledRecords, steps: int = 2) -> tuple[tuple[str, int], Stable]:
        """``against_nothing``; ``spare`` counts records that support the node ``steps`` above, but not the rule."""
        stable = self.stable(records)
        q = dict(zip(stable.names, np.asarray(stable.support), strict=True))
        spare = [UNLIMITED if len(v) < steps else int(q[v[:-steps]] - q[v]) for v in stable.names]
        return ("nothing", sum(y for _, y in records)), stable._replace(spare=spare)

    def with_public(self, records: LabeledRecords) -> tuple[dict[str, int], Stable, Public]:
        """``against_nothing``, with two public rules."""
        errors = [sum(y == 0 for _, y in records), sum((x[:1] == "0") != y for x, y in records)]
        return (*self.against_nothing(records), Public(["everything", "0…"], errors, log_prior=-2.0))

    def against_constants(self, records: LabeledRecords) -> tuple[dict[str, int], Stable, Public]:
        """The supported rules, with the two constant rules as fallbacks."""
        ones = sum(y for _, y in records)
        return {"nothing": ones, "everything": len(records) - ones}, self.stable(records), NO_PUBLIC


POINTS = Rules(says=lambda v, x: v == x, supports=lambda v, x, y: y == 1 and v == x, level=lambda v: 0)
SUBTREES = Rules(says=lambda v, x: x.startswith(v), supports=lambda v, x, y: y == 1 and x.startswith(v))
ROOT_PATHS = Rules(says=lambda v, x: v.startswith(x), supports=lambda v, x, y: y == 1 and x.startswith(v))
THRESHOLDS = Rules(says=lambda v, x: x >= v + "1", supports=lambda v, x, y: len(v) < len(x) and x.startswith(v))


def strings(*lengths: int) -> list[str]:
    """The strings of bits of these lengths: nodes of a binary tree.

    >>> strings(0, 1)
    ['', '0', '1']
    """
    return ["".join(bits) for length in lengths for bits in product("01", repeat=length)]


def labeled(points: Iterable[Any]) -> list[tuple[Any, int]]:
    """Every point with every label.

    >>> labeled("a")
    [('a', 0), ('a', 1)]
    """
    return list(product(points, (0, 1)))


@dataclass(frozen=True)
class Joint:
    """Several mechanisms on the same data, as one mechanism whose output is the tuple of their outputs.

    >>> from privpac.mechanisms.noise.laplace import DiscreteLaplace
    >>> response = DiscreteLaplace(Budget(1), 1, 0, 1)
    >>> sorted(Joint((response, response)).law(0))
    [(0, 0), (0, 1), (1, 0), (1, 1)]
    """

    parts: tuple[Any, ...]

    @property
    def name(self) -> str:
        return f"repeated {self.parts[0].name}"

    def check(self, data: object) -> Any:
        return [part.check(data) for part in self.parts]

    def release(self, data: Any, coins: Entropy) -> Any:
        return tuple(part.release(checked, coins) for part, checked in zip(self.parts, data, strict=True))

    def law(self, data: object) -> dict[Any, arb]:
        with ctx.workprec(BITS):
            return jointly(part.law(data) for part in self.parts)


def mean_law(laws: Iterable[Mapping[Any, arb]], number: int) -> dict[Any, arb]:
    """The law after a uniform choice among mechanisms; ``number`` is how many there are.

    >>> {outcome: float(p) for outcome, p in mean_law([{"a": arb(1)}, {"b": arb(1)}], 2).items()}
    {'a': 0.5, 'b': 0.5}
    """
    mean: defaultdict[Any, arb] = defaultdict(lambda: arb(0))
    with ctx.workprec(BITS):
        for law in laws:
            for outcome, p in law.items():
                mean[outcome] += p / number
    return dict(mean)


def with_answers(ask: Ask) -> tuple[Ask, list[Any]]:
    """The same ``ask``, and a list to which it adds each answer."""
    answers: list[Any] = []

    def ask_and_add(mechanism: Mechanism, data: object) -> Any:
        answers.append(ask(mechanism, data))
        return answers[-1]

    return ask_and_add, answers


class AsIs:
    """A mechanism in an audit that takes data as they are; its name is that of its class."""

    @property
    def name(self) -> str:
        return type(self).__name__

    def check(self, data: Any) -> Any:
        return data


@dataclass(frozen=True)
class Subsampled(AsIs):
    """A mechanism on ``view`` of m records that are drawn uniformly. The view must not depend on their order.

    >>> from privpac.mechanisms.noise.laplace import DiscreteLaplace
    >>> half = Subsampled(DiscreteLaplace(Budget(1), 1, 0, 1), sum, 1)
    >>> round(float(half.law((0, 1))[1]), 6)
    0.5
    """

    mechanism: Any
    view: Callable[[Any], Any]
    m: int
    with_replacement: bool = False

    @property
    def name(self) -> str:
        return f"{'redrawn' if self.with_replacement else 'subsampled'} {self.mechanism.name}"

    def release(self, data: Records, coins: Entropy) -> Any:
        choices = self._choices(data)
        records = choices[coins.below(len(choices))]
        return self.mechanism.release(self.mechanism.check(self.view(records)), coins)

    def law(self, data: Records) -> dict[Any, arb]:
        choices = self._choices(data)
        return mean_law((self.mechanism.law(self.view(records)) for records in choices), len(choices))

    def _choices(self, data: Records) -> list[Records]:
        return list(product(data, repeat=self.m) if self.with_replacement else combinations(data, self.m))
