"""Lines of text files: none is lost, and none reaches into another, whatever its bytes and its length are."""

import gzip
import re

import numpy as np
import pyarrow as pa
import pytest

import privpac as pp
from privpac.data.counting.groups import group_counts
from privpac.data.files import csv_files as csv_lines
from privpac.data.files.csv_files import LONGEST_LINE, Lines, Splitting
from privpac.data.open_table import open_table
from privpac.data.values.allowed_types import LONGEST
from privpac.learners.classifier import PrivateClassifier
from tests.data.tables_in import fetched
from tests.grid import over
from tests.learners.readers import gathered

pytestmark = pytest.mark.slow

ODD = {
    "not UTF-8": b"37,\xff",
    "half a character": b"37,\xc3",
    "the other half": b"\xa9,1",
    "a surrogate": b"\xed\xa0\x80,1",
    "long": b"1" * LONGEST_LINE + b",1",
    "6 MB": b"1" * 6 * 10**6,
    "commas": b"," * (LONGEST_LINE + 1),
    "quotes": b'"' * (LONGEST_LINE + 1),
}


@pytest.mark.audit
@over("name", ODD)
@over(("end", "place"), [(b"\n", 0), (b"", 2), (b"\n", 5), (b"", 5)])
def test_a_line_that_cannot_be_read_is_void_and_the_others_are_read(tmp_path, name, end, place):
    file, lines = tmp_path / "data.csv", [b"%d,1" % i for i in range(5)]
    file.write_bytes(b"\n".join([b"age,late", *lines[:place], ODD[name], *lines[place:]]) + end)
    for rule in ("clamp", "default"):
        records = gathered(
            PrivateClassifier(pp.Thresholds(0, 120, direction="above"), feature="age", on_invalid=rule),
            open_table(file),
            "late",
        )
        assert (records.size, sorted(records.points.tolist())) == (6, [0, 1, 2, 3, 4])
    assert fetched(open_table(file), ["age"])[0].tolist().index(None) == place
    with pytest.raises(ValueError, match=r"no value in columns 'age', 'late'.*not UTF-8.*more or fewer cells"):
        group_counts(open_table(file), ["age"], "late")


@pytest.mark.parametrize("end", [b"\n", b""], ids=["with an end", "without an end"])
def test_a_last_line_of_32_mb_counts(tmp_path, end):
    """DuckDB's reader of CSV files drops it without a word."""
    file = tmp_path / "data.csv"
    file.write_bytes(b"age,late\n" + b"37,1\n" * 5 + b"1" * 2**25 + end)
    assert group_counts(open_table(file), ["age"], "late", rule="default").n == 6


def test_the_longest_line_is_read(tmp_path):
    file, cell = tmp_path / "data.csv", "a" * LONGEST
    rest = "b" * (LONGEST_LINE - LONGEST - 3)
    file.write_text(f"who,what,late\n{cell},{rest},1\n{cell},{rest},12\n{cell}a,,1\nann,,1")
    assert [value and len(value) for value in fetched(open_table(file), ["who"])[0]] == [LONGEST, None, None, 3]


def test_a_line_of_many_cells_may_be_longer(tmp_path):
    file, names = tmp_path / "data.csv", ",".join(f"c{i}" for i in range(100))
    file.write_text(f"{names}\n{','.join(['a' * 900] * 100)}\n{','.join(['a' * 1000] * 100)}\n")
    assert [value and len(value) for value in fetched(open_table(file), ["c7"])[0]] == [900, None]


@pytest.mark.audit
@pytest.mark.parametrize("compressed", [False, True])
def test_lines_do_not_depend_on_blocks(tmp_path, monkeypatch, compressed):
    """Against Python's own splitting, with blocks and longest lines of a few bytes."""
    rng = np.random.default_rng(3)
    pieces = [b"\r", b"\n", b"\r\n", b"a", b"bc", b"\xc3\xa9", b"\xff", b"\0", b"\xef\xbb\xbf", b'"', b",", b"\xc3"]
    file = tmp_path / ("data.csv.gz" if compressed else "data.csv")
    for _ in range(300):
        monkeypatch.setattr(csv_lines, "BLOCK", int(rng.integers(1, 12)))
        monkeypatch.setattr(csv_lines, "LONGEST_MEAN", 1)
        monkeypatch.setattr(csv_lines, "LONGEST_LINE", longest := int(rng.integers(1, 9)))
        body = b"".join(pieces[i] for i in rng.integers(0, len(pieces), 60))
        text = b"x" + [b"\n", b"\r\n", b"\r"][rng.integers(3)] + body
        file.write_bytes(gzip.compress(text) if compressed else text)
        lines = [line for line in re.split(rb"[\r\n]", body) if line]
        read = pa.table(Lines((str(file),), Splitting(1, "\t"))).to_pylist()
        assert [row["line"] or row["cell 1"] for row in read] == [text_of(line, longest) for line in lines]


def text_of(line, longest):
    try:
        return line.decode() if len(line) <= longest else None
    except UnicodeDecodeError:
        return None


def test_bytes_that_are_not_utf8_near_the_first_line_do_not_stop_the_reading(tmp_path):
    (tmp_path / "data.csv").write_bytes(b"age,late\n\xff,1\n37,1\n")
    assert fetched(open_table(tmp_path / "data.csv"), ["age"])[0].tolist() == [None, "37"]


def test_a_table_is_read_as_often_as_an_engine_likes_and_in_order(tmp_path):
    (tmp_path / "data.csv").write_text("age\n" + "\n".join(map(str, range(700_000))))
    table = open_table(tmp_path / "data.csv")
    for _ in range(2):
        assert fetched(table, ["age"])[0].tolist() == list(map(str, range(700_000)))


@pytest.mark.audit
def test_a_compressed_file_that_is_cut_is_refused(tmp_path):
    text = b"age,late\n" + b"".join(b"%d,1\n" % (7919 * i % 10**6) for i in range(600_000))
    (tmp_path / "data.csv.gz").write_bytes(gzip.compress(text)[:-2000])
    for rule in ("raise", "default"):
        with pytest.raises(ValueError, match="file is damaged"):
            group_counts(open_table(tmp_path / "data.csv.gz"), ["age"], "late", rule=rule)
