"""The command line ``privpac``."""

from privpac.cli.program import app

__all__ = ["app"]
