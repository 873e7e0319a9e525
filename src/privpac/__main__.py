"""``python -m privpac`` is the program ``privpac``."""

from privpac.cli import app

app()
