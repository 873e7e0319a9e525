"""Marginals of a table with declared columns, and the cells that they count."""
