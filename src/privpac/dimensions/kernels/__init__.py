"""Searches compiled with numba, for classes that are too large for the plain ones; numba is optional."""
