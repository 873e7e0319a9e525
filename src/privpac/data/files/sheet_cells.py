"""The cells of a workbook, written again one by one, so that none of them stops the reading of the others.

The library that reads workbooks gives up a whole sheet if one cell holds an error that it does not know, such as
#SPILL!, or a malformed number, or a reference to a shared text that does not exist. And a single cell far away from the
others can make it run out of memory. So a sheet is first reduced to the cells that can be read: empty rows are left
out, cells to the right of the first row's last cell are left out, and a cell that cannot be read becomes the error
#N/A. What becomes of a cell depends only on that cell, on the first row, and on the workbook's table of shared texts.
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
MOST_COLUMNS = 2**14  # of a sheet
NUMBER = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?", re.ASCII)
TEXT_NUMBER = re.compile(r"0*([0-9]{1,9})", re.ASCII)  # the number of a text in the table of shared texts
CELL_ADDRESS = re.compile(r"\$?([A-Z]{1,3})\$?[0-9]+", re.ASCII)  # such as B7
# What XML does not allow in texts, although some programs write it: control characters, and & before anything that is
# not a reference.
ILLEGAL = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
REFERENCE = re.compile("&#(?:([0-9]{1,9})|x([0-9a-fA-F]{1,8}));")  # to a character, by its number
BARE_AMPERSAND = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#x[0-9a-fA-F]{1,6});)")
# The name of the outermost element, after a byte order mark, declarations, and comments.
ROOT = re.compile(rb"(?:\xef\xbb\xbf)?(?:\s|<\?.*?\?>|<!--.*?-->|<![^>]*>)*<(?:[\w.-]+:)?([\w.-]+)", re.DOTALL)
REPLACEMENT = "�"  # for a character that XML does not allow


def readable_cells(file: str | bytes) -> bytes | None:
    """The workbook, reduced to cells that can be read; None if it is in the older format, which is not packed."""
    source = BytesIO(file) if isinstance(file, bytes) else file
    if not is_zipfile(source):
        return None
    written = BytesIO()
    with ZipFile(source) as packed, ZipFile(written, "w") as reduced:
        names = [part.filename for part in packed.infolist() if part.filename.endswith((".xml", ".rels"))]
        parts = {name: packed.read(name) for name in names}
        roots = {name: _root(content) for name, content in parts.items()}
        texts: list[str] = []
        for name in sorted(names, key=lambda name: roots[name] != b"sst"):  # the shared texts first: sheets use them
            if roots[name] in (b"sst", b"worksheet"):
                cells = _Cells(texts)
                cells.read(parts[name])
                texts = texts or cells.texts
                parts[name] = cells.written(roots[name] == b"worksheet").encode()
            reduced.writestr(name, parts[name])
    return written.getvalue()


def _root(content: bytes) -> bytes:
    """The name of the outermost XML element of a part: sst for shared texts, worksheet for a sheet."""
    start = ROOT.match(content)
    return start[1] if start else b""


class _Cells:
    """A reader of one part of a workbook: a sheet (with the ``shared`` texts), or the table of shared texts.

    The elements are: row; c, a cell; v, its value; t, a text; si, a shared text; rPh, how a text is pronounced.
    """

    def __init__(self, shared: Sequence[str]):
        self.shared = shared
        self.texts: list[str] = []  # the texts of a table of shared texts
        self.rows: list[str] = []  # the rows of a sheet, as XML
        self.row: dict[int, str] = {}  # the cells of the current row, as XML, by column
        self.width = MOST_COLUMNS  # how many columns are read
        self.column = 0  # that of the current cell
        self.cell: dict[str, str] = {}  # the attributes of the current cell
        self.value: list[str] = []  # the pieces of the current value
        self.text: list[str] = []  # the pieces of the current text
        self.into: list[str] | None = None  # the list that receives the characters of the current element
        self.pronounced = 0  # how many open elements say how a text is pronounced

    def read(self, content: bytes) -> None:
        """Read a part; Refused if it declares entities, which no workbook does."""
        parser = ParserCreate(encoding="utf-8")
        parser.buffer_text = True
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.CharacterDataHandler = self._characters
        parser.StartDoctypeDeclHandler = _refuse
        text = BARE_AMPERSAND.sub("&amp;", REFERENCE.sub(_character, content.decode("utf-8-sig", "replace")))
        parser.Parse(ILLEGAL.sub(REPLACEMENT, text).encode(), True)

    def written(self, sheet: bool) -> str:
        """The part, a sheet or a table of shared texts, reduced to what can be read."""
        if sheet:
            return f"<worksheet {MAIN}><sheetData>{''.join(self.rows)}</sheetData></worksheet>"
        return f"<sst {MAIN}>{''.join(f'<si>{_as_xml(text)}</si>' for text in self.texts)}</sst>"

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        element = name.rpartition(":")[2]
        if element == "row":
            self.row, self.column = {}, 0
        elif element == "c":
            address = CELL_ADDRESS.fullmatch(attributes.get("r", ""))
            self.column = _column(address[1]) if address else self.column + 1
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
            if not self.rows:  # the first row decides how many columns are read
                self.width = max(self.row)
            cells = "".join(cell for _, cell in sorted(self.row.items()))
            self.rows.append(f'<row r="{len(self.rows) + 1}">{cells}</row>')

    def _content(self, value: str, text: str) -> str:
        """The type and content of a cell, as XML; empty if the cell is.

        The types are: n, a number; s, a shared text; inlineStr, a text; str, the text of a formula; b, a truth value;
        d, a date; e, an error.
        """
        kind = self.cell.get("t", "n")
        if kind == "inlineStr":
            return f't="inlineStr"><is>{_as_xml(text)}</is>' if text else ""
        if kind in ("s", "b", "n"):
            value = value.strip()  # XML allows spaces around numbers; the reader does not
        if not value:
            return ""
        if kind == "s" and (number := TEXT_NUMBER.fullmatch(value)) and int(number[1]) < len(self.shared):
            return f't="s"><v>{int(number[1])}</v>' if self.shared[int(number[1])] else ""
        if kind in ("str", "d") or (kind == "b" and value in ("0", "1")) or (kind == "n" and NUMBER.fullmatch(value)):
            return f't="{kind}"><v>{escape(value)}</v>'
        return 't="e"><v>#N/A</v>'


def _refuse(*_: object) -> None:
    raise Refused("source", "the workbook declares entities, which Excel does not write; save it again")


def _character(reference: re.Match[str]) -> str:
    """The reference to a character in decimal, or a replacement if XML does not allow the character."""
    decimal, hexadecimal = reference.groups()
    number = int(decimal) if decimal else int(hexadecimal, 16)
    allowed = number in (9, 10, 13) or 31 < number < 0xD800 or 0xDFFF < number < 0xFFFE or 0xFFFF < number < 0x110000
    return f"&#{number};" if allowed else REPLACEMENT


def _as_xml(text: str) -> str:
    return f'<t xml:space="preserve">{escape(text)}</t>'


def _column(letters: str) -> int:
    """The number of a column: A is 1, Z is 26, AA is 27."""
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number


def _letters(column: int) -> str:
    letters = ""
    while column:
        column, digit = divmod(column - 1, 26)
        letters = chr(ord("A") + digit) + letters
    return letters
