"""States by name, named poses, gravity forces, and dynamics without damping."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from random_trees import CASES, random_state, random_tree

import korba as kb
from korba.verbs.generated import verb_of
from korba.verbs.verb import Verb

VERBS = [verb for name in kb.__all__ if isinstance(verb := verb_of(getattr(kb, name)), Verb)]
OPTIONS = {
    "body": "hand",
    "point": (0.1, 0.2, 0.3),
    "forces": {"elbow": 2.0},
    "coordinate": "elbow",
}
DRIVEN = ("driving_forces", "reduce")
"""Verbs that ask for a mechanism that drives move."""


@cache
def robot():
    """A floating robot with a ball, a slide and a hinge, all damped, and a spring."""
    inertia = (0.02, 0.03, 0.04)
    bodies = [kb.Body(name, 1.5, (0.1, 0, 0), inertia) for name in ("trunk", "arm", "hand", "tool")]
    joints = [
        kb.Free("base", "ground", "trunk", damping=0.3),
        kb.Spherical("shoulder", "trunk", "arm", at=(0.3, 0, 0), damping=0.2),
        kb.Revolute("elbow", "arm", "hand", at=(0.6, 0, 0), axis=(0, 1, 0), damping=0.1),
        kb.Prismatic("slide", "hand", "tool", at=(0.8, 0, 0), axis=(1, 0, 0), damping=2.0),
    ]
    poses = {
        "home": {"base": [0, 0, "50 cm", 1, 0, 0, 0], "elbow": "30 deg"},
        "out": {"slide": "5 mm", "base.z": 1.0},
    }
    forces = [kb.JointForce("spring", "elbow", stiffness=3.0)]
    return kb.Mechanism("robot", bodies, joints, forces=forces, poses=poses)


@cache
def pendulum():
    """One hinge with a drive."""
    drive = kb.JointDrive("motor", "elbow", "t")
    hinge = kb.Revolute("elbow", "ground", "hand", at=(0, 0, 0), axis=(0, 1, 0))
    body = kb.Body("hand", 1.5, (0.1, 0, 0), (0.02, 0.03, 0.04))
    return kb.Mechanism("pendulum", [body], [hinge], drives=[drive])


def by_name(names, values):
    return dict(zip(names, np.moveaxis(values, -1, 0), strict=True))


def alike(one, other):
    for a, b in zip(_arrays(one), _arrays(other), strict=True):
        assert_allclose(a, b, rtol=0, atol=1e-12 * (1 + np.max(np.abs(b), initial=0.0)))


def _arrays(result):
    if is_dataclass(result):
        values = [getattr(result, each.name) for each in fields(result)]
        return [x for x in values if isinstance(x, np.ndarray)]
    values = result.values() if isinstance(result, dict) else result
    return (
        [*values] if isinstance(values, tuple) or not isinstance(values, np.ndarray) else [values]
    )


@pytest.mark.parametrize("shape", [(), (3,)])
@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_every_verb_takes_states_by_name(verb, shape):
    """Values by name give what the array in the order of the names gives, with batch axes too."""
    m, rng = pendulum() if verb.name in DRIVEN else robot(), np.random.default_rng(1)
    q, v, a, tau = (rng.normal(size=(*shape, n)) for n in (m.nq, m.nv, m.nv, m.nv))
    for first in (3, 7) if m.nq > 1 else ():
        q[..., first : first + 4] /= np.linalg.norm(q[..., first : first + 4], axis=-1)[..., None]
    arrays = {"q": q, "v": v, "a": a, "tau": tau}
    names = {"q": m.coordinates} | dict.fromkeys(("v", "a", "tau"), m.velocities)
    more = {name: OPTIONS[name] for name in verb.words if name in OPTIONS}
    given = [arrays[name] for name in verb.inputs]
    named = [by_name(names[name], arrays[name]) for name in verb.inputs]
    alike(verb(m, *named, **more), verb(m, *given, **more))


@pytest.mark.parametrize("options", CASES)
def test_every_coordinate_of_a_random_tree_has_a_name(options):
    """A state by name is the state in the order of `coordinates` and `velocities`."""
    m = random_tree(5, **options).m
    q, v, a = random_state(random_tree(5, **options), 2)
    named = by_name(m.coordinates, q), by_name(m.velocities, v), by_name(m.velocities, a)
    tau = kb.inverse_dynamics(m, q, v, a)
    assert_allclose(kb.inverse_dynamics(m, *named), tau, rtol=1e-11, atol=1e-11)


def test_units_whole_joints_and_what_is_not_named():
    """Texts have units, a joint's name takes all of its values, the rest is as drawn or at rest."""
    m = robot()
    q = {"elbow": "30 deg", "base": ["10 cm", 0, 0, 2, 0, 0, 0]}
    plain = np.array([0.1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, np.pi / 6, 0])
    assert_array_equal(kb.pose(m, q, "tool"), kb.pose(m, plain, "tool"))
    v = {"slide": "5 mm/s", "shoulder": [0, 0, "60 rpm"]}
    rates = np.array([0, 0, 0, 0, 0, 0, 0, 0, 2 * np.pi, 0, 0.005])
    assert_allclose(kb.momentum(m, q, v), kb.momentum(m, plain, rates), rtol=1e-15)
    many = kb.pose(m, {"base": np.array([plain[:7], plain[:7]])}, "hand")
    assert many.shape == (2, 4, 4)


