"""DP-EBM of interpret: probabilities for new records, and CPU seconds of the fit with the same public bounds.

Runs by itself.

Usage: python ebm_peer.py FOLDERS…, each of which holds learned.csv, with a last column "label", new.csv, and
public.json, which has ε, δ, and the bounds of each number.
"""

import json
import sys
from pathlib import Path
from time import process_time

import numpy as np
import pandas as pd
from interpret.privacy import DPExplainableBoostingClassifier

for folder in map(Path, sys.argv[1:]):
    public = json.loads((folder / "public.json").read_text())
    bounds = public["bounds"]
    kinds = {name: str for name in pd.read_csv(folder / "new.csv", nrows=0).columns if name not in bounds}
    read = {"dtype": kinds, "keep_default_na": False}
    learned, new = (pd.read_csv(folder / f"{name}.csv", **read) for name in ("learned", "new"))
    y = learned.pop("label").to_numpy().astype(int)
    start = process_time()
    fitted = DPExplainableBoostingClassifier(
        feature_names=list(new),
        feature_types=["continuous" if name in bounds else "nominal" for name in new],
        epsilon=public["epsilon"],
        delta=public["delta"],
        privacy_bounds={name: tuple(each) for name, each in bounds.items()},
        n_jobs=1,
    ).fit(learned, y)
    np.save(folder / "seconds.npy", process_time() - start)
    np.save(folder / "risks.npy", fitted.predict_proba(new)[:, 1])
