"""Counts of several columns of a table together, for declared cells or for cells that are found privately."""
