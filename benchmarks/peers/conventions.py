"""What the peers call differently, in one place.

| | Korba | Pinocchio | MuJoCo |
|---|---|---|---|
| quaternion | (w, x, y, z) | (x, y, z, w) | (w, x, y, z) |
| velocity of a free base | (w, u) in the body | (u, w) in the body | u in the world, w in it |
| joint without limits | its angle | (cos, sin) of its angle | its angle |
| mimic joint | dependent, not in q | a coordinate like others | a coordinate like others |
| order of joints | of the file | by depth, then by name | by depth, then by file |
| 6-vectors | angular first | linear first | angular first |
| momentum | about the world's origin | about the centre of mass | |
| a link fixed to the world | part of energy, centre of mass | left out | part of them |

Velocities are related by a matrix, `v_peer = G v`, so that forces come back by its transpose:
`tau = G' tau_peer` and `M = G' M_peer G`. Mimic joints are rows of G with their factor; they are
read from the file here, not taken from Korba.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import mujoco
import numpy as np
import pinocchio as pin
from robots import robot

import korba as kb
from korba.spatial.rotation import rotation_of_quaternion

Array = np.ndarray
SWAP = np.block([[np.zeros((3, 3)), np.eye(3)], [np.eye(3), np.zeros((3, 3))]])
"""Angular first to linear first, and back."""


def mimics(path: Path) -> dict[str, tuple[str, float, float]]:
    """Joint -> (the joint it follows, factor, offset), as the file says."""
    joints = {e.get("name", ""): e for e in ET.parse(path).getroot().findall("joint")}  # noqa: S314
    found = {}
    for name, element in joints.items():
        mimic = element.find("mimic")
        if mimic is not None and mimic.get("joint") in joints:
            factor, offset = mimic.get("multiplier", "1"), mimic.get("offset", "0")
            found[name] = (str(mimic.get("joint")), float(factor), float(offset))
    return found


def source(name: str, follows: dict[str, tuple[str, float, float]]) -> tuple[str, float, float]:
    """The independent joint behind a joint, with the factor and offset of its angle."""
    factor, offset = 1.0, 0.0
    while name in follows:
        name, k, b = follows[name]
        factor, offset = factor * k, offset + factor * b
    return name, factor, offset


@dataclass(frozen=True, eq=False)
class Pinocchio:
    """One robot in Korba and in Pinocchio; states come and answers go in Korba's terms."""

    m: kb.Mechanism
    model: pin.Model
    path: Path
    floating: bool

    @cached_property
    def data(self) -> pin.Data:
        return self.model.createData()

    @cached_property
    def G(self) -> Array:
        """v of Pinocchio from Korba's."""
        return self._maps[0]

    @cached_property
    def _maps(self) -> tuple[Array, Array]:
        follows, place = mimics(self.path), {name: i for i, name in enumerate(self.m.velocities)}
        G, offset = np.zeros((self.model.nv, self.m.nv)), np.zeros(self.model.nv)
        for joint, name in list(zip(self.model.joints, self.model.names, strict=True))[1:]:
            if joint.nv == 6:
                G[joint.idx_v : joint.idx_v + 6, :6] = SWAP
            else:
                leader, factor, offset[joint.idx_v] = source(name, follows)
                G[joint.idx_v, place[leader]] = factor
        return G, offset

    @property
    def has_mimics(self) -> bool:
        return self.model.nv > self.m.nv

    def coordinates(self, q: Array) -> Array:
        """q of Pinocchio from Korba's."""
        base = 7 if self.floating else 0
        angles = self.G[:, base - (base > 0) :] @ q[base:] + self._maps[1]
        found = np.zeros(self.model.nq)
        for joint in list(self.model.joints)[1:]:
            x, place = angles[joint.idx_v], slice(joint.idx_q, joint.idx_q + joint.nq)
            if joint.nq == 7:
                found[place] = [*q[:3], *q[4:7], q[3]]
            else:
                found[place] = (np.cos(x), np.sin(x)) if joint.nq == 2 else x
        return found

    def tangent(self, q: Array) -> Array:
        """Rates of Korba's coordinates from its velocities: derivatives by q along v."""
        N = np.zeros((self.m.nq, self.m.nv))
        if not self.floating:
            return np.eye(self.m.nv)
        root = next(joint for joint in self.m.joints if joint.nq == 7)
        N[:7, :6] = np.array([root.qdot(q[:7], e) for e in np.eye(6)]).T
        N[7:, 6:] = np.eye(self.m.nv - 6)
        return N

    def jacobian(self, body: str) -> Array:
        """Of the origin of a link, in the world's axes; frames are placed before."""
        frame = self.model.getFrameId(body, pin.FrameType.BODY)
        aligned = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        return SWAP @ pin.getFrameJacobian(self.model, self.data, frame, aligned) @ self.G

    def centre_of_mass(self) -> tuple[float, Array]:
        """Mass and centre of all links, the one fixed to the world too."""
        base, rest = self.model.inertias[0], self.data.mass[0]
        total = base.mass + rest
        return total, (base.mass * base.lever + rest * self.data.com[0]) / total

    def base_potential(self) -> float:
        """Potential energy of the link fixed to the world."""
        base = self.model.inertias[0]
        return -base.mass * float(self.model.gravity.linear @ base.lever)

    def momentum(self) -> Array:
        """Angular about the world's origin, then linear."""
        linear = self.data.hg.linear
        return np.concatenate([self.data.hg.angular + np.cross(self.data.com[0], linear), linear])


