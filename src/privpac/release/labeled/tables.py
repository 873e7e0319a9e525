"""Error and rates of rules such as "a = 1 and b = 1": counts of tables with one more column, that of the labels.

proof: docs/proofs/labeled_release.md

Throughout this file
    L         the number of the column of labels, after all others; its cells are 0 (negative) and 1 (positive)
    choice    the columns of a table, without L: a rule names a cell for each of them
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from privpac.classes.compositions.rules import ColumnRule
from privpac.classes.hypothesis import Hypothesis
from privpac.classes.tables.marginals import place_of
from privpac.data.counting.crosstabs import crosstabs
from privpac.data.domains.listing import Listing
from privpac.data.domains.named_columns import Columns
from privpac.data.samples.sample import Ints, Sample
from privpac.exact.entropy import Entropy
from privpac.mechanisms.algorithm import Ask
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Records
from privpac.release.labeled.answers import (
    AnswersByLabel,
    Classes,
    LabeledAnswers,
    LabelFields,
    largest_gap,
    outcomes_of,
    samples_by_label,
)
from privpac.release.labeled.rates import Outcomes
from privpac.release.postprocessing.consistency import ColumnSet
from privpac.release.sanitizer import Answers, Frame, headings
from privpac.release.tables.cells import column_rules, conjunction
from privpac.release.tables.marginals import MarginalAnswers, MarginalSanitizer, TableShape, table_counts
from privpac.release.tables.measuring import TableCounts
from privpac.release.tables.noisy_tables import column_pairs
from privpac.release.tables.sanitizer import TableAnswers, TableSanitizer


@dataclass(frozen=True)
class LabeledMarginalAnswers(AnswersByLabel):
    """The tables of negative records, and those of positive ones; a rule flags one cell of a table."""

    negatives: MarginalAnswers
    positives: MarginalAnswers

    def numbers(self, half: Answers) -> Ints:
        assert isinstance(half, MarginalAnswers)
        return np.concatenate([np.array(table, dtype=np.int64) for table in half.tables])

    def true(self, half: Answers, sample: Sample) -> Ints:
        assert isinstance(half, MarginalAnswers)
        return table_counts(sample, half.cells, tuple(half.choices))

    def rule(self, i: int) -> Hypothesis:
        return rule_at(i, self.negatives.choices, [column.rules for column in self.negatives.cells])


def rule_at(i: int, choices: Iterable[ColumnSet], rules: Sequence[Sequence[ColumnRule]]) -> Hypothesis:
    """Rule number i of all choices, which name a cell of each of their columns; ``rules`` has those of each column."""
    for columns in choices:
        shape = tuple(len(rules[j]) for j in columns)
        if i < prod(shape):
            return conjunction([rules[j][int(k)] for j, k in zip(columns, np.unravel_index(i, shape), strict=True)])
        i -= prod(shape)
    raise IndexError(i)


def within_n(counts: Ints, n: int) -> tuple[int, int]:
    """The numbers of negative and of positive records, which are at most n together.

    >>> within_n(np.array([2, 2]), 3)
    (1, 2)
    """
    negatives, positives = counts.tolist()
    return min(int(negatives), n - min(int(positives), n)), min(int(positives), n)


@dataclass(frozen=True)
class LabeledMarginalSanitizer(LabelFields, MarginalSanitizer):
    """Error and rates of every combination of cells, as a rule.

    Privacy   ε or (ε, δ) for all inputs: labeled release, Theorem 1

    >>> import privpac as pp
    >>> pairs = pp.Marginals(*(pp.Points().on(name, values=(0, 1)) for name in "ab"), order=2)
    >>> X = {"a": [0, 0, 1, 1] * 2000, "b": [0, 1, 0, 1] * 2000, "late": [0, 0, 0, 1] * 2000}
    >>> release = pp.PrivateRelease(pairs, epsilon=1, delta=1e-6).fit(X, "late")
    >>> release.error(pairs.hypothesis({"a": 1, "b": 1})) < 0.02, str(release.best().rule)
    (True, 'a = 1 and b = 1')
    """

    @property
    def _counted(self) -> TableShape:
        """The tables of the marginals, each with the column of labels."""
        marginals, L = self.concept_class, len(self.concept_class.shape)
        return TableShape((*marginals.shape, 2), tuple((*columns, L) for columns in marginals.tables), marginals.order)

    def run(self, records: Records, ask: Ask) -> LabeledMarginalAnswers:
        n, L, table = records.size, len(self.concept_class.shape), self.fitted(records, ask)
        tables = [table((*columns, L)) for columns in self.concept_class.choices]
        negatives, positives = (self._answers(n, (counts[..., label] for counts in tables)) for label in range(2))
        totals = within_n(tables[0], n)  # the first choice has no column, so its table counts all records by label
        return LabeledMarginalAnswers(n, self.classes, negatives, positives, totals, self.label)

    def _counts(self, sample: Sample) -> Ints:
        """The counts of all tables; those of the two labels of a combination of cells stand side by side."""
        cells, tables = self.concept_class.cells, self.concept_class.tables
        by_label = [table_counts(part, cells, tables) for part in samples_by_label(sample)]
        return np.stack(by_label, axis=1).reshape(-1)


@dataclass(frozen=True)
class LabeledTableAnswers(LabeledAnswers):
    """The answers about a table whose last column holds the labels; rules are combinations of cells of the others."""

    n: int
    classes: Classes
    table: TableAnswers
    label: str = "label"

    def __post_init__(self) -> None:
        self._check_labels()
        if self.table.n != self.n or self.table.cells[-1].size != 2:
            raise ValueError("the last column of the table must be that of the labels")

    @property
    def _last(self) -> int:
        """L, the number of the column of labels."""
        return len(self.table.cells) - 1

    @cached_property
    def _choices(self) -> tuple[ColumnSet, ...]:
        """The choices, the one without a column first."""
        return tuple(columns[:-1] for columns in self.table.choices if self._last in columns)

    @property
    def _totals(self) -> tuple[int, int]:
        return within_n(self.table.by_columns[self._last,], self.n)

    def outcomes(self, rule: Hypothesis) -> Outcomes:
        chosen, cells = place_of(rule, self.table.cells[:-1], max(map(len, self._choices)))
        if chosen not in self._choices:
            self.table.count(rule)  # refuses the rule, and names the marginals
        fp, tp = self.table.by_columns[(*chosen, self._last)][cells].tolist()
        return outcomes_of((np.array([fp]), np.array([tp])), self._totals)

    def all_outcomes(self) -> Outcomes:
        tables = [self.table.by_columns[(*columns, self._last)].reshape(-1, 2) for columns in self._choices]
        flagged = np.concatenate(tables)
        return outcomes_of((flagged[:, 0], flagged[:, 1]), self._totals)

    def rule(self, i: int) -> Hypothesis:
        return rule_at(i, self._choices, [column_rules(column) for column in self.table.cells])

    def gap(self, sample: Sample) -> int:
        choices = [(*columns, self._last) for columns in self._choices]
        counted = crosstabs(with_labels(sample), self.table.cells, choices)
        flagged = np.concatenate([table.reshape(-1, 2) for table in counted])
        negatives, positives = flagged[0].tolist()  # the first choice has no column, so it counts all records
        true = outcomes_of((flagged[:, 0], flagged[:, 1]), (negatives, positives))
        return largest_gap(self.all_outcomes(), true)

    @property
    def fitting(self) -> tuple[int, int]:
        return sum(self._totals), 2

    @property
    def answers_per_entry(self) -> None:
        """None: each entry is rounded on its own, so it may differ from the sum of the answers about its two labels."""
        return None

    @property
    def subject(self) -> str:
        return "How many records each combination of values labels wrongly"

    def hypothesis(self, values: dict[str, object]) -> Hypothesis:
        """The rule that flags the cells in which these values lie: ``{"age": 37, "city": "Oslo"}``."""
        return self.table.hypothesis(values)

    def counts(self) -> Frame:
        return self.table.counts()

    def rows(self, size: int, coins: Entropy) -> Frame:
        return self.table.rows(size, coins)


def with_labels(sample: Sample) -> Sample:
    """The records with one more column, 1 for positive ones."""
    labels = sample.labels.astype(np.int64)[:, None].astype(sample.points.dtype)
    return Sample(np.concatenate([sample.points, labels], axis=1), sample.labels, sample.counts, sample.size)


@dataclass(frozen=True)
class LabeledTableSanitizer(LabelFields, TableSanitizer):
    """Error and rates of every combination of cells of a table that a schema declares, as a rule.

    Privacy   (ε, δ) for all inputs: labeled release, Theorem 1

    >>> from privpac.classes.schemas.schema import Column, Schema
    >>> from privpac.release.private_release import PrivateRelease
    >>> schema = Schema((Column("job", "category", values=("clerk", "nurse")), Column("age", "integer", 0, 120)))
    >>> table = {"job": ["clerk", "nurse"] * 2000, "age": [30, 60] * 2000}
    >>> release = PrivateRelease(schema, epsilon=1, delta=1e-6, marginals=[("job",)]).fit(table, [0, 1] * 2000)
    >>> release.error(release.release_.answers_.hypothesis({"job": "nurse"})) < 0.1
    True
    """

    def counting(self, cost: Budget) -> TableCounts:
        """The counts of all marginals, by default of all pairs of columns, each with the column of labels."""
        domain, L = self.concept_class.domain, len(self.concept_class.domain.names)
        sets = self.concept_class.sets or column_pairs(L)
        (label,) = headings([self.label], *map(str, domain.names))
        columns = Columns((*domain.names, label), (*domain.domains, Listing(self.classes or (0, 1))))
        return TableCounts(cost, columns, tuple((*chosen, L) for chosen in sets), extra_weight=self.extra_weight)

    def run(self, records: Records, ask: Ask) -> LabeledTableAnswers:
        return LabeledTableAnswers(records.size, self.classes, self._table(records, ask, with_labels), self.label)
