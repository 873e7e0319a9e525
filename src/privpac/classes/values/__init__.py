"""Classes on values without an order: single points, sets of a few values, lists of codes, and declared values."""
