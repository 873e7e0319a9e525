"""The command line ``privpac``.

Each command is a function in a file of its own; typer reads its options from the function's signature. A command
describes what to do, opens the files that it will write, and only then spends anything. Its failures are sentences in
words of the shell, with exit codes.

Modules import engines, learners, and reports inside functions, so that ``privpac --help`` and refusals are fast.

Parts, each importing only from those below it:
    commands           one file for each command
    program            the program: finds a command, explains failures, and exits
    drafts             files that are written completely or not at all
    options            options that several commands share
    schema_options     what to learn from which columns, by options or by a schema
    class_options      options that describe a concept class
    fits               how a command fits and releases: progress, warnings, and holds
    charges            the account that a command charges, and what was charged in the end
    sources            the table that a command reads
    output             what commands print
    spelling           panels of options, and sentences with options in place of parameters
"""

from privpac.cli.program import app, run_typed

__all__ = ["app", "run_typed"]
