"""No module outside the model and the files asks which joint, drive or load it has."""

import ast

import pytest
from sources import MODULES, PACKAGE, found_in, parsed

from korba.model.drives import DRIVE_TYPES
from korba.model.forces import FORCE_TYPES
from korba.model.joints import JOINT_TYPES

CLASSES = {
    cls.__name__ for types in (JOINT_TYPES, DRIVE_TYPES, FORCE_TYPES) for cls in types.values()
}
OTHERS = [path for path in MODULES if path.relative_to(PACKAGE).parts[0] not in ("model", "files")]


def attributes(node):
    """Names of the attributes in an expression."""
    return {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}


def names(node):
    """Plain names in an expression."""
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def asks(node):
    """Whether a node compares a type or the counts of a joint, or looks at a class."""
    if isinstance(node, ast.Compare):
        sides = [attributes(side) for side in (node.left, *node.comparators)]
        joint = any("joint" in name for name in names(node) | attributes(node))
        return any(side & {"type", "picture"} for side in sides) or (
            joint and {"nq", "nv"} <= set().union(*sides)
        )
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id == "isinstance" and bool(names(node.args[1]) & CLASSES)
    if isinstance(node, ast.Dict):
        return any(isinstance(key, ast.Name) and key.id in CLASSES for key in node.keys)
    return False


def questions(source):
    """Lines that ask."""
    return [node.lineno for node in ast.walk(parsed(source)) if asks(node)]


def test_no_module_asks_which_kind_it_has():
    """What a module needs to know of a joint, a drive or a load is a property of it."""
    assert not found_in(OTHERS, lambda path: questions(path.read_text("utf-8")))


@pytest.mark.parametrize(
    "line",
    [
        "joint.type == 'revolute'",
        "place.joint.type in PINS",
        "joint.picture == 'pin'",
        "joint.nq > joint.nv",
        "isinstance(drive, JointDrive)",
        "isinstance(x, Spring | LengthDrive)",
        "{JointDrive: rows}",
    ],
)
def test_questions_are_found(line):
    """The search above sees the ways in which a module could ask."""
    assert questions(line) == [1]
