"""Files as people have them: separators, encodings, decimal commas, and dates, each line by itself."""

from datetime import date, datetime
from decimal import Decimal

import ibis
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privpac.classes.schemas.schema import Schema
from privpac.data.files.date_formats import DateFormat
from privpac.data.files.file_format import ENCODINGS, FileFormat
from privpac.data.open_table import open_table, table_of_bytes
from tests.data.files.workbooks import workbook

GERMAN = FileFormat(";", "latin-1", True, frozenset({"dose"}), {"day": "%d.%m.%Y"})
LINES = ["1,5;31.01.2026;Süd", "2;1.2.2026;Nord", "1.234,5;01.03.2026;West"]
READ = [("1.5", "2026-01-31", "Süd"), ("2", "2026-02-01", "Nord"), ("1234.5", "2026-03-01", "West")]


def records(content, form=GERMAN, name="a.csv"):
    return [tuple(row.values()) for row in table_of_bytes(content, name, form).to_pyarrow().to_pylist()]


def german(lines, encoding="latin-1"):
    return "\n".join(["dose;day;ward", *lines, ""]).encode(encoding)


def test_a_file_of_another_country():
    assert records(german(LINES)) == READ


@pytest.mark.parametrize(
    ("cell", "read"),
    [
        *[("1.234", "1234"), ("-1.234.567,8", "-1234567.8"), ("+0,5", "+0.5"), (",5", ".5"), ("1e3", "1e3")],
        *[("37.5", "37,5"), ("1,2,3", "1.2.3"), ("1.23,4", "1,23.4"), ("ca. 3,5", "ca. 3,5"), ("12.34", "12,34")],
        *[("0.123", "0,123"), ("-0.123,4", "-0,123.4"), ("0,123", "0.123"), ("012.345", "012,345")],
    ],
)
def test_numbers_with_commas(cell, read):
    """What is not a number with a comma must not be read as another number."""
    assert records(german([f"{cell};;"]))[0][0] == read


@pytest.mark.parametrize(
    ("form", "cell", "read"),
    [
        ("%d.%m.%Y", " 1.2.2026 ", "2026-02-01"),
        ("%d.%m.%Y", "2026-02-01", "2026-02-01"),
        ("%d.%m.%Y", "31.02.2026", "2026-02-31"),
        ("%d.%m.%Y", "31.1.26", "31.1.26"),
        ("%m/%d/%y", "1/31/68", "2068-01-31"),
        ("%m/%d/%y", "1/31/69", "1969-01-31"),
        ("%d%m%Y", "01022026", "2026-02-01"),
        ("%Y%m%d", "20260201", "2026-02-01"),
        ("%d-%b-%Y", "3-JAN-2026", "2026-01-03"),
        ("%d-%b-%Y", "3-Jän-2026", "3-Jän-2026"),
        ("%d-%b-%Y", "3-\u017fep-2026", "3-\u017fep-2026"),
        ("%d.%m.%Y %H:%M", "1.2.2026 8:05", "2026-02-01 08:05"),
        ("%d.%m.%Y, %H Uhr", "1.2.2026, 8 Uhr", "2026-02-01 08:00"),
        ("%d.%m.%Y %H:%M:%S.%f", "1.2.2026 8:05:01.5", "2026-02-01 08:05:01.5"),
    ],
)
def test_dates(form, cell, read):
    table = table_of_bytes(f'day\n"{cell}"\n'.encode(), "a.csv", FileFormat(dates={"day": form}))
    assert table.to_pyarrow()["day"].to_pylist() == [read]


@pytest.mark.parametrize("form", ["", "%d.%m", "%d.%m.%Y.%d", "%A %d.%m.%Y", "%d.%m.%Y %M", "%d.%m.%b.%Y", "%", 3])
def test_formats_that_no_date_has_are_refused(form):
    with pytest.raises(ValueError, match="format"):
        DateFormat(form)


ODD = [
    ";;;;",
    "x",
    '"half;31.01.2026;Süd',
    'a"b;"c;d"e;f',
    "1,5;31.01.2026",
    "\ufeff;\u2028;ü",
    "9" * 60_000,
    '"";"";""',
]


@pytest.mark.parametrize("odd", [*(each.encode() for each in ODD), b"\xff;\x81;\x00", b"\xc3;\xe4;\xed\xa0\x80", b"\r"])
@pytest.mark.parametrize(
    ("separator", "encoding"), [(";", "latin-1"), (",", "utf-8"), ("\t", "cp1252"), ("|", "utf-8")]
)
def test_one_odd_line_changes_no_other_record(odd, separator, encoding):
    form = FileFormat(separator, encoding, True, frozenset({"dose"}), {"day": "%d.%m.%Y"})
    lines = [f'"{cell}"' if "," in cell and separator == "," else cell for line in LINES for cell in line.split(";")]
    whole = [separator.join(lines[i : i + 3]).encode(encoding) for i in (0, 3, 6)]
    odd = odd.replace(b";", separator.encode())
    after = b"\n".join([separator.join(["dose", "day", "ward"]).encode(), whole[0], odd, *whole[1:], b""])
    found = records(after, form)
    assert [found[0], *found[-2:]] == READ and len(found) <= 4


def test_bytes_without_a_character_void_their_own_record():
    found = records(german(LINES, "cp1252")[:-1] + b"\n2,5;01.01.2026;\x81\n", FileFormat(";", "cp1252"))
    assert found[-1] == (None, None, None) and found[0][2] == "Süd"


