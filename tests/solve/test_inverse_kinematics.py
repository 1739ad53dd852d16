"""Inverse kinematics: targets are reached, nearest to the start and within the limits."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose

import korba as kb
from korba.system.tree import tree_of
from korba.verbs.states import random_states

CHAINS = {
    "six revolute": ["revolute"] * 6,
    "seven with limits": ["revolute"] * 7,
    "mixed": ["revolute", "prismatic", "screw", "cylindrical", "revolute"],
    "with a ball": ["revolute", "spherical", "prismatic", "universal"],
}


@cache
def chain(name):
    """A chain of random joints, and the point at its end in the last body's frame."""
    rng = np.random.default_rng(len(name))
    bodies, joints, p = [], [], np.zeros(3)
    for i, kind in enumerate(CHAINS[name]):
        more = {"lead": 0.2} if kind == "screw" else {}
        if "limits" in name:
            more |= {"lower": [-1.2], "upper": [1.2]}
        place = {"at": p, "axis": rng.normal(size=3), "x_axis": rng.normal(size=3)}
        ends = (f"b{i - 1}" if i else "ground", f"b{i}")
        joints.append(kb.JOINT_TYPES[kind](f"j{i}", *ends, **place, **more))
        bodies.append(kb.Body(f"b{i}"))
        p = p + 0.4 * rng.normal(size=3)
    return kb.Mechanism(name, bodies, joints), p


@cache
def planar_arm(count=4):
    """Links of 1 m in a row along x, joints J1, J2, ... without limits."""
    joints = [
        kb.Revolute(f"J{i + 1}", f"link {i}" if i else "ground", f"link {i + 1}", at=(i, 0))
        for i in range(count)
    ]
    return kb.Mechanism("arm", [kb.Body(f"link {i + 1}") for i in range(count)], joints, plane="xy")


def tip(q):
    angle = np.cumsum(q, axis=-1)
    return np.stack([np.cos(angle).sum(axis=-1), np.sin(angle).sum(axis=-1)], axis=-1)


@pytest.mark.parametrize("name", CHAINS)
def test_targets_of_random_chains_are_reached(name):
    """Poses of random states are reached again, by chains of any joints, within their limits."""
    m, end = chain(name)
    body = m.bodies[-1].name
    states = random_states(tree_of(m), 10, seed=1)["q"]
    X = kb.pose(m, states, body)
    p, R = (X @ [*end, 1.0])[:, :3], X[:, :3, :3]
    found = kb.inverse_kinematics(m, body, p, R, point=end, follow=False)
    assert found.error < 1e-12
    X = kb.pose(m, found.q, body)
    assert_allclose((X @ [*end, 1.0])[:, :3], p, atol=1e-12)
    assert_allclose(X[:, :3, :3], R, atol=1e-12)
    if "limits" in name:
        assert np.abs(found.q).max() <= 1.2


