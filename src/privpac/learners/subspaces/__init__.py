"""Subspaces."""
