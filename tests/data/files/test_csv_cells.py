"""Blocks that are split as a whole have the cells that splitting line by line gives."""

import re

import numpy as np
import pyarrow as pa
import pytest

from privpac.data.files import csv_files as csv_lines
from privpac.data.files.csv_files import Lines, Splitting
from privpac.data.open_table import open_table
from tests.data.tables_in import fetched

PLAIN = [
    b"",
    b"a",
    b"\xc3\xa9",
    b" ",
    b"\0",
    b"#",
    b"'",
    b"\\",
    b"NULL",
    b"nan",
    b"\xef\xbb\xbf",
    b"\xe2\x80\xa8",
    b";",
]
ODD = [b"\xff", b'"', b"\xc3", b"\xed\xa0\x80", b",", b"\t"]
ENDS = [b"\n", b"\r", b"\r\n", b"\n\n", b"\r\r\n"]


def split(line, separator):
    """The cells of a line that is split independently; None if it is not UTF-8."""
    try:
        return line.decode().split(separator)
    except UnicodeDecodeError:
        return None


@pytest.mark.slow
@pytest.mark.parametrize("separator", [",", "\t"])
def test_split_lines_have_the_cells_of_each_line(monkeypatch, separator):
    """Random lines, most of them with the right number of cells, in blocks of a few bytes."""
    rng, at_once = np.random.default_rng(7), 0
    for _ in range(100):
        monkeypatch.setattr(csv_lines, "BLOCK", int(rng.integers(1, 60)))
        width, pieces = int(rng.integers(1, 4)), PLAIN + (ODD if rng.random() < 0.3 else [])
        cells = [[b"".join(rng.choice(pieces, 2)) for _ in range(width)] for _ in range(rng.integers(12))]
        body = b"".join(separator.encode().join(row) + ENDS[rng.integers(5)] for row in cells)
        read = pa.table(Lines((b"x\n" + body,), Splitting(width, separator))).to_pylist()
        lines = [split(line, separator) for line in re.split(rb"[\r\n]", body) if line]
        assert len(read) == len(lines)
        for row, known in zip(read, lines, strict=True):
            found = [row[f"cell {i}"] for i in range(1, width + 1)]
            if row["line"] is not None or known is None:
                assert found == [None] * width
                assert known is None or row["line"].split(separator) == known
            else:
                at_once += 1
                assert found == [cell or None for cell in known]
    assert at_once > 100


@pytest.mark.slow
@pytest.mark.parametrize("odd", [b"3", b"3,c,0", b'"3",c', b"3,\xff", b"\xef\xbb\xbf3,c"], ids=ascii)
def test_one_line_does_not_change_what_the_others_hold(tmp_path, monkeypatch, odd):
    """Whether a block is split as a whole depends on all its lines; what they hold does not."""
    monkeypatch.setattr(csv_lines, "BLOCK", 2**8)
    lines, file = [b"%d,x" % i for i in range(50)], tmp_path / "data.csv"
    found = []
    for body in (lines, [*lines, odd]):
        file.write_bytes(b"\n".join([b"a,b", *lines * 20, *body, b""]))  # more than one block
        found.append([column[-len(body) :].tolist()[:50] for column in fetched(open_table(file), ["a", "b"])])
    assert found[0] == found[1] == [[str(i) for i in range(50)], ["x"] * 50]


@pytest.mark.parametrize(
    "body", [b"", b"1,2", b"1,2\n\n", b'"a,b",""\r3,\xff\n4\r\n,\n\0,\xef\xbb\xbf\n', b"1,%b\n" % (b"x" * 60_000)]
)
def test_a_small_file_is_the_same_whether_or_not_it_is_read_at_once(tmp_path, body):
    file = tmp_path / "data.csv"
    file.write_bytes(b"a,b\n" + body)
    found = [[each.tolist() for each in fetched(open_table(file, at_once=now), ["a", "b"])] for now in (False, True)]
    assert found[0] == found[1]
    assert len(found[0][0]) == len([line for line in re.split(rb"[\r\n]", body) if line])


def test_a_file_is_spelled_out_only_if_it_is_small(monkeypatch):
    """And with all its lines, wherever blocks end; a line that is null is empty in the query."""
    lines = Lines((b"a,b\n1,2\n\xff,3\n4,5",), Splitting(2, ","))
    assert b"1,2\n\n4,5".hex() in lines.as_query()
    monkeypatch.setattr(csv_lines, "BLOCK", 4)
    assert lines.as_query() is None
    assert Lines((b"a,b\n",), Splitting(2, ",")).as_query() is None


def test_blocks_without_quotes_are_split_at_once():
    splitting = Splitting(2, ",")
    assert splitting.cells(b"1,2\n").num_rows == 1
    assert all(splitting.cells(block) is None for block in (b'1,"2"\n', b"1\n", b"1,2,3\n", b"1,\xff\n"))
