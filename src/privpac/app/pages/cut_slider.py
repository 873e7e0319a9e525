"""The slider over the cuts of a labeled release, with both error rates at each cut. It reads no record."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from markupsafe import Markup

from privpac.app.markup import inline
from privpac.release.labeled.rates import Curve, figure_text
from privpac.release.release import Release
from privpac.report.pictures.roc import in_box, roc
from privpac.report.pictures.shapes import Strip, stacked

MOST_STEPS = 400  # steps of the slider
DOT = '<rect class="empty" id="cut-band" rx="2"/><circle class="yes" id="cut-dot" r="5"/>'


@dataclass(frozen=True)
class CutSlider:
    """What the page needs: the picture, the words, and the steps as JSON for the script."""

    picture: Markup
    labels: tuple[str, str]
    about: str
    steps: str
    last: int
    first: int  # the step with the fewest errors, where the slider starts
    weight: ClassVar[int] = 9  # what an error on a positive record costs at first, if one on a negative record costs 1

    @staticmethod
    def of(release: Release) -> CutSlider | None:
        """The slider of a release; None if it has no curve.

        >>> from privpac.classes.lines.thresholds import Thresholds
        >>> from privpac.release.private_release import PrivateRelease
        >>> front = PrivateRelease(Thresholds(0, 9), epsilon=100)
        >>> CutSlider.of(front.fit([1, 2, 3, 8] * 50, [0, 0, 1, 1] * 50).release_).last
        9
        """
        if not release.has_curve:
            return None
        curve = release.curve()
        cuts = np.unique(np.linspace(0, len(curve) - 1, min(len(curve), MOST_STEPS)).round().astype(int)).tolist()
        steps = json.dumps([_step(curve, i) for i in cuts], ensure_ascii=False)
        first = int(np.argmin(curve.error[cuts]))
        strip = roc(curve)
        picture = stacked([Strip(strip.height, (*strip.shapes, DOT))], release.subject)
        return CutSlider(inline(picture), curve.labeling.names, curve.labeling.about, steps, len(cuts) - 1, first)


def _step(curve: Curve, i: int) -> dict[str, object]:
    """Step i of the slider: the words for its cut, and the places of its dot and of the band around it."""
    arrays = {name: [getattr(curve, name + end) for end in ("", "_low", "_high")] for name in ("tpr", "fpr", "error")}
    # For each name: the rate at this cut, and the ends of its interval, which are None without bounds.
    rates = {name: [None if array is None else float(array[i]) for array in trio] for name, trio in arrays.items()}
    words = {name: figure_text(*rate_and_ends) for name, rate_and_ends in rates.items()}  # type: ignore[arg-type]
    dot = [round(place, 1) for place in in_box(float(curve.fpr[i]), float(curve.tpr[i]))]
    band = _band(*rates["fpr"][1:], *rates["tpr"][1:])
    wrong = [int(curve.outcomes.fp[i]), int(curve.outcomes.fn[i])]  # negative records, then positive ones
    return {"rule": curve.rule(i), **words, "dot": dot, "band": band, "wrong": wrong}


def _band(*bounds: float | None) -> list[float] | None:
    """The x, y, width, and height of the rectangle in which the true point of the curve lies; None without bounds."""
    fpr_low, fpr_high, tpr_low, tpr_high = bounds
    if fpr_low is None or fpr_high is None or tpr_low is None or tpr_high is None:
        return None
    left, top = in_box(fpr_low, tpr_high)  # in SVG, y grows downward
    right, bottom = in_box(fpr_high, tpr_low)
    return [round(number, 1) for number in (left, top, right - left, bottom - top)]
