"""Selections of single values and of sets of codes, from universes of any size."""
