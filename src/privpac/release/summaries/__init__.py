"""Counts, sums, means, and quartiles of a column, by groups."""
