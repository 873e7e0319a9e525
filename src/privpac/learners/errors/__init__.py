"""Measured errors: counts of held-out records, intervals, costs, and risks."""
