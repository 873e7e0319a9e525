"""Text files, read without guessing: a line is a record, and no record decides how another one is read.

A CSV file is UTF-8, unless another encoding is declared. Its first line names the columns, and each later line that is
not empty is one record. A line ends at a line feed, at a carriage return, or at both, whatever ends the other lines.
Each line is split at its separators independently: a quote that is not closed ends with its line. A line with more or
fewer cells than the first, a line that is not UTF-8, and a line of more than 50,000 bytes (or 1,000 for each column, if
that is more) have no value in any column. A cell may be enclosed in double quotes; inside them, two double quotes stand
for one. An empty cell is missing.

An engine reads a file as a stream of Arrow batches, as often as it likes. Arrow splits a block of lines all at once if
no line has a double quote and all have as many cells as the first line of the file. Other blocks arrive as lines, which
the engine splits one by one. This decides only how fast a block is read. A line without a value in any column is null
and still counts as a record; the readers of engines would refuse the whole file for such a line, or drop it.
"""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from glob import glob
from importlib import import_module
from io import BytesIO, StringIO
from pathlib import Path
from typing import IO, TYPE_CHECKING, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from privpac.data.files.headings import MOST_COLUMNS, checked_names
from privpac.data.files.progress import say
from privpac.data.values.value_text import sql_name, sql_text
from privpac.refusals.refusal import Part, Refused, Setting

if TYPE_CHECKING:
    import pyarrow as pa

BYTE_ORDER_MARK = b"\xef\xbb\xbf"  # Arrow drops these bytes at the start of a block, although they may start a cell
UNSPLITTABLE = b'"'  # Arrow does not split a block of lines with a double quote
LONGEST_LINE = 50_000  # bytes
LONGEST_MEAN = 1_000  # bytes of a cell, on average, in a line of many cells
LONGEST_HEAD = 2 * 10**6  # bytes of a first line, which is public
BLOCK, HEAD_BLOCK = 2**19, 2**12  # bytes read at a time: of records, and of a first line
LINE_FEED, CARRIAGE_RETURN = b"\n\r"  # their numbers as bytes
CSV_RULES = (
    "a CSV file is UTF-8 text, with commas between cells, a first line that names the columns, and one line per record"
)
IF_DIFFERENT: tuple[Part, ...] = (
    *("; if yours is different, say how: ", Setting.to("separator", ";"), " or "),
    Setting.to("encoding", "latin-1"),
)
SIGNS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}
UTF8 = "utf-8"
CELL = r"""("(?:[^"]|"")*"|[^{0}]*){0}"""  # a cell, enclosed in double quotes or not, and the separator {0} after it


def matching(address: str) -> list[str]:
    """The file at this path, or the files that match a pattern with ``*``, sorted."""
    paths = [address] if Path(address).is_file() else sorted(glob(address))  # noqa: PTH207  (Path.glob takes no absolute patterns)
    return [path for path in paths if Path(path).is_file()]


class Openable(Protocol):
    """A file that is neither on this machine nor in memory."""

    def open(self) -> IO[bytes]: ...


TextFile = str | bytes | Openable  # a path, the bytes of a file, or a file elsewhere


def head(file: TextFile, encoding: str = UTF8) -> bytes:
    """The first line of a file in UTF-8, without its end; empty if it is longer than LONGEST_HEAD."""
    line, ended = b"", False
    with _opened(file, encoding) as stream:
        while not ended and len(line) <= LONGEST_HEAD and (block := stream.read(HEAD_BLOCK)):
            end = _end(block, 0)
            line, ended = line + block[:end], end < len(block)
    return line if len(line) <= LONGEST_HEAD else b""


def is_empty(file: TextFile) -> bool:
    """Whether the file has no byte."""
    with _opened(file) as stream:
        return not stream.read(1)


def heading(lines: Sequence[bytes], separator: str, most: int = MOST_COLUMNS) -> list[str]:
    """The names of at most ``most`` columns in the first ``lines`` of some files; all files must have the same names.

    A column without a name gets a number as its name.

    >>> heading([b"delay,late"], ",")
    ['delay', 'late']
    """
    names, *other_names = (_names(line.decode("utf-8-sig"), separator) for line in lines)
    if any(others != names for others in other_names):
        differ = "the first lines of the files differ; give files that name the same columns in the same order"
        raise Refused("source", differ)
    if not names or any("\0" in name for name in names):
        raise Refused("source", f"the first line must name the columns; {CSV_RULES}", *IF_DIFFERENT)
    return checked_names(names, most)


