"""Small motions about a state: the linear system, its modes, frequencies and damping.

With x = (dq, dv) about a state, in as many coordinates as loops and drives leave free,

    xdot = A x + B dtau,      A = [ 0       1      ]      B = [ 0       ]                     (1)
                                  [ da/dq   da/dv  ]          [ M^-1 N' ]

M is the mass matrix in these coordinates, N the velocities of all joints for a unit of each. Where
pairs roll there are more of dq than of dv, and the upper rows of A say how dq grows. How A and B
are made from the graph is told in tangent.py. An eigenvalue s of A is a mode: it swings
with |Im s| and dies out with -Re s.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..display import Displayed, Table, Tabled
from ..door import public
from ..errors import StructureError
from ..expr.quantities import quantity
from ..model.mechanism import Mechanism
from ..positions.allowed import parted
from ..positions.closed import closed
from ..solve.assemble import assemble
from ..spatial.rotation import Array
from ..structure.reasons import counted
from ..trajectory.trajectory import Trajectory
from ..verbs.loops import refuse_broken
from ..verbs.options import names_of
from ..verbs.states import single, state
from ..verbs.verb import Given
from .small_motions import SmallMotions, small_motions
from .tangent import linear

STANDS = 1e-6
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

    def __str__(self) -> str:
        s = self.eigenvalue + 0.0  # no -0
        return f"{self.frequency:.6g} Hz, damping ratio {self.damping + 0.0:.4g}, s = {s:.6g} 1/s"

    def motion(self, q: Any, amplitude: float = 0.1, count: int = 60) -> Array:
        """Coordinates of one swing about q to first order, shape (count, nq), undamped.

        With loops or quaternions take `LinearSystem.swing`, which keeps them closed and unit.
        """
        phases = np.exp(2j * np.pi * np.arange(count) / count)
        return np.asarray(q) + amplitude * np.real(np.outer(phases, self.shape))


@dataclass(frozen=True, eq=False)
class LinearSystem(Tabled):
    """xdot = A x + B dtau about a state, or about each of many.

    x are small changes of `coordinates`, then of `rates`: their own, where nothing rolls.
    """

    mechanism: Mechanism
    q: Array
    v: Array
    A: Array
    """Shape (..., 2 n, 2 n), for n freedoms; where pairs roll n + n' with fewer velocities n'."""
    B: Array
    """Shape (..., 2 n, nv): forces in all joints."""
    a: Array
    """The accelerations at the state: zero about an equilibrium."""
    coordinates: tuple[str, ...]
    """What dq counts: small motions by the names of velocities."""
    rates: tuple[str, ...]
    """What dv counts: the names of velocities."""
    ways: Array
    """N: velocities of all joints for a unit of each of dq, shape (..., nv, n); of pairs that roll
    those with which they slip."""
    motions: SmallMotions
    t: Array
    """The time, at which the drives are held."""

    @cached_property
    def eigenvalues(self) -> Array:
        """Of A, in rad/s, shape (..., 2 n)."""
        return np.linalg.eigvals(self.A)

    @property
    def stable(self) -> Any:
        """Whether no mode grows, but for what drifts (`drifting`); for each state of many."""
        return np.all(self.eigenvalues.real <= STANDS * self._fastest[..., None], axis=-1)[()]

    @property
    def _fastest(self) -> Array:
        """The size of the fastest mode, in rad/s, and 1."""
        return np.abs(self.eigenvalues).max(axis=-1) + 1

    @cached_property
    def drifting(self) -> Any:
        """In how many ways it is free to drift, as a cart that rolls: dv stays, and dq grows as t.

        An eigenvalue 0 has fewer vectors than its count says: blocks of two and more in the form of
        Jordan, as many as  dim ker A^2 - dim ker A. With a damper there is none. For each state of
        many.
        """
        own, w = self.motions, self._fastest[..., None, None]
        parts = (own.motions, self.coordinates), (own.velocities, self.rates)
        units = np.concatenate([of.units[[of.names.index(x) for x in k]] for of, k in parts])
        rates = np.where(np.arange(len(units)) < len(self.coordinates), 1.0, w)[..., 0, :]
        units = units * rates  # of dq, and of dv: as fast as the fastest mode
        A = self.A * units[..., None, :] / units[..., None] / w
        kernels = [
            np.sum(np.linalg.svd(x, compute_uv=False) <= STANDS**2, axis=-1) for x in (A, A @ A)
        ]
        return (kernels[1] - kernels[0])[()]

    @property
    def verdict(self) -> str:
        """Whether it is stable, and in how many ways it is free to drift."""
        word = "stable" if self.stable else "unstable"
        if not self.drifting:
            return word
        return f"free to drift in {counted(int(self.drifting), 'way')}, otherwise {word}"

    @cached_property
    def modes(self) -> tuple[Mode, ...]:
        """Modes of one state, the slowest first; of two conjugate ones the first."""
        self._refuse_many("modes")
        values, vectors = np.linalg.eig(self.A)
        n = len(self.coordinates)
        made = []
        for k in np.argsort(np.abs(values), kind="stable"):
            if values[k].imag >= 0:
                shape = self.ways @ vectors[:n, k]
                largest = shape[np.argmax(np.abs(shape))]
                made.append(Mode(complex(values[k]), shape / largest if largest else shape))
        return tuple(made)

    def swing(self, mode: int = 0, amplitude: float = 0.1, count: int = 60) -> Trajectory:
        """One swing in a mode for an animation: a motion of all joints, undamped, loops closed.

        `amplitude` is that of the joint that moves most, in rad or m; a mode that does not swing
        goes there and back within one second.
        """
        self._refuse_many("swing")
        if not (0 <= mode < len(self.modes) and count > 1):
            raise StructureError(
                f"swing: expected a mode from 0 to {len(self.modes) - 1} and two rows or more, got "
                f"mode {mode} and {count} rows"
            )
        own = self.modes[mode]
        w = 2 * np.pi * (own.frequency or 1.0)
        t = np.linspace(0.0, 2 * np.pi / w, count)
        small = amplitude * np.outer(np.exp(1j * w * t), own.shape)
        loops = self.motions.loops
        near = loops.moved(np.tile(self.q, (count, 1)), np.real(small))
        there, gap = closed(loops, near, t=float(self.t[0]))
        q = np.where((gap <= loops.tolerance)[:, None], there, near)
        v, a = (
            self.motions.rolled(self.q, x) for x in (np.real(1j * w * small), -(w**2) * small.real)
        )
        name = f"mode {mode}: {own.frequency:.6g} Hz"
        return Trajectory(self.mechanism, t, q, v, a, method=name)

    def _refuse_many(self, what: str) -> None:
        if self.A.ndim > 2:
            raise StructureError(
                f"{what} are those of one state, this system has {self.A.shape[:-2]} of them; take "
                "its eigenvalues, or linearise about one"
            )

    def _table(self) -> Table:
        rows = [(m.frequency, m.damping, m.eigenvalue.real, m.eigenvalue.imag) for m in self.modes]
        heads = ("frequency in Hz", "damping ratio", "Re s in 1/s", "Im s in rad/s")
        return Table(f"modes of {self.mechanism.name!r}", heads, rows)

    def __str__(self) -> str:
        if self.A.ndim > 2:
            return f"{self.mechanism.name!r}: linear about {self.A.shape[:-2]} states"
        lines = [f"{self.mechanism.name!r}: {self.verdict}"]
        sizes = [abs(mode.eigenvalue) for mode in self.modes]
        still = [size <= STANDS * self._fastest for size in sizes]
        if any(still):
            lines.append(f"  {sum(still)} of {len(still)} modes neither swing, grow nor die away")
        lines += [f"  {mode}" for mode, stands in zip(self.modes, still, strict=True) if not stands]
        return "\n".join(lines)


@public
def linearise(
    m: Mechanism,
    q: Any = None,
    v: Any = None,
    *,
    tau: Any = None,
    t: float | str | None = None,
    gravity: Any = None,
    coordinates: Sequence[str] | str | None = None,
    drives: bool = True,
) -> LinearSystem:
    """The linear system (A, B) of small motions about a state of a mechanism, loops or not.

    `q` and `v` are arrays, names with values, or `q` a pose or a `Trajectory`, along whose rows it
    is linearised; without v at rest. `tau` holds the state. Springs, dampers and motors without
    inductance are part of it, dry friction is not. Drives hold their joints; `drives=False` sets
    them free. With loops `coordinates` names as many joints as there are freedoms, in which A and B
    are written; without names Korba takes the first that tell the motion well.

    >>> import korba as kb
    >>> rod = kb.Body("rod", 3, com=(0.5, 0), inertia=0.25)
    >>> m = kb.Mechanism("m", [rod], [kb.Revolute("A", "ground", "rod", at=(0, 0))], plane="xy")
    >>> round(kb.linearise(m, {"A": "-90 deg"}).modes[0].frequency, 6)
    0.610521
    """
    own = small_motions(m, gravity, drives)
    still = v is None and not isinstance(q, Trajectory)
    when = 0.0 if t is None else quantity("t", t, "time")
    times = np.array([when])
    if isinstance(q, Trajectory):
        times = np.asarray(q.t)[:, None] if t is None else times
        q, v = q.q, q.v if v is None else v
    q = placed(own, q, when)
    v, tau = velocities(own, q, v, times), state(own.system.tree, "tau", tau)
    shape = np.broadcast_shapes(q.shape[:-1], v.shape[:-1], tau.shape[:-1])
    q, v, tau = (np.array(np.broadcast_to(x, (*shape, x.shape[-1]))) for x in (q, v, tau))
    times = np.array(np.broadcast_to(times, (*shape, 1)))
    if own.system.ties:
        refuse_broken("linearise", m, Given((q, v), {}))
    names = None
    if coordinates is not None:
        names = names_of(
            "coordinates", [coordinates] if isinstance(coordinates, str) else coordinates
        )
    x = linear(own, (q, v, tau), times, names, still=still)
    return LinearSystem(m, q, v, x.A, x.B, x.a, x.coordinates, x.rates, x.N, own, times)


def placed(own: SmallMotions, q: Any, t: float) -> Array:
    """Coordinates as they are given; names are held with loops closed, nothing is the drawing."""
    tree = own.system.tree
    bound = own.system.ties or (q is None and own.bound)
    if bound and (q is None or isinstance(q, (str, Mapping))):
        held = single(tree, q or {}, "q")
        return np.asarray(assemble(own.m, held or None, t=t).q)
    return state(tree, "q", q)


def velocities(own: SmallMotions, q: Array, v: Any, t: Array) -> Array:
    """Velocities as they are given; those of joints that are not named follow from the loops."""
    tree, given = own.system.tree, single(own.system.tree, v, "v")
    made = state(tree, "v", v)
    if not own.bound or not isinstance(given, Mapping):
        return made
    rest = np.zeros(tree.nv)
    x = own.values(q, rest, rest, t)
    places = [own.names.index(name) for name in given]
    rows = np.concatenate([x.J, np.eye(tree.nv)[places]])
    sizes = np.concatenate([own.row_units, own.units[places]])
    wanted = np.concatenate([-x.rate, made[places]])
    moving = parted(rows, own.units, sizes).inverse @ wanted
    if np.abs(moving[places] - made[places]).max(initial=0.0) > 1e-6 * np.abs(made).max(
        initial=0.0
    ):
        raise StructureError(
            f"linearise: the velocities of {', '.join(given)} do not go together with the loops "
            f"and drives of mechanism {own.m.name!r}; name as many as there are freedoms"
        )
    return np.asarray(moving)
