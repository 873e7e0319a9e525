"""Learners that choose candidates, or measure how good candidates are, with public records."""
