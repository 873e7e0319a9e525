"""Pages that show theory, and read no record: dimensions, exact laws of neighbors, and a paper that fails."""
