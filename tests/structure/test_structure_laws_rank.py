"""Ranks against the loop matrix of unit screws, invariances, and paths for large mechanisms."""

import functools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from test_structure_laws import GROUND, joint, mechanism, planar_chain

from korba.model.body import Body
from korba.model.coupling import Coupling
from korba.model.drawing import drawing
from korba.model.frame import Frame
from korba.model.joints import JOINT_TYPES
from korba.positions import rank as rank_module
from korba.positions.rank import governing_rows, rank_of
from korba.structure import reasons as reasons_module
from korba.structure.mobility import mobility
from korba.structure.placement import drawn_placement

SPATIAL = [
    "revolute",
    "prismatic",
    "screw",
    "cylindrical",
    "universal",
    "spherical",
    "planar",
    "point-on-line",
    "point-on-plane",
    "fixed",
    "free",
    "gear-bevel",
    "gear-line-contact",
    "gear-point-contact",
]
PLANAR = [
    "revolute",
    "prismatic",
    "pin-in-slot",
    "gear-mesh",
    "gear-rack",
    "cam-roller",
    "cam-flat",
    "fixed",
]
SWAPS = {"revolute", "prismatic", "spherical"}


def screw(direction, point, pitch=0.0):
    return np.concatenate([direction, np.cross(point, direction) + pitch * np.array(direction)])


def slide(direction):
    return np.concatenate([np.zeros(3), direction])


def frame_of(j):
    """Point, unit axis and unit x axis of a joint placed in the drawing, as given."""
    z = np.array(j.axis or (0, 0, 1), dtype=float)
    z /= np.linalg.norm(z)
    x = np.array(j.x_axis or (1, 0, 0), dtype=float)
    x -= z * (z @ x)
    return np.array(j.at or (0, 0, 0), dtype=float), z, x / np.linalg.norm(x)


def unit_screws(j):
    """World screws about the origin of a joint drawn at rest, from the catalogue of pairs."""
    p, z, x = frame_of(j)
    y = np.cross(z, x)
    turns = [screw(e, p) for e in np.eye(3)]
    out = np.array([0.0, 0, 1])
    if j.type.startswith("cam"):  # turning about the contact and sliding along the tangent
        beta = j.drawn_coordinates[0]
        radius, slope = 1 + 0.2 * np.cos(beta), -0.2 * np.sin(beta)
        e, n = np.array([np.cos(beta), np.sin(beta), 0]), np.array([-np.sin(beta), np.cos(beta), 0])
        e, n = e[0] * x + e[1] * y, n[0] * x + n[1] * y
        return [screw(out, p + radius * e), slide(slope * e + radius * n)]
    return {
        "fixed": [],
        "revolute": [screw(z, p)],
        "prismatic": [slide(z)],
        "screw": [screw(z, p, (getattr(j, "lead", 0) or 0) / (2 * np.pi))],
        "cylindrical": [screw(z, p), slide(z)],
        "universal": [screw(z, p), screw(x, p)],
        "spherical": turns,
        "planar": [screw(z, p), slide(x), slide(y)],
        "point-on-line": [*turns, slide(z)],
        "point-on-plane": [*turns, slide(x), slide(y)],
        "free": [*turns, *map(slide, np.eye(3))],
        "pin-in-slot": [screw(out, p), slide(z)],
        "gear-mesh": [screw(out, p), slide(x)],
        "gear-rack": [screw(out, p), slide(x)],
        "gear-bevel": [screw(5 * x + 7 * z, p), screw(y, p), slide(x), slide(z)],
        "gear-line-contact": [screw(z, p), slide(x), slide(z), screw(y, p)],
        "gear-point-contact": [screw(z, p), slide(x), slide(z), screw(y, p), screw(x, p)],
    }[j.type]


