"""A mechanism as a tree of links, ready for recursions.

Rotors and elastic joints are written out, bodies are numbered so that a link comes after the one it
hangs on, and every link has the frame of its own joint, chosen so that little is left to compute
(frames.py): then the pose of a link in its parent is a constant frame times the joint's own motion,
X_PB = X_PF X_FM(q), and formulas stay short.
Joints that close loops are kept aside.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from graphlib import TopologicalSorter
from typing import Any

import numpy as np

from ..expr import variables
from ..model.body import GROUND, Body
from ..model.coupling import Coupling
from ..model.drawing import drawing
from ..model.given import as_drawn
from ..model.joint import Joint
from ..model.mechanism import Mechanism
from ..spatial.pose import Pose, identity
from ..spatial.rotation import Array
from ..topology.graph import graph_of, spanning_tree
from .expand import expanded
from .frames import AnyJoint, ReversedJoint, moments, reframed
from .idle_spins import spins
from .sizes import with_symbols


@dataclass(frozen=True, eq=False)
class Link:
    """One moving body of a tree; the frame of the link is the frame of its joint on it."""

    name: str
    parent: int
    """Number of the link it hangs on; -1 is the base."""
    joint: AnyJoint
    X_PF: Pose
    """The joint's frame on the parent link: X_PB = X_PF @ joint.pose(q)."""
    X_BL: Pose
    """The link's frame in the frame of the body as described."""
    q: slice
    v: slice
    """Places of its coordinates and velocities among those of all joints."""
    mass: float
    h: Array
    """First moment m c, in the link's frame."""
    K: Array
    """Second moments, the integral of r r' dm, in the link's frame; J = tr(K) 1 - K."""
    damping: float


@dataclass(frozen=True, eq=False)
class Tree:
    """Links in order, and the coordinates of all joints, dependent ones too."""

    m: Mechanism
    """The mechanism with rotors and elastic joints written out."""
    links: tuple[Link, ...]
    coordinates: tuple[str, ...]
    velocities: tuple[str, ...]
    free_q: tuple[int, ...]
    """Which of the coordinates are independent, in the order of q."""
    free_v: tuple[int, ...]
    rates: dict[str, int]
    """Place of the velocity of every coordinate that is its own velocity."""
    couplings: tuple[Coupling, ...]
    """In an order in which each uses only coordinates known before."""
    closing: tuple[Joint, ...]
    """Joints outside the tree."""
    ends: dict[str, tuple[Pose, Pose]] | None = None
    """Frames of joints on their links, where numbers are inputs; else those of the drawing."""

    @property
    def nq(self) -> int:
        """Count of independent coordinates."""
        return len(self.free_q)

    @property
    def nv(self) -> int:
        """Count of independent velocities."""
        return len(self.free_v)

    @property
    def gravity(self) -> Array:
        """Gravity in the world."""
        return np.array(self.m.gravity)

    @cached_property
    def quaternions(self) -> list[list[int]]:
        """Places among the independent coordinates: of the links, then of joints of loops."""
        place = {i: k for k, i in enumerate(self.free_q)}
        own = [(link.q.start, link.joint.quaternions) for link in self.links]
        turning = [joint for joint in self.closing if joint.quaternions]
        own += [(self.coordinates.index(j.coordinates()[0]), j.quaternions) for j in turning]
        return [[place[first + i] for i in part] for first, parts in own for part in parts]

    def normalised(self, q: Array) -> Array:
        """Coordinates with quaternions of length 1, numbers or symbols, shape (..., nq or more)."""
        if not self.quaternions:
            return q
        q = np.array(q)
        for places in self.quaternions:
            part = q[..., places]
            q[..., places] = part / np.sqrt(np.sum(part * part, axis=-1, keepdims=True))
        return q

    @property
    def coordinate_kinds(self) -> list[str]:
        """Kind of every independent coordinate, those of joints that close loops too."""
        kinds = [kind for joint in self.m.joints for kind in joint.coordinate_kinds]
        return [kinds[i] for i in self.free_q]

    @property
    def velocity_kinds(self) -> list[str]:
        """Kind of every independent velocity."""
        kinds = [kind for joint in self.m.joints for kind in joint.velocity_kinds]
        return [kinds[i] for i in self.free_v]

    def number(self, body: str) -> int:
        """Number of the link of a body; -1 is the base."""
        if body == GROUND:
            return -1
        return next(i for i, link in enumerate(self.links) if link.name == body)

    def velocity_of(self, coordinate: str) -> int:
        """Place, among all velocities, of the rate of a coordinate that is its own velocity."""
        return self.rates[coordinate]

    def rate_name(self, name: str) -> str:
        """The name of the velocity that a coordinate has; any other name as it is."""
        known = name not in self.velocities and name in self.rates
        return self.velocities[self.rates[name]] if known else name

    def support(self, link: int) -> list[int]:
        """The links from this one to the base, this one first."""
        found = []
        while link >= 0:
            found.append(link)
            link = self.links[link].parent
        return found


