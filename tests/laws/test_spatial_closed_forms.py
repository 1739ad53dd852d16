"""Closed forms of spatial loops against the engine: the same assembly modes, on random sizes."""

from itertools import accumulate

import numpy as np
import pytest
from law_counts import seeds
from numpy.testing import assert_allclose

import korba as kb
from korba.course import DHLink, bennett_rows, dh_matrix, loop_modes, loop_residual, spherical_rows

JOINTS = {"R": kb.Revolute, "T": kb.Prismatic, "C": kb.Cylindrical, "S": kb.Spherical}


def linked(rng, pairs, *, rod=None):
    """Rows of random sizes; the rod between two balls is long enough to reach often."""
    rows = [DHLink(*rng.uniform(-1, 1, 4), pair) for pair in pairs]
    if rod:
        rows[2] = DHLink(rng.uniform(*rod), *rng.uniform(-1, 1, 3), "S")
    return rows


MAKERS = {
    "spherical": lambda rng: spherical_rows(rng.uniform(0.3, 2.8, 4)),
    "RCCC": lambda rng: linked(rng, "RCCC"),
    "CCRC": lambda rng: linked(rng, "CCRC"),
    "Bennett": lambda rng: bennett_rows(rng.uniform(0.1, 2), *rng.uniform(0.3, 2.8, 2)),
    "RSSR": lambda rng: linked(rng, "RSSR", rod=(0.5, 2.5)),
    "RSST": lambda rng: linked(rng, "RSST", rod=(0.5, 2.5)),
    "TSSR": lambda rng: linked(rng, "TSSR", rod=(0.5, 2.5)),
}


def quaternion(turns):
    """Rz Ry Rx as (w, x, y, z)."""
    w, x, y, z = 1.0, 0.0, 0.0, 0.0
    for axis, angle in zip("zyx", turns, strict=True):
        c, s = np.cos(angle / 2), np.sin(angle / 2)
        u, v, n = (s if axis == name else 0.0 for name in "xyz")
        w, x, y, z = (
            w * c - x * u - y * v - z * n,
            w * u + x * c + y * n - z * v,
            w * v - x * n + y * c + z * u,
            w * n + x * v - y * u + z * c,
        )
    return w, x, y, z


def mechanism(rows, q):
    """The loop as a mechanism drawn at q, with joints 1, 2, 3, 4."""
    names, joints = ["ground", "a", "b", "c", "ground"], []
    ends = list(accumulate(len(row.motions) for row in rows))
    for i, (row, end) in enumerate(zip(rows, ends, strict=True)):
        A, drawn = dh_matrix(row.a, row.alpha, row.theta, row.d), q[end - len(row.motions) : end]
        frames = {"on_parent": kb.Frame(A[:3, 3], A[:3, :3]), "on_child": kb.Frame()}
        drawn = quaternion(drawn) if row.pair == "S" else tuple(drawn)
        joints.append(JOINTS[row.pair](f"{i + 1}", *names[i : i + 2], drawn=drawn, **frames))
    return kb.Mechanism("loop", [kb.Body(name) for name in "abc"], joints)


def compared(rows, values):
    """Coordinates of the joints that are no balls, angles as their sines and cosines."""
    named = [f"{i + 1}" for i, row in enumerate(rows) if row.pair != "S"]
    found = []
    for name, x in values.items():
        if name.split(".")[0] in named:
            slides = name.endswith("stroke") or rows[int(name[0]) - 1].pair == "T"
            found += [x] if slides else [np.cos(x), np.sin(x)]
    return np.array(found)


def by_formula(rows, q):
    """Values by the names of the engine."""
    ends = list(accumulate(len(row.motions) for row in rows))
    values = {}
    for i, (row, end) in enumerate(zip(rows, ends, strict=True)):
        own = q[end - len(row.motions) : end]
        names = [f"{i + 1}.angle", f"{i + 1}.stroke"] if row.pair == "C" else [f"{i + 1}"]
        if row.pair != "S":
            values |= dict(zip(names, own, strict=True))
    return compared(rows, values)


def first(rows):
    """The driven coordinate by the name of the engine."""
    return "1.angle" if rows[0].pair == "C" else "1"


@pytest.mark.parametrize("seed", seeds(0.35, least=len(MAKERS)))  # a kind after another
def test_closed_forms_have_the_modes_of_the_engine(seed):
    """The engine leads a drawn mode on to one of the closed form, and finds the others there."""
    rng, kind = np.random.default_rng(seed), list(MAKERS)[seed % len(MAKERS)]
    drawn, modes = [], []
    while len(drawn) == 0 or len(modes) < (1 if kind == "Bennett" else 2):
        rows, value = MAKERS[kind](rng), rng.uniform(-3, 3)
        drawn, modes = loop_modes(rows, value - 0.1), loop_modes(rows, value)
    for q in modes:
        assert loop_residual(rows, q) < 1e-20
    found = kb.configurations(mechanism(rows, drawn[0]), {first(rows): value})
    assert found[0].followed
    wanted = np.array([by_formula(rows, q) for q in modes])
    engine = np.array([compared(rows, mode.values) for mode in found])
    apart = np.abs(wanted[:, None] - engine[None]).max(axis=2)
    assert np.all(apart.min(axis=1) < 1e-7) and np.all(apart.min(axis=0) < 1e-7)


@pytest.mark.parametrize("seed", seeds())
def test_slides_of_rccc_are_dual_parts_of_its_angles(seed):
    """Transference: slides are the derivative of the spherical angles along (a, d), theta too."""
    rng = np.random.default_rng(seed)
    modes = []
    while len(modes) == 0:
        rows, value, step = linked(rng, "RCCC"), rng.uniform(-3, 3), 1e-6
        modes = loop_modes(rows, value)

    def angles(side):
        turned = [DHLink(0.0, row.alpha + side * step * row.a, row.theta) for row in rows]
        return loop_modes(turned, value + side * step * rows[0].d)

    ahead, behind = angles(1), angles(-1)
    strokes = modes[:, 2::2] + [row.d for row in rows[1:]]
    change = (ahead - behind + np.pi) % (2 * np.pi) - np.pi
    tolerance = 1e-4 * (1 + np.abs(strokes).max() ** 3)
    assert_allclose(change[:, 1:] / (2 * step), strokes, rtol=0, atol=tolerance)
