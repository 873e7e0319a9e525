"""Engines: queries and their failures, exact forms in which values leave, and checks that no record decides a type."""
