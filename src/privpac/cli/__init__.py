"""The command line ``privpac``."""

from privpac.cli.program import app, run_typed

__all__ = ["app", "run_typed"]