@pytest.mark.parametrize(
    ("q", "said"),
    [
        ({"elbow": "5 mm"}, "elbow"),
        ({"elbo": 1}, "there is no 'elbo'; did you mean 'elbow'"),
        ({"base": [0, 0, 1]}, r"expected 7 values \(base.x"),
        ({"base.qw": 0}, "length 0"),
        ("nowhere", "there is no pose 'nowhere'; there are home, out"),
    ],
)
def test_what_is_wrong_with_names_is_said(q, said):
    """A name or unit that does not fit is an error that says so."""
    with pytest.raises(kb.KorbaError, match=said):
        kb.pose(robot(), q, "hand")


def test_poses_stand_for_coordinates_everywhere():
    """The name of a pose is taken by verbs, by simulate, assemble and inverse kinematics."""
    m = robot()
    home = np.array([0, 0, 0.5, 1, 0, 0, 0, 1, 0, 0, 0, np.pi / 6, 0])
    X = kb.pose(m, home, "hand")
    assert_array_equal(kb.pose(m, "home", "hand"), X)
    assert_array_equal(kb.simulate(m, 0.01, q="home").q[0], home)
    assert_array_equal(kb.assemble(m, "home").q, home)
    held = kb.inverse_kinematics(m, "hand", X[:3, 3], q="home", held=["base"])
    assert_allclose(held.q, home, atol=1e-12)
    assert kb.loads(kb.dumps(m)) == m
    assert m.pose("out").q == (("slide", 0.005), ("base.z", 1.0))


def test_pose_of_a_closed_mechanism_is_assembled():
    """A pose of a mechanism with loops is held, and the loops are closed."""
    joints = [
        kb.Revolute("A", "ground", "crank", at=(0, 0)),
        kb.Revolute("B", "crank", "coupler", at=(0.2, 0.9)),
        kb.Revolute("C", "coupler", "rocker", at=(1.6, 1.2)),
        kb.Revolute("D", "rocker", "ground", at=(2.0, 0)),
    ]
    bodies = [kb.Body(name, 1.0) for name in ("crank", "coupler", "rocker")]
    m = kb.Mechanism("", bodies, joints, plane="xy", poses={"start": {"A": "10 deg"}})
    assert_array_equal(kb.assemble(m, "start").q, kb.assemble(m, {"A": "10 deg"}).q)


@pytest.mark.parametrize(
    ("pose", "said"),
    [
        ({"elbo": 1}, "there is no coordinate 'elbo'; did you mean 'elbow'"),
        ({"elbow": "5 mm"}, "'elbow': expected an angle"),
        ({"base": [1, 2]}, "'base' has 7 values, got 2"),
        (5, "expected coordinates by name"),
    ],
)
def test_faults_of_poses_are_found_when_the_mechanism_is_made(pose, said):
    """A pose of coordinates that are not there, or in wrong units, is a fault."""
    with pytest.raises(kb.ModelError, match=said):
        replace(robot(), poses={"home": pose})


@pytest.mark.parametrize("options", CASES)
def test_gravity_forces_are_what_gravity_adds(options):
    """g(q) is h(q, 0) in gravity less h(q, 0) without it, whatever else acts."""
    tree = random_tree(7, **options)
    q, v, _ = random_state(tree, 3)
    h, other = (kb.bias_forces(tree.m, q, 0 * v, gravity=g) for g in (None, (0, 0, 0)))
    size = 1e-12 * (1 + np.max(np.abs(h)))
    assert_allclose(kb.gravity_forces(tree.m, q), h - other, rtol=0, atol=size)


