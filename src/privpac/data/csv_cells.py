"""The cells of many lines at once, where splitting them is easy.

A block of lines without a double quote, each with as many cells as the first line of its file, splits at separators and
line ends alone. Arrow does that for all lines together. Other blocks stay lines, which are split one by one: see
privpac.data.csv_sql. Only how fast a block is read depends on this.

Main declarations
    Splitting    how many cells a line has, and what separates them
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

BYTE_ORDER_MARK = b"\xef\xbb\xbf"  # which Arrow leaves out at the beginning, although a line may begin with it
UNSPLITTABLE = b'"'


@dataclass(frozen=True)
class Splitting:
    """Lines of ``width`` cells with a ``separator`` between them."""

    width: int
    separator: str

    @property
    def names(self) -> list[str]:
        """The columns of cells.

        >>> Splitting(2, ",").names
        ['cell 1', 'cell 2']
        """
        return [f"cell {i}" for i in range(1, self.width + 1)]

    def cells(self, block: bytes) -> Any:
        """The cells of each line that is not empty, null where one is empty; None if the lines are to be split alone.

        >>> Splitting(2, ",").cells(b"37,yes\\r\\n2,\\n").to_pylist()
        [{'cell 1': '37', 'cell 2': 'yes'}, {'cell 1': '2', 'cell 2': None}]
        >>> Splitting(2, ",").cells(b"37,yes\\n2\\n") is None
        True
        """
        if UNSPLITTABLE in block or block.startswith(BYTE_ORDER_MARK):
            return None
        pa, csv = import_module("pyarrow"), import_module("pyarrow.csv")
        bare = csv.ParseOptions(delimiter=self.separator, quote_char=False, double_quote=False, escape_char=False)
        once = csv.ReadOptions(use_threads=False, block_size=len(block) + 1, column_names=self.names)
        texts = csv.ConvertOptions(
            column_types=dict.fromkeys(self.names, pa.string()), strings_can_be_null=True, null_values=[""]
        )
        try:
            return csv.read_csv(pa.BufferReader(block), read_options=once, parse_options=bare, convert_options=texts)
        except pa.ArrowInvalid:  # a line with more or fewer cells, or one that is not UTF-8; the error quotes it
            return None
