"""Noisy counts."""