@pytest.mark.parametrize("formulation", [None, *kb.formulations()["inverse_dynamics"]])
def test_damping_can_be_left_out(formulation):
    """`damping=False` gives the forces, and derivatives, of the same mechanism undamped."""
    tree = random_tree(3, kinds=["revolute", "prismatic", "screw", "cylindrical"])
    q, v, a = random_state(tree, 4)
    m = tree.m
    free = replace(m, joints=[replace(joint, damping=0.0) for joint in m.joints])
    tau = kb.inverse_dynamics(m, q, v, a, damping=False, formulation=formulation)
    assert_allclose(tau, kb.inverse_dynamics(free, q, v, a), rtol=1e-11, atol=1e-11)
    if formulation is None:
        back = kb.forward_dynamics(m, q, v, tau, damping=False)
        assert_allclose(back, a, rtol=1e-8, atol=1e-8)
        slopes = [
            kb.compile(kb.derivative(kb.inverse_dynamics, *which, "v", **how))(q, v, a)
            for which, how in (((m,), {"damping": False}), ((free,), {}))
        ]
        assert_allclose(*slopes, rtol=1e-11, atol=1e-11)


def test_a_run_without_damping_keeps_its_energy():
    """Without the damping of its joints, and gravity alone, no work is done."""
    m = replace(robot(), forces=())
    v = {"elbow": 1.0, "base": [0.1, 0.2, 0.3, 0, 0, 1]}
    undamped = replace(m, joints=[replace(joint, damping=0.0) for joint in m.joints])
    moved = kb.simulate(undamped, 0.3, v=v)
    assert_allclose(moved["work"], 0.0, atol=1e-12)
    assert kb.simulate(m, 0.3, v=v)["work"][-1] < -1e-3


@pytest.mark.parametrize("options", CASES)
def test_armature_is_a_term_on_the_diagonal(options):
    """Armature adds itself to its entry of M, and nothing to h; the file says just that."""
    m = random_tree(11, **options).m
    alone = [joint.name for joint in m.joints if joint.nv == 1 and joint.name not in m.dependent]
    sizes = {name: 0.1 + i for i, name in enumerate(alone)}
    joints = [replace(joint, armature=sizes.get(joint.name, 0.0)) for joint in m.joints]
    heavy = replace(m, joints=joints)
    q, v, a = random_state(random_tree(11, **options), 1)
    more = np.array([sizes.get(name, 0.0) for name in m.velocities])
    M = kb.mass_matrix(m, q)
    size = 1e-12 * np.max(np.abs(M))
    assert_allclose(kb.mass_matrix(heavy, q) - M, np.diag(more), rtol=0, atol=size)
    tau, other = (kb.inverse_dynamics(each, q, v, a) for each in (heavy, m))
    assert_allclose(tau - other, more * a, rtol=0, atol=1e-12 * np.max(np.abs(tau)))
    assert (heavy.nq, len(heavy.bodies)) == (m.nq, len(m.bodies))
    assert kb.loads(kb.dumps(heavy)) == heavy


def test_armature_in_the_plane_and_its_faults():
    """It stands in the plane too, for sliders in kg, and for joints of one freedom only."""
    bodies = [kb.Body("a", 1.0, inertia=0.1), kb.Body("b", 2.0, inertia=0.1)]
    joints = [
        kb.Revolute("A", "ground", "a", at=(0, 0), armature="2 kg*m^2"),
        kb.Prismatic("B", "a", "b", at=(0, 0), axis=(1, 0, 0), armature="500 g"),
    ]
    m = kb.Mechanism("", bodies, joints, plane="xy")
    assert_allclose(kb.mass_matrix(m, [0, 0]), [[2.2, 0], [0, 2.5]], rtol=1e-14)
    with pytest.raises(kb.ModelError, match="is for joints with one freedom, not spherical"):
        shoulder = kb.Spherical("S", "ground", "a", at=(0, 0, 0), armature=1)
        kb.Mechanism("", bodies[:1], [shoulder])
    with pytest.raises(kb.ModelError, match="expected"):
        replace(m, joints=[replace(joints[0], armature="1 kg"), joints[1]])


def test_velocities_by_the_names_of_coordinates():
    """A cylinder's stroke names its speed, in v and in tau, of verbs and of runs; once only."""
    joint = kb.Cylindrical("J", "ground", "tube", at=(0, 0, 0), axis=(0, 0, 1))
    m = kb.Mechanism("tube", [kb.Body("tube", 2.0, inertia=(1, 1, 1))], [joint], gravity=(0, 0, 0))
    q = {"J.stroke": 0.1}
    for name in ("J.speed", "J.stroke"):
        assert_allclose(kb.forward_dynamics(m, q, {name: 0.3}, {name: 4.0}), [0, 2])
        run = kb.simulate(m, 1.0, q=q, v={name: 0.3}, tau={name: "4 - t"}, times=2)
        assert_allclose(run.v[-1], [0, 2.05], rtol=1e-9)
        assert kb.linearise(m, q, {name: 0.3}).v[1] == 0.3
    with pytest.raises(kb.StructureError, match=r"'J\.speed' is given twice, also as"):
        kb.forward_dynamics(m, q, {}, {"J.speed": 1.0, "J.stroke": 1.0})
