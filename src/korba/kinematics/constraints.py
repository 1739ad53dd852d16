"""What joints, couplings and drives allow: rows of A with A V = 0 over the twists V of all bodies.

The twist of a body is taken about its reference point (the middle of its joints), in world axes,
angular first, lengths divided by the typical length. A joint with freedoms S allows relative twists
in the span of S; its constraints are the rows  W' (V_child - V_parent) = 0  with W orthonormal and
perpendicular to S. In the plane a twist has three components (wz, vx, vy), in space six.

    rank A = count of independent constraints,    s k - rank A = instantaneous mobility

which is the same as the loop matrix of unit screws gives (Gronowicz 1.9, spec section 1.9).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import StructureError
from ..expr import derivative, evaluate, variables
from ..model.drawing import coordinate_values as drawn_values
from ..model.drive import Drive
from ..model.drives.body_drive import BodyDrive
from ..model.drives.joint_drive import JointDrive
from ..model.drives.length_drive import LengthDrive
from ..model.drives.point_drive import PointDrive
from ..model.joint import coordinate_names
from ..spatial.rotation import Array, skew
from .placement import Placement, moved, solve_least

if TYPE_CHECKING:
    from scipy import sparse

PLANE = [2, 3, 4]
"""wz, vx, vy of a 6-vector."""


@dataclass(frozen=True, eq=False)
class Constraints:
    """The constraint rows of one placement."""

    place: Placement
    components: tuple[int, ...]
    """Which of the six components of a twist count."""

    @property
    def size(self) -> int:
        """Components of a twist: 3 or 6."""
        return len(self.components)

    @cached_property
    def reference(self) -> Array:
        """Reference point of every body in the world."""
        graph, place = self.place.graph, self.place
        origins = np.array([place.X_WM(j).p for j in range(len(graph.joints))]).reshape(-1, 3)
        return np.array(
            [
                origins[list(joints)].mean(axis=0) if joints else place.X_WB[b].p
                for b, joints in enumerate(graph.incident)
            ]
        )

    @cached_property
    def freedom(self) -> list[Array]:
        """S of every joint at its point, in world axes and scaled: components x nv."""
        found = []
        for j, joint in enumerate(self.place.m.joints):
            R = self.place.X_WM(j).R
            S = joint.motion_subspace(self.place.q[j])
            S_W = np.concatenate([R @ S[:3], R @ S[3:] / self.place.scale])
            found.append(np.asarray(S_W[list(self.components)], dtype=float))
        return found

    @cached_property
    def blocked(self) -> list[Array]:
        """W of every joint: orthonormal basis perpendicular to its freedoms."""
        return [complement(S) for S in self.freedom]

    def transport(self, joint: int, body: int) -> Array:
        """Matrix from the twist of a body to the twist of its point at the joint."""
        return self._shifted((self.place.X_WM(joint).p - self.reference[body]) / self.place.scale)

    def between(self, body: int, other: int) -> Array:
        """Matrix from a twist about one body's reference point to the same about another's."""
        arm = (self.reference[other] - self.reference[body]) / self.place.scale
        return self._shifted(arm)

    def _shifted(self, arm: Array) -> Array:
        x, y, z = arm
        T = np.eye(6)
        T[3, 1], T[3, 2], T[4, 2] = z, -y, x
        T[4, 0], T[5, 0], T[5, 1] = -z, y, -x
        return T if self.size == 6 else np.asarray(T[self._mesh])

    @cached_property
    def _mesh(self) -> Any:
        return np.ix_(self.components, self.components)

    def relative(self, joint: int, rows: Array) -> dict[int, Array]:
        """Blocks, by body, of `rows (V_child - V_parent)` at a joint."""
        parent, child = self.place.graph.ends[joint]
        blocks = {child: rows @ self.transport(joint, child)}
        blocks[parent] = -rows @ self.transport(joint, parent)
        return blocks

    @cached_property
    def rows(self) -> list[tuple[str, dict[int, Array]]]:
        """Named blocks of rows: every joint's, then every coupling's."""
        joints = self.place.m.joints
        found = [
            (joint.name, self.relative(j, self.blocked[j].T)) for j, joint in enumerate(joints)
        ]
        return found + [
            (name, {b: block / size for b, block in row.items()})
            for name, row, size in self.couplings
        ]

    @cached_property
    def couplings(self) -> list[tuple[str, dict[int, Array], float]]:
        """Row of every coupling with the size of its terms; divided by it, ranks can be taken."""
        return coupling_rates(self)

    def rate_row(self, coordinate: str) -> dict[int, Array]:
        """Row of the rate of one coordinate as a function of the bodies' twists."""
        for j, joint in enumerate(self.place.m.joints):
            if coordinate in joint.coordinates() and joint.nq == joint.nv:
                which = joint.coordinates().index(coordinate)
                rows = np.linalg.pinv(self.freedom[j])[[which]]
                return self.relative(j, rows)
            if joint.elastic is not None and coordinate in coordinate_names(joint):
                moves = float(coordinate == coordinate_names(joint)[0])
                return self.relative(j, moves * np.linalg.pinv(self.freedom[j]))
        raise KeyError(coordinate)

    def matrix(
        self, rows: Iterable[tuple[str, dict[int, Array]]] | None = None
    ) -> sparse.csr_matrix:
        """The rows as one sparse matrix over the twists of the moving bodies."""
        from scipy import sparse

        data, i_, j_, start = [], [], [], 0
        for _, blocks in self.rows if rows is None else rows:
            height = next(iter(blocks.values())).shape[0]
            for body, block in blocks.items():
                if body:
                    r, c = _indices(*block.shape)
                    data.append(block.ravel())
                    i_.append(r.ravel() + start)
                    j_.append(c.ravel() + (body - 1) * self.size)
            start += height
        shape = (start, self.place.graph.moving * self.size)
        if not data:
            return sparse.csr_matrix(shape)
        entries = (np.concatenate(data), (np.concatenate(i_), np.concatenate(j_)))
        return sparse.csr_matrix(entries, shape=shape)

    @cached_property
    def owners(self) -> list[str]:
        """Name of the joint or coupling that each row of `matrix()` belongs to."""
        return [
            name for name, blocks in self.rows for _ in range(next(iter(blocks.values())).shape[0])
        ]


