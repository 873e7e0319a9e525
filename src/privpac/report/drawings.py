"""Pictures of rules and of releases as SVG.

A rule describes its picture as shapes (``Hypothesis.drawing``): a line with its cut, a tree with its path, a plane with
its border. Released answers describe theirs as charts (``Answers.drawing``): bars with bounds, trees of counts,
means, distribution functions, heat maps. This file draws each shape and each chart.

A picture of a rule shows the rule and what the caller declared, never a record or a count of records. A picture of a
release shows released counts and the bounds on their errors, nothing else about the records.

Throughout this file
    strip     one drawing as wide as the page; a picture stacks strips
    yes, no   labeled positive (filled), labeled negative (hollow)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from privpac.classes.hypothesis import Hypothesis
from privpac.classes.picture_shapes import (
    MOST_DRAWN,
    CutLine,
    DrawnPath,
    DrawnPoints,
    DrawnTree,
    DrawnWeights,
    Pills,
    Plane,
    Shape,
    Title,
    Word,
)
from privpac.data.domains.domain import Domain
from privpac.data.values.value_text import value_text
from privpac.release.charts import MOST_BARS, Bars, Chart, CountTree, HeatMap, Ranges, Steps
from privpac.release.labeled.lines import LabeledLineCounts
from privpac.release.release import Release
from privpac.report.pictures.bars import CountMargins, count_bars, mean_rows
from privpac.report.pictures.decision_trees import decision_tree
from privpac.report.pictures.distributions import distribution
from privpac.report.pictures.heat_maps import heat_map
from privpac.report.pictures.lines import cut_line
from privpac.report.pictures.plane import plane
from privpac.report.pictures.roc import errors_by_cut, roc
from privpac.report.pictures.scorecards import points_table
from privpac.report.pictures.shapes import WIDTH, Picture, Strip, bar, label, line, pill, pills, short, stacked


def draw_rule(rule: Hypothesis, domain: Domain | None, columns: Sequence[Any] = ()) -> Picture | None:
    """The picture of ``rule``, with the names of the columns it reads.

    >>> from privpac.classes.lines.thresholds import Thresholds
    >>> delays = Thresholds(0, 999)
    >>> picture = draw_rule(delays.hypothesis(37), delays.domain, ["delay"])
    >>> "delay" in picture.svg and "37" in picture.svg
    True
    """
    names = [name if isinstance(name, str) else f"column {name}" for name in columns]
    strips = [_strip(shape) for shape in rule.drawing(domain, names)]
    return stacked(strips, f"The rule: {rule.sentence(*names)}") if strips else None


def _strip(shape: Shape) -> Strip:  # noqa: PLR0911  (one for each shape)
    match shape:
        case CutLine():
            return cut_line(shape)
        case Plane():
            return plane(shape)
        case DrawnPath():
            return _chain(shape)
        case Pills():
            return pills(shape.entries)
        case DrawnTree():
            return decision_tree(shape)
        case DrawnWeights():
            return _weights(shape)
        case DrawnPoints():
            return points_table(shape)
        case Title():
            return Strip(22, (label(0, 14, short(shape.name, 40), "strong"),))
        case Word():
            return Strip(30, (label(WIDTH / 2, 20, shape.word, "strong", "middle"),))


def _chain(chain: DrawnPath) -> Strip:
    """The path from the root, one step below another; then everything below the path and everything elsewhere."""
    steps, above = chain.steps, chain.above
    drawn = steps if len(steps) <= MOST_DRAWN else (*steps[: MOST_DRAWN // 2], "…", *steps[-MOST_DRAWN // 2 + 1 :])
    shapes: list[str] = []
    for i, step in enumerate(drawn):
        x, y = 12.0 + 14 * i, 4.0 + 38 * i
        if i:
            shapes.append(f'<path class="thin" d="M{x - 6:.1f} {y - 10:.1f}V{y + 14:.1f}H{x:.1f}"/>')
        shapes.append(pill(x, y, step, above or i == len(drawn) - 1)[0])
    x, y = 12.0 + 14 * len(drawn), 4.0 + 38 * len(drawn)
    shapes.append(f'<path class="thin dashed" d="M{x - 6:.1f} {y - 10:.1f}V{y + 14:.1f}H{x:.1f}"/>')
    shapes.append(pill(x, y, "everything below", not above)[0])
    shapes.append(pill(12, y + 44, "everything elsewhere", False)[0])
    return Strip(y + 80, tuple(shapes))


def _weights(weights: DrawnWeights) -> Strip:
    """Bars to the right count toward the positive label, bars to the left against it."""
    normal = weights.normal
    largest = max(map(abs, normal)) or 1
    shapes = [line(WIDTH * 0.7, 0, WIDTH * 0.7, 30 * len(normal) + 6)]
    for i, (weight, name) in enumerate(zip(normal, weights.names, strict=True)):
        width = 0.25 * WIDTH * abs(weight) / largest
        y = 6 + 30 * i
        shapes.append(bar(WIDTH * 0.7 - (width if weight < 0 else 0), y, width, 18, "yes" if weight > 0 else "no"))
        shapes.append(label(0, y + 14, f"{short(name, 20)}  {value_text(weight)}"))
    return Strip(30 * len(normal) + 10, tuple(shapes))


def draw_release(release: Release, most: int = MOST_BARS) -> Picture | None:
    """The picture of a release, with at most ``most`` bars.

    >>> from privpac.classes.values.points import Points
    >>> from privpac.release.private_release import PrivateRelease
    >>> release = PrivateRelease(Points(), epsilon=1, delta=1e-6).fit(["EV"] * 300 + ["UA"] * 700).release_
    >>> "at most 54" in draw_release(release).svg
    True
    """
    if isinstance(answers := release.answers_, LabeledLineCounts):
        curve, (chart,) = release.curve(), release.drawing()
        assert isinstance(chart, Steps)
        return stacked([roc(curve), errors_by_cut(curve, chart, answers.cuts()[:-1])], release.subject)
    strips = [_chart_strip(chart, release, most) for chart in release.drawing()]
    return stacked(strips, release.subject) if strips else None


def margins_of(release: Release) -> CountMargins:
    """The bounds on counts that always hold, or those that follow from the measured bound on answers."""
    guarantee, answers = release.guarantee, release.answers_.answers_per_entry
    if guarantee.certain is not None:
        return CountMargins(*guarantee.certain)
    if guarantee.measured is None or answers is None:
        return CountMargins(None, None)
    # A sum or difference of answers is off by at most n; a single answer may be off by more, since it may lie below 0.
    bound = max(guarantee.measured, min(answers * guarantee.measured, release.n))
    return CountMargins(bound, bound)


def _chart_strip(chart: Chart, release: Release, most: int) -> Strip:
    match chart:
        case Bars() | CountTree():
            return count_bars(chart, margins_of(release), release.n, most)
        case Steps():
            return distribution(chart, release.guarantee.measured, release.n, release.guarantee.counted)
        case Ranges():
            return mean_rows(chart, most)
        case HeatMap():
            return heat_map(chart, margins_of(release).unseen)
