"""A first private release: four answers about 5,000 flights, each charged to an account that outlives the program.

Run with ``python examples/first_release.py``, after ``make install``.
"""

import csv
import tempfile
from collections import Counter
from pathlib import Path

import privpac as pp
from privpac.audit.claims.mechanisms import cases_named
from privpac.audit.controls.mechanisms import controls

with (Path(__file__).parent / "flights.csv").open(newline="") as file:
    flights = list(csv.DictReader(file))
delays = [int(flight["dep_delay"]) for flight in flights]
carriers = Counter(flight["carrier"] for flight in flights)
destinations = Counter(flight["dest"] for flight in flights)

# public: who may fly from New York
CARRIERS = ["9E", "AA", "AS", "B6", "DL", "EV", "F9", "FL", "HA", "MQ", "UA", "US", "VX", "WN", "YV"]

with tempfile.TemporaryDirectory() as folder:
    account = pp.BudgetStore(f"sqlite:///{folder}/budget.db").account("flights", pp.Budget(2, 1e-5))
    ledger = pp.Ledger(account, who="demo")

    print(f"{len(flights)} flights, one record each. What may be spent on them: {account.total}\n")

    busiest = CARRIERS[pp.mechanisms.exponential([carriers[c] for c in CARRIERS], epsilon=0.25, budget=ledger)]
    print(f"busiest carrier                {busiest:>14}    (exact: {carriers.most_common(1)[0][0]})")

    median = pp.private_median(delays, low=-60, high=1440, epsilon=0.25, budget=ledger)
    print(f"median departure delay         {median:>10} min    (exact: {sorted(delays)[2500]})")

    quartiles = pp.private_quantiles(delays, [0.25, 0.5, 0.75], low=-60, high=1440, epsilon=0.5, budget=ledger)
    exact = [sorted(delays)[i] for i in (1250, 2500, 3750)]
    print(f"quartiles of the delay     {quartiles!s:>14} min    (exact: {exact})")

    place = pp.mechanisms.sparse_exponential(destinations, epsilon=0.5, delta=1e-6, budget=ledger)
    top = ", ".join(f"{name} {count}" for name, count in destinations.most_common(3))
    print(f"a frequent destination         {place or 'none':>14}    (exact: {top}; no list was declared)")

    print("\nwhat the account says was spent:")
    for entry in account.history():
        print(f"  {entry}")
    print(f"  left: {account.remaining}")

    print("\nwhat the account does when it is asked for more:")
    try:
        pp.private_median(delays, low=-60, high=1440, epsilon=1, budget=ledger)
    except pp.BudgetExceeded as refusal:
        print(f"  refused: {refusal}")

print("\nwhat an attempt to refute the privacy claims finds, over all neighbors of small universes:")
claims = ("exponential", "exponential quantile", "quantile tree", "sparse exponential")
for case in [*(case for name in claims for case in cases_named(name)[-1:]), *controls(1e-6)[:2]]:
    found = case.exact()
    verdict, about = "REFUTED" if found.refuted else "NOT_REFUTED", f"{case.about}, n = {case.n}"
    print(f"  {case.name:20} {about:46} {float(found.ratio):6.3f} of the claim  {verdict}")

print(f"\n{ledger.certificate()}")
