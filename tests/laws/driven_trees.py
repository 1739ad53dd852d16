"""Random trees of which drives move some freedoms, under springs, weight and damping."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

import korba as kb

sys.path.append(str(Path(__file__).parents[1] / "dynamics"))
from random_trees import EXTRAS, SPATIAL, random_body

KINDS = [kind for kind in SPATIAL if kind not in EXTRAS]


def driven_tree(seed, *, by_coordinate=False, anywhere=False):
    """A tree of three or four joints, one to all of its pins and slides driven.

    Without `by_coordinate` sometimes the distance of a point is, in place of one of them. With
    `anywhere` it is from any point of the ground, which may be out of reach, or have a dead point.
    """
    rng = np.random.default_rng(seed)
    kinds = [*rng.choice(["revolute", "prismatic"], 2), *rng.choice(KINDS, rng.integers(1, 3))]
    bodies, joints = [], []
    for i, kind in enumerate(rng.permutation(kinds)):
        bodies.append(random_body(rng, f"b{i}"))
        ends = ["ground" if i == 0 else f"b{rng.integers(i)}", f"b{i}"]
        place = {key: rng.normal(size=3) for key in ("at", "axis", "x_axis")}
        joints.append(kb.JOINT_TYPES[kind](f"j{i}", *ends, **place, damping=rng.uniform(0, 1)))
    spring = kb.Spring("spring", "ground", (0.3, 0, 1), bodies[-1].name, (0, 1, 0), stiffness=8.0)
    m = kb.Mechanism("driven tree", bodies, joints, forces=[spring])
    able = [joint.name for joint in joints if joint.nv == 1]
    chosen = rng.choice(able, rng.integers(1, len(able) + 1), replace=False)
    drives = [kb.JointDrive(f"d{name}", name, law(rng)) for name in map(str, chosen)]
    if not by_coordinate and rng.random() < 0.4:
        led = from_the_ground if anywhere else elsewhere
        drives[0] = led(rng, m, str(chosen[0]))
    return replace(m, drives=drives)


def law(rng):
    """Somewhere, sooner or later, to and fro."""
    a, b, c, w = rng.uniform(-0.5, 0.5, 4)
    return f"{a} + {b}*t + {c}*sin({3 + 4 * w}*t)"


def elsewhere(rng, m, joint):
    """A drive of the distance of a point that the joint moves from one of the body before it.

    The way of the point leads straight away from the other one, and is short: no dead point is
    near.
    """
    child, parent = m.joint(joint).child, m.joint(joint).parent
    q, at = kb.assemble(m).q, rng.normal(size=3)
    rate = np.eye(m.nv)[m.velocities.index(joint)]
    way = kb.velocity(m, q, rate, child, at)[3:]
    far = kb.pose(m, q, child) @ [*at, 1.0] - [*4.0 * way / np.linalg.norm(way), 0.0]
    base = far if parent == "ground" else np.linalg.solve(kb.pose(m, q, parent), far)
    span = 0.1 * float(np.linalg.norm(way))
    ends = child, tuple(at), parent, tuple(base[:3])
    return kb.LengthDrive("length", *ends, f"4 + {span}*sin(3*t)")


def from_the_ground(rng, m, joint):
    """A drive of the distance of a point that the joint moves from one of the ground."""
    at, far = rng.normal(size=3), rng.normal(size=3) + 4.0
    drawn = float(np.linalg.norm(at - far))
    ends = m.joint(joint).child, tuple(at), "ground", tuple(far)
    return kb.LengthDrive("length", *ends, f"{drawn} + 0.1*sin(3*t)")
