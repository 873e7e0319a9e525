"""The lines of text files, or their cells, as a stream of Arrow batches that an engine reads as often as it likes.

A line ends at a line feed or at a carriage return, whatever ends the other lines; empty lines, as between a carriage
return and a line feed, are not records. The first line, which names the columns, is left out. A line that is not UTF-8
or that is too long is null: it counts as a record and has no value in any column. So each line is read independently,
and none is lost: engines' readers refuse the whole file for such a line, or drop it. Of a line that is too long, only
its end is looked for.

Blocks of lines that are easy to split arrive as cells; the others arrive as lines, and their cells are null.

Main declarations
    Lines           the lines of some files
    LONGEST_LINE    how many bytes a line may have, unless its file has many columns
    head            the first line of a file
    TextFile        where a file is
"""

from __future__ import annotations

import gzip
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
LONGEST_LINE = 50_000
LONGEST_MEAN = 1_000  # bytes of a cell, on average, in a line of many
LONGEST_HEAD = 2 * 10**6  # bytes of a first line, which is public
BLOCK, HEAD = 2**19, 2**12  # bytes read at a time
LINE_FEED, CARRIAGE_RETURN = b"\n\r"


def head(file: TextFile) -> bytes:
    """The first line of a file, without its end; empty if it is longer than LONGEST_HEAD.

    >>> head("no such file.csv")
    Traceback (most recent call last):
    FileNotFoundError: [Errno 2] No such file or directory: 'no such file.csv'
    """
    line, end = b"", -1
    with _opened(file) as stream:
        while end < 0 and len(line) <= LONGEST_HEAD and (read := stream.read(HEAD)):
            end = len(line) + found if (found := _end(read, 0)) < len(read) else -1
            line += read
    line = line if end < 0 else line[:end]
    return line if len(line) <= LONGEST_HEAD else b""


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

    @property
    def longest(self) -> int:
        """How many bytes a line may have; a public number."""
        return max(LONGEST_LINE, LONGEST_MEAN * self.splitting.width)

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
        for whole in _blocks(file, self.longest):
            block, some_long = _shortened(whole, self.longest)
            cells = None if names or some_long else self.splitting.cells(block)
            if cells is None:
                lines = _lines(pa, block, self.longest)
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


def _blocks(file: TextFile, longest: int) -> Iterator[bytes]:
    """The bytes of a file, in blocks that end where a line ends.

    Of a line that does not end in its block, one byte more than the ``longest`` may have is kept: enough to know.
    """
    rest = b""
    with _opened(file) as stream:
        while read := stream.read(BLOCK):
            whole = max(read.rfind(b"\n"), read.rfind(b"\r")) + 1
            if whole:
                yield rest + read[:whole]
                rest = b""
            rest += read[whole : whole + longest + 1 - len(rest)]
    yield rest + b"\n"


def _shortened(block: bytes, longest: int) -> tuple[bytes, bool]:
    """The block with one byte more than ``longest`` of each longer line, and whether there is one.

    A longer line fills one of the windows, and only lines that do are looked at: few bytes are read.
    """
    half, kept, rest = max(longest // 2, 1), [], 0
    for start in range(0, len(block) - half + 1, half):
        if start >= rest and _end(block, start, start + half) == start + half:
            begin, end = max(block.rfind(b"\n", 0, start), block.rfind(b"\r", 0, start)) + 1, _end(block, start)
            if end - begin > longest:
                kept.append(block[rest : begin + longest + 1])
                rest = end
    return b"".join([*kept, block[rest:]]) if kept else block, bool(kept)


def _end(block: bytes, start: int, stop: int | None = None) -> int:
    """Where the line ends that goes on at ``start``; ``stop``, or the end of the block, if it does not end before."""
    stop = len(block) if stop is None else stop
    feed = block.find(b"\n", start, stop)
    found = block.find(b"\r", start, stop if feed < 0 else feed)
    return found if found >= 0 else feed if feed >= 0 else stop


def _lines(pa: Any, block: bytes, longest: int) -> Any:
    """The lines of a block that are not empty; null if they are too long or not UTF-8."""
    octets = np.frombuffer(block, dtype=np.uint8)
    ends = (octets == LINE_FEED) | (octets == CARRIAGE_RETURN)
    lengths = np.diff(np.flatnonzero(ends), prepend=-1) - 1
    lengths = lengths[lengths > 0]
    offsets, text = np.concatenate([[0], np.cumsum(lengths)]), octets[~ends]
    short = lengths <= longest
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
