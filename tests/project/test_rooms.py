"""A room of src/korba, and a room inside a room, imports only itself and the rooms above it."""

import ast
import re
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter

import pytest
from sources import MODULES, PACKAGE, ROOT, dotted_name, found_in, parsed

ROOMS = [
    "errors",
    "libraries",
    "front",
    "hooks",
    "wording",
    "forking",
    "working",
    "door",
    "disk",
    "saving",
    "display",
    "progress",
    "expr",
    "spatial",
    "codegen",
    "codegen/routine",
    "codegen/targets",
    "codegen/targets/formula",
    "codegen/targets/llvm",
    "codegen/catalogue",
    "codegen/callable",
    "model",
    "model/joints",
    "model/drives",
    "model/forces",
    "topology",
    "files",
    "solids",
    "linkages",
    "system",
    "kinematics",
    "positions",
    "structure",
    "dynamics",
    "forces",
    "verbs/repetition",
    "verbs",
    "verbs/forces",
    "trajectory",
    "solve",
    "simulation",
    "solve/programmed",
    "workspace",
    "machine",
    "design",
    "course",
    "course/dh",
    "course/absolute",
    "course/plane",
    "course/statics",
    "course/teaching",
    "papers",
    "export",
    "export/fmu",
    "show/schemes",
    "show/overlays",
    "show/drawings",
    "show/plots",
    "show/pages",
    "show/report",
    "results",
    "cli",
]
"""From the top of the house down; a room inside a room stands where its files may be used."""
FRONT = ("__init__", "__main__")
"""What a folder shows to others: korba/__init__.py may import every room, a room's its own."""
Name = tuple[str, ...]


def room_of(name: Name) -> str:
    """The innermost room that a module or a name in it belongs to; '' for the front of korba."""
    inside = ["/".join(name[1:end]) for end in range(len(name), 1, -1)]
    return next((room for room in inside if room in ROOMS), "")


def imported_names(source: str, module: Name) -> Iterator[tuple[int, Name]]:
    """Line and dotted name of everything imported from korba, at any depth of the source.

    Those that a function imports by a text count too.
    """
    for node in ast.walk(parsed(source)):
        if isinstance(node, ast.Import):
            names = [tuple(alias.name.split(".")) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = module[: len(module) - node.level] if node.level else ()
            base += tuple(node.module.split(".")) if node.module else ()
            names = [(*base, alias.name) for alias in node.names]
        elif isinstance(node, ast.Call) and "import" in ast.unparse(node.func):
            texts = [str(x.value) for x in node.args if isinstance(x, ast.Constant)]
            names = [tuple(text.split(".")) for text in texts]
        else:
            continue
        yield from ((node.lineno, name) for name in names if name[0] == "korba")


def is_front(module: Name) -> bool:
    """The front of korba, or of a folder: it may show what the rooms inside it hold."""
    return module[-1] in FRONT


def lines_of_pictures(source: str) -> set[int]:
    """Where methods `draw`, `plot` and `animate` may load `show`: when they are called."""
    functions = [node for node in ast.walk(parsed(source)) if isinstance(node, ast.FunctionDef)]
    own = [f for f in functions if f.name in ("draw", "plot", "animate")]
    return {line for f in own for line in range(f.lineno, (f.end_lineno or f.lineno) + 1)}


def faults(source: str, module: Name) -> list[str]:
    """Imports that point downwards, each in a sentence."""
    room, found, shown = room_of(module), [], lines_of_pictures(source)
    if len(module) == 2 and is_front(module):
        return []
    for line, name in imported_names(source, module):
        target = room_of(name)
        own = is_front(module) and target.startswith("/".join(module[1:-1]))
        picture = target.startswith("show/") and line in shown
        if not target:
            if room != ROOMS[-1]:
                found.append(
                    f"line {line}: room {room!r} imports {'.'.join(name)!r} from a front that "
                    "imports every room; import it from its room"
                )
        elif ROOMS.index(target) > ROOMS.index(room) and not (own or picture):
            found.append(f"line {line}: room {room!r} imports {target!r}, which is below it")
    return found


def test_the_package_is_found():
    """The collection below is not empty: the topmost room is there."""
    assert (PACKAGE / "errors.py") in MODULES


def test_every_folder_is_a_room():
    """src/korba holds nothing but rooms, the front and py.typed; so does every room."""
    shown = {path.parent for path in PACKAGE.rglob("__init__.pyi")}
    own = {path.parent for path in MODULES if path.name != "__init__.py"}
    places = (shown | own) - {PACKAGE}
    folders = {place.relative_to(PACKAGE).as_posix() for place in places}
    files = {path.stem for path in PACKAGE.glob("*.py")} - set(FRONT)
    assert sorted(folders | files) == sorted(ROOMS), "say in ROOMS where a room stands"


def test_imports_point_upwards():
    """Every import, also inside a function, is of the module's own room or of one above."""
    assert not found_in(MODULES, lambda path: faults(path.read_text("utf-8"), dotted_name(path)))


def test_no_modules_import_each_other():
    """Modules load without a cycle, even inside one room; late imports do not count."""
    known = {dotted_name(path) for path in MODULES}
    graph: dict[Name, set[Name]] = {}
    for path in MODULES:
        module, tree = dotted_name(path), parsed(path.read_text("utf-8"))
        at_load = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
        source = ast.unparse(ast.Module(at_load, []))
        names = {name for _, name in imported_names(source, module)}
        graph[module] = {n for name in names for n in (name, name[:-1]) if n in known} - {module}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(".".join(name) for name in error.args[1]))


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
        "def f():\n    from korba.show.plots.plot import plot",
        "from ..system.store import kept",
        'import_module("korba.solve.configurations")',
    ],
)
def test_downward_imports_are_noticed(source):
    """The reader of imports sees absolute, relative and nested ones."""
    assert len(faults(source, ("korba", "expr", "graph"))) == 1


@pytest.mark.parametrize(
    ("source", "module"),
    [
        ("from .targets.llvm.text import scalar_text", ("korba", "codegen", "program")),
        ("from ...callable.compiled import Compiled", ("korba", "codegen", "targets", "llvm", "x")),
        ("from ..plane.plans import Plan", ("korba", "course", "dh", "loop")),
    ],
)
def test_rooms_inside_rooms_have_an_order_too(source, module):
    """A sub-room is above or below its neighbours and the files beside it."""
    assert len(faults(source, module)) == 1


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
        "def draw():\n    from korba.show.drawings.draw import draw",
    ],
)
def test_upward_imports_are_accepted(source):
    """A room may use itself, the rooms above and other libraries."""
    assert faults(source, ("korba", "expr", "graph")) == []


def test_contributing_lists_the_rooms():
    """The table of rooms that people read has the order that is tested."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    assert re.findall(r"^\| `([\w/]+)` \|", text, flags=re.MULTILINE) == ROOMS
