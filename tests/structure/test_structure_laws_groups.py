"""Structural groups of mechanisms built group by group, and size deviations against geometry."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from test_structure_laws import GROUND, joint, mechanism, planar_chain

from korba.errors import StructureError
from korba.model.drives.joint_drive import JointDrive
from korba.positions import rank as rank_module
from korba.structure import groups as groups_module
from korba.structure.deviations import size_deviations
from korba.structure.groups import groups


def built(seed, plane=True, steps=5):
    """A mechanism grown from driven links by dyads and triads; its groups and its inputs."""
    rng = np.random.default_rng(seed)
    joints, parts, inputs, bodies = [], [], [], [GROUND]

    def pair(kind, a, b):
        axis, at = rng.normal(size=3), rng.normal(size=3) * 3
        if plane:
            axis, at = axis * [1, 1, 0] if kind == "prismatic" else None, at * [1, 1, 0]
        name = f"j{len(joints)}"
        ends = (a, b) if rng.random() < 0.5 else (b, a)
        more = {} if axis is None else {"axis": tuple(axis)}
        joints.append(joint(kind, name, *ends, at, **more))
        return name

    def grow(links, inner, outer):
        """Links with inner pairs (kind, i, k) and outer pairs (kind, i) to what is there."""
        new = [f"b{len(bodies) + i}" for i in range(links)]
        on = [str(rng.choice(bodies)) for _ in outer]
        names = [pair(kind, new[i], new[k]) for kind, i, k in inner]
        out = [pair(kind, new[i], b) for (kind, i), b in zip(outer, on, strict=True)]
        bodies.extend(new)
        parts.append((set(new), set(names), set(out), set(on)))
        return out

    for n in range(1 + int(rng.integers(0, 3))):
        inputs += grow(1, [], [(str(rng.choice(["revolute", "prismatic"])), 0)])
        for _ in range(int(rng.integers(0, steps)) if n else steps):
            if plane and rng.random() < 0.3:  # a ternary link on three legs
                legs = [("revolute", 0, i) for i in (1, 2, 3)]
                grow(4, legs, [("revolute", i) for i in (1, 2, 3)])
            elif plane:
                kinds = rng.permutation(["revolute", *rng.choice(["revolute", "prismatic"], 2)])
                a, b, c = map(str, kinds)
                grow(2, [(a, 0, 1)], [(b, 0), (c, 1)])
            elif rng.random() < 0.5:
                a, b, c = map(str, rng.permutation(["revolute", "spherical", "universal"]))
                grow(2, [(a, 0, 1)], [(b, 0), (c, 1)])
            else:
                grow(1, [], [("point-on-plane", 0)] * 6)
    m = mechanism([joints[i] for i in rng.permutation(len(joints))], "xy" if plane else None)
    return m, parts, inputs


def assert_groups(found, m, parts, size):
    """Exactly the parts, in an order in which each can be solved, every pair used once."""
    assert {frozenset(g.bodies) for g in found.groups} == {frozenset(p[0]) for p in parts}
    owner = {body: g.number for g in found.groups for body in g.bodies} | {GROUND: 0}
    used = []
    for number, g in enumerate(found.groups, start=1):
        bodies, inner, outer, on = next(p for p in parts if p[0] == set(g.bodies))
        assert g.number == number
        assert (set(g.inner), set(g.outer), g.order) == (inner, outer, len(outer))
        assert set(g.after) == {owner[b] for b in on}
        assert all(n < number for n in g.after)
        constraints = sum(size - m.joint(j).nv for j in (*g.inner, *g.outer))
        driven = len(set(found.inputs) & set(g.outer)) if g.kind == "input" else 0
        assert size * len(bodies) - constraints - driven == 0
        used += [*g.inner, *g.outer]
    assert sorted(used) == sorted(j.name for j in m.joints)
    assert not found.passive
    assert not found.local


@pytest.mark.parametrize("plane", [True, False])
@pytest.mark.parametrize("seed", range(25))
def test_groups_are_those_the_mechanism_was_built_from(seed, plane):
    """Added one after another, dyads, triads and driven links come back exactly."""
    m, parts, inputs = built(seed, plane)
    found = groups(m, inputs)
    assert_groups(found, m, parts, 3 if plane else 6)
    kinds = {frozenset(g.bodies): (g.kind, g.klass) for g in found.groups}
    for bodies, _, outer, _ in parts:
        if outer & set(inputs):
            assert kinds[frozenset(bodies)] == ("input", 1 if plane else 0)
        elif len(bodies) == 2:
            assert kinds[frozenset(bodies)] == ("dyad", 2 if plane else 0)
        elif len(bodies) == 4:
            assert kinds[frozenset(bodies)] == ("group", 3 if plane else 0)
    assert str(found)
    assert found.to_dict()["class"] == found.highest_class


@pytest.mark.parametrize("seed", range(10))
def test_groups_do_not_see_the_order_of_bodies_and_joints(seed):
    """Reordered, the mechanism has the same groups."""
    rng = np.random.default_rng(seed)
    m, parts, inputs = built(seed)
    bodies = tuple(m.bodies[i] for i in rng.permutation(len(m.bodies)))
    joints = tuple(m.joints[i] for i in rng.permutation(len(m.joints)))
    assert_groups(groups(replace(m, bodies=bodies, joints=joints), inputs[::-1]), m, parts, 3)


@pytest.mark.parametrize("seed", range(6))
def test_groups_of_a_large_mechanism_are_found_the_same_way(seed, monkeypatch):
    """The way for large mechanisms gives the same groups."""
    m, parts, inputs = built(seed)
    monkeypatch.setattr(groups_module, "DENSE_UP_TO", 0)
    monkeypatch.setattr(rank_module, "DENSE_UP_TO", 0)
    assert_groups(groups(m, inputs), m, parts, 3)


@pytest.mark.parametrize("seed", range(10))
def test_wrong_counts_of_inputs_are_errors(seed):
    """One input less leaves a freedom, one more is too many, another twice is both."""
    m, _, inputs = built(seed)
    with pytest.raises(StructureError, match="leave"):
        groups(m, inputs[1:])
    other = next(j.name for j in m.joints if j.name not in inputs)
    with pytest.raises(StructureError, match=r"leave out 1|twice"):
        groups(m, [*inputs, other])
    with pytest.raises(StructureError, match=r"leave out 1|twice"):
        groups(m, [*inputs, inputs[0]])
    with pytest.raises(StructureError, match="no coordinate"):
        groups(m, "nowhere")
    with pytest.raises(StructureError, match="no drives"):
        groups(m)


@pytest.mark.parametrize("seed", range(5))
def test_an_open_tree_with_all_joints_driven_is_inputs_only(seed):
    """Every link of a driven tree is an input of its own, after the link it hangs on."""
    rng = np.random.default_rng(seed)
    joints = [
        joint(
            str(rng.choice(["revolute", "prismatic"])),
            f"j{b}",
            GROUND if (a := int(rng.integers(0, b))) == 0 else f"b{a}",
            f"b{b}",
            rng.normal(size=3),
            axis=tuple(rng.normal(size=3)),
        )
        for b in range(1, 9)
    ]
    found = groups(mechanism(joints), [j.name for j in joints])
    assert [(g.kind, len(g.bodies)) for g in found.groups] == [("input", 1)] * 8
    owner = {body: g.number for g in found.groups for body in g.bodies} | {GROUND: 0}
    for j in joints:
        group = found.groups[owner[j.child] - 1]
        assert group.after == (owner[j.parent],)
        assert owner[j.parent] < group.number


POINTS = [(0, 0), (0, 1), (3, 2), (3, 0)]


def test_a_drive_named_like_another_joint_is_no_input_there():
    """Only the driven joint makes an input, whatever the drive is called."""
    m = planar_chain(POINTS, drives=(JointDrive("C", "A", "t"),))
    assert [g.kind for g in groups(m).groups] == ["input", "dyad"]


def test_groups_do_not_see_a_dead_centre():
    """The structure is the same where crank and coupler are in line and the rocker is the input."""
    m = planar_chain([(0, 0), (1, 0), (3, 0), (2.5, 1)])
    (first, second) = groups(m, "D").groups
    assert (first.bodies, set(second.bodies)) == (("3",), {"1", "2"})


@pytest.mark.parametrize("spatial", [False, True])
def test_passive_constraints_are_dropped(spatial):
    """A repeated parallelogram link and a planar four-bar in space keep their groups."""
    if spatial:
        m = replace(planar_chain(POINTS), plane=None)
    else:
        ends = [("A", GROUND, "1", (0, 0)), ("B", "1", "4", (0.5, 1)), ("C", GROUND, "2", (2, 0))]
        ends += [("D", "2", "4", (2.5, 1)), ("E", GROUND, "3", (3, 0)), ("F", "3", "4", (3.5, 1))]
        m = mechanism([joint("revolute", *end) for end in ends], "xy")
    found = groups(m, "A")
    assert found.passive
    assert found.groups[0].bodies == ("1",)
    assert [g.kind for g in found.groups][:1] == ["input"]
    assert {b for g in found.groups for b in g.bodies} == {b.name for b in m.bodies}
    if spatial:
        assert [set(g.bodies) for g in found.groups] == [{"1"}, {"2", "3"}]


def test_local_freedoms_do_not_break_groups():
    """The coupler of an RSSR spins alone; coupler and rocker are one dyad all the same."""
    m = mechanism(
        [
            joint("revolute", "A", GROUND, "1"),
            joint("spherical", "B", "1", "2", (1, 0, 0.3)),
            joint("spherical", "C", "2", "3", (2, 2, 1)),
            joint("revolute", "D", "3", GROUND, (2.5, 1, 0.2), axis=(1, 0.3, 0.2)),
        ]
    )
    for inputs, dyad in (("A", {"2", "3"}), ("D", {"1", "2"})):
        found = groups(m, inputs)
        assert [g.kind for g in found.groups] == ["input", "dyad"]
        assert set(found.groups[1].bodies) == dyad
        assert found.local == ("2",)


A, B, C, D = np.array([[0.0, 0], [0.5, 1], [2, 0], [2.5, 1]])
E, F = np.array([[3.0, -0.5], [3.5, 0.5]])


def doubled_parallelogram():
    """Three equal bars AB, CD and EF between the base and a platform."""
    ends = [("A", GROUND, "1", A), ("B", "1", "4", B), ("C", GROUND, "2", C)]
    ends += [("D", "2", "4", D), ("E", GROUND, "3", E), ("F", "3", "4", F)]
    return mechanism([joint("revolute", name, a, b, (*at, 0.0)) for name, a, b, at in ends], "xy")


def longer(vector, by):
    return vector * (1 + by / np.linalg.norm(vector))


def misfit(angle, deviations):
    """Distance EF less the length of the bar, the rest assembled with inexact sizes."""
    by = {size: deviations.get(size, 0.0) for size in SIZES}

    def spin(t):
        return np.array([[np.cos(t), -np.sin(t)], [np.sin(t), np.cos(t)]])

    c_, e_ = longer(C - A, by[(GROUND, "A", "C")]), longer(E - A, by[(GROUND, "A", "E")])
    b = spin(angle) @ longer(B - A, by[("1", "A", "B")])
    bar, top = longer(D - C, by[("2", "C", "D")]), longer(D - B, by[("4", "B", "D")])
    r, s = np.linalg.norm(bar), np.linalg.norm(top)
    gap = c_ - b
    d = np.linalg.norm(gap)
    along = (s**2 - r**2 + d**2) / (2 * d)
    height = np.sqrt(s**2 - along**2)
    normal = np.array([-gap[1], gap[0]]) / d
    options = [b + along * gap / d + sign * height * normal for sign in (1, -1)]
    d_ = min(options, key=lambda p: np.linalg.norm(p - b - (D - B)))
    turn = np.arctan2(*(d_ - b)[::-1]) - np.arctan2(*top[::-1])
    f = b + spin(turn) @ longer(F - B, by[("4", "B", "F")])
    own = np.linalg.norm(F - E) + by[("3", "E", "F")]
    return np.linalg.norm(f - e_) - own


SIZES = [
    ("1", "A", "B"),
    ("2", "C", "D"),
    ("3", "E", "F"),
    ("4", "B", "D"),
    ("4", "B", "F"),
    (GROUND, "A", "C"),
    (GROUND, "A", "E"),
]


@pytest.mark.parametrize("sizes", [*([s] for s in SIZES), SIZES])
def test_size_deviations_are_the_limit_of_the_real_misfit(sizes):
    """The misfit of the mechanism assembled with inexact sizes tends linearly to the answer."""
    rng = np.random.default_rng(len(sizes))
    unit = {size: float(rng.uniform(0.5, 1.5)) for size in sizes}
    angles = [0.0, 0.3, -0.4]
    effect = size_deviations(
        doubled_parallelogram(), "A", angles, unit, ("3", "E", "F"), area=2e-4, young=1e11
    )
    assert_allclose(effect.force, 2e-4 * 1e11 * effect.dl / np.linalg.norm(F - E))
    errors = []
    for e in (1e-3, 1e-4):
        inexact = {size: e * delta for size, delta in unit.items()}
        real = np.array([misfit(angle, inexact) for angle in angles]) / e
        errors.append(np.abs(real - effect.dl).max())
    assert errors[1] < 1e-2
    assert errors[1] < 0.2 * errors[0] + 1e-8