def loop_matrix(m):
    """Unit screws of the joints with a sign for every fundamental loop: s L x sum f."""
    rows = [2, 3, 4] if m.plane else list(range(6))
    names = [GROUND, *(b.name for b in m.bodies)]
    above, chords = {0: []}, []
    for _ in names:
        for k, j in enumerate(m.joints):
            a, b = names.index(j.parent), names.index(j.child)
            if a in above and b not in above:
                above[b] = [*above[a], (k, 1)]
            elif b in above and a not in above:
                above[a] = [*above[b], (k, -1)]
    tree = {k for way in above.values() for k, _ in way}
    chords = [k for k in range(len(m.joints)) if k not in tree]
    columns = [np.array(unit_screws(j)).reshape(-1, 6).T[rows] for j in m.joints]
    start = np.concatenate([[0], np.cumsum([c.shape[1] for c in columns])]).astype(int)
    M = np.zeros((len(rows) * len(chords), start[-1]))
    for n, chord in enumerate(chords):
        j = m.joints[chord]
        way = [*above[names.index(j.parent)], (chord, 1)]
        back = [(k, -sign) for k, sign in above[names.index(j.child)]]
        for k, sign in (*way, *back):
            block = M[n * len(rows) : (n + 1) * len(rows), start[k] : start[k + 1]]
            block += sign * columns[k]
    return M


