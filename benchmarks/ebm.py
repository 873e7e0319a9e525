"""DP-EBM of interpret, asked in an environment of its own: .envs/interpret, or where PRIVPAC_BENCH_EBM says."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
from measure import HERE
from package_tables import RealTable

PYTHON = Path(os.environ.get("PRIVPAC_BENCH_EBM", HERE.parent / ".envs" / "interpret" / "bin" / "python"))
Split = tuple[np.ndarray, np.ndarray]  # the numbers of the records to learn from, and of new ones


class Answer(NamedTuple):
    """The probabilities that it gives to new records, and the CPU seconds of its fit."""

    risks: np.ndarray
    seconds: float


def by_ebm(real: RealTable, splits: Sequence[Split], epsilons: Sequence[float]) -> list[Answer]:
    """Its answers for each split at each ε; none if it is not installed.

    δ is the default of a fit here. Everything is learned in one process, because it takes long to start.
    """
    if not PYTHON.exists():
        return []
    bounds = {name: public for name, public in real.public.items() if not isinstance(public[0], str)}
    with TemporaryDirectory() as place:
        folders = [Path(place) / str(i) for i in range(len(splits) * len(epsilons))]
        for folder, ((learned, new), ε) in zip(folders, product(splits, epsilons), strict=True):
            folder.mkdir()
            labeled = real.records.iloc[learned].assign(label=real.labels[learned].astype(int))
            labeled.to_csv(folder / "learned.csv", index=False)
            real.records.iloc[new].to_csv(folder / "new.csv", index=False)
            δ = min(1e-6, 0.01 / len(learned))
            (folder / "public.json").write_text(json.dumps({"epsilon": ε, "delta": δ, "bounds": bounds}))
        subprocess.run([PYTHON, HERE / "peers" / "ebm_peer.py", *folders], check=True)
        return [Answer(np.load(folder / "risks.npy"), float(np.load(folder / "seconds.npy"))) for folder in folders]
