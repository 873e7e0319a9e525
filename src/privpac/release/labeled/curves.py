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
    return max(curves, key=lambda curve: curve.auc)


def _curve(answers: LabeledLineCounts, labeling: Labeling, column: str, above: bool) -> Curve:
    line, cuts = answers.line, answers.cuts()
    outcomes = answers.at(cuts, above)
    tpr, fpr = (Interval.of_rate(*pair, labeling.E) for pair in (outcomes[:2], outcomes[2:]))
    error = Interval.of_count(outcomes.wrong, labeling.n, labeling.margin(1, 1))
    auc = _area(answers, labeling, tpr, fpr)
    shown = slice(None, -1)  # without the last cut, which lies above all values
    return Curve(
        above=above,
        cut=_array([line.decode(t) for t in cuts[shown]]),
        **named("tpr", tpr.rules(shown)),
        **named("fpr", fpr.rules(shown)),
        **named("error", error.rules(shown)),
        flagged=outcomes.flagged[shown] / labeling.n,
        **named("auc", auc),
        column=column,
        labeling=labeling,
        outcomes=Outcomes(*(counts[shown] for counts in outcomes)),
        rule=partial(_rule_text, answers, cuts, above, column),
    )


def _rule_text(answers: LabeledLineCounts, cuts: list[int], above: bool, column: str, i: int) -> str:
    return answers.rule_at(cuts[i], above).sentence(column)


def _array(values: list[Any]) -> Any:
    """Values as an array of numbers or times, if numpy has a type for them; otherwise as an array of objects."""
    typed = np.array(values) if all(type(value) in (int, float, np.datetime64) for value in values) else objects(values)
    return objects(values) if typed.dtype.kind not in "ifM" else typed


def _area(
    answers: LabeledLineCounts, labeling: Labeling, tpr: Interval, fpr: Interval
) -> tuple[float, float | None, float | None]:
    """The area under the curve and its interval; 1/2 from 0 to 1 if there is no record of one of the labels."""
    both = answers.negatives[-1] > 0 and answers.positives[-1] > 0  # whether there are records of both labels
    auc = area(tpr.value, fpr.value) if both else 0.5
    if labeling.E is None:
        return auc, None, None
    # Between two cuts of a long line, the curve is not quite straight.
    straight = answers.line.size <= MOST_SHOWN
    bends = [0.0 if straight else half.unevenness / max(half.below[-1], 1) for half in answers.halves]
    margin = tpr.off + fpr.off + sum(bends) if both else 1.0
    return auc, max(0.0, auc - margin), min(1.0, auc + margin)


def best_within(outcomes: Outcomes, labeling: Labeling, name: str, share: float, *, certain: bool) -> int:
    """The entry of the best rule that meets the condition ``name``; if ``certain``, with all of its interval.

    For a required sensitivity, the best rule has the least FPR, otherwise the largest TPR; the other rate breaks ties.
    """
    if certain and labeling.E is None:
        nothing = "nothing was measured, so nothing is certain; fit again with "
        raise Refused("certain", nothing, Setting.to("certify", 0.1))
    tpr, fpr = (
        Interval.of_rate(outcomes.tp, outcomes.fn, labeling.E),
        Interval.of_rate(outcomes.fp, outcomes.tn, labeling.E),
    )
    flagged = Interval.of_count(outcomes.flagged, labeling.n, labeling.E)

    def end(interval: Interval, bound: Floats | None) -> Floats:
        return bound if certain and bound is not None else interval.value

    if name == "flagged_at_most":
        allowed = end(flagged, flagged.high) <= share
    else:  # specificity is TN/(TN + FP) in one division, since 1 − FPR is rounded: 1 − (1 − .9) is not .9
        rate = tpr if name == "sensitivity" else Interval.of_rate(outcomes.tn, outcomes.fp, labeling.E)
        allowed = end(rate, rate.low) >= share
    if not allowed.any():
        if certain:
            raise Refused(name, "no rule of the class certainly meets this condition; leave out ", Setting("certain"))
        allowed = np.ones(len(allowed), dtype=bool)  # there is no record of a label, so all rules are equally good
    first, second = (fpr.value, -tpr.value) if name == "sensitivity" else (-tpr.value, fpr.value)
    entries = np.flatnonzero(allowed)
    return int(entries[np.lexsort((second[entries], first[entries]))[0]])
