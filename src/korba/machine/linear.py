"""Small motions about a state: the linear system, its modes, frequencies and damping.

With x = (dq, dv) about a state (q, v) of a tree, in which dq counts along the velocities,

    xdot = A x + B dtau,      A = [ 0       1      ]      B = [ 0    ]                         (1)
                                  [ da/dq   da/dv  ]          [ M^-1 ]

The derivatives of the accelerations a are made from the graph (verbs/slopes.py). An eigenvalue s of
A is a mode: it swings with |Im s| and dies out with -Re s.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..display import Displayed, Table
from ..door import public
from ..errors import StructureError
from ..forces.loads import depends_on_time
from ..kinematics.rates import coordinate_rates
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from ..trajectory.trajectory import Trajectory
from ..verbs.dynamics import forward_dynamics
from ..verbs.options import gravity_key
from ..verbs.states import quantity, state
from ..verbs.store import compiled
from ..verbs.systems import tree_system
from ..verbs.uses import derivative

STANDS = 1e-9
"""Part of the fastest mode by which one may seem to grow."""


@dataclass(frozen=True, eq=False)
class Mode(Displayed):
    """One way in which a linear system moves: exp(s t) times its shape."""

    eigenvalue: complex
    """s, in rad/s."""
    shape: Array
    """Complex amplitudes of dq, the largest one 1."""

    @property
    def frequency(self) -> float:
        """Swings a second, in Hz; 0 where it does not swing."""
        return abs(self.eigenvalue.imag) / (2 * np.pi)

    @property
    def damping(self) -> float:
        """Damping ratio: 0 swings for ever, 1 and more does not swing, below 0 it grows."""
        size = abs(self.eigenvalue)
        return -self.eigenvalue.real / size if size else 0.0

    def motion(self, q: Any, amplitude: float = 0.1, count: int = 60) -> Array:
        """Coordinates of one swing about q for an animation, shape (count, nq), undamped."""
        phases = np.exp(2j * np.pi * np.arange(count) / count)
        return np.asarray(q) + amplitude * np.real(np.outer(phases, self.shape))


@dataclass(frozen=True, eq=False)
class LinearSystem(Displayed):
    """xdot = A x + B dtau about a state, or about each of many."""

    mechanism: Mechanism
    q: Array
    v: Array
    A: Array
    """Shape (..., 2 nv, 2 nv)."""
    B: Array
    """Shape (..., 2 nv, nv)."""
    a: Array
    """The accelerations at the state: zero about an equilibrium."""

    @cached_property
    def eigenvalues(self) -> Array:
        """Of A, in rad/s, shape (..., 2 nv)."""
        return np.linalg.eigvals(self.A)

    @property
    def stable(self) -> Any:
        """Whether no mode grows; for each state of many."""
        s = self.eigenvalues
        return np.all(s.real <= STANDS * (np.abs(s).max(axis=-1, keepdims=True) + 1), axis=-1)[()]

    @cached_property
    def modes(self) -> tuple[Mode, ...]:
        """Modes of one state, the slowest first; of two conjugate ones the first."""
        if self.A.ndim > 2:
            raise StructureError(
                f"modes are those of one state, this system has {self.A.shape[:-2]} of them; take "
                "its eigenvalues, or linearise about one"
            )
        values, vectors = np.linalg.eig(self.A)
        n = len(values) // 2
        made = []
        for k in np.argsort(np.abs(values), kind="stable"):
            if values[k].imag >= 0:
                shape = vectors[:n, k]
                largest = shape[np.argmax(np.abs(shape))]
                made.append(Mode(complex(values[k]), shape / largest if largest else shape))
        return tuple(made)

    def _table(self) -> Table:
        rows = [(m.frequency, m.damping, m.eigenvalue.real, m.eigenvalue.imag) for m in self.modes]
        heads = ("frequency in Hz", "damping ratio", "Re s in 1/s", "Im s in rad/s")
        return Table(f"modes of {self.mechanism.name!r}", heads, rows)

    def __str__(self) -> str:
        if self.A.ndim > 2:
            return f"{self.mechanism.name!r}: linear about {self.A.shape[:-2]} states"
        lines = [f"{self.mechanism.name!r}: {'stable' if self.stable else 'unstable'}"]
        lines += [
            f"  {m.frequency:.6g} Hz, damping ratio {m.damping:.4g}, s = {m.eigenvalue:.6g} 1/s"
            for m in self.modes
        ]
        return "\n".join(lines)


@public
def linearise(
    m: Mechanism,
    q: Any = None,
    v: Any = None,
    *,
    tau: Any = None,
    t: float | str = 0.0,
    gravity: Any = None,
) -> LinearSystem:
    """The linear system (A, B) of small motions about a state of a mechanism without loops.

    `q` and `v` are arrays, names with values, or `q` a pose or a `Trajectory`, along whose rows it
    is linearised; without v at rest. `tau` holds the state. Springs, dampers and motors without
    inductance are part of it, dry friction is not.

    >>> import korba as kb
    >>> rod = kb.Body("rod", 3, com=(0.5, 0), inertia=0.25)
    >>> m = kb.Mechanism("m", [rod], [kb.Revolute("A", "ground", "rod", at=(0, 0))], plane="xy")
    >>> round(kb.linearise(m, {"A": "-90 deg"}).modes[0].frequency, 6)
    0.610521
    """
    tree = tree_system(m).tree
    if isinstance(q, Trajectory):
        q, v = q.q, q.v if v is None else v
    q, v, tau = (
        state(tree, name, x) for name, x in zip(("q", "v", "tau"), (q, v, tau), strict=True)
    )
    options = {"t": quantity("t", t, "time"), "gravity": gravity}
    if tree.quaternions and np.any(v):
        raise StructureError(
            f"linearise: mechanism {m.name!r} has joints with quaternions, about which it is "
            "linearised at rest only; leave v out"
        )
    shape = np.broadcast_shapes(q.shape[:-1], v.shape[:-1], tau.shape[:-1])
    q, v, tau = (np.array(np.broadcast_to(x, (*shape, x.shape[-1]))) for x in (q, v, tau))
    by_q, by_v, by_tau = slopes(m, gravity)(q, v, tau, *timed(m, options["t"]))
    n, moved = tree.nv, by_q @ directions(m, q)
    A = np.concatenate(
        [
            np.concatenate([np.zeros_like(moved), np.broadcast_to(np.eye(n), moved.shape)], -1),
            np.concatenate([moved, by_v], axis=-1),
        ],
        axis=-2,
    )
    B = np.concatenate([np.zeros_like(by_tau), by_tau], axis=-2)  # (1)
    return LinearSystem(m, q, v, A, B, np.asarray(forward_dynamics(m, q, v, tau, **options)))


def slopes(m: Mechanism, gravity: Any) -> Any:
    """Derivatives of the accelerations by q, v and tau, compiled and kept."""

    def make() -> Any:
        return derivative(forward_dynamics, m, ("q", "v", "tau"), gravity=gravity)

    return compiled(m, ("linearise", gravity_key(gravity)), make)


def timed(m: Mechanism, t: float) -> list[Array]:
    """The time as an input, for mechanisms with loads that use it."""
    return [np.array([t])] if depends_on_time(tree_system(m).tree) else []


def directions(m: Mechanism, q: Array) -> Array:
    """Rates of q for a unit of each velocity, shape (..., nq, nv)."""
    tree = tree_system(m).tree
    if not tree.quaternions:
        return np.eye(tree.nq)
    rows = q.reshape(-1, tree.nq)
    made = [[coordinate_rates(tree, row, e) for e in np.eye(tree.nv)] for row in rows]
    turned = np.array(made, dtype=float).swapaxes(-1, -2)
    return turned.reshape(*q.shape[:-1], tree.nq, tree.nv)
