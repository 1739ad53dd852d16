"""Which inertial parameters the forces of a mechanism depend on, in numbers.

Of all p some combinations are not felt: Y(q, v, a) p = 0 in every motion that the joints and loops
allow. That is so exactly when they have no kinetic energy and no weight,

    N' M(p) N = 0,     N' G(p) = 0     at all positions,                                      (1)

with N the velocities that loops allow (1 in a tree): the velocity terms follow from the energy. So
rows of (1) at random positions, each for one random acceleration, are enough; friction has rows of
its own. Columns are taken in the order in which one likes to keep them, tensors before first
moments and masses, links near the base before those they carry, massless bodies last; a column
that depends on those kept before is dependent, and its parameter goes into theirs,

    beta = p_kept + C p_dependent,     Y_dependent = Y_kept C                                 (2)

Source: Gautier & Khalil (1990), Direct calculation of minimum set of inertial parameters of serial
robots; Gautier (1991), Numerical calculation of the base inertial parameters of robots.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np

from ..errors import StructureError
from ..expr import evaluate, variable
from ..kinematics.couplings import all_motion
from ..model.drawing import drawing
from ..positions.allowed import allowed
from ..positions.closed import closed, walked
from ..positions.loop_system import loop_system
from ..spatial.rotation import Array
from ..system.system import System
from ..wording import named
from .regressor import DRY, MOMENTS, VISCOUS, Parameter, heavy, taken_by_friction, taken_by_joints

NOTHING = 1e-8
"""Part of a column, beside those kept before it, below which it depends on them."""
ROUNDING = 1e-13
"""Part of a column that is rounding."""
POSITIONS = 40
"""Positions at least: some parameters are felt in one joint alone, so in one row of each."""
SPARE = 12
"""Rows more than there are columns."""
STRIDES, STRIDE = 8, 0.3
"""Of walks from the drawing, and how far each goes."""
OUTSTANDING = 0.3
"""Part of the largest column of a group that another must have to be taken in its place."""
LIKED = ("Izz", "Ixx", "Ixy", "Iyz", "Ixz", "Iyy", "mx", "my", "mz", "m", VISCOUS, DRY)
"""The order in which parameters are kept; of a link that turns about z its Iyy goes first."""


@dataclass(frozen=True, eq=False)
class Identifiable:
    """Rows of (1) at random positions, lengths in a typical one, and what they say."""

    parameters: tuple[Parameter, ...]
    W: Array
    """Rows of (1), turned into no more than there are parameters: W p = 0 for what is not felt."""
    scale: float
    """A typical length, a power of two: columns are counted in it, which rounds nothing."""
    kept: tuple[int, ...]
    dependent: tuple[int, ...]

    def columns(self, vectors: Array) -> Array:
        """What motions feel of combinations of parameters, one in each column."""
        units = [self.scale**each.degree for each in self.parameters]
        return np.asarray(self.W @ (np.array(units)[:, None] * vectors))

    @property
    def coefficients(self) -> Array:
        """C of (2), (kept, dependent)."""
        C = self.refined(np.zeros((len(self.kept), len(self.dependent))))
        return np.where(np.abs(self._scaled(C)) < NOTHING, 0.0, C)

    def refined(self, C: Array) -> Array:
        """C with what it misses of the columns added, in those where that is above rounding."""
        A, B = self.W[:, self.kept], self.W[:, self.dependent]
        size, own = np.linalg.norm(A, axis=0), self._scaled(C)
        for _ in range(2):
            rest = B - A @ own
            missed = np.linalg.norm(rest, axis=0) > ROUNDING * np.linalg.norm(B, axis=0)
            more = np.linalg.lstsq(A / size, rest * missed, rcond=None)[0]
            own = own + more / size[:, None]
        return np.asarray(own / self._scaled(np.ones_like(C)))

    def _scaled(self, C: Array) -> Array:
        """C of columns counted in typical lengths."""
        units = np.array([self.scale ** float(each.degree) for each in self.parameters])
        return np.asarray(C / units[list(self.dependent)] * units[list(self.kept)][:, None])


def identifiable_by(system: System, parameters: tuple[Parameter, ...]) -> Identifiable:
    """What the motions of a system, in its gravity, feel of parameters."""
    scale = float(2.0 ** np.round(np.log2(drawing(system.m).scale)))
    rows = list(_rows(system, parameters, scale))
    W = np.concatenate(rows) if rows else np.zeros((0, len(parameters)))
    W = np.linalg.qr(W / np.array([scale**each.degree for each in parameters]))[1]
    kept = _independent(W, _groups(system, parameters))
    rest = tuple(k for k in range(len(parameters)) if k not in kept)
    return Identifiable(parameters, W, scale, kept, rest)


def _groups(system: System, parameters: tuple[Parameter, ...]) -> Iterator[list[int]]:
    """Numbers of the parameters, those that one likes to keep first; of one body, those alike."""
    link = {each.name: i for i, each in enumerate(system.tree.links)}
    light = {body.name for body in system.m.bodies if not heavy(body)}

    def place(k: int) -> tuple[bool, int, int, str]:
        symbol, owner = parameters[k]
        kind = LIKED.index(symbol) // 6
        return symbol in MOMENTS and owner in light, kind, link.get(owner, 0), owner

    for _, group in groupby(sorted(range(len(parameters)), key=place), place):
        yield sorted(group, key=lambda k: LIKED.index(parameters[k].symbol))


def _independent(W: Array, groups: Iterable[list[int]]) -> tuple[int, ...]:
    """Columns, taken group by group, that do not depend on those taken before.

    Of a group the first that stands out nearly as far as any: a moment about the joint's axis,
    whatever way the body's frame is turned.
    """
    basis, kept = np.zeros((len(W), 0)), []
    size = np.linalg.norm(W, axis=0)
    W = W / np.where(size > 1e-10 * size.max(initial=0.0), size, np.inf)
    for group in groups:
        while group:
            rest = W[:, group]
            for _ in range(2):  # once leaves rounding of large parts
                rest = rest - basis @ (basis.T @ rest)
            out = np.linalg.norm(rest, axis=0)
            if out.max() <= NOTHING:
                break
            large = np.where(out > NOTHING, out * size[group], 0.0)
            best = int(np.argmax(large > OUTSTANDING * large.max()))
            basis = np.column_stack([basis, rest[:, best] / out[best]])
            kept.append(group.pop(best))
    return tuple(sorted(kept))


def _rows(system: System, parameters: tuple[Parameter, ...], scale: float) -> Iterator[Array]:
    """(1) at as many positions as make more rows than columns; friction at random speeds."""
    rng = np.random.default_rng(5)
    q = closed_positions(system, POSITIONS, rng)
    N = allowed_velocities(system, q, scale)
    freedoms = N.shape[-1]
    if not freedoms or not parameters:
        return
    more = -(-(len(parameters) + SPARE) // freedoms) - POSITIONS
    if more > 0:
        q = np.concatenate([q, closed_positions(system, more, rng)])
        N = allowed_velocities(system, q, scale)
    asked = (N @ rng.normal(size=(len(q), freedoms, 1)))[..., 0]
    still, g = np.zeros_like(asked), np.asarray(system.gravity, dtype=float)
    Y = _felt_in_rest(system, parameters)
    yield _reduced(N, _table(Y, q=q, a=asked, g=np.zeros(3)))
    if pull := float(np.linalg.norm(g)):
        yield scale / pull * _reduced(N, _table(Y, q=q, a=still, g=g))
    if any(each.symbol not in MOMENTS for each in parameters):
        yield _reduced(N, _table(_felt_of_friction(system, parameters), q=q, v=asked))


def _reduced(N: Array, Y: Array) -> Array:
    """Rows N'Y of all positions."""
    return np.asarray(np.swapaxes(N, -1, -2) @ Y).reshape(-1, Y.shape[-1])


