"""Cells of a workbook that a reader would stumble over: they concern their own record and no other."""

from io import BytesIO
from xml.sax.saxutils import escape
from zipfile import ZipFile

import pytest

from privpac.data.files.excel_files import excel_table
from privpac.data.files.file_format import FileFormat
from privpac.data.open_table import table_of_bytes
from tests.data.files.workbooks import Written, workbook

SHARED = [
    "<t>red</t>",
    "<r><t>bl</t></r><r><t>ue</t></r><rPh><t>spoken</t></rPh>",
    "<t/>",
    "<t>a & b &bogus; &#x1;</t>",
]
ERRORS = ["#SPILL!", "#CALC!", "#BLOCKED!", "#BUSY!", "#FIELD!", "#CONNECT!", "#UNKNOWN!", "#PYTHON!", "#N/A", "?", "3"]
UNREADABLE = [
    *(f'<c r="{{}}" t="e"><v>{each}</v></c>' for each in ERRORS),
    '<c r="{}" t="other"><v>3</v></c>',
    '<c r="{}" t="s"><v>4</v></c>',
    '<c r="{}" t="s"><v>-1</v></c>',
    f'<c r="{{}}" t="s"><v>{"9" * 99}</v></c>',
    f'<c r="{{}}" t="s"><v>{"0" * 20}77777</v></c>',
    '<c r="{}" t="b"><v>7</v></c>',
    '<c r="{}" t="b"><v>01</v></c>',
    '<c r="{}" t="n"><v>abc</v></c>',
    '<c r="{}"><v>NaN</v></c>',
    '<c r="{}"><v>1_0</v></c>',
    '<c r="{}"><v>٣</v></c>',
]
ABSENT = [
    '<c r="{}" t="e"/>',
    '<c r="{}"/>',
    '<c r="{}" t="inlineStr"/>',
    '<c r="{}" t="s"><v>2</v></c>',
    '<c r="{}" t="str"><f>A1</f></c>',
    '<c r="XFD3"><v>1</v></c>',
    '<c r="ZZZ3"><v>1</v></c>',
]
TEXTS = {
    '<c r="{}" t="s"><v>1</v></c>': "blue",
    '<c r="{}" t="s"><v>3</v></c>': "a & b &bogus; �",
    f'<c r="{{}}" t="s"><v>{"0" * 5000}</v></c>': "red",
    '<c r="{}" t="s"><v> 0\n</v></c>': "red",
    '<c r="{}"><v>\n 37.5 </v></c>': "37.5",
    '<c r="{}" t="b"><v> 1 </v></c>': "true",
    '<c r="{}" s="999"><v>3</v></c>': "3",
    '<c r="{}" s="x"><v>3</v></c>': "3",
    '<c r="{}"><v>1e999</v></c>': "inf",
    "<c><v>7</v></c>": "7",
    '<c r="B9999999"><v>7</v></c>': "7",
    '<c r="{}"><f t="shared" si="x" ref="zz">A1</f><v>4</v></c>': "4",
    '<c r="{}" t="d"><v>nonsense</v></c>': "nonsense",
    '<c r="{}" t="str"><v>\x01&#xD800;&#0;&bogus;&</v></c>': "���&bogus;&",
    '<c r="{}" t="str"><v><![CDATA[</c></row><row><c>]]></v></c>': "</c></row><row><c>",
    '<c r="{}" t="str"><f>&quot;&lt;c&gt;&quot;</f><v>&lt;c r="A9"&gt;</v></c>': '<c r="A9">',
}


def records(rows):
    return [
        tuple(row.values()) for row in excel_table([workbook(rows, shared=SHARED)], None, FileFormat(), 9).to_pylist()
    ]


def among_others(cell):
    before, odd, after = records([["age", "ward"], [1, 2], [3, Written(cell)], [5, 6]])
    assert (before, after) == (("1", "2"), ("5", "6"))
    return odd


@pytest.mark.parametrize("cell", UNREADABLE + ABSENT)
def test_a_cell_that_cannot_be_read_is_missing(cell):
    assert among_others(cell) == ("3", None)


@pytest.mark.parametrize(("cell", "text"), TEXTS.items())
def test_an_odd_cell_is_read(cell, text):
    assert among_others(cell) == ("3", text)


@pytest.mark.parametrize("cell", UNREADABLE)
def test_a_record_of_errors_alone_is_a_record(cell):
    assert records([["age"], [1], [Written(cell)], [2], [None]]) == [("1",), (None,), ("2",)]


def test_one_record_far_below_is_the_next_one():
    far = Written('<c r="A1048576"><v>7</v></c>')
    assert records([["age", "ward"], [1, 2], [far]]) == [("1", "2"), ("7", None)]


@pytest.mark.parametrize("text", ["sst", "<sst>", "sheetData", "worksheet"])
def test_no_text_makes_its_part_another_one(text):
    """What a part is, its outermost element says, not a text that one record brings."""
    shared, inline = [
        [f"<t>{escape(text)}</t>", "<t>red</t>"],
        Written(f'<c r="{{}}" t="str"><v>{escape(text)}</v></c>'),
    ]
    red = Written('<c r="{}" t="s"><v>1</v></c>')
    for odd in (Written('<c r="{}" t="s"><v>0</v></c>'), inline):
        content = workbook([["ward"], [odd], [red]], shared=shared)
        assert excel_table([content], None, FileFormat(), 9).to_pylist() == [{"ward": text}, {"ward": "red"}]


def changed(content, old, new):
    """A workbook with one text replaced in all of its parts."""
    file = BytesIO()
    with ZipFile(BytesIO(content)) as packed, ZipFile(file, "w") as written:
        for part in packed.infolist():
            written.writestr(part.filename, packed.read(part).replace(old, new))
    return file.getvalue()


def test_cells_in_any_order():
    rows = [["age", "ward"], [Written('<c r="B2"><v>2</v></c><c r="A2"><v>1</v></c>')]]
    assert records(rows) == [("1", "2")]


def test_names_with_prefixes():
    content = workbook([["age"], [Written('<x:c r="A2"><x:v>2</x:v></x:c>')]])
    assert excel_table([content], None, FileFormat(), 9).to_pylist() == [{"age": "2"}]


def test_entities_and_broken_sheets_are_refused():
    content = workbook([["age"], ["secret"]])
    with pytest.raises(ValueError, match="declares entities"):
        table_of_bytes(changed(content, b"<worksheet", b"<!DOCTYPE a []><worksheet"), "a.xlsx")
    with pytest.raises(ValueError, match="damaged") as refusal:
        table_of_bytes(changed(content, b"</c>", b""), "a.xlsx")
    assert "secret" not in str(refusal.value)
