"""Neighbors: two samples of the same size that differ in one record.

The order of the two does not matter: an audit checks both directions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, combinations_with_replacement, permutations, product
from typing import Any

Pair = tuple[Any, Any]


def neighbor_pairs(universe: Sequence[Any], n: int, *, ordered: bool = False) -> Iterator[Pair]:
    """Every pair of neighbors of size ``n``, once: samples are tuples, multisets unless ``ordered``.

    >>> list(neighbor_pairs("ab", 2))
    [(('a', 'a'), ('a', 'b')), (('a', 'b'), ('b', 'b'))]
    >>> len(list(neighbor_pairs("ab", 2, ordered=True)))
    4
    """
    indices = range(len(universe))  # a sample is built as a tuple of indices into the universe
    common_parts = product(indices, repeat=n - 1) if ordered else combinations_with_replacement(indices, n - 1)
    for common in common_parts:
        for position in range(n if ordered else 1):
            for substitution in combinations(indices, 2):
                both = [(*common[:position], index, *common[position:]) for index in substitution]
                S, T = (tuple(universe[i] for i in (sample if ordered else sorted(sample))) for sample in both)
                yield S, T


def hostile(universe: Sequence[Any], n: int) -> list[Pair]:
    """Pairs of samples of size ``n`` that often reveal a leak, over the first, two middle, and the last records.

    There are three kinds: equal records, one of which changes, so that a new key appears; two clusters, so that the
    majority and the median move from one to the other; and records spread over the universe, with several equal ones
    among them. ``universe`` holds distinct records, in order; it may be a range of any length.

    >>> hostile(["no", "yes"], 2)
    [(('no', 'no'), ('no', 'yes')), (('yes', 'yes'), ('yes', 'no'))]
    >>> hostile(range(2**64), 1)[0]
    ((0,), (9223372036854775808,))
    """
    last = universe.index(universe[-1])
    if n < 1 or last < 1:
        raise ValueError("there are no neighbors; give n ≥ 1 and a universe of at least two records")
    records = [universe[i] for i in sorted({0, (last + 1) // 2, min((last + 1) // 2 + 1, last), last})]
    spread = [universe[last * i // n] for i in range(n - n // 2)]
    half = n // 2
    pairs: dict[frozenset[Any], Pair] = {}
    for a, b in permutations(records, 2):
        for common in ([a] * (n - 1), [a] * half + [b] * (n - 1 - half), (spread + [a] * n)[: n - 1]):
            S, T = (*common, a), (*common, b)
            pairs.setdefault(frozenset((frozenset(Counter(S).items()), frozenset(Counter(T).items()))), (S, T))
    return list(pairs.values())


def around(threshold: int, n: int, keys: Sequence[Any] = ("a", "b", "c")) -> list[Pair]:
    """Samples of keys in which the first key's count reaches ``threshold``, and neighbors in which it does not.

    The record that leaves the first key joins a crowd, or brings a new key.

    >>> around(2, 3)
    [(('a', 'b', 'a'), ('a', 'b', 'b')), (('a', 'b', 'a'), ('a', 'b', 'c'))]
    """
    if not 1 <= threshold <= n:
        raise ValueError("the threshold must lie between 1 and n")
    a, crowd, new = keys
    common = (a,) * (threshold - 1) + (crowd,) * (n - threshold)
    return [((*common, a), (*common, other)) for other in (crowd, new)]
