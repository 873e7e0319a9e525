"""Suggested schemas: the cells of entries, what noisy counts of cells say about each column, and the file."""
