"""The slider over the cuts of a labeled release: both error rates at each of them. It reads no record."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

from privpac.app.markup import inline
from privpac.release.labeled.rates import Curve, spelled
from privpac.release.release import Release
from privpac.report.pictures.roc import in_box, roc
from privpac.report.pictures.shapes import stacked

MOST_STEPS = 400  # steps of the slider
WEIGHT = 9  # what an error on a positive record costs at first, if one on a negative record costs 1
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
    weight: int = WEIGHT

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
        some = np.unique(np.linspace(0, len(curve) - 1, min(len(curve), MOST_STEPS)).round().astype(int)).tolist()
        steps = json.dumps([_step(curve, i) for i in some], ensure_ascii=False)
        first = int(np.argmin(curve.error[some]))
        strip = roc(curve)
        whole = stacked([type(strip)(strip.height, (*strip.shapes, DOT))], release.subject)
        return CutSlider(inline(whole), curve.labeling.names, curve.labeling.about, steps, len(some) - 1, first)


def _step(curve: Curve, i: int) -> dict[str, object]:
    """The words and the places of one cut; the rectangle is where the true point of the curve lies."""
    told = {name: [getattr(curve, name + end) for end in ("", "_low", "_high")] for name in ("tpr", "fpr", "error")}
    at = {name: [None if each is None else float(each[i]) for each in band] for name, band in told.items()}
    words = {name: spelled(*each) for name, each in at.items()}  # type: ignore[arg-type]
    corners = [at["fpr"][1] or 0.0, at["tpr"][2] or 0.0, at["fpr"][2] or 0.0, at["tpr"][1] or 0.0]
    (x1, y1), (x2, y2) = in_box(*corners[:2]), in_box(*corners[2:])
    dot = in_box(float(curve.fpr[i]), float(curve.tpr[i]))
    band = None if at["tpr"][1] is None else [round(each, 1) for each in (x1, y1, x2 - x1, y2 - y1)]
    counts = [int(curve.outcomes.fp[i]), int(curve.outcomes.fn[i])]
    return {"rule": curve.rule(i), **words, "dot": [round(each, 1) for each in dot], "band": band, "wrong": counts}
