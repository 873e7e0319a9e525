"""The small universes are what mechanisms ask for, and combinations of mechanisms have the laws that they claim."""

from collections import Counter
from itertools import product

import pytest
from flint import arb

from privpac.audit.claims.case import (
    POINTS,
    ROOT_PATHS,
    SUBTREES,
    THRESHOLDS,
    Case,
    Joint,
    Subsampled,
    labeled,
    strings,
    support,
)
from privpac.audit.neighbors import neighbor_pairs
from privpac.exact.entropy import Seeded
from privpac.mechanisms.noise.laplace import DiscreteLaplace
from privpac.mechanisms.selection.exponential import SparseExponential
from privpac.privacy.budget import Budget

RESPONSE = DiscreteLaplace(Budget(1), 1, 0, 1)
UNIVERSES = [
    (POINTS, labeled("abc")),
    (SUBTREES, labeled(strings(2))),
    (ROOT_PATHS, labeled(strings(0, 1, 2))),
    (THRESHOLDS, labeled(strings(2))),
]


def table(stable):
    columns = zip(stable.level, stable.support, stable.errors, strict=True)
    return dict(zip(stable.names, columns, strict=True))


@pytest.mark.parametrize(("rules", "universe"), UNIVERSES)
@pytest.mark.parametrize("n", [1, 2])
def test_one_record_does_what_a_caller_attests(rules, universe, n):
    """It changes supports and errors by at most 1 and brings at most one rule per level, with support 1."""
    for pair in neighbor_pairs(universe, n):
        for S, T in (pair, pair[::-1]):
            here, there = table(rules.stable(S)), table(rules.stable(T))
            for name in here.keys() & there.keys():
                assert all(abs(a - b) <= 1 for a, b in zip(here[name], there[name], strict=True))
            new = [here[name] for name in here.keys() - there.keys()]
            assert all(support == 1 for _, support, _ in new)
            assert max(Counter(level for level, _, _ in new).values(), default=0) <= 1


@pytest.mark.parametrize(("rules", "universe"), UNIVERSES[:2])
def test_support_bounds_the_gain_over_nothing(rules, universe):
    for records in product(universe, repeat=2):
        fallback, stable = rules.against_nothing(records)
        assert all(fallback["nothing"] - errors <= q for _, q, errors in table(stable).values())


@pytest.mark.parametrize(
    ("rules", "node", "positives"),
    [(SUBTREES, "0", {"00", "01"}), (ROOT_PATHS, "01", {"", "0", "01"}), (THRESHOLDS, "0", {"01", "10", "11"})],
)
def test_rules_say_what_their_name_says(rules, node, positives):
    points = strings(2) if rules is not ROOT_PATHS else strings(0, 1, 2)
    assert {x for x in points if rules.says(node, x)} == positives


def test_fallbacks_and_public_rules_count_their_errors():
    records = (("00", 1), ("01", 0), ("10", 1))
    assert SUBTREES.against_nothing(records)[0] == {"nothing": 2}
    assert SUBTREES.against_constants(records)[0] == {"nothing": 2, "everything": 1}
    assert list(SUBTREES.with_public(records)[2].errors) == [1, 2]


def test_a_record_supports_what_it_names():
    assert support(("ab", "b", "")) == {"a": 1, "b": 2}


def test_the_law_of_several_uses_is_the_product():
    alone, together = RESPONSE.law(0), Joint((RESPONSE, RESPONSE, RESPONSE)).law(0)
    assert float(together[0, 1, 0]) == pytest.approx(float(alone[0] * alone[1] * alone[0]))
    assert float(sum(together.values(), arb(0))) == pytest.approx(1)
    joint = Joint((RESPONSE, RESPONSE))
    assert joint.release(joint.check(1), Seeded(1)) in joint.law(1)


def test_the_law_of_a_subsample_is_the_mean():
    sub = Subsampled(RESPONSE, sum, 1)
    mean = sum(RESPONSE.law(bit)[1] for bit in (0, 0, 1)) / 3
    assert float(sub.law((0, 0, 1))[1]) == pytest.approx(float(mean))
    assert sub.release(sub.check((1, 1)), Seeded(1)) in (0, 1)


@pytest.mark.slow
def test_a_case_is_tried_both_ways():
    cost = Budget(1, 0.2)
    right = Case(SparseExponential(cost), support, "", "ab", 1, cost)
    wrong = Case(SparseExponential(Budget(1, 0.8)), support, "", "ab", 1, cost)
    assert right.name == "sparse exponential"
    assert not right.exact().refuted
    assert wrong.exact().refuted
    assert not right.sampled(500, 1 - 1e-9).refuted
    assert wrong.sampled(500, 0.999).refuted
