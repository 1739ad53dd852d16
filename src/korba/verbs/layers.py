"""Equations in layers: named quantities in the order of computation, each with its meaning.

What is too long to be read as one formula is short link by link. Out along the tree the motion of
every link, in its own axes, back the force and moment in its joint (dynamics/newton_euler.py):

    R, p  turn and origin in its parent, of joints that turn about more than one axis
    w, e  angular velocity and acceleration         f  force that its joint carries
    a     acceleration of its origin less gravity   n  its moment about the link's origin
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ..dynamics.newton_euler import body_wrench
from ..dynamics.recursions import carried, link_values, resisted
from ..expr import Expr, variable
from ..expr.node import as_expr, postorder
from ..kinematics.couplings import all_motion
from ..kinematics.forward import moving, relative_pose, resting, spin_matrix
from ..spatial.pose import Pose
from ..spatial.rotation import Array
from ..system.system import System

MEANINGS = {
    "R": "turn of link {} in its parent, element by element",
    "p": "origin of link {} in its parent",
    "w": "angular velocity of link {}",
    "e": "angular acceleration of link {}",
    "a": "acceleration of the origin of link {}, less gravity",
    "f": "force that the joint of link {} carries",
    "n": "moment that the joint of link {} carries, about the link's origin",
}


class Layer(NamedTuple):
    """What is computed of one link, or the efforts: names and expressions in what came before."""

    meaning: str
    lines: tuple[tuple[str, Expr], ...]


@dataclass
class _Layers:
    number: int
    layers: list[Layer] = field(default_factory=list)

    def named(self, letter: str, values: Array, of: str) -> Array:
        """Values by names, except where a component is a number or has a name already."""
        lines, names = [], np.empty(values.shape, dtype=object)
        for place in np.ndindex(values.shape):
            e = as_expr(values[place])
            if e.op in ("constant", "variable"):
                names[place] = e
                continue
            name = f"{letter}_{self.number}{''.join('xyz'[k] for k in place)}"
            lines.append((name, e))
            names[place] = variable(name)
        if lines:
            meaning = f"{letter}{self.number}: {MEANINGS[letter].format(repr(of))}"
            self.layers.append(Layer(meaning, tuple(lines)))
        return names


def _turns_freely(R: Any) -> bool:
    """Whether elements of a rotation depend on more than one coordinate."""
    return isinstance(R, np.ndarray) and any(
        sum(node.op == "variable" and str(node.value).startswith("q[") for node in nodes) > 1
        for nodes in (postorder([as_expr(x)]) for x in R.flat)
    )


def layers_of(s: System, q: Array, v: Array, a: Array) -> Iterator[Layer]:
    """Inverse dynamics in layers; the last one has the efforts tau_1, tau_2, ..."""
    tree = s.lean
    x = all_motion(tree, q, v, a)
    own: list[Any] = link_values(tree, {"q": x.q, "v": x.v, "a": x.a}, s.loads(x.q, x.v))
    for i, link in enumerate(tree.links):
        parent = resting(s.gravity) if link.parent < 0 else own[link.parent]
        layers, X = _Layers(i + 1), relative_pose(link, own[i]["q"])
        if _turns_freely(X.R):
            X = Pose(layers.named("R", X.R, link.name), layers.named("p", X.p, link.name))
        motion = moving(link, own[i], parent, X)
        w = layers.named("w", motion["w"], link.name)
        wd = layers.named("e", motion["wd"], link.name)
        acceleration = layers.named("a", motion["acceleration"], link.name)
        yield from layers.layers
        U = spin_matrix(w, wd)
        f, n = body_wrench(link, U, acceleration)
        F = np.concatenate([n, f]) - own[i]["wrench"]
        own[i] = {**own[i], "w": w, "wd": wd, "U": U, "acceleration": acceleration, "F": F, "X": X}
    tau = np.zeros(len(tree.velocities), dtype=object)
    for i in reversed(range(len(tree.links))):
        link, layers = tree.links[i], _Layers(i + 1)
        f = layers.named("f", own[i]["F"][3:], link.name)
        n = layers.named("n", own[i]["F"][:3], link.name)
        yield from layers.layers
        F, X = np.concatenate([n, f]), own[i]["X"]
        S = link.joint.motion_subspace(own[i]["q"])
        tau[link.v] = resisted(link, {**own[i], "tau": S.T @ F})[0]["tau"]
        if link.parent >= 0:
            own[link.parent]["F"] = own[link.parent]["F"] + carried(X, F)
    efforts = [(f"tau_{k + 1}", as_expr(each)) for k, each in enumerate(x.back(tau))]
    yield Layer("tau: efforts of the joints", tuple(efforts))
