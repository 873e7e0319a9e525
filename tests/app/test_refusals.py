"""Refusals on a page: a sentence, and the field that is wrong; what nobody expected is not hidden."""

import pytest

from privpac.app.forms import FormField
from privpac.app.refusals import PageRefusal, result_or_refusal
from privpac.refusals.refusal import Refused, Setting

FIELDS = [FormField("Column", "x"), FormField("Privacy ε", "epsilon")]


def raising(error: BaseException):
    def compute():
        raise error

    return compute


def test_a_result_comes_without_a_refusal():
    assert result_or_refusal(lambda: {"n": 3}, FIELDS) == {"n": 3, "refusal": None}


def test_a_refusal_names_the_field_of_its_parameter():
    error = Refused("feature", Setting("feature"), " must be a column")
    assert result_or_refusal(raising(error), FIELDS) == {"refusal": PageRefusal("“Column” must be a column.", "x")}
    assert result_or_refusal(raising(ValueError("wrong")), FIELDS) == {"refusal": PageRefusal("Wrong.")}


def test_a_separator_is_declared_in_a_schema():
    error = Refused("source", "say what separates cells: ", Setting.to("separator", ";"))
    sentence = 'Say what separates cells: separator = ";" in a schema with which the server is started.'
    assert result_or_refusal(raising(error), FIELDS) == {"refusal": PageRefusal(sentence, "source")}
    error = Refused("source", "say ", Setting.to("decimal_comma", True))
    sentence = "Say decimal_comma = true in a schema with which the server is started."
    assert result_or_refusal(raising(error), FIELDS) == {"refusal": PageRefusal(sentence, "source")}


def test_other_errors_are_not_caught():
    with pytest.raises(ZeroDivisionError):
        result_or_refusal(raising(ZeroDivisionError()), FIELDS)
