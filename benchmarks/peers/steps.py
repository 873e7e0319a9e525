"""Released distribution functions, as lists of knots: how far they are from the true one.

A release is a list of values v_0 < v_1 < … with heights h_0 ≤ h_1 ≤ …, read in one of two ways. A *step* function is
h_i from v_i up to the next knot, and 0 below v_0. A *line* joins the points (v_i, h_i), and is 0 below v_0.

Main declarations
    sup_error         max over all integers v of |F̂(v) − F(v)|, F(v) the share of the records that are at most v
    monotone          heights that do not fall, inside 0 … 1
    from_quantiles    the errors of quantiles           even_taus    which quantiles
    by_reading        these of several runs, as ways
    from_bins         the error of counts of bins       binned       the true counts
"""

import numpy as np


def sup_error(ordered, values, heights, lines=False):
    """F changes at records and F̂ at knots: it is enough to look there, and one before."""
    values, heights = np.asarray(values), np.asarray(heights, dtype=float)
    places = np.unique(np.concatenate([ordered, values]))
    places = np.unique(np.concatenate([places, places[places > np.iinfo(np.int64).min] - 1]))
    truth = np.searchsorted(ordered, places, side="right") / len(ordered)
    if lines:
        told = np.interp(places.astype(float), values.astype(float), heights, left=0.0)
    else:
        told = np.concatenate([[0.0], heights])[np.searchsorted(values, places, side="right")]
    return float(np.abs(told - truth).max())


def monotone(heights):
    """The mean of the largest height so far and of the smallest from here on, which errs no more than either."""
    kept = np.clip(heights, 0.0, 1.0)
    return (np.maximum.accumulate(kept) + np.minimum.accumulate(kept[::-1])[::-1]) / 2


def from_quantiles(ordered, low, high, taus, found):
    """The errors of two readings of quantiles: the middle height between two of them, and lines that join them."""
    values = np.sort(np.clip(np.asarray(found, dtype=float), low, high))
    edges = np.concatenate([[0.0], taus, [1.0]])
    whole = np.array([_int64(value) for value in values])
    knots, spread = np.concatenate([[low], whole, [high]]), np.concatenate([(edges[1:] + edges[:-1]) / 2, [1.0]])
    return {
        "steps": sup_error(ordered, *_last(knots, spread)),
        "lines": sup_error(ordered, *_last(knots, edges), lines=True),
    }


def by_reading(k, errors):
    """The errors of several runs of k quantiles, by reading; null for a run that raised."""
    readings = ("steps", "lines")
    return {f"{k} quantiles, {name}": [each and each[name] for each in errors] for name in readings}


def even_taus(k):
    return [(i + 1) / (k + 1) for i in range(k)]


def binned(ordered, low, high, bins):
    """How many records each of ``bins`` even bins has, and the last integer of each bin."""
    lasts = np.array([low + (i + 1) * (high - low + 1) // bins - 1 for i in range(bins)])
    return np.diff(np.searchsorted(ordered, lasts, side="right"), prepend=0), lasts


def from_bins(ordered, low, lasts, counts):
    """The error of noisy counts of bins: their sums, divided by the public n, joined by lines."""
    heights = monotone(np.cumsum(counts) / len(ordered))
    return sup_error(
        ordered,
        np.concatenate([[low - 1 if low > -(2**63) else low], lasts]),
        np.concatenate([[0.0], heights]),
        lines=True,
    )


def _int64(value):
    return int(min(max(value, -(2.0**63)), 2.0**63 - 1024))


def _last(values, heights):
    """Of equal values only the last height counts."""
    keep = np.append(values[1:] != values[:-1], True)
    return values[keep], heights[keep]
