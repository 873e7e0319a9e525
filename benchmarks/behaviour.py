"""Whether a rebuilt house behaves as the one before: laws, plans, dimensions and the command line, written down.

``python benchmarks/behaviour.py record OUT.json`` writes down what the privpac on the path does; a name that ends in
.gz is compressed. ``python benchmarks/behaviour.py compare [BEFORE [AFTER]]`` lists the differences, one a line, each
with what was before and what is after. Without AFTER the present version is recorded first, without BEFORE the
committed record of the version before is taken: benchmarks/behaviour/before.json.gz. benchmarks/behaviour/expected.md
names the differences that repairs cause; the exit code is 1 if there are others. ``--only laws,cli`` looks at some
parts. It takes a few minutes on one core.

What is written down
    laws         of small cases, for every sample of their universes: digests of the law of everything released
                 ("law"), of its probabilities alone ("weights"), and of the law of the rule's sentence ("rules").
                 A case that has only changed its name is found by its weights, and one that is new is no difference
    plans        the rows of ``pp.plan``, and how bad plans are refused
    dimensions   values of all classes, and what searches find on small ones
    cli          exit codes, names in JSON, what is printed where no chance has a part in it

Only ``command_line`` and benchmarks/behaviour_laws.py know where things live in the house.

Main declarations
    record         everything, as a flat mapping
    differences    of two records, as lines
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import os
import re
import shlex
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import date
from decimal import Decimal
from fnmatch import fnmatch
from itertools import combinations_with_replacement
from numbers import Integral
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from behaviour_laws import SUBJECTS, Law, released
from behaviour_subjects import BAD_PLANS, CALLS, CLASSES, DRAWN, EXPLICIT, FILES, GOALS, MEASURED

import privpac as pp

HERE = Path(__file__).with_suffix("")
BEFORE, EXPECTED = HERE / "before.json.gz", HERE / "expected.md"
MOST = 200  # samples of a case, evenly spread if there are more
DIGITS = 15  # of a probability
UNSEEN = 1e-20  # a probability below it has fewer digits than that
SECONDS = 20  # for a dimension; what takes longer is left out on both sides
ABSENT, UNFINISHED = "nothing", "not found in time"
Record = dict[str, Any]

# ---- where things live: all that a rebuilt house changes here


def command_line() -> Any:
    """The command ``privpac``."""
    from privpac.cli import app  # noqa: PLC0415

    return app


# ---- laws


def plain(value: Any) -> str:
    """A value as text that does not depend on the names of classes: rules as sentences, other values by their fields.

    >>> plain((True, {3, 1}, None))
    '(1, {1, 3}, None)'
    """
    if isinstance(value, pp.Hypothesis):
        return str(value)
    if isinstance(value, Integral):
        return str(int(value))
    if isinstance(value, (tuple, list)):
        return f"({', '.join(map(plain, value))})"
    if isinstance(value, (set, frozenset)):
        return f"{{{', '.join(sorted(map(plain, value)))}}}"
    if is_dataclass(value) and not isinstance(value, type):
        return plain([getattr(value, each.name) for each in fields(value)])
    return repr(value)


def _digest(lines: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()[:8]


def _weight(p: Any) -> str:
    return f"{float(p):.{DIGITS - 1}e}"


def digests(law: Law, rules: Law | None) -> str:
    """The law, its probabilities alone, and the law of rules, each in eight letters."""
    weights = {outcome: p for outcome, p in law.items() if float(p) > UNSEEN}
    whole = _digest([f"{plain(outcome)}: {_weight(p)}" for outcome, p in weights.items()])
    parts = [whole, _digest([_weight(p) for p in weights.values()])]
    if rules is not None:
        parts.append(_digest([f"{plain(said)}: {_weight(p)}" for said, p in rules.items() if float(p) > UNSEEN]))
    return " ".join(parts)


def _spread(samples: Sequence[Any]) -> list[Any]:
    """At most MOST of them, evenly spread."""
    if len(samples) <= MOST:
        return list(samples)
    return [samples[i * (len(samples) - 1) // (MOST - 1)] for i in range(MOST)]


def laws() -> Iterator[tuple[str, Any]]:
    """case → sample → digests."""
    met: Counter[str] = Counter()
    for case in SUBJECTS:
        name = f"laws/{case.name}/{case.about}/n = {case.n}, {case.claimed}"
        met[name] += 1
        again = f" ({met[name]})" if met[name] > 1 else ""
        samples = _spread(list(combinations_with_replacement(case.universe, case.n)))
        yield name + again, {plain(sample): digests(*released(case, sample)) for sample in samples}


# ---- plans and dimensions


def _made(text: str) -> Any:
    return eval(text, {"pp": pp, "date": date, "Decimal": Decimal})  # texts of behaviour_subjects.py


def _refusal(error: Exception) -> str:
    """How something is refused; the words may change."""
    return f"refused as {'TypeError' if isinstance(error, TypeError) else 'ValueError'}"


def plans() -> Iterator[tuple[str, Any]]:
    """class and goal → the learners' rows by their names, and the published ones in their order."""
    for text in CLASSES:
        concept_class = _made(text)
        for goal in GOALS:
            asked = ", ".join(f"{name}={value}" for name, value in goal.items())
            found = pp.plan(concept_class, **goal)
            best = {"best": found.best and found.best.learner}
            yield f"plans/{text}/{asked}", best | _rows(found.rows)
    for text in BAD_PLANS:
        try:
            rows = _made(f"pp.plan({text})").rows
            yield f"plans/refused/{text}", f"{len(rows)} rows"
        except (ValueError, TypeError) as error:
            yield f"plans/refused/{text}", _refusal(error)


