"""Where --help-all shows an option. Options without a panel are needed first: --help shows only these."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand

HELP_ALL = "--help-all"
FEW = 4  # options in panels that are shown at once
OF_CLASSES = "Classes"
OF_TABLES = "Tables"
OF_PRIVACY = "Privacy and accuracy"
OF_REPORTS = "Reports"


class BriefCommand(TyperCommand):
    """A command whose --help leaves out the options in panels; --help-all shows them, too."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        later: list[Any] = [each for each in self.params if getattr(each, "rich_help_panel", None)]
        self.later = later if len(later) > FEW else []
        self.brief = True

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the words of the command; --help-all stands for the whole help."""
        self.brief = bool(self.later) and HELP_ALL not in args
        return super().parse_args(ctx, ["--help"] if self.later and HELP_ALL in args else args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """The help, with or without the options in panels; shells complete all options all the same."""
        self.epilog = f"{ctx.command_path} {HELP_ALL} shows {len(self.later)} more options." if self.brief else ""
        for each in self.later:
            each.hidden = self.brief
        try:
            super().format_help(ctx, formatter)
        finally:
            for each in self.later:
                each.hidden = False
