"""Accelerations in absolute coordinates, repeated over bodies and joints that are alike.

The equations are those of dynamics/absolute.py, with each joint's part in the plane or space of its
own subspace S taken first: lambda = T y + S^+' e, where T'S = 0 and e is the force in the joint. In
the velocities M~^1/2 V of the bodies, with R = T'Phi M~^-1/2 for each joint and each body it ties,

    K y = T'gamma - R f,       K = R R',       M~^1/2 A = f + R'y                             (1)

K has a block for each pair of joints on one body: few, however many bodies there are. Joints are
eliminated in the order of minimum degree, block by block:

    X_k = K_kj K_jj^-1,   K_kl -= X_k K_lj',   y_j = K_jj^-1 b_j - sum X_k' y_k                (2)

Every step is traced once for joints that are alike, so that the program is as long as the mechanism
has kinds of joints, and the time as long as it has joints. Where S is not constant, a body is
light, constraints are to spare, or forces, drives and couplings act, straight-line code does the
same.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from ...codegen.repetition import Block, Repetition, Spot
from ...dynamics.bodies import carried, crossed
from ...dynamics.factored import solve_symmetric
from ...kinematics.velocity import of_parent
from ...spatial.rotation import Array, cross
from ...system.alike import PARAMETERS, numbered
from ...system.system import System
from .pairs import Joined, Pair, joint_frames, roots_of, whole


def eliminations(links: list[list[int]]) -> Iterator[tuple[int, list[int]]]:
    """Joints in the order of minimum degree, each with those after it that its block meets.

    `links` has the joints of every body.
    """
    near: dict[int, set[int]] = {}
    for joints in links:
        for j in joints:
            near.setdefault(j, set()).update(joints)
    waiting = [(len(others), j) for j, others in near.items()]
    heapq.heapify(waiting)
    while waiting:
        degree, j = heapq.heappop(waiting)
        if j not in near or degree != len(near[j]):
            continue
        others = near.pop(j) - {j}
        for k in others:
            near[k] = (near[k] | others) - {j}
            heapq.heappush(waiting, (len(near[k]), k))
        yield j, sorted(others)


def repeated_accelerations(system: System, sizes: Mapping[str, int]) -> Repetition:
    """The accelerations of all joints as a repetition, of inputs with these sizes."""
    return _Accelerations(system, sizes).program()


class _Accelerations(Joined):
    """Forces, rows, (1) and (2)."""

    def __init__(self, system: System, sizes: Mapping[str, int]) -> None:
        super().__init__(system, sizes)
        self.joints: list[list[int]] = [[] for _ in self.tree.links]
        """Of every link the joints with rows."""
        for j, pair in enumerate(self.pairs):
            for _, link in pair.ends if pair.rows else ():
                self.joints[link].append(j)

    def program(self) -> Repetition:
        """Motion of the links, forces, rows, (1) and (2)."""
        self.motions()
        self._forces()
        for j, pair in enumerate(self.pairs):
            own = self.own(j, ("q", "v", "tau"))
            ends = {f"force of {end}": self._force(link) for end, link in pair.ends}
            if pair.tie.child >= 0:
                ends["motion of child"] = self.motion(pair.tie.child)
            made = {name: ((name, j), size) for name, size in self._parts(pair).items()}
            formula = partial(joint_rows, pair.values, pair.ends, self.at.space)
            self.steps.formula(("rows", pair.kind), formula, own | ends | made)
        self._right_sides()
        self._solve()
        for j, pair in enumerate(self.pairs):
            self._accelerate(j, pair)
        name = self.tree.m.name or "the mechanism"
        return self.steps.repetition(name, self.inputs.items(), ((self.tree.nv,),))

    def _parts(self, pair: Pair) -> dict[str, int]:
        """What the rows of a joint leave for later steps, and how many numbers each has."""
        own, rows = pair.values["S"].shape[1], pair.rows
        found = {"bend": own, "K": rows * rows, "b": rows}
        for end, _ in pair.ends:
            found |= {f"R of {end}": rows * self.size, f"E of {end}": own * self.size}
        return {name: size for name, size in found.items() if size}

    def _force(self, link: int) -> Block:
        return ("force", link), self.size

    def _forces(self) -> None:
        """Weight, and what the motion of every link takes by itself."""
        roots = [roots_of(self.system, self.at, n) for n in range(len(self.tree.links))]
        values, columns = numbered(np.array(roots))
        for n, own in enumerate(roots):
            blocks: dict[str, Block | Spot] = {"motion": self.motion(n), "force": self._force(n)}
            if columns:
                blocks[PARAMETERS] = self.steps.constant(("link", n), own[columns])
            formula = partial(link_force, np.array(values, dtype=object), self.at.space)
            self.steps.formula("force", formula, blocks)

    def _right_sides(self) -> None:
        """b of (1), when all that acts on the links is known."""
        for j, pair in enumerate(self.pairs):
            if pair.rows:
                blocks: dict[str, Block | Spot] = {"b": (("b", j), pair.rows)}
                for end, link in pair.ends:
                    blocks[f"R of {end}"] = (f"R of {end}", j), pair.rows * self.size
                    blocks[f"force of {end}"] = self._force(link)
                ends = tuple(end for end, _ in pair.ends)
                self.steps.formula(("b", ends, pair.rows), partial(right_side, ends), blocks)

    def _solve(self) -> None:
        """(1): blocks of K, (2), and what the multipliers add to the forces."""
        order = list(eliminations(self.joints))
        place = {j: k for k, (j, _) in enumerate(order)}
        known = self._meetings(place)
        for j, others in order:
            later = sorted(others, key=place.__getitem__)
            self._eliminate(j, later, known)
        for j, others in reversed(order):
            later = sorted(others, key=place.__getitem__)
            rows = [self.pairs[k].rows for k in later]
            n = self.pairs[j].rows
            blocks: dict[str, Block | Spot] = {"W": (("W", j), n * n), "b": (("b", j), n)}
            blocks["y"] = ("y", j), n
            for i, k in enumerate(later):
                blocks |= {f"X{i}": (("X", j, k), rows[i] * n), f"y{i}": (("y", k), rows[i])}
            self.steps.formula(("y", n, *rows), partial(substituted, n, rows), blocks)
            for end, link in self.pairs[j].ends:
                added: dict[str, Block | Spot] = {
                    "force": self._force(link),
                    "R": ((f"R of {end}", j), n * self.size),
                    "y": (("y", j), n),
                }
                self.steps.formula(
                    ("add", n), lambda x: {"force": x["force"] + _turned(x["R"], x["y"])}, added
                )

    def _meetings(self, place: dict[int, int]) -> set[tuple[int, int]]:
        """Blocks of K of joints on one body; the joint that goes first comes first."""
        known: set[tuple[int, int]] = set()
        for link, joints in enumerate(self.joints):
            for one in joints:
                for two in joints:
                    if place[one] < place[two]:
                        self._meet(link, one, two, (one, two) in known)
                        known.add((one, two))
        return known

    def _meet(self, link: int, one: int, two: int, again: bool) -> None:
        n, m = self.pairs[two].rows, self.pairs[one].rows
        blocks: dict[str, Block | Spot] = {"K": (("K", one, two), n * m)}
        for name, j in (("one", one), ("two", two)):
            end = next(end for end, at in self.pairs[j].ends if at == link)
            blocks[name] = (f"R of {end}", j), self.pairs[j].rows * self.size

        def formula(x: Mapping[str, Array]) -> dict[str, Array]:
            K = x["two"].reshape(n, -1) @ x["one"].reshape(m, -1).T
            return {"K": K.ravel() + x["K"] if again else K.ravel()}

        self.steps.formula(("meet", n, m, again), formula, blocks)

    def _eliminate(self, j: int, later: list[int], known: set[tuple[int, int]]) -> None:
        """(2) for one joint and those that it meets."""
        n, rows = self.pairs[j].rows, [self.pairs[k].rows for k in later]
        blocks: dict[str, Block | Spot] = {"K": (("K", j), n * n), "b": (("b", j), n)}
        blocks["W"] = ("W", j), n * n
        fresh = []
        for i, k in enumerate(later):
            blocks |= {
                f"B{i}": (("K", j, k), rows[i] * n),
                f"X{i}": (("X", j, k), rows[i] * n),
                f"K{i}": (("K", k), rows[i] ** 2),
                f"b{i}": (("b", k), rows[i]),
            }
            for h, other in enumerate(later[i + 1 :], start=i + 1):
                blocks[f"C{i},{h}"] = ("K", k, other), rows[i] * rows[h]
                if (k, other) not in known:
                    fresh.append((i, h))
                    known.add((k, other))
        formula = partial(eliminated, n, rows, frozenset(fresh))
        self.steps.formula(("eliminate", n, *rows, *fresh), formula, blocks)

    def _accelerate(self, j: int, pair: Pair) -> None:
        """a of a joint from those of its bodies."""
        part = pair.tie.v
        count = part.stop - part.start
        if not count:
            return
        blocks: dict[str, Block | Spot] = {"a": Spot("out0", part.start, count)}
        blocks["bend"] = ("bend", j), count
        for end, link in pair.ends:
            blocks[f"E of {end}"] = (f"E of {end}", j), count * self.size
            blocks[f"force of {end}"] = self._force(link)
        ends = tuple(end for end, _ in pair.ends)

        def formula(x: Mapping[str, Array]) -> dict[str, Array]:
            a = -x["bend"]
            for end in ends:
                a = a + x[f"E of {end}"].reshape(count, -1) @ x[f"force of {end}"]
            return {"a": a}

        self.steps.formula(("a", ends, count), formula, blocks)


def link_force(roots: Array, space: tuple[int, ...], x: Mapping[str, Array]) -> dict[str, Array]:
    """Weight less b, in velocities M~^1/2 V; `roots` are M~^-1/2."""
    V, g = whole(space, x["motion"])
    r = np.ones(6, dtype=object)
    r[list(space)] = roots
    w, J = V[:3], 1.0 / (r[:3] * r[:3])
    taken = np.concatenate([-cross(w, J * w) * r[:3], (g - cross(w, V[3:])) / r[3:]])
    return {"force": taken[list(space)]}


def joint_rows(
    values: Mapping[str, Any],
    ends: list[tuple[str, int]],
    space: tuple[int, ...],
    x: Mapping[str, Array],
) -> dict[str, Array]:
    """R, K and T'gamma of a joint, what gives its acceleration, and its own force on the bodies."""
    X_cK, X_pK, S_6 = joint_frames(values, space, x)
    own, S, T = list(space), values["S"], values["T"]
    back = np.linalg.inv((S.T @ S).astype(float)) @ S.T if S.dtype != object else _inverse(S)
    gamma = np.zeros(len(own), dtype=object)
    effort = np.zeros(len(own), dtype=object)
    if "v" in x:
        V = np.zeros(6)
        if "motion of child" in x:
            V = of_parent(X_cK, whole(space, x["motion of child"])[0])
        gamma = crossed(V, S_6 @ x["v"])[own]
        effort = back.T @ (x["tau"] - values["damping"] * x["v"])
    found = {"bend": back @ gamma, "b": T.T @ gamma, "K": 0.0}
    for end, _ in ends:
        Phi = carried(X_cK) if end == "child" else -carried(X_pK)
        Phi = Phi[np.ix_(own, own)] * values[end]
        R = T.T @ Phi
        found |= {f"R of {end}": R, f"E of {end}": back @ Phi, "K": found["K"] + R @ R.T}
        found[f"force of {end}"] = x[f"force of {end}"] + Phi.T @ effort
    return {name: value for name, value in found.items() if name in x}


