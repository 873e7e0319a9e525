"""A class with public records: the same concepts, and records that are told apart."""

from privpac.classes import Points, Thresholds
from privpac.classes.finite.public_records import PublicRecords, WithPublic


def test_the_concepts_are_those_of_the_class():
    H = Thresholds(0, 9, direction="above")
    both = WithPublic(H, PublicRecords.of([3, 1, 3]))
    assert (both.size, both.domain, both.known("VC")) == (H.size, H.domain, H.known("VC"))
    assert both.representatives([2, 5]) == H.representatives([2, 5])
    assert set(both.public.distinct) == {1, 3} and both.public.number == 3


def test_other_records_make_another_class():
    classes = {WithPublic(Points(), PublicRecords.of(values)) for values in ([1, 2], [2, 1], ["1", "2"], [1, 2])}
    assert len(classes | {WithPublic(Points(), PublicRecords(2))}) == 3  # the order of records tells nothing


def test_public_records_are_not_shown():
    assert "secret" not in repr(WithPublic(Points(), PublicRecords.of(["secret"])))
