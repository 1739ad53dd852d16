"""Korba never runs text as code, and its files know nothing of the machine they were written on."""

import ast
import re
import shutil
import subprocess

import pytest
from sources import MODULES, ROOT, found_in, parsed

RUNS_TEXT = {"eval", "exec", "compile", "__import__", "parse_expr", "sympify"}
RUNS_DATA = {"pickle", "cPickle", "_pickle", "cloudpickle", "dill", "joblib", "marshal", "shelve"}
PARSERS = {"parse_expr", "sympify"}  # SymPy's, also as attributes: sympy.sympify(text)

ABSOLUTE_PATH = re.compile(rb"(?<![\w./~-])/(?:work|root|home|Users)/")


def own_names(tree: ast.Module) -> set[str]:
    """Names a module defines or imports from korba: its `compile` is not the built-in one."""
    defined = {
        node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (
            node.level or (node.module or "").startswith("korba")
        ):
            defined |= {alias.asname or alias.name for alias in node.names}
    return defined


def imported_modules(node: ast.AST) -> set[str]:
    if isinstance(node, ast.Import):
        return {alias.name.split(".")[0] for alias in node.names}
    if isinstance(node, ast.ImportFrom) and not node.level:
        return {(node.module or "").split(".")[0]}
    return set()


def called_danger(node: ast.Call, own: set[str]) -> str:
    match node.func:
        case ast.Name(id=name) if name in RUNS_TEXT - own:
            return name
        case ast.Attribute(value=ast.Name(id="builtins"), attr=name) if name in RUNS_TEXT:
            return name
        case ast.Attribute(attr=name) if name in PARSERS:
            return name
    for keyword in node.keywords:
        if keyword.arg == "allow_pickle" and getattr(keyword.value, "value", True) is not False:
            return "allow_pickle"
    return ""


def dangers(source: str) -> list[str]:
    """Calls that run text or data as code, each with its line."""
    tree = parsed(source)
    own = own_names(tree)
    found = []
    for node in ast.walk(tree):
        bad = sorted(imported_modules(node) & RUNS_DATA)
        if isinstance(node, ast.Call) and (name := called_danger(node, own)):
            bad.append(name)
        found += [f"line {node.lineno}: {name}" for name in bad]
    return found


def test_sources_are_found():
    """The collection below is not empty."""
    assert len(MODULES) > 500


def test_no_source_runs_text():
    """No module calls eval, exec, the built-in compile or SymPy's parser, or unpickles."""
    assert not found_in(MODULES, lambda path: dangers(path.read_text("utf-8")))


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ("eval(text)", 1),
        ("def f():\n    exec(text)", 1),
        ("compile(text, '', 'eval')", 1),
        ("builtins.eval(text)", 1),
        ("import pickle", 1),
        ("from pickle import loads", 1),
        ("np.load(path, allow_pickle=True)", 1),
        ("sympy.sympify(text)", 1),
        ("np.load(path, allow_pickle=False)", 0),
        ("re.compile(text)", 0),
        ("from korba.codegen import compile\ncompile(f, m)", 0),
        ("def compile(f, m): ...\ncompile(f, m)", 0),
        ("ast.parse(text, mode='eval')", 0),
    ],
)
def test_dangers_are_noticed(source, count):
    """The reader of calls tells the dangerous ones from their namesakes."""
    assert len(dangers(source)) == count


@pytest.fixture(scope="module")
def tracked():
    """Files that git keeps."""
    git = shutil.which("git")
    listing = git and subprocess.run(
        [git, "-C", str(ROOT), "ls-files", "-z"], capture_output=True, check=False
    )
    if not listing or listing.returncode:
        pytest.skip("not a git checkout")
    return [ROOT / name for name in listing.stdout.decode().split("\0") if name]


def test_no_machine_paths(tracked):
    """No tracked file names a folder of the machine it was written on."""
    found = [
        f"{path.relative_to(ROOT)}: {match[0].decode()}"
        for path in tracked
        if path.is_file()
        for match in ABSOLUTE_PATH.finditer(path.read_bytes())
    ]
    assert found == []


def test_nothing_that_a_run_wrote_is_tracked(tracked):
    """The first folder has the files that every project has, and none that an example wrote."""
    own = {path.name for path in tracked if path.parent == ROOT}
    assert own == {
        ".gitignore",
        "CHANGELOG.md",
        "CITATION.cff",
        "CODE_OF_CONDUCT.md",
        "CONTRIBUTING.md",
        "LICENSE",
        "Makefile",
        "README.md",
        "SECURITY.md",
        "constraints.txt",
        "pyproject.toml",
    }
