"""Impacts say what jumps: velocities after, impulses of contacts, joints and drives."""

from dataclasses import replace

import numpy as np
import pytest
from law_counts import seeds
from loaded_linkages import four_bar, heavy
from numpy.testing import assert_allclose
from random_trees import random_state, random_tree

import korba as kb

PLANE, STILL = "surface", (0, 0, 0)
KINDS = ["revolute", "prismatic", "spherical", "universal"]


def gained(m, q, dv, body):
    """Momentum of a body that velocities dv make: moment about its mass centre, and force."""
    J, X = kb.jacobian(m, q, body.name), kb.pose(m, q, body.name)
    w, u = np.split(J @ dv, 2)
    arm = X[:3, :3] @ np.asarray(body.com, dtype=float)
    turning = X[:3, :3] @ np.asarray(body.inertia) @ X[:3, :3].T @ w
    return np.concatenate([turning, body.mass * (u + np.cross(w, arm))]), X[:3, 3] + arm


def refuse_unbalanced(m, impact, contact=None):
    """Impulses on every body, of its joints and of what touches it, make its new momentum."""
    q, dv = impact.q, impact.v_after - impact.v
    scale = np.abs(kb.mass_matrix(m, q) @ dv).max() + np.abs(dv).max()
    for body in m.bodies:
        expected, centre = gained(m, q, dv, body)
        total = np.zeros(6)
        for joint in m.joints:
            sign = (joint.child == body.name) - (joint.parent == body.name)
            wrench = impact.joint_impulses[joint.name].about(centre)
            total += sign * np.concatenate([wrench.moment, wrench.force])
        if contact is not None and contact[0] == body.name:
            total += np.concatenate([np.cross(contact[1] - centre, contact[2]), contact[2]])
        assert_allclose(total, expected, rtol=0, atol=1e-8 * scale)


@pytest.mark.parametrize("seed", seeds(share=0.3))
def test_a_tree_that_strikes_a_plane(seed):
    """M (v+ - v-) = J'F at the point that strikes, W v+ = -e W v-, and every body is balanced."""
    tree = random_tree(seed, kinds=KINDS)
    m, (q, v, _) = tree.m, random_state(tree, seed)
    rng = np.random.default_rng(seed)
    e, place = rng.uniform(0, 1), rng.uniform(-0.3, 0.3, 3)
    twists = {b.name: np.abs(kb.velocity(m, q, v, b.name)).max() for b in m.bodies}
    body = max(twists, key=twists.__getitem__)
    motion = kb.simulate(m, 0.002, q=q, v=v, times=2).point(body, place)
    normal = -motion.velocity[0] / np.linalg.norm(motion.velocity[0])
    there = motion.position[0] - 1e-3 * np.linalg.norm(motion.velocity[0]) * normal
    contact = kb.Contact(PLANE, body=body, point=place, line=(there, normal), restitution=e)
    run = kb.simulate(m, 0.003, q=q, v=v, events=contact, times=2)
    impact = run.events[0]
    assert impact.name == PLANE
    J, X = kb.jacobian(m, impact.q, body), kb.pose(m, impact.q, body)
    arm = X[:3, :3] @ place
    W = normal @ (J[3:] + np.cross(J[:3].T, arm).T)
    assert_allclose(W @ impact.v_after, -e * (W @ impact.v), atol=1e-9 * np.abs(W @ impact.v))
    p = impact.impulses[PLANE]
    dv = impact.v_after - impact.v
    M = kb.mass_matrix(m, impact.q)
    assert_allclose(M @ dv, W * p, atol=1e-9 * np.abs(W * p).max())
    refuse_unbalanced(m, impact, (body, X[:3, 3] + arm, p * normal))


def linkage(seed):
    """A four-bar on its way, which will strike the limit of a joint."""
    rng = np.random.default_rng(seed)
    joints, names, _ = four_bar(rng)
    bodies = [heavy(name, rng, "xy") for name in names]
    m = kb.Mechanism("four-bar", bodies, joints, plane="xy", gravity=STILL)
    v = {"A": rng.uniform(2, 4)}
    way = kb.simulate(m, 0.1, v=v, times=2)
    name, e = rng.choice(["A", "B", "C", "D"]), rng.uniform(0, 1)
    first, last = (float(x) for x in way[name])
    ends = {"upper": last} if last > first else {"lower": last}
    stopped = [replace(j, **ends, restitution=e) if j.name == name else j for j in joints]
    return replace(m, joints=stopped), v, str(name), e