def _inverse(S: Array) -> Array:
    """(S'S)^-1 S' of symbols."""
    return solve_symmetric(S.T @ S, S.T)


def right_side(ends: tuple[str, ...], x: Mapping[str, Array]) -> dict[str, Array]:
    """b - R f."""
    b = x["b"]
    for end in ends:
        b = b - x[f"R of {end}"].reshape(len(b), -1) @ x[f"force of {end}"]
    return {"b": b}


def eliminated(
    n: int, rows: list[int], fresh: frozenset[tuple[int, int]], x: Mapping[str, Array]
) -> dict[str, Array]:
    """(2): W = K^-1, the shares X, and what is left of K and b of the others."""
    W = solve_symmetric(x["K"].reshape(n, n), np.eye(n))
    found = {"W": W}
    B = [x[f"B{i}"].reshape(m, n) for i, m in enumerate(rows)]
    for i, m in enumerate(rows):
        X = B[i] @ W
        found |= {f"X{i}": X, f"b{i}": x[f"b{i}"] - X @ x["b"]}
        found[f"K{i}"] = x[f"K{i}"].reshape(m, m) - X @ B[i].T
        for h in range(i + 1, len(rows)):
            change = B[h] @ X.T
            before = 0.0 if (i, h) in fresh else x[f"C{i},{h}"].reshape(change.shape)
            found[f"C{i},{h}"] = before - change
    return found


def substituted(n: int, rows: list[int], x: Mapping[str, Array]) -> dict[str, Array]:
    """y = W b - sum of X'y."""
    y = x["W"].reshape(n, n) @ x["b"]
    for i, m in enumerate(rows):
        y = y - x[f"X{i}"].reshape(m, n).T @ x[f"y{i}"]
    return {"y": y}


def _turned(R: Array, y: Array) -> Array:
    """R'y."""
    return np.asarray(R.reshape(len(y), -1).T @ y)
