"""Classes of VC dimension at most 1: they are trees, and their dimensions can be read off the tree."""
