"""The contract for records that stay in an engine, where a release sees only counts of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Protocol, Self

from privpac.data.domains.domain import Domain
from privpac.data.samples.units import Quota
from privpac.refusals.option_words import InvalidRule

if TYPE_CHECKING:
    import ibis.expr.types as ir


class RecordsInEngine(Protocol):
    """Records in an engine, at most k of each unit. A record that does not fit its domain is void."""

    reads_once: ClassVar[bool]  # whether one scan of the table is enough if there are no units

    @property
    def size(self) -> int:
        """The public number n of records."""

    @classmethod
    def of(
        cls,
        table: ir.Table,
        names: Sequence[str],
        domain: Domain,
        quota: Quota | None = None,
        rule: InvalidRule = "raise",
    ) -> Self | None:
        """The records of an Ibis table, which ``domain`` reads from the columns ``names``.

        None if the engine cannot count them, so that the records must be loaded.
        """

    def close(self) -> None:
        """Drop the tables that the engine keeps for these records."""
