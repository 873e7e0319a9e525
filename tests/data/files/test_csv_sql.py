"""Files of text: a line is a record, and nothing but the first line decides how it is read."""

import csv
import gzip
import io
import re
from glob import escape

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privpac.data.counting.groups import group_counts
from privpac.data.files.csv_files import heading, matching
from privpac.data.open_table import open_table
from privpac.refusals.refusal import Refused
from tests.data.tables_in import fetched

HEAD = "age,late,who"
PLAIN = "37,1,ann"
ODD = [
    *("#i,1,x", "#7,55,1", "#", "//", "--", ";;", "age,late,who", "NULL,1,null"),
    *('"', '"37', '"37,1,ann', '37,1,ann"', '37,"1,ann', '"a"b,1,x', '"a,b",1,x', '"a""b",1,"x"', '"",1,""', "'37,1"),
    *("", " ", "   37,1,ann", "\t", "37;1;ann", "37\t1\tann", "37,1", "37,1,ann,4", ",,", ",", "\\", '37\\",1,ann'),
    *("\x1f\x1e\x1f\x1e", "\x1f", "\x00,1,ann", "37,1,\u2028", "é,1,ü", "37,1,ann\r", "2026-11-15,1,ann", "1e9,2,3"),
]


def rows(tmp_path, lines, head=HEAD, name="data.csv"):
    """The records that an engine reads, in order."""
    file = tmp_path / name
    file.write_bytes("\n".join([head, *lines, ""]).encode())
    table = open_table(file)
    return list(zip(*(column.tolist() for column in fetched(table, table.columns)), strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("odd", ODD, ids=map(ascii, ODD))
def test_no_record_decides_how_others_are_read(tmp_path, odd):
    plain, read = (
        [PLAIN, "#3,1,x", '"a,b",0,"c ""d"""'],
        [("37", "1", "ann"), ("#3", "1", "x"), ("a,b", "0", 'c "d"')],
    )
    found = rows(tmp_path, [odd, *plain * 10, odd, *plain, odd])
    assert all(found.count(each) >= 11 for each in read)
    assert len(found) == 33 + 3 * bool(odd.strip("\r"))


def test_one_different_row_does_not_make_comments_of_the_others(tmp_path):
    lines = [f"#{i},{i % 2},x" for i in range(1000)]
    for different in (0, 999):
        assert len(rows(tmp_path, [line[i == different :] for i, line in enumerate(lines)])) == 1000


@pytest.mark.audit
def test_many_random_lines_are_read_one_by_one(tmp_path):
    rng = np.random.default_rng(2)
    lines = ["".join(rng.choice(list("a1,\",\t #;'\\"), rng.integers(1, 12))) for _ in range(40)]
    assert rows(tmp_path, lines) == [row for line in lines for row in rows(tmp_path, [line])]


def test_what_a_writer_of_csv_writes_is_read(tmp_path):
    cells = ["a", "a,b", 'say "no"', '"', '""', " x ", "é", "#", "1.50", "'", ","]
    given = [(one, other, "x") for one in cells for other in cells]
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows(given)
    assert rows(tmp_path, file.getvalue().splitlines()) == given


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_end_as_they_do(tmp_path, end):
    (tmp_path / "data.csv").write_bytes(end.join(["\ufeffage,late", "1,0", "2,1", ""]).encode())
    assert fetched(open_table(tmp_path / "data.csv"), ["age"])[0].tolist() == ["1", "2"]


ENDS = [b"\n", b"\r\n", b"\r"]
HOSTILE = [
    *(b"b,1\r", b"b,1\r\r", b"\rb,1", b"b\r,1", b"\n\r", b"\r\n\r", b'"b\r\n,1', b'"', b'b",1', b'""', b"b\0,1", b"\0"),
    *(b"\xef\xbb\xbfb,1", b"\xef\xbb\xbf", b"\x0b", b"\x0c", b"\x1a", "\u2028,1".encode(), "\x85,1".encode()),
]


@pytest.mark.slow
@pytest.mark.parametrize("own", ENDS, ids=ascii)
@pytest.mark.parametrize("end", ENDS, ids=ascii)
def test_no_line_reaches_into_the_next(tmp_path, end, own):
    """Whatever the bytes and the end of a line are, the lines before and after it are read as they are without it."""
    file, known = tmp_path / "data.csv", [(f"c{i}", str(i)) for i in range(len(HOSTILE) + 1)]
    lines = b"".join(hostile + own + b"c%d,%d" % (i, i) + end for i, hostile in enumerate(HOSTILE, 1))
    file.write_bytes(b"x,y" + end + b"c0,0" + end + lines)
    x, y = (column.tolist() for column in fetched(open_table(file), ["x", "y"]))
    assert [row for row in zip(x, y, strict=True) if str(row[0]).strip().startswith("c")] == known


@pytest.mark.audit
def test_hostile_bytes_are_split_at_line_ends_alone(tmp_path):
    """Against lines that Python splits; one column, so that every line is whole."""
    rng = np.random.default_rng(8)
    pieces = [b"\r", b"\n", b"\r\n", b"a", b"b", b"'", b"\\", b" ", b"\0", b"#", b"\xef\xbb\xbf", b"\xe2\x80\xa8"]
    file = tmp_path / "data.csv"
    for _ in range(60):
        body = b"".join(pieces[i] for i in rng.integers(0, len(pieces), 200))
        file.write_bytes(b"x" + ENDS[rng.integers(3)] + body)
        lines = re.split(r"\r\n|\r|\n", body.decode())
        if body.startswith(b"\n"):  # after a carriage return that ends the first line
            lines = lines[1:]
        assert fetched(open_table(file), ["x"])[0].tolist() == [line for line in lines if line]


def test_lines_of_another_length_are_void_and_count(tmp_path):
    file = tmp_path / "data.csv"
    file.write_text("age,late\n1,0\n2\n3,1,5\n,1\n4,1\n")
    answer = group_counts(open_table(file), ["age"], "late", rule="default")
    assert (sorted(answer.columns[0]), answer.n) == (["1", "4"], 5)
    with pytest.raises(ValueError, match="more or fewer cells"):
        group_counts(open_table(file), ["age"], "late")


def test_tabs_and_compressed_files(tmp_path):
    assert rows(tmp_path, ["a,b\t1"], head="who\tlate", name="data.tsv") == [("a,b", "1")]
    (tmp_path / "data.csv.gz").write_bytes(gzip.compress(b"age,late\n1,0\n"))
    assert fetched(open_table(tmp_path / "data.csv.gz"), ["age", "late"])[1].tolist() == ["0"]


@pytest.mark.parametrize("head", ["SECRETPATIENT,9,0", "SECRETPATIENT", '"SECRETPATIENT'])
def test_a_first_line_that_is_a_record_is_not_quoted(tmp_path, head):
    (tmp_path / "data.csv").write_text(f"{head}\n1,2,3\n")
    for names in (["age"], ["9"]):
        with pytest.raises(ValueError, match=r"first line of a CSV file, and .* must name the columns") as refusal:
            group_counts(open_table(tmp_path / "data.csv"), names, "late")
        assert "SECRET" not in str(refusal.value)


def test_a_name_stands_once(tmp_path):
    (tmp_path / "data.csv").write_text("SECRET,late,SECRET\n1,2,3\n")
    with pytest.raises(ValueError, match="the same name in columns 1 and 3; rename one of them") as refusal:
        open_table(tmp_path / "data.csv")
    assert "SECRET" not in str(refusal.value)


def test_names_that_differ_by_case_are_numbered_as_in_parquet(tmp_path):
    (tmp_path / "data.csv").write_text("age,Age_1,Age,AGE,late\n1,2,3,4,5\n")
    table = open_table(tmp_path / "data.csv")
    assert table.columns == ("age", "Age_1", "Age_2", "AGE_3", "late")
    assert [table[each].to_pyarrow()[0].as_py() for each in table.columns] == list("12345")
    pq.write_table(pa.table({"age": [1], "Age": [2]}), tmp_path / "data.parquet")
    assert open_table(tmp_path / "data.parquet").columns == tuple(heading([b"age,Age"], ","))


@pytest.mark.parametrize("head", ["SECRET\0,late", "SECRET" * 30_000])
def test_a_first_line_that_names_nothing_is_refused_without_quoting_it(head):
    with pytest.raises(Refused, match="must name the columns") as refusal:
        heading([head.encode()], ",")
    assert "SECRET" not in str(refusal.value)


def test_a_column_without_a_name_is_numbered(tmp_path):
    assert rows(tmp_path, ["0,37"], head=",age") == [("0", "37")]
    assert open_table(tmp_path / "data.csv").columns == ("column0", "age")
    (tmp_path / "empty.csv").write_text("")
    with pytest.raises(ValueError, match=r"empty.csv is empty; give a file whose first line names the columns"):
        open_table(tmp_path / "empty.csv")
    (tmp_path / "empty.csv").write_text("\n37\n")
    with pytest.raises(ValueError, match="first line must name the columns"):
        open_table(tmp_path / "empty.csv")


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("name", ["data [1]", "data ?", "data *", "it's"])
def test_a_path_that_exists_is_no_pattern(tmp_path, name, kind):
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.parquet  # noqa: PLC0415

    for content, file in (("7", name), ("8", "data 1"), ("8", "data 11")):
        path = tmp_path / f"{file}.{kind}"
        if kind == "csv":
            path.write_text(f"age,late\n{content},1\n")
        else:
            pa.parquet.write_table(pa.table({"age": [content], "late": [1]}), path)
    assert fetched(open_table(tmp_path / f"{name}.{kind}"), ["age"])[0].tolist() == ["7"]
    assert matching(str(tmp_path / escape(f"{name}.{kind}"))) == [str(tmp_path / f"{name}.{kind}")]


def test_files_of_one_pattern_have_one_first_line(tmp_path):
    (tmp_path / "a.csv").write_text("age,late\n1,0\n")
    (tmp_path / "b.csv").write_text("late,age\n0,1\n")
    with pytest.raises(ValueError, match="the first lines of the files differ"):
        open_table(f"{tmp_path}/*.csv")


def test_other_encodings_are_refused_with_what_to_type(tmp_path):
    (tmp_path / "data.csv").write_bytes("age,late\n37,1\n".encode("utf-16"))
    with pytest.raises(Refused, match="is UTF-16, which is not read; write a copy in UTF-8: iconv -f UTF-16 -t UTF-8"):
        open_table(tmp_path / "data.csv")
    (tmp_path / "data.csv").write_bytes(b"\xe9;\xff\x00;\x81\n;;;\n")
    with pytest.raises(Refused, match="a CSV file is UTF-8 text") as refusal:
        open_table(tmp_path / "data.csv")
    assert "semicolons and no commas" not in str(refusal.value)
