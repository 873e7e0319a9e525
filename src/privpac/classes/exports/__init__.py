"""Rules as source code: SQL, Python, and conditions that an engine evaluates."""
