"""Loading of models, releases, and schemas from files; the file itself says which of them it holds."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path

from privpac.classes.plain_values import parse
from privpac.classes.schemas.schema import Schema
from privpac.learners.model import MODELS, Model
from privpac.refusals.refusal import InOtherWords, Refused
from privpac.release.release import RELEASES, Release

READERS: dict[str, Callable[[str], Model | Release]] = {MODELS.mark: Model.from_json, RELEASES.mark: Release.from_json}
ADVICE = (
    "; give a model, a release, or a schema: what save(path) wrote, `privpac learn --out`, or `privpac release --out`"
)


def load(path: str | Path) -> Model | Release | Schema:
    """The model, the release, or the schema in a file, which is JSON or TOML and runs no code.

    >>> from tempfile import TemporaryDirectory
    >>> from privpac.classes.schemas.schema import Column
    >>> with TemporaryDirectory() as folder:
    ...     Schema((Column("age", "integer", low=0, high=120),)).save(f"{folder}/schema.toml")
    ...     load(f"{folder}/schema.toml").columns[0].name
    'age'
    """
    with InOtherWords(lambda _: Refused("path", f"{path} is not UTF-8 text{ADVICE}"), UnicodeDecodeError):
        text = Path(path).read_text("utf-8-sig")
    if text.lstrip().startswith("{"):
        return _from_json(text, path)
    if Path(path).suffix.lower() == ".toml" or _declares_columns(text):
        return Schema.parse(text, str(path))
    raise Refused("path", f"{path} is neither JSON nor TOML{ADVICE}")


def _from_json(text: str, path: str | Path) -> Model | Release:
    value = parse(text)
    marks = [mark for mark in READERS if isinstance(value, dict) and mark in value]
    if len(marks) != 1:
        raise Refused("path", f"the JSON in {path} is something else{ADVICE}")
    return READERS[marks[0]](text)


def _declares_columns(text: str) -> bool:
    try:
        return "columns" in tomllib.loads(text)
    except ValueError:
        return False
