"""Solids: closed forms equal integrals over triangulated surfaces; sums, files, symbols."""

from __future__ import annotations

import itertools
from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest
from numpy.testing import assert_allclose

import korba as kb
from korba.model.solid_kinds import SOLID_TYPES
from korba.spatial.inertia import enclosed_moments

S = kb.solids
STEEL = 7850.0


def turned(profile, n):
    """Triangles of a profile (r, z), from axis to axis, turned about z in n steps."""
    angles = 2 * np.pi * np.arange(n + 1) / n
    r, z = np.array(profile).T
    grid = np.stack(
        [np.outer(np.cos(angles), r), np.outer(np.sin(angles), r), np.tile(z, (n + 1, 1))], -1
    )
    a, b, c, d = grid[:-1, :-1], grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:]
    return np.concatenate([np.stack(t, -2).reshape(-1, 3, 3) for t in ((a, b, c), (a, c, d))])


def prism(outline, thickness):
    """Triangles of a convex polygon with a thickness."""
    flat = np.array([(*p, 0.0) for p in outline])
    half = np.array([0, 0, thickness / 2])
    up, down = flat + half, flat - half
    n = len(flat)
    caps = [(up[0], up[i], up[i + 1]) for i in range(1, n - 1)]
    caps += [(down[0], down[i + 1], down[i]) for i in range(1, n - 1)]
    pairs = [(i, (i + 1) % n) for i in range(n)]
    sides = [(down[i], down[j], up[j]) for i, j in pairs] + [
        (down[i], up[j], up[i]) for i, j in pairs
    ]
    return np.array(caps + sides)


def stadium(length, radius, n):
    """Outline of a bar with round ends."""
    half = np.pi * np.arange(n + 1) / n - np.pi / 2
    right = np.stack([length + radius * np.cos(half), radius * np.sin(half)], -1)
    return np.concatenate([right, np.array([length, 0]) - right])


def arc(n):
    """A half circle of radius 0.3 from pole to pole."""
    a = np.pi * np.arange(n + 1) / n
    return np.stack([0.3 * np.sin(a), -0.3 * np.cos(a)], -1)


