"""Counts of combinations of cells of several columns, for declared cells or for cells that are found privately."""
