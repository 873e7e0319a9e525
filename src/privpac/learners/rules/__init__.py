"""Learners of boxes and of boolean functions of several columns."""
