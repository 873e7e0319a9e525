"""The parts of a page about a summary: counts, means, quartiles, and sums of groups, each with its interval."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from html import escape
from typing import Any

from privpac.data.values.value_text import entry_text
from privpac.privacy.rounding import certainty
from privpac.release.release import Release
from privpac.release.summaries.answers import Estimate, GroupSummary
from privpac.release.summarize import Summary
from privpac.report.numbers import grouped, number_text, unbroken
from privpac.report.pages.frame import Fact, privacy_fact

UNFIT = "Compare the names of groups and the bounds of numbers with those in the table"
MOST_ROWS = 100  # groups in the table of a page
PICTURE = "Dot: the mean of a group, and the interval in which the true one lies."
BAND = (
    "Band: from the lower quartile to the upper one, with a line at the median; about half of the group lies in it. "
    "A group in which noise hides the quartiles has no band."
)


def summary_bound(release: Release) -> str:
    """What holds for all intervals, in one sentence."""
    return f"With probability at least {_sure(release)}, all intervals on this page hold the true numbers."


def summary_caption(release: Release) -> str:
    """What the picture shows."""
    return f"{PICTURE} {BAND}" if _has_quartiles(Summary(release).groups) else PICTURE


def summary_misfits(release: Release) -> str:
    """A warning that most records are in no group; empty unless the intervals prove it."""
    least = _not_counted(release).low
    if 2 * least <= release.n:
        return ""
    return f"At least {grouped(least)} of {grouped(release.n)} records are not counted. {UNFIT}. The charge stands."


def summary_facts(release: Release) -> list[Fact]:
    """The facts on top of the page."""
    guarantee, (value, least, most) = release.guarantee, _not_counted(release)
    facts = [
        (guarantee.counted.capitalize(), grouped(release.n), ""),
        privacy_fact(guarantee.certificate),
        ("Intervals", _sure(release), "certain, all of them at once"),
    ]
    between = f"{grouped(least)} to {grouped(most)} records: their group or number was not declared"
    return [*facts, *([("Not counted", f"about {grouped(value)}", between)] if most else [])]


def _not_counted(release: Release) -> Estimate:
    """How many records are in no group; 0 if that cannot happen, or if units are counted, whose places may be empty."""
    if release.guarantee.counted != "records":
        return Estimate(0, 0, 0)
    counts = [count for group in Summary(release).groups for count in (group.records, group.missing) if count]
    value, low, high = (sum(numbers) for numbers in zip(*counts, strict=True))
    return Estimate(*(max(release.n - counted, 0) for counted in (value, high, low)))


def summary_table(release: Release) -> str:
    """A row for each group: every number, and its interval below it."""
    summary, names = Summary(release), release.answers_.domain.column_names[:-1]  # type: ignore[attr-defined]
    groups, shown = summary.groups, summary.groups[:MOST_ROWS]
    titles = ["records", *(["missing"] if groups[0].missing else []), "mean"]
    titles += [*(["lower quartile", "median", "upper quartile"] if _has_quartiles(groups) else []), "sum"]
    head = "".join(f"<th>{escape(str(name))}</th>" for name in names)
    head += "".join(f'<th class="count">{title}</th>' for title in titles)
    body = "".join(f"<tr>{_row(group, summary.ends)}</tr>" for group in shown)
    more = f"<p>and {grouped(len(groups) - MOST_ROWS)} more groups</p>" if len(groups) > MOST_ROWS else ""
    scroll = '<div class="wide figures" tabindex="0" role="group" aria-label="The numbers">'  # wider than a phone
    table = f"{scroll}<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    return f"<h2>The numbers</h2>{table}{more}"


def summary_errors(release: Release) -> str:
    """What the intervals mean, in plain words."""
    sentences = [
        f"Below each number is its interval. With probability at least {_sure(release)}, the true numbers of these "
        "records lie in all intervals at once: noise hides any one record, and the intervals say how much noise there "
        "is. A group with few records has wide intervals, up to all values that were declared.",
        "The intervals are about these records. What they say about others depends on how records were collected.",
    ]
    if _has_quartiles(Summary(release).groups):
        sentences.insert(1, "A dash stands for a quartile that noise hides entirely.")
    if Summary(release).groups[0].missing is not None:
        missing = "“Missing” counts the records of a group without a value; the other numbers leave them out."
        sentences.insert(1, missing)
    return "<h2>What the intervals say</h2>" + "".join(f"<p>{escape(unbroken(text))}</p>" for text in sentences)


def _sure(release: Release) -> str:
    return certainty(Summary(release).beta, percent=True)


def _has_quartiles(groups: list[GroupSummary]) -> bool:
    return bool(groups[0].quartiles)


def _row(group: GroupSummary, ends: tuple[Any, Any]) -> str:
    """The cells of a group; values of the column lie between the ``ends``."""
    names = "".join(f'<td class="brief">{escape(entry_text(name))}</td>' for name in group.group)
    numbers = [group.records, *([group.missing] if group.missing else []), group.mean]
    quartiles = [_estimate(quartile, ends) for quartile in group.quartiles]
    texts = [*map(_estimate, numbers), *quartiles, _estimate(group.sum)]
    return names + "".join(f'<td class="count">{text}</td>' for text in texts)


def _estimate(estimate: Estimate, ends: tuple[Any, Any] | None = None) -> str:
    """A number, and below it its interval, rounded outward.

    If the interval reaches from one of the ``ends`` to the other, nothing is known, and a dash replaces the number.
    """
    low, high = _number(estimate.low, ROUND_FLOOR), _number(estimate.high, ROUND_CEILING)
    unknown = (estimate.low, estimate.high) == ends and estimate.low != estimate.high
    value = "–" if unknown else _number(estimate.value)
    return value if low == value == high else f"{value}<small>{low} to {high}</small>"


def _number(number: Any, rounding: str = ROUND_HALF_EVEN) -> str:
    if isinstance(number, Decimal):  # a value of the line
        return f"{number.normalize():,f}".replace("-", "\N{MINUS SIGN}")
    return number_text(number, rounding)
