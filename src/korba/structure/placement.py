"""A position with every body free and every joint a tie, in numbers: what ranks are taken of.

The unknowns are blocks: under its number the twist of a body about its reference point (the middle
of its joints), in world axes, angular first, lengths divided by the typical length; under -1 - j
the rates of the coordinates of joint j. Over them the rows of kinematics/rows.py read

    sum J_b V_b - S v_j = -gap,        every length divided by the typical length             (1)

for a joint. With W orthonormal and perpendicular to its freedoms S, what it forbids and what its
own coordinates do are

    W' sum J_b V_b = -W' gap,          v_j = S^+ (sum J_b V_b + gap)                          (2)

and the second takes the v_j out of all other rows. In the plane a twist has three components (wz,
vx, vy), in space six. A joint that is not quite closed has a gap; finite.py takes it out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from ..errors import StructureError
from ..expr import variable, variables
from ..kinematics.rows import Row, coupled, tie_columns, tie_residual
from ..libraries import undisturbed
from ..model.coupling import Coupling
from ..model.drawing import coordinate_values, drawing
from ..model.drive import Columns, Drive
from ..model.joint import coordinate_names
from ..model.mechanism import Mechanism
from ..positions.rank import DENSE_UP_TO, TOLERANCE, Rank, rank_of
from ..spatial.pose import Pose
from ..spatial.rotation import Array
from ..spatial.subspace import complement, pseudo_inverse
from ..system.system import PLANE, SPACE, Tie
from ..system.tree import places_of
from ..topology.graph import Graph, graph_of

if TYPE_CHECKING:
    from scipy import sparse

Blocks = dict[int, Array]
"""Rows over the twists of bodies: a block of columns for every body that stands in them."""
NamedRows = tuple[str, Blocks]
"""Whose rows they are, and the rows."""


@dataclass(frozen=True, eq=False)
class Placement:
    """Body poses by number (the base first), and coordinates and frames of the joints."""

    m: Mechanism
    graph: Graph
    X_WB: tuple[Pose, ...]
    q: tuple[Array, ...]
    ties: tuple[Tie, ...]
    scale: float
    """A length typical for the mechanism; lengths are divided by it before ranks are taken."""
    space: tuple[int, ...]
    """Which of the six components of a twist count."""
    digits: float = 0.0
    """How wide loops are open for the digits of their file, in typical lengths and radians."""

    @property
    def size(self) -> int:
        """Components of a twist: 3 or 6."""
        return len(self.space)

    @cached_property
    def rounding(self) -> float:
        """Gap of joints that are closed, in typical lengths and radians: what rounding leaves.

        Of loops that close but for the digits of their file it is what these leave elsewhere.
        """
        farthest = max((float(np.abs(X.p).max()) for X in self.X_WB), default=0.0)
        rounding = max(1e-13, 40 * float(np.finfo(float).eps) * farthest / self.scale)
        return max(rounding, self.digits)

    @property
    def rank(self) -> Rank:
        """Of the rows of joints and couplings, to the digits that the drawing has."""
        return self.rank_of(self.rows)

    def rank_of(self, rows: Iterable[NamedRows]) -> Rank:
        """The same of some rows."""
        return rank_of(self.matrix(rows), max(TOLERANCE, self.digits))

    @cached_property
    def X_WM(self) -> list[Pose]:
        """Frame M of every joint, as its child carries it."""
        return [self.X_WB[tie.child] @ tie.X_LM for tie in self.ties]

    @cached_property
    def reference(self) -> Array:
        """Reference point of every body in the world."""
        origins = np.array([X.p for X in self.X_WM]).reshape(-1, 3)
        return np.array(
            [
                origins[list(joints)].mean(axis=0) if joints else self.X_WB[b].p
                for b, joints in enumerate(self.graph.incident)
            ]
        )

    @cached_property
    def values(self) -> dict[str, float]:
        """Value of every coordinate by name, at t = 0."""
        return coordinate_values(self.m, dict(zip(self.graph.joints, self.q, strict=True)))

    @cached_property
    def _joint(self) -> dict[str, int]:
        return {name: j for j, name in enumerate(self.graph.joints)}

    @cached_property
    def _rates(self) -> dict[str, tuple[int, Array]]:
        """Joint of every coordinate that is its own velocity, and which of its rates it is."""
        found: dict[str, tuple[int, Array]] = {}
        for j, joint in enumerate(self.m.joints):
            velocities = joint.velocities()
            found |= {
                name: (j, np.eye(joint.nv)[velocities.index(rate)])
                for name, rate in joint.own_rates.items()
            }
            if joint.elastic is not None:
                moving, still = coordinate_names(joint)
                found |= {moving: (j, np.ones(1)), still: (j, np.zeros(1))}
        return found

    def pose(self, body: int) -> Pose:
        """World pose of a body."""
        return self.X_WB[body]

    def body_pose(self, body: str) -> Pose:
        """World pose of a body by name."""
        return self.X_WB[self.graph.bodies.index(body)]

    def twist_columns(self, body: int, p: Array) -> Columns:
        """The block of a body's own twist."""
        x, y, z = p - self.reference[body]
        T = self._unmoved.copy()
        if self.size == 3:
            T[3, 0], T[4, 0] = -y, x
        else:
            T[3, 1], T[3, 2], T[4, 2] = z, -y, x
            T[4, 0], T[5, 0], T[5, 1] = -z, y, -x
        return {body: T}

    @cached_property
    def _unmoved(self) -> Array:
        """The block of a body at its reference point."""
        return np.diag([1.0, 1.0, 1.0, self.scale, self.scale, self.scale])[:, list(self.space)]

    def body_twist(self, body: str, p: Array) -> Columns:
        """The block of a body by name."""
        return self.twist_columns(self.graph.bodies.index(body), p)

    def tie_coordinates(self, tie: Tie) -> Array:
        """A joint's own coordinates."""
        return self.q[self._joint[tie.joint.name]]

    def tie_columns(self, tie: Tie, S: Array) -> Columns:
        """The block of a joint's own rates."""
        return {-1 - self._joint[tie.joint.name]: S}

    def coordinate(self, name: str) -> tuple[float, Columns]:
        """Value of a coordinate, and the block of its joint's rates."""
        j, row = self._rates[name]
        return self.values[name], {-1 - j: row[None]}

    @cached_property
    def _sizes(self) -> Array:
        """What every row of a joint is measured in: 1 rad, or the typical length."""
        return np.where(np.array(self.space) < 3, 1.0, self.scale)

    @cached_property
    def _joint_columns(self) -> list[tuple[Blocks, Array]]:
        """J_b and S of every joint (1)."""
        found, sizes = [], self._sizes[:, None]
        for j, (tie, X_WM) in enumerate(zip(self.ties, self.X_WM, strict=True)):
            columns = {i: block / sizes for i, block in tie_columns(self, tie, X_WM).items()}
            found.append((columns, -np.asarray(columns.pop(-1 - j), dtype=float)))
        return found

    @cached_property
    def gaps(self) -> list[Array]:
        """Gap of every joint (1): motion of M that would close it."""
        open_by = [tie_residual(self, *at) for at in zip(self.ties, self.X_WM, strict=True)]
        return [-np.asarray(residual / self._sizes, dtype=float) for residual in open_by]

    @cached_property
    def freedom(self) -> list[Array]:
        """S of every joint: components x nv."""
        return [S for _, S in self._joint_columns]

    @cached_property
    def blocked(self) -> list[Array]:
        """W of every joint: orthonormal basis perpendicular to its freedoms."""
        return [complement(S) for S in self.freedom]

    def relative(self, joint: int, rows: Array) -> Blocks:
        """Blocks, by body, of `rows (V_child - V_parent)` at a joint."""
        return {b: rows @ block for b, block in self._joint_columns[joint][0].items()}

    def motion(self, joint: int, V: Array) -> Array:
        """`V_child - V_parent` at a joint, of twists of all bodies."""
        blocks = self._joint_columns[joint][0]
        return np.sum([block @ V[b] for b, block in blocks.items()], axis=0)

    def carried(self, body: int, other: int) -> Array:
        """Matrix from a twist about one body's reference point to the same about another's."""
        if body == other:
            return np.eye(self.size)
        T = self.twist_columns(body, self.reference[other])[body][list(self.space)]
        return np.asarray(T / self._sizes[:, None])

    @cached_property
    def rows(self) -> list[NamedRows]:
        """Named blocks of rows: what every joint forbids, then every coupling."""
        joints = [
            (name, self.relative(j, W.T))
            for j, (name, W) in enumerate(zip(self.graph.joints, self.blocked, strict=True))
        ]
        return joints + [
            (name, {b: block / size for b, block in blocks.items()})
            for name, blocks, _, size in self.couplings
        ]

    @cached_property
    def couplings(self) -> list[tuple[str, Blocks, float, float]]:
        """Row, residual and size of the terms of every coupling; divided by it, ranks are taken."""
        return [self._coupling(coupling) for coupling in self.m.couplings]

    def _coupling(self, coupling: Coupling) -> tuple[str, Blocks, float, float]:
        row = coupled(self, coupling)
        _refuse_no_slope(self, coupling, row)
        terms = [self.over_bodies({key: column}) for key, column in row.J.items()]
        size = max(float(np.abs(block).max()) for blocks in terms for block in blocks.values())
        return row.owner, added(terms), float(row.residual[0]), size

    def rate_row(self, coordinate: str) -> Blocks:
        """Row of the rate of one coordinate as a function of the bodies' twists."""
        return self.over_bodies(self.coordinate(coordinate)[1])

    def over_bodies(self, columns: Columns) -> Blocks:
        """Rows with the rates of the joints' own coordinates taken out (2)."""
        terms: list[Blocks] = []
        for key, column in columns.items():
            block = np.asarray(column, dtype=float)
            if key < 0:
                rates = pseudo_inverse(self.freedom[-1 - key])
                terms.append(self.relative(-1 - key, block @ rates))
            else:
                terms.append({key: block})
        return added(terms)

    def drive_rows(self, drives: Iterable[Drive]) -> list[NamedRows]:
        """Rows whose rates the drives prescribe, of size 1; as equations they hold them still."""
        found = []
        for drive in drives:
            _refuse_coinciding(self, drive)
            blocks = self.over_bodies(drive.rows(self, TIME).columns)
            size = np.max([np.abs(block).max(axis=1) for block in blocks.values()], axis=0)[:, None]
            found.append((drive.name, {b: block / size for b, block in blocks.items()}))
        return found

    def matrix(self, rows: Iterable[NamedRows] | None = None) -> sparse.csr_matrix | Array:
        """The rows as one matrix over the twists of the moving bodies, a sparse one if large."""
        nothing = np.zeros(0, dtype=int)
        entries, places, height = [np.zeros(0)], [np.array([nothing, nothing])], 0
        for _, blocks in self.rows if rows is None else rows:
            for body, block in blocks.items():
                if body:
                    entries.append(block.ravel())
                    corner = [[height], [(body - 1) * self.size]]
                    places.append(_indices(*block.shape) + corner)
            height += len(next(iter(blocks.values())))
        i, j = np.concatenate(places, axis=1)
        shape = (height, self.graph.moving * self.size)
        if max(shape) <= DENSE_UP_TO:
            A = np.zeros(shape)
            np.add.at(A, (i, j), np.concatenate(entries))
            return A
        with undisturbed():
            from scipy import sparse

        return sparse.csr_matrix((np.concatenate(entries), (i, j)), shape=shape)

    @cached_property
    def owners(self) -> list[str]:
        """Name of the joint or coupling that each row of `matrix()` belongs to."""
        return [name for name, blocks in self.rows for _ in next(iter(blocks.values()))]


