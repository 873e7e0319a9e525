"""The curve of all cuts of a line, and the choice of a rule among those of a class; no record is read here.

proof: docs/proofs/labeled_release.md, Theorem 3
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from privpac.data.values.columns import objects
from privpac.refusals.refusal import Refused, Setting
from privpac.release.labeled.lines import MOST_SHOWN, LabeledLineCounts
from privpac.release.labeled.rates import Curve, Floats, Interval, Labeling, Outcomes, area, named


def curve_of(answers: LabeledLineCounts, labeling: Labeling, column: str, above: bool | None = None) -> Curve:
    """The curve of one direction; by default, of the direction with the larger area."""
    if above is not None and bool(above) not in answers.sides:
        raise Refused("above", f"this release is about cuts in the direction {answers.direction!r}; leave out above")
    sides = answers.sides if above is None else (bool(above),)
    curves = [_curve(answers, labeling, column, side) for side in sides]
    return max(curves, key=lambda each: each.auc)


def _curve(answers: LabeledLineCounts, labeling: Labeling, column: str, above: bool) -> Curve:
    line, cuts = answers.line, answers.cuts()
    outcomes = answers.at(cuts, above)
    tpr, fpr = (Interval.of_rate(*pair, labeling.E) for pair in (outcomes[:2], outcomes[2:]))
    error = Interval.of_count(outcomes.wrong, labeling.n, labeling.margin(1, 1))
    auc = _area(answers, labeling, tpr, fpr)
    shown = slice(None, -1)  # the last cut lies above all values, so it has no value of its own
    return Curve(
        above=above,
        cut=_array([line.decode(t) for t in cuts[shown]]),
        **named("tpr", tpr.only(shown)),
        **named("fpr", fpr.only(shown)),
        **named("error", error.only(shown)),
        flagged=outcomes.flagged[shown] / labeling.n,
        **named("auc", auc),
        column=column,
        labeling=labeling,
        outcomes=Outcomes(*(each[shown] for each in outcomes)),
        rule=partial(_told, answers, cuts, above, column),
    )


def _told(answers: LabeledLineCounts, cuts: list[int], above: bool, column: str, i: int) -> str:
    return answers.rule_at(cuts[i], above).sentence(column)


def _array(values: list[Any]) -> Any:
    """Values as numpy's numbers or times where it has them, otherwise as they are."""
    found = np.array(values) if all(type(each) in (int, float, np.datetime64) for each in values) else objects(values)
    return objects(values) if found.dtype.kind not in "ifM" else found


def _area(
    answers: LabeledLineCounts, labeling: Labeling, tpr: Interval, fpr: Interval
) -> tuple[float, float | None, float | None]:
    """The area under the curve; 1/2 if there is no record of one of the labels, which says nothing."""
    n0, n1 = answers.negatives[-1], answers.positives[-1]
    known = n0 > 0 and n1 > 0
    auc = area(tpr.value, fpr.value) if known else 0.5
    if labeling.E is None:
        return auc, None, None
    listed = answers.line.size <= MOST_SHOWN
    between = [0.0 if listed else half.unevenness / max(half.below[-1], 1) for half in answers.halves]
    off = tpr.off + fpr.off + sum(between) if known else 1.0
    return auc, max(0.0, auc - off), min(1.0, auc + off)


def least_cost(every: Outcomes, a: int, b: int) -> int:
    """The entry of a rule whose errors cost least."""
    return int(np.argmin(every.cost(a, b)))


def within(every: Outcomes, labeling: Labeling, name: str, share: float, *, certain: bool) -> int:
    """The entry of the best rule that keeps a condition; ``certain``: for all of its interval."""
    if certain and labeling.E is None:
        raise Refused(
            "certain", "nothing was measured, so nothing is certain; fit again with ", Setting.to("certify", 0.1)
        )
    tpr, fpr, tnr = (Interval.of_rate(*pair, labeling.E) for pair in (every[:2], every[2:], every[:1:-1]))
    flagged = Interval.of_count(every.flagged, labeling.n, labeling.E)

    def end(interval: Interval, bound: Floats | None) -> Floats:
        return bound if certain and bound is not None else interval.value

    if name == "flagged_at_most":
        kept = end(flagged, flagged.high) <= share
    else:  # the share of records labeled right is divided once, as the wanted share is: 1 − (1 − .9) is not .9
        rate = tpr if name == "sensitivity" else tnr
        kept = end(rate, rate.low) >= share
    if not kept.any():
        if certain:
            raise Refused(name, "no rule of the class certainly keeps this condition; leave out ", Setting("certain"))
        kept = np.ones(len(kept), dtype=bool)  # without any record of a label, every rule is as good
    least = fpr.value if name == "sensitivity" else -tpr.value
    other = -tpr.value if name == "sensitivity" else fpr.value
    chosen = np.flatnonzero(kept)
    return int(chosen[np.lexsort((other[chosen], least[chosen]))[0]])
