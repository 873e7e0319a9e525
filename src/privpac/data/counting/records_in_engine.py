"""Records that stay in an engine while a release looks at counts of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Protocol, Self

from privpac.data.domains.domain import Domain
from privpac.data.samples.units import Quota
from privpac.refusals.option_words import InvalidRule

if TYPE_CHECKING:
    import ibis.expr.types as ir


class RecordsInEngine(Protocol):
    """Records in an engine, at most k of each unit; a record that does not fit its domain is void."""

    reads_once: ClassVar[bool]  # whether the engine reads records without units a single time

    @property
    def size(self) -> int:
        """n, which is public."""

    @classmethod
    def of(
        cls,
        table: ir.Table,
        names: Sequence[str],
        domain: Domain,
        quota: Quota | None = None,
        rule: InvalidRule = "raise",
    ) -> Self | None:
        """The records of an Ibis table, which ``domain`` reads from the columns ``names``; None if they must arrive."""

    def close(self) -> None:
        """Drop the tables that the engine keeps."""
