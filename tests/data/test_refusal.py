"""Refusals name their parameter, travel between processes and read as sentences."""

import pickle

import pytest

from privpac.data.refusal import InPython, Refusal, Refused, RefusedType, Setting, Sketch, retold

REASON = ("say ", Setting.to("classes", Sketch("(negative, positive)")), InPython(" or give an Ibis table"))


@pytest.mark.parametrize(("kind", "old"), [(Refused, ValueError), (RefusedType, TypeError)])
def test_a_refusal_is_the_error_it_always_was(kind, old):
    error = kind("classes", *REASON)
    assert isinstance(error, old) and isinstance(error, Refusal)
    assert error.parameter == "classes"
    assert str(error) == "say classes=(negative, positive) or give an Ibis table"
    assert error.sentence.parts == REASON


def test_a_refusal_comes_back_whole_from_another_process():
    error = pickle.loads(pickle.dumps(Refused("classes", *REASON)))
    assert (type(error), error.parameter, error.sentence.parts) == (Refused, "classes", REASON)


def test_a_refusal_that_is_retold_keeps_its_kind_and_its_settings():
    for error, kind in ((RefusedType("values", *REASON), RefusedType), (ValueError("no"), Refused)):
        again = retold(error, "X", ["column 1: "], ["; or not"])
        assert (type(again), again.parameter) == (kind, "X")
        assert str(again) == f"column 1: {error}; or not"
    assert Setting.to("classes", Sketch("(negative, positive)")) in retold(Refused("values", *REASON), "X").args
