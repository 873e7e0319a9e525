"""Classes on values without an order: points, sets of a few values, lists of codes, declared values, and hashes."""