@lru_cache
def _indices(height: int, width: int) -> Array:
    return np.indices((height, width))


def complement(S: Array) -> Array:
    """Orthonormal columns perpendicular to the columns of S."""
    size, count = S.shape
    if count == 0:
        return np.eye(size)
    Q = np.linalg.qr(S, mode="complete")[0]
    return np.asarray(Q[:, count:])


def constraints_at(place: Placement) -> Constraints:
    """Constraints of a placement, in the plane or in space as the mechanism is."""
    return Constraints(place, tuple(PLANE) if place.m.plane else tuple(range(6)))


def coupling_rates(c: Constraints) -> list[tuple[str, dict[int, Array], float]]:
    """Rows  pdot - sum dF/dq_i qdot_i = 0  of the couplings p = F(q), and their largest terms."""
    m = c.place.m
    if not m.couplings:
        return []
    values = coordinate_values(c.place)
    found = []
    for coupling in m.couplings:
        total = dict(c.rate_row(coupling.coordinate))
        size = largest(total)
        for name in sorted(variables(coupling.law) - {"t"}):
            slope = float(evaluate([derivative(coupling.law, name)], values)[0])
            if not np.isfinite(slope):
                raise StructureError(
                    f"coupling {coupling.name!r}: its law has no derivative with respect to "
                    f"{name!r} in the drawing position ({name} = {values[name]:g}); draw the "
                    "mechanism in another position"
                )
            row = c.rate_row(name)
            add_scaled(total, row, -slope)
            size = max(size, abs(slope) * largest(row))
        found.append((coupling.name, total, size))
    return found


def largest(row: dict[int, Array]) -> float:
    """Largest entry of a row."""
    return max(float(np.abs(block).max()) for block in row.values())


def coordinate_values(place: Placement) -> dict[str, float]:
    """Value of every coordinate by name, at t = 0."""
    return drawn_values(place.m, dict(zip(place.graph.joints, place.q, strict=True)))


def coupling_gaps(place: Placement) -> Array:
    """F(q) - p of every coupling."""
    values = coordinate_values(place)
    laws = [float(evaluate([c.law], values)[0]) for c in place.m.couplings]
    return np.array(laws) - np.array([values[c.coordinate] for c in place.m.couplings])


def add_scaled(total: dict[int, Array], row: dict[int, Array], factor: float) -> None:
    """total += factor * row, block by block."""
    for body, block in row.items():
        total[body] = total.get(body, 0) + factor * block


def drive_rows(c: Constraints, drives: Iterable[Drive]) -> list[tuple[str, dict[int, Array]]]:
    """Rows whose rates the drives prescribe; as equations they hold the drives still."""
    found: list[tuple[str, dict[int, Array]]] = []
    for drive in drives:
        for cls, rows in DRIVE_ROWS.items():
            if isinstance(drive, cls):
                found += [(drive.name, row) for row in rows(c, drive)]
    return found


def point_rows(c: Constraints, body: int, point: Array, directions: Array) -> dict[int, Array]:
    """Velocity of a world point of a body along some directions."""
    arm = (point - c.reference[body]) / c.place.scale
    rows = np.concatenate([directions @ -skew(arm), directions], axis=1)
    return {body: rows[:, list(c.components)]}


def _number(c: Constraints, name: str) -> int:
    return c.place.graph.bodies.index(name)


def _joint_rows(c: Constraints, drive: JointDrive) -> list[dict[int, Array]]:
    return [c.rate_row(drive.joint)]


def _axes(drive: BodyDrive | PointDrive) -> Array:
    kept = [i for i, key in enumerate("xyz") if getattr(drive, key) is not None]
    return np.eye(3)[kept]


