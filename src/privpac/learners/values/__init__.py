"""Learners of single values, sets of values, codes, and equalities, from domains of any size."""
