"""Accounts in a SQLite file or a PostgreSQL database.

``accounts`` opens, creates, and lists them; ``durable_account`` is one of them. ``charging`` writes a charge to disk,
``once`` has the keys under which a job is charged once, and ``tried_charges`` finds out which charges were made after a
failure. Below are the ``tables`` and the transactions of a ``database``.
"""
