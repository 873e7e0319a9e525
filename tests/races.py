"""Processes that begin at the same moment."""

import subprocess
import sys
from pathlib import Path

PIPES = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}


def ended_together(script: Path, *arguments: object, racers: int) -> list[str]:
    """What racing runs of ``script`` print: each says "ready", waits for a line, and goes on when all are ready."""
    runs = [subprocess.Popen([sys.executable, script, *map(str, arguments)], **PIPES) for _ in range(racers)]
    for run in runs:
        assert run.stdout.readline() == "ready\n"
    for run in runs:
        run.stdin.write("go\n")
        run.stdin.flush()
    return [run.communicate(timeout=300)[0] for run in runs]