def check_separator(line: bytes, separator: str) -> None:
    """Refused if the first line does not contain ``separator`` but contains another sign that often separates cells.

    >>> check_separator(b"age;ward", ",")
    Traceback (most recent call last):
    privpac.refusals.refusal.Refused: the first line has semicolons and no commas, so it would be the name of ...
    """
    text = line.decode("utf-8", "replace")
    if not text.replace("\t", "").strip().isprintable():  # a file of another kind, such as an archive
        return
    others = [sign for sign in SIGNS if sign in text]
    if others and separator not in others and separator in SIGNS:
        signs = f"the first line has {SIGNS[others[0]]} and no {SIGNS[separator]}"
        advice = "say what separates cells: ", Setting.to("separator", "tab" if others[0] == "\t" else others[0])
        raise Refused("source", f"{signs}, so it would be the name of one column; ", *advice)


def _names(line: str, separator: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=separator), [])
    except csv.Error:  # a cell of more than 131,072 characters
        return []


def text_query(names: Sequence[str], splitting: Splitting, lines: str) -> str:
    """The query for the records in the table ``lines``, whose columns the class ``Lines`` explains."""
    separator, cell_columns = splitting.separator, ", ".join(map(sql_name, splitting.names))
    pattern = sql_text(CELL.format(rf"\x{ord(separator):02x}"))
    quoted = f"regexp_extract_all(line || {sql_text(separator)}, {pattern}, 1)"
    plain = f"string_split(line, {sql_text(separator)})"
    split = f"""CASE WHEN contains(line, '"') THEN {quoted} ELSE {plain} END"""
    cells = f"SELECT {split} AS cells, {cell_columns} FROM {lines}"
    columns = (
        f"CASE WHEN cells IS NULL THEN {sql_name(cell)} "
        f"WHEN len(cells) = {len(names)} THEN nullif({_unquoted(f'cells[{i}]')}, '') END AS {sql_name(name)}"
        for i, (name, cell) in enumerate(zip(names, splitting.names, strict=True), 1)
    )
    return f"SELECT {', '.join(columns)} FROM ({cells})"


def _unquoted(cell: str) -> str:
    """The SQL expression for a cell without the double quotes that enclose it."""
    is_quoted = f"""regexp_full_match({cell}, '"(?:[^"]|"")*"')"""
    inner = f"""replace(substr({cell}, 2, length({cell}) - 2), '""', '"')"""
    return f"""CASE WHEN starts_with({cell}, '"') AND {is_quoted} THEN {inner} ELSE {cell} END"""


