"""Everything that acts on a tree besides gravity and inertia, at a state (q, v, t).

A load does an effort in a joint or pushes a body (`model/forces`); here they are gathered into
forces in all joints and wrenches on the links, in the link's own frame about its origin, as the
recursions want them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from ..expr import Expr
from ..kinematics.couplings import all_coordinates, law_value
from ..kinematics.forward import world_poses
from ..kinematics.velocity import link_twists
from ..model.drawing import drawing
from ..model.force import Effort, Force, Push
from ..model.mechanism import Mechanism
from ..spatial.pose import Pose
from ..spatial.rotation import Array, cross
from ..system.system import Loads
from ..system.tree import Tree

OwnStates = Mapping[str, Sequence[Any]]
"""States that loads have besides coordinates and velocities, by the name of the load."""


@dataclass(frozen=True, eq=False)
class State:
    """What a load may ask for: the `State` of `model.force`, at the links of a tree."""

    tree: Tree
    v_all: Array
    t: Any
    values: Mapping[str, Any]
    """Of all names that laws may use."""
    X_WL: Sequence[Pose] | Mapping[int, Pose]
    twists: Sequence[Array] | Mapping[int, Array]
    """Poses and twists of the links by their numbers."""
    states: OwnStates

    def coordinate(self, name: str) -> tuple[Any, Any]:
        """Value and rate of a coordinate that is its own velocity."""
        return self.values[name], self.v_all[self.tree.velocity_of(name)]

    def point(self, body: str, at: Any) -> tuple[Array, Array]:
        """Position and velocity, in the world, of a point of a body."""
        i = self.tree.number(body)
        if i < 0:
            return np.array(at), np.zeros(3)
        p_L = self.tree.links[i].X_BL.inverse().point(np.array(at))
        w, u = self.twists[i][:3], self.twists[i][3:]
        return self.X_WL[i].point(p_L), self.X_WL[i].R @ (u + cross(w, p_L))

    def turn(self, body: str) -> tuple[Array, Array]:
        """Rotation of a body in the world, and its angular velocity in the world's axes."""
        i = self.tree.number(body)
        if i < 0:
            return np.eye(3), np.zeros(3)
        R_WL = self.X_WL[i].R
        return R_WL @ self.tree.links[i].X_BL.R.T, R_WL @ self.twists[i][:3]

    def value(self, law: Expr, **own: Any) -> Any:
        """Value of a law at the state."""
        return law_value(law, {**self.values, **own})

    def own(self, name: str) -> Sequence[Any] | None:
        """The states of the load of that name."""
        return self.states.get(name)


def depends_on_time(tree: Tree) -> bool:
    """Whether any load of the tree uses the time."""
    return any(force.timed for force in tree.m.forces)


def loads_at(
    tree: Tree,
    q_all: Array,
    v_all: Array,
    t: Any = 0.0,
    states: OwnStates = MappingProxyType({}),
) -> Loads:
    """The forces in all joints and the wrenches on all links.

    A load with states of its own (a motor with inductance: its current) acts by those that
    `states` gives under its name.
    """
    if not tree.m.forces:
        return Loads(np.zeros(len(tree.velocities), dtype=object), {})
    return loads_in(_state(tree, q_all, v_all, t, states))


def _state(tree: Tree, q_all: Array, v_all: Array, t: Any, states: OwnStates) -> State:
    X_WL, twists = world_poses(tree, q_all), link_twists(tree, q_all, v_all)
    values = named_values(tree, q_all, v_all, t)
    state = State(tree, v_all, t, values, X_WL, twists, states)
    for force in tree.m.forces:
        if force.tells:
            values |= zip(force.tells, force.told(state), strict=True)
    return state


def loads_by_name(tree: Tree, q_all: Array, v_all: Array, t: Any = 0.0) -> dict[str, Loads]:
    """What each load does alone, by its name."""
    if not tree.m.forces:
        return {}
    state = _state(tree, q_all, v_all, t, {})
    return {force.name: loads_in(state, [force]) for force in tree.m.forces}


