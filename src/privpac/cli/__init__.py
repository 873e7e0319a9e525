"""The command line ``privpac``."""

from privpac.cli.audit import audit
from privpac.cli.budget import commands as budget
from privpac.cli.demo import demo
from privpac.cli.dimension import dimension
from privpac.cli.predict import predict
from privpac.cli.program import app, later

later("learn", "Learn a private rule from a table.")
app.command()(predict)
later("plan", "Say how many records each learner of a class needs, certified, beside the published bounds.")
app.command()(dimension)
app.command()(audit)
app.add_typer(budget, name="budget")
app.command()(demo)

__all__ = ["app"]
