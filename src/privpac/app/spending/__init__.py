"""Spending: what a release would cost, what a page offers, and a charge that happens once.

A question has a key in the store, so that no click, restart, or second server charges it again.
"""
