"""Everything that acts on a tree besides gravity and inertia, at a state (q, v, t).

A load is either a force or moment in a joint, or a wrench on a link; wrenches are given in the
link's own frame about its origin, as the recursions want them. One function a kind of load, in a
table: a new kind adds one entry.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from ..errors import StructureError
from ..expr import variables
from ..kinematics.couplings import law_value
from ..kinematics.forward import world_poses
from ..kinematics.velocity import link_twists
from ..model.curve import Curve, value_at
from ..model.force import Force, JointForce, Moment, Motor, PointForce, Spring
from ..spatial.pose import Pose
from ..spatial.rotation import Array
from ..system.loads import Loads
from ..system.tree import Tree


@dataclass(frozen=True, eq=False)
class State:
    """What laws may ask for."""

    tree: Tree
    q_all: Array
    v_all: Array
    t: Any
    values: Mapping[str, Any]
    X_WL: Sequence[Pose] | Mapping[int, Pose]
    twists: Sequence[Array] | Mapping[int, Array]
    """Poses and twists of the links by their numbers."""
    currents: Mapping[str, Any]
    """Currents of the motors whose inductance makes them states of their own, by name."""


def depends_on_time(tree: Tree) -> bool:
    """Whether any load of the tree uses the time."""
    laws = (getattr(force, key, None) for force in tree.m.forces for key in LAWS)
    flat = [law for found in laws for law in (found if isinstance(found, tuple) else (found,))]
    return any(
        isinstance(law, Curve) or (law is not None and "t" in variables(law)) for law in flat
    )


LAWS = ("law", "force", "moment", "voltage")


def loads_at(
    tree: Tree,
    q_all: Array,
    v_all: Array,
    t: Any = 0.0,
    currents: Mapping[str, Any] = MappingProxyType({}),
) -> Loads:
    """The forces in all joints and the wrenches on all links.

    A motor with inductance acts by the current that `currents` gives under its name.
    """
    if not tree.m.forces:
        return Loads(np.zeros(len(tree.velocities), dtype=object), {})
    X_WL, twists = world_poses(tree, q_all), link_twists(tree, q_all, v_all)
    values = named_values(tree, q_all, v_all, t)
    return loads_in(State(tree, q_all, v_all, t, values, X_WL, twists, currents))


def loads_in(state: State) -> Loads:
    """The loads at a state that is known already."""
    loads = Loads(np.zeros(len(state.tree.velocities), dtype=object), {})
    for force in state.tree.m.forces:
        KINDS[type(force)](force, state, loads)
    return loads


def named_values(tree: Tree, q_all: Array, v_all: Array, t: Any) -> dict[str, Any]:
    """What laws name: coordinates, their velocities as `v_<name>`, and `t`."""
    values = dict(zip(tree.coordinates, q_all, strict=True)) | {"t": t}
    return values | {f"v_{name}": v for name, v in zip(tree.velocities, v_all, strict=True)}


def power(tree: Tree, loads: Loads, q_all: Array, v_all: Array) -> Any:
    """Power of loads on the mechanism: tau' v of all joints, and n' w + f' u of all links."""
    total: Any = sum((tau * v for tau, v in zip(loads.tau, v_all, strict=True)), start=0.0)
    if loads.wrenches:
        twists = link_twists(tree, q_all, v_all)
        for i, wrench in loads.wrenches.items():
            total = total + np.concatenate(wrench) @ twists[i]
    return total


def inductive_motors(tree: Tree) -> tuple[Motor, ...]:
    """The motors whose current is a state of its own."""
    return tuple(f for f in tree.m.forces if isinstance(f, Motor) and f.inductance)


def current_rate(motor: Motor, tree: Tree, v_all: Array, t: Any, current: Any) -> Any:
    """di/dt of a motor with inductance:  L di/dt = u - R i - k_e N v."""
    v = v_all[tree.velocity_of(motor.joint)]
    return (_driving(motor, v, t) - motor.resistance * current) / motor.inductance


def _joint_force(force: JointForce, state: State, loads: Loads) -> None:
    """tau = -k (q - rest) - c v + law(q, v, t)."""
    i = state.tree.velocity_of(force.joint)
    q, v = state.values[force.joint], state.v_all[i]
    law = law_value(force.law, {**state.values, "q": q, "v": v})
    loads.tau[i] = loads.tau[i] - force.stiffness * (q - force.rest) - force.damping * v + law


def _motor(force: Motor, state: State, loads: Loads) -> None:
    """tau = N eta k i,  with i = (u - k_e N v) / R, or a state of its own."""
    if force.inductance and force.name not in state.currents:
        raise StructureError(
            f"force {force.name!r}: a motor with inductance has its current as a state of its own; "
            "leave the inductance out for forces at a state, or simulate"
        )
    i = state.tree.velocity_of(force.joint)
    if force.inductance:
        current = state.currents[force.name]
    else:
        current = _driving(force, state.v_all[i], state.t) / force.resistance
    loads.tau[i] = loads.tau[i] + force.ratio * force.efficiency * force.torque_constant * current


def _driving(motor: Motor, v: Any, t: Any) -> Any:
    """The voltage that drives the current: u - k_e N v."""
    back = motor.torque_constant if motor.back_emf is None else motor.back_emf
    return value_at(motor.voltage, "t", t) - back * motor.ratio * v


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
