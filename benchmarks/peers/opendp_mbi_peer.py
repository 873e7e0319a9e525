"""OpenDP's synthetic tables, run in an environment with its extra packages.

version    the version of the peer
rows       synthetic records by MST or AIM at ρ-zCDP for substitution neighbours, and seconds
"""

from importlib import metadata
from time import perf_counter

import numpy as np
import opendp.prelude as dp
import polars as pl
from asked import answer

dp.enable_features("contrib")
WAYS = {"MST": dp.mbi.MST, "AIM": lambda: dp.mbi.AIM(queries=2)}  # pairs are what is asked for


def version():
    return metadata.version("opendp")


def rows(way, rho, sizes, records):
    names = [f"c{i}" for i in range(len(sizes))]
    start = perf_counter()
    context = dp.Context.compositor(
        data=pl.LazyFrame(records, schema=dict.fromkeys(names, pl.Int64)),
        privacy_unit=dp.unit_of(contributions=2),  # a substitution removes one record and adds one
        privacy_loss=dp.loss_of(rho=rho),
    )
    keys = {name: list(range(size)) for name, size in zip(names, sizes, strict=True)}
    table = context.query(rho=rho).contingency_table(keys=keys, algorithm=WAYS[way]()).release()
    made = table.synthesize(rows=len(records)).fill_null(0).to_numpy()
    return {"rows": np.asarray(made, dtype=int).tolist(), "seconds": perf_counter() - start}


if __name__ == "__main__":
    answer(version, rows)
