"""Grids."""
