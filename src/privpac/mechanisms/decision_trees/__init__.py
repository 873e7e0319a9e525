"""Selections of decision trees and scorecards over public tests, and of two cuts at once."""
