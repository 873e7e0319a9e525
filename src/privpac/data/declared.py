"""Domains as values: what was declared is all they are.

Main declarations
    Declared    copies and pickles without what was derived and remembered
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any


class Declared:
    """A frozen dataclass that remembers derived facts; its copies derive them anew, so that using it changes nothing.

    >>> from pickle import dumps
    >>> from privpac.data.line import Line
    >>> line = Line(0, 9)
    >>> before, size = dumps(line), line.size
    >>> dumps(line) == before
    True
    """

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
