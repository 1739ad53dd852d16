"""The pace of what acts: times between which loads, drives and events change too much for one step.

A step is judged by its error, and where nothing moves there is none: then steps would grow without
end, and a load that comes and goes inside of one is never felt. So what depends on the time is
looked at before a run: laws of loads and given forces, the motions of drives, expressions of
events, the state as it is at the start. The time is cut into panels,

    f = sum c_k P_k(u),   |c_4| + ... + |c_7| <= 1e-3 R,  |c_6| + |c_7| <= 1e-8 R   on each   (1)

by Legendre's polynomials on the eight points of Gauss, R the range of f in the run. A bend that
only a derivative of f has, such as a spline has at its points, is in the second sum: a step across
it may see no error. Panels on which this does not hold, or on which a choice jumps, are halved;
neighbours on which it holds together are joined. No step goes beyond the panel after the one where
it begins (adaptive.py). What lasts shorter than 1/2000 of a run may still be missed, unless it is
switched by a comparison of times: then 1e-6 of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.polynomial import legendre

from ..codegen.program import symbols
from ..expr import Expr, constant, evaluate
from ..expr.evaluate import substitute_all
from ..expr.node import as_expr, postorder
from ..forces.loads import named_values
from ..kinematics.couplings import law_value
from ..spatial.rotation import Array
from ..system.store import kept
from . import right_hand_side
from .right_hand_side import Plant, all_joints

U, WEIGHTS = legendre.leggauss(8)
TAIL = ((np.arange(8) + 0.5) * legendre.legvander(U, 7) * WEIGHTS[:, None]).T[4:]
"""From values at the points to the coefficients c_4 ... c_7."""
ROUGH, BENT = 1e-3, 1e-8
"""Parts of the range of a function that are too much for both sums of (1); ROUGH for a jump too."""
LEVELS, DEEPEST = 8, 12
"""Panels are 2^8 at first, and halved so often at most."""
MOST = 100_000
"""Panels in all, about: from there on they are taken as they are."""
TINY = 1e-300
"""Keeps what is constant smooth."""
STARTS = 16
"""States of a batch at which laws are looked at."""
LINEAR = {"add", "sub", "neg", "mul", "div"}
JUMPS = {"less", "less_equal"}
CLOCK = "t[0]"


class Clocks(NamedTuple):
    """What depends on the time: numbers that change, and choices with what their jumps are."""

    functions: list[Expr]
    choices: list[tuple[Expr, Expr]]
    """What changes its sign at a jump, and how large the jump is."""


def marks(plant: Plant, states: Array, constants: Array, start: float, end: float) -> Array:
    """Ends of the panels between two times; none where nothing depends on the time.

    `states` are rows of y, `constants` of what stays between events, of one start or of many.
    """
    clocks = kept(plant.m, plant.key("clocks", None), lambda: _clocks(plant))
    if not (clocks.functions or clocks.choices) or not end > start or not len(states):
        return np.zeros(0)
    rows = np.unique(np.linspace(0, len(states) - 1, STARTS).astype(int))
    values = {f"y[{i}]": states[rows, i][:, None] for i in range(states.shape[1])}
    values |= {f"tau[{i}]": constants[rows, i][:, None] for i in range(constants.shape[1])}
    edges = _Panels(clocks, values, start, end).edges()
    return edges[1:] if len(edges) > 2 else np.zeros(0)


def timed(plant: Plant) -> bool:
    """Whether anything that acts, or an event, may depend on the time."""
    clocks: Clocks = kept(plant.m, plant.key("clocks", None), lambda: _clocks(plant))
    return bool(clocks.functions or clocks.choices)


def _clocks(plant: Plant) -> Clocks:
    """The laws of a plant, cut where they meet the state.

    Of what depends on the time alone (and on sizes) the largest parts are taken; of what depends on
    the state too, functions and choices, which are looked at as if the state stood still.
    """
    roots = _acting(plant)
    nodes = postorder(roots)
    switches = {f"tau[{i}]" for i in range(plant.constants - len(plant.switches), plant.constants)}
    timed, pure = _dependence(nodes, switches)
    functions = [root for root in roots if root in timed and root in pure]
    choices = []
    for node in nodes:
        inner = [arg for arg in node.args if arg in timed]
        if node not in pure and inner:
            functions += [arg for arg in inner if arg in pure]
            functions += [node] if node.op not in LINEAR | JUMPS | {"where"} else []
        if node.op == "where" and node.args[0].op in JUMPS and node.args[0] in timed:
            choices.append((_apart(node.args[0]), node.args[1] - node.args[2]))
        elif node.op in LINEAR:
            choices += [(_apart(arg), constant(1.0)) for arg in inner if arg.op in JUMPS]
    return Clocks(list(dict.fromkeys(functions)), list(dict.fromkeys(choices)))


def _apart(comparison: Expr) -> Expr:
    return comparison.args[0] - comparison.args[1]


def _dependence(nodes: Sequence[Expr], moving: set[str]) -> tuple[set[Expr], set[Expr]]:
    """Nodes that depend on the time, and those that depend on nothing that moves besides."""
    timed: set[Expr] = set()
    pure: set[Expr] = set()
    for node in nodes:
        if node.args:
            if any(arg in timed for arg in node.args):
                timed.add(node)
            if all(arg in pure for arg in node.args):
                pure.add(node)
            continue
        name = node.value if isinstance(node.value, str) else ""
        if name == CLOCK:
            timed.add(node)
        if not name.startswith("y[") and name not in moving:
            pure.add(node)
    return timed, pure


def _acting(plant: Plant) -> list[Expr]:
    """Loads, given forces, motions of drives and expressions of events at (y, t, tau)."""
    made = right_hand_side.shape(plant)
    y, (t,), tau = symbols("y", made.size), symbols("t", 1), symbols("tau", plant.constants)
    q, v, currents = made.parts(y)
    q_all, v_all = all_joints(plant.tree, q, v)
    loads = right_hand_side.acting(plant, t, currents)(q_all, v_all)
    found = [
        *loads.tau,
        *(x for wrench in loads.wrenches.values() for part in wrench for x in part),
    ]
    found += [*right_hand_side.given_forces(plant, q_all, v_all, t, tau)]
    found += [x for drive in plant.system.drives for x in np.ravel(drive.motion(t))]
    values = named_values(plant.tree, q_all, v_all, t) | plant.modes(tau)
    found += [law_value(watch.when, values) for watch in plant.watches]
    return substitute_all([as_expr(x) for x in found], plant.size_places)


class _Panels:
    """Panels between two times, halved and joined."""

    def __init__(self, clocks: Clocks, values: dict[str, Array], start: float, end: float) -> None:
        self.clocks, self.values, self.start, self.span = clocks, values, start, end - start
        self.range: Any = 0.0

    def edges(self) -> Array:
        """Where panels begin and end."""
        first = np.linspace(0.0, 1.0, 2**LEVELS + 1)
        new, done = np.stack([first[:-1], first[1:]], axis=1), []
        for depth in range(DEEPEST + 1):
            rough = self.rough(new)
            if depth == DEEPEST or rough.sum() > MOST:
                rough[:] = False
            done.append(new[~rough])
            middle = new[rough].mean(axis=1)
            new = np.stack([new[rough][:, 0], middle, middle, new[rough][:, 1]], axis=1)
            new = new.reshape(-1, 2)
            if not len(new):
                break
        panels = np.concatenate(done)
        panels = self.joined(panels[np.argsort(panels[:, 0])])
        return np.append(self.start + self.span * panels[:, 0], self.start + self.span)

    def joined(self, panels: Array) -> Array:
        """Panels with those joined that are the halves of one on which all is smooth."""
        for level in reversed(range(LEVELS)):
            width = 0.5**level
            half = np.isclose(np.diff(panels, axis=1)[:, 0], 0.5 * width, rtol=1e-6, atol=0)
            whole = half[:-1] & half[1:] & (np.round(panels[:-1, 0] / (0.5 * width)) % 2 == 0)
            (k,) = np.nonzero(whole)
            both = np.stack([panels[k, 0], panels[k + 1, 1]], axis=1)
            smooth = ~self.rough(both) if len(k) else np.zeros(0, dtype=bool)
            panels[k[smooth], 1] = both[smooth, 1]
            panels = np.delete(panels, k[smooth] + 1, axis=0)
        return panels

    def rough(self, panels: Array) -> Array:
        """Which panels want to be halved."""
        x = panels.mean(axis=1)[:, None] + 0.5 * np.diff(panels, axis=1) * U
        t = self.start + self.span * x.ravel()
        f = self._sampled(self.clocks.functions, t)
        range_ = f.max(axis=(0, 1, 2)) - f.min(axis=(0, 1, 2))
        self.range = np.maximum(self.range, range_)
        c = np.abs(np.einsum("kj,sijf->sikf", TAIL, f))
        tail = np.maximum(c.sum(axis=2) / ROUGH, c[:, :, 2:].sum(axis=2) / BENT)
        sides = np.sign(self._sampled([apart for apart, _ in self.clocks.choices], t))
        jump = np.abs(self._sampled([size for _, size in self.clocks.choices], t))
        jumps = jump.min(axis=2) > ROUGH * jump.max(axis=(0, 1, 2), initial=0.0)
        jumps &= sides.min(axis=2) < sides.max(axis=2)
        return np.any(tail > self.range + TINY, axis=(0, 2)) | np.any(jumps, axis=(0, 2))

    def _sampled(self, expressions: list[Expr], t: Array) -> Array:
        """Values (states, panels, 8, expressions); what has no value is zero."""
        rows = len(next(iter(self.values.values()))) if self.values else 1
        shape = rows, len(t) // 8, 8, len(expressions)
        if not expressions:
            return np.zeros(shape)
        found = evaluate(expressions, {**self.values, CLOCK: t})
        whole = np.broadcast_to(found, (rows, len(t), len(expressions)))
        return np.nan_to_num(whole.reshape(shape), posinf=0.0, neginf=0.0)
