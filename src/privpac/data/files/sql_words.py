"""Texts and names as a query in SQL spells them."""

from __future__ import annotations


def sql_text(value: str) -> str:
    """A text as a query spells it.

    >>> print(sql_text("it's"))
    'it''s'
    """
    return "'" + value.replace("'", "''") + "'"


def sql_name(value: str) -> str:
    """The name of a column as a query spells it.

    >>> print(sql_name('a "b" c'))
    "a ""b"" c"
    """
    return '"' + value.replace('"', '""') + '"'
