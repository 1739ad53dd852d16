"""A room of src/korba imports only itself and the rooms above it."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "korba"

ROOMS = [
    "errors",
    "expr",
    "spatial",
    "model",
    "topology",
    "kinematics",
    "structure",
    "dynamics",
    "forces",
    "codegen",
    "analysis",
    "simulation",
    "files",
    "show",
    "cli",
]
FRONT = ("__init__", "__main__")  # korba/__init__.py itself; may import every room
MODULES = sorted(PACKAGE.rglob("*.py"))


def dotted_name(path: Path) -> tuple[str, ...]:
    """('korba', 'expr', 'graph') for src/korba/expr/graph.py; a package ends in '__init__'."""
    return ("korba", *path.relative_to(PACKAGE).with_suffix("").parts)


def imported_names(source: str, module: tuple[str, ...]) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Line and dotted name of everything imported from korba, at any depth of the source."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [tuple(alias.name.split(".")) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = module[: len(module) - node.level] if node.level else ()
            base += tuple(node.module.split(".")) if node.module else ()
            names = [(*base, alias.name) for alias in node.names]
        else:
            continue
        yield from ((node.lineno, name) for name in names if name[0] == "korba")


def faults(source: str, module: tuple[str, ...]) -> list[str]:
    """Imports that point downwards, each in a sentence."""
    room = module[1]
    if room in FRONT:
        return []
    found = []
    for line, name in imported_names(source, module):
        target = name[1] if len(name) > 1 else ""
        if target in ROOMS and ROOMS.index(target) > ROOMS.index(room):
            found.append(f"line {line}: room {room!r} imports {target!r}, which is below it")
        elif target not in ROOMS and room != ROOMS[-1]:
            found.append(
                f"line {line}: room {room!r} imports {target or 'korba'!r} from the front of "
                f"korba, which imports every room; import it from its room"
            )
    return found


def test_the_package_is_found():
    """The collection below is not empty: the topmost room is there."""
    assert (PACKAGE / "errors.py") in MODULES


def test_every_folder_is_a_room():
    """src/korba holds nothing but rooms, the front and py.typed."""
    entries = {p.stem for p in PACKAGE.iterdir() if p.suffix == ".py" or any(p.glob("**/*.py"))}
    unknown = sorted(entries - set(ROOMS) - set(FRONT))
    assert not unknown, f"add {unknown} to ROOMS in {Path(__file__).name} at its place in the order"


@pytest.mark.parametrize("path", MODULES, ids=lambda p: p.relative_to(PACKAGE).as_posix())
def test_imports_point_upwards(path):
    """Every import, also inside a function, is of the module's own room or of one above."""
    if dotted_name(path)[1] in (*ROOMS, *FRONT):
        assert faults(path.read_text("utf-8"), dotted_name(path)) == []


@pytest.mark.parametrize(
    "source",
    [
        "import korba.cli",
        "import korba",
        "from korba import inverse_dynamics",
        "from korba.cli import main",
        "from ..cli import main",
        "from .. import cli",
        "from .. import load",
        "def f():\n    from korba.show.plots import plot",
    ],
)
def test_downward_imports_are_noticed(source):
    """The reader of imports sees absolute, relative and nested ones."""
    assert len(faults(source, ("korba", "expr", "graph"))) == 1


@pytest.mark.parametrize(
    "source",
    [
        "import numpy as np",
        "from korba.errors import KorbaError",
        "from korba import errors",
        "from ..errors import KorbaError",
        "from .. import errors",
        "from . import node",
        "from .node import Node",
        "from korba.expr.node import Node",
    ],
)
def test_upward_imports_are_accepted(source):
    """A room may use itself, the rooms above and other libraries."""
    assert faults(source, ("korba", "expr", "graph")) == []


def test_contributing_lists_the_rooms():
    """The table of rooms that people read has the order that is tested."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    assert re.findall(r"^\| `(\w+)` \|", text, flags=re.MULTILINE) == ROOMS
