"""A verifier believes a witness that is right, and no other one."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from privpac.classes.finite.explicit import ExplicitClass
from privpac.dimensions.dimension import Dimension
from privpac.dimensions.irreducible import irreducibility
from privpac.dimensions.witnesses import (
    MistakeTree,
    ReducingSet,
    ShatteredSet,
    ThresholdSequence,
    verify,
    whole_tree,
)

CUBE = ExplicitClass(
    [[0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 0]], points=["a", "b", "never"], concepts=["none", "b", "a", "both"]
)
LINE = ExplicitClass([[x >= t for x in range(8)] for t in range(9)], concepts="abcdefghi")
SHATTERED = ShatteredSet(("a", "b"), ("none", "b", "a", "both"))
# The root asks 3; on label 0 the threshold lies above, so the next question is 5.
TREE = MistakeTree((3, 5, 1, 6, 4, 2, 0), ("h", "g", "f", "e", "d", "c", "b", "a"))
SEQUENCE = ThresholdSequence((0, 1, 2, 3), ("a", "b", "c", "d"))

CASES = [(CUBE, "VC", SHATTERED, 2), (LINE, "Littlestone", TREE, 3), (LINE, "threshold", SEQUENCE, 4)]
EACH = pytest.mark.parametrize(("c", "kind", "witness", "value"), CASES, ids=["VC", "Littlestone", "threshold"])


def believed(c, kind, witness, value):
    return verify(c, Dimension(kind, value, value, witness, "claimed"))


@EACH
def test_a_right_witness_is_believed(c, kind, witness, value):
    assert witness.value == value
    assert believed(c, kind, witness, value)


@EACH
def test_a_claim_of_more_or_less_is_not(c, kind, witness, value):
    for claim in (value - 1, value + 1, 0, -1):
        assert not believed(c, kind, witness, claim)
    assert not believed(c, kind, None, value)


@EACH
def test_bounds_are_believed_by_their_lower_end(c, kind, witness, value):
    assert verify(c, Dimension(kind, value, value + 5, witness, "time limit"))
    assert not verify(c, Dimension(kind, value - 1, value, witness, "time limit"))


@EACH
def test_one_wrong_label_is_seen(c, kind, witness, value):
    """Every label that the witness rests on is flipped once. In a tree that is one label a level for each leaf."""
    seen = 0
    for row in c.rows(witness.concepts):
        for column in c.columns(witness.points):
            wrong = c.matrix.copy()
            wrong[row, column] ^= True
            other = ExplicitClass(wrong, points=c.points, concepts=c.concepts)
            seen += not believed(other, kind, witness, value)
    assert seen == (2**value * value if kind != "threshold" else value**2)


@EACH
def test_swaps_are_seen(c, kind, witness, value):
    for field in ("points", "concepts"):
        names = getattr(witness, field)
        for i in range(len(names)):
            for j in range(i):
                swapped = list(names)
                swapped[i], swapped[j] = swapped[j], swapped[i]
                assert not believed(c, kind, replace(witness, **{field: tuple(swapped)}), value)


@EACH
def test_missing_repeated_and_added_names_are_seen(c, kind, witness, value):
    for field in ("points", "concepts"):
        names = getattr(witness, field)
        for wrong in (names[1:], names[:-1], names[:1] + names[:-1], (*names, names[0]), names + names):
            other = replace(witness, **{field: wrong})
            assert not believed(c, kind, other, value)
            assert not believed(c, kind, other, other.value)


def test_a_claim_far_beyond_the_concepts_is_refused_at_once():
    c = ExplicitClass(np.eye(80, dtype=int))
    assert not believed(c, "VC", ShatteredSet(tuple(range(80)), tuple(range(80))), 80)


@EACH
def test_unknown_names_are_not_believed(c, kind, witness, value):
    for field in ("points", "concepts"):
        names = getattr(witness, field)
        for i in range(len(names)):
            assert not believed(c, kind, replace(witness, **{field: (*names[:i], "nobody", *names[i + 1 :])}), value)


@EACH
def test_points_and_concepts_do_not_stand_for_one_another(c, kind, witness, value):
    assert not believed(c, kind, replace(witness, points=witness.concepts, concepts=witness.points), value)


def test_merged_points_and_concepts_count_under_all_their_names():
    c = ExplicitClass([[0, 0], [1, 1], [1, 1]], points="xy", concepts=["zero", "one", "again"])
    assert believed(c, "VC", ShatteredSet(("y",), ("zero", "again")), 1)
    assert not believed(c, "VC", ShatteredSet(("x", "y"), ("zero", "zero", "one", "again")), 2)


def test_the_order_of_a_sequence_is_the_one_that_holds():
    rows = np.triu(np.ones((3, 3), dtype=int))
    right = [p for p in permutations(range(3)) if believed(rows, "threshold", ThresholdSequence(p, (0, 1, 2)), 3)]
    assert right == [(0, 1, 2)]


def test_a_witness_of_another_kind_is_not_believed():
    for c, kind, witness, value in CASES:
        for other in {"VC", "Littlestone", "threshold", "dual VC"} - {kind}:
            assert not believed(c, other, witness, value)


@pytest.mark.parametrize("witness", [ShatteredSet((), ()), MistakeTree((), ())])
def test_the_empty_class_has_dimension_minus_one(witness):
    empty = ExplicitClass(np.zeros((0, 2), dtype=bool))
    kind = "VC" if isinstance(witness, ShatteredSet) else "Littlestone"
    assert believed(empty, kind, witness, -1)
    assert not believed(empty, kind, witness, 0)


def test_one_concept_has_dimension_zero():
    assert believed([[0, 1]], "VC", ShatteredSet((), (0,)), 0)
    assert believed([[0, 1]], "Littlestone", MistakeTree((), (0,)), 0)
    assert believed([[0, 1]], "threshold", ThresholdSequence((), ()), 0)
    assert not believed(np.zeros((0, 2), dtype=bool), "VC", ShatteredSet((), (0,)), 0)


class Boaster:
    kind, bound, value, points, concepts = "VC", "lower", 99, (), ()

    def holds_in(self, _):
        return True


@pytest.mark.parametrize("witness", [Boaster(), "trust me", 99, object()])
def test_only_our_witnesses_are_asked(witness):
    assert not believed(CUBE, "VC", witness, 99)


@pytest.mark.parametrize(
    ("kind", "witness", "value"),
    [
        ("threshold", ThresholdSequence((0,) * 10**6, ()), 10**6),
        ("threshold", ThresholdSequence((0,) * 10**5, ("a",) * 10**5), 10**5),
        ("VC", ShatteredSet(([0],), ("a", "b")), 1),
        ("VC", ShatteredSet((0,), ({}, "b")), 1),
        ("irreducibility", ReducingSet((0,), (True,), 10**12), 0),
        ("irreducibility", ReducingSet((0,), (True,), 1.5), 0),
    ],
)
def test_wild_claims_are_refused_quickly(kind, witness, value):
    assert not believed(LINE, kind, witness, value)


def test_irreducibility_is_verified_from_above():
    points = ExplicitClass(np.eye(5))
    found = irreducibility(points)
    assert verify(points, found)
    assert not verify(points, replace(found, upper=found.upper + 1))
    assert not verify(
        points, replace(found, witness=replace(found.witness, labels=(True,) * len(found.witness.points)))
    )


def test_trees_that_cannot_be_walked_are_refused():
    assert whole_tree(TREE) is TREE
    for tree in (
        MistakeTree((), ()),
        MistakeTree((0, 1), (0, 1)),
        MistakeTree((0,), (0,)),
        MistakeTree((0, 1), (0, 1, 2)),
    ):
        with pytest.raises(ValueError, match="2\\^d concepts"):
            whole_tree(tree)
    with pytest.raises(TypeError, match="materialize"):
        whole_tree(None)
