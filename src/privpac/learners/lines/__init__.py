"""Learners of cuts, pairs of cuts, intervals, and stumps on ordered lines."""
