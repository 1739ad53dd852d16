"""Forces in the joints of a planar mechanism, structural group by group, in the static order.

Groups are solved against the order of motion: the last one first, because nothing hangs on it but
known loads; what it does to the links before it is a load there. A dyad takes one vector equation.
Its legs are links from the inner joint to outer joints Q; a link takes the force f and the moment n
about a point (its motion less what acts on it), and the outer joint gives it

    leg with a pin Q, length l      F = F^n u + F^t u',       u along the leg               (4.13)
    leg in a guide along g          F = N g' + T g,           T the effort in the guide

RRR, RRT, TRT, inner pin C: the moment of a leg about C gives F^t; then the forces of both legs

    F^n_1 u_1 + F^n_2 u_2 = f_1 + f_2 - F^t_1 - F^t_2         (N for F^n in a guide)         (4.14)

RTR, RTT, inner guide along g: leg 1 alone along g, and both legs about Q_2 or along g_2

    g . F_1 = g . f_1 - T,     (Q_1 - Q_2) x F_1 = n_1 + n_2    or    g_2 . F_1 = ... - T_2

and the inner joint follows from leg 1. All other groups (inputs, triads, cams, gears) are their own
equations, solved at once: 2 p1 + p2 = 3 u of them (4.12).
Source: Gronowicz (2003), section 4.3.2 and Example 4.2.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ..errors import StructureError
from ..expr.node import present
from ..kinematics.orthogonal import solved_lines
from ..kinematics.rows import in_rows
from ..spatial.pose import in_axes
from ..spatial.rotation import Array, cross_in_plane
from ..structure.groups import groups
from ..system.decisions import decision
from ..system.system import System, Tie
from ..wording import given as said
from .force_method import ForceMethod
from .kinetostatics import Equations, GivenMotion

PLANAR = 3
"""Components of a joint's wrench: moment and force."""


def by_groups(given: GivenMotion, equations: Equations) -> Array:
    """The unknowns of the equations of all bodies, from the last group to the first."""
    forces = _Forces(equations)
    for group in reversed(structural_groups(given.system)):
        if not forces.dyad(group):
            forces.block(group)
    return np.array([forces.known[i] for i in range(equations.columns)], dtype=object)


class Group(NamedTuple):
    """What counts of a structural group: whether it is a dyad, its bodies and joints by name."""

    dyad: bool
    bodies: tuple[str, ...]
    inner: tuple[str, ...]
    outer: tuple[str, ...]


@decision
def structural_groups(system: System) -> tuple[Group, ...]:
    """The structural groups, in their order."""
    found = groups(system.in_numbers).groups
    return tuple(Group(g.kind == "dyad", g.bodies, g.inner, g.outer) for g in found)


@dataclass(frozen=True, eq=False)
class _Leg:
    """A link of a dyad with its outer joint."""

    link: int
    outer: Tie
    at: Array
    """Place of the outer joint."""
    effort: Any
    """Known moment of a pin, or force along a guide, on the link."""
    guide: Array | None
    """Direction of the guide; none for a pin."""