def _body_rows(c: Constraints, drive: BodyDrive) -> list[dict[int, Array]]:
    body, other = _number(c, drive.body), _number(c, drive.relative_to)
    axes = _axes(drive)
    found = []
    if len(axes):
        rows = point_rows(c, body, c.place.X_WB[body].p, axes)
        add_scaled(rows, point_rows(c, other, c.place.X_WB[other].p, axes), -1.0)
        found.append(rows)
    if drive.angle is not None:
        turn = np.array([[0.0, 0, 1, 0, 0, 0]])[:, list(c.components)]
        rows = {body: turn.copy()}
        add_scaled(rows, {other: turn}, -1.0)
        found.append(rows)
    return found


def _length_rows(c: Constraints, drive: LengthDrive) -> list[dict[int, Array]]:
    a, b = _number(c, drive.body_a), _number(c, drive.body_b)
    p_a, p_b = c.place.X_WB[a].point(drive.at_a), c.place.X_WB[b].point(drive.at_b)
    length = np.linalg.norm(p_b - p_a)
    if length < 1e-9 * c.place.scale:
        raise StructureError(
            f"drive {drive.name!r}: its two points coincide in the drawing position, so its length "
            "has no direction; draw the mechanism in another position"
        )
    along = (p_b - p_a)[None] / length
    rows = point_rows(c, b, p_b, along)
    add_scaled(rows, point_rows(c, a, p_a, along), -1.0)
    return [rows]


def _point_rows(c: Constraints, drive: PointDrive) -> list[dict[int, Array]]:
    body = _number(c, drive.body)
    return [point_rows(c, body, c.place.X_WB[body].point(drive.at), _axes(drive))]


DRIVE_ROWS: dict[type[Drive], Callable[..., list[dict[int, Array]]]] = {
    JointDrive: _joint_rows,
    BodyDrive: _body_rows,
    LengthDrive: _length_rows,
    PointDrive: _point_rows,
}


def stepped_along(c: Constraints, twists: Array, *, close: bool) -> Placement:
    """The placement after small body twists (moving bodies x size), joints following.

    With `close` the joints' gaps are added to their own rates: one step of Newton's method.
    """
    place, size = c.place, c.size
    full = np.zeros((len(place.graph.bodies), 6))
    full[1:, list(c.components)] = twists.reshape(-1, size)
    scaled = full.copy()
    rates = []
    for j, (parent, child) in enumerate(place.graph.ends):
        relative = c.transport(j, child) @ scaled[child][list(c.components)]
        relative = relative - c.transport(j, parent) @ scaled[parent][list(c.components)]
        if close:
            relative = relative - gap_of(c, j)
        S = c.freedom[j]
        rates.append(np.linalg.lstsq(S, relative, rcond=None)[0] if S.shape[1] else np.zeros(0))
    world = full.copy()
    world[:, 3:] *= place.scale
    for b in range(1, len(world)):
        world[b, 3:] += np.cross(world[b, :3], place.X_WB[b].p - c.reference[b])
    return moved(place, world, rates)


def gap_of(c: Constraints, joint: int) -> Array:
    """Gap of a joint in the scaled components: motion of M that would close it."""
    gap = c.place.gap(joint)
    gap[3:] /= c.place.scale
    return np.asarray(gap[list(c.components)])


def closed(
    place: Placement,
    tolerance: float = 1e-12,
    steps: int = 12,
    held: Mapping[str, float] | None = None,
) -> Placement | None:
    """The nearest position with all joints closed, by Newton's method; None if not reached.

    `held` are coordinates that must take given values as well.
    """
    for _ in range(steps):
        c = constraints_at(place)
        gaps = [gap_of(c, j) for j in range(len(place.graph.joints))]
        miss = [W.T @ gap for W, gap in zip(c.blocked, gaps, strict=True)]
        values = coordinate_values(place)
        asked = [value - values[name] for name, value in (held or {}).items()]
        sizes = np.array([size for _, _, size in c.couplings])
        wanted = np.concatenate([*miss, coupling_gaps(place) / sizes, asked])
        if abs(np.concatenate([wanted, *gaps])).max(initial=0.0) < tolerance:
            return place
        rows = [*c.rows, *((name, c.rate_row(name)) for name in held or {})]
        twists = solve_least(c.matrix(rows), wanted)
        if not np.all(np.isfinite(twists)) or np.abs(twists).max(initial=0.0) > 1.0:
            return None
        place = stepped_along(c, twists, close=True)
    return None


def driven_to(place: Placement, coordinate: str, value: float, step: float = 0.05) -> Placement:
    """The position where a coordinate has the given value, reached in small steps."""
    start = coordinate_values(place)[coordinate]
    count = max(1, int(np.ceil(abs(value - start) / step)))
    for k in range(1, count + 1):
        target = start + (value - start) * k / count
        nearer = closed(place, held={coordinate: target})
        if nearer is None:
            raise StructureError(
                f"the mechanism cannot be driven to {coordinate} = {value:g}: it does not close "
                f"beyond {coordinate_values(place)[coordinate]:g}"
            )
        place = nearer
    return place
