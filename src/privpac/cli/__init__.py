"""The command line ``privpac``."""

from privpac.cli.audit import audit
from privpac.cli.budget import commands as budget
from privpac.cli.dimension import dimension
from privpac.cli.program import app

app.command()(dimension)
app.command()(audit)
app.add_typer(budget, name="budget")

__all__ = ["app"]
