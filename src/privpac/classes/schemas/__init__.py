"""Schemas: the declared columns of a table, in a file that people read and sign, and the classes over them."""
