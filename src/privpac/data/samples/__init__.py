"""Samples: labeled records as learners read them, the units that own them, and counts of keys and of prefixes."""
