"""Outcomes: a question, the charges that were tried for it, and what was released.

The store of outcomes keeps them in memory and in a folder. A file is made there before anything is charged.
"""
