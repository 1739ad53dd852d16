"""The verb `force_plan`: force polygons of a position, group by group in the static order.

All forces on a group's links, drawn one after the other, close: pairs with the links before it,
what its own links carry, and what groups solved earlier do to it. For a dyad the first leg's forces
come first, then the second's; the line that closes the first leg's part is the force in the inner
pair. Forces in the outer pins of legs are drawn in two parts,

    F = F^n + F^t        along the leg to the inner pin, and across it                       (4.14)

Weights are G, inertia forces F^b = -m a_S, other loads Q, forces of drives that act on bodies P.
Source: Gronowicz (2003), sections 4.3.1 and 4.3.2.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...display import Displayed, Drawn, tidy
from ...door import public
from ...dynamics.kinetostatics import Equations, GivenMotion, equations, parted, required
from ...dynamics.kinetostatics import solved as solved_equations
from ...errors import StructureError, unknown
from ...expr.display_units import IN_SI, DisplayUnits
from ...kinematics.couplings import all_motion
from ...model.display_units import display_units
from ...spatial.rotation import Array
from ...structure.groups import Group
from ...system.system import Tie, any_system, no_loads
from ...trajectory.trajectory import Trajectory
from ...verbs.systems import under
from ..construction import turned
from ..plane.instant import placed
from ..plane.plans import PlanVector
from ..plane.standing import Source, standing
from .determinacy import static_determinacy

NEAR = 1e-9
"""Part of a typical length below which two points are one."""


@dataclass(frozen=True, eq=False)
class ForcePolygon(Displayed):
    """The forces on the links of one group, head to tail; `polygon["F_B"]` is one of them."""

    group: Group
    vectors: tuple[PlanVector, ...]
    """In the order of drawing; kinds are `normal`, `tangential`, `reaction`, `weight`, `inertia`,
    `load` and `drive`."""
    inner: tuple[PlanVector, ...]
    """Of a dyad the force in the inner pair on the first leg, which closes that leg's part."""
    residual: float
    """Distance of the last tip from the first point."""
    shown: DisplayUnits = IN_SI
    """The units that people read; its arrays are in SI."""

    def __getitem__(self, name: str) -> Array:
        """A force by name; `F_B` where its parts are drawn is their sum."""
        alone = [v.vector for v in (*self.vectors, *self.inner) if v.name == name]
        parts = [
            v.vector for v in self.vectors if v.name.replace("^n", "").replace("^t", "") == name
        ]
        if not alone and not parts:
            names = ", ".join(v.name for v in (*self.vectors, *self.inner))
            raise StructureError(f"the polygon has no force {name!r}; there are {names}")
        return np.asarray(np.sum(alone or parts, axis=0))

    def __str__(self) -> str:
        """The forces in the order in which they are drawn."""
        wide = max((len(v.name) for v in (*self.vectors, *self.inner)), default=0)
        lines = [
            f"Group {self.group.number}, {self.group.signature}: {', '.join(self.group.bodies)}"
        ]
        most = max((np.abs(v.vector).max() for v in (*self.vectors, *self.inner)), default=0.0)
        for v in (*self.vectors, *self.inner):
            x, y = self.shown.values(tidy(v.vector, most), "N")
            size, unit = np.hypot(x, y), self.shown.unit("N")
            lines.append(f"  {v.name:<{wide}}  ({x:.6g}, {y:.6g})  {size:.6g} {unit}  {v.kind}")
        return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class ForcePlan(Drawn):
    """Force polygons of all groups, in the static order."""

    mechanism: str
    t: float
    polygons: tuple[ForcePolygon, ...]
    bodies: tuple[str, ...] = ()
    """All moving links, in the order of the mechanism."""

    def __getitem__(self, body: str) -> ForcePolygon:
        """The polygon of the group that a link belongs to."""
        for polygon in self.polygons:
            if body in polygon.group.bodies:
                return polygon
        known = (name for polygon in self.polygons for name in polygon.group.bodies)
        raise StructureError(unknown("link", body, known))

    def __str__(self) -> str:
        """All polygons."""
        title = f"Force polygons of {self.mechanism or 'the mechanism'!r} at t = {self.t:g} s"
        return "\n".join([title, *(f"\n{polygon}" for polygon in self.polygons)])