TIME = variable("t")


def drawn_placement(m: Mechanism) -> Placement:
    """The position of the drawing, in the plane or in space as the mechanism is."""
    placed, graph = drawing(m), graph_of(m)
    own = places_of(m.joints)
    ties = [
        Tie(joint, parent, placed.X_PF(joint), child, placed.X_BM(joint), *own[joint.name])
        for joint, (parent, child) in zip(m.joints, graph.ends, strict=True)
    ]
    return Placement(
        m,
        graph,
        tuple(placed.X_WB[name] for name in graph.bodies),
        tuple(placed.q[joint.name] for joint in m.joints),
        tuple(ties),
        placed.scale,
        PLANE if m.plane else SPACE,
        placed.digits,
    )


def added(terms: Iterable[Blocks]) -> Blocks:
    """The sum of some rows."""
    total: Blocks = {}
    for blocks in terms:
        for body, block in blocks.items():
            total[body] = total[body] + block if body in total else block
    return total


def dense(rows: Iterable[Blocks], bodies: Iterable[int], size: int) -> Array:
    """Rows as one dense matrix over the twists of some bodies."""
    start = {body: n * size for n, body in enumerate(bodies)}
    parts = [np.zeros((0, size * len(start)))]
    for blocks in rows:
        parts.append(np.zeros((len(next(iter(blocks.values()))), size * len(start))))
        for body in blocks.keys() & start.keys():
            parts[-1][:, start[body] : start[body] + size] = blocks[body]
    return np.concatenate(parts)


@lru_cache
def _indices(height: int, width: int) -> Array:
    return np.indices((height, width)).reshape(2, -1)


def _refuse_no_slope(place: Placement, coupling: Coupling, row: Row) -> None:
    if not all(np.all(np.isfinite(np.asarray(x, dtype=float))) for x in row.J.values()):
        drawn = ", ".join(
            f"{name} = {place.values[name]:g}" for name in sorted(variables(coupling.law) - {"t"})
        )
        raise StructureError(
            f"coupling {coupling.name!r}: its law has no derivative in the drawing position "
            f"({drawn}); draw the mechanism in another position"
        )


def _refuse_coinciding(place: Placement, drive: Drive) -> None:
    if drive.ends is None:
        return
    p_a, p_b = (place.body_pose(body).point(at) for body, at in drive.ends)
    if np.linalg.norm(p_b - p_a) < 1e-9 * place.scale:
        raise StructureError(
            f"drive {drive.name!r}: its two points coincide in the drawing position, so its length "
            "has no direction; draw the mechanism in another position"
        )
