"""Classes as boolean matrices, the boolean functions that compose them, and classes that list their patterns."""
