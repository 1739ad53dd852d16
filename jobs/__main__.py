"""The jobs of this repository, each defined once: `python -m jobs NAME`, or `make NAME`.

`make` and the workflows of a forge call this and nothing else, so that a job is the same on every
machine; it needs Python and no make, on Windows too (`py -m jobs test`). An environment in `.venv`
is made on the first run, and what a job needs is installed into it once (environment.py).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from jobs import changelog, release
from jobs.environment import ROOT, VENV, prepared

Step = tuple[str, Sequence[str]]
"""What is said above a command, and the command, behind `python`."""
QUICK = ("-m", "pytest", "-n", "auto", "-m", "quick", "--durations=5", "--durations-min=2")
NO_CI = (("CI", ""),)
"""Where this is said, what needs a library that is not there is skipped; in CI it fails."""
SPHINX = ("-m", "sphinx", "-W", "--keep-going", "-q", "-j", "auto", "-b", "html")
IN_OTHERS = "tests/environments/run.py"
MADE = (
    *("out", "build", "dist", "docs/_build", "docs/elements", "docs/reference"),
    *("docs/jupyter_execute", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis"),
)
"""Folders that jobs write."""


@dataclass(frozen=True)
class Job:
    """What it does, the groups of pyproject.toml that it needs, its commands, and jobs before it.

    Words behind the name of a job go to its last command.
    """

    about: str
    groups: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()
    first: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    does: Callable[[Sequence[str]], int] | None = None
    """In place of commands: what needs no environment, or several."""


def _others(about: str, name: str) -> Job:
    return Job(about, steps=(("", (IN_OTHERS, name)),))


JOBS = {
    "demo": Job(
        "what Korba does, in files you can open",
        steps=(("demo", ("-m", "korba", "demo", "--out", "out")),),
    ),
    "test": Job(
        "everything CI runs: format, lint, types, tests, documentation",
        first=("check", "unit", "docs"),
    ),
    "quick": Job(
        "the first case of every test that is not slow: two minutes, all rooms",
        groups=("test",),
        steps=(("quick tests (pytest)", QUICK),),
        environment=NO_CI,
    ),
    "check": Job(
        "format, lint, types",
        groups=("lint",),
        steps=(
            ("format (ruff format --check)", ("-m", "ruff", "format", "--check", ".")),
            ("lint (ruff check)", ("-m", "ruff", "check", ".")),
            ("types (mypy)", ("-m", "mypy")),
        ),
    ),
    "unit": Job(
        "all tests",
        groups=("test", "peers", "browser"),
        steps=(("tests (pytest)", ("-m", "pytest", "-n", "auto", "-rs")),),
    ),
    "light": Job(
        "all tests that need no other library of hundreds of megabytes and no browser",
        groups=("test",),
        steps=(("tests without peers (pytest)", ("-m", "pytest", "-n", "auto", "-rs")),),
        environment=NO_CI,
    ),
    "docs": Job(
        "the handbook, in docs/_build/html, and every page of it opened without network",
        groups=("test", "peers", "browser", "docs"),
        steps=(
            ("documentation (sphinx)", (*SPHINX, "docs", "docs/_build/html")),
            ("every page of it, without network", ("docs/check_pages.py", "docs/_build/html")),
        ),
    ),
    "slow": Job(
        "which tests are slow: writes tests/slow.txt",
        groups=("test", "peers"),
        steps=(
            ("which tests are slow (tests/slow.txt)", ("-m", "pytest", "-n", "auto")),
            ("", ("tests/selection.py", "build/times")),
        ),
        environment=(("KORBA_TIMES", "build/times"),),
    ),
    "laws": Job(
        "the laws on random mechanisms, those of tests/laws on 1,000 each",
        groups=("test", "peers"),
        steps=(("laws (1,000 cases each)", ("-m", "pytest", "-n", "auto", "-m", "law")),),
        environment=(("KORBA_LAWS", "1000"),),
    ),
    "peers": Job(
        "Korba's answers beside those of Pinocchio and MuJoCo, on every robot there is",
        groups=("bench",),
        steps=(("peers", ("benchmarks/peers/compare.py",)),),
    ),
    "bench": Job(
        "Korba's speed beside that of other libraries",
        groups=("bench",),
        steps=(("benchmarks", ("benchmarks/run.py",)),),
    ),
    "compare": Job(
        "Korba's speed beside the commit before this one (or another, behind the name)",
        groups=("bench",),
        steps=(("compare", ("benchmarks/against.py", "--most", "1.3")),),
    ),
    "pythons": _others("the suite with Python 3.11 to 3.14 (--version 3.13)", "pythons"),
    "lowest": _others("the suite with the lowest versions that pyproject.toml names", "lowest"),
    "newest": _others("the suite with the newest versions, pre-releases too", "newest"),
    "extras": _others("each extra alone, and what the others say (--extra plot)", "extras"),
    "constraints": Job(
        "writes constraints.txt from the environment of the tests",
        groups=("lint", "test", "peers", "browser", "docs"),
        steps=(("", (IN_OTHERS, "constraints")),),
    ),
    "format": Job(
        "formats the code, and mends what the linter can",
        groups=("lint",),
        steps=(
            ("format (ruff)", ("-m", "ruff", "format", ".")),
            ("", ("-m", "ruff", "check", "--fix", ".")),
        ),
    ),
    "workflows": Job(
        "the workflows of .github, held against their schema",
        groups=("release",),
        steps=(("workflows", ("-m", "jobs.workflows")),),
    ),
    "changelog": Job(
        "moves the fragments of changelog.d into CHANGELOG.md: `changelog 0.2.0`",
        does=changelog.main,
    ),
    "address": Job(
        "writes the project's address in the place of the placeholder: `address https://...`",
        does=release.settle,
    ),
    "release": Job(
        "builds and checks what would be published, and uploads nothing",
        groups=("release",),
        does=release.main,
    ),
    "clean": Job("removes what jobs have written; .venv stays", does=lambda _: _cleaned()),
}


def _cleaned() -> int:
    for name in MADE:
        shutil.rmtree(ROOT / name, ignore_errors=True)
    for folder in [*ROOT.rglob("__pycache__")]:
        if VENV not in folder.parents:
            shutil.rmtree(folder, ignore_errors=True)
    return 0


def needed(name: str) -> tuple[str, ...]:
    """The groups of a job and of those before it, each once."""
    job = JOBS[name]
    listed = [group for other in job.first for group in needed(other)]
    return (*dict.fromkeys((*listed, *job.groups)),)


def run(name: str, words: Sequence[str] = ()) -> int:
    """Run a job, and stop at the first command that fails; its exit status."""
    job = JOBS[name]
    if job.does and not job.groups:
        return job.does(words)
    python = prepared(needed(name))
    for other in job.first:
        if status := run(other):
            return status
    if job.does:
        return job.does(words)
    env = {**os.environ, **dict(job.environment)}
    env.pop("PYTHONDONTWRITEBYTECODE", None)  # the suite starts Python hundreds of times
    for k, (said, command) in enumerate(job.steps):
        if said:
            print(f"== {said}", flush=True)
        more = words if k == len(job.steps) - 1 else ()
        ran = subprocess.run([python, *command, *more], cwd=ROOT, env=env, check=False)
        if ran.returncode:
            return ran.returncode
    return 0


def main(words: Sequence[str]) -> int:
    """The job that is asked for, or the list of all."""
    if not words or words[0] not in JOBS:
        wide = max(map(len, JOBS))
        print("\n".join(f"{name:{wide}}  {job.about}" for name, job in JOBS.items()))
        return 2 if words and words[0] not in ("help", "--help") else 0
    name, *more = words
    status = run(name, more)
    if name == "test" and not status:
        print("== all passed")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