def _table(formulas: Array, **values: Array) -> Array:
    """Formulas in symbols q[0], ..., v[0], ... at arrays of numbers, shape (states, *shape)."""
    known = {f"{key}[{i}]": x[..., i] for key, x in values.items() for i in range(x.shape[-1])}
    count = max(x.shape[0] for x in values.values() if x.ndim > 1)
    return np.broadcast_to(evaluate(formulas, known), (count, *formulas.shape))


def _symbols(name: str, count: int) -> Array:
    return np.array([variable(f"{name}[{i}]") for i in range(count)], dtype=object)


def _felt_in_rest(system: System, parameters: tuple[Parameter, ...]) -> Array:
    """Y(q, 0, a) in symbols, under a gravity g: no velocities, no friction."""
    tree, s = system.tree, replace(system, gravity=_symbols("g", 3))
    x = all_motion(tree, _symbols("q", tree.nq), np.zeros(tree.nv), _symbols("a", tree.nv))
    return np.asarray(x.back(taken_by_joints(s, x, parameters)))


def _felt_of_friction(system: System, parameters: tuple[Parameter, ...]) -> Array:
    """What friction takes at velocities v, in symbols."""
    tree = system.tree
    x = all_motion(tree, _symbols("q", tree.nq), _symbols("v", tree.nv), np.zeros(tree.nv))
    taken = np.zeros((len(tree.velocities), len(parameters)), dtype=object)
    for column, force in taken_by_friction(system, x, parameters):
        taken[:, column] = force
    return np.asarray(x.back(taken))


def closed_positions(system: System, count: int, rng: np.random.Generator) -> Array:
    """Coordinates with loops closed, (count, nq): at random in a tree.

    With loops they come by walks of a few strides from the drawing, on the branch on which the
    mechanism is drawn.
    """
    tree, scale = system.tree, drawing(system.m).scale
    drawn = np.concatenate([np.zeros(0), *(np.ravel(j.drawn_coordinates) for j in tree.m.joints)])
    drawn = drawn[list(tree.free_q)].astype(float)
    units = np.array([scale if kind == "length" else 1.0 for kind in tree.coordinate_kinds])
    if not system.ties:
        return np.asarray(tree.normalised(drawn + units * rng.normal(size=(count, tree.nq))))
    loops = loop_system(system.m, drives=False)
    q, gap = closed(loops, np.tile(drawn, (count, 1)))
    if not (gap <= loops.tolerance).all():
        raise StructureError(
            f"mechanism {system.m.name!r}: its loops do not close near the drawing, so what its "
            f"motions feel cannot be told; draw it where they close ({named('assemble')})"
        )
    for _ in range(STRIDES):
        q = walked(loops, q, STRIDE, rng)
    return q


def allowed_velocities(system: System, q: Array, scale: float) -> Array:
    """N at many positions: in a tree every velocity for itself."""
    if system.ties:
        return allowed(loop_system(system.m, drives=False), q).N
    units = [scale if kind == "length" else 1.0 for kind in system.tree.velocity_kinds]
    return np.broadcast_to(np.diag(units), (len(q), len(units), len(units)))
