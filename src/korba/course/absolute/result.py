"""The motion in absolute coordinates as a trajectory of free bodies, and the book's matrices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...model.mechanism import Mechanism
from ...spatial.rotation import Array
from ...trajectory.audit import Audit
from ...trajectory.columns import Column
from ...trajectory.trajectory import Trajectory
from .system import AbsoluteSystem


def trajectory_of(
    system: AbsoluteSystem, t: Array, states: list[tuple[Array, Array, Array]]
) -> Trajectory:
    """Motion of the free bodies, with the parameters of profiles beside it."""
    x, x_rate, x_second = (np.array(each) for each in zip(*states, strict=True))
    q, v, a = x[:, system.places], x_rate[:, system.kept], x_second[:, system.kept]
    loose = system.system.m
    joints = loose.joints[: len(system.links)]
    free = Mechanism(
        system.m.name,
        loose.bodies,
        tuple(replace(joint, name=joint.child) for joint in joints),
        plane=system.m.plane,
    )
    own = free.nq, free.nv, free.nv
    extra = {
        f"{prefix}beta_{k}": Column(values[:, first + k], unit)
        for first, prefix, values, unit in zip(
            own, ("", "v_", "a_"), (q, v, a), ("1", "1/s", "1/s^2"), strict=True
        )
        for k in range(q.shape[1] - free.nq)
    }
    q, v, a = (values[:, :count] for values, count in zip((q, v, a), own, strict=True))
    return Trajectory(
        free,
        t,
        q,
        v,
        a,
        extra=extra,
        method="absolute coordinates",
        audit=Audit(gap=lambda: system.gap(t, x)),
    )


def point_homogeneous(q: Sequence[float], v: Sequence[float], a: Sequence[float]) -> Any:
    """A, A' and A'' of a link: r = A r_i, r' = A' r_i, r'' = A'' r_i (2.10), (3.63), (3.64)."""
    c, s = np.cos(q[2]), np.sin(q[2])
    R, B = np.array([[c, -s], [s, c]]), np.array([[-s, -c], [c, -s]])
    parts = (
        (R, q, 1.0),
        (v[2] * B, v, 0.0),
        (a[2] * B - v[2] ** 2 * R, a, 0.0),
    )
    return tuple(
        np.block([[turn, np.reshape(shift[:2], (2, 1))], [np.zeros((1, 2)), np.array([[one]])]])
        for turn, shift, one in parts
    )
