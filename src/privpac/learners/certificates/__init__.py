"""WHAT IS PROVED about errors: the probability that a private selection prefers a bad rule."""
