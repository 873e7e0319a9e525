"""dpmm's synthetic tables, run in its own environment.

Its (ε, δ) is for adding or removing a record; a substitution costs more, so it is given more than others here.

    version    the version of the peer
    rows       synthetic records by MST or AIM, and seconds
"""

from importlib import metadata
from time import perf_counter

import pandas as pd
from asked import answer
from dpmm.models.aim import AIMGM
from dpmm.models.mst import MSTGM

WAYS = {"MST": MSTGM, "AIM": AIMGM}


def version():
    return metadata.version("dpmm")


def rows(way, epsilon, delta, sizes, records):
    names = [f"c{i}" for i in range(len(sizes))]
    start = perf_counter()
    model = WAYS[way](epsilon=epsilon, delta=delta, domain=dict(zip(names, sizes, strict=True)), n_jobs=1)
    model.fit(pd.DataFrame(records, columns=names))
    made = model.generate(n_records=len(records))[names]
    return {"rows": made.to_numpy().astype(int).tolist(), "seconds": perf_counter() - start}


if __name__ == "__main__":
    answer(version, rows)
