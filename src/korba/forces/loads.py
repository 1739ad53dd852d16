"""Everything that acts on a tree besides gravity and inertia, at a state (q, v, t).

A load is either a force or moment in a joint, or a wrench on a link; wrenches are given in the
link's own frame about its origin, as the recursions want them. One function a kind of load, in a
table: a new kind adds one entry.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..dynamics.equations import Loads
from ..errors import StructureError
from ..expr import variables
from ..kinematics.couplings import law_value
from ..kinematics.forward import world_poses
from ..kinematics.tree import Tree
from ..kinematics.velocity import link_twists
from ..model.curve import Curve, value_at
from ..model.force import Force, JointForce, Moment, Motor, PointForce, Spring
from ..spatial.pose import Pose
from ..spatial.rotation import Array


@dataclass(frozen=True, eq=False)
class State:
    """What laws may ask for."""

    tree: Tree
    q_all: Array
    v_all: Array
    t: Any
    values: Mapping[str, Any]
    X_WL: list[Pose]
    twists: list[Array]


def depends_on_time(tree: Tree) -> bool:
    """Whether any load of the tree uses the time."""
    laws = (getattr(force, key, None) for force in tree.m.forces for key in LAWS)
    flat = [law for found in laws for law in (found if isinstance(found, tuple) else (found,))]
    return any(
        isinstance(law, Curve) or (law is not None and "t" in variables(law)) for law in flat
    )


LAWS = ("law", "force", "moment", "voltage")


def loads_at(tree: Tree, q_all: Array, v_all: Array, t: Any = 0.0) -> Loads:
    """The forces in all joints and the wrenches on all links."""
    loads = Loads(np.zeros(len(tree.velocities), dtype=object), {})
    if not tree.m.forces:
        return loads
    values = dict(zip(tree.coordinates, q_all, strict=True)) | {"t": t}
    values |= {f"v_{name}": v for name, v in zip(tree.velocities, v_all, strict=True)}
    state = State(
        tree, q_all, v_all, t, values, world_poses(tree, q_all), link_twists(tree, q_all, v_all)
    )
    for force in tree.m.forces:
        KINDS[type(force)](force, state, loads)
    return loads


def _joint_force(force: JointForce, state: State, loads: Loads) -> None:
    """tau = -k (q - rest) - c v + law(q, v, t)."""
    i = state.tree.velocity_of(force.joint)
    q, v = state.values[force.joint], state.v_all[i]
    law = law_value(force.law, {**state.values, "q": q, "v": v})
    loads.tau[i] = loads.tau[i] - force.stiffness * (q - force.rest) - force.damping * v + law


def _motor(force: Motor, state: State, loads: Loads) -> None:
    """tau = N eta k (u - k_e N v) / R."""
    if force.inductance:
        raise StructureError(
            f"force {force.name!r}: a motor with inductance has its current as a state of its own; "
            "leave the inductance out for forces at a state"
        )
    i = state.tree.velocity_of(force.joint)
    back = force.torque_constant if force.back_emf is None else force.back_emf
    voltage = value_at(force.voltage, "t", state.t)
    current = (voltage - back * force.ratio * state.v_all[i]) / force.resistance
    loads.tau[i] = loads.tau[i] + force.ratio * force.efficiency * force.torque_constant * current


def _point_force(force: PointForce, state: State, loads: Loads) -> None:
    """A force at a point: (r x f, f)."""
    i, p_L, R_LA = _on_link(force.body, force.at, force.axes, state)
    if i >= 0:
        f = R_LA @ np.array([law_value(law, state.values) for law in force.force], dtype=object)
        _push(loads, i, np.cross(p_L, f), f)


def _moment(force: Moment, state: State, loads: Loads) -> None:
    i, _, R_LA = _on_link(force.body, (0.0, 0.0, 0.0), force.axes, state)
    if i >= 0:
        n = R_LA @ np.array([law_value(law, state.values) for law in force.moment], dtype=object)
        _push(loads, i, n, np.zeros(3))


def _spring(force: Spring, state: State, loads: Loads) -> None:
    """f = k (l - l0) + c ldot + law(l, v, t); positive f pulls the two points together (4.184)."""
    ends = [(force.body_a, force.at_a), (force.body_b, force.at_b)]
    (p_a, v_a), (p_b, v_b) = (_moving_point(body, at, state) for body, at in ends)
    d = p_b - p_a
    length = np.sqrt(d @ d)
    u = d / length
    rate = u @ (v_b - v_a)
    law = law_value(force.law, {**state.values, "l": length, "v": rate})
    f = force.stiffness * (length - force.free_length) + force.damping * rate + law
    for (body, at), sign in zip(ends, (1.0, -1.0), strict=True):
        i, p_L, R_LW = _on_link(body, at, "world", state)
        if i >= 0:
            f_L = R_LW @ (u * (sign * f))
            _push(loads, i, np.cross(p_L, f_L), f_L)


def _on_link(body: str, at: Any, axes: str, state: State) -> tuple[int, Array, Array]:
    """Link, point in its frame, and the rotation from the axes of a load to the link's."""
    i = state.tree.number(body)
    if i < 0:
        return i, np.zeros(3), np.eye(3)
    X_LB = state.tree.links[i].X_BL.inverse()
    R_LA = X_LB.R if axes == "body" else state.X_WL[i].R.T
    return i, X_LB.point(np.array(at)), R_LA


def _moving_point(body: str, at: Any, state: State) -> tuple[Array, Array]:
    """Position and velocity, in the world, of a point of a body."""
    i = state.tree.number(body)
    if i < 0:
        return np.array(at), np.zeros(3)
    p_L = state.tree.links[i].X_BL.inverse().point(np.array(at))
    w, u = state.twists[i][:3], state.twists[i][3:]
    return state.X_WL[i].point(p_L), state.X_WL[i].R @ (u + np.cross(w, p_L))


def _push(loads: Loads, i: int, n: Array, f: Array) -> None:
    n_0, f_0 = loads.wrenches.get(i, (np.zeros(3), np.zeros(3)))
    loads.wrenches[i] = (n_0 + n, f_0 + f)


KINDS: dict[type[Force], Callable[[Any, State, Loads], None]] = {
    JointForce: _joint_force,
    Motor: _motor,
    PointForce: _point_force,
    Moment: _moment,
    Spring: _spring,
}
