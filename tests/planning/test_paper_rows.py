"""Rows of plans for the papers' algorithms: as printed, as proved, and none where the algorithm does not learn."""

import pytest

from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.values.points import Points
from privpac.papers.editions import edition_named
from privpac.planning.paper_rows import printed_row, tight_row
from privpac.requests.conditions import Conditions

GOAL = {"alpha": 0.25, "delta": 1e-6}


@pytest.mark.slow
def test_what_is_proved_asks_for_fewer_records_than_what_is_printed():
    edition = edition_named("polypri")
    printed = printed_row(edition, Points(40), Conditions.of(**GOAL))
    tight = tight_row(edition, Points(40), Conditions.of(**GOAL, regime="realizable"))
    assert (printed.n, tight.n) == (5210688, 285)
    assert printed.learner.startswith("PolyPriLearn") and str(tight.kind) == "certified"


def test_without_the_labels_of_the_theorem_nothing_is_certified():
    row = tight_row(edition_named("polypri"), Points(4), Conditions.of(**GOAL, regime="agnostic"))
    assert row is None or row.n is None


def test_a_class_that_cannot_be_listed_has_no_row():
    assert tight_row(edition_named("polypri"), Thresholds(0, 2**64 - 1), Conditions.of(**GOAL)) is None