def random_mechanism(seed, plane, special=None, types=None, most=6):
    """Joints of all types placed at random in the drawing, which closes by construction."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, most))
    ends = [(int(rng.integers(0, b)), b) for b in range(1, count)]
    ends += [
        tuple(int(x) for x in rng.choice(count, size=2, replace=False))
        for _ in range(int(rng.integers(1, 4)))
    ]
    names = [GROUND, *(f"b{i}" for i in range(1, count))]
    types = types or (PLANAR if plane else SPATIAL)
    joints = []
    for n, (a, b) in enumerate(ends):
        parent, child = (names[a], names[b]) if rng.random() < 0.5 else (names[b], names[a])
        kind = str(rng.choice(types))
        at = rng.integers(-3, 4, 3) / 2 if special == "grid" else rng.normal(size=3)
        axis, x_axis = rng.normal(size=3), rng.normal(size=3)
        if special == "parallel":
            axis, x_axis = np.array([1.0, 2, -1]), np.array([1.0, 0, 1])
        if special == "concurrent":
            at = np.array([0.5, 1, 0.2])
        if special == "grid":
            axis, x_axis = np.eye(3)[rng.choice(3, size=2, replace=False)]
        more = extra(kind, rng)
        if plane:
            at = at * [1, 1, 0]
            axis = axis * [1, 1, 0] if JOINT_TYPES[kind].axis_in_plane else np.array([0, 0, 1.0])
            if special == "grid":
                axis = [1.0, 0, 0] if axis[0] else axis
                axis = axis if np.linalg.norm(axis) else [0.0, 1, 0]
            x_axis = [0, 0, 1.0] if JOINT_TYPES[kind].axis_in_plane else x_axis * [1, 1, 0]
            x_axis = x_axis if np.linalg.norm(x_axis) else [1.0, 0, 0]
        joints.append(
            joint(
                kind,
                f"j{n}",
                parent,
                child,
                at,
                axis=tuple(axis),
                x_axis=tuple(x_axis),
                **more,
            )
        )
    return mechanism(joints, "xy" if plane else None)


def extra(kind, rng):
    """What some joint types need besides their place."""
    if kind == "screw":
        return {"lead": float(rng.normal())}
    if kind == "gear-rack":
        return {"radius": 0.5}
    if kind == "gear-bevel":
        return {"parent_radius": 0.5, "child_radius": 0.7}
    if kind.startswith("gear"):
        child = float(rng.choice([0.7, 1.5]))
        return {"parent_radius": 0.5, "child_radius": child, "inner": child == 1.5}
    if kind.startswith("cam"):
        roller = {"radius": 0.3} if kind == "cam-roller" else {}
        return {"profile": "1 + 0.2*cos(beta)", "drawn": (float(rng.normal()), 0.0), **roller}
    return {}


SPECIALS = [None, "parallel", "concurrent", "grid"]


@pytest.mark.parametrize("special", SPECIALS)
@pytest.mark.parametrize("plane", [True, False])
@pytest.mark.parametrize("seed", range(25))
def test_nullity_is_the_freedoms_less_the_rank_of_the_screws(seed, plane, special):
    """s k - rank A = sum f - rank M and rows - rank A = s L - rank M, M from unit screws."""
    m = random_mechanism(seed, plane, special)
    A = drawn_placement(m).matrix()
    M = loop_matrix(m)
    found = rank_of(A)
    rank_M = np.linalg.matrix_rank(M, tol=1e-8 * max(1, np.abs(M).max(initial=0)))
    assert found.null.shape[1] == M.shape[1] - rank_M
    assert A.shape[0] - found.rank == M.shape[0] - rank_M
    assert_allclose(A @ found.null, 0, rtol=0, atol=1e-6 * max(1, np.abs(A).max()))


def numbers(m, **more):
    r = mobility(m, **more)
    chains = sorted((len(c.bodies), len(c.joints), c.mobility) for c in r.rigid)
    return {
        "W": (r.theoretical, r.actual, r.local, r.passive, r.instantaneous),
        "loops": (r.loop_count, r.motion_size, r.undriven),
        "rigid": chains,
    }


@pytest.mark.parametrize("special", SPECIALS)
@pytest.mark.parametrize("plane", [True, False])
@pytest.mark.parametrize("seed", range(5))
def test_the_balance_holds(seed, plane, special):
    """W_R = W_T - W_L + W_B, no finite freedom is missing in the velocities, W_L is among them."""
    r = mobility(random_mechanism(seed, plane, special))
    assert r.actual == r.theoretical - r.local + r.passive
    assert 0 <= r.actual <= r.instantaneous
    assert str(r)
    assert r.to_dict()["theoretical"] == r.theoretical


@functools.cache
def known(seed, plane):
    """Numbers of the mechanism that is turned, scaled, renamed and described anew below."""
    return numbers(random_mechanism(seed, plane, SPECIALS[seed % 4]))


def rotated(m, R, p, factor=1.0):
    """The whole drawing turned, shifted and scaled."""

    def X(v):
        return tuple(factor * (R @ np.array(v)) + p)

    def turn(v):
        return None if v is None else tuple(R @ np.array(v))

    joints = []
    for j in m.joints:
        _, z, x = frame_of(j)
        lengths = {
            key: factor * getattr(j, key)
            for key in ("lead", "parent_radius", "child_radius", "radius")
            if getattr(j, key, None) is not None
        }
        if j.type.startswith("cam"):
            lengths["profile"] = f"{factor!r}*(1 + 0.2*cos(beta))"
        joints.append(replace(j, at=X(j.at), axis=turn(z), x_axis=turn(x), **lengths))
    return replace(m, joints=tuple(joints))


@pytest.mark.parametrize("plane", [True, False])
@pytest.mark.parametrize("seed", range(6))
def test_mobility_does_not_see_where_the_drawing_lies(seed, plane):
    """A rigid motion of the whole drawing changes no number."""
    rng = np.random.default_rng(seed)
    m = random_mechanism(seed, plane, SPECIALS[seed % 4])
    R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    R *= np.sign(np.linalg.det(R))
    p = rng.normal(size=3)
    if plane:
        c, s = np.cos(seed), np.sin(seed)
        R, p = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]), p * [1, 1, 0]
    assert numbers(rotated(m, R, p)) == known(seed, plane)


@pytest.mark.parametrize("factor", [1e-3, 1e3])
@pytest.mark.parametrize("plane", [True, False])
@pytest.mark.parametrize("seed", range(6))
def test_mobility_does_not_see_the_unit_of_length(seed, plane, factor):
    """Scaling all lengths changes no number."""
    m = random_mechanism(seed, plane, SPECIALS[seed % 4])
    assert numbers(rotated(m, np.eye(3), np.zeros(3), factor)) == known(seed, plane)


@pytest.mark.parametrize("plane", [True, False])
@pytest.mark.parametrize("seed", range(6))
def test_mobility_does_not_see_names_and_order(seed, plane):
    """Renaming and reordering bodies and joints changes no number."""
    rng = np.random.default_rng(seed)
    m = random_mechanism(seed, plane, SPECIALS[seed % 4])
    new = {GROUND: GROUND} | {b.name: f"x{k}" for k, b in enumerate(m.bodies[::-1])}
    joints = [
        replace(j, name=f"y{k}", parent=new[j.parent], child=new[j.child])
        for k, j in enumerate(m.joints)
    ]
    other = replace(
        m,
        bodies=tuple(Body(new[m.bodies[i].name]) for i in rng.permutation(len(m.bodies))),
        joints=tuple(joints[i] for i in rng.permutation(len(joints))),
    )
    assert numbers(other) == known(seed, plane)


@pytest.mark.parametrize("plane", [True, False])
@pytest.mark.parametrize("seed", range(6))
def test_mobility_does_not_see_which_side_is_the_parent(seed, plane):
    """Swapping parent and child of a revolute, prismatic or spherical pair changes no number."""
    m = random_mechanism(seed, plane, SPECIALS[seed % 4])
    swapped = [
        replace(j, parent=j.child, child=j.parent) if j.type in SWAPS else j for j in m.joints
    ]
    assert numbers(replace(m, joints=tuple(swapped))) == known(seed, plane)


@pytest.mark.parametrize("plane", [True, False])
@pytest.mark.parametrize("seed", range(6))
def test_mobility_does_not_see_how_joints_are_placed(seed, plane):
    """Joints given by frames on bodies with frames of their own say the same as `at` and `axis`."""
    rng = np.random.default_rng(seed)
    m = random_mechanism(seed, plane, SPECIALS[seed % 4])
    placed = drawing(m)
    bodies = []
    for b in m.bodies:
        angle, p = float(rng.normal()), rng.normal(size=3) * [1, 1, not plane]
        spin = angle if plane else tuple(rng.normal(size=3))
        bodies.append(Body(b.name, frame=Frame(tuple(p), spin)))
    poses = {GROUND: placed.X_WB[GROUND]} | {b.name: b.frame.pose() for b in bodies}
    joints = [
        replace(
            j,
            at=None,
            axis=None,
            x_axis=None,
            on_parent=Frame.of_pose(poses[j.parent].inverse() @ placed.X_WF[j.name]),
            on_child=Frame.of_pose(poses[j.child].inverse() @ placed.X_WM[j.name]),
        )
        for j in m.joints
    ]
    if any(j.axis_in_plane for j in m.joints) and plane:  # the axis is z of the given frames
        joints = [replace(j, axis=(0.0, 0.0, 1.0)) for j in joints]
    other = replace(m, bodies=tuple(bodies), joints=tuple(joints))
    assert numbers(other) == known(seed, plane)


def parallelograms(count, redundant=True):
    """A long row of parallelograms on common bars; every third has a repeated link."""
    joints, before = [], ("ground", "ground")
    for n in range(count):
        x = 2.0 * n
        for k, shift in enumerate((0.0, 1.0, 0.5)[: 3 if redundant and n % 3 == 0 else 2]):
            joints.append(joint("revolute", f"a{n}_{k}", before[0], f"r{n}_{k}", (x + shift, n, 0)))
            joints.append(
                joint("revolute", f"b{n}_{k}", f"r{n}_{k}", f"t{n}", (x + shift + 0.3, n + 1, 0))
            )
        before = (f"t{n}",) * 2
    return mechanism(joints, "xy")


@pytest.mark.parametrize("seed", range(12))
def test_the_sparse_way_agrees_with_the_dense_one(seed, monkeypatch):
    """Rank and null space by sparse factors are those by singular values."""
    m = parallelograms(4 + seed) if seed % 2 else random_mechanism(seed, seed % 4 == 0)
    A = drawn_placement(m).matrix()
    dense = rank_of(A)
    monkeypatch.setattr(rank_module, "DENSE_UP_TO", 0)
    thin = rank_of(A)
    assert (thin.rank, thin.null.shape) == (dense.rank, dense.null.shape)
    spanned = dense.null @ (dense.null.T @ thin.null)
    assert_allclose(spanned, thin.null, rtol=0, atol=1e-6)


@pytest.mark.parametrize("seed", range(6))
def test_mobility_by_the_sparse_way_agrees(seed, monkeypatch):
    """All numbers of a mechanism are the same by sparse factors."""
    m = parallelograms(3 + seed)
    expected = numbers(m)
    monkeypatch.setattr(rank_module, "DENSE_UP_TO", 0)
    monkeypatch.setattr(reasons_module, "DENSE_UP_TO", 0)
    assert numbers(m) == expected


def test_a_chain_of_a_hundred_loops():
    """Every parallelogram adds one freedom, every repeated link one passive constraint."""
    r = mobility(parallelograms(75))
    assert len(r.loops) == 100
    assert (r.theoretical, r.actual, r.local, r.passive) == (50, 75, 0, 25)


def test_a_chain_of_three_hundred_loops_without_passive_constraints():
    """Three hundred four-bars in a row have three hundred freedoms, as counted."""
    m = parallelograms(300, redundant=False)
    r = mobility(m)
    assert (r.theoretical, r.actual, r.passive, r.instantaneous) == (300, 300, 0, 300)


@pytest.mark.parametrize("ratio", [1e-4, 1, 1e4])
@pytest.mark.parametrize("count", [40, 60])
def test_a_gear_ratio_of_any_size_is_one_constraint(count, ratio):
    """A rotor behind a gear takes no freedom from a long chain and adds none."""
    m = parallelograms(count, redundant=False)
    m = replace(
        m,
        bodies=(*m.bodies, Body("rotor")),
        joints=(*m.joints, joint("revolute", "shaft", GROUND, "rotor", (0, 5, 0))),
        couplings=(Coupling("gear", "shaft", f"{ratio}*a0_0"),),
    )
    r = mobility(m)
    assert (r.theoretical, r.actual, r.passive) == (count, count, 0)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    lengths=st.lists(st.floats(0.2, 5), min_size=2, max_size=2),
    angles=st.lists(st.floats(0.3, 2.8), min_size=2, max_size=2),
    exponent=st.floats(-4, 4),
)
def test_every_open_four_bar_has_one_freedom(lengths, angles, exponent):
    """A crank and a rocker of any lengths and angles, in any unit of length: W = 1."""
    (a, b), (t, u) = lengths, angles
    points = [(0, 0), (a * np.cos(t), a * np.sin(t)), (3 + b * np.cos(u), b * np.sin(u)), (3, 0)]
    r = mobility(planar_chain([tuple(10**exponent * np.array(p)) for p in points]))
    assert (r.theoretical, r.actual, r.local, r.passive) == (1, 1, 0, 0)


def test_a_planar_mechanism_counted_in_space_explains_its_passive_constraints():
    """Counted as spatial, a planar four-bar has W_T = -2 and W_B = 3 from its planar motion."""
    m = planar_chain([(0, 0), (0, 1), (3, 2), (3, 0)])
    r = mobility(m, "spatial")
    assert (r.theoretical, r.actual, r.local, r.passive) == (-2, 1, 0, 3)
    passive = [reason for reason in r.reasons if reason.kind == "passive"]
    assert [reason.change for reason in passive] == [3]
    assert "planar motion" in passive[0].text
    assert set(passive[0].joints) == set("ABCD")
    assert passive[0].edits


@pytest.mark.parametrize("seed", range(10))
def test_governing_rows_are_the_first_that_determine_all_others(seed):
    """At every position they have full rank, and a row that was passed over depends on those
    before it at one position at least.
    """
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(4, 9, 5))
    rows[:, 1] = rows[:, 0]
    rows[2, 3] = 2 * rows[2, 2] - rows[2, 0]
    rows[:, 0] *= 10.0 ** rng.integers(-3, 3)
    taken = governing_rows(rows)
    assert taken == [0, 2, 4, 5, 6]
    assert [rank_of(each[taken]).rank for each in rows] == [5] * 4
    largest = governing_rows(rows, lambda worth: int(np.argmax(worth)))
    assert [rank_of(each[largest]).rank for each in rows] == [5] * 4


def test_rows_of_rounding_govern_nothing():
    """What is nothing beside rows of the order of one is not taken, though it comes first."""
    assert governing_rows(np.array([[1e-12, 0.0], [0.0, 1.0], [0.0, 2.0]])) == [1]
