"""The true counts of some sets of columns, one table after another; row r counts ``counts[r]`` times."""

import numpy as np

from privpac.data.counting.crosstabs import cell_counts


def set_counts(places, counts, shape, sets):
    return np.concatenate([table.reshape(-1) for table in cell_counts(list(places.T), counts, shape, sets)])
