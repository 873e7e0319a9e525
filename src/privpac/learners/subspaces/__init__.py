"""Learners of affine flats over a prime field, by votes of disjoint subsets or from heavy points."""
