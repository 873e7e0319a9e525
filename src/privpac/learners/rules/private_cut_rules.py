"""Rules and boxes on long columns: cuts are found privately first, and then the best rule with such cuts.

[MT07] [McKS20]  docs/references.bib        proof: docs/proofs/private_cuts.md

Throughout this file
    N      the most values of a column
    r      e^(ε₃/2), where ε₃ is what the selection of a rule costs
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from fractions import Fraction
from functools import cache
from math import log, prod
from typing import ClassVar, cast

from privpac.classes.compositions.compose import And, Compose
from privpac.classes.concept_class import ConceptClass
from privpac.classes.hypothesis import Hypothesis
from privpac.classes.lines.intervals import Intervals
from privpac.classes.vectors.boxes import Rectangles
from privpac.learners.algorithm import Learner
from privpac.learners.audit_cases import Trial, Universe
from privpac.learners.grids.grids import ColumnPart, GridRules, PartRules, rules_of
from privpac.learners.grids.private_cuts import FEWEST, LONGEST, PrivateCuts, no_more_than
from privpac.learners.lines.cut_pairs import CutPairLearner
from privpac.learners.rules.boxes import MOST_BOXES, BoxCells, RectangleLearner, offsets
from privpac.mechanisms.algorithm import Ask
from privpac.mechanisms.selection.permute_and_flip import PermuteAndFlip
from privpac.privacy.bisection import smallest_between
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Records
from privpac.requests.weights import once

MOST_RULES = 5 * 10**6
RAREST = 1000  # 2^−RAREST is the smallest failure probability of cuts to consider
ENOUGH = Trial(30, 1e-6, 1, 30), Trial(6, 0.3, 2, 150)  # enough records for private cuts; audits try the first release


class PrivateCutLearner(Learner):
    """Find cuts, then select a rule with such cuts, both on all records. With too few records, the grid is public.

    If errors have weights, cuts see each record once, and the selection sees its copies.
    """

    theorem: ClassVar[str] = "private cuts, Theorem 4"
    pure: ClassVar[bool] = True
    shares: ClassVar[tuple[int, int]] = (2, 3)  # cuts and selection share ε as 2 : 3
    most: ClassVar[int]  # M: the most rules with private cuts

    @property
    @abstractmethod
    def cuts(self) -> PrivateCuts:
        """The private cuts of all long columns."""

    @property
    @abstractmethod
    def long_cuts(self) -> int:
        """The number of cuts of a rule that lie on long columns."""

    @property
    @abstractmethod
    def other_choices(self) -> int:
        """How many choices a rule has apart from its cuts on long columns."""

    @property
    def costs(self) -> tuple[Budget, Budget]:
        """What the cuts cost, per record, and what the selection costs, per copy of a record."""
        cuts, selection = self.cost.split(self.shares)
        return Budget(self.copies * cuts.epsilon), selection

    def released_starts(self, records: Records, ask: Ask) -> tuple[tuple[int, ...], ...] | None:
        """The first codes of the cells of each long column; None if there are too few records to cut it privately.

        Neither labels nor weights matter here.
        """
        records, ask = once(records, ask)
        return self.cuts.run(records, ask) if self.cuts.enough(records.size) else None

    @property
    def log_r(self) -> float:
        return float(self.costs[1].epsilon / 2)

    def failure(self, n: int, alpha: float) -> float:
        cuts, known = self.cuts, 2 * self.long_cuts - 1  # ``known`` records determine a candidate (Theorem 4)
        if not cuts.enough(n):
            return 1.0
        candidates = log(self.other_choices) + known * log(n + 1)
        # Up to M rules label all records alike. Together they weigh as much as one rule with log_r M fewer errors.
        alike = log(self.most) / self.log_r

        @cache
        def selection(i: int) -> float:
            """An upper bound on P(a bad rule is selected and the cuts do not fail); cuts fail with probability 2^−i."""
            handicap = self.long_cuts * self.copies * cuts.most_between(n, 2.0**-i) + alike
            return self.chance(candidates, n, alpha, handicap, determined_by=known)

        # With growing i, the first of the two probabilities falls and the second rises. Their sum is least near a tie.
        tie = smallest_between(lambda i: selection(i) >= 2.0**-i, 0, RAREST)
        return min(1.0, *(2.0**-i + selection(i) for i in (tie, max(tie - 1, 1))))

    def certified_alpha(self, n: int, beta: Fraction | None = None) -> Fraction | None:
        """The smallest certified error; None if n is too small or too large for private cuts: the grid is public."""
        return super().certified_alpha(n, beta) if self.cuts.enough(n) else None


class PrivateCutRules(PrivateCutLearner):
    """Learn a composition of thresholds, intervals and explicit classes if some column has too many values for a grid.

    Privacy   ε, for all inputs: private cuts, Theorem 2, and selection, Theorem 5
    Utility   noisy labels or not, against the whole class: private cuts, Theorem 4
    Time      O(n·log N + MOST_RULES)

    >>> from privpac import PrivateClassifier, Thresholds
    >>> flights = {"delay": list(range(100)) * 24, "hour": [hour for hour in range(24) for _ in range(100)]}
    >>> late = [37 <= delay < 80 and hour >= 17 for delay, hour in zip(flights["delay"], flights["hour"])]
    >>> rules = And(Intervals(0, 10**18).on("delay"), Thresholds(0, 10**18).on("hour"))
    >>> clf = PrivateClassifier(rules, method="PrivateCutRules", epsilon=9).fit(flights, late)
    >>> bool((clf.predict(flights) != late).mean() < 0.01)
    True
    """

    concept_class: Compose
    kinds: ClassVar[tuple[type[ConceptClass], ...]] = (Compose,)
    title: ClassVar[str] = "permute-and-flip over all rules with private cuts"
    most: ClassVar[int] = MOST_RULES
    audited: ClassVar[tuple[Universe, ...]] = (
        Universe(And(*(Intervals(0, 63).on(i) for i in range(4))), "4 columns", ((0, 0, 0, 0), (63, 0, 0, 0)), ENOUGH),
    )

    @classmethod
    def _supports(cls, concept_class: ConceptClass) -> bool:
        if not isinstance(concept_class, Compose) or CutPairLearner.supports(concept_class):
            return False
        if (rules := _rules(concept_class)) is None:
            return False
        sizes = [part.domain.size for part in _long_parts(rules)]
        return bool(sizes) and max(sizes) <= LONGEST and _cells(rules) >= FEWEST

    def run(self, records: Records, ask: Ask) -> Hypothesis:
        H, rules, cost, starts = self.concept_class, self._rules, self.cost, self.released_starts(records, ask)
        if starts:
            rules, cost = rules.cut_at(dict(zip(_columns(rules), starts, strict=True))), self.costs[1]
        else:
            long, cells = _long_parts(rules), no_more_than(records.size, _cells(rules))
            coarser = tuple(replace(part, most=cells) if part in long else part for part in rules.parts)
            rules = replace(rules, parts=coarser)

        place = ask(PermuteAndFlip(cost), records.see(lambda sample: -rules.errors(sample, H.table).ravel()))
        return H.of_leaves(rules.combination(place))

    @property
    def cuts(self) -> PrivateCuts:
        rules, columns = self._rules, list(_columns(self._rules).values())
        return PrivateCuts.of_columns(self.costs[0], columns, self.concept_class.domain, _cells(rules))

    @property
    def long_cuts(self) -> int:
        return sum(1 + isinstance(part.source.concept_class, Intervals) for part in _long_parts(self._rules))

    @property
    def other_choices(self) -> int:
        long = _long_parts(self._rules)
        both_ways = sum(getattr(part.source.concept_class, "direction", "") == "either" for part in long)
        return prod((part.size for part in self._rules.parts if part not in long), start=1 << both_ways)

    @property
    def _rules(self) -> GridRules:
        return cast(GridRules, _rules(self.concept_class))


def _rules(concept_class: Compose) -> GridRules | None:
    """The rules on a public grid."""
    return rules_of(tuple(map(ColumnPart.of, concept_class.leaves)), concept_class.domain, MOST_RULES)


def _long_parts(rules: GridRules) -> list[PartRules]:
    """The parts whose columns have more values than the public grid has cells."""
    return [part for part in rules.parts if part.cells < part.domain.size]


def _cells(rules: GridRules) -> int:
    """How many cells a column may have."""
    return max((part.most for part in _long_parts(rules)), default=0)


def _columns(rules: GridRules) -> dict[str | int | None, ColumnPart]:
    """The long columns, each with a part that reads it."""
    return {part.source.column: part.source for part in _long_parts(rules)}


class PrivateCutBoxes(PrivateCutLearner):
    """Learn a box of a grid with too many values for a public grid of cells.

    Privacy   ε, for all inputs: private cuts, Theorem 2, and rule learner, Theorem 1
    Utility   noisy labels or not, against all boxes: private cuts, Theorem 4
    Time      counts at most MOST_BOXES boxes: a few seconds

    >>> import numpy as np
    >>> from privpac import PrivateClassifier
    >>> x, y = np.meshgrid(np.arange(60), np.arange(60))
    >>> points, inside = np.column_stack([x.ravel(), y.ravel()]), ((x > 9) & (y < 20)).ravel()
    >>> boxes = Rectangles(0, 10**18, dim=2)
    >>> clf = PrivateClassifier(boxes, method="PrivateCutBoxes", epsilon=9, feature=[0, 1]).fit(points, inside)
    >>> bool((clf.predict(points) != inside).mean() < 0.02)
    True
    """

    concept_class: Rectangles
    kinds: ClassVar[tuple[type[ConceptClass], ...]] = (Rectangles,)
    title: ClassVar[str] = "exponential mechanism over all boxes with private cuts"
    with_constants: ClassVar[bool] = True
    most: ClassVar[int] = MOST_BOXES
    other_choices: ClassVar[int] = 1
    audited: ClassVar[tuple[Universe, ...]] = (
        Universe(Rectangles(0, 63, dim=4), "4 coordinates", ((0, 0, 0, 0), (63, 0, 0, 0)), ENOUGH),
    )

    @classmethod
    def _supports(cls, concept_class: ConceptClass) -> bool:
        if not isinstance(concept_class, Rectangles) or not RectangleLearner.supports(concept_class):
            return False
        cells = BoxCells.of(concept_class.domain)
        return cells.width > 1 and cells.grid.side <= LONGEST and cells.most >= FEWEST

    def run(self, records: Records, ask: Ask) -> Hypothesis:
        cells, cost, starts = BoxCells.of(self.concept_class.domain), self.cost, self.released_starts(records, ask)
        if starts:
            cells, cost = replace(cells, released_starts=starts), self.costs[1]
        else:
            cells = replace(cells, most=no_more_than(records.size, cells.most))
        return cells.draw(cost, records, ask)

    @property
    def cuts(self) -> PrivateCuts:
        grid = self.concept_class.domain
        return PrivateCuts(
            self.costs[0], grid.columns, lambda sample: list(offsets(grid, sample).T), BoxCells.of(grid).most
        )

    @property
    def long_cuts(self) -> int:
        return 2 * self.concept_class.dim