def _rows(rows: Sequence[Any]) -> dict[str, dict[str, Any]]:
    met: Counter[str] = Counter()
    found = {}
    for row in rows:
        met[row.learner] += 1
        name = row.learner + f" ({met[row.learner]})" * (met[row.learner] > 1)
        found[name] = {"title": row.title, "n": row.n, "error": row.alpha, "proper": row.proper}
        found[name] |= {"privacy": str(row.privacy), "kind": str(row.kind), "source": row.source}
    return found


def dimensions() -> Iterator[tuple[str, Any]]:
    """class and dimension → value."""
    kinds: dict[str, Callable[..., Any]] = {
        "vc": pp.vc_dimension, "littlestone": pp.littlestone_dimension, "threshold": pp.threshold_dimension
    }  # fmt: skip
    for text in MEASURED:
        for name, measure in kinds.items():
            yield f"dimensions/{text}/{name}", _measured(measure, _made(text))
    for text in EXPLICIT:
        made = _made(text)
        both = {"": made, "dual-": pp.dual(made)}
        for name, measure in (*kinds.items(), ("irreducibility", pp.irreducibility)):
            for which, concept_class in both.items():
                yield f"dimensions/{text}/{which}{name}", _measured(measure, concept_class)


def _measured(measure: Callable[..., Any], concept_class: Any) -> str:
    try:
        found = measure(concept_class, time_limit=SECONDS)
    except (ValueError, TypeError) as error:
        return _refusal(error)
    return f"{found.lower}" if found.exact else UNFINISHED


# ---- the command line

CLOCK = {"time", "seconds", "who"}  # what a day, a machine or its user decides
NOISY = {"value", "low", "high"}  # of an error
LONGEST = 40  # lines or entries that are written down as they are


def names(value: Any, place: str = "") -> list[str]:
    """The names in a JSON value, each with those around it.

    >>> names([{"a": {"b": 0}}, {"a": 1}])
    ['[].a', '[].a.b']
    """
    if isinstance(value, dict):
        found = [f"{place}.{key}" for key in value] + [
            each for k, v in value.items() for each in names(v, f"{place}.{k}")
        ]
        return sorted(set(found))
    if isinstance(value, list):
        return sorted({each for part in value for each in names(part, f"{place}[]")})
    return []


