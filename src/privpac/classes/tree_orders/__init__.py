"""Tree orders."""
