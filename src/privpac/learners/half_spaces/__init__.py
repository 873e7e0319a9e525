"""Learners of half-planes and half-spaces: through a point, on nets of directions, and with a margin."""
