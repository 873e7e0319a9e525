"""Spending: what a release would cost, what a page offers, and a charge that happens once."""