@public
def force_plan(source: Source, at: Any = None) -> ForcePlan:
    """The force polygons of a planar motion at the index `at`, without friction.

    Of a mechanism they are at a position of its drives, `{"A": "60 deg"}`, at constant speeds.
    The mechanism must be statically determinate, with drives for all its freedoms.

    >>> plan = kb.course.force_plan(motion, 0)
    >>> Path("forces.svg").write_text(plan.draw()) > 1000
    True
    """
    motion, k = standing("force_plan", source, at)
    now, m = placed(motion, k), motion.mechanism
    verdict = static_determinacy(m)
    if not verdict.determinate or not m.drives:
        raise StructureError(
            f"force_plan: mechanism {m.name!r} has no static order of groups: {verdict.verdict}; "
            "kb.reactions gives its forces"
        )
    given, whole = given_at(motion, k)
    if whole.freedoms.undriven:
        raise StructureError(f"force_plan: mechanism {m.name!r} has too few drives")
    forces = _Forces(given, whole, display_units(m))
    polygons = [forces.polygon(step.group) for step in verdict.order]
    return ForcePlan(m.name, now.t, tuple(polygons), tuple(body.name for body in m.bodies))


Part = tuple[str, str, Array, str]
"""Name, kind and vector of a force, or of a wrench, and the link that it acts on."""


def given_at(motion: Trajectory, k: int) -> tuple[GivenMotion, Equations]:
    """A motion at an index as kinetostatics takes it, and its equations."""
    now = placed(motion, k)
    system = under(any_system(motion.mechanism), None, now.t)
    x = all_motion(system.tree, motion.q[k], motion.v[k], motion.a[k])
    given = GivenMotion(system, x, system.loads(x.q, x.v), now.t)
    return given, equations(*given)


def acting_on_links(given: GivenMotion, whole: Equations) -> dict[str, list[Part]]:
    """Inertia, weight and loads of every link, (moment, force) about its origin in the world."""
    still = replace(given.system, gravity=np.zeros(3))
    nothing = no_loads(given.x.q, given.x.v)
    b = [
        np.array(required(system, whole.at, given.x, loads), dtype=float)
        for system, loads in (
            (still, nothing),
            (given.system, nothing),
            (given.system, given.loads),
        )
    ]
    kinds = (
        ("F^b", "inertia", -b[0]),
        ("G", "weight", b[0] - b[1]),
        ("Q", "load", b[1] - b[2]),
    )
    return {
        link.name: [
            (f"{letter}_{link.name}", kind, each[i], link.name) for letter, kind, each in kinds
        ]
        for i, link in enumerate(whole.at.tree.links)
    }


