"""Accounts in a SQLite file or a PostgreSQL database: their tables, their transactions, and keys that charge once."""