RIM = [(0.1, -0.2), (0.5, -0.1), (0.4, 0.3)]
TILT = np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0]])  # z to x
CASES = {
    "box": (S.Box(2, 1, 0.4), lambda n: prism([(-1, -0.5), (1, -0.5), (1, 0.5), (-1, 0.5)], 0.4)),
    "plate": (
        S.Plate([(0, 0), (0.2, 0.9), (1, 0.1)], 0.3),  # clockwise
        lambda n: prism([(0, 0), (1, 0.1), (0.2, 0.9)], 0.3),
    ),
    "cylinder": (
        S.Cylinder(0.3, 0.8),
        lambda n: turned([(0, -0.4), (0.3, -0.4), (0.3, 0.4), (0, 0.4)], n),
    ),
    "cone": (
        S.Cone(0.3, 0.8, 0.1),
        lambda n: turned([(0, 0), (0.3, 0), (0.1, 0.8), (0, 0.8)], n),
    ),
    "sphere": (S.Sphere(0.3), lambda n: turned(arc(n), n)),
    "revolved": (S.Revolved(RIM[::-1]), lambda n: turned([*RIM, RIM[0]], n)),
    "rod": (
        S.Rod((0.1, 0, 0), (0.9, 0, 0), 0.3, 0.2),
        lambda n: turned(
            [(0.2, 0.1), (0.3, 0.1), (0.3, 0.9), (0.2, 0.9), (0.2, 0.1)], n
        ) @ TILT.T,
    ),
    "bar": (
        S.Bar((0, 0), (0.8, 0), 0.2, 0.1),
        lambda n: prism(stadium(0.8, 0.1, n), 0.1),
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", CASES)
def test_closed_forms_are_integrals_over_the_surface(kind):
    """Moments of a solid are the limit of those of polyhedra, extrapolated in powers of 1/n^2."""
    solid, mesh = CASES[kind]
    limits = [enclosed_moments(mesh(n)) for n in (16, 32, 64, 128)]
    for k in (1, 2, 3):
        limits = [b + (b - a) / (4**k - 1) for a, b in itertools.pairwise(limits)]
    assert_allclose(solid.moments(), limits[0], rtol=1e-9, atol=1e-12)


def example(kind, rng):
    """A solid of a kind, somewhere, turned."""
    sizes = {
        "bar": lambda: S.Bar(rng.normal(size=2), rng.normal(size=2), 0.3, 0.1, 0.05),
        "measured": lambda: S.Measured(0.1, (1, 2, 3), (0.1, 0.12, 0.15)),
        "lump": lambda: S.Lump(mass=2.0, inertia=(0.1, 0.12, 0.15)),
    }
    solid = sizes[kind]() if kind in sizes else CASES[kind][0]
    return replace(
        solid, density=STEEL, at=tuple(rng.normal(size=3)), rotation=list(rng.normal(size=3))
    )


def test_every_kind_is_tried():
    """The cases above and the kinds of the model are the same."""
    assert {*CASES, "bar", "measured", "lump"} == {*SOLID_TYPES}


@pytest.mark.parametrize("seed", range(2))
def test_sums_move_as_one(seed):
    """What is moved weighs the same, turned and shifted; a hole that is filled changes nothing."""
    rng = np.random.default_rng(seed)
    parts = [example(kind, rng) for kind in SOLID_TYPES]
    whole = sum(parts)
    p, frame = rng.normal(size=3), kb.Frame(rotation=list(rng.normal(size=3)))
    R = np.array(frame.rotation)
    there = whole.moved(p, R)
    assert_allclose(there.mass, whole.mass, rtol=1e-12)
    assert_allclose(there.com, p + R @ whole.com, atol=1e-12)
    assert_allclose(there.inertia, R @ whole.inertia @ R.T, atol=1e-11 * whole.mass)
    again = whole - parts[2] + parts[2]
    assert_allclose(again.inertia, whole.inertia, atol=1e-11 * whole.mass)
    assert_allclose(again.volume, whole.volume, rtol=1e-12)
    total = sum((kb.mass_properties(x) for x in parts[1:]), kb.mass_properties(parts[0]))
    assert_allclose(total.inertia, whole.inertia, atol=1e-11 * whole.mass)


def test_holes_have_the_density_of_what_they_are_cut_from():
    """A bar with bores is a bar less two discs, and tubes are cylinders less cylinders."""
    plain = S.Bar((0, 0), (0.08, 0.06), 0.02, 0.005, density=STEEL)
    disc = S.Cylinder(0.004, 0.005)
    drilled = plain - disc - replace(disc, at=(0.08, 0.06))
    bored = replace(plain, bore=0.008)
    assert_allclose(drilled.mass, bored.mass, rtol=1e-14)
    assert_allclose(drilled.inertia, bored.inertia, atol=1e-17)
    tube = S.Cylinder(0.3, 0.5, 0.2, density=STEEL)
    assert_allclose(
        (S.Cylinder(0.3, 0.5, density=STEEL) - S.Cylinder(0.2, 0.5)).inertia, tube.inertia
    )
    ball = S.Sphere(0.3, density=STEEL) - S.Sphere(0.2)
    assert_allclose(ball.inertia, S.Sphere(0.3, 0.2, density=STEEL).inertia, atol=1e-13)


TEXT = """
name = "pendulum"
plane = "xy"

[parameters]
l = "80 mm"
steel = "7850 kg/m^3"

[[body]]
name = "crank"
solid = [
    {type = "bar", start = [0, 0], end = ["l", 0], width = "l/4", thickness = 1, density = "steel"},
    { type = "cylinder", radius = "4 mm", length = "5 mm", hole = true },
    { type = "plate", corners = [[0, 0], ["l/2", 0], [0, "l/3"]], thickness = "l/9" },
    { type = "revolved", corners = [["l/9", 0], ["l/2", 0], ["l/3", "l/3"]] },
    { type = "cone", radius = "l/9", length = "l", at = ["l", 0], rotation = "l/(1 m)" },
    { type = "rod", start = [0, 0], end = ["l", "l"], radius = "l/20" },
    { type = "box", length = "l", width = "l/2", height = "l/3" },
    { type = "sphere", radius = "l/2", inner_radius = "l/3" },
    { type = "lump", mass = "2 kg", at = ["l", "l"] },
]

[[joint]]
name = "A"
type = "revolute"
parent = "ground"
child = "crank"
at = [0, 0]
"""


def test_a_file_with_a_solid_comes_back():
    """It is written as it was, and read again it is the same."""
    m = kb.loads(TEXT)
    assert kb.dumps(m) == TEXT
    other = kb.redimension(m, l=0.1)
    assert kb.loads(kb.dumps(other)) == other
    plain = replace(m, text="", formulas=())
    assert kb.loads(kb.dumps(plain)).bodies == m.bodies
    assert "mass = 0" not in kb.dumps(plain)


def test_sizes_of_solids_are_inputs():
    """A program with sizes as inputs weighs the solid of every design."""
    m, sizes = kb.loads(TEXT), np.array([0.06, 0.08, 0.1])
    M = kb.mass_matrix(m, [0.3], parameters={"l": sizes})
    for k, size in enumerate(sizes):
        assert_allclose(M[k], kb.mass_matrix(kb.redimension(m, l=size), [0.3]), rtol=1e-12)


def test_given_values_stand_above_the_solid():
    """A given mass scales the solid, a given centre or tensor takes the place of its own."""
    box = S.Box(0.3, 0.2, 0.1)
    body = kb.Body("b", "2 kg", solid=box)
    assert_allclose(body.inertia[2][2], 2 / 12 * (0.3**2 + 0.2**2))
    assert kb.Body("b", "2 kg", (1, 0, 0), solid=box).com == (1, 0, 0)
    heavy = replace(body, mass=4.0)
    assert_allclose(heavy.inertia[2][2], 2 * body.inertia[2][2])
    other = replace(heavy, solid=S.Sphere(0.1))
    assert_allclose(other.inertia[2][2], 0.4 * 4 * 0.1**2)
    made = box.body("b", at=("0.1 m", 0), mass="2 kg", points={"P": (0.1, 0)})
    assert made.com == (0.1, 0, 0)
    assert made.inertia == body.inertia


FAULTY = {
    "no density": (S.Box(1, 1, 1), "has no density"),
    "a bad size": (S.Box(1, "2 kg", 1, density=1), "expected a length"),
    "crossing": (S.Plate([(0, 0), (1, 0), (0.2, 1), (0.9, 1), (0, 0.5)], 1, density=1), "cross"),
    "no area": (S.Plate([(0, 0), (1, 0), (2, 0)], 1, density=1), "no area"),
    "too few": (S.Plate([(0, 0), (1, 0)], 1, density=1), "three or more"),
    "bore": (S.Cylinder(1, 1, 2, density=1), "inner radius"),
    "wide bore": (S.Bar((0, 0), (1, 0), 0.1, 0.1, 0.2, density=1), "bore"),
    "one point": (S.Rod((1, 1), (1, 1), 0.1, density=1), "one point"),
    "other side": (S.Revolved([(-1, 0), (1, 0), (1, 1)], density=1), "negative r"),
    "all cut out": (S.Box(1, 1, 1, density=1) - S.Box(2, 1, 1), "mass -1 kg"),
    "second part": (S.Lump(mass=1) + S.Box(1, 1, 1), "part 2 of the solid"),
    "no mass": (S.Lump(), "is missing"),
    "too large": (S.Sphere(1e200, density=1), "too large or too small"),
    "too small": (S.Plate([(0, 0), (1e-200, 0), (0, 1e-200)], 1, density=1), "no area|too small"),
    "beyond numbers": (S.Cylinder(1e100, 1e100, density=1e300), "too large or too small"),
}


@pytest.mark.parametrize("case", FAULTY)
def test_faults_of_solids_are_told(case):
    """By the solid itself, and by the mechanism that has a body of it."""
    solid, words = FAULTY[case]
    joint = kb.Revolute("A", "ground", "b", at=(0, 0, 0))
    for call in (lambda: solid.com, lambda: kb.Mechanism("m", [solid.body("b")], [joint])):
        with pytest.raises(kb.ModelError, match=words):
            call()


@pytest.mark.parametrize(
    ("solid", "words"),
    [
        ('{type = "bax"}', "unknown type 'bax'; did you mean 'box'?"),
        ("{}", "has no type"),
        ("3", "a solid, or a list of them"),
        ("[3]", "expected a table"),
        ('{type = "box", length = 1, width = 1, height = 1, colour = 1}', "unknown key 'colour'"),
        ('{type = "box", length = 1, width = 1}', "solid, height: is missing"),
    ],
)
def test_faults_in_files_are_told(solid, words):
    """With the body, the line and the way out."""
    joint = "{name = 'A', type = 'revolute', parent = 'ground', child = 'a', at = [0, 0, 0]}"
    with pytest.raises(kb.FileError, match=words.replace("?", r"\?")):
        kb.loads(f"joint = [{joint}]\nbody = [{{name = 'a', solid = {solid}}}]")


def test_the_schema_knows_all_kinds():
    """A file is valid by the published schema; an unknown key is not."""
    jsonschema = pytest.importorskip("jsonschema")
    import tomllib

    document = tomllib.loads(TEXT)
    validator = jsonschema.Draft202012Validator(kb.schema())
    assert validator.is_valid(document)
    document["body"][0]["solid"][0]["colour"] = "red"
    assert not validator.is_valid(document)


def test_meshes_are_solids(tmp_path):
    """A closed mesh of a file weighs what its solid weighs, in the unit that is said."""
    corners = prism([(-20, -10), (20, -10), (20, 10), (-20, 10)], 5.0)
    box = S.Box(0.04, 0.02, 0.005, density=STEEL, at=(1, 2, 3))
    text = "solid box\n"
    for t in corners:
        points = "\n".join(f"vertex {x!r} {y!r} {z!r}" for x, y, z in t.tolist())
        text += f"facet normal 0 0 0\nouter loop\n{points}\nendloop\nendfacet\n"
    path = tmp_path / "box.stl"
    path.write_text(text + "endsolid box\n")
    solid = S.mesh(path, unit="mm", density=STEEL, at=(1, 2, 3))
    assert_allclose(solid.mass, box.mass, rtol=1e-12)
    assert_allclose(solid.com, box.com)
    assert_allclose(solid.inertia, box.inertia, atol=1e-12)
    for form in ("obj", "ply") if find_spec("trimesh") else ("obj",):
        other = tmp_path / f"box.{form}"
        other.write_text(as_obj(corners) if form == "obj" else as_ply(corners))
        assert_allclose(S.mesh(other, unit="mm", density=STEEL).mass, box.mass, rtol=1e-12)
    path.write_text(text[: text.rindex("facet normal")] + "endsolid box\n")
    with pytest.raises(kb.FileError, match="not closed: 3 of 18 edges"):
        S.mesh(path)
    turned = [corners[0][::-1], *corners[1:]]
    (tmp_path / "turned.obj").write_text(as_obj(np.array(turned)))
    with pytest.raises(kb.FileError, match="face different ways"):
        S.mesh(tmp_path / "turned.obj")
    path.write_bytes(b"\x00\x01 nothing of the kind")
    with pytest.raises(kb.FileError, match="STL mesh"):
        S.mesh(path)


def indexed(triangles):
    """Corners once each, and numbers of them."""
    points, numbers = np.unique(triangles.reshape(-1, 3), axis=0, return_inverse=True)
    return points, numbers.reshape(-1, 3)


def as_obj(triangles):
    """The text of an OBJ file."""
    points, faces = indexed(triangles)
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in points.tolist()]
    return "\n".join([*lines, *(f"f {a} {b} {c}" for a, b, c in (faces + 1).tolist())]) + "\n"


def as_ply(triangles):
    """The text of a PLY file."""
    points, faces = indexed(triangles)
    head = ["ply", "format ascii 1.0", f"element vertex {len(points)}"]
    head += [f"property double {axis}" for axis in "xyz"]
    head += [f"element face {len(faces)}", "property list uchar int vertex_index", "end_header"]
    rows = [" ".join(map(repr, p)) for p in points.tolist()]
    rows += ["3 " + " ".join(map(str, f)) for f in faces.tolist()]
    return "\n".join([*head, *rows]) + "\n"


def test_other_files_are_no_meshes(tmp_path):
    """The ending says the format; what is not there, or has an odd unit, is told."""
    for path, words in ((tmp_path / "a.step", "only meshes in"), (tmp_path / "a.stl", "no such")):
        with pytest.raises(kb.FileError, match=words):
            S.mesh(path)
    with pytest.raises(kb.StructureError, match="mesh: unit"):
        S.mesh(tmp_path / "a.stl", unit="kg")


def test_a_polygon_is_the_sum_of_its_triangles():
    """Cut along a diagonal, in any order of its corners."""
    corners = [(0, 0), (3, 0.5), (2.5, 2), (0.5, 2.5)]
    whole = S.Plate(corners, 0.1, density=1.0)
    halves = S.Plate(corners[:3], 0.1, density=1.0) + S.Plate([*corners[2:], corners[0]], 0.1)
    for order in itertools.islice(itertools.cycle([corners, corners[::-1]]), 2):
        again = replace(whole, corners=order)
        assert_allclose(again.inertia, halves.inertia, atol=1e-14)
