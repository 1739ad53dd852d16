"""What can be seen of the house by reading it: short functions and modules, text in its place."""

import ast
import re
import subprocess

from sources import MODULES, PACKAGE, ROOT, found_in, parsed

LLVM = re.compile(r"\bicmp |getelementptr|phi i64")


def too_long(path):
    """Functions of more than 60 lines, and the module itself if it has more than 500."""
    source = path.read_text("utf-8")
    kinds = ast.FunctionDef | ast.AsyncFunctionDef
    functions = [node for node in ast.walk(parsed(source)) if isinstance(node, kinds)]
    long = [f.name for f in functions if (f.end_lineno or f.lineno) - f.lineno >= 60]
    return long + ["the module"] * (source.count("\n") > 500)


def test_functions_and_modules_are_short():
    """A function has at most 60 lines, a module at most 500."""
    assert not found_in(MODULES, too_long)


def test_llvm_text_stands_in_its_target():
    """No algorithm is text of another language outside the printer of that language."""
    own = PACKAGE / "codegen" / "targets" / "llvm"
    places = [path for path in MODULES if LLVM.search(path.read_text("utf-8"))]
    assert places
    assert all(own in path.parents for path in places)


def test_only_texts_are_kept_under_version_control():
    """No object code, archive or picture of dots slips in with `git add`."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    for name in listed.stdout.decode().split("\0")[:-1]:
        if (ROOT / name).is_file():
            assert b"\0" not in (ROOT / name).read_bytes(), f"{name} is no text"
