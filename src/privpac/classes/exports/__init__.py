"""Rules as source code: ``sql``, ``python``, and, for tables in an engine, ``ibis_conditions``.

They share ``rule_conditions``, which walks a rule, and ``language``, which lists what a language must be able to say.
"""
