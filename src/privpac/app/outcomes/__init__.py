"""Outcomes."""
