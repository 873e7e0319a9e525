"""``privpac learn``: a private rule from a table, with what it cost and what it guarantees.

Labels on the command line are text. In a column of truth values they are read as true or false, otherwise as whole
numbers where both spell one, otherwise as they are; in files of text, numbers in any spelling are the same label.

Main declarations
    learn     the command
    account   the account that URL#NAME names
    labels    the two labels that a text declares
"""

# ruff: noqa: PLC0415  (a command imports what it needs when it runs, so that --help answers at once)
from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privpac.cli.classes import Described, names_a_class
from privpac.cli.output import Json

if TYPE_CHECKING:
    from privpac.learners.auto import PrivateClassifier
    from privpac.learners.model import Model
    from privpac.privacy.store import DurableAccount

TRUTH = {"0": False, "1": True, "false": False, "true": True, "no": False, "yes": True}


@names_a_class
def learn(
    data: Annotated[str, typer.Argument(help="CSV or Parquet file, or the address of a database.")],
    *,
    of: Described,
    x: Annotated[
        list[str] | None,
        typer.Option(help="The column that the rule reads; several, each with --x, for rules about vectors."),
    ] = None,
    y: Annotated[str, typer.Option(help="The column of labels.")],
    classes: Annotated[str, typer.Option(metavar="NO,YES", help="The two labels: negative, positive.")] = "0,1",
    table: Annotated[str | None, typer.Option(help="Which table of a database.")] = None,
    epsilon: Annotated[str, typer.Option(help="The promise in all: 1, 0.5 or 1/3.")] = "1",
    delta: Annotated[str, typer.Option(help="The promise; 0 for learners that need none.")] = "1e-6",
    unit: Annotated[str | None, typer.Option(help="Protect all records of a unit: the column that names it.")] = None,
    max_records: Annotated[int | None, typer.Option(help="With --unit: how many of its records count.")] = None,
    regime: Annotated[
        str, typer.Option(help="agnostic: labels may be noisy. realizable: some rule makes no error.")
    ] = "agnostic",
    method: Annotated[str, typer.Option(help="A learner by its name; auto: the one that needs fewest records.")] = (
        "auto"
    ),
    alpha: Annotated[str, typer.Option(help="The error to plan for.")] = "0.1",
    beta: Annotated[str, typer.Option(help="How often a certificate may fail.")] = "0.05",
    on_invalid: Annotated[
        str, typer.Option(help="What becomes of records that do not fit: raise, clamp or default.")
    ] = "raise",
    report_error: Annotated[bool, typer.Option("--report-error", help="Spend a tenth of ε on the rule's error.")] = (
        False
    ),
    out: Annotated[Path | None, typer.Option(metavar="JSON", help="Where to write the model.")] = None,
    report: Annotated[Path | None, typer.Option(metavar="HTML", help="Where to write a page to show.")] = None,
    budget: Annotated[
        str | None, typer.Option(metavar="URL#ACCOUNT", help="The account to charge: sqlite:///budget.db#clinic.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="For tests and teaching only: the rule is then NOT private.")] = None,
    as_json: Json = False,
) -> None:
    """Learn a private rule from a table."""
    from privpac.data.engines import open_table

    writable(out, report)
    concept_class = of.build()
    opened = open_table(data, table)
    clf = _classifier(
        concept_class, x, epsilon=epsilon, delta=delta, regime=regime, method=method, alpha=alpha, beta=beta,
        classes=labels(classes, opened, y), on_invalid=on_invalid, max_records=max_records, report_error=report_error,
        budget=account(budget), random_state=seed,
    )  # fmt: skip
    model = fitted(clf, opened, y, unit)
    tell(clf, model, out=out, report=report, data=data, as_json=as_json)


def fitted(clf: PrivateClassifier, table: Any, y: str, unit: str | None = None) -> Model:
    """The model that ``clf`` learns; shows on a terminal that it is at work."""
    from rich.console import Console

    from privpac.learners.model import model_of

    with Console(stderr=True).status("learning"):  # shows nothing unless stderr is a terminal
        try:
            clf.fit(table, y, unit)
        except TypeError as error:  # values of another type than the declared ones: bad input, as others
            raise ValueError(error) from None
    return model_of(clf, y)


def tell(
    clf: PrivateClassifier, model: Model, *, out: Path | None, report: Path | None, data: str, as_json: bool
) -> None:
    """Write model and page, then say what was learned."""
    from privpac.report.html import write_report

    if out:
        out.write_text(model.to_json(), encoding="utf-8")
    if report:
        here = "DATA" if "://" in data else Path(data).name  # an address may hold a password
        write_report(clf, report, label=model.label, file=out.name if out else "model.json", data=here)
    files = {"model": out, "report": report}
    if as_json:
        written = {name: str(path) for name, path in files.items() if path}
        typer.echo(json.dumps({"model": json.loads(model.to_json()), "written": written}, indent=2, ensure_ascii=False))
        return
    typer.echo(f"rule:    {model}")
    typer.echo(model.certificate if model.certificate.utility else f"{_privacy(model)}\n{_no_utility(clf, model)}")
    if model.error is not None:
        typer.echo(f"error:   {model.error}")
    for name, path in files.items():
        if path:
            typer.echo(f"{name + ':':8} {path}")


def writable(*paths: Path | None) -> None:
    """ValueError if a file cannot be written, before anything is spent."""
    for path in filter(None, paths):
        if path.is_dir() or not os.access(path.parent, os.W_OK):
            raise ValueError(f"{path} cannot be written")


def account(budget: str | None) -> DurableAccount | None:
    """The account that URL#NAME names; None for none.

    >>> account("sqlite:///budget.db")
    Traceback (most recent call last):
    ValueError: say which account to charge after a #, such as sqlite:///budget.db#clinic
    """
    if budget is None:
        return None
    url, _, name = budget.rpartition("#")
    if not url or not name:
        raise ValueError("say which account to charge after a #, such as sqlite:///budget.db#clinic")
    from privpac.privacy.store import BudgetStore

    return BudgetStore(url).account(name)


def labels(text: str, table: Any, y: str) -> tuple[Any, Any]:
    """The two labels, (negative, positive), as the column ``y`` of the table has them.

    >>> import ibis, pyarrow
    >>> table = ibis.memtable(pyarrow.table({"late": [True], "age": [3], "sex": ["m"]}))
    >>> labels("no,yes", table, "late"), labels("0,1", table, "age"), labels("f,m", table, "sex")
    ((False, True), (0, 1), ('f', 'm'))
    """
    names = [name.strip() for name in text.split(",")]
    if len(names) != 2 or not all(names) or names[0] == names[1]:
        raise ValueError("--classes takes the two labels, the negative one first, such as 0,1 or no,yes")
    truth = y in table.columns and table.schema()[y].is_boolean()
    if truth and {name.lower() for name in names} <= set(TRUTH):
        negative, positive = (TRUTH[name.lower()] for name in names)
        return negative, positive
    whole = all(name.lstrip("+-").isdecimal() for name in names)
    return (int(names[0]), int(names[1])) if whole else (names[0], names[1])


def _classifier(concept_class: Any, x: list[str] | None, **parameters: Any) -> PrivateClassifier:
    from privpac.data.tables import Columns
    from privpac.learners.auto import PrivateClassifier

    if isinstance(concept_class.domain, Columns):
        if x:
            raise ValueError("the parts of the class name their columns themselves; leave out --x")
        return PrivateClassifier(concept_class, **parameters)
    if not x:
        raise ValueError("say which column the rule reads: --x COLUMN")
    return PrivateClassifier(concept_class, feature=x[0] if len(x) == 1 else list(x), **parameters)


def _privacy(model: Model) -> str:
    return str(model.certificate).partition("\n")[0]


def _no_utility(clf: PrivateClassifier, model: Model) -> str:
    from privpac.report.html import why_not

    α = float(clf.alpha)
    return f"utility: {why_not(model, (α, clf.certified_n(α)))}"
