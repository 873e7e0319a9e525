"""Counting."""
