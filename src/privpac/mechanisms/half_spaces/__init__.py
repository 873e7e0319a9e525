"""Half spaces."""
