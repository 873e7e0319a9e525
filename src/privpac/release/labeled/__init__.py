"""Labeled releases: the error, the rates, and the cost of every rule of a class, all from one release."""