def tree_of(m: Mechanism, parameters: Sequence[str] = ()) -> Tree:
    """The tree of a mechanism along a spanning tree of its graph; `parameters` are symbols in it.

    Frames are chosen by looking at numbers: with symbols each link keeps the frame of its joint.
    """
    whole = expanded(with_symbols(m, parameters) if parameters else m)
    placed = drawing(whole)
    graph = graph_of(whole)
    span = spanning_tree(graph)
    places = places_of(whole.joints)
    number = {body: i for i, body in enumerate(span.order[1:])} | {0: -1}
    X_BL: dict[int, Pose] = {0: identity()}
    carried = {} if parameters else spins(whole, placed)
    held = {
        body.name: _carrying(body, carried[body.name]) if body.name in carried else body
        for body in whole.bodies
    }
    links = []
    for b in span.order[1:]:
        joint = whole.joints[span.joint_to[b]]
        before = span.body_before[b]
        body = whole.bodies[b - 1]
        forward = joint.child == body.name
        ends = placed.X_PF(joint), placed.X_BM(joint)
        X_PF, X_BL[b] = ends if forward else ends[::-1]
        q, v = places[joint.name]
        links.append(
            Link(
                body.name,
                number[before],
                joint if forward else ReversedJoint(joint),
                X_BL[before].inverse() @ X_PF,
                X_BL[b],
                q,
                v,
                *moments(held[body.name], X_BL[b]),
                joint.damping,
            )
        )
    q_names, v_names, free_q, free_v, rates = _free(whole)
    closing = tuple(whole.joints[j] for j in span.closing)
    couplings = _ordered(whole)
    if not parameters:
        links = reframed(links, held)
    return Tree(whole, tuple(links), q_names, v_names, free_q, free_v, rates, couplings, closing)


def _carrying(body: Body, J: Array) -> Body:
    """A body with a further moment of inertia about its middle."""
    return as_drawn(body, inertia=tuple(map(tuple, np.array(body.inertia) + J)))


Slices = dict[str, tuple[slice, slice]]
"""Places of every joint's coordinates and velocities among those of all joints."""


def places_of(joints: Iterable[Joint]) -> Slices:
    """Coordinates and velocities of joints one after the other."""
    found, q, v = {}, 0, 0
    for joint in joints:
        found[joint.name] = (slice(q, q + joint.nq), slice(v, v + joint.nv))
        q, v = q + joint.nq, v + joint.nv
    return found


def _free(m: Mechanism) -> tuple[Any, ...]:
    """Names of all coordinates and velocities, and which of them are independent."""
    q_names = [name for joint in m.joints for name in joint.coordinates()]
    v_names = [name for joint in m.joints for name in joint.velocities()]
    place = {name: i for i, name in enumerate(v_names)}
    rates = {name: place[rate] for joint in m.joints for name, rate in joint.own_rates.items()}
    dependent = {rates[name] for name in m.dependent}
    free_q = tuple(i for i, name in enumerate(q_names) if name not in m.dependent)
    free_v = tuple(i for i in range(len(v_names)) if i not in dependent)
    return tuple(q_names), tuple(v_names), free_q, free_v, rates


def _ordered(m: Mechanism) -> tuple[Coupling, ...]:
    """Couplings so that each uses only coordinates given before it."""
    by_name = {coupling.coordinate: coupling for coupling in m.couplings}
    graph = {name: variables(coupling.law) & set(by_name) for name, coupling in by_name.items()}
    return tuple(by_name[name] for name in TopologicalSorter(graph).static_order())
