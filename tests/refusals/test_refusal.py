"""Refusals name their parameter, travel between processes and read as sentences."""

import pickle

import pytest

from privpac.refusals.refusal import (
    InOtherWords,
    InPython,
    Refusal,
    Refused,
    RefusedType,
    Setting,
    Sketch,
    refusal_about,
)

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
        again = refusal_about(error, "X", ["column 1: "], ["; or not"])
        assert (type(again), again.parameter) == (kind, "X")
        assert str(again) == f"column 1: {error}; or not"
    assert Setting.to("classes", Sketch("(negative, positive)")) in refusal_about(Refused("values", *REASON), "X").args


def test_an_error_in_other_words_keeps_nothing_of_the_first():
    def words(error):
        return Refused("X", "some entries spell no number")

    for block in (lambda: int("secret"), InOtherWords(words, ValueError)(lambda: int("secret"))):
        with pytest.raises(Refused) as told, InOtherWords(words, ValueError):
            block()
        assert told.value.__context__ is None and told.value.__cause__ is None
        names = [name for entry in told.traceback for name in entry.frame.raw.f_locals]
        assert "error" not in names and "trace" not in names
    try:
        int("another secret")
    except ValueError:
        with pytest.raises(Refused) as told, InOtherWords(words):
            int("secret")
    assert told.value.__context__ is None


@pytest.mark.parametrize("passing", [KeyError("x"), KeyboardInterrupt(), Refused("X", "no")])
def test_other_errors_pass_as_they_are(passing):
    block = InOtherWords(lambda error: error if isinstance(error, Refused) else Refused("X", "no"), ValueError)
    with pytest.raises(type(passing)) as told, block:
        raise passing
    assert told.value is passing
    with block:
        pass
