"""One page about a release: the rule, its cost, its guarantees, and how more records would improve it.

The page is self-contained: it includes its pictures and needs no network, font, or script. It shows only released
results and public declarations, nothing else about the records.

Throughout this file
    n      number of records, public        α, β   certified error; probability of exceeding it

Main declarations
    write_report    write the page about a fitted classifier or a model to a file
    page            the page as text
    fit_page        the same for a fit, with the error certified for other numbers of records
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from pathlib import Path

from privpac.data.values import shown
from privpac.learners.classifier import PrivateClassifier
from privpac.learners.model import Model, model_of
from privpac.privacy.budget import Budget
from privpac.report.accuracy import accuracy, certified_fact, measured_fact, percent, verdict
from privpac.report.numbers import grouped
from privpac.report.panels import draw_curve
from privpac.report.pictures import draw_rule

FACTORS = [10 ** (k / 8) for k in range(-12, 13)]  # multiples of n on the curve
MOST_CHARACTERS = 4000  # a page shows only models shorter than this
LIMITS = (
    "The privacy guarantee limits what this page and the model reveal about any one {one}. It does not hide what is "
    "already known or how long the computation took. Whoever ran the computation saw the records. Every other "
    "release from the same records costs additional privacy, and the costs add up."
)


def write_report(
    released: Model | PrivateClassifier,
    path: str | Path,
    *,
    label: str | None = None,
    file: str = "model.json",
    data: str = "data.csv",
) -> None:
    """Write the page about a fitted classifier, or about a model, to a file.

    ``label`` names the predicted column. ``file`` and ``data`` are the file names in the page's example commands. Only
    a classifier can show how its certificate depends on the number of records; a model cannot.

    >>> from tempfile import TemporaryDirectory
    >>> from privpac.classes.explicit import ExplicitClass
    >>> rules = ExplicitClass([[0, 0, 1], [0, 1, 1]], points=["child", "adult", "senior"])
    >>> ages = {"age": ["child"] * 400 + ["adult"] * 300 + ["senior"] * 300}
    >>> clf = PrivateClassifier(rules, feature="age").fit(ages, [0] * 400 + [1] * 600)
    >>> with TemporaryDirectory() as folder:
    ...     write_report(clf, f"{folder}/report.html", label="pays")
    ...     "age is one of adult, senior" in Path(folder, "report.html").read_text("utf-8")
    True
    """
    if isinstance(released, Model):
        text = page(released, file=file, data=data)
    else:
        text = fit_page(released, model_of(released, label), file, data)
    Path(path).write_text(text, encoding="utf-8")


def fit_page(clf: PrivateClassifier, model: Model, file: str, data: str) -> str:
    """The page about the model of a fit, and about what its certificate would say of other numbers of records."""
    α = float(clf.alpha)
    return page(model, _curve(clf, model), (α, clf.certified_n(α)), file=file, data=data)


def page(
    model: Model,
    curve: Sequence[tuple[int, float]] = (),
    goal: tuple[float, int | None] | None = None,
    *,
    file: str = "model.json",
    data: str = "data.csv",
) -> str:
    """The page as HTML: ``curve`` holds pairs (n, α); ``goal`` is an error and the number of records that certifies it.

    >>> from privpac.classes.line import Threshold
    >>> from privpac.data.line import Line
    >>> from privpac.privacy.budget import Budget
    >>> from privpac.privacy.certificate import Certificate
    >>> model = Model(Threshold(37), Line(0, 999), "delay", (0, 1), 5000, "exponential", Certificate(Budget(1)))
    >>> page(model).startswith("<!doctype html>")
    True
    """
    style = files("privpac.report").joinpath("page.css").read_text("utf-8")
    parts = [_head(model), _picture(model), _facts(model), accuracy(model, goal), _privacy(model)]
    parts += [_records(model, curve, goal), _again(model, file, data), _limits(model)]
    title = f"{'' if model.certificate.private else 'NOT PRIVATE: '}{model}"
    text = (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
        + "\n".join(filter(None, parts))
        + "\n</body>\n</html>\n"
    )
    return text.encode("utf-8", "backslashreplace").decode()  # a released text may hold half a character


def _curve(clf: PrivateClassifier, model: Model) -> list[tuple[int, float]]:
    """Pairs (n, α) around the release, wherever some error is certified; units have no certificates."""
    if model.certificate.unit_records is not None:
        return []
    sizes = sorted({max(1, round(model.records * factor)) for factor in FACTORS})
    found = [(n, clf.certified_alpha(n)) for n in sizes]
    return [(n, float(α)) for n, α in found if α is not None]


def _head(model: Model) -> str:
    rest = "" if model.otherwise is None else escape(f"otherwise {model.otherwise}")
    warning = (
        '<p class="warn">NOT PRIVATE: the randomness came from a seed, which is for tests and teaching only. '
        "Do not publish this rule.</p>"
    )
    return (
        f"<header><p>A rule learned with differential privacy</p>{'' if model.certificate.private else warning}"
        f"{verdict(model)}<h1>{escape(model.claim)}</h1><p>{rest}</p></header>"
    )


def _picture(model: Model) -> str:
    picture = draw_rule(model.hypothesis, model.domain, model.columns)
    if picture is None or len(model.classes) == 1:
        return ""
    negative, positive = map(shown, model.classes)
    name = f"{shown(model.label)} = " if model.label else ""
    legend = (
        f'<span class="swatch yes"></span><span>{escape(name + positive)}</span> '
        f'<span class="swatch"></span><span>{escape(name + negative)}</span>'
    )
    return f"<figure>{picture.svg}<figcaption>{legend}</figcaption></figure>"


def _facts(model: Model) -> str:
    whose = f"per {_one(model)}" if model.certificate.private else "had no seed been set"
    facts = [*measured_fact(model), ("Privacy", str(model.certificate.privacy), "; ".join([whose, *_exposure(model)]))]
    facts.append(certified_fact(model))
    cells = (f"<div><dt>{escape(a)}</dt><dd>{escape(b)}<small>{escape(c)}</small></dd></div>" for a, b, c in facts)
    return f'<dl class="facts">{"".join(cells)}</dl>'


def _privacy(model: Model) -> str:
    certificate = model.certificate
    k = certificate.unit_records
    whom = "any one record" if k is None else f"any one unit and all its records (at most {k} of which count)"
    many = f"{grouped(certificate.protected or 0)} {_one(model)}s"
    claim = (
        f"This page reveals almost nothing about {whom}: with different data in its place, every outcome would have "
        f"been almost as likely. “Almost” means within a factor of e^ε for ε = {float(certificate.privacy.epsilon):.6g}"
        + (f", up to δ = {float(certificate.privacy.delta):.6g}" if certificate.privacy.delta else "")
        + "".join(f"; on average, {each} of the {many} may be revealed outright" for each in _exposure(model))
        + ". This holds for every possible set of records."
    )
    rows = "".join(
        f"<tr><td>{escape(entry.mechanism)}</td><td>{_cost(entry.cost)}</td><td>{escape(entry.theorem)}</td></tr>"
        for entry in model.ledger
    )
    table = (
        "<table><thead><tr><th>Computation</th><th>Cost</th><th>Proof</th></tr></thead>"
        f"<tbody>{rows}</tbody><tfoot><tr><td>Total</td><td>{_cost(certificate.privacy)}</td>"
        f"<td>per {_one(model)}</td></tr></tfoot></table>"
    )
    return f"<h2>Privacy cost</h2><p>{escape(claim)}</p>{table}"


def _records(model: Model, curve: Sequence[tuple[int, float]], goal: tuple[float, int | None] | None) -> str:
    if len(curve) < 2:
        return ""
    told = ""
    if goal is not None and goal[1] is not None:
        told = f"{grouped(goal[1])} records are enough to certify an error of at most {percent(goal[0])}. "
    caption = f"{told}This release used {grouped(model.records)}; the curve shows the certificate for other numbers."
    return (
        f"<h2>How more records would help</h2><figure>{draw_curve(curve, model.records).svg}"
        f"<figcaption>Certified error by number of records. {escape(caption)}</figcaption></figure>"
    )


def _again(model: Model, file: str, data: str) -> str:
    command = f"privpac predict {shlex.quote(file)} {shlex.quote(data)}"
    columns = ", ".join(map(shown, model.columns)) or "values"
    python = (
        f"import privpac as pp\nmodel = pp.Model.from_json(open({file!r}, encoding='utf-8').read())\n"
        f"model.predict(table)  # any table with {columns}"
    )
    text = model.to_json()
    whole = (
        f"<details><summary>The model</summary><pre>{escape(text)}</pre></details>"
        if len(text) < MOST_CHARACTERS
        else ""
    )
    return (
        f"<h2>How to use it</h2><p>The model is a small, self-contained text file. It contains no records.</p>"
        f"<pre>{escape(command)}</pre><pre>{escape(python)}</pre>{whole}"
    )


def _limits(model: Model) -> str:
    days = {f"{entry.time:%Y-%m-%d}" for entry in model.ledger}
    learned = f" on {min(days)}" if days else ""
    return (
        f"<h2>What the guarantee does not cover</h2><p>{escape(LIMITS.format(one=_one(model)))}</p>"
        f"<footer>Learned{learned} by privpac from {grouped(model.records)} records; {escape(model.learner)}.</footer>"
    )


def _cost(budget: Budget) -> str:
    return str(budget).replace(" = ", "\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}")  # keeps the cost to at most two lines


def _exposure(model: Model) -> list[str]:
    """δ·n, where there is a δ."""
    exposed = model.certificate.delta_n
    return [] if exposed is None else [f"δ·n = {float(exposed):.3g}"]


def _one(model: Model) -> str:
    return "record" if model.certificate.unit_records is None else "unit"
