"""One page about a release: the rule, what it cost, what it guarantees, and where it stands.

The page is self-contained: pictures are drawn in it, and it needs no network, no font and no script. It shows what was
released and what was declared, and nothing else of the records.

Throughout this file
    n      records, public        α, β   the certified error, and how often it may be exceeded

Main declarations
    write_report    the page of a fitted classifier or of a model, as a file
    page            the page, as text
    why_not         why a release has no certificate about errors
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from privpac.data.values import shown
from privpac.learners.algorithm import is_usual
from privpac.learners.classifier import PrivateClassifier
from privpac.learners.model import Model, model_of
from privpac.privacy.budget import Budget
from privpac.privacy.certificate import Utility
from privpac.report.curve import draw_curve
from privpac.report.numbers import grouped
from privpac.report.pictures import draw_rule

FACTORS = [10 ** (k / 8) for k in range(-12, 13)]  # of n: what the curve shows
MOST_CHARACTERS = 4000  # characters of a model that a page shows
LIMITS = (
    "The promise is about what this page and the model tell of any one {one}; it does not hide what everyone already "
    "knows, nor how long the computation took. Whoever ran it saw the records, and other releases from the same "
    "records cost privacy of their own, which adds up."
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

    ``label`` names what is predicted; ``file`` and ``data`` are where the page says the model and records are. A
    classifier can tell how its certificate depends on the number of records; a model alone cannot.

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
        model = model_of(released, label)
        α = float(released.alpha)
        text = page(model, _curve(released, model), (α, released.certified_n(α)), file=file, data=data)
    Path(path).write_text(text, encoding="utf-8")


def page(
    model: Model,
    curve: Sequence[tuple[int, float]] = (),
    goal: tuple[float, int | None] | None = None,
    *,
    file: str = "model.json",
    data: str = "data.csv",
) -> str:
    """The page as HTML: ``curve`` are pairs (n, α), ``goal`` is an error and the records that certify it.

    >>> from privpac.classes.line import Threshold
    >>> from privpac.data.line import Line
    >>> from privpac.privacy.budget import Budget
    >>> from privpac.privacy.certificate import Certificate
    >>> model = Model(Threshold(37), Line(0, 999), "delay", (0, 1), 5000, "exponential", Certificate(Budget(1)))
    >>> page(model).startswith("<!doctype html>")
    True
    """
    style = files("privpac.report").joinpath("page.css").read_text("utf-8")
    parts = [_head(model), _picture(model), _facts(model), _privacy(model), _errors(model, goal)]
    parts += [_records(model, curve, goal), _again(model, file, data), _limits(model)]
    title = f"{'' if model.certificate.private else 'NOT PRIVATE: '}{model}"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
        + "\n".join(filter(None, parts))
        + "\n</body>\n</html>\n"
    )


def _curve(clf: PrivateClassifier, model: Model) -> list[tuple[int, float]]:
    """(n, α) around the release, where an error is certified at all; units have no certificates."""
    if model.certificate.unit_records is not None:
        return []
    sizes = sorted({max(1, round(model.records * factor)) for factor in FACTORS})
    found = [(n, clf.certified_alpha(n)) for n in sizes]
    return [(n, float(α)) for n, α in found if α is not None]


def _head(model: Model) -> str:
    rest = "" if model.otherwise is None else escape(f"otherwise {model.otherwise}")
    warning = (
        '<p class="warn">NOT PRIVATE: a seed decided the coins, which is for tests and teaching only. '
        "Do not publish this rule.</p>"
    )
    return (
        f"<header><p>A rule learned with differential privacy</p>{'' if model.certificate.private else warning}"
        f"<h1>{escape(model.claim)}</h1><p>{rest}</p></header>"
    )


def _picture(model: Model) -> str:
    picture = draw_rule(model.hypothesis, model.domain, model.columns)
    if picture is None:
        return ""
    if len(model.classes) == 1:
        return ""
    negative, positive = map(shown, model.classes)
    name = f"{shown(model.label)} = " if model.label else ""
    legend = (
        f'<span class="swatch yes"></span><span>{escape(name + positive)}</span> '
        f'<span class="swatch"></span><span>{escape(name + negative)}</span>'
    )
    return f"<figure>{picture.svg}<figcaption>{legend}</figcaption></figure>"


def _facts(model: Model) -> str:
    cost, utility = model.certificate.privacy, model.certificate.utility
    whose = f"per {_one(model)}" if model.certificate.private else "if coins were not seeded"
    facts = [("Privacy", str(cost), "; ".join([whose, *_exposure(model)]))]
    if utility is not None:
        best = "best + " if utility.regime == "agnostic" else ""
        sure = "; ".join([f"{_percent(1 - utility.beta)} certain", *([_meant(utility)] if best else [])])
        facts.append(("Certified error", f"≤ {best}{_percent(utility.alpha)}", sure))
    else:
        facts.append(("Certified error", "none", "see below why"))
    if model.error is not None:
        value, low, high = (f"{100 * each:.1f} %" for each in (model.error.value, model.error.low, model.error.high))
        facts.append(("Measured error", value, f"measured privately: {low} to {high}"))
    cells = (f"<div><dt>{escape(a)}</dt><dd>{escape(b)}<small>{escape(c)}</small></dd></div>" for a, b, c in facts)
    return f'<dl class="facts">{"".join(cells)}</dl>'


def _privacy(model: Model) -> str:
    certificate = model.certificate
    k = certificate.unit_records
    whom = "one record" if k is None else f"all records of one unit (of which at most {k} count)"
    many = f"{grouped(certificate.protected or 0)} {_one(model)}s"
    claim = (
        f"Whoever reads this page learns almost nothing about {whom}: had it been any other, every outcome would have "
        f"been almost as likely. “Almost” means a factor of e^ε for ε = {float(certificate.privacy.epsilon):.6g}"
        + (f", up to δ = {float(certificate.privacy.delta):.6g}" if certificate.privacy.delta else "")
        + "".join(f"; {each} of the {many} may be revealed outright, on average" for each in _exposure(model))
        + ". This holds for every set of records, whatever they are."
    )
    rows = "".join(
        f"<tr><td>{escape(entry.mechanism)}</td><td>{_cost(entry.cost)}</td><td>{escape(entry.theorem)}</td></tr>"
        for entry in model.ledger
    )
    table = (
        "<table><thead><tr><th>What ran</th><th>Cost</th><th>Proof</th></tr></thead>"
        f"<tbody>{rows}</tbody><tfoot><tr><td>In all</td><td>{_cost(certificate.privacy)}</td>"
        f"<td>per {_one(model)}</td></tr></tfoot></table>"
    )
    return f"<h2>What it cost</h2><p>{escape(claim)}</p>{table}"


def _errors(model: Model, goal: tuple[float, int | None] | None) -> str:
    utility = model.certificate.utility
    told = [_certified(utility) if utility is not None else f"<p>{escape(why_not(model, goal))}</p>"]
    if model.error is not None:
        told.append(
            f"<p>Measured, at a tenth of the budget: the rule {escape(str(model.error))}. This is about the records "
            "that it was learned from.</p>"
        )
    return f"<h2>How good it is</h2>{''.join(told)}"


def _certified(utility: Utility) -> str:
    which = "of any rule of the declared kind" if _whole(utility) else "of the rules that are meant below"
    best = f"the smallest error {which}, plus " if utility.regime == "agnostic" else ""
    assumed = "".join(f"<li>{escape(each)}</li>" for each in utility.assumptions)
    return (
        f"<p>With a probability of at least {_percent(1 - utility.beta)}, the rule errs on new records with a "
        f"probability of at most {best}{_percent(utility.alpha)}. Proof: {escape(utility.theorem)}. It assumes:</p>"
        f"<ul>{assumed}</ul>"
    )


def _meant(utility: Utility) -> str:
    """Which rules the best one is the best of."""
    return "best: of all rules of its kind" if _whole(utility) else "best: of some rules of its kind, see below"


def _whole(utility: Utility) -> bool:
    """Whether the certificate is about all rules of the class, and not about those of a coarser grid or with room."""
    return all(map(is_usual, utility.assumptions))


def why_not(model: Model, goal: tuple[float, int | None] | None) -> str:
    """Why nothing is guaranteed about errors; ``goal`` is an error and the records that certify it."""
    nothing = "Nothing is guaranteed about errors"
    if model.certificate.unit_records is not None:
        return f"{nothing}, because certificates count independent records, and those of one unit are not."
    if goal is None:
        return f"{nothing}, because there were too few records for this learner's certificate, or it has none."
    α, n = goal
    if n is None:
        return f"{nothing}, because none is proved for this learner ({model.learner})."
    few = "1 record is too few" if model.records == 1 else f"{grouped(model.records)} records are too few"
    return f"{nothing}, because {few}: an error of {_percent(α)} is certified from {grouped(n)} on."


def _records(model: Model, curve: Sequence[tuple[int, float]], goal: tuple[float, int | None] | None) -> str:
    if len(curve) < 2:
        return ""
    told = ""
    if goal is not None and goal[1] is not None:
        told = f"An error of {_percent(goal[0])} is certified from {grouped(goal[1])} records on. "
    caption = f"{told}There were {grouped(model.records)}; the curve is what the certificate says of other numbers."
    return (
        f"<h2>What more records would give</h2><figure>{draw_curve(curve, model.records).svg}"
        f"<figcaption>Certified error over the number of records. {escape(caption)}</figcaption></figure>"
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
        f"<h2>Use it</h2><p>The model is a small text without any record; it predicts alone.</p>"
        f"<pre>{escape(command)}</pre><pre>{escape(python)}</pre>{whole}"
    )


def _limits(model: Model) -> str:
    days = {f"{entry.time:%Y-%m-%d}" for entry in model.ledger}
    learned = f" on {min(days)}" if days else ""
    return (
        f"<h2>What this does not say</h2><p>{escape(LIMITS.format(one=_one(model)))}</p>"
        f"<footer>Learned{learned} by privpac from {grouped(model.records)} records; {escape(model.learner)}.</footer>"
    )


def _cost(budget: Budget) -> str:
    return str(budget).replace(" = ", "\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}")  # two lines at most


def _exposure(model: Model) -> list[str]:
    """δ·n, where there is a δ."""
    exposed = model.certificate.delta_n
    return [] if exposed is None else [f"δ·n = {float(exposed):.3g}"]


def _one(model: Model) -> str:
    return "record" if model.certificate.unit_records is None else "unit"


def _percent(share: Any) -> str:
    return f"{100 * float(share):.3g} %"