def pinocchio_pair(path: Path, floating: bool) -> Pinocchio | None:
    """A robot in both; None for a file that Pinocchio's parser refuses."""
    root = [pin.JointModelFreeFlyer()] if floating else []
    try:
        return Pinocchio(
            robot(path, floating), pin.buildModelFromUrdf(str(path), *root), path, floating
        )
    except ValueError:
        return None


@dataclass(frozen=True, eq=False)
class Mujoco:
    """One robot in Korba and in MuJoCo."""

    m: kb.Mechanism
    model: mujoco.MjModel
    floating: bool

    def answers(self, q: Array, v: Array) -> tuple[Array, Array]:
        """M and h in Korba's terms:  with v_m = G v also  a_m = G a + Gdot v."""
        data, G = mujoco.MjData(self.model), self._map(q)
        data.qpos[:], data.qvel[:] = self._coordinates(q), G @ v
        mujoco.mj_forward(self.model, data)
        M = np.zeros((self.model.nv, self.model.nv))
        for row, e in zip(M, np.eye(self.model.nv), strict=True):
            mujoco.mj_mulM(self.model, data, row, e)
        change = np.zeros(self.model.nv)
        if self.floating:
            change[:3] = rotation_of_quaternion(q[3:7]) @ np.cross(v[:3], v[3:6])
        return G.T @ M @ G, G.T @ (M @ change + data.qfrc_bias)

    def _places(self) -> list[tuple[int, int]]:
        """Place in MuJoCo's velocities and in Korba's of every joint of one freedom."""
        place = {name: i for i, name in enumerate(self.m.velocities)}
        joints = [self.model.joint(i) for i in range(self.model.njnt)]
        return [(j.dofadr[0], place[j.name]) for j in joints if j.name in place]

    def _coordinates(self, q: Array) -> Array:
        found, base = np.zeros(self.model.nq), int(self.floating)
        found[: 7 * base] = q[: 7 * base]
        for theirs, ours in self._places():
            found[theirs + base] = q[ours + base]
        return found

    def _map(self, q: Array) -> Array:
        G = np.zeros((self.model.nv, self.m.nv))
        if self.floating:
            G[:3, 3:6], G[3:6, :3] = rotation_of_quaternion(q[3:7]), np.eye(3)
        for theirs, ours in self._places():
            G[theirs, ours] = 1.0
        return G


def mujoco_pair(path: Path, floating: bool) -> Mujoco:
    """A robot in both; MuJoCo reads the same file, its shapes left out."""
    root = ET.parse(path).getroot()  # noqa: S314
    for link in root.findall("link"):
        for shape in (*link.findall("visual"), *link.findall("collision")):
            link.remove(shape)
    spec = mujoco.MjSpec.from_string(ET.tostring(root, encoding="unicode"))
    spec.compiler.balanceinertia = False
    if floating:
        spec.worldbody.first_body().add_freejoint()
    return Mujoco(robot(path, floating), spec.compile(), floating)
