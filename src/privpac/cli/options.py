"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from privpac.cli.sources import schema_file
from privpac.cli.spelling import OF_PRIVACY, OF_REPORTS, OF_TABLES
from privpac.refusals.option_words import InvalidRule

SchemaFile = Annotated[
    Path | None,
    typer.Option(
        metavar="TOML",
        callback=schema_file,
        help="The file that declares columns, labels, and units; without --class, a tree or a scorecard over all.",
    ),
]
Features = Annotated[
    list[str] | None, typer.Option(help="The column that rules or queries read. Repeat --x if they read several.")
]
LabelColumn = Annotated[str | None, typer.Option(help="The column of labels.")]
TwoLabels = Annotated[
    str | None, typer.Option(metavar="NO,YES", help="The two labels: negative, positive. Default: 0,1.")
]
Epsilon = Annotated[str, typer.Option(help="The total privacy loss ε: 1, 0.5, or 1/3.")]
Delta = Annotated[
    str | None,
    typer.Option(
        rich_help_panel=OF_PRIVACY, help="The total δ; 0 for none. Default: min(1e-6, 1/(100·n)), where δ is needed."
    ),
]
Beta = Annotated[str, typer.Option(rich_help_panel=OF_PRIVACY, help="The acceptable probability of a larger error.")]
LargeDelta = Annotated[
    bool,
    typer.Option(
        "--allow-large-delta", rich_help_panel=OF_PRIVACY, help="Accept a δ·n above 0.1, which is refused otherwise."
    ),
]
Unit = Annotated[
    str | None,
    typer.Option(help="The column that names each record's unit; a unit's records are protected together."),
]
MaxRecords = Annotated[int | None, typer.Option(help="With --unit: how many records of each unit count.")]
OnInvalid = Annotated[
    InvalidRule | None,
    typer.Option(
        rich_help_panel=OF_TABLES,
        help="What to do with records that do not fit the domain. Default: what the schema says, or raise.",
    ),
]
ReportError = Annotated[
    bool,
    typer.Option(
        "--report-error", help="Measure the error on new records, on a fifth of the records that is held out."
    ),
]
ModelFile = Annotated[Path | None, typer.Option(metavar="JSON", help="Where to write the model.")]
ReportFile = Annotated[Path | None, typer.Option(metavar="HTML", help="Where to write a report page.")]
AccountAddress = Annotated[
    str | None, typer.Option(metavar="URL#ACCOUNT", help="The account to charge: sqlite:///budget.db#clinic.")
]
Key = Annotated[
    str | None,
    typer.Option(
        "--once",
        metavar="KEY",
        rich_help_panel=OF_PRIVACY,
        help="Runs with the same KEY are charged once and get the same release.",
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(rich_help_panel=OF_PRIVACY, help="For tests and teaching only: the release is then NOT private."),
]

Title = Annotated[str, typer.Option(rich_help_panel=OF_REPORTS, help="The title of the report.")]
Purpose = Annotated[str, typer.Option(rich_help_panel=OF_REPORTS, help="What the release is for, for the report.")]
Owner = Annotated[str, typer.Option(rich_help_panel=OF_REPORTS, help="Who is responsible for it, for the report.")]
