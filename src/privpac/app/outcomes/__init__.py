"""Outcomes: a question, the charges that were tried for it, and what was released; in memory and in a folder."""
