"""All methods for the forces of a motion give the same numbers, or are refused by name."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from law_counts import seeds
from loaded_linkages import heavy as heavy_body
from random_planar import DRIVES, GROUPS, random_mechanism
from test_forces_balance import KINDS, loaded

import korba as kb
from korba.codegen.program import parted
from korba.model.drawing import drawing

DRIVING = ("newton-euler", "multipliers", "groups", "virtual-work", "lever")


def asked(verb, m, seed, **options):
    """What a verb's formula gives of numbers: at the drawing, with random velocities."""
    rng, system = np.random.default_rng([5, seed]), verb.system(m)
    q = np.concatenate([*drawing(system.m).q.values()])[list(system.tree.free_q)]
    v, a = rng.uniform(-1, 1, (2, system.tree.nv))
    packed = verb.pack(verb.formula(system, q, v, a, t=0.3, **options))
    return [np.asarray(part, dtype=float) for part in parted(packed)[0]]


def close(found, expected, tolerance=1e-10):
    """Beside the largest of all forces."""
    scale = max(np.abs(x).max(initial=1e-3) for x in expected)
    for one, two in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, two, rtol=0, atol=tolerance * scale)


def heavy(seed):
    """A random planar mechanism of two groups, with one or two drives, under loads."""
    rng = np.random.default_rng([7, seed])
    names = [str(name) for name in rng.choice(GROUPS, 2)]
    kind = DRIVES[seed % len(DRIVES)]
    m = random_mechanism(1000 + seed, names, kind, cranks=int(rng.integers(1, 3)))
    bodies = [
        replace(body, mass=rng.uniform(0.5, 2.0), com=(*rng.uniform(-0.3, 0.3, 2), 0), inertia=0.1)
        for body in m.bodies
    ]
    joints = [replace(joint, damping=rng.uniform(0, 0.5)) for joint in m.joints]
    last = bodies[-1].name
    forces = [
        kb.PointForce("push", last, (3.0, "2*cos(t)", 0), (0.2, 0.1, 0)),
        kb.Spring("spring", "ground", (0.2, 0.7, 0), last, (0.5, 0.4, 0), stiffness=30, damping=2),
    ]
    return replace(m, bodies=bodies, joints=joints, forces=forces)


@pytest.mark.parametrize("seed", seeds(0.8, least=len(DRIVES)))
def test_all_methods_agree_in_the_plane(seed):
    """Dyads, yokes, cams, gears and welds, any drives: three ways to the joints, five to drives."""
    m = heavy(seed)
    whole = asked(kb.reactions, m, seed)
    for method in ("multipliers", "groups"):
        close(asked(kb.reactions, m, seed, method=method), whole)
    for method in DRIVING:
        (efforts,) = asked(kb.driving_forces, m, seed, method=method)
        close((whole[0], efforts), (whole[0], whole[3][: len(efforts)]))  # idle ones follow


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", seeds(0.3))
def test_all_methods_agree_in_space(kind, seed):
    """With passive constraints and idle freedoms, too: what drives do is unique."""
    m = loaded(kind, seed)
    wrench = np.array([0.2, -0.1, 0.3, 1.0, 2.0, -0.5])
    wrench = wrench if m.plane is None else wrench * (0, 0, 1, 1, 1, 0)
    more = {"external": {"rod": wrench}}
    whole = asked(kb.reactions, m, seed, **more)
    for method in DRIVING if m.plane else ("multipliers", "virtual-work"):
        (efforts,) = asked(kb.driving_forces, m, seed, method=method, **more)
        close((whole[0], efforts), (whole[0], whole[3][: len(efforts)]))  # idle ones follow
    if kind != "four-bar in space":
        close(asked(kb.reactions, m, seed, method="multipliers", **more), whole)


def arm(rng, plane):
    """An open chain of a hinge, a slide and a hinge, driven in all its joints."""
    normal = {} if plane else {"axis": (0.1, 0.2, 1)}
    joints = [
        kb.Revolute("A", "ground", "a", at=(0, 0, 0), damping=0.3, **normal),
        kb.Prismatic("B", "a", "b", at=(1, 0, 0), axis=(1, 0.3, 0)),
        kb.Revolute("C", "b", "c", at=(1.5, 0.5, 0), **normal),
    ]
    laws = {name: f"{rng.uniform(-1, 1)!r}*t" for name in "ABC"}
    bodies = [heavy_body(name, rng, plane) for name in "abc"]
    drives = [kb.JointDrive(f"drive {name}", name, law) for name, law in laws.items()]
    return kb.Mechanism("arm", bodies, joints, drives=drives, plane=plane)


@pytest.mark.parametrize("plane", ["xy", None])
@pytest.mark.parametrize("seed", seeds(0.1))
def test_of_an_open_chain_they_are_inverse_dynamics(plane, seed):
    """Drives in all joints of a tree have to do what inverse dynamics says, by every method."""
    m = arm(np.random.default_rng(seed), plane)
    tau = asked(kb.inverse_dynamics, m, seed)
    for method in DRIVING if plane else ("newton-euler", "multipliers", "virtual-work"):
        close(asked(kb.driving_forces, m, seed, method=method), tau)
