"""The flights that commands about releases count."""

import numpy as np
import pandas as pd

N = 3000
CARRIERS = np.array(["UA"] * 1500 + ["EV"] * 1000 + ["B6"] * 450 + ["YV"] * 45 + ["OO"] * 5)
FLIGHTS = pd.DataFrame(
    {
        "carrier": CARRIERS,
        "origin": np.where(np.arange(N) % 2, "JFK", "EWR"),
        "delay": np.arange(N) * 7 % 120,
        "plane": np.arange(N) // 2,
    }
)
