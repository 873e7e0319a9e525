"""Replays: a run on one sample is recorded; a run on its neighbor gets the same answers.

Given the answers so far, everything but what mechanisms see is public. So both runs must ask the same mechanisms in the
same order, and end in the same way, down to the last byte. What a mechanism sees may differ by what one record, or one
unit, can change: numbers by their sensitivity, and anything else so little that the laws stay within the cost.

Main declarations
    Tape       what a run asks and what it is told, and a second run that is told the same
    changed    whether what a mechanism sees differs by more than it allows
    spoiled    a record that may not fit
    said       what a run returns and warns about
"""

import math
import os
import random
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice, zip_longest
from typing import Any, NamedTuple

import numpy as np
import pytest

from privpac.audit.exact_divergence import divergence
from privpac.data.samples.prefix_counts import Codes
from privpac.data.samples.sample import InOrder
from privpac.exact.entropy import Entropy
from privpac.mechanisms.algorithm import Algorithm
from privpac.mechanisms.decision_trees.counts import CellRecords
from privpac.mechanisms.decision_trees.tree_exponential import TreeExponential
from privpac.mechanisms.half_spaces.perceptron import GaussianSums
from privpac.mechanisms.histograms.pruned_trie import PrunedTrie, prefix_counts
from privpac.mechanisms.histograms.truncated import TruncatedHistogram
from privpac.mechanisms.lines.atoms import Atoms
from privpac.mechanisms.lines.split_tree import SplitTree
from privpac.mechanisms.lines.zoom import ValueCounts, Zoom
from privpac.mechanisms.noise.disjoint_counts import DisjointCounts
from privpac.mechanisms.noise.gaussian import DiscreteGaussian
from privpac.mechanisms.noise.laplace import DiscreteLaplace, DiscreteLaplaces
from privpac.mechanisms.noise.measured_gap import MeasuredGap
from privpac.mechanisms.quantiles.several_quantiles import QuantileTree
from privpac.mechanisms.selection.blockwise_exponential import BlockExponential
from privpac.mechanisms.selection.permute_and_flip import PermuteAndFlip
from privpac.privacy.accounting.group_privacy import PerUnit
from privpac.privacy.ledger import Ledger, Mechanism
from privpac.privacy.rounding import ball

SEEDS = int(os.environ.get("REPLAYS", "1"))  # how many pairs of neighbors are tried in each way
MOST_BLOCKS = 200  # of errors that are compared


class Seen(NamedTuple):
    """What a mechanism is given, and the form that it is released in."""

    given: Any
    checked: Any

    @staticmethod
    def by(mechanism: Mechanism, given: Any) -> "Seen":
        return Seen(given, mechanism.check(given))


class Step(NamedTuple):
    """A mechanism, what it saw, and what it released."""

    mechanism: Mechanism
    seen: Seen
    answer: Any


@dataclass
class Tape:
    """What a run asked, step by step; algorithms that ask other mechanisms are followed down to those."""

    steps: list[Step] = field(default_factory=list)
    again: list[Step] = field(default_factory=list)  # what the replay asked

    @contextmanager
    def recorded(self) -> Iterator[None]:
        """A block in which ledgers record."""
        yield from _through(self._record)

    @contextmanager
    def replayed(self) -> Iterator[None]:
        """A block in which ledgers give the recorded answers, to the same mechanisms."""
        self.again = []
        yield from _through(self._replay)
        assert len(self.again) == len(self.steps), "the replay asked for less"

    def _record(self, mechanism: Mechanism, seen: Seen, coins: Entropy) -> Any:
        answer = mechanism.release(seen.checked, coins)
        self.steps.append(Step(mechanism, seen, answer))
        return answer

    def _replay(self, mechanism: Mechanism, seen: Seen, _: Entropy) -> Any:
        assert len(self.again) < len(self.steps), f"the replay asked for more: {mechanism.name}"
        known = self.steps[len(self.again)]
        assert public(mechanism) == public(known.mechanism)
        self.again.append(Step(mechanism, seen, known.answer))
        return known.answer

    def too_far(self) -> list[str]:
        """The mechanisms that saw more change than they allow."""
        pairs = zip_longest(self.steps, self.again)
        return [one.mechanism.name for one, two in pairs if two and changed(one.mechanism, one.seen, two.seen)]


@dataclass(frozen=True)
class Followed(Mechanism):
    """A mechanism whose releases, and those of the mechanisms that it asks, are made by ``answer``."""

    whole: Mechanism
    answer: Any

    @property
    def cost(self):  # type: ignore[override]
        return self.whole.cost

    @property
    def name(self):
        return self.whole.name

    @property
    def theorem(self):
        return self.whole.theorem

    def check(self, data):
        return Seen.by(self.whole, data)

    def release(self, data, coins):
        per_unit = isinstance(self.whole, PerUnit)
        inner = self.whole.inner if per_unit else self.whole
        if not isinstance(inner, Algorithm):
            return self.answer(self.whole, data, coins)

        def ask(mechanism, seen):
            one = PerUnit(mechanism, self.whole.k) if per_unit else mechanism
            return Followed(one, self.answer).release(Seen.by(one, seen), coins)

        return inner.run(data.checked, ask)


