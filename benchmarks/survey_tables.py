"""More real tables with a yes-or-no label: wages, votes, visits to doctors, prices, out of files of pydataset.

Bounds are round numbers that one can know without the records; categories are those of the questionnaire.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pandas as pd
from package_tables import Public, RealTable, packaged, table

Label = Callable[[pd.DataFrame], Any]

BIT: Public = (0, 1)
NO_YES: Public = ("no", "yes")
SEX: Public = ("female", "male")


def _read(file: str, label: Label, public: dict[str, Public]) -> RealTable:
    path = f"rdata/csv/{file}.csv"
    return complete(
        pd.read_csv(packaged("pydataset", path, inside="pydataset/resources.tar.gz"), index_col=0), label, public
    )


def complete(records: pd.DataFrame, label: Label, public: dict[str, Public]) -> RealTable:
    """The complete records, by the columns that are declared."""
    labels = label(records)
    there = records[list(public)].notna().all(axis=1) & pd.Series(labels, records.index).notna()
    return table(records[there], pd.Series(labels, records.index)[there].astype(bool), **public)


def above(column: str, bound: float) -> Label:
    """Whether the column is above a number."""
    return lambda records: (records[column] > bound).where(records[column].notna())


def equals(column: str, value: Any) -> Label:
    """Whether the column has this value."""
    return lambda records: (records[column] == value).where(records[column].notna())


FILES: dict[str, tuple[str, Label, dict[str, Public]]] = {
    "young wages": ("Ecdat/Wages1", above("wage", 5), {"exper": (0, 40), "sex": SEX, "school": (0, 20)}),
    "home loans": (
        "Ecdat/Hdma",
        equals("deny", "yes"),
        dict.fromkeys(("dir", "hir"), (0.0, 2.0))
        | {"lvr": (0.0, 2.0), "ccs": (1.0, 6.0), "mcs": (1.0, 4.0), "uria": (0.0, 15.0), "comdominiom": BIT}
        | dict.fromkeys(("pbcr", "dmi", "self", "single", "black"), NO_YES),
    ),
    "working wives": (
        "Ecdat/Mroz",
        equals("work", "yes"),
        {"child6": (0, 10), "child618": (0, 10), "agew": (18, 70), "educw": (0, 20), "ageh": (18, 70), "educh": (0, 20)}
        | {"hoursh": (0, 6000), "wageh": (0.0, 50.0), "educwm": (0, 20), "educwf": (0, 20), "unemprate": (0.0, 20.0)}
        | {"city": NO_YES, "experience": (0, 50)},
    ),
    "panel wages": (
        "Ecdat/Wages",
        above("lwage", 6.7),
        {"exp": (0, 60), "wks": (0, 52), "ind": BIT, "sex": SEX, "ed": (0, 20)}
        | dict.fromkeys(("bluecol", "south", "smsa", "married", "union", "black"), NO_YES),
    ),
    "unions": (
        "Ecdat/Males",
        equals("union", "yes"),
        {"year": (1980, 1987), "school": (0, 20), "exper": (0, 30), "ethn": ("black", "hisp", "other")}
        | {"married": NO_YES, "health": NO_YES, "wage": (-4.0, 5.0)},
    ),
    "private insurance": (
        "Ecdat/OFP",
        equals("privins", "yes"),
        {"ofp": (0, 100), "hosp": (0, 10), "numchron": (0, 10), "adldiff": BIT, "age": (6.0, 12.0), "school": (0, 20)}
        | {"faminc": (-2.0, 60.0), "sex": SEX, "region": ("midwest", "noreast", "other", "west")}
        | {"hlth": ("excellent", "other", "poor")}
        | dict.fromkeys(("black", "maried", "employed", "medicaid"), NO_YES),
    ),
    "benefits": (
        "Ecdat/Benefits",
        equals("ui", "yes"),
        {"stateur": (0.0, 20.0), "statemb": (0, 400), "age": (18, 70), "tenure": (0, 50), "yrdispl": (1, 10)}
        | {"rr": (0.0, 1.0), "sex": SEX}
        | {"joblost": ("other", "position_abolished", "seasonal_job_ended", "slack_work")}
        | dict.fromkeys(("nwhite", "school12", "smsa", "married", "dkids", "head"), NO_YES),
    ),
    "seen a doctor": (
        "Ecdat/DoctorAUS",
        above("doctorco", 0),
        {"sex": BIT, "age": (0.0, 1.0), "income": (0.0, 2.0), "illness": (0, 5), "actdays": (0, 14), "hscore": (0, 12)}
        | {"insurance": ("freepor", "freerepa", "levyplus", "medlevy"), "chcond": ("la", "nla", "np")}
        | {"hospdays": (0, 100), "prescrib": (0, 10)},
    ),
    "schooling wages": (
        "Ecdat/RetSchool",
        above("wage76", 1.7),
        {"grade76": (0.0, 20.0), "exp76": (0.0, 30.0), "region": (1, 9), "daded": (0.0, 20.0), "momed": (0.0, 20.0)}
        | {"age76": (24, 34)}
        | dict.fromkeys(("black", "south76", "smsa76", "smsa66", "momdad14"), BIT),
    ),
    "farms": (
        "Ecdat/VietNamH",
        equals("farm", "yes"),
        {"sex": SEX, "age": (15, 100), "educyr": (0.0, 25.0), "hhsize": (1, 20), "lntotal": (5.0, 13.0)}
        | {"lnmed": (0.0, 13.0), "lnrlfood": (5.0, 13.0)},
    ),
    "pharmacies": (
        "Ecdat/VietNamI",
        above("pharvis", 0),
        {"lnhhexp": (0.0, 6.0), "age": (0.0, 5.0), "sex": SEX, "educ": (0, 15), "illdays": (0, 60)}
        | dict.fromkeys(("married", "injury", "insurance"), BIT),
    ),
    "computers": (
        "Ecdat/Computers",
        above("price", 2000),
        {"speed": (0, 100), "hd": (0, 3000), "ram": (0, 64), "screen": (10, 20), "ads": (0, 400), "trend": (1, 36)}
        | dict.fromkeys(("cd", "multi", "premium"), NO_YES),
    ),
    "Canadian wages": (
        "car/SLID",
        above("wages", 15),
        {"education": (0.0, 25.0), "age": (15, 100), "sex": ("Female", "Male")}
        | {"language": ("English", "French", "Other")},
    ),
    "survival": (
        "survival/flchain",
        equals("death", 1),
        {"age": (50, 110), "sex": ("F", "M"), "sample.yr": (1990, 2005), "kappa": (0.0, 25.0), "lambda": (0.0, 30.0)}
        | {"flc.grp": (1, 10), "mgus": BIT},
    ),
    "food budgets": (
        "Ecdat/BudgetFood",
        above("wfood", 0.4),
        {"totexp": (0, 10_000_000), "age": (15, 100), "size": (1, 20), "town": (1, 5), "sex": ("man", "woman")},
    ),
    "wives insured": (
        "Ecdat/HI",
        equals("whi", "yes"),
        {"whrswk": (0, 100), "hhi": NO_YES, "race": ("black", "other", "white"), "hispanic": NO_YES}
        | {"education": ("12years", "13-15years", "16years", "9-11years", "<9years", ">16years")}
        | {"experience": (-5.0, 60.0), "kidslt6": (0, 10), "kids618": (0, 10), "husby": (0.0, 200.0)}
        | {"region": ("northcentral", "other", "south", "west")},
    ),
    "German visits": (
        "COUNT/rwm5yr",
        above("docvis", 0),
        {"hospvis": (0, 60), "year": (1984, 1988), "edlevel": (1, 4), "age": (18, 70), "hhninc": (0.0, 40.0)}
        | {"educ": (0.0, 20.0)}
        | dict.fromkeys(("outwork", "female", "married", "kids", "self"), BIT),
    ),
    "diamonds": (
        "ggplot2/diamonds",
        above("price", 2500),
        {"carat": (0.0, 6.0), "cut": ("Fair", "Good", "Ideal", "Premium", "Very Good"), "color": tuple("DEFGHIJ")}
        | {"clarity": ("I1", "IF", "SI1", "SI2", "VS1", "VS2", "VVS1", "VVS2"), "depth": (40.0, 80.0)}
        | {"table": (40.0, 100.0)},
    ),
    "movies": (
        "ggplot2/movies",
        above("rating", 6),
        {"year": (1890, 2010), "length": (0, 300), "votes": (0, 200_000)}
        | dict.fromkeys(("Action", "Animation", "Comedy", "Drama", "Documentary", "Romance", "Short"), BIT),
    ),
    "vocabulary": (
        "car/Vocab",
        above("vocabulary", 6),
        {"year": (1970, 2010), "sex": ("Female", "Male"), "education": (0, 20)},
    ),
    "turnout": (
        "Zelig/turnout",
        equals("vote", 1),
        {"race": ("others", "white"), "age": (16, 100), "educate": (0.0, 20.0), "income": (0.0, 15.0)},
    ),
    "training": (
        "Ecdat/Treatment",
        above("re78", 20_000),
        {"age": (16, 60), "educ": (0, 20), "ethn": ("black", "hispanic", "other"), "re74": (0.0, 200_000.0)}
        | {"re75": (0.0, 200_000.0)},
    ),
    "Medicare deaths": (
        "COUNT/medpar",
        equals("died", 1),
        {"los": (0, 120), "hmo": BIT, "white": BIT, "age80": BIT, "type": (1, 3)},
    ),
    "unemployment": (
        "Ecdat/UnempDur",
        above("spell", 5),
        {"age": (18, 70), "ui": NO_YES, "reprate": (0.0, 2.0), "disrate": (0.0, 1.0), "logwage": (0.0, 10.0)}
        | {"tenure": (0, 50)},
    ),
    "working hours": (
        "Ecdat/Workinghours",
        above("hours", 1300),
        {"income": (-200, 8000), "age": (16, 70), "education": (0, 20), "child5": (0, 10), "child13": (0, 10)}
        | {"child17": (0, 10), "unemp": (0, 30), "occupation": ("fr", "mp", "other", "swcc")}
        | dict.fromkeys(("nonwhite", "owned", "mortgage"), BIT),
    ),
    "votes by income": (
        "Zelig/voteincome",
        equals("vote", 1),
        {"income": (0, 20), "education": (1, 4), "age": (16, 100), "female": BIT, "state": ("AR", "SC")},
    ),
}
SURVEYS: dict[str, Callable[[], RealTable]] = {name: partial(_read, *each) for name, each in FILES.items()}
