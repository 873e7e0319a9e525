"""A schema to fill in: the names and storage types of a table's columns, and what a person must add.

No record is read. Bounds, categories, and labels are left to a person, because a schema is public: the smallest value
of a table is the value of one of its records.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from privpac.classes.schemas.toml_lines import section_title, toml_value
from privpac.data.values.value_text import value_text

if TYPE_CHECKING:
    import ibis.expr.datatypes as dt

HEAD = """\
# A schema of {source}: what its columns may hold, and which rules may ask about them.
# It was begun from the names and storage types of the columns alone; no record was read. Now complete it: fill in the
# lines that begin with # and a key, remove their #, and remove the columns that rules must not read.
#
# Everything in this file is public. Bounds and categories are left to you for this reason: declare what is possible,
# such as 0 and 120 for an age, and not what occurs. The smallest and largest value of a table are records of people.
#
# kind                                        what to declare with it
# integer, decimal, float64, date, datetime   low and high, without quotes: 0, 0.0, 2026-01-31, 2026-01-31T08:30:00
# category                                    values = ["A", "B"], all that may occur; or open = true, any value
# code                                        the height (number of steps), a separator between steps if there is one,
#                                             and in values the beginnings that trees may ask about; all optional
# text                                        nothing
# any of them                                 missing = true if an entry may be absent; na = ["NA", "?"] if texts say so

[label]                     # for rules; remove it if nothing is predicted, as in a release of the table
# column = ""               # the column that rules predict; remove its section below
# classes = ["no", "yes"]   # its two labels, the negative one first; or more, for trees; or a condition instead:
# at_least = 5000           # the label is yes from this number or date on, or one_of = ["A", "B"]

# [unit]                    # if a person may have several records; all of them are then protected together
# column = ""               # the column that names the person; remove its section below
# max_records = 3           # how many records of each person count
"""
BOUNDS = """\
# low =                     # the smallest possible value
# high =                    # the largest possible value
"""
TRUTH = "values = [false, true]\n"
UNKNOWN = '# kind = ""                 # one of the above, and what to declare with it\n'
NEVER = "# a schema cannot declare this type; remove the section\n"


def template(
    columns: Mapping[str, dt.DataType], source: str, spelling: Mapping[str, object] = MappingProxyType({})
) -> str:
    """A schema to fill in, for columns with these names and Ibis types; ``spelling`` has keys that describe the file.

    >>> import ibis
    >>> print(template({"age": ibis.dtype("int64")}, "visits.parquet").partition("[columns")[2])
    .age]               # stored as int64
    kind = "integer"
    # low =                     # the smallest possible value
    # high =                    # the largest possible value
    <BLANKLINE>
    """
    titles = {section_title("columns", name): kind for name, kind in columns.items()}
    sections = [f"\n{name:27} # stored as {_type(kind)}\n{_body(kind)}" for name, kind in titles.items()]
    comment, label, roles = HEAD.format(source=value_text(source)).partition("[label]")
    keys = "".join(f"{name} = {toml_value(content)}\n" for name, content in spelling.items())
    return "".join([comment, keys, "\n" * bool(keys), label, roles, *sections])


def _type(kind: dt.DataType) -> str:
    return "text" if kind.is_string() else str(kind).removeprefix("!")  # "!" marks columns without NULL


def _body(kind: dt.DataType) -> str:
    """The lines of a column's section, as far as its storage type determines them."""
    kinds = {
        "integer": kind.is_integer(),
        "decimal": kind.is_decimal(),
        "float64": kind.is_floating(),
        "date": kind.is_date(),
        "datetime": kind.is_timestamp(),
    }
    if name := next((name for name, holds in kinds.items() if holds), None):
        return f'kind = "{name}"\n{BOUNDS}'
    if kind.is_boolean():
        return f'kind = "category"\n{TRUTH}'
    return UNKNOWN if kind.is_string() or kind.is_uuid() else NEVER
