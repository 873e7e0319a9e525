"""Counts of prefixes with a measured certificate: one price for both, and a broken twin that pays for one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from privpac.audit.claims.case import Case, Records
from privpac.classes.tree_orders.paths import StartsWith
from privpac.data.samples.sample import Sample
from privpac.data.values.columns import objects
from privpac.mechanisms.algorithm import Ask
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Records as Seen
from privpac.release.algorithm import MeasuredAnswers
from privpac.release.code_trees.answers import CodeCounts
from privpac.release.code_trees.sanitizer import CodeTreeSanitizer
from privpac.requests.terms import Terms

SHARE = Fraction(1, 3)
UNPAID = Budget(6, "1e-4")
CROWD = ("a", "b") * 12  # more than τ of each


@dataclass(frozen=True)
class RawCodes(CodeTreeSanitizer):
    """No fit to the parents' counts afterward."""

    def run(self, records: Seen, ask: Ask) -> CodeCounts:
        n, shown = records.size, dict(ask(self.mechanism, records.see(self._counts)))
        kept = {"": n} | dict(sorted(shown.items()))
        return CodeCounts(n, self.domain, "subtree", tuple(kept), tuple(min(c, n) for c in kept.values()))


def read_codes(records: Records) -> Sample:
    """Codes as a release sees them.

    >>> read_codes(("ab", "b")).size
    2
    """
    return Sample(objects(records), np.ones(len(records), dtype=bool), None, len(records))


def measured_trie(cost: Budget, height: int, *, paid: bool = True) -> MeasuredAnswers:
    """Counts and their certificate; if it is not ``paid``, the counts use up the whole cost."""
    tree = RawCodes(StartsWith(height=height), Terms(cost))
    both = tree.beside_certificate(SHARE)
    assert both is not None  # its noise is Gaussian
    return MeasuredAnswers(both[0] if paid else replace(both[0], beside=Fraction(0)), both[1])


def measured_trie_cases() -> Iterator[Case]:
    """Where single records are rarely shown, and where all counts and the gap move.

    >>> [case.about for case in measured_trie_cases()]
    ['2 codes', '2 codes, 24 more records']
    """
    few, many = Budget(1, "1.26e-6"), UNPAID
    yield Case(measured_trie(few, 1), read_codes, "2 codes", "ab", 1, few)
    yield Case(measured_trie(many, 1), read_codes, "2 codes, 24 more records", "ab", 1, many, crowd=CROWD)
