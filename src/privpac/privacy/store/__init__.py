"""Accounts in a SQLite file or a PostgreSQL database.

``accounts`` opens, creates, and lists accounts, and ``durable_account`` is one account. ``charging`` writes a charge to
disk, ``once`` has the keys under which a job is charged once, and ``tried_charges`` finds out after a failure which
charges were made. All of them use the ``tables``, and the transactions of a ``database``.
"""
