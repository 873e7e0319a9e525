"""``privpac papers``: the algorithms of five papers; each can be planned, audited, and run on a table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privpac.cli import options, program
from privpac.cli.class_options import ClassOptions, names_a_class
from privpac.cli.fits import Hold
from privpac.cli.output import Json, OutputRow, Proofs, print_rows, say, working
from privpac.cli.program import REFUSED, PlainCommand, PlainGroup
from privpac.cli.schema_options import two_labels
from privpac.cli.sources import TABLE_HELP, DecimalComma, Encoding, Table, source
from privpac.refusals.option_words import PaperConstants
from privpac.refusals.refusal import InOtherWords, Refusal, Refused, Setting, refusal_about

if TYPE_CHECKING:
    from privpac.papers.edition import Edition
    from privpac.planning.rows import Row

papers = typer.Typer(
    cls=PlainGroup,
    add_completion=False,
    invoke_without_command=True,
    help="The algorithms of five papers: list them, plan, audit, and run each.",
)


def keys() -> list[str]:
    """What NAME takes, for shells that complete it."""
    from privpac.papers.editions import BY_KEY

    return list(BY_KEY)


Name = Annotated[str, typer.Argument(help="An algorithm, such as polypri or PolyPriLearn.", autocompletion=keys)]
ClassFile = Annotated[
    Path | None,
    typer.Option(metavar="CSV", help="The class, listed: a line of 0s and 1s for each rule, a column for each point."),
]
Alpha = Annotated[str, typer.Option(help="The error to aim at.")]
NOT_PRIVATE = (
    "{name} is not private: {why}. It is neither run nor audited here; "
    'the page "HCT24: why this is not private" of the documentation shows how it fails'
)


@papers.callback()
def listed(context: typer.Context, as_json: Json = False) -> None:
    """List the algorithms, or run one of the commands below."""
    if context.invoked_subcommand is not None:
        return
    from privpac.papers.editions import EDITIONS

    print_rows([_plain(edition) if as_json else _brief(edition) for edition in EDITIONS], as_json)
    if not as_json:
        typer.echo()
        say("Try `privpac papers plan polypri --class-file rules.csv`; `run` needs --data, --x, and --y, too.")


@papers.command(cls=PlainCommand)
@names_a_class
def run(
    name: Name,
    *,
    of: ClassOptions,
    class_file: ClassFile = None,
    data: Annotated[str, typer.Option("--data", callback=source, help=TABLE_HELP)],
    x: options.Features = None,
    y: options.LabelColumn = None,
    classes: options.TwoLabels = None,
    constants: Annotated[
        PaperConstants, typer.Option(help="tight: the numbers that are proved here. printed: those of the paper.")
    ] = "tight",
    epsilon: options.Epsilon = "1",
    delta: options.Delta = None,
    allow_large_delta: options.LargeDelta = False,
    alpha: Alpha = "0.1",
    beta: options.Beta = "0.05",
    table: Table = None,
    encoding: Encoding = None,
    decimal_comma: DecimalComma = False,
    on_invalid: options.OnInvalid = None,
    report_error: options.ReportError = False,
    out: options.ModelFile = None,
    report: options.ReportFile = None,
    budget: options.AccountAddress = None,
    once: options.Key = None,
    hold: Hold = None,
    seed: options.Seed = None,
    proofs: Proofs = False,
    as_json: Json = False,
) -> None:
    """Learn a rule from a table with a paper's algorithm, as `privpac learn` does with the library's."""
    from privpac.cli.commands.learn import learn
    from privpac.papers.methods import PRINTED

    edition = _runnable(name)
    two_labels(classes)  # refuses more than two
    with InOtherWords(_about_name, Refused):
        learn.command(
            data, of=_described(of, class_file), x=x, y=y, classes=classes, table=table, encoding=encoding,
            decimal_comma=decimal_comma, epsilon=epsilon, delta=delta, allow_large_delta=allow_large_delta,
            regime=edition.regime, method=edition.name + (PRINTED if constants == "printed" else ""), alpha=alpha,
            beta=beta, on_invalid=on_invalid, report_error=report_error, out=out, report=report, budget=budget,
            once=once, hold=hold, seed=seed, proofs=proofs, as_json=as_json,
        )  # fmt: skip


@papers.command(cls=PlainCommand)
@names_a_class
def plan(
    name: Name,
    *,
    of: ClassOptions,
    class_file: ClassFile = None,
    alpha: Alpha = "0.1",
    beta: options.Beta = "0.05",
    epsilon: options.Epsilon = "1",
    delta: options.Delta = None,
    as_json: Json = False,
) -> None:
    """Show how many records an algorithm asks for: as printed, as proved, and beside the library's best learner."""
    from privpac.planning import plan as make_plan
    from privpac.planning.paper_rows import printed_row, tight_row
    from privpac.requests.conditions import Conditions

    edition = _runnable(name)
    concept_class = _described(of, class_file).build()
    goal: dict[str, Any] = {"alpha": alpha, "beta": beta, "epsilon": epsilon, "delta": delta}
    conditions = Conditions.of(**goal, regime=edition.regime)
    tight = tight_row(edition, concept_class, conditions)
    if tight is None:  # the algorithm does not learn the class
        from privpac.papers.methods import method_named

        with InOtherWords(_about_name, Refused):  # refuses, and says why
            method_named(edition.name, concept_class, conditions)
    best = make_plan(concept_class, **goal, regime=edition.regime).best
    library = None if best is None or best.paper else best
    rows = [row for row in (printed_row(edition, concept_class, conditions), tight, library) if row is not None]
    print_rows([row.plain() if as_json else _planned(row) for row in rows], as_json)
    if not as_json:
        from privpac.planning.plans import HIDDEN_CONSTANTS

        typer.echo()
        labels = "they may be noisy" if edition.regime == "agnostic" else "some rule of the class makes no error"
        say(f"Labels: {labels}.")
        if any(row.kind.hidden for row in rows):
            say(HIDDEN_CONSTANTS)


