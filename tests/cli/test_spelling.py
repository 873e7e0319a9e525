"""The library's sentences in the words of the command line."""

import pytest

from privpac.cli.spelling import for_the_shell
from privpac.data.open_table import OR_IBIS, TABLE
from privpac.planning.plans import TOO_LARGE
from privpac.refusals.refusal import Refused, Sentence, Setting, Sketch
from privpac.requests.labels import TWO
from privpac.requests.request import UNIT_AND_LIMIT_TOGETHER


@pytest.mark.parametrize(
    ("parts", "python", "shell"),
    [
        (("declare ", TWO), "declare classes=(negative, positive)", "declare --classes NEGATIVE,POSITIVE"),
        (
            (Setting.to("on_invalid", "default"), ", which"),
            "on_invalid='default', which",
            "--on-invalid default, which",
        ),
        (("name: ", Setting.to("feature", Sketch("[…]"))), "name: feature=[…]", "name: --x COLUMN"),
        ((TABLE, " is one of a, b"), "table=… is one of a, b", "--table is one of a, b"),
        ((Setting.to("table", "a b"),), "table='a b'", "--table 'a b'"),
        ((Setting.to("allow_large_delta", True),), "allow_large_delta=True", "--allow-large-delta"),
        (("rename it", OR_IBIS), "rename it or give an Ibis table", "rename it"),
        (
            ("there is no file epsilon must.csv",),
            "there is no file epsilon must.csv",
            "there is no file epsilon must.csv",
        ),
        (Refused.must("max_records", "be 1").sentence.parts, "max_records must be 1", "--max-records must be 1"),
        (
            UNIT_AND_LIMIT_TOGETHER,
            "unit and max_records belong together: unit=column, max_records=k",
            "--unit and --max-records belong together: --unit COLUMN --max-records K",
        ),
        (
            ("Learning", *TOO_LARGE),
            "Learning is refused when δ·n exceeds 0.1; ask for a smaller delta, or say allow_large_delta=True.",
            "Learning is refused when δ·n exceeds 0.1; ask for a smaller --delta, or say --allow-large-delta.",
        ),
    ],
)
def test_one_sentence_in_two_languages(parts, python, shell):
    assert str(Sentence(parts)) == python
    assert for_the_shell(Sentence(parts)) == shell
