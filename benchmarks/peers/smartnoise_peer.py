"""smartnoise-synth's MST, run in its own environment.

Its (ε, δ) is for adding or removing a record; a substitution costs more, so it is given more than others here.

    version    the version of the peer
    rows       synthetic records, and seconds
"""

from importlib import metadata
from time import perf_counter

import numpy as np
from asked import answer
from snsynth.mst import MSTSynthesizer
from snsynth.transform import LabelTransformer
from snsynth.transform.table import TableTransformer


def version():
    return metadata.version("smartnoise-synth")


def rows(way, epsilon, delta, sizes, records):
    assert way == "MST"
    start = perf_counter()
    labels = [LabelTransformer(nullable=False) for _ in sizes]
    for label, size in zip(labels, sizes, strict=True):  # the values are declared, not those of the records
        label.fit(list(range(size)))
    maker = MSTSynthesizer(epsilon=float(epsilon), delta=delta)
    maker.fit([tuple(map(int, record)) for record in records], transformer=TableTransformer(labels))
    made = maker.sample(len(records))
    return {"rows": np.asarray(made, dtype=int).tolist(), "seconds": perf_counter() - start}


if __name__ == "__main__":
    answer(version, rows)
