"""Code trees."""
