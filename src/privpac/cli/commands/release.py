"""``privpac release``: answers to all queries of a class, or about a whole table, with a bound on their error."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privpac.cli import options
from privpac.cli.charges import account, charge_note, file_of, payer, say_remaining_budget
from privpac.cli.class_options import ClassOptions, names_a_class
from privpac.cli.drafts import Draft, drafts, save_drafts
from privpac.cli.fits import Hold, misfit_advice, run_release, say_unit_limit, seconds_of
from privpac.cli.output import TEXT_COLUMN, Json, OutputRow, Proofs, first_rows, print_json, print_rows, say
from privpac.cli.schema_options import class_of, declared_or_typed, page_names, rule_for_misfits, two_labels, units_of
from privpac.cli.sources import Data, DecimalComma, Encoding, Table, file_format
from privpac.cli.spelling import OF_CLASSES, OF_PRIVACY
from privpac.refusals.refusal import Refused, Setting, Sketch, refusal_about

if TYPE_CHECKING:
    from privpac.classes.concept_class import ConceptClass
    from privpac.classes.schemas.schema import Schema
    from privpac.release.release import Release
    from privpac.report.pages.frame import PageNames

MOST_ROWS = 20  # rows of a release that are printed; files hold all of them
PRINTED_QUANTILES = ("0.1", "0.25", "0.5", "0.75", "0.9")


def sanitizer_names() -> list[str]:
    """The values of ``--method``, for completion in shells."""
    from privpac.release.choice import SANITIZERS

    return ["auto", *(kind.__name__ for kind in SANITIZERS)]


@names_a_class
def release(
    data: Data,
    *,
    of: ClassOptions,
    schema: options.SchemaFile = None,
    marginals: Annotated[
        str | None,
        typer.Option(
            rich_help_panel=OF_CLASSES,
            help="With --schema: columns to count together, as age*sex,age*region*sex. Default: all pairs.",
        ),
    ] = None,
    x: options.Features = None,
    y: Annotated[
        str | None,
        typer.Option(
            help="The column of labels: release how often every rule is right and wrong, at every cut at once."
        ),
    ] = None,
    classes: options.TwoLabels = None,
    table: Table = None,
    encoding: Encoding = None,
    decimal_comma: DecimalComma = False,
    epsilon: options.Epsilon = "1",
    delta: options.Delta = None,
    allow_large_delta: options.LargeDelta = False,
    unit: options.Unit = None,
    max_records: options.MaxRecords = None,
    method: Annotated[
        str,
        typer.Option(
            rich_help_panel=OF_PRIVACY, help="The name of a sanitizer, or auto.", autocompletion=sanitizer_names
        ),
    ] = "auto",
    beta: Annotated[
        str, typer.Option(rich_help_panel=OF_PRIVACY, help="How often a measured bound may fail.")
    ] = "0.05",
    certify: Annotated[
        str, typer.Option(rich_help_panel=OF_PRIVACY, help="The share of ε that measures the error; 0 for none.")
    ] = "0.1",
    on_invalid: options.OnInvalid = None,
    out: Annotated[Path | None, typer.Option(metavar="JSON", help="Where to write the release.")] = None,
    synthetic: Annotated[
        Path | None, typer.Option(metavar="CSV", help="Where to write synthetic records, at no further cost.")
    ] = None,
    rows: Annotated[
        int | None, typer.Option(min=0, help="With --synthetic: how many records. Default: n, with units their places.")
    ] = None,
    report: options.ReportFile = None,
    title: options.Title = "",
    purpose: options.Purpose = "",
    owner: options.Owner = "",
    budget: options.AccountAddress = None,
    once: options.Key = None,
    hold: Hold = None,
    seed: options.Seed = None,
    proofs: Proofs = False,
    as_json: Json = False,
) -> None:
    """Release answers to all queries of a class at once, or a whole table, from one budget."""
    from privpac.classes.schemas.classes_by_name import columns_read
    from privpac.classes.schemas.schema import Schema
    from privpac.data.open_table import opened
    from privpac.data.values.spelling import stored_labels
    from privpac.release.release_request import ReleaseRequest

    if rows is not None and synthetic is None:
        raise Refused("rows", Setting("rows"), " goes with ", Setting.to("synthetic", "synthetic.csv"))
    of, separator = of.without_file_separator(by_schema=schema is not None)
    declared = None if schema is None else Schema.read(schema)
    pair = _labels(declared, y, classes)
    weights = _weights(declared, y, pair)
    paying_account = account(budget, once)
    seconds = seconds_of(hold)
    unit, max_records = units_of(declared, unit, max_records)
    names = page_names(declared, budget, title=title, purpose=purpose, owner=owner)
    queries: ConceptClass | Schema
    feature: Any = ()
    domain = None
    if declared is not None and of.class_name is None and not x:
        queries = declared
    else:
        queries, x = class_of(of, declared, x, distribution=y is None)
        feature, domain = columns_read(queries, x), queries.domain
    request = ReleaseRequest(
        queries, epsilon=epsilon, delta=delta, method=method, beta=beta, certify=certify,
        feature=feature, marginals=_columns_of(marginals), classes=pair,
        on_invalid=rule_for_misfits(on_invalid, declared), max_records=max_records,
        allow_large_delta=allow_large_delta, random_state=seed,
        budget=payer(paying_account, once),
    )  # fmt: skip
    form = file_format(declared, separator, encoding, decimal_comma, domain=domain, names=x or ())
    request.algorithm(1, labeled=y is not None)  # refuses wrong parameters before the table is opened
    files = {"out": out, "synthetic": synthetic, "report": report}
    with charge_note(paying_account), drafts(files, [data, *of.files, schema, file_of(budget)]) as places:
        with of.file_words(by_schema=schema is not None):
            records = opened(data, table, form, at_once=True)
        if declared is not None and marginals is None:  # a release of marginals needs only their columns
            declared.check_names(records.columns)
        if y is not None:
            request.classes = stored_labels(pair, records, y)
        result = run_release(request, records, unit, seconds, y=y).labeled_as(tuple(pair))
        names, check = replace(names, file=out.name if out else None), misfit_advice(data, table, schema)
        save_and_print_release(
            result, places, rows, names, check, as_json=as_json, proofs=proofs, unit=unit, weights=weights
        )
        if not as_json:
            say_remaining_budget(paying_account)


def _labels(schema: Schema | None, y: str | None, classes: str | None) -> Sequence[Any]:
    """The two labels, from the option or from the schema."""
    if y is None and classes is not None:
        raise Refused("classes", Setting("classes"), " goes with ", Setting.to("y", Sketch("the column of labels")))
    if schema is not None and schema.label is not None and schema.label.column == y:
        labels: Sequence[Any] = declared_or_typed("classes", schema.label.classes, classes)
        return labels
    return two_labels(classes)


def _weights(schema: Schema | None, y: str | None, pair: Sequence[Any]) -> tuple[int, int] | None:
    """What errors cost, if the schema names it for these labels. Balanced weights belong to learning."""
    from privpac.release.labeled.rates import weights_of

    label = schema.label if schema is not None else None
    if label is None or y is None or label.column != y or not isinstance(label.weights, tuple) or len(pair) > 2:
        return None
    return weights_of(label.weights, pair)


def _columns_of(marginals: str | None) -> list[list[str]] | None:
    """The columns of each marginal, from text such as age*sex,age*region*sex."""
    return None if marginals is None else [[*map(str.strip, names.split("*"))] for names in marginals.split(",")]


def save_and_print_release(
    release: Release,
    files: Mapping[str, Draft | None],
    rows: int | None,
    names: PageNames,
    check: str = "",
    *,
    as_json: bool,
    proofs: bool = False,
    unit: str | None = None,
    weights: tuple[int, int] | None = None,
) -> None:
    """Write the files and print the release; Refused at the end if a file could not be written.

    ``names`` are for the report. ``check`` says what to run if most records do not fit. With ``weights`` of errors, the
    best rule is the one with the least cost.
    """
    from privpac.report.pages.release import release_page

    records, refusal = _synthetic_csv(release, rows) if files["synthetic"] else ("", None)
    places = {option: place for option, place in files.items() if not (option == "synthetic" and refusal)}
    report = partial(release_page, release, names, weights)
    saved = save_drafts(places, {"out": release.to_json, "synthetic": lambda: records, "report": report})
    if as_json:
        print_json({"release": json.loads(release.to_json()), "written": saved.written})
    else:
        _print_release(release, proofs, check, unit, weights)
        for option, path in saved.written.items():
            typer.echo(f"{'release' if option == 'out' else option}: ".ljust(TEXT_COLUMN) + path)
        if saved.only_printed:
            typer.echo(release.to_json())
    saved.check("release")
    if refusal:
        raise refusal_about(refusal, "synthetic")


def _synthetic_csv(release: Release, rows: int | None) -> tuple[str, Refused | None]:
    """Synthetic records as CSV, or the reason why there are none.

    The reason is returned, not raised, because the release is paid for and must not be lost.
    """
    from privpac.data.files.csv_files import csv_text

    try:
        return csv_text(release.synthetic(release.n if rows is None else rows)), None
    except Refused as error:
        return "", error


def _print_release(
    release: Release, proofs: bool, check: str, unit: str | None, weights: tuple[int, int] | None
) -> None:
    """Print the quantiles of a distribution, or the first rows of other answers; then the guarantees."""
    from privpac.release.lines.answers import LineCounts

    if misfits := release.misfits(check):
        say(f"unfit:   {misfits}")
    quantiles = _quantiles(release)
    if release.labels is not None:
        _print_rules(release, weights)
    elif quantiles:
        print_rows([quantiles], as_json=False)
        if isinstance(release.answers_, LineCounts) and release.answers_.domain.optional:
            say(f"missing: {release.answers_.remark}")
    else:
        counts = release.counts()
        first = first_rows(counts, MOST_ROWS)
        print_rows(first, as_json=False, empty="no value occurs often enough to be shown")
        more = len(next(iter(counts.values()))) - len(first)
        if more:
            typer.echo(f"{more} more {'is' if more == 1 else 'are'} in the release")
    say_unit_limit(release, unit)
    say(f"how:     {release.sanitizer}, {release.guarantee.size}")
    for line in release.guarantee.lines if proofs else release.guarantee.claims:
        say(line)


def _print_rules(release: Release, weights: tuple[int, int] | None) -> None:
    """Print some cuts with their rates and the area under the curve, if there is one; then the best rule."""
    from privpac.release.labeled.rates import figure_text

    if release.has_curve:
        curve = release.curve()
        print_rows(curve.table(), as_json=False)
        area = figure_text(curve.auc, curve.auc_low, curve.auc_high, 1, "")
        say(f"area:    {area} under the ROC curve of these records")
    best = release.best(weights=weights)
    say(f"best:    {best.sentence}")
    say(f"about:   {best.labeling.about}")


def _quantiles(release: Release) -> OutputRow:
    """Some quantiles, if the values have an order; otherwise nothing."""
    from privpac.release.sanitizer import Answers

    if type(release.answers_).quantile is Answers.quantile:
        return {}
    return {f"{100 * float(q):g} %": release.quantile(q) for q in PRINTED_QUANTILES}
