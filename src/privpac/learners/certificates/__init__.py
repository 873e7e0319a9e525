"""WHAT IS PROVED about errors: how often a private selection prefers a bad rule."""