class _Forces:
    """What acts on every link of a mechanism at a position."""

    def __init__(self, given: GivenMotion, whole: Equations, shown: DisplayUnits) -> None:
        self.shown = shown
        self.at, self.ties, self.tree = whole.at, whole.ties, whole.at.tree
        self.rows = list(zip(whole.rows, parted(whole, solved_equations(whole)), strict=True))
        acting = acting_on_links(given, whole)
        self.own = {
            name: [(each, kind, wrench[1:], link) for each, kind, wrench, link in parts]
            for name, parts in acting.items()
        }
        forces = [F for parts in self.own.values() for _, _, F, _ in parts]
        self.size = max((float(np.abs(F).max()) for F in forces), default=0.0) or 1.0

    def polygon(self, group: Group) -> ForcePolygon:
        """The forces on a group, leg by leg where it is a dyad."""
        legs = self._legs(group)
        if legs is None:
            parts = [part for name in group.outer for part in self._outer(name, group, None)]
            parts += [part for body in group.bodies for part in self._loads(body, group)]
            return self._drawn(group, parts, 0)
        (one, first), (two, second) = legs
        parts = [*self._outer(first, group, group.inner[0]), *self._loads(one, group)]
        count = len(parts)
        parts += [*self._loads(two, group), *self._outer(second, group, group.inner[0])[::-1]]
        return self._drawn(group, parts, count, one)

    def _legs(self, group: Group) -> list[tuple[str, str]] | None:
        """Each leg of a dyad with its outer joint."""
        if group.kind != "dyad" or len(group.outer) != 2 or len(group.inner) != 1:
            return None
        ends = {name: self._tie(name) for name in group.outer}
        legs = [(tie.joint.child, name) for name, tie in ends.items()]
        legs = [
            (body if body in group.bodies else ends[name].joint.parent, name) for body, name in legs
        ]
        return legs if len({body for body, _ in legs}) == 2 else None

    def _tie(self, name: str) -> Tie:
        return next(tie for tie in self.ties if tie.joint.name == name)

    def _on(self, number: int, body: str) -> Array:
        """Force of a row's owner on a body."""
        row, part = self.rows[number]
        first = 3 * self.tree.number(body)
        columns = [row.J.get(first + k) for k in (1, 2)]
        force = [0.0 if column is None else float(column @ part) for column in columns]
        return np.array(force)

    def _outer(self, name: str, group: Group, inner: str | None) -> list[Part]:
        """The force in an outer pair; of a leg's pin along the leg and across it."""
        tie = self._tie(name)
        body = tie.joint.child if tie.joint.child in group.bodies else tie.joint.parent
        F = self._on(self.ties.index(tie), body)
        if inner is None or not (tie.joint.turns_only and self._tie(inner).joint.turns_only):
            return [(f"F_{name}", "reaction", F, body)]
        leg = self._place(self._tie(inner)) - self._place(tie)
        length = float(np.linalg.norm(leg))
        if length < NEAR * max(1.0, float(np.abs(self._place(tie)).max())):
            return [(f"F_{name}", "reaction", F, body)]
        u = leg / length
        n, t = (F @ u) * u, (F @ turned(u)) * turned(u)
        return [(f"F^n_{name}", "normal", n, body), (f"F^t_{name}", "tangential", t, body)]

    def _place(self, tie: Tie) -> Array:
        return np.asarray((self.at.pose(tie.child) @ tie.X_LM).p[:2], dtype=float)

    def _loads(self, body: str, group: Group) -> Iterator[Part]:
        """Loads of a link, forces of pairs with links of groups after it, and of drives on it."""
        for part in self.own[body]:
            if np.abs(part[2]).max() > NEAR * self.size:
                yield part
        inside = {*group.inner, *group.outer}
        for number, (row, _) in enumerate(self.rows):
            joint = number < len(self.ties)
            F = self._on(number, body)
            if row.owner not in inside and (joint or np.abs(F).max() > NEAR * self.size):
                if joint and not self.ties[number].joint.joins(body):
                    continue
                letter, kind = ("F", "reaction") if joint else ("P", "drive")
                yield f"{letter}_{row.owner}", kind, F, body

    def _drawn(self, group: Group, parts: list[Part], count: int, leg: str = "") -> ForcePolygon:
        """The forces head to tail from the origin; after `count` of them the first leg's close."""
        vectors, tip = list[PlanVector](), np.zeros(2)
        for name, kind, F, body in parts:
            vectors.append(PlanVector(name, kind, tip, tip + F, body))
            tip = tip + F
        inner: tuple[PlanVector, ...] = ()
        if count:
            middle = vectors[count - 1].end
            inner = (PlanVector(f"F_{group.inner[0]}", "inner", middle, np.zeros(2), leg),)
        off = float(np.linalg.norm(tip))
        return ForcePolygon(group, tuple(vectors), inner, off, self.shown)
