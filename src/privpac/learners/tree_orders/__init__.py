"""Learners of root paths, subtrees, and cuts of legs: rules that are the nodes of a tree."""
