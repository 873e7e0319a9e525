"""Labels as people type them.

Typed labels are text. For a Boolean column they are read as true or false; otherwise as whole numbers if all are whole
numbers; otherwise as text. In text files, every spelling of a number is the same label.

Main declarations
    words     the labels, as typed: two, or more for one rule each
    labels    the two labels, as a table stores them
"""

from __future__ import annotations

from typing import Any

from privpac.data.refusal import Refused, Setting

TRUTH = {"0": False, "1": True, "false": False, "true": True, "no": False, "yes": True}


def words(text: str) -> tuple[Any, ...]:
    """The labels, (negative, positive) or more of them, as typed: integers if all are whole numbers.

    >>> words("0,1"), words("no, yes")
    ((0, 1), ('no', 'yes'))
    """
    names = [name.strip() for name in text.split(",")]
    if len(names) < 2 or not all(names) or len(set(names)) < len(names):
        two = " takes two different labels, the negative one first, such as 0,1 or no,yes; or more, such as a,b,c"
        raise Refused("classes", Setting("classes"), two)
    whole = all(name.lstrip("+-").isdecimal() for name in names)
    return tuple(map(int, names)) if whole else tuple(names)


def labels(said: tuple[Any, Any], table: Any, y: str) -> tuple[Any, Any]:
    """The two labels as the column ``y`` of the table stores them: a Boolean column has many spellings.

    >>> import ibis, pyarrow
    >>> table = ibis.memtable(pyarrow.table({"late": [True], "sex": ["m"]}))
    >>> labels(("no", "yes"), table, "late"), labels(("f", "m"), table, "sex")
    ((False, True), ('f', 'm'))
    """
    truth = y in table.columns and table.schema()[y].is_boolean()
    known = [TRUTH.get(str(name).lower()) for name in said]
    return (known[0], known[1]) if truth and None not in known else said
