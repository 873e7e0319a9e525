"""The section about risks: how likely the label is in each region of the rule, and how well risks rank records."""

from __future__ import annotations

from html import escape

from privpac.data.values.value_text import value_text
from privpac.learners.errors.error_estimate import ErrorEstimate
from privpac.learners.errors.error_intervals import MeasuredShare
from privpac.learners.errors.risks import LabelRegion, Region, Risks
from privpac.learners.model import Model
from privpac.privacy.rounding import ceil_to, certainty, floor_to
from privpac.report.numbers import tenths, unbroken
from privpac.report.pictures.bars import draw_risks

MOST_COLUMNS = 4  # labels whose probabilities fit side by side


def risk_section(model: Model) -> str:
    """The section about risks; empty if the rule has a single region, or if no risk was measured."""
    risks = model.measured_risks
    if risks is None or len(risks.regions) < 2 or model.mostly_unfit or len(model.classes) < 2:
        return ""
    names = list(map(value_text, model.classes if model.several else model.classes[-1:]))
    statements = [f"{value_text(model.label)} = {name}" if model.label else name for name in names]
    unit = model.certificate.unit_records is not None
    likely = "each label" if model.several else statements[0]
    intro = (
        f"How likely {likely} is for a new record, by the region of the rule in which it lies. All intervals together "
        f"hold with {certainty(1 - risks.confidence, percent=True)} confidence if {'units' if unit else 'records'} are "
        f"independent.{' A new record is a random record of a random unit.' * unit} These are also the probabilities "
        "that the model predicts, so the table shows how well they are calibrated."
    )
    picture = f"<figure>{draw_risks(risks.regions, 'the answer' if model.several else names[0]).svg}</figure>"
    remarks = escape(" ".join([*_ranking(risks), *_cheaper(model, risks)]))
    return f"<h2>Risks</h2><p>{escape(intro)}</p>{picture}{_table(risks, statements)}{remarks and f'<p>{remarks}</p>'}"


def _table(risks: Risks, names: list[str]) -> str:
    """A row for each region: its share of the records, and the probability of each label.

    If there are too many labels for columns, only the probability of the label that the rule answers is shown.
    """
    labels = names if len(names) <= MOST_COLUMNS else ["the answer"]
    titles = ["region", "records", *(title for name in labels for title in (f"probability of {name}", "interval"))]
    head = "".join(f"<th>{escape(title)}</th>" for title in titles)

    def row(region: Region) -> str:
        risks = list(region.risks.values()) if isinstance(region, LabelRegion) and labels is names else [region]
        share = unbroken(tenths(region.share))
        return f"<tr><td>{escape(region.sentence)}</td><td>{share}</td>{''.join(map(_cells, risks))}</tr>"

    return f'<div class="wide"><table><tr>{head}</tr>{"".join(map(row, risks.regions))}</table></div>'


def _cells(risk: Region | MeasuredShare) -> str:
    """The cells of a probability and its interval."""
    value = risk.risk if isinstance(risk, Region) else risk.value
    between = f"{tenths(floor_to(risk.low, 3))} to {tenths(ceil_to(risk.high, 3))}"
    return unbroken(f"<td>{tenths(value)}</td><td>{between}</td>")


def _ranking(risks: Risks) -> list[str]:
    """How well the regions rank records: the area under the ROC curve.

    If the same counts order the regions and measure the area, the estimate is too large, so only its interval is shown.
    """
    if (auc := risks.auc) is None:
        return []
    between = f"between {floor_to(auc.low, 3):.3f} and {ceil_to(auc.high, 3):.3f}"
    event = "a random positive record comes before a random negative one with"
    if risks.cells.partition.ordered:  # regions labeled positive come first, even if the risk is lower there
        order = "In the order in which the rule lists these regions"
        return [f"{order}, {event} probability about {auc.value:.3f} (AUC, {between})."]
    return [f"In order of these risks, {event} a probability {between} (AUC)."]


def _cheaper(model: Model, risks: Risks) -> list[str]:
    """A sentence about the regions where, by the risks, the label that the rule does not give would cost less.

    If errors on negative and positive records cost a and b, the positive label costs less at risks above a/(a + b).
    """
    if not isinstance(model.error, ErrorEstimate):
        return []
    a, b = model.error.weights
    break_even = a / (a + b)
    disputed = [region for region in risks.regions if (region.risk > break_even) != bool(region.label)]
    if not disputed:
        return []
    certain = all(not region.low <= break_even <= region.high for region in disputed)
    where = "; ".join(region.sentence for region in disputed)
    disagreement = f"The rule and the risks disagree where {where}: answering by risk costs less there"
    return [f"{disagreement}{', clearly.' if certain else ', by the estimates; the intervals leave it open.'}"]