@papers.command(cls=PlainCommand)
def audit(
    name: Annotated[
        str | None, typer.Argument(help="An algorithm, such as polypri. Default: all.", autocompletion=keys)
    ] = None,
    as_json: Json = False,
) -> None:
    """Try to refute what an algorithm claims, exactly, on all neighbors of a small case."""
    from privpac.audit.claims.papers import claim_of
    from privpac.cli.commands.audit import audit_row
    from privpac.papers.editions import EDITIONS

    editions = [edition for edition in EDITIONS if edition.trial] if name is None else [_private(name)]
    rows: list[OutputRow] = []
    for edition in editions:
        claim = claim_of(edition)
        if claim is None:
            remark = "it is audited by samples in the tests" if edition.runs else "it releases nothing by itself"
            raise Refused("name", f"{edition.name} declares no case small enough for an exact audit; {remark}")
        with working(f"auditing {edition.name}"):
            rows.append({"key": edition.key} | audit_row(claim))
    print_rows(rows, as_json)
    if any(row["verdict"] == "REFUTED" for row in rows):
        raise typer.Exit(REFUSED)


def _brief(edition: Edition) -> OutputRow:
    proved = f"{edition.tight} [{edition.theorem}]" if edition.tight else "–"
    sizes = {"n as printed": edition.printed or "–", "n as proved": proved}
    learns = f"{edition.learns} (NOT PRIVATE)" if edition.false else edition.learns
    return {"key": edition.key, "name": edition.name, "paper": edition.place, "learns": learns} | sizes


def _plain(edition: Edition) -> OutputRow:
    about = {"key": edition.key, "name": edition.name, "paper": edition.paper, "number": edition.number}
    sizes = {"learns": edition.learns, "printed": edition.printed, "tight": edition.tight, "theorem": edition.theorem}
    can = {"runs": edition.runs, "audited": edition.trial is not None, "private": not edition.false}
    return about | sizes | {"regime": edition.regime, "pure": edition.pure} | can


def _planned(row: Row) -> OutputRow:
    from privpac.planning.rows import human

    cells = {"algorithm": row.learner, "n": human(row.n), "privacy": row.privacy}
    return cells | {"kind": str(row.kind), "source": row.source}


def _described(of: ClassOptions, class_file: Path | None) -> ClassOptions:
    """The class, listed in ``--class-file`` or described by other options; Refused if both are given, or neither."""
    if class_file is None:
        if of.class_name is None and not of.typed_options:
            option = Setting.to("class_file", "rules.csv")
            raise Refused("class_file", "list the rules of the class in a file, ", option)
        return of
    if of.class_name is not None or of.typed_options:
        why = " describes the whole class; leave out "
        raise Refused("class_file", Setting("class_file"), why, Setting("class_name"))
    if not class_file.exists():
        raise Refused("class_file", f"there is no file {class_file}; write one line of 0s and 1s for each rule")
    return ClassOptions("explicit", {"matrix": class_file})


def _private(name: str) -> Edition:
    """The algorithm; the command ends here if it is not private."""
    from privpac.papers.editions import edition_named

    edition = edition_named(name)
    if edition.false:
        program.end(Refused("name", NOT_PRIVATE.format(name=edition.name, why=edition.false)), REFUSED)
    return edition


def _runnable(name: str) -> Edition:
    """The algorithm; Refused if a class and a goal do not determine its parameters."""
    edition = _private(name)
    if not edition.runs:
        where = f"privpac.papers.{edition.paper.lower()}.{edition.name}"
        raise Refused("name", f"a class alone does not determine {edition.name}; in Python, use {where}")
    return edition


def _about_name(error: Refused) -> Refusal:
    """The refusal of a method, about the name that was typed."""
    return refusal_about(error, "name") if error.parameter == "method" else error
