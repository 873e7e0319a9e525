"""The Python blocks of a page, run in order and in one namespace: with prompts as doctests, without them as programs.

What stands below a prompt must match what comes out, where ``...`` matches anything; so a page may hold the outcome of
coins that nobody has fixed. The tests run all pages, and the documentation shows those of the gallery with the outcomes
of the run that made it.

Main declarations
    run_page    the page with its outcomes, and a report of each that did not come out as written
"""

import doctest
import re
from typing import NamedTuple

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


class Page(NamedTuple):
    """A page with what came out below its prompts, and the reports of what should not have."""

    text: str
    reports: list[str]


class _Outcomes(doctest.DocTestRunner):
    """Keeps what comes out; of an error only what was written."""

    def __init__(self) -> None:
        super().__init__(verbose=False, optionflags=FLAGS)
        self.got: dict[doctest.Example, str] = {}

    def report_success(self, out, test, example, got):
        self.got[example] = got if example.exc_msg is None else example.want


def run_page(text: str, name: str) -> Page:
    """Run the blocks of a page."""
    names: dict[str, object] = {}
    reports: list[str] = []

    def run(block: re.Match[str]) -> str:
        line = text.count("\n", 0, block.start()) + 1
        if ">>>" not in block[1]:
            exec(compile("\n" * line + block[1], name, "exec"), names)
            return block[0]
        runner, parser = _Outcomes(), doctest.DocTestParser()
        test = parser.get_doctest(block[1], {}, name, name, line)
        test.globs = names
        runner.run(test, out=reports.append, clear_globs=False)
        shown = "".join(part if isinstance(part, str) else _shown(part, runner.got) for part in parser.parse(block[1]))
        return f"```python\n{shown}```"

    return Page(BLOCK.sub(run, text), reports)


def _shown(example: doctest.Example, got: dict[doctest.Example, str]) -> str:
    """An example with its prompts and what came out."""
    first, *rest = example.source.splitlines(keepends=True)
    return "".join([f">>> {first}", *(f"... {line}" for line in rest), got.get(example, example.want)])