@pytest.mark.parametrize("seed", seeds(share=0.5))
def test_a_linkage_that_strikes_a_stop(seed):
    """Of one freedom all velocities turn back by e; the impulse is the joint's reduced mass times
    the jump of its velocity, and impulses in all joints balance every body.
    """
    m, v, name, e = linkage(seed)
    run = kb.simulate(m, 0.2, v=v, events="stops", times=2)
    impact = run.events[0]
    assert_allclose(impact.v_after, -e * impact.v, atol=1e-9 * np.abs(impact.v).max())
    k = m.velocities.index(name)
    p = kb.mass_matrix(m, impact.q, coordinates=(name,))[0, 0] * (impact.v_after - impact.v)[k]
    assert_allclose(abs(impact.impulses[impact.name]), abs(p), rtol=1e-8)
    assert_allclose(impact.joint_impulses[name].moment[2], p, rtol=1e-8)
    refuse_unbalanced(m, impact)


@pytest.mark.parametrize("seed", seeds(share=0.3))
def test_what_floats_keeps_its_momentum_when_it_collides(seed):
    """Two free bodies, one with an arm on a pin: momentum and moment of momentum stay."""
    rng = np.random.default_rng(seed)
    tensors = [np.diag(rng.uniform(0.2, 0.3, 3)) for _ in range(3)]
    bodies = [
        kb.Body(name, rng.uniform(1, 3), rng.uniform(-0.1, 0.1, 3), tensor)
        for name, tensor in zip("abc", tensors, strict=True)
    ]
    joints = [
        kb.Free("A", "ground", "a"),
        kb.Free("B", "ground", "b"),
        kb.Revolute("C", "b", "c", at=(0, 0.2, 0), axis=(0.2, 0.3, 1)),
    ]
    m = kb.Mechanism("two", bodies, joints, gravity=STILL)
    e = rng.uniform(0, 1)
    line = (-0.15, 0, 0), (-1, 0.2, 0.1)
    contact = kb.Contact("touch", body="a", point=(0.1, 0, 0), line=line, on="c", restitution=e)
    v = {name: rng.normal() for name in m.velocities} | {"A.vx": 4.0, "B.vx": -4.0}
    run = kb.simulate(m, 0.2, q={"A.x": -0.5}, v=v, events=contact, times=2)
    impact = run.events["touch"][0]
    before, after = (kb.momentum(m, impact.q, x) for x in (impact.v, impact.v_after))
    size = np.abs(before).max()
    assert impact.impulses["touch"] > 1
    assert_allclose(after, before, rtol=0, atol=1e-10 * size)
    for name in "AB":
        wrench = impact.joint_impulses[name]
        assert_allclose([wrench.force, wrench.moment], 0.0, atol=1e-9 * size)


def cart(**more):
    """A cart on a rail that is driven, and a pendulum on it with a stop straight down."""
    bodies = [kb.Body("cart", 2, (0, 0), 0.1), kb.Body("rod", 1, (0, -0.5), 0.1)]
    joints = [
        kb.Prismatic("S", "ground", "cart", at=(0, 0), axis=(1, 0)),
        kb.Revolute("A", "cart", "rod", at=(0, 0), lower=0.0, restitution=0.5),
    ]
    return kb.Mechanism("cart", bodies, joints, plane="xy", **more)


def test_drives_hold_their_velocities_by_impulses():
    """A driven cart goes on as before; its drive and its pin give what the rod's momentum lacks."""
    m = cart(drives=[kb.JointDrive("d", "S", "0.3 m/s*t")])
    run = kb.simulate(m, 0.5, q={"A": 0.2}, v={"A": -1.0}, events="stops")
    impact = run.events[0]
    assert_allclose(impact.v_after[0], impact.v[0], atol=1e-12)
    assert_allclose(impact.v_after[1], -0.5 * impact.v[1], rtol=1e-12)
    jump = impact.v_after[1] - impact.v[1]
    assert_allclose(impact.impulses["A lower"], (0.1 + 0.5**2) * jump, rtol=1e-12)
    assert_allclose(impact.joint_impulses["A"].force, [0.5 * jump, 0, 0], atol=1e-12)
    assert_allclose(impact.drive_impulses["d"], 0.5 * jump, rtol=1e-12)


