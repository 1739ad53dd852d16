"""The suite in environments other than the usual one: `make pythons`, `lowest`, `newest`, `extras`.

    python tests/environments/run.py pythons [--version 3.14] [tests ...]
    python tests/environments/run.py lowest [tests ...]
    python tests/environments/run.py newest [tests ...]
    python tests/environments/run.py extras [--extra plot]
    python tests/environments/run.py constraints

`--quick` takes only the first case of every test that is not slow.
Each ends with a line for every environment, and with what could not be had; the exit status is 0
where all tests that ran have passed and at least one environment has run.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from environment import KEPT, Environment
from interpreters import NoPythonError, interpreter
from requirements import HEAVY, ROOT, SUITE, extras, lowest, wanted

VERSIONS = ("3.11", "3.12", "3.13", "3.14")
QUICK = ("-m", "quick")
OTHERS_AGE = ("-W", "ignore::DeprecationWarning", "-W", "ignore::PendingDeprecationWarning")
"""Old libraries beside new ones that they need in turn: what they deprecate is not ours."""
EXAMPLES = Path(__file__).with_name("extra_examples.py")
CONSTRAINTS = ROOT / "constraints.txt"
HEAD = """\
# What the tests were green with, on Python {python}: pip install -c constraints.txt korba
# Written by `make constraints` from the environment of `make test`.
"""
Told = list[tuple[str, bool, list[str]]]
"""Of each environment its name, whether all is well in it, and notes."""


def pythons(asked: argparse.Namespace) -> Told:
    """The demo and the suite with every Python that can be had."""
    told: Told = []
    for version in asked.version or VERSIONS:
        print(f"== Python {version}", flush=True)
        try:
            base = interpreter(version, KEPT)
        except NoPythonError as error:
            print(f"Python {version} was not tested: {error}", flush=True)
            continue
        env = Environment(KEPT / f"python-{version}", base)
        env.make()
        env.install(wanted(groups=SUITE))
        told.append(_suite(env, asked))
    return told


def at_lowest(asked: argparse.Namespace) -> Told:
    """The suite with the lowest version of everything that pyproject.toml names."""
    env = Environment(KEPT / "lowest")
    env.make()
    env.install([lowest(need) for need in wanted(groups=SUITE)], all_or_none=True)
    return [_suite(env, asked, *OTHERS_AGE)]


def at_newest(asked: argparse.Namespace) -> Told:
    """The suite with the newest version of everything, pre-releases too."""
    env = Environment(KEPT / "newest")
    env.make()
    env.install(wanted(groups=SUITE), "--pre")
    return [_suite(env, asked)]


def _suite(
    env: Environment, asked: argparse.Namespace, *options: str
) -> tuple[str, bool, list[str]]:
    """Demo, doctor and tests in an environment."""
    demo = [env.python, "-m", "korba", "demo", "--out", env.folder / "demo"]
    doctor = [env.python, "-m", "korba", "doctor"]
    chosen = QUICK if asked.quick else ()
    statuses = [env.call(demo), env.call(doctor), env.pytest(asked.tests, *options, *chosen)]
    return env.folder.name, not any(statuses), env.notes


def extras_alone(asked: argparse.Namespace) -> Told:
    """Each extra alone beside Korba: imported, one example, and the others' sentences."""
    light = [name for name in extras() if name not in HEAVY]
    told: Told = []
    for extra in asked.extra or light:
        print(f"== extra {extra}", flush=True)
        env = Environment(KEPT / f"extra-{extra}")
        env.make()
        env.install(wanted([extra]))
        told.append((env.folder.name, not env.call([env.python, EXAMPLES, extra]), env.notes))
    return told


def constraints(_: argparse.Namespace) -> Told:
    """constraints.txt from the environment that runs this."""
    found = Environment(Path(sys.prefix)).versions()
    head = HEAD.format(python=".".join(map(str, sys.version_info[:2])))
    named = sorted(found.items(), key=lambda item: item[0].lower())
    lines = [f"{name}=={version.partition('+')[0]}\n" for name, version in named]
    CONSTRAINTS.write_text(head + "".join(lines))
    return [(CONSTRAINTS.name, True, [])]


JOBS = {
    "pythons": pythons,
    "lowest": at_lowest,
    "newest": at_newest,
    "extras": extras_alone,
    "constraints": constraints,
}


def asked_for(words: list[str]) -> argparse.Namespace:
    """What the words ask for; options and tests in any order."""
    parser = argparse.ArgumentParser(description="The suite in other environments.")
    parser.add_argument("job", choices=JOBS)
    parser.add_argument("tests", nargs="*", help="tests to run: all by default")
    parser.add_argument("--version", action="append", help="a Python such as 3.14; may be repeated")
    parser.add_argument("--extra", action="append", help="an extra; may be repeated")
    parser.add_argument("--quick", action="store_true", help="only tests that are quick")
    return parser.parse_intermixed_args(words)


def main() -> int:
    """Run what is asked, and tell it."""
    asked = asked_for(sys.argv[1:])
    told = JOBS[asked.job](asked)
    for name, well, notes in told:
        print("\n  ".join([f"== {name}: {'all passed' if well else 'FAILED'}", *notes]))
    return 0 if told and all(well for _, well, _ in told) else 1


if __name__ == "__main__":
    sys.exit(main())
