"""ReduceTree on random small classes and samples: Lemmas 5.1–5.5 and Claim 5.9, by the definitions of Ldim and SOA."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from math import floor

import numpy as np
import pytest

from privpac.dimensions.oracle import ListedOracle
from privpac.papers.ggkm21.reduce_tree import Levels, most_hypotheses, reduce_tree
from tests.dimensions.test_irreducible import by_definition, ldim
from tests.papers.ggkm21.test_trees import after, classes, soa

pytestmark = pytest.mark.papers

RECORDS, ENOUGH = 60, 150
EDITIONS = {
    # levels of step j records, and how far below α_t lie the class H of the proof, in steps, and what one record moves
    "printed": (lambda d, k: Levels.printed(d, Fraction(6, RECORDS), k), Fraction(5, 6), Fraction(1, 2)),
    "tight": (lambda d, k: Levels.tight(d, Fraction(4, RECORDS), k), Fraction(3, 4), Fraction(3, 4)),
}
edition = pytest.mark.parametrize("edition", EDITIONS)


def drawn(rng, rows, realizable=True):
    """How many of so many records each labeled point has; the labels by a concept, or by none."""
    c = rows[int(rng.integers(len(rows)))]
    masses = rng.multinomial(RECORDS, rng.dirichlet(np.full(len(c), 0.5)))
    counts = np.zeros((len(c), 2), dtype=np.int64)
    counts[np.arange(len(c)), c] = masses
    return counts if realizable else rng.multinomial(RECORDS, rng.dirichlet(np.full(2 * len(c), 0.3))).reshape(-1, 2)


def moved(rng, counts):
    """The same, but one record is at another point, with the label that the concept has there."""
    labels = np.where(counts[:, 1] > 0, 1, 0)
    new = counts.copy()
    x, z = rng.choice(np.flatnonzero(counts.sum(axis=1))), rng.integers(len(counts))
    new[x, labels[x]] -= 1
    new[z, labels[z]] += 1
    return new


def errors(row, counts):
    return sum(int(counts[x, 1 - y]) for x, y in enumerate(row))


def low_error(rows, counts, share):
    return frozenset(row for row in rows if errors(row, counts) <= share * RECORDS)


def distinct(rows):
    """Rows whose points differ, so that the oracle's points are the columns."""
    kept = ListedOracle(rows).points
    return sorted({tuple(row[x] for x in kept) for row in rows})


def cases(seed, edition, realizable=True):
    for rng, found in classes(seed, 10, 5):
        rows = distinct(found)
        d = ldim(frozenset(rows))
        if d < 1:
            continue
        levels = EDITIONS[edition][0](d, int(rng.integers(1, 4)))
        yield rng, rows, levels, drawn(rng, rows, realizable)


@edition
def test_lemmas_5_1_and_5_2(edition):
    ends = set()
    for i, (_, rows, levels, counts) in enumerate(cases(1, edition)):
        found = reduce_tree(ListedOracle(rows), counts, levels)
        α = levels.alpha(found.t)

        def left_at(share, v, rows=rows, counts=counts, found=found):
            return after(low_error(rows, counts, share), found.tree.ancestors(v))

        most = max(ldim(left_at(α, v)) for v in found.tree.leaves)
        assert set(found.leaves) == {v for v in found.tree.leaves if ldim(left_at(α, v)) == most}
        good = [v for v in found.leaves if ldim(left_at(α - levels.step, v)) == most >= 0]
        assert any(by_definition(sorted(left_at(α - levels.step, v)), levels.k(found.t)) for v in good)
        assert found.tree.height <= levels.k(found.t) - levels.k_prime
        wanted = {
            soa(left_at(α - levels.back * levels.step, v), len(rows[0]))
            for v in found.leaves
            if (left := left_at(α - levels.back * levels.step, v)) and by_definition(sorted(left), levels.k_prime)
        }
        assert {tuple(h(range(len(rows[0]))).tolist()) for h in found.hypotheses} == wanted
        ends.add(levels.d + 1 - found.t)
        if i == ENOUGH:
            break
    assert {0, 1} <= ends


@edition
def test_lemmas_5_3_and_5_4(edition):
    """A good sample finds σ*: whatever sample it is, SOA of the best sub-class of the population is among its votes."""
    _, below, between = EDITIONS[edition]
    for tried, (rng, rows, levels, population) in enumerate(cases(2, edition)):
        n, counts = len(rows[0]), moved(rng, population)
        found = reduce_tree(ListedOracle(rows), counts, levels)
        k, α = levels.k(found.t), levels.alpha(found.t)
        H = low_error(rows, population, α - below * levels.step)
        J = low_error(rows, population, α - between * levels.step)
        G = low_error(rows, population, α - (1 - below) * levels.step)
        some = [
            S
            for size in range(min(n, k - levels.k_prime) + 1)
            for xs in combinations(range(n), size)
            for S in (tuple(zip(xs, ys, strict=True)) for ys in product((0, 1), repeat=size))
        ]
        M = [
            S
            for S in some
            if after(H, S) and ldim(after(H, S)) == ldim(after(G, S)) and by_definition(sorted(after(H, S)), k)
        ]
        assert M
        best = max(ldim(after(H, S)) for S in M)
        stars = {soa(after(J, S), n) for S in M if ldim(after(H, S)) == best}
        assert stars <= {tuple(h(range(n)).tolist()) for h in found.hypotheses}
        if tried == ENOUGH:
            break


