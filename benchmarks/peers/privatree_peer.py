"""PrivaTree: not a package, but code that goes with a paper. `make bench` clones it into the environment.

version    the version of the peer
trees      on each of several splits the error and the area under the curve on new records, and CPU seconds of the
           fit, of trees of depth 4 with ten bins, as in its paper; ``sizes`` has the number of categories, 0 for
           numbers, whose bounds are in ``ranges``
"""

import sys
import warnings
from pathlib import Path
from time import process_time

import numpy as np
from asked import answer
from sklearn.metrics import roc_auc_score

CLONE = Path(sys.prefix) / "PrivaTree"
sys.path.insert(0, str(CLONE))

from privatree.privatree import PrivaTreeClassifier  # noqa: E402


def version():
    return f"at {(CLONE / '.git' / 'HEAD').read_text()[:7]}"  # a commit that is checked out by its name


def trees(epsilon, n, ranges, sizes, *, X, y, splits):
    y = y.astype(int)  # it looks labels up by their numbers

    def fitted(learned, new):
        public = {"feature_range": ranges, "categorical_features": np.array(sizes)}
        model = PrivaTreeClassifier(max_depth=4, max_bins=10, epsilon=epsilon, **public)
        start = process_time()
        try:
            model.fit(X[learned], y[learned])
        except UnboundLocalError:  # no split leaves records on both sides of the noisy counts
            return float(min(y[new].mean(), 1 - y[new].mean())), 0.5, process_time() - start
        seconds, says = process_time() - start, model.predict(X[new])
        return float((says != y[new]).mean()), float(roc_auc_score(y[new], says)), seconds

    return [fitted(order[:n], order[n:]) for order in splits]


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    answer(version, trees)