def actions_by_name(
    tree: Tree, q_all: Array, v_all: Array, t: Any = 0.0
) -> dict[str, list[Effort | Push]]:
    """What each load does at a state, where it does it, by its name."""
    state = _state(tree, q_all, v_all, t, {})
    return {force.name: list(force.acts(state)) for force in tree.m.forces}


def loads_in(state: State, forces: Sequence[Force] | None = None) -> Loads:
    """The loads at a state that is known already: all of them, or some."""
    tau = np.zeros(len(state.tree.velocities), dtype=object)
    wrenches: dict[int, tuple[Array, Array]] = {}
    for force in state.tree.m.forces if forces is None else forces:
        for action in force.acts(state):
            if isinstance(action, Effort):
                i = state.tree.velocity_of(action.coordinate)
                tau[i] = tau[i] + action.tau
            elif (i := state.tree.number(action.body)) >= 0:
                n, f = _on_link(state, i, action)
                n_0, f_0 = wrenches.get(i, (np.zeros(3), np.zeros(3)))
                wrenches[i] = (n_0 + n, f_0 + f)
    return Loads(tau, wrenches)


def _on_link(state: State, i: int, push: Push) -> tuple[Array, Array]:
    """A push as a wrench on its link:  (n + r x f, f)."""
    X_LB = state.tree.links[i].X_BL.inverse()
    R_LA = X_LB.R if push.axes == "body" else state.X_WL[i].R.T
    f = R_LA @ push.force
    return R_LA @ push.moment + cross(X_LB.point(np.array(push.at)), f), f


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


def own_starts(tree: Tree) -> dict[str, float]:
    """Where the states of all loads start, by names such as `i_motor` for a motor's current."""
    return {
        f"{symbol}_{force.name}": start
        for force in tree.m.forces
        for symbol, start in zip(force.own_states, force.start_values, strict=True)
    }


def own_units(tree: Tree) -> list[str]:
    """Their units; nothing where one is not known."""
    return [force.state_unit for force in tree.m.forces for _ in force.own_states]


def own_states(tree: Tree, values: Array) -> OwnStates:
    """Values of all own states, in the order of their names, by the loads that have them."""
    states, start = {}, 0
    for force in tree.m.forces:
        count = len(force.own_states)
        states[force.name] = tuple(values[start : start + count])
        start += count
    return states


def own_rates(tree: Tree, q_all: Array, v_all: Array, t: Any, values: Array) -> Array:
    """Rates of the own states of all loads."""
    loads = [force for force in tree.m.forces if force.own_states]
    if not loads:
        return np.zeros(0, dtype=object)
    state = _state(tree, q_all, v_all, t, own_states(tree, values))
    return np.array([rate for force in loads for rate in force.rates(state)], dtype=object)


MEETS = 1e-6
"""Distance of two points, in typical lengths, at which a line through them has no direction."""


def without_direction(m: Mechanism, tree: Tree, q: Array) -> str:
    """Which loads have no direction at a position, as a sentence; nothing if all have one."""
    X_WL = world_poses(tree, all_coordinates(tree, q))
    still = [np.zeros(6)] * len(X_WL)
    at = State(tree, np.zeros(len(tree.velocities)), 0.0, {}, X_WL, still, {})
    least, names = MEETS * drawing(m).scale, []
    for load in m.forces:
        if load.ends and load.needs_distance:
            a, b = (np.asarray(at.point(*end)[0], dtype=float) for end in load.ends)
            names += [repr(load.name)] * bool(np.linalg.norm(b - a) < least)
    if not names:
        return ""
    return (
        f" The two points of force {', '.join(names)} meet there, so that it has no direction; "
        "with free_length 0, and without damping and law, a spring may pass"
    )
