"""diffprivlib's side of the benchmarks, run in its own environment.

Everything is calibrated to the given ε for substitution neighbours.

    version     the version of the peer
    select      milliseconds of Exponential on each array, with the list that it demands made beforehand
    release     microseconds of Geometric (integer noise) and Laplace (float noise)
    quantiles   values of tools.quantile, in ``runs`` runs for each wanted quantile; null for a run that raised
    cdfs        sup errors of k quantiles, and of histograms of even bins
    cuts        one quantile of each row of x; null for a run that raised
    classifiers errors on new records of LogisticRegression for each strength C and of DecisionTreeClassifier for each
                depth, fitted to each of several samples in [−1, 1]^d
    tables      for sixteen ways to learn from columns in 0 … 1, or ``some`` of them, by how their names begin: on each
                of several splits the error and the area under the curve on new records, and CPU seconds of the fit
"""

import warnings
from functools import partial
from importlib import metadata
from time import process_time

import numpy as np
from asked import answer, timed
from diffprivlib import BudgetAccountant, mechanisms, models, tools
from sklearn.metrics import roc_auc_score
from steps import binned, by_reading, even_taus, from_bins, from_quantiles


def version():
    return metadata.version("diffprivlib")


def select(repeats, **scores):
    def run(utility):
        mechanisms.Exponential(epsilon=1.0, sensitivity=1.0, utility=utility).randomise()

    utilities = {shape: array.tolist() for shape, array in scores.items()}
    return {shape: {"exponential": 1e3 * timed(partial(run, utilities[shape]), repeats)} for shape in utilities}


def release(repeats):
    def geometric():
        mechanisms.Geometric(epsilon=1.0, sensitivity=1).randomise(1000)

    def laplace():
        mechanisms.Laplace(epsilon=1.0, sensitivity=1).randomise(1000)

    return {"Geometric": 1e6 * timed(geometric, repeats), "Laplace": 1e6 * timed(laplace, repeats)}


def quantiles(low, high, taus, epsilon, runs, **samples):
    bounds = float(low), float(high)

    def run(values):
        try:
            found = tools.quantile(values, taus, epsilon=epsilon, bounds=bounds, accountant=BudgetAccountant())
            return np.ravel(found).tolist()
        except (ValueError, RuntimeError):
            return [None] * len(taus)

    found = {name: [run(data.astype(float)) for _ in range(runs)] for name, data in samples.items()}
    return {name: list(zip(*values, strict=True)) for name, values in found.items()}


def cuts(low, high, taus, epsilon, x):
    return [quantiles(low, high, [tau], epsilon, 1, x=row)["x"][0][0] for tau, row in zip(taus, x, strict=True)]


def cdfs(low, high, epsilon, *, counts, bins, runs, **samples):
    """null for a run that raised. A substitution costs a histogram twice the ε that it is given."""

    def histogram(ordered, size):
        shares, lasts = binned(ordered, low, high, size)  # its own would round the edges of wide bins
        numbers, edges = np.repeat(np.arange(size), shares), (0, size)
        noisy, _ = tools.histogram(numbers, epsilon=epsilon / 2, bins=size, range=edges, accountant=BudgetAccountant())
        return from_bins(ordered, low, lasts, noisy)

    def error(ordered, taus, values):
        return None if None in values else from_quantiles(ordered, low, high, taus, values)

    found = {}
    for name, ordered in samples.items():
        found[name] = {f"{size} bins": [histogram(ordered, size) for _ in range(runs)] for size in bins}
        for k in counts:
            each = zip(*quantiles(low, high, even_taus(k), epsilon, runs, x=ordered)["x"], strict=True)
            found[name] |= by_reading(k, [error(ordered, even_taus(k), values) for values in each])
    return found


def classifiers(epsilon, depths, strengths, intercept, **samples):
    norm = samples["X"].shape[2] ** 0.5

    def logistic(C):
        free = BudgetAccountant()
        return models.LogisticRegression(
            epsilon=epsilon, data_norm=norm, C=C, fit_intercept=intercept, max_iter=1000, accountant=free
        )

    def tree(depth):  # a substitution costs twice the ε that it is given
        public = {"bounds": (-1, 1), "classes": [False, True]}
        return models.DecisionTreeClassifier(depth, epsilon=epsilon / 2, accountant=BudgetAccountant(), **public)

    def errors(make):
        runs = zip(*(samples[key] for key in ("X", "y", "new", "truth")), strict=True)
        return [float((make().fit(X, y).predict(new) != truth).mean()) for X, y, new, truth in runs]

    return {
        "LogisticRegression": [errors(partial(logistic, C)) for C in strengths],
        "DecisionTreeClassifier": [errors(partial(tree, depth)) for depth in depths],
    }


def tables(epsilon, n, norm, y, splits, *, some=("",), **forms):
    """``forms`` are the same records as they are and in logarithms; the first n of each split are learned from."""
    public = {"bounds": (0, 1), "classes": [False, True]}

    def free(kind, **given):
        return partial(kind, accountant=BudgetAccountant(), **given)

    def ways():
        halved = {"epsilon": epsilon / 2, **public}  # a substitution costs twice the ε that these are given
        for depth in (5, 8):
            yield f"tree of depth {depth}", free(models.DecisionTreeClassifier, max_depth=depth, **halved)
        for depth in (5, 8):
            given = {"max_depth": depth, "n_estimators": 10, **halved}
            yield f"forest of depth {depth}", free(models.RandomForestClassifier, **given)
        for C in (1, 100, 10_000):
            given = {"epsilon": epsilon, "data_norm": norm, "C": C, "max_iter": 300}
            yield f"logistic regression, C = {C}", free(models.LogisticRegression, **given)
        yield "naive Bayes", free(models.GaussianNB, epsilon=epsilon, bounds=(0, 1))

    def fitted(make, X, learned, new):
        start = process_time()
        try:
            model = make().fit(X[learned], y[learned])
            seconds, wrong = process_time() - start, model.predict(X[new]) != y[new]
            risks = np.nan_to_num(model.predict_proba(X[new])[:, 1], nan=0.5)
            return float(wrong.mean()), float(roc_auc_score(y[new], risks)), seconds
        except (ValueError, IndexError):  # a class without records, by the noise
            return float(min(y[new].mean(), 1 - y[new].mean())), 0.5, process_time() - start

    chosen = [(name, make) for name, make in ways() if name.startswith(tuple(some))]
    return {
        f"{name}, {form}": [fitted(make, X, order[:n], order[n:]) for order in splits]
        for form, X in forms.items()
        for name, make in chosen
    }


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # of divisions by zero, before it raises
    answer(version, select, release, quantiles, cuts, cdfs, classifiers, tables)