@edition
@pytest.mark.parametrize("realizable", [True, False])
def test_lemma_5_5_and_claim_5_9(edition, realizable):
    """Few hypotheses, for any sample; if k′ is large, none of them errs more than the concepts it comes from."""
    fullest = 0.0
    for i, (_, rows, levels, counts) in enumerate(cases(3, edition, realizable)):
        F = ListedOracle(rows)
        found = reduce_tree(F, counts, levels)
        assert len(found.hypotheses) <= most_hypotheses(levels, len(rows[0])) <= most_hypotheses(levels)
        fullest = max(fullest, len(found.hypotheses) / most_hypotheses(levels, len(rows[0])))
        most = floor((levels.top - levels.back * levels.step) * RECORDS)
        large = EDITIONS[edition][0](levels.d, most + 1)
        for h in reduce_tree(F, counts, large).hypotheses:
            assert errors(h(range(len(rows[0]))).astype(int).tolist(), counts) <= most
        if i == ENOUGH:
            break
    assert fullest >= (0.6 if realizable else 0.4)


def test_a_sample_that_no_concept_fits_has_no_hypotheses():
    F = ListedOracle(np.eye(3, dtype=int))
    found = reduce_tree(F, np.array([[0, 9], [0, 9], [0, 9]]), Levels.tight(1, Fraction(1, 10), 3))
    assert (found.hypotheses, found.t) == (frozenset(), 1)


def test_one_concept():
    found = reduce_tree(ListedOracle([[1, 0]]), np.array([[0, 5], [5, 0]]), Levels.tight(0, Fraction(1, 10), 1))
    assert [h([0, 1]).tolist() for h in found.hypotheses] == [[True, False]]


def test_levels_as_printed_and_tight():
    """Steps 2 and 3 of Algorithm 1 for d = 2; the tight ones end at α_Δ, and take hypotheses from halfway."""
    step, k = Fraction(1, 100), 7
    printed, tight = Levels.printed(2, step, k), Levels.tight(2, step, k)
    assert [printed.alpha(t) for t in (1, 2, 3)] == [(2 + 3 - t) * step for t in (1, 2, 3)]
    assert [printed.k(t) for t in (1, 2, 3)] == [k * 2**t for t in (1, 2, 3)]
    assert [tight.alpha(t) for t in (1, 2, 3)] == [3 * step, 2 * step, step]
    assert [tight.k(t) for t in (1, 2, 3)] == [k, 2 * k, 4 * k]
    assert (printed.back, tight.back) == (Fraction(2, 3), Fraction(1, 2))


def test_one_irreducible_leaf_ends_the_loop_and_the_others_have_no_vote():
    """Where p = 0, one of six points; where p = 1, two concepts. Both parts have Ldim 1; one label reduces the second.

    So step 2 breaks at the first part, and the second, which is not 1-irreducible, has no hypothesis.
    """
    few = [[1, 1, *[0] * 5], [1, 0, *[0] * 5]]
    F = ListedOracle([*([0, *row] for row in np.eye(6, dtype=int).tolist()), *few])
    found = reduce_tree(F, np.zeros((7, 2), dtype=np.int64), Levels.tight(2, Fraction(1, 10), 1))
    assert (found.t, found.leaves) == (2, ((0,), (1,)))
    assert [h(range(7)).tolist() for h in found.hypotheses] == [[False] * 7]


def test_equal_columns_are_one_point():
    """A class with a column twice finds what the class without the copy finds, wherever the examples lie."""
    rows = np.array([[0, 0, 1], [0, 1, 0], [1, 0, 0]])
    levels = Levels.tight(1, Fraction(1, 7), 3)
    once = reduce_tree(ListedOracle(rows), np.array([[6, 0], [0, 1], [2, 0]]), levels)
    for split in ([[6, 0], [0, 0]], [[2, 0], [4, 0]]):
        twice = reduce_tree(ListedOracle(rows[:, [0, 0, 1, 2]]), np.array([*split, [0, 1], [2, 0]]), levels)
        assert once.hypotheses
        assert [h([1, 2, 3]).tolist() for h in twice.hypotheses] == [h([0, 1, 2]).tolist() for h in once.hypotheses]
    with pytest.raises(ValueError, match="counts must have 4 rows, one for each point, and 2 columns"):
        reduce_tree(ListedOracle(rows[:, [0, 0, 1, 2]]), np.array([[6, 0], [0, 1], [2, 0]]), levels)


@pytest.mark.parametrize("value", [-1, 1.5, float("inf"), True, None], ids=repr)
@pytest.mark.parametrize("name", ["d", "k_prime", "k_first"])
def test_levels_have_whole_numbers_of_points(name, value):
    """A negative k₁ would count fewer hypotheses than the one that a tree without children still has."""
    with pytest.raises(ValueError, match=f"{name} must be a whole number, at least 0"):
        replace(Levels.tight(1, Fraction(1, 7), 4), **{name: value})


def test_levels_are_exact():
    """Integers of numpy would overflow, and floats are read as the decimals that they print as."""
    levels = Levels(np.int64(80), 0.1, "0.9", 0, np.int8(3), np.int8(3))
    assert (levels.k(80), levels.alpha(2), levels.error_shares[1]) == (3 << 79, Fraction(4, 5), Fraction(4, 5))
    with pytest.raises(ValueError, match="top must be a finite number"):
        replace(levels, top=float("nan"))
