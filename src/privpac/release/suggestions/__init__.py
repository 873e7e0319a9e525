"""A schema that writes itself, for a price: cells of single entries, what noisy counts of them say, and its file."""
