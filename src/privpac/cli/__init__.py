"""The command line ``privpac``."""

from privpac.cli.audit import audit
from privpac.cli.budget import commands as budget
from privpac.cli.demo import demo
from privpac.cli.dimension import dimension
from privpac.cli.learn import learn
from privpac.cli.plan import plan
from privpac.cli.predict import predict
from privpac.cli.program import app

app.command()(learn)
app.command()(predict)
app.command()(plan)
app.command()(dimension)
app.command()(audit)
app.add_typer(budget, name="budget")
app.command()(demo)

__all__ = ["app"]
