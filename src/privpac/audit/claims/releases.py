"""Claims of releases and of their certificates, on small universes."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import product

from privpac.audit.claims.case import Case, coded
from privpac.audit.claims.marginals import marginal_cases
from privpac.audit.claims.measured_tries import measured_trie_cases
from privpac.audit.claims.split_trees import split_tree_cases
from privpac.audit.claims.tables import table_cases
from privpac.audit.controls.broken_releases import off_by
from privpac.mechanisms.histograms.pruned_trie import PrunedTrie
from privpac.mechanisms.noise.measured_gap import MeasuredGap
from privpac.privacy.budget import Budget


def release_cases() -> Iterator[Case]:
    """All claims.

    >>> next(release_cases()).exact().refuted
    False
    """
    yield from _certificates()
    yield from _tries()
    yield from measured_trie_cases()
    yield from split_tree_cases()
    yield from marginal_cases()
    yield from table_cases()


def _certificates() -> Iterator[Case]:
    for cost, n in product((Budget("0.1"), Budget(1), Budget(6)), (1, 3)):
        gap = MeasuredGap(cost, Fraction(1, 20))
        yield Case(gap, partial(off_by, {"a": 2, "b": 1}), "the gap of 2 answers", "abc", n, cost)


def _tries() -> Iterator[Case]:
    """Where a single record is shown with probability δ₀, and where the noise of all levels uses up ε."""
    one, two, total = Budget(1, "1.14e-6"), Budget(6, "2.4e-6"), Budget(6, "1.48e-6")
    flat, deep, void = PrunedTrie(one, 1), PrunedTrie(two, 2), PrunedTrie(total, 1, root="")
    for n in (1, 2):
        yield Case(flat, coded, "3 codes of one step", ("a", "b", None), n, one)
    crowd = ("a", "b") * 2 * flat.least
    yield Case(flat, coded, f"2 codes of one step, {len(crowd)} more records", "ab", 1, one, crowd=crowd)
    yield Case(deep, coded, "5 codes of up to 2 steps", ("aa", "ab", "b", "a", None), 1, two)
    crowd = ("aa", "bb") * 2 * deep.least
    yield Case(deep, coded, f"2 codes of 2 steps, {len(crowd)} more records", ("aa", "bb"), 1, two, crowd=crowd)
    crowd = ("a",) * 20
    yield Case(void, coded, "codes or none, 20 more records", ("a", None), 2, total, crowd=crowd)
