"""Panels of options in the help of a command.

The options that a user needs first are in no panel, and --help shows only these. --help-all shows the panels, too.
"""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand

HELP_ALL = "--help-all"
FEW = 4  # this many options in panels are not worth hiding
OF_CLASSES = "Classes"
OF_TABLES = "Tables"
OF_PRIVACY = "Privacy and accuracy"
OF_REPORTS = "Reports"


class BriefCommand(TyperCommand):
    """A command whose --help leaves out the options in panels, if there are more than a few."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        in_panels: list[Any] = [each for each in self.params if getattr(each, "rich_help_panel", None)]
        self.hideable = in_panels if len(in_panels) > FEW else []
        self.brief = True

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the command line; --help-all becomes --help, but not a brief one."""
        self.brief = bool(self.hideable) and HELP_ALL not in args
        return super().parse_args(ctx, ["--help"] if self.hideable and HELP_ALL in args else args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help. Options are hidden only meanwhile, so that shells still complete all of them."""
        self.epilog = f"{ctx.command_path} {HELP_ALL} shows {len(self.hideable)} more options." if self.brief else ""
        for each in self.hideable:
            each.hidden = self.brief
        try:
            super().format_help(ctx, formatter)
        finally:
            for each in self.hideable:
                each.hidden = False
