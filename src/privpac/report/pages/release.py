"""The page about a release: its picture, its counts with their bounds, and what privacy cost.

Throughout this file
    n      number of records, public        β      the probability that a measured bound fails
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from heapq import nlargest
from html import escape
from math import floor
from operator import itemgetter
from typing import Any

from privpac.data.values.value_text import readable_bound, value_text
from privpac.privacy.rounding import certainty
from privpac.release.charts import DEPENDENCE, Chart, CountTree, HeatMap, Steps
from privpac.release.release import Guarantee, Release
from privpac.release.sanitizer import Answers, Frame
from privpac.release.summaries.answers import GroupSummaries
from privpac.report.numbers import grouped, percent, unbroken
from privpac.report.pages.frame import (
    Fact,
    PageNames,
    document,
    fact_list,
    limits,
    origin,
    privacy_cost,
    privacy_fact,
    protected,
    seed_warning,
    table_of_pairs,
)
from privpac.report.pages.model_card import MOST_CHARACTERS
from privpac.report.pages.summary import (
    summary_bound,
    summary_caption,
    summary_errors,
    summary_facts,
    summary_misfits,
    summary_table,
)
from privpac.report.pictures.bars import DEEPEST_INDENT
from privpac.report.pictures.shapes import short
from privpac.report.release_pictures import draw_release, margins_of

TABLE_ROWS, LONGEST_ENTRY = 30, 80  # the most rows of a table, and the most characters of an entry
BRIEF = 20  # entries of at most this many characters stay on one line
Charts = tuple[Chart, ...]
EM = "\N{EM SPACE}"
PAGE_QUANTILES = tuple(Fraction(q, 100) for q in (5, 10, 25, 50, 75, 90, 95))


def release_page(release: Release, names: PageNames | None = None, weights: tuple[int, int] | None = None) -> str:
    """The page as HTML; with ``weights`` of errors, the best rule of a labeled release is the one of the least cost."""
    names = names or PageNames()
    certificate = release.guarantee.certificate
    frame, charts = release.counts(), release.drawing()
    about = table_of_pairs([*names.about.items(), ("Method", release.sanitizer), protected(certificate)])
    made = origin("Released", release.ledger, _size_in_words(release.guarantee), release.sanitizer)
    parts = [
        *[_heading(release, names.title), _figure(release, charts), *_answers(release, frame, charts, weights)],
        *[privacy_cost(certificate, release.ledger), f"<h2>About this release</h2>{about}"],
        *[_use(release, frame, names.file), limits(certificate, "release", made)],
    ]
    return document(names.title or release.subject, certificate.private, parts)


def _answers(release: Release, frame: Frame, charts: Charts, weights: tuple[int, int] | None) -> list[str]:
    """The sections about the answers: facts, tables, and what their bounds mean."""
    if _is_summary(release):
        return [fact_list(summary_facts(release)), summary_table(release), summary_errors(release)]
    tables = [] if release.has_curve else [_quantiles(release), _table(release, frame, charts)]
    return [fact_list(_facts(release)), _cuts(release, weights), *tables, _errors(release.guarantee)]


def _is_summary(release: Release) -> bool:
    return isinstance(release.answers_, GroupSummaries)


def _heading(release: Release, title: str) -> str:
    contents = "Numbers" if _is_summary(release) else "Counts"
    about = escape(title or f"{contents} released with differential privacy")
    warning = seed_warning(release.guarantee.certificate, "release")
    bound = summary_bound(release) if _is_summary(release) else error_bound(release.guarantee)
    below = _html(f"{_size_in_words(release.guarantee)}. {bound}")
    if misfits := release.misfits() or (summary_misfits(release) if _is_summary(release) else ""):
        warning += f'<p class="warn">{escape(misfits)}</p>'
    return f"<header><p>{about}</p>{warning}<h1>{escape(release.subject)}</h1><p>{below}</p></header>"


def _html(sentence: str) -> str:
    return escape(unbroken(sentence))


def _size(guarantee: Guarantee) -> str:
    """n, and what it counts."""
    return f"{grouped(guarantee.n)} {guarantee.counted if guarantee.n != 1 else guarantee.counted.removesuffix('s')}"


def _size_in_words(guarantee: Guarantee) -> str:
    """n, and what it counts; if these are places, also what places are."""
    return guarantee.places or _size(guarantee)


def error_bound(guarantee: Guarantee) -> str:
    """How far the answers are off, in one sentence."""
    if guarantee.certain is not None:
        return f"Every count shown is off by at most {grouped(guarantee.certain.shown)}, with certainty."
    if guarantee.measured is not None and guarantee.beta is not None:
        sure = certainty(guarantee.beta, percent=True)
        return f"With probability at least {sure}, no answer is off by more than {grouped(guarantee.measured)} records."
    return "How far the answers are off was not measured."


def _figure(release: Release, charts: Charts) -> str:
    picture = draw_release(release)
    if picture is None:
        return ""
    caption = f"{_caption(release, charts)} {release.answers_.remark}".strip()
    return f"<figure>{picture.svg}<figcaption>{_html(caption)}</figcaption></figure>"


def _caption(release: Release, charts: Charts) -> str:
    """A sentence about the bounds in the picture."""
    guarantee, margin = release.guarantee, margins_of(release).shown
    if _is_summary(release):
        return summary_caption(release)
    if guarantee.certain is not None:
        return f"Each count ± {grouped(guarantee.certain.shown)}, with certainty."
    if guarantee.measured is None or guarantee.beta is None:
        return ""
    sure = f"with probability at least {certainty(guarantee.beta, percent=True)}"
    if release.has_curve:
        return (
            f"Above, the ROC curve of these records; below, the errors of each cut. Both true curves lie within their "
            f"bands everywhere, {sure}. They are about these records, not about new ones."
        )
    if any(isinstance(chart, Steps) for chart in charts):
        return f"Band: ± {grouped(guarantee.measured)} records. The true curve lies within it everywhere, {sure}."
    dependence = any(isinstance(chart, HeatMap) and chart.unit == DEPENDENCE for chart in charts)
    bounds = "" if margin is None else f"Each count ± {grouped(margin)}: {sure}, this holds for all of them at once."
    meaning = " Dependence: the share of records that would have to change for two columns to be independent."
    return bounds + meaning * dependence


def _facts(release: Release) -> list[Fact]:
    guarantee, n = release.guarantee, release.n
    k = guarantee.certificate.unit_records
    units = "" if k is None else "1 record of each counts" if k == 1 else f"{k} for each of {grouped(n // k)} units"
    facts = [(guarantee.counted.capitalize(), grouped(n), units), privacy_fact(guarantee.certificate)]
    if guarantee.certain is not None:
        unseen = f"certain; a value not shown has at most {grouped(guarantee.certain.unseen)}"
        return [*facts, ("Error of a count", f"≤ {grouped(guarantee.certain.shown)}", unseen)]
    if guarantee.measured is not None and guarantee.beta is not None:
        sure = f"{certainty(guarantee.beta, percent=True)} certain, all queries at once"
        least = [] if guarantee.least is None else [f"no private method guarantees less than {_least(guarantee)}"]
        remark = "; ".join([percent(Fraction(guarantee.measured, n)), sure, *least])
        return [*facts, ("Error of every answer", f"≤ {grouped(guarantee.measured)}", remark)]
    return [*facts, ("Error", "not measured", "reason below")]


def _least(guarantee: Guarantee) -> str:
    return grouped(floor((guarantee.least or 0) * guarantee.n))


def _table(release: Release, frame: Frame, charts: Charts) -> str:
    """The first rows of the counts, or those with the largest counts, with the bounds on each count."""
    rows = list(zip(*frame.values(), strict=True))
    if not rows:
        return "<h2>The counts</h2><p>No count is large enough to be shown.</p>"
    ordered = any(isinstance(chart, Steps | CountTree) for chart in charts) or None in rows[0]
    largest = len(rows) > TABLE_ROWS and not ordered
    shown = nlargest(TABLE_ROWS, rows, itemgetter(list(frame).index("records"))) if largest else rows[:TABLE_ROWS]
    margin, tree = margins_of(release).shown, any(isinstance(chart, CountTree) for chart in charts)
    table = [dict(zip(frame, row, strict=True)) for row in shown]
    filled = [name for name in frame if any(row[name] is not None for row in table)]
    names = [*filled, *(["at least", "at most"] if margin is not None else [])]
    head = "".join(f'<th class="{_css_class(name)}">{escape(short(name, 40))}</th>' for name in names)
    entries = ({name: row[name] for name in filled} for row in table)
    body = "".join(f"<tr>{''.join(_cells(row, margin, release.n, tree))}</tr>" for row in entries)
    more = f"<p>and {grouped(len(rows) - TABLE_ROWS)} more</p>" if len(rows) > TABLE_ROWS else ""
    title = "The largest counts" if largest else "The counts"
    return f'<h2>{title}</h2><div class="wide"><table><thead><tr>{head}</tr></thead>{body}</table></div>{more}'


def _cuts(release: Release, weights: tuple[int, int] | None) -> str:
    """The section about the rules of a labeled release: some cuts with their rates, and the best rule."""
    if release.labels is None:
        return ""
    best, table = release.best(weights=weights), ""
    if release.has_curve:
        rows = release.curve().table()
        head = "".join(f"<th>{escape(name)}</th>" for name in rows[0])
        body = "".join(f"<tr>{''.join(f'<td>{_html(cell)}</td>' for cell in row.values())}</tr>" for row in rows)
        table = f'<div class="wide"><table><thead><tr>{head}</tr></thead>{body}</table></div>'
    least = f"{'Least cost' if weights else 'Fewest errors'}: {best.sentence}."
    return f"<h2>Some rules</h2>{table}<p>{_html(least)}</p><p>{_html(best.labeling.about)}</p>"


def _quantiles(release: Release) -> str:
    """The table of quantiles, if the answers have them."""
    if type(release.answers_).quantile is Answers.quantile:
        return ""
    values = ((percent(q), escape(readable_bound(release.quantile(q)))) for q in PAGE_QUANTILES)
    cells = "".join(f"<tr><td>{share}</td><td>{value}</td></tr>" for share, value in values)
    counted = "records" if release.guarantee.certificate.unit_records is None else "records that count"
    head = f"<thead><tr><th>share of the {counted}</th><th>lies at or below</th></tr></thead>"
    return f"<h2>Quantiles</h2><table>{head}{cells}</table>"


def _css_class(name: str) -> str:
    return "count" if name in ("records", "at least", "at most") else ""


def _cells(row: Mapping[str, Any], margin: int | None, n: int, tree: bool) -> list[str]:
    """The cells of a row, followed by the bounds on its count if its margin is known."""
    cells = [
        f'<td class="count">{grouped(entry)}</td>' if name == "records" else _entry(entry, tree)
        for name, entry in row.items()
    ]
    if margin is None:
        return cells
    bounds = max(0, row["records"] - margin), min(n, row["records"] + margin)
    return [*cells, *(f'<td class="count">{grouped(bound)}</td>' for bound in bounds)]


def _entry(entry: Any, tree: bool) -> str:
    """An entry of the table; in a tree, a name is preceded by two spaces for each step of its depth."""
    if entry is None:
        return '<td class="brief">any</td>'
    name = entry.lstrip(" ") if tree and isinstance(entry, str) else entry
    indent = (len(entry) - len(name)) // 2 if name is not entry else 0
    text = "all" if name == "" else short(value_text(name), LONGEST_ENTRY)
    kind = ' class="brief"' if len(text) <= BRIEF else ""
    return f"<td{kind}>{EM * min(indent, DEEPEST_INDENT)}{escape(text)}</td>"


def _errors(guarantee: Guarantee) -> str:
    """What the bounds mean, in plain words."""
    paragraphs = []
    if guarantee.certain is not None:
        shown, unseen = map(grouped, guarantee.certain)
        paragraphs.append(
            f"A count on this page differs from the true one by at most {shown}. A value that does not appear has at "
            f"most {unseen} records; it may have none. This always holds, because the noise is never larger."
        )
    if guarantee.measured is not None and guarantee.beta is not None:
        sure, failing = certainty(guarantee.beta, percent=True), percent(guarantee.beta)
        share = percent(Fraction(guarantee.measured, guarantee.n))
        paragraphs.append(
            f"With probability at least {sure}, no answer differs from the true count by more than "
            f"{grouped(guarantee.measured)} of {_size(guarantee)}, which is {share}. This holds for all queries "
            "of the class at once, not only for one that was chosen beforehand. In at most "
            f"{failing} of all releases, some answer is off by more. The bound was measured on these records with a "
            "part of the budget, so it describes the very answers on this page."
        )
    if not paragraphs:
        paragraphs.append(
            "The errors of these answers were not measured. To measure them, release with certify=0.1: a tenth of ε "
            "pays for a bound on all answers at once."
        )
    if guarantee.least is not None:
        paragraphs.append(
            f"Every private method has its limits: whatever it does at this ε, it cannot keep the error below "
            f"{_least(guarantee)} of {_size(guarantee)}, with this certainty, on all tables of this size."
        )
    paragraphs.append(
        "The bounds are about these records. What they say about others depends on how records were collected."
    )
    return "<h2>How far the counts are off</h2>" + "".join(f"<p>{_html(text)}</p>" for text in paragraphs)


def _use(release: Release, frame: Frame, file: str | None) -> str:
    """The section with code that uses the release, and the release itself if it is short."""
    read = "" if file is None else f"release = pp.Release.from_json(open({file!r}, encoding='utf-8').read())\n"
    code = f"import privpac as pp\n{read}release.counts()            # all numbers, for pandas or polars\n"
    if not _is_summary(release):
        code += (
            "release.answer(query)       # the share of the "
            f"{release.guarantee.counted} that satisfy a rule of the class\n"
            "release.interval(query)     # where the true share lies\n"
            "release.synthetic(1000)     # records drawn from these counts; costs no privacy\n"
        )
    if release.labels is not None:
        code += (
            "release.rates(rule)         # how often a rule of the class is right and wrong, with intervals\n"
            "release.best(weights=(1, 9)), release.best(sensitivity=0.8)\n"
        )
        code += "release.curve()             # the ROC curve, with its band\n" * release.has_curve
    small = len(next(iter(frame.values()), [])) <= TABLE_ROWS
    text = release.to_json() if small else ""
    release_text = f"<details><summary>The release</summary><pre>{escape(text)}</pre></details>"
    return (
        "<h2>How to use it</h2><p>The release is a self-contained text in JSON. It contains no records, and reading it "
        f"costs no privacy.</p><pre>{escape(code)}</pre>{release_text if 0 < len(text) < MOST_CHARACTERS else ''}"
    )
