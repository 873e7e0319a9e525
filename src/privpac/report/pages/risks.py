"""What a page says about risks: how likely the label is in each region of the rule, and how well that ranks records."""

from __future__ import annotations

from html import escape

from privpac.data.values.value_text import value_text
from privpac.learners.errors.error_estimate import ErrorEstimate
from privpac.learners.errors.region_counts import RegionCounts
from privpac.learners.errors.risks import Risks
from privpac.learners.model import Model
from privpac.privacy.printed_bounds import certainty, no_less, no_more
from privpac.report.numbers import unbroken
from privpac.report.pictures.risk_bars import draw_risks


def risk_section(model: Model) -> str:
    """The section about risks; nothing if there is one region, or none was measured."""
    risks = model.measured_risks
    if risks is None or len(risks.regions) < 2 or model.mostly_unfit or len(model.classes) < 2:
        return ""
    positive = value_text(model.classes[-1])
    name = f"{value_text(model.label)} = {positive}" if model.label else positive
    unit = model.certificate.unit_records is not None
    intro = (
        f"How likely {name} is for a new record, by the region of the rule in which it lies. All intervals together "
        f"hold with {certainty(1 - risks.confidence, percent=True)} confidence if {'units' if unit else 'records'} are "
        f"independent.{' A new record is a random record of a random unit.' * unit} These are also the probabilities "
        "that the model predicts, so the table shows how well they are calibrated."
    )
    picture = f"<figure>{draw_risks(risks.regions, positive).svg}</figure>"
    said = escape(" ".join([*_ranking(risks), *_cheaper(model, risks)]))
    return f"<h2>Risks</h2><p>{escape(intro)}</p>{picture}{_table(risks, name)}{said and f'<p>{said}</p>'}"


def _table(risks: Risks, name: str) -> str:
    head = "".join(f"<th>{escape(each)}</th>" for each in ("region", "records", f"probability of {name}", "interval"))
    rows = "".join(
        f"<tr><td>{escape(region.sentence)}</td><td>{_tenths(region.share)}</td><td>{_tenths(region.risk)}</td>"
        f"<td>{_tenths(no_less(region.low, 3))} to {_tenths(no_more(region.high, 3))}</td></tr>"
        for region in risks.regions
    )
    return f'<div class="wide"><table><tr>{head}</tr>{rows}</table></div>'


def _ranking(risks: Risks) -> list[str]:
    """How well the risks rank records. An area ordered by the counts that measure it would be too large."""
    if (found := risks.auc) is None:
        return []
    low, high = no_less(found.low, 3), no_more(found.high, 3)
    what = "In order of these risks, a random positive record comes before a random negative one"
    if risks.cells.partition.ordered:
        return [f"{what} with probability about {found.value:.3f} (AUC, between {low:.3f} and {high:.3f})."]
    return [f"{what} with a probability between {low:.3f} and {high:.3f} (AUC)."]


def _cheaper(model: Model, risks: Risks) -> list[str]:
    """Where the rule and the risks disagree about the label, and which of them costs less."""
    error = model.error
    assert isinstance(error, ErrorEstimate) and isinstance(risks.cells, RegionCounts)
    a, b = error.weights
    odd = [region for region in risks.regions if (region.risk > a / (a + b)) != bool(region.label)]
    if not odd:
        return []
    clear = [region for region in odd if not region.low <= a / (a + b) <= region.high]
    where = "; ".join(region.sentence for region in odd)
    told = f"The rule and the risks disagree where {where}: answering by risk costs less there"
    return [f"{told}, clearly." if clear == odd else f"{told}, by the estimates; the intervals leave it open."]


def _tenths(share: float) -> str:
    return unbroken(f"{100 * share:.1f} %")
