"""WHAT MECHANISMS SEE of a sample: candidates, supports, and errors, in a few numpy passes."""
