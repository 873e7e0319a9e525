"""Domains."""