@dataclass(frozen=True)
class Lines:
    """The records of text files as an Arrow stream with the column ``line`` and a column for each cell.

    A record is either whole, in ``line``, or split, in the columns of its cells; one without a value is null in all of
    these. Each reading opens the files again.

    >>> import pyarrow
    >>> lines = pyarrow.table(Lines((b"delay,late\\n37,yes\\r\\n2,n\\xe9\\n",), Splitting(2, ",")))
    >>> lines["line"].to_pylist(), lines["cell 1"].to_pylist()
    (['37,yes', None], [None, None])
    """

    files: Sequence[TextFile]
    splitting: Splitting
    encoding: str = UTF8

    @property
    def longest(self) -> int:
        """How many bytes a line may have; a public number."""
        return max(LONGEST_LINE, LONGEST_MEAN * self.splitting.width)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The lines through Arrow's PyCapsule interface."""
        pa = import_module("pyarrow")
        schema = pa.schema([(name, pa.string()) for name in ("line", *self.splitting.names)])
        reader = pa.RecordBatchReader.from_batches(schema, self._batches(schema))
        return reader.__arrow_c_stream__(requested_schema)

    def as_query(self) -> str | None:
        """A query that holds all lines in its own text; None if there are none, or more than a block of them.

        Before it reads anything else from this process, DuckDB imports pandas, which takes longer than a small file.

        >>> print(Lines((b"delay\\n37\\n",), Splitting(1, ",")).as_query())
        SELECT nullif(unnest(string_split(decode(unhex('3337')), chr(10))), '') AS line, NULL::VARCHAR AS "cell 1"
        """
        lines, size = list[str](), 0
        for file in self.files:
            for block in self._split(file, at_once=False):
                if (size := size + block["line"].nbytes) > BLOCK:
                    return None
                lines += (line or "" for line in block["line"].to_pylist())  # "" stands for null: no line is empty
        text = f"decode(unhex('{chr(LINE_FEED).join(lines).encode().hex()}'))"
        cells = "".join(f", NULL::VARCHAR AS {sql_name(name)}" for name in self.splitting.names)
        return f"SELECT nullif(unnest(string_split({text}, chr({LINE_FEED}))), '') AS line{cells}" if lines else None

    def _batches(self, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        """The lines of all files, in blocks; tells the listener how many were read."""
        pa, rows = import_module("pyarrow"), 0
        for file in self.files:
            for block in self._split(file):
                none = pa.nulls(len(next(iter(block.values()))), pa.string())
                rows += len(none)
                say("{} rows read", rows)
                yield pa.record_batch([block.get(name, none) for name in schema.names], schema=schema)

    def _split(self, file: TextFile, at_once: bool = True) -> Iterator[dict[str, pa.Array]]:
        """The lines after the first, in blocks that are not empty. A block has the columns that it fills, by name.

        With ``at_once``, these are the columns of cells, if Arrow can split the block; otherwise, only ``line``.
        """
        to_skip = 1  # how many lines still to skip: the first one names the columns
        for whole_lines in _blocks(file, self.longest, self.encoding):
            block, has_long_lines = _with_cut_lines(whole_lines, self.longest)
            cells = None if to_skip or has_long_lines or not at_once else self.splitting.cells(block)
            if cells is None:
                lines = _lines(block, self.longest)
                columns = {"line": lines[to_skip:]}
                to_skip -= min(to_skip, len(lines))
            else:
                columns = {name: cells[name].combine_chunks() for name in self.splitting.names}
            if len(next(iter(columns.values()))):
                yield columns


@dataclass(frozen=True)
class Splitting:
    """Lines of ``width`` cells with a ``separator`` between them."""

    width: int
    separator: str

    @property
    def names(self) -> list[str]:
        """The columns of cells."""
        return [f"cell {i}" for i in range(1, self.width + 1)]

    def cells(self, block: bytes) -> pa.Table | None:
        """The cells of each line that is not empty, null where one is empty; None if lines must be split one by one.

        >>> Splitting(2, ",").cells(b"37,yes\\r\\n2,\\n").to_pylist()
        [{'cell 1': '37', 'cell 2': 'yes'}, {'cell 1': '2', 'cell 2': None}]
        >>> Splitting(2, ",").cells(b"37,yes\\n2\\n") is None
        True
        """
        if UNSPLITTABLE in block or block.startswith(BYTE_ORDER_MARK):
            return None
        pa, csv = import_module("pyarrow"), import_module("pyarrow.csv")
        unquoted = csv.ParseOptions(delimiter=self.separator, quote_char=False, double_quote=False, escape_char=False)
        one_block = csv.ReadOptions(use_threads=False, block_size=len(block) + 1, column_names=self.names)
        texts = csv.ConvertOptions(
            column_types=dict.fromkeys(self.names, pa.string()), strings_can_be_null=True, null_values=[""]
        )
        try:
            return csv.read_csv(
                pa.BufferReader(block), read_options=one_block, parse_options=unquoted, convert_options=texts
            )
        except pa.ArrowInvalid:  # a line with more or fewer cells, or one that is not UTF-8; the error quotes it
            return None


def _opened(file: TextFile, encoding: str = UTF8) -> IO[bytes]:
    """The text of a file, or of a file in memory, in UTF-8."""
    stream = _stored_bytes(file)
    return stream if encoding == UTF8 else cast(IO[bytes], _Recoded(stream, encoding))


@dataclass(frozen=True)
class _Recoded:
    """A stream in an encoding that has one byte per character, converted to UTF-8.

    A byte that stands for no character becomes bytes that are not UTF-8, so its line is treated like any line that
    cannot be decoded.
    """

    stream: IO[bytes]
    encoding: str

    def read(self, size: int) -> bytes:
        text = self.stream.read(size).decode(self.encoding, "surrogateescape")
        return text.encode("utf-8", "surrogatepass")

    def __enter__(self) -> _Recoded:
        return self

    def __exit__(self, *_: object) -> None:
        self.stream.close()


def _stored_bytes(file: TextFile) -> IO[bytes]:
    """The bytes of a file; those of a file whose name ends with .gz are unpacked."""
    if isinstance(file, bytes):
        return BytesIO(file)
    if not isinstance(file, str):
        return file.open()
    return cast(IO[bytes], gzip.open(file)) if file.lower().endswith(".gz") else Path(file).open("rb")


def _blocks(file: TextFile, longest: int, encoding: str = UTF8) -> Iterator[bytes]:
    """The bytes of a file, in blocks that end where a line ends.

    If a line does not end in its block, it is cut one byte after the ``longest`` length: enough to know it is long.
    """
    unended = b""  # the beginning of a line that does not end in its block
    with _opened(file, encoding) as stream:
        while block := stream.read(BLOCK):
            end = max(block.rfind(b"\n"), block.rfind(b"\r")) + 1  # of the last line that ends here
            if end:
                yield unended + block[:end]
                unended = b""
            unended += block[end : end + longest + 1 - len(unended)]
    yield unended + b"\n"


def _with_cut_lines(block: bytes, longest: int) -> tuple[bytes, bool]:
    """The block with each line of more than ``longest`` bytes cut one byte later, and whether there is such a line.

    The block is divided into windows of half that length. Each long line fills a window, so the search looks only at
    lines that fill one.
    """
    half, pieces, copied = max(longest // 2, 1), [], 0  # ``pieces`` holds what remains of the block up to ``copied``
    for start in range(0, len(block) - half + 1, half):
        if start >= copied and _end(block, start, start + half) == start + half:  # no line ends in this window
            begin = max(block.rfind(b"\n", 0, start), block.rfind(b"\r", 0, start)) + 1
            end = _end(block, start)
            if end - begin > longest:
                pieces.append(block[copied : begin + longest + 1])
                copied = end
    return b"".join([*pieces, block[copied:]]) if pieces else block, bool(pieces)


def _end(block: bytes, start: int, stop: int | None = None) -> int:
    """Where the line at ``start`` ends; ``stop``, or the end of the block, if it does not end before that."""
    stop = len(block) if stop is None else stop
    feed = block.find(b"\n", start, stop)
    carriage = block.find(b"\r", start, stop if feed < 0 else feed)
    return carriage if carriage >= 0 else feed if feed >= 0 else stop


def _lines(block: bytes, longest: int) -> pa.Array:
    """The lines of a block that are not empty; null if they are too long or not UTF-8."""
    pa, octets = import_module("pyarrow"), np.frombuffer(block, dtype=np.uint8)
    ends_line = (octets == LINE_FEED) | (octets == CARRIAGE_RETURN)
    lengths = np.diff(np.flatnonzero(ends_line), prepend=-1) - 1
    lengths = lengths[lengths > 0]
    offsets, text = np.concatenate([[0], np.cumsum(lengths)]), octets[~ends_line]
    is_short = lengths <= longest
    lines = _array(text, offsets, is_short)
    try:
        lines.validate(full=True)
    except pa.ArrowInvalid:
        ranges = zip(offsets.tolist(), offsets[1:].tolist(), strict=False)
        is_utf8 = np.array([_is_utf8(text[start:end].tobytes()) for start, end in ranges])
        return _array(text, offsets, is_short & is_utf8)
    return lines


def _array(text: NDArray[np.uint8], offsets: NDArray[np.int64], present: NDArray[np.bool_]) -> pa.Array:
    """The texts between the offsets, as Arrow stores them; null where they are not present."""
    pa = import_module("pyarrow")
    validity = None if present.all() else pa.py_buffer(np.packbits(present, bitorder="little"))
    buffers = [validity, pa.py_buffer(offsets.astype(np.int32)), pa.py_buffer(text)]
    return pa.Array.from_buffers(pa.string(), len(present), buffers)


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def csv_text(table: Mapping[str, Sequence[object]], separator: str = ",") -> str:
    """A table as CSV.

    >>> print(csv_text({"carrier": ["EV", 'U"A'], "records": [300, 20]}), end="")
    carrier,records
    EV,300
    "U""A",20
    """
    text = StringIO()
    rows = csv.writer(text, delimiter=separator, lineterminator="\n")
    rows.writerow(table)
    rows.writerows(zip(*table.values(), strict=True))
    return text.getvalue().encode("utf-8", "backslashreplace").decode()  # a released text may hold a lone surrogate
