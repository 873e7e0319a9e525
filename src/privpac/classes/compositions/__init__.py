"""Compositions."""
