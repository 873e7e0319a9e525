"""The classifier that takes the learner with the fewest certified records."""

import pytest

import privpac as pp
from privpac.learners import LEARNERS, PrivateClassifier
from privpac.learners.choice import ranking

WIDE = pp.Thresholds(0, 2**64 - 1, direction="above")
CLASSES = [
    WIDE,
    pp.Thresholds(0, 99, direction="either"),
    pp.Intervals(0, 99),
    pp.Points(),
    pp.Points(50),
    pp.RootPaths("/", height=8),
    pp.StartsWith(height=5),
    pp.Taxonomy({"J10": "J", "J": "ICD"}),
    pp.Spider(16),
    pp.HalfPlanes(50),
    pp.Rectangles(0, 20, 2),
    pp.And(pp.Thresholds(0, 99, direction="above").on("a"), pp.Points().on("b")),
    pp.ExplicitClass([[0, 1], [1, 1]]),
]


@pytest.mark.parametrize("concept_class", CLASSES, ids=lambda each: repr(each)[:40])
@pytest.mark.parametrize("regime", ["agnostic", "realizable"])
def test_the_first_has_the_fewest_certified_records(concept_class, regime):
    """Of those certified against the whole class, if there are any; those certified against some rules follow."""
    conditions = PrivateClassifier(concept_class, regime=regime).conditions()
    found = ranking(concept_class, conditions)
    certified = [
        (bool(learner.for_class(concept_class, conditions.terms(n)).within), n)
        for learner, n in found
        if learner.automatic and n is not None
    ]
    assert found and certified == sorted(certified)
    assert type(PrivateClassifier(concept_class, regime=regime).learner()) is found[0][0]
    assert PrivateClassifier(concept_class, regime=regime).certified_n() == found[0][1]


def test_fewer_declared_assumptions_take_more_records():
    realizable, agnostic = (
        PrivateClassifier(WIDE, regime=regime).certified_n() for regime in ("realizable", "agnostic")
    )
    assert realizable < agnostic


def test_without_delta_the_learners_are_pure():
    clf = PrivateClassifier(WIDE, epsilon=2, delta=0).fit([[7]] * 300 + [[9]] * 300, [0] * 300 + [1] * 300)
    assert clf.learner_.pure and clf.privacy_ == pp.Budget(2)


def test_a_rule_that_nobody_can_read_is_taken_only_without_delta():
    assert type(PrivateClassifier(pp.Points(), regime="realizable").learner()).__name__ == "PointLearner"
    assert type(PrivateClassifier(pp.Points(), delta=0).learner()).__name__ == "BucketLearner"


def test_a_method_is_a_learner_by_name():
    clf = PrivateClassifier(WIDE, method="PureThresholdLearner")
    assert type(clf.learner()).__name__ == "PureThresholdLearner"
    with pytest.raises(ValueError, match="method must be auto or, for this class, one of ThresholdLearner, PureTh"):
        PrivateClassifier(WIDE, method="magic").learner()


def test_what_nobody_learns_is_refused():
    with pytest.raises(ValueError, match="no learner supports this class"):
        PrivateClassifier(pp.SparseSets(2).on(0)).fit([["a"]], [0])


def test_every_learner_is_named_once():
    assert (
        len({learner.__name__ for learner in LEARNERS}) == len({learner.title for learner in LEARNERS}) == len(LEARNERS)
    )


def test_the_choice_is_the_learners_own_fit():
    """The same coins through the classifier and through the learner give the same rule, cost and certificate."""
    X, y = [[i] for i in range(400)], [int(i >= 100) for i in range(400)]
    clf = PrivateClassifier(WIDE, random_state=5).fit(X, y)
    alone = PrivateClassifier(WIDE, random_state=5, method=clf.learner_.name).fit(X, y)
    assert (clf.hypothesis_, clf.privacy_, clf.guarantee_) == (alone.hypothesis_, alone.privacy_, alone.guarantee_)
