"""Any of some codes: patterns by definition, JSON, the picture, the command line, refusals."""

from itertools import combinations

import pytest

from privpac.classes.hypothesis import Constant
from privpac.classes.picture_shapes import Pills, Title
from privpac.classes.values.code_lists import HasAny, Includes
from privpac.cli.class_options import ClassOptions
from tests.classes.definitions import assert_comes_back, assert_known, assert_patterns
from tests.grid import over

CELLS = ["a;b", "b", "c;a", "", "d", "b;d"]


@over("k", (1, 2, 3))
def test_patterns_are_those_of_the_definition(k):
    sets = [set(A) for i in range(k + 1) for A in combinations("abcde", i)]
    rules = [lambda x, A=A: bool(A & set(x.split(";"))) for A in sets]
    assert_patterns(HasAny(k, 2), rules, CELLS)


def test_rules_read_as_sentences_and_come_back_from_json():
    H = HasAny(3, 5)
    assert str(H.hypothesis("J10", "I25")) == "codes include any of I25, J10"
    assert H.hypothesis("J10").sentence("diagnoses") == "diagnoses include J10"
    assert str(H.hypothesis()) == "never" and H.hypothesis().constant is False
    for rule in (H.hypothesis("J10", "I25"), H.hypothesis("J10"), H.hypothesis()):
        assert_comes_back(rule)
    assert H.hypothesis("b").drawing(None, ["icd"]) == (Title("icd"), Pills((("b", True), ("everything else", False))))
    assert Constant(False)(CELLS).tolist() == H.hypothesis()(CELLS).tolist()


def test_the_command_line_names_it():
    assert ClassOptions("has-any", {"k": 2, "s": 5}).build() == HasAny(2, 5)
    assert ClassOptions("has-any", {"k": 2, "s": 5, "separator": ","}).build() == HasAny(2, 5, ",")
    assert [k for k, _ in HasAny(2, 5).family().members] == [1, 2, 3, 4, 5]


@over(("k", "s", "separator"), [(0, 2, ";"), (6, 2, ";"), (2.0, 2, ";"), (2, 0, ";"), (2, 2, "")])
def test_what_makes_no_class_is_refused(k, s, separator):
    with pytest.raises(ValueError, match="must be"):
        HasAny(k, s, separator)


def test_codes_that_no_cell_can_hold_are_refused():
    with pytest.raises(ValueError, match="without the separator"):
        Includes(frozenset(["a;b"]), ";")
    with pytest.raises(ValueError, match="at most 1 codes"):
        HasAny(1, 2).hypothesis("a", "b")


def concepts(N, k):
    sets = [set(A) for i in range(k + 1) for A in combinations("abcdefgh"[:N], i)]
    return [lambda x, A=A: bool(A & set(x.split(";"))) for A in sets]


def cells(N, s):
    return [";".join(S) for i in range(s + 1) for S in combinations("abcdefgh"[:N], i)]


@over(("k", "s", "N"), [(1, 1, 3), (2, 1, 4), (3, 1, 4), (1, 2, 4), (1, 3, 4)])
def test_dimensions_are_those_of_the_definition(k, s, N):
    assert_known(HasAny(k, s), concepts(N, k), cells(N, s))


def test_dimensions_beyond_one_code_are_bounded():
    assert HasAny(2, 2).known("VC") is None and HasAny(1, 4).known("VC").value == 3
    assert len(HasAny(2, 2).patterns(["a;u", "b;u", "c;v", "d;v"])) == 2**4
