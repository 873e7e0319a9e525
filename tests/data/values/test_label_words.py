"""Labels as people type them, and as a table stores them."""

import ibis
import pyarrow
import pytest

from privpac.data.values.spelling import labels, words


def test_whole_numbers_are_numbers_only_if_all_are():
    assert words("0,1") == (0, 1) and words("-1, +1") == (-1, 1)
    assert words("0,one") == ("0", "one")


@pytest.mark.parametrize("text", ["", "a", "a,", "a,a"])
def test_one_label_is_not_enough(text):
    with pytest.raises(ValueError, match="takes two different labels"):
        words(text)


def test_a_boolean_column_has_many_spellings():
    table = ibis.memtable(pyarrow.table({"late": [True], "sex": ["m"]}))
    for said in (("0", "1"), ("no", "yes"), ("False", "TRUE"), (0, 1)):
        assert labels(said, table, "late") == (False, True)
    assert labels((0, 1), table, "sex") == (0, 1)
