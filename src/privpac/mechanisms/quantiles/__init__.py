"""Interior points, medians, and quantiles of values on a line."""
