"""Thresholds and intervals on an ordered line, and the rules that they consist of."""
