"""Classes as boolean matrices, the gates that compose them, and classes that list their patterns."""