@pytest.mark.parametrize("encoding", [each for each in ENCODINGS if each != "utf-8"])
def test_in_all_encodings_a_byte_is_a_character(encoding):
    for octet in range(256):
        text = bytes([octet]).decode(encoding, "surrogateescape")
        assert len(text) == 1 and (text in "\n\r") == (octet in b"\n\r")


def test_headings_say_what_separates_them(tmp_path):
    for sign, name in ((";", "';'"), ("\t", "'tab'"), ("|", r"'\|'")):
        (tmp_path / "a.csv").write_text(f"age{sign}ward\n1{sign}2\n")
        with pytest.raises(ValueError, match=f"no commas, so .*: separator={name}"):
            open_table(tmp_path / "a.csv")
        assert open_table(tmp_path / "a.csv", separator=sign).columns == ("age", "ward")
    (tmp_path / "a.csv").write_text("age;ward\n1\n")
    assert open_table(tmp_path / "a.csv", separator=",").columns == ("age;ward",)
    (tmp_path / "a.csv").write_text("age\n1\n")
    assert open_table(tmp_path / "a.csv").columns == ("age",)


def test_an_encoding_is_declared_and_not_guessed(tmp_path):
    (tmp_path / "a.csv").write_bytes("größe,late\n1,0\n".encode("latin-1"))
    with pytest.raises(ValueError, match="encoding='latin-1'"):
        open_table(tmp_path / "a.csv")
    assert open_table(tmp_path / "a.csv", encoding="ISO-8859-1").columns == ("größe", "late")
    (tmp_path / "b.csv").write_bytes("\ufeffgröße,late\n1,0\n".encode())
    assert open_table(tmp_path / "b.csv").columns == ("größe", "late")
    with pytest.raises(ValueError, match="begins with the mark of UTF-8"):
        open_table(tmp_path / "b.csv", encoding="latin-1")


@pytest.mark.parametrize(
    "keys",
    [
        *[{"separator": each} for each in ("", "ab", '"', "7", "ü", 3)],
        *[{"encoding": each} for each in ("utf-16", "no such", 3)],
        {"decimal_comma": "yes"},
    ],
)
def test_what_no_file_has_is_refused(keys):
    with pytest.raises(ValueError, match=next(iter(keys))):
        FileFormat(**keys)


SCHEMA = """\
separator = ";"
encoding = "latin-1"
decimal_comma = true

[label]
column = "paid"
at_least = 2026-01-15
format = "%d.%m.%Y"

[columns.dose]
kind = "decimal"
low = 0.0
high = 9999.9

[columns.day]
kind = "date"
low = 2026-01-01
high = 2026-12-31
format = "%d.%m.%Y"
"""


def test_texts_for_missing_entries_are_kept():
    form = FileFormat(
        ";", None, True, frozenset({"dose"}), {"day": "%d.%m.%Y"}, {"dose": ["-9,9"], "day": ["31.12.9999"]}
    )
    found = records(b"dose;day;ward\n-9,9;31.12.9999;A\n-9,8;30.12.9999;A\n", form)
    assert found == [("-9,9", "31.12.9999", "A"), ("-9.8", "9999-12-30", "A")]


def test_a_schema_says_how_its_files_are_spelled(tmp_path):
    schema = Schema.parse(SCHEMA)
    assert Schema.parse(Schema(schema.columns, schema.label, separator=";").to_toml()).separator == ";"
    (tmp_path / "a.csv").write_bytes("dose;day;paid\n1,5;31.01.2026;14.01.2026\n".encode("latin-1"))
    table = schema.open(tmp_path / "a.csv").to_pyarrow()
    assert [each[0].as_py() for each in table.columns] == ["1.5", "2026-01-31", "2026-01-14"]
    (tmp_path / "a.xlsx").write_bytes(
        workbook([["dose", "day", "paid"], [1.5, date(2026, 1, 31), "14.01.2026"], ["1,5", "31.01.2026", 7]])
    )
    table = schema.open(tmp_path / "a.xlsx").to_pyarrow()
    assert table["dose"].to_pylist() == ["1.5", "1.5"] and table["day"].to_pylist() == ["2026-01-31"] * 2
    for line, wrong in (('separator = ";"', 'separator = "ab"'), ('"latin-1"', '"utf-16"'), ("= true", '= "ja"')):
        with pytest.raises(ValueError, match=r"line \d"):
            Schema.parse(SCHEMA.replace(line, wrong))
    with pytest.raises(ValueError, match=r"line 14.*no format"):
        Schema.parse(SCHEMA.replace("high = 9999.9\n", 'high = 9999.9\nformat = "%d.%m.%Y"\n'))


def test_texts_of_a_database_are_not_rewritten(tmp_path):
    database = ibis.sqlite.connect(tmp_path / "a.db")
    database.raw_sql("CREATE TABLE visits (dose TEXT, day DATE)").close()
    database.con.commit()
    with pytest.raises(ValueError, match="'dose' is text in the database"):
        open_table(tmp_path / "a.db", decimal_comma=["dose"])
    assert open_table(tmp_path / "a.db").columns == ("dose", "day")


def test_parquet_texts_are_rewritten(tmp_path):
    columns = {"dose": ["1,5", None], "day": [datetime(2026, 1, 31), None], "paid": [Decimal("1.5"), None]}
    pq.write_table(pa.table(columns), tmp_path / "a.parquet")
    table = open_table(tmp_path / "a.parquet", decimal_comma=True, formats={"day": "%d.%m.%Y"}).to_pyarrow()
    assert table["dose"].to_pylist() == ["1.5", None] and table["paid"].to_pylist() == columns["paid"]
