"""The lines of text files, or their cells, as a stream of Arrow batches that an engine reads as often as it likes.

A line ends at a line feed or at a carriage return, whatever ends the other lines; empty lines, as between a carriage
return and a line feed, are not records. The first line, which names the columns, is left out. A line that is not UTF-8
or that is longer than LONGEST_LINE bytes is null: it counts as a record and has no value in any column. So each line is
read independently, and none is lost: engines' readers refuse the whole file for such a line, or drop it.

Blocks of lines that are easy to split arrive as cells; the others arrive as lines, and their cells are null.

Main declarations
    Lines           the lines of some files
    LONGEST_LINE    how many bytes a line may have
    head            the first line of a file
    TextFile        where a file is
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import IO, Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from privpac.data.csv_cells import Splitting
from privpac.data.progress import say


class Openable(Protocol):
    """A file that is neither here nor in memory."""

    def open(self) -> IO[bytes]: ...


TextFile = str | bytes | Openable  # a path, the bytes of a file, or a file elsewhere
LONGEST_LINE = 2 * 10**6
BLOCK = 2**19  # bytes read at a time
LINE_FEED, CARRIAGE_RETURN = b"\n\r"


def head(file: TextFile) -> bytes:
    """The first line of a file, without its end; empty if it is longer than LONGEST_LINE.

    >>> head("no such file.csv")
    Traceback (most recent call last):
    FileNotFoundError: [Errno 2] No such file or directory: 'no such file.csv'
    """
    with _opened(file) as stream:
        line = re.split(rb"[\r\n]", stream.read(LONGEST_LINE + 1), maxsplit=1)[0]
    return line if len(line) <= LONGEST_LINE else b""


@dataclass(frozen=True)
class Lines:
    """A table with the column ``line``, and the columns of ``splitting``; a record is in one or the other, or in none.

    Each reading of it opens the files, or the bytes of files, anew.

    >>> import pyarrow
    >>> lines = pyarrow.table(Lines((b"delay,late\\n37,yes\\r\\n2,n\\xe9\\n",), Splitting(2, ",")))
    >>> lines["line"].to_pylist(), lines["cell 1"].to_pylist()
    (['37,yes', None], [None, None])
    """

    files: Sequence[TextFile]
    splitting: Splitting

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The lines through Arrow's PyCapsule interface."""
        pa = import_module("pyarrow")
        schema = pa.schema([(name, pa.string()) for name in ("line", *self.splitting.names)])
        reader = pa.RecordBatchReader.from_batches(schema, self._told(pa, schema))
        return reader.__arrow_c_stream__(requested_schema)

    def _told(self, pa: Any, schema: Any) -> Iterator[Any]:
        """The lines of all files, in blocks; says how many there were."""
        rows = 0
        for file in self.files:
            for found in self._split(pa, file):
                none = pa.nulls(len(next(iter(found.values()))), pa.string())
                rows += len(none)
                say("{} rows read", rows)
                yield pa.record_batch([found.get(name, none) for name in schema.names], schema=schema)

    def _split(self, pa: Any, file: TextFile) -> Iterator[dict[str, Any]]:
        """The lines after the first, or their cells, in blocks, none of them empty."""
        names = 1  # how many lines to leave out
        for block in _blocks(file):
            cells = self.splitting.cells(block) if not names and len(block) <= LONGEST_LINE else None
            if cells is None:
                lines = _lines(pa, block)
                found, names = {"line": lines[names:]}, names - min(names, len(lines))
            else:
                found = {name: cells[name].combine_chunks() for name in self.splitting.names}
            if len(next(iter(found.values()))):
                yield found


def _opened(file: TextFile) -> IO[bytes]:
    """The bytes of a file, or of a file in memory; a name that ends with .gz says that they are compressed."""
    if isinstance(file, bytes):
        return BytesIO(file)
    if not isinstance(file, str):
        return file.open()
    return cast(IO[bytes], gzip.open(file)) if file.lower().endswith(".gz") else Path(file).open("rb")


def _blocks(file: TextFile) -> Iterator[bytes]:
    """The bytes of a file, in blocks that end where a line ends.

    Of a line that does not end in its block, one byte more than LONGEST_LINE is kept: enough to know.
    """
    rest = b""
    with _opened(file) as stream:
        while read := stream.read(BLOCK):
            whole = max(read.rfind(b"\n"), read.rfind(b"\r")) + 1
            if whole:
                yield rest + read[:whole]
                rest = b""
            rest = (rest + read[whole:])[: LONGEST_LINE + 1]
    yield rest + b"\n"


def _lines(pa: Any, block: bytes) -> Any:
    """The lines of a block that are not empty; null if they are too long or not UTF-8."""
    octets = np.frombuffer(block, dtype=np.uint8)
    ends = (octets == LINE_FEED) | (octets == CARRIAGE_RETURN)
    lengths = np.diff(np.flatnonzero(ends), prepend=-1) - 1
    lengths = lengths[lengths > 0]
    offsets, text = np.concatenate([[0], np.cumsum(lengths)]), octets[~ends]
    short = lengths <= LONGEST_LINE
    lines = _array(pa, text, offsets, short)
    try:
        lines.validate(full=True)
    except pa.ArrowInvalid:
        places = zip(offsets.tolist(), offsets[1:].tolist(), strict=False)
        utf8 = np.array([_is_utf8(text[start:end].tobytes()) for start, end in places])
        return _array(pa, text, offsets, short & utf8)
    return lines


def _array(pa: Any, text: NDArray[np.uint8], offsets: NDArray[np.int64], there: NDArray[np.bool_]) -> Any:
    """The texts between the offsets, as Arrow stores them; null where they are not there."""
    bits = None if there.all() else np.packbits(there, bitorder="little")
    buffers = [None if each is None else pa.py_buffer(each) for each in (bits, offsets.astype(np.int32), text)]
    return pa.Array.from_buffers(pa.string(), len(there), buffers)


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True