def certain(value: Any, within: str = "") -> Any:
    """A JSON value without what chance, the clock or the machine decides; long lists as digests."""
    if isinstance(value, dict):
        loose = CLOCK | NOISY if within == "error" else CLOCK
        return {key: "…" if key in loose else certain(part, key) for key, part in value.items()}
    if not isinstance(value, list):
        return value
    parts = [certain(part, within) for part in value]
    return parts if len(parts) <= LONGEST else _numbered(map(str, parts))


def _numbered(lines: Iterable[str]) -> str:
    return _digest([f"{i} {line}" for i, line in enumerate(lines)])


def cli() -> Iterator[tuple[str, Any]]:
    """call → what it ends with, and what it prints where that does not depend on chance."""
    from typer.testing import CliRunner  # noqa: PLC0415

    runner, app = CliRunner(), command_line()
    os.environ |= {"COLUMNS": "200", "NO_COLOR": "1", "TERM": "dumb"}
    with TemporaryDirectory() as folder:
        for name, text in FILES.items():
            Path(folder, name).write_text(text, "utf-8")
        met: Counter[str] = Counter()
        for call in CALLS:
            met[call] += 1
            done = runner.invoke(app, shlex.split(call.replace("{0}", folder)), prog_name="privpac")
            yield f"cli/{call}" + f" ({met[call]})" * (met[call] > 1), _told(call, done, folder)


def _told(call: str, done: Any, folder: str) -> dict[str, Any]:
    crash = done.exception is not None and not isinstance(done.exception, SystemExit)
    told: dict[str, Any] = {"exit": "a traceback" if crash else done.exit_code}
    if done.exit_code:
        return told
    told["files"] = sorted(path.name for path in Path(folder).iterdir() if path.name not in FILES)
    printed = done.stdout.replace(folder, "{0}")
    drawn = any(part in call for part in DRAWN)
    try:
        answer = json.loads(printed)
    except json.JSONDecodeError:
        return told | {"lines": ("printed" if printed else ABSENT) if drawn else _lines(call, printed)}
    return told | ({"names": names(answer)} if drawn else {"answer": certain(answer)})


def _lines(call: str, printed: str) -> list[str] | str:
    """What is printed, line by line: options of a help page; all of a plan, of predictions and of an audit."""
    if "--help" in call or not call:
        return sorted(set(re.findall(r"--[a-z][a-z-]*", printed)))
    if call.startswith(("plan", "predict", "audit", "--version")):
        lines = printed.splitlines()
        return lines if len(lines) <= LONGEST else _numbered(lines)
    return "printed" if printed else ABSENT


# ---- records

PARTS: dict[str, Callable[[], Iterator[tuple[str, Any]]]] = {
    "dimensions": dimensions, "plans": plans, "cli": cli, "laws": laws
}  # fmt: skip


def record(parts: Sequence[str] = tuple(PARTS)) -> Record:
    """Everything that is looked at, key by key."""
    found: Record = {}
    for part in parts:
        for key, value in PARTS[part]():
            found[key] = value
            print(f"\r{len(found)} {key[:90]:90}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return json.loads(json.dumps(found))  # as it will be read


def write(found: Record, path: Path) -> None:
    """The record as JSON, compressed if its name says so; the same record gives the same file."""
    text = json.dumps(found, ensure_ascii=False, indent=0, sort_keys=True).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text, 9, mtime=0) if path.suffix == ".gz" else text)


def read(path: Path) -> Record:
    """A record that was written."""
    content = path.read_bytes()
    found: Record = json.loads(gzip.decompress(content) if path.suffix == ".gz" else content)
    return found


