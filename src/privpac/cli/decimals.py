"""A note about columns of decimals between bounds that are whole numbers.

It depends on declarations and on the type in which a column is stored, and never on a value.

Main declarations
    note_about_decimals    what happens to decimals, and what to type to tell them apart
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from privpac.data.choices import InvalidRule
from privpac.data.refusal import Sentence, Setting

if TYPE_CHECKING:
    from privpac.data.domain import Domain

TREATED = {"clamp": "are rounded down", "default": "count toward no score"}


def note_about_decimals(domain: Domain, columns: Sequence[str], table: Any, on_invalid: InvalidRule) -> Sentence | None:
    """None if no such column is read, or if decimals will be refused anyway."""
    schema, names = table.schema(), [str(name) for name in domain.column_names or columns]
    stored = [(name, each.line) for name, each in zip(names, domain.columns, strict=False) if name in schema]
    for name, line in stored:
        kind = schema[name]
        counted = line is not None and line.kind == "integer" and line.step is None
        if counted and on_invalid in TREATED and (kind.is_floating() or kind.is_decimal()):
            about = f"column {name!r} is stored as decimals, but ", Setting("low"), " and ", Setting("high")
            happens = f" are whole numbers, so values between them {TREATED[on_invalid]}; to tell decimals apart, say "
            return Sentence((*about, happens, Setting.to("step", 0.1)))
    return None
