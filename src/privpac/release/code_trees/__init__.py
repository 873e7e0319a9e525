"""Counts of the nodes of a tree of codes: prefixes, suffixes, root paths, and subtrees of a taxonomy."""