def test_two_links_have_the_closed_form():
    """The elbow follows from the law of cosines, on the side of the start."""
    m = planar_arm(2)
    target = np.array([0.9, 0.7])
    bend = np.arccos((target @ target - 2) / 2)
    for start in (0.5, -0.5):
        found = kb.inverse_kinematics(m, "link 2", target, point=(2, 0), q=[0.3, start])
        assert found["J2"] == pytest.approx(np.sign(start) * bend, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_redundant_arms_go_to_the_nearest_solution(seed):
    """No motion along the solutions comes nearer: q - q_0 has no part in the null space of J."""
    rng = np.random.default_rng(seed)
    m, start = planar_arm(), rng.uniform(0.2, 0.8, size=4)
    target = 0.8 * tip(start) + rng.uniform(-0.4, 0.4, size=2)
    found = kb.inverse_kinematics(m, "link 4", target, point=(4, 0), q=start)
    assert_allclose(tip(found.q), target, atol=1e-12)
    J = kb.jacobian(m, found.q, "link 4", (4, 0))[3:5]
    null = np.linalg.svd(J)[2][2:]
    assert np.abs(null @ (found.q - start)).max() < 1e-8


def test_limits_are_kept_where_they_matter():
    """The solution without limits breaks one; with it another solution is found on it."""
    free = planar_arm()
    start, target = np.array([0.1, 0.3, 0.5, 0.7]), (0.5, 2.5)
    bound = float(kb.inverse_kinematics(free, "link 4", target, point=(4, 0), q=start)["J2"]) - 0.2
    joints = [
        kb.Revolute(
            j.name, j.parent, j.child, at=j.at[:2], upper=[bound if j.name == "J2" else 3.0]
        )
        for j in free.joints
    ]
    m = kb.Mechanism("stopped", free.bodies, joints, plane="xy")
    found = kb.inverse_kinematics(m, "link 4", target, point=(4, 0), q=start)
    assert_allclose(tip(found.q), target, atol=1e-12)
    assert found["J2"] == pytest.approx(bound, abs=1e-9)


@pytest.mark.parametrize("target", [(5.0, 0.0), (0.0, -4.2), (3.0, 3.0)])
def test_out_of_reach_says_what_is_missing(target):
    """The distance missing is that from the circle of an outstretched arm."""
    with pytest.raises(kb.ReachError, match="does not reach target 0") as caught:
        kb.inverse_kinematics(planar_arm(), "link 4", target, point=(4, 0), q=[0.1, 0.2, 0.3, 0.4])
    assert caught.value.distance == pytest.approx(np.hypot(*target) - 4, abs=1e-6)
    assert_allclose(tip(caught.value.q), 4 * np.array(target) / np.hypot(*target), atol=1e-3)


def test_a_path_is_followed_without_jumps():
    """Neighbouring targets have neighbouring solutions; a path that leaves the reach says where."""
    s = np.linspace(0, 2 * np.pi, 60)
    path = np.stack([1.5 + 0.5 * np.cos(s), 2 + 0.5 * np.sin(s)], axis=1)
    m, start = planar_arm(), [0.2, 0.4, 0.3, 0.5]
    found = kb.inverse_kinematics(m, "link 4", path, point=(4, 0), q=start)
    assert_allclose(tip(found.q), path, atol=1e-12)
    assert np.abs(np.diff(found.q, axis=0)).max() < 0.1
    out = np.stack([np.linspace(3, 5, 21), np.zeros(21)], axis=1)
    with pytest.raises(kb.ReachError, match="target 11"):
        kb.inverse_kinematics(m, "link 4", out, point=(4, 0), q=start)


def test_singular_starts_and_targets():
    """A straight arm bends, and an outstretched target is reached."""
    m = planar_arm()
    for target in ((3.0, 0.0), (4.0, 0.0)):
        found = kb.inverse_kinematics(m, "link 4", target, point=(4, 0), q=[0.0, 0.0, 0.0, 0.0])
        assert_allclose(tip(found.q), target, atol=1e-9)


def test_parts_of_a_target_and_held_coordinates():
    """Only what is asked for counts: one component, the angle, and a joint that stays."""
    m, start = planar_arm(), np.array([0.2, 0.4, 0.3, 0.5])
    found = kb.inverse_kinematics(m, "link 4", (1.5, None), 0.3, point=(4, 0), q=start, held=["J2"])
    assert found["J2"] == pytest.approx(0.4, abs=1e-15)
    assert tip(found.q)[0] == pytest.approx(1.5, abs=1e-12)
    assert found.q.sum() == pytest.approx(0.3, abs=1e-12)
    turned = kb.inverse_kinematics(m, "link 4", orientation=1.0, q=start)
    assert_allclose(turned.q - start, (1.0 - start.sum()) / 4, atol=1e-9)


def test_springs_of_elastic_joints_keep_still():
    """Inverse kinematics moves motors, not the twist of a spring."""
    more = {"rotor": kb.Rotor(inertia=0.1), "elastic": kb.Elastic(stiffness=100.0)}
    m = kb.Mechanism(
        "elastic",
        [kb.Body("one", 1.0), kb.Body("two", 1.0)],
        [
            kb.Revolute("A", "ground", "one", at=(0, 0), **more),
            kb.Revolute("B", "one", "two", at=(1, 0)),
        ],
        plane="xy",
    )
    found = kb.inverse_kinematics(m, "two", (0.9, 0.7), point=(2, 0), q=[0.2, 0.0, 0.4])
    assert found["A.twist"] == 0.0
    assert found.error < 1e-12


def test_closed_mechanisms():
    """A point of a coupler comes to a height, and the loop stays closed."""
    B, C, D = np.array([0.0, 0.2]), np.array([0.5, 0.6]), np.array([0.8, 0.0])
    m = kb.Mechanism(
        "four-bar",
        [kb.Body(name) for name in ("crank", "coupler", "rocker")],
        [
            kb.Revolute("A", "ground", "crank", at=(0, 0)),
            kb.Revolute("B", "crank", "coupler", at=B),
            kb.Revolute("C", "coupler", "rocker", at=C),
            kb.Revolute("D", "ground", "rocker", at=D),
        ],
        plane="xy",
    )
    found = kb.inverse_kinematics(m, "coupler", (None, 0.5), point=(0.3, 0.6))
    closed = kb.assemble(m, {"A": float(found["A"])})
    assert_allclose([closed[name] for name in found.names], found.q, atol=1e-12)
    turn = found.q[0] + found.q[1]
    height = 0.2 * np.cos(found["A"]) + np.sin(turn) * 0.3 + np.cos(turn) * 0.4
    assert height == pytest.approx(0.5, abs=1e-12)


@pytest.mark.parametrize(
    ("target", "more", "message"),
    [
        ({}, {}, "give a position, an orientation, or both"),
        ({"position": (1, 2, 3, 4)}, {}, "expected two components"),
        ({"position": (1, np.inf)}, {}, "expected finite values"),
        ({"position": (1, 1)}, {"q": [0.0]}, "q: expected shape"),
        ({"position": (1, 1)}, {"held": ["X"]}, "no coordinate 'X' to hold"),
        ({"orientation": 2 * np.eye(3)}, {}, "not a rotation"),
        ({"position": [(1, 1)] * 2, "orientation": [0.1] * 3}, {}, "2 positions and 3"),
    ],
)
def test_wrong_questions_are_refused(target, more, message):
    """Errors say what was expected."""
    with pytest.raises(kb.StructureError, match=message):
        kb.inverse_kinematics(planar_arm(), "link 4", **target, **more)


@pytest.mark.parametrize("seed", range(5))
def test_a_floating_base_is_held_by_its_name(seed):
    """The name of a joint holds all its coordinates, from other starts too; the rest reaches."""
    rng = np.random.default_rng(seed)
    joints = [kb.Free("base", "ground", "trunk")]
    bodies = [kb.Body("trunk", 1.0)]
    for i in range(6):
        ends = (f"b{i - 1}" if i else "trunk", f"b{i}")
        joints.append(kb.Revolute(f"j{i}", *ends, at=(0.3 * i, 0, 0), axis=rng.normal(size=3)))
        bodies.append(kb.Body(f"b{i}", 1.0))
    m = kb.Mechanism("floating arm", bodies, joints)
    base = [0.1, -0.2, 0.3, 0.5, 0.5, -0.5, 0.5]
    aim = kb.pose(m, {"base": base} | {f"j{i}": x for i, x in enumerate(rng.normal(size=6))}, "b5")
    reached = kb.inverse_kinematics(
        m, "b5", aim[:3, 3], aim[:3, :3], q={"base": base}, held=["base"]
    )
    assert_allclose(reached.q[:7], base, atol=1e-14)
    assert_allclose(kb.pose(m, reached.q, "b5"), aim, atol=1e-9)
