"""What follows from noisy outcomes of rules: error, rates, costs, and the area under a curve, with their intervals.

proof: docs/proofs/labeled_release.md

Throughout this file
    positive, negative   records by their label, whatever a rule says about them
    flagged              records that a rule calls positive
    TP, FN               how many positive records are flagged, and how many are not
    FP, TN               how many negative records are flagged, and how many are not
    E                    all of these counts are off by at most E, for all rules at once; None if nothing was measured
    a, b                 what an error costs on a negative and on a positive record: whole, in lowest terms
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from privpac.classes.hypothesis import Hypothesis
from privpac.data.samples.sample import Ints
from privpac.data.values.value_text import value_text
from privpac.privacy.budget import Number, as_rational
from privpac.privacy.rounding import certainty
from privpac.refusals.refusal import Refused, RefusedType, Setting, Sketch

Floats = NDArray[np.float64]
MOST_UNEQUAL = 10**4  # the largest ratio of weights
EXAMPLE_WEIGHTS = Setting.to("weights", (1, 9))


class Outcomes(NamedTuple):
    """TP, FN, FP, and TN of several rules: arrays with an entry for each rule.

    >>> Outcomes(*np.array([[8], [2], [10], [80]])).wrong.tolist()
    [12]
    """

    tp: Ints
    fn: Ints
    fp: Ints
    tn: Ints

    @property
    def wrong(self) -> Ints:
        """How many records are labeled wrongly."""
        return self.fp + self.fn

    @property
    def flagged(self) -> Ints:
        """How many records are flagged."""
        return self.tp + self.fp

    def cost(self, a: int, b: int) -> NDArray[Any]:
        """What all errors cost together; in floats where machine integers may not hold it."""
        return self.wrong if a == b else a * self.fp.astype(float) + b * self.fn.astype(float)


class Interval(NamedTuple):
    """A figure of several rules, and where its true value lies: arrays with an entry for each rule."""

    value: Floats
    low: Floats | None  # None if nothing was measured
    high: Floats | None

    @staticmethod
    def of_rate(hits: Ints, misses: Ints, E: int | None) -> Interval:
        """The share of ``hits`` among hits and misses, which are off by at most E each; 0 if there are neither.

        >>> [each.tolist() for each in Interval.of_rate(np.array([80]), np.array([20]), 10)]
        [[0.8], [0.7], [0.9]]
        """
        value = _share(hits, hits + misses, 0.0)
        if E is None:
            return Interval(value, None, None)
        least, most = np.maximum(hits - E, 0), hits + E
        low = _share(least, least + misses + E, 0.0)
        return Interval(value, low, _share(most, most + np.maximum(misses - E, 0), 1.0))

    @staticmethod
    def of_count(counts: NDArray[Any], n: int, margin: int | None, most: int = 1) -> Interval:
        """Counts as shares of n; they are off by at most ``margin``, and the true ones are at most ``most``·n."""
        value = counts / n
        if margin is None:
            return Interval(value, None, None)
        low, high = np.maximum(counts - margin, 0) / n, np.minimum(counts + margin, float(most) * n) / n
        return Interval(value, low, high)

    @property
    def off(self) -> float:
        """How far the value of any rule may be off: 1 if nothing was measured."""
        if self.low is None or self.high is None:
            return 1.0
        return float(np.maximum(self.high - self.value, self.value - self.low).max(initial=0.0))

    def rules(self, chosen: slice) -> Interval:
        """The figure and its interval for the chosen rules."""
        return Interval(self.value[chosen], *(None if values is None else values[chosen] for values in self[1:]))

    def at(self, i: int) -> tuple[float, float | None, float | None]:
        """The value of one rule, and the ends of its interval."""
        value, low, high = (None if values is None else float(values[i]) for values in self)
        assert value is not None
        return value, low, high


def _share(part: Ints, whole: Ints, otherwise: float) -> Floats:
    """part/whole, and ``otherwise`` where the whole is 0."""
    shares = np.full(len(part), otherwise)
    np.divide(part, whole, out=shares, where=whole > 0)
    return shares


def named(name: str, band: tuple[Any, Any, Any]) -> dict[str, Any]:
    """A number and the ends of its interval, as the fields of :class:`Rates` and :class:`Curve`.

    >>> named("tpr", (0.8, 0.7, 0.9))
    {'tpr': 0.8, 'tpr_low': 0.7, 'tpr_high': 0.9}
    """
    return dict(zip((name, f"{name}_low", f"{name}_high"), band, strict=True))


def weights_of(weights: object, classes: Sequence[Any]) -> tuple[int, int]:
    """a and b, from a pair of positive numbers in the order of the classes, or from a mapping by label.

    >>> weights_of((0.5, 4.5), ("no", "yes")), weights_of({"yes": 9, "no": 1}, ("no", "yes"))
    ((1, 9), (1, 9))
    """
    if isinstance(weights, Mapping):
        if set(weights) != set(classes):
            by_label = Sketch(f"{{{classes[0]!r}: 1, {classes[-1]!r}: 9}}")
            raise Refused("weights", "give each of the two labels its weight: ", Setting.to("weights", by_label))
        weights = [weights[label] for label in classes]
    if isinstance(weights, str) or not isinstance(weights, Sequence | np.ndarray) or len(weights) != 2:
        raise RefusedType(
            "weights", "give two weights, of errors on negative and on positive records: ", EXAMPLE_WEIGHTS
        )
    negative, positive = (as_rational(weight, "weights") for weight in weights)
    if not (negative > 0 and positive > 0):
        raise Refused("weights", "both weights must be positive, like ", EXAMPLE_WEIGHTS)
    ratio = negative / positive
    if not Fraction(1, MOST_UNEQUAL) <= ratio <= MOST_UNEQUAL:
        raise Refused("weights", f"weights must differ by a factor of at most {MOST_UNEQUAL:,}, like ", EXAMPLE_WEIGHTS)
    return ratio.numerator, ratio.denominator


class Labeling(NamedTuple):
    """The part of a labeled release that all its figures depend on; everything here is public or released."""

    n: int
    counted: str  # what n counts: "records", "units", or "places"
    classes: tuple[Hashable, ...]  # negative, positive
    E: int | None
    beta: Fraction | None
    joint: bool  # whether FP + FN is off by at most E as well; otherwise, only 2E is certain

    @property
    def names(self) -> tuple[str, str]:
        """The two labels, as people read them."""
        return value_text(self.classes[0]), value_text(self.classes[-1])

    def margin(self, a: int, b: int) -> int | None:
        """How far a·FP + b·FN is off at most."""
        return None if self.E is None else (max(a, b) if self.joint else a + b) * self.E

    def rates(self, rule: Hypothesis, outcomes: Outcomes, i: int, weights: tuple[int, int] | None = None) -> Rates:
        """The figures of ``rule``, which has entry i of ``outcomes``."""
        one = Outcomes(*(counts[i : i + 1] for counts in outcomes))
        a, b = weights or (1, 1)
        cost = Interval.of_count(one.cost(a, b), self.n, self.margin(a, b), max(a, b)).at(0)
        return Rates(
            rule=rule,
            **named("tpr", Interval.of_rate(one.tp, one.fn, self.E).at(0)),
            **named("fpr", Interval.of_rate(one.fp, one.tn, self.E).at(0)),
            **named("error", Interval.of_count(one.wrong, self.n, self.margin(1, 1)).at(0)),
            **named("flagged", Interval.of_count(one.flagged, self.n, self.E).at(0)),
            **named("cost", (None, None, None) if weights is None else cost),
            weights=weights,
            labeling=self,
        )

    @property
    def about(self) -> str:
        """A sentence: which records the figures are about, and how certain they are."""
        these = f"these {self.n:,} {self.counted}"
        if self.beta is None:
            return f"About {these}, not about new ones; how far this is off was not measured."
        sure = certainty(self.beta)
        return f"The intervals hold for all rules at once with probability ≥ {sure}, for {these}, not for new ones."


def figure_text(value: float, low: float | None, high: float | None, scale: float = 100, unit: str = " %") -> str:
    """A number with its interval, as people read it; the interval is rounded outward.

    >>> figure_text(0.8, 0.7, 0.9), figure_text(0.25, None, None), figure_text(0.531, 0.5, 0.6, 1, "")
    ('80.0 % (70.0–90.0 %)', '25.0 %', '0.531 (0.500–0.600)')
    """
    places = 1 if scale > 1 else 3
    if low is None or high is None:
        return f"{scale * value:.{places}f}{unit}"
    step = 10**-places
    down, up = np.floor(scale * low / step + 1e-9) * step, np.ceil(scale * high / step - 1e-9) * step
    return f"{scale * value:.{places}f}{unit} ({down:.{places}f}–{up:.{places}f}{unit})"


@dataclass(frozen=True)
class Rates:
    """A rule with its figures on the records of a release; the lows and highs are None if nothing was measured.

    ``tpr`` is the share of the positive records that the rule flags, its sensitivity; ``fpr`` the share of the negative
    ones. ``error`` and ``flagged`` are shares of all records. ``cost`` is the average cost of a record, if weights were
    given.
    """

    rule: Hypothesis
    tpr: float
    tpr_low: float | None
    tpr_high: float | None
    fpr: float
    fpr_low: float | None
    fpr_high: float | None
    error: float
    error_low: float | None
    error_high: float | None
    flagged: float
    flagged_low: float | None
    flagged_high: float | None
    cost: float | None
    cost_low: float | None
    cost_high: float | None
    weights: tuple[int, int] | None
    labeling: Labeling

    @property
    def sensitivity(self) -> float:
        """The share of the positive records that the rule flags."""
        return self.tpr

    @property
    def specificity(self) -> float:
        """The share of the negative records that the rule does not flag."""
        return 1 - self.fpr

    @property
    def sentence(self) -> str:
        """The figures in one sentence."""
        negative, positive = self.labeling.names
        tpr = figure_text(self.tpr, self.tpr_low, self.tpr_high)
        fpr = figure_text(self.fpr, self.fpr_low, self.fpr_high)
        wrong = figure_text(self.error, self.error_low, self.error_high)
        text = f"“{self.rule}” finds {tpr} of the records labeled {positive}, flags {fpr} of those labeled {negative}"
        text += f", and is wrong on {wrong} of all {self.labeling.counted}"
        if self.weights is not None and self.cost is not None:
            a, b = self.weights
            cost = figure_text(self.cost, self.cost_low, self.cost_high, 1, "")
            text += f"; with errors weighed {a} : {b}, a record costs {cost} on average"
        return text

    def __str__(self) -> str:
        return f"{self.sentence}.\n{self.labeling.about}"


@dataclass(frozen=True, eq=False)
class Curve:
    """Both error rates, the error, and the share of flagged records at every cut, with bands that hold for all at once.

    If ``above`` is True, a record is flagged if its value is at least the cut; otherwise, if it is below the cut. On a
    line with very many values, the cuts are those between which the curve is straight. ``auc`` is the probability that
    a positive record lies farther on the flagged side than a negative one, ties counting half.
    """

    above: bool
    cut: NDArray[Any]
    tpr: Floats
    tpr_low: Floats | None
    tpr_high: Floats | None
    fpr: Floats
    fpr_low: Floats | None
    fpr_high: Floats | None
    error: Floats
    error_low: Floats | None
    error_high: Floats | None
    flagged: Floats
    auc: float
    auc_low: float | None
    auc_high: float | None
    column: str
    labeling: Labeling
    outcomes: Outcomes
    rule: Callable[[int], str]  # the rule of an entry, in words

    def __len__(self) -> int:
        return len(self.cut)

    def cost(self, weights: object = (1, 1)) -> tuple[Floats, Floats | None, Floats | None]:
        """The average cost of a record at every cut, with its band, if errors cost ``weights``."""
        a, b = weights_of(weights, self.labeling.classes)
        band = Interval.of_count(self.outcomes.cost(a, b), self.labeling.n, self.labeling.margin(a, b), max(a, b))
        return band.value, band.low, band.high

    def sampled_entries(self, rows: int = 9) -> list[int]:
        """The entries of at most ``rows`` cuts that are about evenly far apart in the share of records that they flag.

        >>> import privpac as pp
        >>> front = pp.PrivateRelease(pp.Thresholds(0, 9), epsilon=100, feature=None)
        >>> len(front.fit([1, 2, 3, 8] * 50, [0, 0, 1, 1] * 50).curve().sampled_entries()) <= 9
        True
        """
        wanted = [(i + 0.5) / rows for i in range(rows)]
        return sorted({int(np.abs(self.flagged - share).argmin()) for share in wanted})

    def table(self, rows: int = 9) -> list[dict[str, str]]:
        """Some cuts with their rates, in words."""
        negative, positive = self.labeling.names
        headings = ("rule", f"finds of {positive}", f"flags of {negative}", "wrong")
        bands = [[getattr(self, name + end) for end in ("", "_low", "_high")] for name in ("tpr", "fpr", "error")]

        def row(i: int) -> tuple[str, ...]:
            figures = ([None if values is None else float(values[i]) for values in band] for band in bands)
            return self.rule(i), *(figure_text(*figure) for figure in figures)  # type: ignore[arg-type]

        return [dict(zip(headings, row(i), strict=True)) for i in self.sampled_entries(rows)]

    def __str__(self) -> str:
        auc = figure_text(self.auc, self.auc_low, self.auc_high, 1, "")
        table = self.table()
        rows = [[*table[0]], *([*row.values()] for row in table)] if table else []
        widths = [max(len(row[j]) for row in rows) for j in range(4)] if rows else []
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
        return "\n".join([f"area under the curve: {auc}", *lines, self.labeling.about])


def area(tpr: Floats, fpr: Floats) -> float:
    """The area under the points of a curve, in the order of their cuts; straight between two of them.

    >>> area(np.array([1.0, 0.8, 0.0]), np.array([1.0, 0.2, 0.0]))
    0.8
    """
    return abs(float(np.sum((tpr[1:] + tpr[:-1]) / 2 * np.diff(fpr))))


def required_share(name: str, value: Number) -> float:
    """The share that the parameter ``name`` requires; Refused unless it lies between 0 and 1."""
    share = as_rational(value, name)
    if not 0 <= share <= 1:
        raise Refused.must(name, "be a share between 0 and 1, such as 0.8")
    return float(share)