@dataclass(eq=False)
class _Forces:
    """The unknowns that are known so far, by their numbers in the equations."""

    equations: Equations
    known: dict[int, Any] = field(default_factory=dict)

    def block(self, group: Group) -> None:
        """All equations of a group's links and joints at once."""
        lines = [line for name in group.bodies for line in self._of_body(name)]
        for tie in self._open(group):
            lines += self._of_joint(tie)
        rows = [self._left(line) for line in lines]
        unknown = {i for row, _ in rows for i in row}
        if len(unknown) != len(lines):
            raise StructureError(
                f"group of {', '.join(group.bodies)}: {len(lines)} equations for {len(unknown)} "
                "unknown forces, so that it is not determinate alone; take "
                f"{said('reactions', method='newton-euler')}"
            )
        values = solved_lines([row for row, _ in rows], [[right] for _, right in rows])[0]
        self.known |= {i: value[0] for i, value in values.items()}

    def dyad(self, group: Group) -> bool:
        """A dyad of pins and guides by its vector equation; whether it is one."""
        ties = {tie.joint.name: tie for tie in self._open(group)}
        if not group.dyad or len(group.outer) != 2 or len(group.inner) != 1:
            return False
        names = {*group.outer, *group.inner}
        if names != set(ties) or not all(
            t.joint.turns_only or t.joint.shifts_only for t in ties.values()
        ):
            return False
        if not all(self._settled(tie) for tie in ties.values()):
            return False
        inner = ties[group.inner[0]]
        one, two = (self._leg(ties[name], group) for name in group.outer)
        if inner.joint.shifts_only and one.guide is not None:
            one, two = two, one
        if inner.joint.shifts_only and one.guide is not None:
            return False
        solve = self._inner_pin if inner.joint.turns_only else self._inner_guide
        solve(one, two, inner)
        return True

    def _inner_pin(self, one: _Leg, two: _Leg, inner: Tie) -> None:
        """RRR, RRT and TRT."""
        C, m_C = self._place(inner), self._effort(inner, one.link)
        parts = []
        for leg, m in ((one, m_C), (two, -m_C)):
            n, f = self._taken(leg.link, C)
            if leg.guide is None:
                u, length = _unit(C - leg.at)
                given = (leg.effort + m - n) / length * _across(u)
                parts.append((n - m, f, u, given))
            else:
                parts.append((n - m, f, _across(leg.guide), leg.effort * leg.guide))
        (_, f_1, d_1, K_1), (_, f_2, d_2, K_2) = parts
        N_1, N_2 = _two(np.array([d_1, d_2]).T, f_1 + f_2 - K_1 - K_2)
        for leg, N, (n, _, d, K) in zip((one, two), (N_1, N_2), parts, strict=True):
            F = N * d + K
            moment = leg.effort if leg.guide is None else n - cross_in_plane(leg.at - C, F)
            self._put(leg.outer, leg.link, moment, F)
        self._put(inner, one.link, m_C, f_1 - N_1 * d_1 - K_1)

    def _inner_guide(self, one: _Leg, two: _Leg, inner: Tie) -> None:
        """RTR and RTT; leg one has a pin."""
        P, T = self._place(inner), self._effort(inner, one.link)
        g = self._column(inner)[1:]
        f_1, f_2 = self._taken(one.link, P)[1], self._taken(two.link, P)[1]
        right = [g @ f_1 - T]
        if two.guide is None:
            r = one.at - two.at
            n = self._taken(one.link, two.at)[0] + self._taken(two.link, two.at)[0]
            lines = np.array([g, [-r[1], r[0]]])
            right.append(n - one.effort - two.effort)
        else:
            lines = np.array([g, two.guide])
            right.append(two.guide @ (f_1 + f_2) - two.effort)
        F_1 = _two(lines, right)
        F_2 = f_1 + f_2 - F_1
        moment = self._taken(one.link, P)[0] - one.effort - cross_in_plane(one.at - P, F_1)
        self._put(one.outer, one.link, one.effort, F_1)
        self._put(inner, one.link, moment, f_1 - F_1)
        left = two.effort if two.guide is None else self._taken(two.link, two.at)[0]
        self._put(two.outer, two.link, left, F_2)

    def _leg(self, tie: Tie, group: Group) -> _Leg:
        links = [self.equations.at.tree.number(name) for name in group.bodies]
        link = tie.child if tie.child in links else tie.parent
        guide = self._column(tie)[1:] if tie.joint.shifts_only else None
        return _Leg(link, tie, self._place(tie), self._effort(tie, link), guide)

    def _put(self, tie: Tie, link: int, moment: Any, F: Array) -> None:
        """A joint's wrench on a link, about the joint's place, as unknowns of the equations."""
        sign = 1.0 if tie.child == link else -1.0
        values = [sign * x for x in (moment, *F)]
        self.known |= dict(zip(self._unknowns(tie), values, strict=True))

    def _place(self, tie: Tie) -> Array:
        at = self.equations.at
        return np.asarray((at.pose(tie.child) @ tie.X_LM).p[:2])

    def _column(self, tie: Tie) -> Array:
        """(w, v_x, v_y) of the child for a unit of a joint's velocity."""
        at = self.equations.at
        R = (at.pose(tie.child) @ tie.X_LM).R
        S = tie.joint.motion_subspace(at.tie_coordinates(tie))
        return np.asarray(in_rows(at, R, in_axes(R, S)))[:, 0]

    def _effort(self, tie: Tie, link: int) -> Any:
        """The moment of a pin, or the force along a guide, on a link: S' wrench is known."""
        (line,) = self._of_joint(tie)
        turn = self._column(tie)[0] if tie.joint.turns_only else 1.0
        return (-1.0 if tie.child == link else 1.0) * self._left(line)[1] / turn

    def _settled(self, tie: Tie) -> bool:
        """Whether nothing but the joint's own wrench is unknown along its velocity."""
        lines, own = self._of_joint(tie), set(self._unknowns(tie))
        return len(lines) == 1 and set(self._left(lines[0])[0]) <= own

    def _taken(self, link: int, about: Array) -> tuple[Any, Array]:
        """Moment about a point, and force, that a link takes beyond what is known."""
        n, *f = (self._left(PLANAR * link + k)[1] for k in range(PLANAR))
        force = np.array(f, dtype=object)
        return n + cross_in_plane(self.equations.at.pose(link).p[:2] - about, force), force

    def _left(self, line: int) -> tuple[dict[int, Any], Any]:
        """Entries of an equation for what is unknown, and its right-hand side less the known."""
        entries, right = {}, self.equations.b[line]
        for i, entry in self.equations.A[line].items():
            if i in self.known:
                right = right - entry * self.known[i]
            elif present(entry):
                entries[i] = entry
        return entries, right

    def _unknowns(self, tie: Tie) -> range:
        first = PLANAR * self.equations.ties.index(tie)
        return range(first, first + PLANAR)

    def _open(self, group: Group) -> list[Tie]:
        """Joints of a group's links that are not known yet."""
        links = {self.equations.at.tree.number(name) for name in group.bodies}
        return [
            tie
            for tie in self.equations.ties
            if links & {tie.parent, tie.child} and self._unknowns(tie)[0] not in self.known
        ]

    def _of_body(self, name: str) -> list[int]:
        """Numbers of the equations of a body."""
        first = PLANAR * self.equations.at.tree.number(name)
        return list(range(first, first + PLANAR))

    def _of_joint(self, tie: Tie) -> list[int]:
        """Numbers of the equations (2) of a joint."""
        first = self.equations.at.first
        return list(range(first + tie.v.start, first + tie.v.stop))


def _two(A: Array, b: Any) -> Array:
    """Two equations of two unknowns, by Cramer's rule."""
    (a, c), (d, e) = A
    determinant = a * e - c * d
    return np.array([b[0] * e - b[1] * c, a * b[1] - d * b[0]], dtype=object) / determinant


def _unit(r: Array) -> tuple[Array, Any]:
    length = np.sqrt(r @ r)
    return r / length, length


def _across(u: Array) -> Array:
    return np.array([-u[1], u[0]])


METHOD = ForceMethod(
    "groups",
    "Gronowicz (2003), section 4.3.2",
    lambda given, equations: equations.efforts(by_groups(given, equations)),
    by_groups,
    planar=True,
    determinate=True,
)
