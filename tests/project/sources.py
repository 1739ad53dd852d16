"""The sources of Korba for the tests that read them, each file parsed once."""

import ast
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "korba"
MODULES = sorted(PACKAGE.rglob("*.py"))


@cache
def parsed(source: str) -> ast.Module:
    """The syntax tree of a source; nobody changes it."""
    return ast.parse(source)


def dotted_name(path: Path) -> tuple[str, ...]:
    """('korba', 'expr', 'graph') for src/korba/expr/graph.py; a package ends in '__init__'."""
    return ("korba", *path.relative_to(PACKAGE).with_suffix("").parts)


def found_in(paths: Iterable[Path], faults: Callable[[Path], object]) -> dict[str, object]:
    """What `faults` finds in files, by their names; files without any are left out."""
    all_faults = {path.relative_to(ROOT).as_posix(): faults(path) for path in paths}
    return {name: found for name, found in all_faults.items() if found}
