"""Histograms."""
