"""What learners declare: the kinds of classes they learn, and theorems that are on the pages they name."""

import re
from pathlib import Path

import pytest

from privpac.classes import (
    And,
    CentralHalfPlanes,
    EndsWith,
    Equalities,
    ExplicitClass,
    HalfSpaces,
    HasAny,
    Intervals,
    Parities,
    Points,
    Rectangles,
    RootPaths,
    Spider,
    StartsWith,
    Taxonomy,
    Thresholds,
    TwoSided,
    Union,
)
from privpac.learners import LEARNERS

PROOFS = Path(__file__).resolve().parents[2] / "docs" / "proofs"
TREE = {"b": "a", "c": "a"}
AGE, SIZE, NAME = (
    Thresholds(0, 9, direction="above").on("age"),
    Thresholds(0, 5, direction="above").on("size"),
    Points().on("name"),
)
CLASSES = (
    *(
        Thresholds(0, 9, direction="above"),
        Intervals(0, 9),
        Points(),
        Points(9),
        RootPaths(height=2),
        StartsWith(height=2),
    ),
    *(
        EndsWith(height=2),
        Taxonomy(TREE),
        Taxonomy(TREE, kind="subtree"),
        TwoSided(0, 4, center=2),
        ExplicitClass([[0, 1], [1, 1]]),
    ),
    *(
        CentralHalfPlanes(-1, 1),
        HalfSpaces(2, 3),
        Rectangles(0, 3, 1),
        Rectangles(0, 3, 2),
        Spider(bits=2),
        Parities(40),
        Equalities("name", "age", at_most=2),
        HasAny(2, 3),
    ),
    *(Union(AGE, SIZE), And(AGE, SIZE), And(AGE, NAME), Union(NAME, NAME)),
)


@pytest.mark.parametrize("kind", LEARNERS, ids=lambda kind: kind.__name__)
def test_a_learner_learns_classes_of_its_kinds_alone(kind):
    assert all(isinstance(H, kind.kinds) for H in CLASSES if kind.supports(H))


def test_kinds_say_something():
    learned = {kind.__name__: [H for H in CLASSES if kind.supports(H)] for kind in LEARNERS}
    assert [type(H).__name__ for H in learned["PathLearner"]] == ["RootPaths", "Taxonomy", "TwoSided"]
    assert learned["IntervalLearner"] == [Intervals(0, 9), Rectangles(0, 3, 1)]
    assert learned["RectangleLearner"] == [Rectangles(0, 3, 2)]
    assert learned["ProperPointLearner"] == [Points(9)]
    assert learned["SubtreeLearner"] == [StartsWith(height=2), EndsWith(height=2), Taxonomy(TREE, kind="subtree")]
    assert learned["EqualityLearner"] == [Equalities("name", "age", at_most=2)]
    assert learned["AnyCodeLearner"] == [HasAny(2, 3)]
    assert learned["StumpLearner"] == [CLASSES[-4]] and learned["NamedRuleLearner"] == [CLASSES[-2]]
    assert not any(kind.supports(Parities(40)) for kind in LEARNERS)


def missing(theorem):
    """The numbers of a theorem's name that are not on its page."""
    page, _, numbers = theorem.partition(", ")
    text = (PROOFS / f"{page.replace(' ', '_')}.md").read_text("utf-8")
    return [
        number for number in re.findall(r"\d+", numbers) if not re.search(rf"^(#+ |\*\*)Theorem {number}\b", text, re.M)
    ]


@pytest.mark.parametrize("kind", LEARNERS, ids=lambda kind: kind.__name__)
def test_the_theorem_of_a_learner_is_on_its_page(kind):
    assert "Theorem" in kind.theorem and missing(kind.theorem) == []


def test_a_theorem_that_is_not_there_is_seen():
    assert missing("finite learner, Theorems 2 and 99") == ["99"]
