"""Labels as people type them, and as a table stores them."""

import ibis
import pyarrow
import pytest

from privpac.data.values.spelling import stored_labels, typed_labels


def test_whole_numbers_are_numbers_only_if_all_are():
    assert typed_labels("0,1") == (0, 1) and typed_labels("-1, +1") == (-1, 1)
    assert typed_labels("0,one") == ("0", "one") and typed_labels("-+1,--2") == ("-+1", "--2")


@pytest.mark.parametrize("text", ["", "a", "a,", "a,a"])
def test_one_label_is_not_enough(text):
    with pytest.raises(ValueError, match="takes two different labels"):
        typed_labels(text)


def test_a_boolean_column_has_many_spellings():
    table = ibis.memtable(pyarrow.table({"late": [True], "sex": ["m"]}))
    for said in (("0", "1"), ("no", "yes"), ("False", "TRUE"), (0, 1)):
        assert stored_labels(said, table, "late") == (False, True)
    assert stored_labels((0, 1), table, "sex") == (0, 1)
