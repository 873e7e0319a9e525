"""The picture of a release as SVG: bars with bounds, trees of counts, means, distribution functions, and heat maps.

Released answers describe their picture as charts (``Answers.drawing``), and this file draws each kind of chart. The
picture shows released counts and the bounds on their errors, nothing else about the records.
"""

from __future__ import annotations

from privpac.release.charts import MOST_BARS, Bars, Chart, CountTree, HeatMap, Ranges, Steps
from privpac.release.labeled.lines import LabeledLineCounts
from privpac.release.release import Release
from privpac.report.pictures.bars import CountMargins, count_bars, mean_rows
from privpac.report.pictures.distributions import distribution
from privpac.report.pictures.heat_maps import heat_map
from privpac.report.pictures.roc import errors_by_cut, roc
from privpac.report.pictures.shapes import Picture, Strip, stacked


def draw_release(release: Release, most: int = MOST_BARS) -> Picture | None:
    """The picture of a release, with at most ``most`` bars.

    >>> import privpac as pp
    >>> release = pp.PrivateRelease(pp.Points(), epsilon=1, delta=1e-6).fit(["EV"] * 300 + ["UA"] * 700).release_
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
    """The bounds on counts: those that always hold, or those that follow from the measured bound on answers."""
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
