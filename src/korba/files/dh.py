"""Serial arms from Denavit-Hartenberg rows, in both conventions.

    standard   X_i-1,i = Rz(theta) Tz(d) Tx(a) Rx(alpha)     (Maryniak & Malecki 3.1)
    modified   X_i-1,i = Tx(a) Rx(alpha) Tz(d) Rz(theta)     (Craig; Gronowicz 2.30)

Row i leads from frame i-1 to frame i, and frame i is the frame of link i. The coordinate of the
joint is added to `theta` (revolute) or to `d` (prismatic), so a row gives the values at q = 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np

from ..errors import ExpressionError, Fault, ModelError
from ..model.body import GROUND, NO_INERTIA, Body
from ..model.fields import (
    Element,
    Matrix3,
    Names,
    Spec,
    Vector3,
    default_of,
    field,
    read_table,
)
from ..model.frame import Frame
from ..model.joint import Joint
from ..model.joints.prismatic import Prismatic
from ..model.joints.revolute import Revolute
from ..model.mechanism import Mechanism
from ..model.specs import (
    NUMBER_OR_TEXT,
    Choice,
    Flag,
    Number,
    Tensor,
    Text,
    Vector,
    array_of,
    square,
)
from ..spatial.inertia import of_pseudo_inertia
from ..spatial.pose import Pose, identity, rotation, translation
from ..spatial.rotation import rotation_x, rotation_z, tidy

CONVENTIONS = ("standard", "modified")


@dataclass(frozen=True)
class PseudoInertia(Spec):
    """The symmetric 4 x 4 matrix B = integral r r' dm with r = (x, y, z, 1), in SI."""

    schema = array_of(array_of(NUMBER_OR_TEXT))

    def read(self, raw: Any, names: Names, owner: type) -> tuple[tuple[float, ...], ...]:
        """A 4 x 4 tuple."""
        B = np.array(square(raw, 4, "any", names))
        if np.abs(B - B.T).max() > 1e-9 * np.abs(B).max():
            raise ExpressionError("the 4 x 4 matrix is not symmetric")
        if B[3, 3] == 0 and np.any(B):
            raise ExpressionError("the mass, element (4, 4), is 0 and other elements are not")
        return tuple(tuple(float(x) for x in row) for row in B)


@final
@dataclass(frozen=True)
class DHRow(Element):
    """One row: the joint, the four parameters at q = 0, and the mass of the link in its frame."""

    section = "row"

    joint: str = field(Choice(("revolute", "prismatic")), default="revolute", doc="type of joint")
    a: float = field(Number("length"), default=0.0, doc="distance along x")
    alpha: float = field(Number("angle"), default=0.0, doc="twist about x")
    theta: float = field(Number("angle"), default=0.0, doc="angle about z, at q = 0")
    d: float = field(Number("length"), default=0.0, doc="distance along z, at q = 0")
    mass: float = field(Number("mass"), default=0.0, doc="mass of the link")
    com: Vector3 = field(Vector("length"), default=(0.0, 0.0, 0.0), doc="centre of mass")
    inertia: Matrix3 = field(Tensor(), default=NO_INERTIA, doc="tensor about the centre of mass")
    B: tuple[tuple[float, ...], ...] | None = field(
        PseudoInertia(), default=None, doc="pseudo-inertia, instead of mass, com and inertia"
    )
    name: str = field(Text(empty=True), default="", doc="name of the joint; q1, q2, ... without it")
    link: str = field(Text(empty=True), default="", doc="name of the link; link1, link2, ...")
    as_given: bool = field(Flag(), default=False, doc="keep an inertia that no real body can have")

    def faults(self) -> Iterator[Fault]:
        """Faults of the values, and mass given twice."""
        yield from super().faults()
        keys = ("mass", "com", "inertia")
        given = [key for key in keys if getattr(self, key) != default_of(DHRow, key)]
        if self.B is not None and given:
            yield self.fault(f"gives the mass already; leave out {', '.join(given)}", "B")


def from_dh(
    rows: Iterable[DHRow | Mapping[str, Any]],
    *,
    convention: str = "standard",
    name: str = "",
    gravity: Sequence[float | str] | None = None,
    base: Frame | None = None,
) -> Mechanism:
    """The serial arm of Denavit-Hartenberg rows; link frames are the frames of the convention.

    `base` is the pose of frame 0 in the world. A `ModelError` lists the faults of all rows.
    """
    if convention not in CONVENTIONS:
        raise ModelError(f"convention: expected 'standard' or 'modified', got {convention!r:.60}")
    if isinstance(rows, str | Mapping) or not isinstance(rows, Iterable):
        raise ModelError(f"rows: expected a list of rows, got {rows!r:.60}")
    faults: list[Fault] = []
    bodies: list[Body] = []
    joints: list[Joint] = []
    for index, (row, own) in enumerate(map(_row, rows), start=1):
        own.extend(row.faults())
        parent = bodies[-1].name if bodies else GROUND
        if not any(row.faults()):
            bodies.append(_body(row, index))
            joints.append(_joint(row, index, convention, parent))
            own.extend(bodies[-1].faults_in(planar=False))
        faults += [Fault(("row", str(index), *f.where[2:]), f.message) for f in own]
    if faults:
        raise ModelError.of_faults(f"arm {name!r}", faults)
    if base is not None and joints:
        X_WF = base.pose() @ (joints[0].on_parent or Frame()).pose()
        joints[0] = replace(joints[0], on_parent=Frame.of_pose(X_WF))
    return Mechanism(name, tuple(bodies), tuple(joints), gravity=gravity)  # type: ignore[arg-type]


def _row(row: Any) -> tuple[Any, list[Fault]]:
    """A row as an element, and the faults of keys that do not exist."""
    if isinstance(row, DHRow):
        return row, []
    if isinstance(row, Mapping):
        return read_table(DHRow, row, {})
    message = f"expected a DHRow or a table such as {{a = 0.3}}, got {row!r:.60}"
    return DHRow(), [DHRow().fault(message)]


def _body(row: DHRow, index: int) -> Body:
    """Link `index`, with its mass in its own frame."""
    mass, com, inertia = row.mass, row.com, row.inertia
    if row.B is not None and np.any(row.B):
        mass, c, tensor = of_pseudo_inertia(row.B)
        com, inertia = c.tolist(), (0.5 * (tensor + tensor.T)).tolist()
    return Body(row.link or f"link{index}", mass, com, inertia, as_given=row.as_given)


def _joint(row: DHRow, index: int, convention: str, parent: str) -> Joint:
    """Joint `index`; the coordinate stands between the frames F and M.

    standard:  X_PF = Rz(theta) Tz(d)                     X_MB = Tx(a) Rx(alpha)
    modified:  X_PF = Tx(a) Rx(alpha) Tz(d) Rz(theta)     X_MB = 1
    """
    cls = Revolute if row.joint == "revolute" else Prismatic
    along_x = translation(x=row.a) @ rotation(tidy(rotation_x(row.alpha)))
    along_z = translation(z=row.d) @ rotation(tidy(rotation_z(row.theta)))
    X_PF, X_MB = (along_z, along_x) if convention == "standard" else (along_x @ along_z, identity())
    X_BM = X_MB.inverse()
    return cls(
        row.name or f"q{index}",
        parent,
        row.link or f"link{index}",
        on_parent=Frame.of_pose(X_PF),
        on_child=Frame.of_pose(Pose(X_BM.R + 0.0, X_BM.p + 0.0)),  # no -0.0
    )
