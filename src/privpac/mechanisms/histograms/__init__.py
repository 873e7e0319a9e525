"""Counts of keys, values, and prefixes from a universe that nobody can list: only large counts are shown."""
