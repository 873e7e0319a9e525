"""What a class given by a rule must satisfy, checked against its definition written out on a small domain.

A definition is a list of predicates, one for each concept; nothing here shares code with the classes.
"""

import re
from functools import cache
from itertools import combinations
from pathlib import Path

from privpac.classes.hypothesis import Hypothesis

ROOT = Path(__file__).resolve().parents[2]


def rows_of(predicates, points):
    """The distinct label vectors of some predicates."""
    return {tuple(bool(c(x)) for x in points) for c in predicates}


def assert_patterns(cls, predicates, points):
    """Π on points, which may repeat, is that of the predicates, each pattern once."""
    found = [tuple(row) for row in cls.patterns(points).tolist()]
    assert set(found) == rows_of(predicates, points)
    assert len(set(found)) == len(found)


def vc(rows):
    """Points that show all patterns, as many as possible."""
    n = len(next(iter(rows)))
    best = 0
    for k in range(1, len(rows).bit_length()):
        if not any(len({tuple(row[x] for x in P) for row in rows}) == 2**k for P in combinations(range(n), k)):
            break
        best = k
    return best


def littlestone(rows):
    """1 + the best split, by the recursion that defines it."""

    @cache
    def at_least(H, d):
        if len(H) < 2**d:
            return False
        if d == 0:
            return True
        for x in range(len(next(iter(H)))):
            one = frozenset(row for row in H if row[x])
            if at_least(one, d - 1) and at_least(H - one, d - 1):
                return True
        return False

    d = 0
    while at_least(frozenset(rows), d + 1):
        d += 1
    return d


def threshold(rows):
    """The longest c₁, c₂ …, x₁, x₂ … with c_i(x_j) = 1 iff i ≤ j, built from the front."""

    @cache
    def longest(H, points):
        best = 0
        for c in H:
            for x in points:
                if c[x]:
                    rest = frozenset(y for y in points if c[y] and y != x)
                    best = max(best, 1 + longest(frozenset(b for b in H if not b[x]), rest))
        return best

    return longest(frozenset(rows), frozenset(range(len(next(iter(rows))))))


def dual(rows):
    """Points and concepts change places."""
    return set(zip(*sorted(rows), strict=True))


MEASURES = {"VC": vc, "Littlestone": littlestone, "threshold": threshold}


def dimension(kind, rows):
    """A dimension, or that of the dual, by its definition."""
    return MEASURES[kind.removeprefix("dual ")](dual(rows) if kind.startswith("dual ") else rows)


KINDS = [prefix + kind for prefix in ("", "dual ") for kind in MEASURES]


def assert_known(cls, predicates, points, unknown=()):
    """Every closed form is the dimension of the predicates; all are known but those that are said to be unknown."""
    rows = rows_of(predicates, points)
    for kind in KINDS:
        known = cls.known(kind)
        assert (known is None) == (kind in unknown), kind
        if known is not None:
            assert known.value == dimension(kind, rows), kind
            page, _, heading = known.why.partition(", ")
            assert re.search(rf"^#+ {re.escape(heading)}\b", (ROOT / page).read_text("utf-8"), re.MULTILINE), known.why
    assert cls.known("width") is None


def assert_comes_back(hypothesis):
    """JSON gives back an equal hypothesis of equal parts."""
    again = Hypothesis.from_json(hypothesis.to_json())
    assert again == hypothesis
    assert repr(again) == repr(hypothesis) or isinstance(next(iter(vars(hypothesis).values())), frozenset)
    assert hash(again) == hash(hypothesis)
    assert str(again) == str(hypothesis)
    hypothesis.sentence("age").encode()  # printable anywhere
