"""The page about a rule: its picture, its errors, its cost, its guarantees, and how more records would improve it.

The page is self-contained: it includes its pictures and needs no network, font, or script. It shows only released
results and public declarations, nothing else about the records.

Throughout this file
    n      number of records, public        α, β   certified error; probability of exceeding it
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from privpac.data.files.private_files import write_new
from privpac.data.values.value_text import value_text
from privpac.learners.model import Model, model_of
from privpac.learners.rule_request import RuleRequest
from privpac.privacy.certificate import Utility
from privpac.release.release import Release
from privpac.report.numbers import grouped
from privpac.report.pages.accuracy import Goal, accuracy, certified_fact, measured_fact, verdict
from privpac.report.pages.frame import (
    PageNames,
    document,
    fact_list,
    limits,
    origin,
    privacy_cost,
    privacy_fact,
    seed_warning,
)
from privpac.report.pages.model_card import EPSILONS, card, other_prices, usage
from privpac.report.pages.release import release_page
from privpac.report.pages.risks import risk_section
from privpac.report.pictures.log_curves import draw_curve
from privpac.report.rule_pictures import draw_rule

if TYPE_CHECKING:
    from privpac.release.private_release import PrivateRelease

FACTORS = [10 ** (k / 8) for k in range(-12, 13)]  # the curve shows these multiples of n
LONG = 200  # a rule of more characters gets a smaller heading


def write_report(
    released: Model | RuleRequest | Release | PrivateRelease,
    path: str | Path,
    *,
    label: str | None = None,
    file: str | None = None,
    data: str = "data.csv",
    title: str = "",
    about: Mapping[str, str] | None = None,
) -> None:
    """Write the page about a fitted classifier, a model, or a release to a file.

    ``label`` names the predicted column. ``title`` heads the page, and ``about`` says more about the release:
    ``{"Purpose": …, "Owner": …}``. If the model was written to a ``file``, the page has the commands that apply it to
    ``data``; if a release was, the page has the lines that read it. Only a classifier can show what its certificate
    would say at another ε or for other numbers of records.

    >>> from tempfile import TemporaryDirectory
    >>> import privpac as pp
    >>> rules = pp.ExplicitClass([[0, 0, 1], [0, 1, 1]], points=["child", "adult", "senior"])
    >>> ages = {"age": ["child"] * 400 + ["adult"] * 300 + ["senior"] * 300}
    >>> clf = pp.PrivateClassifier(rules, feature="age").fit(ages, [0] * 400 + [1] * 600)
    >>> with TemporaryDirectory() as folder:
    ...     write_report(clf, f"{folder}/report.html", label="pays")
    ...     "age is one of adult, senior" in Path(folder, "report.html").read_text("utf-8")
    True
    """
    names = PageNames(title, about or {}, file, data)
    if isinstance(released, Release):
        text = release_page(released, names)
    elif isinstance(released, Model):
        text = page(released, names=names)
    elif isinstance(released, RuleRequest):
        text = fit_page(released, model_of(released, label), names)
    else:
        text = release_page(released.released(), names)
    write_new(path, text)


def fit_page(clf: RuleRequest, model: Model, names: PageNames) -> str:
    """The page about the model of a fit, with what its certificate would say at another ε or for another n."""
    request = clf.with_counted_weights()
    if clf.class_weight is not None and not clf.balanced:
        costs = ", ".join(f"{cost} on {value_text(label)}" for label, cost in clf.class_weight_.items())
        names = replace(names, about={**names.about, "What an error costs": costs})
    return page(model, _curve(request, model), Goal.of(clf), _prices(request, model), names=names)


def page(
    model: Model,
    curve: Sequence[tuple[int, float]] = (),
    goal: Goal | str | None = None,
    prices: Sequence[tuple[float, Utility | None]] = (),
    *,
    names: PageNames | None = None,
) -> str:
    """The page as HTML: ``curve`` holds pairs (n, α); ``goal`` is an error and the number of records that certifies it.

    ``prices`` are pairs of an ε and the certificate about errors that it allows.
    """
    names = names or PageNames()
    facts = fact_list([*measured_fact(model), privacy_fact(model.certificate), *certified_fact(model)])
    parts = [_head(model, names.title), _picture(model), facts, accuracy(model, goal), risk_section(model)]
    parts += [privacy_cost(model.certificate, model.ledger)]
    if not model.mostly_unfit:
        parts += [other_prices(float(model.certificate.privacy.epsilon), prices), _curve_section(model, curve, goal)]
    made = origin("Learned", model.ledger, f"{grouped(model.records)} records", model.learner)
    parts += [card(model, names.about), usage(model, names.file, names.data), limits(model.certificate, "model", made)]
    title = names.title or (model.headline if model.mostly_unfit else str(model))
    return document(title, model.certificate.private, parts)


def _curve(clf: RuleRequest, model: Model) -> list[tuple[int, float]]:
    """Pairs (n, α) for n around that of the release, where an error is certified; units have no certificates."""
    if model.certificate.unit_records is not None:
        return []
    sizes = sorted({max(1, round(model.records * factor)) for factor in FACTORS})
    errors = [(n, clf.certified_alpha(n)) for n in sizes]
    return [(n, float(α)) for n, α in errors if α is not None]


def _prices(clf: RuleRequest, model: Model) -> list[tuple[float, Utility | None]]:
    """Pairs of an ε and the certificate that the same request would have at it; units have no certificates."""
    if model.certificate.unit_records is not None or model.certificate.utility is None:
        return []
    prices = []
    for ε in sorted({*EPSILONS, float(model.certificate.privacy.epsilon)}):
        request = clf.asking(epsilon=ε, budget=None)
        learned = request.conditions().sizes(model.records).learned
        prices.append((ε, request.fitting(model.records).learner.utility(learned)))
    return prices


def _head(model: Model, title: str) -> str:
    otherwise = "" if model.otherwise is None or model.mostly_unfit else escape(f"otherwise {model.otherwise}")
    about = escape(title or "A rule learned with differential privacy")
    heading = '<h1 class="long">' if len(model.headline) > LONG else "<h1>"
    return (
        f"<header><p>{about}</p>{seed_warning(model.certificate, 'rule')}"
        f"{verdict(model)}{heading}{escape(model.headline)}</h1><p>{otherwise}</p></header>"
    )


def _picture(model: Model) -> str:
    picture = draw_rule(model.hypothesis, model.domain, model.columns, model.classes)
    if picture is None or len(model.classes) == 1 or model.mostly_unfit:
        return ""
    if model.several:  # each leaf names its label
        return f"<figure>{picture.svg}</figure>"
    negative, positive = map(value_text, model.classes)
    name = f"{value_text(model.label)} = " if model.label else ""
    legend = (
        f'<span class="swatch yes"></span><span>{escape(name + positive)}</span> '
        f'<span class="swatch"></span><span>{escape(name + negative)}</span>'
    )
    return f"<figure>{picture.svg}<figcaption>{legend}</figcaption></figure>"


def _curve_section(model: Model, curve: Sequence[tuple[int, float]], goal: Goal | str | None) -> str:
    """The section about certificates for other numbers of records; empty if too few of them have one."""
    if len(curve) < 2:
        return ""
    enough = ""
    if isinstance(goal, Goal) and goal.n is not None:
        enough = f"{grouped(goal.n)} records are enough to certify {goal.in_words}. "
    weighted = isinstance(goal, Goal) and goal.weights
    bound = "certified cost above the best rule’s, as a share of the largest weight" if weighted else "certified error"
    caption = f"{enough}This release used {grouped(model.records)}; the curve shows the certificate for other numbers."
    return (
        f"<h2>How more records would help</h2><figure>{draw_curve(curve, model.records, bound).svg}"
        f"<figcaption>{bound.capitalize()} by number of records. {escape(caption)}</figcaption></figure>"
    )
