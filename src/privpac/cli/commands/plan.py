"""``privpac plan``: how many records it takes to learn a class."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privpac.cli import options
from privpac.cli.class_options import ClassOptions, names_a_class
from privpac.cli.drafts import drafts
from privpac.cli.output import Json, OutputRow, Proofs, print_json, print_rows, say
from privpac.cli.schema_options import class_of, declared_or_typed
from privpac.cli.spelling import OF_CLASSES, OF_PRIVACY, for_the_shell
from privpac.refusals.option_words import PlanTask, Regime
from privpac.refusals.refusal import Refused, Setting

if TYPE_CHECKING:
    from privpac.classes.concept_class import ConceptClass
    from privpac.planning import Plan


@names_a_class
def plan(
    *,
    of: ClassOptions,
    schema: options.SchemaFile = None,
    x: Annotated[
        list[str] | None,
        typer.Option(rich_help_panel=OF_CLASSES, help="With --schema: the column that the rule reads."),
    ] = None,
    alpha: Annotated[
        str | None, typer.Option(help="The error to plan for; with --n, plan the smallest ε. Default: 0.1.")
    ] = None,
    beta: options.Beta = "0.05",
    epsilon: Annotated[
        str | None, typer.Option(help="The total privacy loss ε, or several: 0.1,0.5,1. Default: 1.")
    ] = None,
    delta: options.Delta = None,
    regime: Annotated[
        Regime, typer.Option(help="agnostic: labels may be noisy. realizable: some rule makes no error.")
    ] = "agnostic",
    weights: Annotated[
        str | None,
        typer.Option(metavar="A,B,…", help="What an error costs on records of each label, in their order: 1,9."),
    ] = None,
    public: Annotated[
        str | None,
        typer.Option(
            metavar="DATA",
            rich_help_panel=OF_PRIVACY,
            help="Public records of the columns that the rule reads, or how many there are: plan with them.",
        ),
    ] = None,
    n: Annotated[int | None, typer.Option(help="The number of records you have; plan the error for it.")] = None,
    max_records: Annotated[
        int | None,
        typer.Option(rich_help_panel=OF_PRIVACY, help="If units are protected: how many records of each unit count."),
    ] = None,
    task: Annotated[
        PlanTask, typer.Option(help="learning, or release: answers to all queries of the class at once.")
    ] = "learning",
    published: Annotated[bool, typer.Option("--published", help="Also show the bounds printed in papers.")] = False,
    plot: Annotated[
        Path | None, typer.Option(metavar="SVG", help="Draw n against α, ε, and the size of the domain.")
    ] = None,
    proofs: Proofs = False,
    as_json: Json = False,
) -> None:
    """Show how many records provably suffice for each learner of a class, next to the published bounds."""
    from privpac.classes.schemas.schema import Schema
    from privpac.data.values.spelling import error_costs
    from privpac.planning import plan as make_plan
    from privpac.release.tables.queries import TableQueries

    if x and schema is None:
        raise Refused("x", Setting("x"), " names a column of a schema; add ", Setting.to("schema", "schema.toml"))
    with drafts({"plot": plot}, [*of.files, schema]) as files:
        declared = None if schema is None else Schema.read(schema)
        if declared is not None and task == "release" and of.class_name is None and not x:
            concept_class: ConceptClass = TableQueries(declared)  # the queries that `privpac release` answers
        else:
            concept_class, _ = class_of(of, declared, x)
        label, unit = (declared.label, declared.unit) if declared else (None, None)
        max_records = declared_or_typed("max_records", unit.max_records if unit else None, max_records)
        costs = error_costs(weights) if weights is not None else label and label.weights
        classes = label.classes if label and task == "learning" else None
        records = None if public is None else _public(public)
        terms: dict[str, Any] = {"alpha": alpha, "beta": beta, "delta": delta, "regime": regime, "n": n, "task": task}
        terms |= {"class_weight": costs, "classes": classes, "public": records, "max_records": max_records}
        epsilons = [None] if epsilon is None else epsilon.split(",")
        plans = [make_plan(concept_class, epsilon=ε, **terms) for ε in epsilons]
        if as_json:
            values = [_json_values(one_plan) for one_plan in plans]
            print_json(values[0] if len(values) == 1 else {"plans": values})
        elif len(plans) == 1:
            _print_plan(plans[0], published, proofs)
        else:
            _print_comparison(plans, proofs)
        if picture := files["plot"]:
            plans[0].draw().save(picture.draft)
            picture.keep()


def _public(typed: str) -> Any:
    """Public records from a table, or their number."""
    from privpac.cli.sources import source
    from privpac.data.files.file_format import FileFormat
    from privpac.data.open_table import opened

    return int(typed) if typed.isdecimal() else opened(source(typed) or typed, None, FileFormat())


def _json_values(plan: Plan) -> dict[str, object]:
    from privpac.planning.rows import Sought

    goal = asdict(plan.goal if plan.n is None else plan.goal.of(plan.n))
    if goal.pop("tied"):  # δ depends on n, which is not known
        goal["delta"] = None
    weights, max_records = goal.pop("weights")["by_label"], goal.pop("max_records")
    if plan.sought is Sought.EPSILON:
        goal["epsilon"] = plan.best and plan.best.epsilon
    question = {"class": plan.title} | goal | {"regime": plan.regime, "n": plan.n}
    question |= {} if plan.goal.weights.even else {"weights": weights}
    question |= {} if max_records is None else {"max_records": max_records}
    best = {"best": plan.best and plan.best.learner, "default": plan.default}
    return question | best | {"rows": [row.plain() for row in plan.rows]}


def _print_comparison(plans: list[Plan], proofs: bool) -> None:
    """Print the best row for each ε."""
    columns = (plans[0].subject, plans[0].heading, "privacy", *(("kind", "source") if proofs else ()))
    rows: list[OutputRow] = []
    for one_plan in plans:
        best = replace(one_plan, rows=(one_plan.best,) if one_plan.best else ()).cells()
        rows.append({"ε": f"{one_plan.goal.epsilon:g}", **{name: best[0][name] if best else "–" for name in columns}})
    _print_question(plans[0].asked(f"the best {plans[0].subject} for each ε"))
    print_rows(rows, as_json=False, empty=f"no {plans[0].subject} for this class")
    notes = [(one_plan, note) for one_plan in plans for note in (*one_plan.whether_enough, *one_plan.by_default)]
    notes_on_units = map(for_the_shell, plans[0].with_units)  # the same for each ε
    notes_by_ε = (f"ε = {one_plan.goal.epsilon:g}: {for_the_shell(note)}" for one_plan, note in notes)
    _print_notes([*notes_on_units, *notes_by_ε])


def _print_plan(plan: Plan, published: bool, proofs: bool) -> None:
    """Print the answer of the best row and the rows of the learners; with ``published``, also those of papers."""
    # Rows of published bounds have no title.
    visible = plan if published else replace(plan, rows=tuple(row for row in plan.rows if row.title))
    say(plan.answer)
    typer.echo()
    _print_question(plan.question)
    # Bounds of papers differ in kind, so a table that contains them says which kind each one is. With --proofs, all
    # columns are printed.
    further = () if proofs else ("source", "kind") if published else ("privacy", "how")
    rows: list[OutputRow] = []
    for row, cells in zip(visible.rows, visible.cells(), strict=True):
        entries = cells | {"how": row.title or None}
        rows.append({name: entries[name] for name in (plan.subject, plan.heading, *further)} if further else {**cells})
    print_rows(rows, as_json=False, empty=f"no {plan.subject} for this class")
    hidden = len(plan.rows) - len(visible.rows)
    more = [f"{hidden} published bound{'s' * (hidden > 1)} not shown; add --published"] if hidden else []
    _print_notes([*map(for_the_shell, visible.notes), *more])


def _print_question(question: str) -> None:
    for line in question.splitlines():
        say(line)
    typer.echo()


def _print_notes(notes: list[str]) -> None:
    """Print notes below the table, after an empty line."""
    for note in ["", *notes] if notes else []:
        say(note) if note else typer.echo()
