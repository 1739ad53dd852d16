"""Ranks, null spaces and least steps of rows of loops are taken in `positions` and nowhere else."""

import ast
from collections.abc import Iterator

import pytest
from sources import MODULES, PACKAGE, parsed

PARTED = {"svd", "svdvals", "lstsq", "pinv", "qr", "matrix_rank", "null_space", "orth"}
"""What takes a matrix apart, in numpy and scipy."""
FREE_ROOMS = ("positions", "expr", "codegen", "spatial")
"""The room of loops, and those that know no mechanics."""

BOOK = "the book's own method"
MASSES = "a fit of masses"
PARAMETERS = "what motions feel of inertial parameters"
POLYNOMIALS = "zeros of complex forms"
REASONS = {
    "course/dh/loop.py _least: lstsq": BOOK,
    "course/dh/loop.py polished: lstsq": BOOK,
    "course/dh/modes.py _with_slides: lstsq": BOOK,
    "course/plane/centres.py _of_velocities: svd": BOOK,
    "course/plane/groups_in_motion.py _solve: lstsq": BOOK,
    "course/plane/vector_equations.py _solved: svd": BOOK,
    "dynamics/regrouping.py _unidentifiable: svd": PARAMETERS,
    "dynamics/identifiable.py Identifiable.refined: lstsq": PARAMETERS,
    "dynamics/identifiable.py identifiable_by: qr": PARAMETERS,
    "forces/mass_properties.py MassProperties.point_masses: lstsq": MASSES,
    "machine/counterweights.py Problem._stepped: lstsq": MASSES,
    "machine/counterweights.py Problem.solved: lstsq": MASSES,
    "machine/equilibrium.py _from: lstsq": "stiffness of small motions",
    "machine/linear.py LinearSystem.drifting: svd": "Jordan blocks of A",
    "model/frame.py Rotation.of_matrix: svd": "the nearest rotation",
    "show/schemes/forms.py flat_outline: svd": "the plane of a cloud of points",
    "solve/homotopy.py _least_squares: lstsq": POLYNOMIALS,
    "solve/homotopy.py _null: svd": POLYNOMIALS,
    "solve/homotopy.py _on_curve: svd": POLYNOMIALS,
    "solve/planar_modes.py crossings: svd": POLYNOMIALS,
    "solve/planar_modes.py independent: svd": POLYNOMIALS,
    "solve/planar_modes.py without_linear: svd": POLYNOMIALS,
    "structure/deviations.py _least_energy: svd": "least energy of what gives way",
    "structure/finite.py _dimension: svd": "what finite steps span",
    "system/regroup.py _unfelt_space: svd": PARAMETERS,
    "verbs/magnitudes.py _condition: svd": "condition of the equations of multipliers",
    "workspace/singularities.py _smallest: svd": "a measure over a motion that is shown",
}
"""Every function that takes a matrix apart outside of FREE_ROOMS, with what, and why it may."""


def used(node: ast.AST) -> list[str]:
    """The names of PARTED that are used in a piece of source, sorted."""
    found = [each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)]
    for each in ast.walk(node):
        if isinstance(each, ast.ImportFrom) and (each.module or "").endswith("linalg"):
            found += [alias.name for alias in each.names]
    return sorted(name for name in found if name in PARTED)


def pieces(source: str) -> Iterator[tuple[str, ast.AST]]:
    """Functions, methods as `Class.method`, and the lines outside of them as ''."""
    for node in parsed(source).body:
        if isinstance(node, ast.ClassDef):
            yield from ((f"{node.name}.{getattr(part, 'name', '')}", part) for part in node.body)
        else:
            yield getattr(node, "name", ""), node


def lines(source: str, path: str) -> list[str]:
    """`path function: names` of every function of a module that uses PARTED."""
    found = [(name, used(node)) for name, node in pieces(source)]
    return [f"{path} {name}: {' '.join(own)}" for name, own in found if own]


def lines_of_the_house() -> list[str]:
    """The same of all modules outside of FREE_ROOMS."""
    paths = {path: path.relative_to(PACKAGE).as_posix() for path in MODULES}
    own = [(path, name) for path, name in paths.items() if name.split("/")[0] not in FREE_ROOMS]
    return [line for path, name in own for line in lines(path.read_text("utf-8"), name)]


def test_matrices_are_taken_apart_in_positions_or_for_a_reason():
    """A new rank, null space or least step asks `positions`; one that is gone leaves the table."""
    assert sorted(lines_of_the_house()) == sorted(REASONS)


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("def f(A):\n    return np.linalg.svd(A)", "x.py f: svd"),
        ("def f(A):\n    from scipy.linalg import qr", "x.py f: qr"),
        ("class C:\n    def f(self, A):\n        return map(np.linalg.pinv, A)", "x.py C.f: pinv"),
        ("def f(A):\n    def g():\n        return la.lstsq(A, la.svd(A))", "x.py f: lstsq svd"),
        ("rank = numpy.linalg.matrix_rank(A)", "x.py : matrix_rank"),
    ],
)
def test_such_lines_are_found(source, line):
    """Calls, references and imports, in functions, methods and outside of them."""
    assert lines(source, "x.py") == [line]


def test_other_lines_are_not_found():
    """Solving and factoring of square systems, and names that are no attributes, are no ranks."""
    assert lines("def f(A, qr):\n    return np.linalg.solve(A, np.linalg.cholesky(qr))", "x") == []
