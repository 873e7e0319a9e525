"""The cells of a workbook, written again one by one, so that none of them stops the reading of the others.

A reader of workbooks gives up a whole sheet if one cell holds an error that it does not know, such as #SPILL!, or a
number that is not a number, or if it refers to a shared text that does not exist. And one cell far away from the others
takes more memory than there is. So a sheet is first reduced to the cells that can be read: each row that is not empty
follows the one before it, cells to the right of the first row are left out, and a cell that cannot be read becomes the
error #N/A. What is kept of a cell depends on that cell, on the first row, and on the workbook's table of shared texts
alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from io import BytesIO
from xml.parsers.expat import ParserCreate
from xml.sax.saxutils import escape
from zipfile import ZipFile, is_zipfile

from privpac.refusals.refusal import Refused

MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
COLUMNS = 2**14  # of a sheet
NUMBER = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?", re.ASCII)
PLACE_OF_TEXT = re.compile(r"0*([0-9]{1,9})", re.ASCII)  # in the table of shared texts
PLACE = re.compile(r"\$?([A-Z]{1,3})\$?[0-9]+", re.ASCII)  # of a cell, such as B7
# What XML does not allow in texts, although some programs write it: control characters and other names after &.
ILLEGAL = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
REFERENCE = re.compile("&#(?:([0-9]{1,9})|x([0-9a-fA-F]{1,8}));")
BARE = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#x[0-9a-fA-F]{1,6});)")
ROOT = re.compile(rb"(?:\xef\xbb\xbf)?(?:\s|<\?.*?\?>|<!--.*?-->|<![^>]*>)*<(?:[\w.-]+:)?([\w.-]+)", re.DOTALL)
UNREADABLE = "�"


def readable_cells(file: str | bytes) -> bytes | None:
    """A workbook whose sheets have only cells that can be read; None if the file is not packed, as older ones are."""
    source = BytesIO(file) if isinstance(file, bytes) else file
    if not is_zipfile(source):
        return None
    written = BytesIO()
    with ZipFile(source) as packed, ZipFile(written, "w") as plain:
        names = [each.filename for each in packed.infolist() if each.filename.endswith((".xml", ".rels"))]
        parts = {name: packed.read(name) for name in names}
        kinds = {name: _root(content) for name, content in parts.items()}
        texts: list[str] = []
        for name in sorted(names, key=lambda name: kinds[name] != b"sst"):  # the sheets refer to the shared texts
            if kinds[name] in (b"sst", b"worksheet"):
                cells = _Cells(texts)
                cells.read(parts[name])
                texts = texts or cells.texts
                parts[name] = cells.written(kinds[name] == b"worksheet").encode()
            plain.writestr(name, parts[name])
    return written.getvalue()


def _root(content: bytes) -> bytes:
    """The name of the outermost element; the texts inside of it do not change it."""
    start = ROOT.match(content)
    return start[1] if start else b""


class _Cells:
    """A reader of one part of a workbook: a sheet (with the ``shared`` texts), or the table of shared texts.

    The elements are: row; c, a cell; v, its value; t, a text; si, a shared text; rPh, how a text is pronounced.
    """

    def __init__(self, shared: Sequence[str]):
        self.shared = shared
        self.texts: list[str] = []  # of a table of shared texts
        self.rows: list[str] = []  # of a sheet, as they are written
        self.row: dict[int, str] = {}  # by column, the cells of the current row, as they are written
        self.width = COLUMNS
        self.column = 0
        self.cell: dict[str, str] = {}  # the attributes of the current cell
        self.value: list[str] = []
        self.text: list[str] = []
        self.into: list[str] | None = None  # the list in which characters belong
        self.pronounced = 0  # how many open elements say how a text is pronounced

    def read(self, content: bytes) -> None:
        """Read a part; Refused if it declares entities, which no workbook does."""
        parser = ParserCreate(encoding="utf-8")
        parser.buffer_text = True
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.CharacterDataHandler = self._characters
        parser.StartDoctypeDeclHandler = _refuse
        text = BARE.sub("&amp;", REFERENCE.sub(_character, content.decode("utf-8-sig", "replace")))
        parser.Parse(ILLEGAL.sub(UNREADABLE, text).encode(), True)

    def written(self, sheet: bool) -> str:
        """The part, reduced to what can be read."""
        if sheet:
            return f"<worksheet {MAIN}><sheetData>{''.join(self.rows)}</sheetData></worksheet>"
        return f"<sst {MAIN}>{''.join(f'<si>{_spelled(each)}</si>' for each in self.texts)}</sst>"

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        element = name.rpartition(":")[2]
        if element == "row":
            self.row, self.column = {}, 0
        elif element == "c":
            place = PLACE.fullmatch(attributes.get("r", ""))
            self.column = _column(place[1]) if place else self.column + 1
            self.cell = attributes
        if element in ("c", "si"):
            self.value, self.text = [], []
        self.pronounced += element == "rPh"
        self.into = {"v": self.value, "t": self.text}.get(element) if not self.pronounced else None

    def _characters(self, data: str) -> None:
        if self.into is not None:
            self.into.append(data)

    def _end(self, name: str) -> None:
        element = name.rpartition(":")[2]
        self.pronounced -= element == "rPh"
        self.into = None
        if element == "si":
            self.texts.append("".join(self.text))
        elif element == "c" and self.column <= self.width:
            if content := self._content("".join(self.value), "".join(self.text)):
                style = self.cell.get("s", "")
                styled = f' s="{style}"' if style.isascii() and style.isdecimal() else ""
                self.row[self.column] = f'<c r="{_letters(self.column)}{len(self.rows) + 1}"{styled} {content}</c>'
        elif element == "row" and self.row:
            if not self.rows:
                self.width = max(self.row)
            cells = "".join(cell for _, cell in sorted(self.row.items()))
            self.rows.append(f'<row r="{len(self.rows) + 1}">{cells}</row>')

    def _content(self, value: str, text: str) -> str:
        """The type and content of a cell; empty if it holds nothing."""
        kind = self.cell.get("t", "n")
        if kind == "inlineStr":
            return f't="inlineStr"><is>{_spelled(text)}</is>' if text else ""
        if kind in ("s", "b", "n"):
            value = value.strip()  # XML allows spaces around numbers; the reader does not
        if not value:
            return ""
        if kind == "s" and (place := PLACE_OF_TEXT.fullmatch(value)) and int(place[1]) < len(self.shared):
            return f't="s"><v>{int(place[1])}</v>' if self.shared[int(place[1])] else ""
        if kind in ("str", "d") or (kind == "b" and value in ("0", "1")) or (kind == "n" and NUMBER.fullmatch(value)):
            return f't="{kind}"><v>{escape(value)}</v>'
        return 't="e"><v>#N/A</v>'


def _refuse(*_: object) -> None:
    raise Refused("source", "the workbook declares entities, which Excel does not write; save it again")


def _character(reference: re.Match[str]) -> str:
    """A reference to a character, if XML allows the character."""
    decimal, hexadecimal = reference.groups()
    number = int(decimal) if decimal else int(hexadecimal, 16)
    allowed = number in (9, 10, 13) or 31 < number < 0xD800 or 0xDFFF < number < 0xFFFE or 0xFFFF < number < 0x110000
    return f"&#{number};" if allowed else UNREADABLE


def _spelled(text: str) -> str:
    return f'<t xml:space="preserve">{escape(text)}</t>'


def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - 64
    return number


def _letters(column: int) -> str:
    letters = ""
    while column:
        column, place = divmod(column - 1, 26)
        letters = chr(65 + place) + letters
    return letters