def differences(before: Record, after: Record) -> list[tuple[str, str]]:
    """Where two records differ: the place, and what is there before and after. What is only new is no difference."""
    renamed = _renamed(before, after)
    found = []
    for key, value in sorted(before.items()):
        other = after.get(renamed.get(key, key), ABSENT)
        found += [(f"{key}{place}", f"{one} → {two}") for place, one, two in _differing(value, other)]
    return found


def _renamed(before: Record, after: Record) -> dict[str, str]:
    """Cases whose weights are now found under another name."""
    lost = {key: value for key, value in before.items() if key.startswith("laws/") and key not in after}
    new: defaultdict[str, list[str]] = defaultdict(list)
    for key, value in after.items():
        if key.startswith("laws/") and key not in before:
            new[_weights(value)].append(key)
    return {key: new[_weights(value)].pop(0) for key, value in sorted(lost.items()) if new[_weights(value)]}


def _weights(samples: dict[str, str]) -> str:
    return " ".join(sorted(each.split()[1] for each in samples.values()))


def _differing(before: Any, after: Any, place: str = "") -> Iterator[tuple[str, Any, Any]]:
    """The smallest parts that differ."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in sorted({*before, *after}):
            yield from _differing(before.get(key, ABSENT), after.get(key, ABSENT), f"{place} · {key}")
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for i, both in enumerate(zip(before, after, strict=True)):
            yield from _differing(*both, f"{place}[{i}]")
    elif before != after and UNFINISHED not in (before, after):
        yield place, _short(before), _short(after)


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 160 else f"{text[:160]}…"


def expected(path: Path = EXPECTED) -> dict[str, str]:
    """Pattern → reason: the rows ``| `pattern` | reason |`` of a table."""
    rows = re.findall(r"^\| `(.+?)` \| (.+?) \|$", path.read_text("utf-8"), re.MULTILINE) if path.exists() else []
    return dict(rows)


def _matches(place: str, pattern: str) -> bool:
    """``*`` stands for anything; all other signs for themselves."""
    return fnmatch(place, re.sub(r"([\[?])", r"[\1]", pattern))


def compare(before: Record, after: Record, reasons: Mapping[str, str]) -> bool:
    """Print the differences; whether all of them are expected."""
    found = differences(before, after)
    because = [next((p for p in reasons if _matches(place, p)), None) for place, _ in found]
    for (place, change), pattern in sorted(zip(found, because, strict=True), key=lambda each: each[1] is None):
        print(
            f"{'expected' if pattern else 'DIFFERENT'}: {place}: {change}"
            + (f" ({reasons[pattern]})" if pattern else "")
        )
    for pattern in [each for each in reasons if each not in because]:
        print(f"expected, and not seen: {pattern}")
    new = [key for key in after if key not in before and key not in _renamed(before, after).values()]
    unexpected = because.count(None)
    print(
        f"{len(before)} entries, {len(found)} differences, {unexpected} of them unexpected, {len(new)} entries are new"
    )
    return not unexpected


def main() -> None:
    """The two commands."""
    parser = argparse.ArgumentParser(description="Whether a rebuilt house behaves as the one before.")
    parser.add_argument("--only", default=",".join(PARTS), help=f"some of {', '.join(PARTS)}")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("record").add_argument("out", type=Path)
    comparing = commands.add_parser("compare")
    comparing.add_argument("before", type=Path, nargs="?", default=BEFORE)
    comparing.add_argument("after", type=Path, nargs="?")
    asked = parser.parse_args()
    parts = asked.only.split(",")
    if asked.command == "record":
        write(record(parts), asked.out)
        return
    some = tuple(f"{part}/" for part in parts)
    one, other = read(asked.before), read(asked.after) if asked.after else record(parts)
    pair = [{key: value for key, value in each.items() if key.startswith(some)} for each in (one, other)]
    reasons = {pattern: reason for pattern, reason in expected().items() if pattern.startswith(some)}
    sys.exit(0 if compare(*pair, reasons) else 1)


if __name__ == "__main__":
    main()