def test_batches_files_and_switched_loads_keep_what_impacts_say(tmp_path):
    """Of many starts, read from a file, and over phases of a run: the same as one run says."""
    m = cart(forces=[kb.JointForce("pull", "S", law="3 N")])
    start = {"q": {"A": 0.2}, "v": {"A": -1.0}}
    event = kb.Event("off", "t - 0.9 s", change={"pull": 0})
    one = kb.simulate(m, 1.5, **start, events="stops")
    q, v = np.array([[0, 0.2]] * 3), np.array([[0, 0], [0, -1.0], [0, -2.0]])
    many = kb.simulate(m, 1.5, q=q, v=v, events="stops", times=2).run(1).events
    path = tmp_path / "run.npz"
    one.save(path)
    kept = kb.Trajectory.load(path).events
    phased = kb.simulate(m, 1.5, **start, events=["stops", event]).events["A lower"]
    said = one.events["A lower"]
    assert len(said) > 1
    for other in (many["A lower"], kept["A lower"], phased[:1]):
        n = len(other)
        assert_allclose(other.v_after, said.v_after[:n], atol=1e-9)
        assert_allclose(other.impulses["A lower"], said.impulses["A lower"][:n], atol=1e-9)
        wrenches = (x.joint_impulses["S"].moment for x in (other, said))
        assert_allclose(next(wrenches), next(wrenches)[:n], atol=1e-9)


def test_events_without_a_stop_say_the_velocities_after():
    """A change, a function of the user, and a crossing that changes nothing."""
    blow = kb.Event("blow", "t - 0.1 s", change={"v_S": "v_S + 2"})
    call = kb.Event("call", "t - 0.2 s", call=lambda t, q, v: {"v_S": 7.0})
    run = kb.simulate(cart(), 0.3, events=[blow, call, kb.Event("look", "t - 0.25 s")])
    one, two, three = run.events
    assert_allclose(one.v_after - one.v, [2, 0], atol=1e-12)
    assert_allclose(two.v_after, [7.0, two.v[1]])
    assert_allclose(three.v_after, three.v)
    assert "v_after" in repr(one) and "v_after" not in repr(three)
    assert not one.impulses
    table = run.events._repr_html_()
    assert "velocities after" in table


def test_an_impact_shows_its_impulse():
    """In the event itself, in the table of a notebook and in the summary as data."""
    run = kb.simulate(cart(), 0.5, q={"A": 0.2}, v={"A": -1.0}, events="stops")
    p = run.events[0].impulses["A lower"]
    assert f"impulses={{'A lower': {p:.6g}}}" in repr(run.events[0])
    assert f"A lower = {p:.6g}" in run.events._repr_html_()
    assert run.to_dict()["events"][0]["impulses"] == {"A lower": p}


CART = """
plane = "xy"
parameters = { l = 1.0 }
body = [
    { name = "cart", mass = 2, inertia = 0.1 },
    { name = "rod", mass = 1, com = [0, "-l/2"], inertia = 0.1 },
]
[[joint]]
name = "S"
type = "prismatic"
parent = "ground"
child = "cart"
at = [0, 0]
axis = [1, 0]

[[joint]]
name = "A"
type = "revolute"
parent = "cart"
child = "rod"
at = [0, 0]
lower = 0
"""


def test_impacts_of_many_designs_are_those_of_each():
    """One program with the length as an input, or a mechanism for every length."""
    m, how = (
        kb.loads(CART),
        {"q": {"A": 0.2}, "v": {"A": -1.0}, "events": kb.Stops(0.5), "times": 2},
    )
    lengths = [1.0, 0.6]
    runs = kb.simulate(m, 0.4, **how, parameters={"l": lengths})
    for k, length in enumerate(lengths):
        one = kb.simulate(kb.redimension(m, l=length), 0.4, **how).events[0]
        other = runs.run(k).events[0]
        assert_allclose(other.impulses["A lower"], one.impulses["A lower"], rtol=1e-9)
        assert_allclose(other.v_after, one.v_after, atol=1e-9)
        forces = (x.joint_impulses["A"].force for x in (other, one))
        assert_allclose(next(forces), next(forces), atol=1e-9)