def _through(answer: Any) -> Iterator[None]:
    spend = Ledger.spend
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Ledger, "spend", lambda self, mechanism, sample: spend(self, Followed(mechanism, answer), sample))
        yield


def public(mechanism: Mechanism) -> tuple[str, str]:
    """A mechanism's kind and public parameters, as text."""
    with np.printoptions(threshold=10_000):
        return type(mechanism).__name__, repr(mechanism)


def changed(mechanism: Mechanism, one: Seen, other: Seen) -> bool:
    """Whether what a mechanism sees of two neighbors differs by more than it allows."""
    here, there = one.checked, other.checked
    whole, k = (mechanism.inner, mechanism.k) if isinstance(mechanism, PerUnit) else (mechanism, 1)
    match whole:
        case DisjointCounts():
            return _distance(here, there) > 2 * k
        case DiscreteLaplace() | DiscreteLaplaces():
            return _distance(np.atleast_1d(here), np.atleast_1d(there)) > whole.sensitivity * k
        case DiscreteGaussian():
            return int(((here - there) ** 2).sum()) > whole.squared_sensitivity * k**2
        case PermuteAndFlip() if type(whole) is PermuteAndFlip:
            return _farthest(one.given, other.given) > k
        case BlockExponential() if type(whole) is BlockExponential:
            return max(islice(map(_farthest, here, there), MOST_BLOCKS)) > k
        case MeasuredGap():
            return abs(here - there) > k
        case TruncatedHistogram():
            return _moved(*({repr(key): count for key, count in each.items()} for each in (here, there))) > 2 * k
        case PrunedTrie() if isinstance(here, Codes):
            return _moved(prefix_counts(here), prefix_counts(there)) > 2 * (whole.height + 1) * k
        case SplitTree() | Atoms() | QuantileTree() | Zoom() | TreeExponential():
            return _moved(_records(here), _records(there)) > 2 * k
        case GaussianSums():
            (missed, *sums), (_, *most) = map(abs, np.subtract(here, there)), whole.largest
            square = sum(each**2 for each in most)  # r²: a record that is missed in both moves the sums by 2r at most
            return missed > k or sum(each**2 for each in sums) > (2 * k - missed) ** 2 * square
    laws = [whole.law(each.given) for each in (one, other)]
    return any(divergence(*way, mechanism.cost.epsilon) > ball(mechanism.cost.delta) for way in (laws, laws[::-1]))


def _records(held: InOrder | ValueCounts | CellRecords | Any) -> Counter[Any]:
    """How many records a view holds of each kind."""
    match held:
        case InOrder():
            values, counts = held.values.tolist(), np.diff(held.total(np.arange(len(held.values) + 1)))
        case ValueCounts():
            values, counts = [*held.values.tolist(), None], np.append(held.counts, held.void)
        case CellRecords():
            rows = np.atleast_2d(held.w)
            values = [(label, *cells) for label in range(len(rows)) for cells in held.cells.T.tolist()]
            counts = rows.reshape(-1)
        case _:
            values, counts = np.asarray(held).tolist(), np.ones(len(held))
    found: Counter[Any] = Counter()
    for value, count in zip(values, map(int, counts), strict=True):
        found[value] += count
    return found


def _farthest(here: Any, there: Any) -> int:
    return int(np.abs(np.subtract(here, there)).max())


def _distance(here: Any, there: Any) -> int:
    return sum(abs(int(a) - int(b)) for a, b in zip(here, there, strict=True))


def _moved(here: Mapping[Any, int], there: Mapping[Any, int]) -> int:
    return sum(abs(here.get(key, 0) - there.get(key, 0)) for key in {**here, **there})


HOSTILE = (
    *(None, math.nan, np.float64("nan"), math.inf, -math.inf, 1e308, 10**400, -(10**400), 2**63, -1, 10**6, 0.5, True),
    *("", "text", "1", "é", "e\u0301", "\ud800", "a;b;c" * 50, b"x", (), (1, 2, 3), [1], {}, object()),
)  # what a record may hold instead of a value


def spoiled(value: Any, rng: random.Random) -> Any:
    """A record that may not fit: any hostile value instead of this one, or inside of it."""
    other = rng.choice(HOSTILE)
    if isinstance(value, tuple) and value and rng.random() < 0.5:
        at = rng.randrange(len(value))
        return (*value[:at], other, *value[at + 1 :])
    return other


def column(values: Any) -> Any:
    """Any values as they are, in an array."""
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found


def said(run: Any) -> tuple[Any, list[str]]:
    """What a run returns, and the warnings that it shows."""
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        told = run()
    return told, [f"{each.category.__name__}: {each.message}" for each in shown]
