"""The robots that Korba is compared on: every URDF file of example-robot-data."""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import distribution
from pathlib import Path

import numpy as np

import korba as kb


def robot_files() -> list[Path]:
    share = distribution("example-robot-data").locate_file("cmeel.prefix/share")
    return sorted(Path(str(share)).rglob("*.urdf"))


def urdf(name: str) -> Path:
    return next(path for path in robot_files() if path.stem == name)


def bare(m: kb.Mechanism) -> kb.Mechanism:
    """Without shapes, and without damping and friction, which the peers' recursions leave out."""
    joints = tuple(replace(joint, damping=0.0, friction=None) for joint in m.joints)
    bodies = tuple(replace(body, shapes=(), points=()) for body in m.bodies)
    return replace(m, joints=joints, bodies=bodies, notes=())


def robot(path: Path, floating: bool) -> kb.Mechanism:
    return bare(kb.read_urdf(path, merge_fixed=True, floating=floating))


def random_state(m: kb.Mechanism, seed: int) -> dict[str, np.ndarray]:
    """Coordinates (quaternions unit), velocities, accelerations and forces."""
    rng = np.random.default_rng(seed)
    q = rng.uniform(-1, 1, m.nq)
    if m.nq > m.nv:  # the free base comes first: x, y, z and the quaternion
        q[3:7] /= np.linalg.norm(q[3:7])
    v, a, tau = rng.uniform(-1, 1, size=(3, m.nv))
    return {"q": q, "v": v, "a": a, "tau": 10 * tau}


def tip(m: kb.Mechanism) -> str:
    """A body at the end of the tree: the last one of the file."""
    parents = {joint.parent for joint in m.joints}
    return [body.name for body in m.bodies if body.name not in parents][-1]
