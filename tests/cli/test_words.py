"""The library's sentences in the words of the command line."""

import pytest

from privpac.cli.words import translated


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        ("declare two labels, classes=(negative, positive)", "declare two labels, --classes NEGATIVE,POSITIVE"),
        ("say on_invalid='default', which", "say --on-invalid default, which"),
        ("name them in order: feature=[…]", "name them in order: --x COLUMN"),
        ("max_records must be a whole number", "--max-records must be a whole number"),
        ("say which table is meant: table=… is one of a, b", "say which table is meant: --table is one of a, b"),
        ("epsilon must be positive", "--epsilon must be positive"),
        ("n must be at least 1", "--n must be at least 1"),
        ("there is no file epsilon must.csv", "there is no file epsilon must.csv"),
    ],
)
def test_parameters_become_options(sentence, words):
    assert translated(sentence) == words
