"""Domains: declared sets of values, such as lines, listings, and paths, and of records, such as grids and tables."""
