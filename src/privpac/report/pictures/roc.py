"""ROC curves with their band, and the errors at every cut: two pictures of a labeled release.

Throughout this file
    box    the square in which a ROC curve is drawn: left, right, top, bottom
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.release.charts import Steps
from privpac.release.labeled.rates import Curve, figure_text
from privpac.report.pictures.distributions import SHARES, axis_labels, axis_of, share_line, share_y, thinned
from privpac.report.pictures.log_curves import BOTTOM, LEFT
from privpac.report.pictures.shapes import Strip, label, line, polygon, polyline, short

BOX = 52.0, 372.0, 30.0, 350.0
TAIL = 0.005  # the share of records on each side that may lie outside the picture
MOST_CORNERS = 400

Place = tuple[float, float]


def in_box(fpr: float, tpr: float) -> Place:
    """The place (x, y) of a point of a ROC curve, by its false and true positive rates.

    >>> in_box(0, 1), in_box(1, 0)
    ((52.0, 30.0), (372.0, 350.0))
    """
    left, right, top, bottom = BOX
    return left + (right - left) * min(max(fpr, 0.0), 1.0), bottom - (bottom - top) * min(max(tpr, 0.0), 1.0)


def roc(curve: Curve) -> Strip:
    """The curve from (0, 0) to (1, 1), and the band in which the true one lies."""
    negative, positive = (short(name, 18) for name in curve.labeling.names)
    left, right, top, bottom = BOX
    corners = thinned(len(curve), MOST_CORNERS)
    shapes = [shape for share in SHARES for shape in _grid(share)]
    shapes.append(line(left, bottom, right, top, "thin dashed"))
    if curve.tpr_low is not None and curve.tpr_high is not None:
        assert curve.fpr_low is not None and curve.fpr_high is not None
        upper = _places(curve.fpr_low[corners], curve.tpr_high[corners])
        lower = _places(curve.fpr_high[corners], curve.tpr_low[corners])
        upper, lower = sorted(upper, key=_along_curve), sorted(lower, key=_along_curve)
        shapes.append(polygon([in_box(0, 0), *upper, in_box(1, 1), *reversed(lower)]))
    places = [in_box(0, 0), *_places(curve.fpr[corners], curve.tpr[corners]), in_box(1, 1)]
    shapes.append(polyline(sorted(places, key=_along_curve)))
    auc = figure_text(curve.auc, curve.auc_low, curve.auc_high, 1, "")
    shapes.append(label(right - 8, bottom - 12, f"area {auc}", "strong halo", "end"))
    title = label(0, 14, f"share of {positive} that is flagged", "faint")
    below = label((left + right) / 2, bottom + 36, f"share of {negative} that is flagged", "faint", "middle")
    return Strip(bottom + 54, (title, *shapes, below))


def _along_curve(place: Place) -> tuple[float, float]:
    """The key that sorts places from (0, 0) to (1, 1): to the right, then up; y increases downward."""
    return place[0], -place[1]


def errors_by_cut(curve: Curve, chart: Steps, cuts: Sequence[int]) -> Strip:
    """For each cut, the share of records that it labels wrongly, with its band; and its misses and false alarms.

    ``cuts`` are the numbers of the curve's cuts on the line of ``chart``, which shows where records lie.
    """
    axis = axis_of(chart, TAIL)
    inside = np.flatnonzero([axis.first <= t <= axis.last for t in cuts])
    corners = inside[thinned(len(inside), MOST_CORNERS)]
    xs = [axis.x(cuts[i]) for i in corners]
    shapes = [shape for share in SHARES for shape in share_line(share)]
    if curve.error_low is not None and curve.error_high is not None:
        edge = [*_across(xs, curve.error_high[corners]), *reversed(_across(xs, curve.error_low[corners]))]
        shapes.append(polygon(edge))
    negative, positive = (short(name, 14) for name in curve.labeling.names)
    for shares, kind in ((1 - curve.tpr[corners], "whisker dashed"), (curve.fpr[corners], "whisker")):
        shapes.append(polyline(_across(xs, shares), kind, ' fill="none"'))
    shapes.append(polyline(_across(xs, curve.error[corners])))
    title = label(0, 14, "share that is wrong, for a cut at each value", "faint")
    missed, wrongly_flagged = f"labeled {positive}, not flagged", f"labeled {negative}, flagged"
    legend = []
    for i, (kind, text) in enumerate(
        (("curve", "all records"), ("whisker dashed", missed), ("whisker", wrongly_flagged))
    ):
        y = BOTTOM + 58 + 19 * i
        legend += [line(LEFT, y - 4, LEFT + 28, y - 4, kind), label(LEFT + 36, y, text, "faint")]
    return Strip(BOTTOM + 112, (title, *shapes, *axis_labels(chart, axis), *legend))


def _grid(share: float) -> list[str]:
    """The lines at a share on both axes, and its percentage beside them."""
    (x, _), (_, y), (left, right, top, bottom) = in_box(share, 0), in_box(0, share), BOX
    text = f"{100 * share:.0f} %"
    below = label(x, bottom + 16, text, "faint", "middle")
    return [line(left, y, right, y), line(x, top, x, bottom), label(left - 6, y + 4, text, "faint", "end"), below]


def _across(xs: Sequence[float], shares: NDArray[Any]) -> list[Place]:
    """The places of a curve over the cuts."""
    return [(x, share_y(float(share))) for x, share in zip(xs, shares, strict=True)]


def _places(fpr: NDArray[Any], tpr: NDArray[Any]) -> list[Place]:
    return [in_box(float(a), float(b)) for a, b in zip(fpr, tpr, strict=True)]
