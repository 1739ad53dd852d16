"""All methods for the forces of a motion give the same numbers, or are refused by name."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from law_counts import seeds
from random_planar import DRIVES, GROUPS, random_mechanism
from test_forces_balance import KINDS, TIMES, loaded
from test_forces_balance import heavy as heavy_body

import korba as kb
from korba.codegen import evaluate_program

DRIVING = ("newton-euler", "multipliers", "groups", "virtual-work", "lever")


def by_numpy(verb, m, motion, **options):
    """What a verb's formula gives, as arrays, without machine code."""
    program = verb.program(m, **options)
    given = {"q": motion.q, "v": motion.v, "a": motion.a, "t": motion.t[:, None]}
    external = options.get("external", {})
    given["external"] = np.concatenate([np.zeros(0), *external.values()])
    results = evaluate_program(program, *(given[name] for name, _ in program.inputs))
    return results if isinstance(results, tuple) else (results,)


def close(found, expected, tolerance=1e-10):
    """Beside the largest of all forces."""
    scale = max(np.abs(x).max(initial=1e-3) for x in expected)
    for one, two in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, two, rtol=0, atol=tolerance * scale)


def heavy(seed):
    """A random planar mechanism of two or three groups, with one or two drives, under loads."""
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


@pytest.mark.parametrize("seed", seeds(0.15))
def test_all_methods_agree_in_the_plane(seed):
    """Dyads, yokes, cams, gears and welds, any drives: three ways to the joints, five to drives."""
    m = heavy(seed)
    motion = kb.motion(m, [0.0, 0.05])
    whole = by_numpy(kb.reactions, m, motion)
    for method in ("multipliers", "groups"):
        close(by_numpy(kb.reactions, m, motion, method=method), whole)
    for method in DRIVING:
        (efforts,) = by_numpy(kb.driving_forces, m, motion, method=method)
        close((whole[0], efforts), (whole[0], whole[3]))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", seeds(0.05))
def test_all_methods_agree_in_space(kind, seed):
    """Open in the tree or closed, with passive constraints and idle freedoms, drives are unique."""
    m = loaded(kind, seed)
    motion = kb.motion(m, TIMES)
    wrench = np.array([0.2, -0.1, 0.3, 1.0, 2.0, -0.5])
    wrench = wrench if m.plane is None else wrench * (0, 0, 1, 1, 1, 0)
    more = {"external": {"rod": wrench}}
    whole = by_numpy(kb.reactions, m, motion, **more)
    for method in DRIVING if m.plane else ("multipliers", "virtual-work", None):
        (efforts,) = by_numpy(kb.driving_forces, m, motion, method=method, **more)
        close((whole[0], efforts), (whole[0], whole[3]))
    if kind != "four-bar in space":
        close(by_numpy(kb.reactions, m, motion, method="multipliers", **more), whole)


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
@pytest.mark.parametrize("seed", seeds(0.05))
def test_of_an_open_chain_they_are_inverse_dynamics(plane, seed):
    """Drives in all joints of a tree have to do what inverse dynamics says, by every method."""
    rng = np.random.default_rng(seed)
    m = arm(rng, plane)
    program = kb.inverse_dynamics.program(m)
    states = rng.uniform(-1, 1, (3, 4, m.nv))
    tau = evaluate_program(program, *states)
    for method in DRIVING if plane else ("newton-euler", "multipliers", "virtual-work"):
        found = evaluate_program(kb.driving_forces.program(m, method=method), *states)
        close((found,), (tau,))
