"""Thresholds and intervals on an ordered line, and rules that they consist of; ``thresholds`` is the one to copy."""
