"""Dynamics of mechanisms with loops and drives: tree coordinates, and multipliers of their rows.

    M a + h = tau + J' lambda,      J v = f',      J a = f'' - J' v                          (1)

M and h are those of the opened tree, with loads and damping of the joints that close loops in h; J
has the rows of loops and drives (kinematics/rows.py). Velocities of the closing joints are unknowns
as well and have no mass, so that their multipliers are their wrenches. Of (1)

    accelerations  by Gauss's principle (gauss.py), without the multipliers themselves,
    efforts        tau of the drives, with zero in all other joints:  J' lambda = M a + h     (2)
    M and h in few coordinates:  v = N v_c,  a = N a_c + b,   N'M N  and  N'(M b + h)         (3)

(2) is solved in multiplier_forces.py. J' v is found by differentiating J v along the motion.
Source: Gronowicz (2003), (4.198) with lambda of the other sign; Featherstone (2008), Rigid Body
Dynamics Algorithms, chapter 8.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import StructureError
from ..expr import Expr, variable
from ..expr.evaluate import substitute_all
from ..expr.node import as_expr
from ..kinematics.couplings import AllMotion, all_motion
from ..kinematics.orthogonal import Line, solved_lines
from ..kinematics.rates import coordinate_rates, product, turning
from ..kinematics.rows import Row, entries, equations
from ..positions.allowed import parted
from ..positions.loops import Loops, loops_of
from ..spatial.rotation import Array
from ..structure.mobility import Mobility, mobility
from ..structure.reasons import counted
from ..system.decisions import decision
from ..system.store import kept
from ..system.system import System, any_system
from ..system.tree import Tree
from . import composite_body, energy, newton_euler
from .by_groups import Parts, components
from .factored import solve_symmetric
from .formulation import Formulation
from .freedoms import freedoms
from .gauss import nearest
from .idle import idle_lines
from .kinetostatics import GivenMotion
from .massless import leaves_singular
from .multiplier_forces import driving_multipliers, multipliers


@decision
def freedom_counts(s: System) -> tuple[int, int, int, int]:
    """Freedoms of a mechanism, those that no drive moves, idle ones, and those of velocities."""
    found = mobility(s.in_numbers)
    return found.actual, found.undriven, found.local, found.velocities


@decision
def drawn_rank(s: System, driven: bool, rows: tuple[int, ...]) -> int:
    """The rank of some rows of loops and drives in the drawing."""
    loops, J = kept(s.m, ("rows in the drawing", driven), lambda: _in_drawing(s, driven))
    wanted, own = sum(i >= len(J) - loops.wanted for i in rows), [*rows]
    return parted(J[own], loops.units, loops.size[own], wanted).rank if rows else 0


def _in_drawing(s: System, driven: bool) -> tuple[Loops, Array]:
    """Loops in numbers, and J of all rows in the drawing."""
    loops = loops_of(any_system(s.in_numbers), driven=driven)
    return loops, loops.matrix(loops.drawn)


@dataclass(frozen=True, eq=False)
class Constraints:
    """The rows of loops and drives at a position, and their rank."""

    s: System
    q: Array
    driven: bool = True
    """Whether drives are among them."""

    @cached_property
    def rows(self) -> list[Row]:
        """All rows, by their owners."""
        return equations(self.s.tree, self.q, self.s.t, {}, self.s.drives if self.driven else ())

    @cached_property
    def lines(self) -> list[Line]:
        """The entries of J."""
        return entries(self.rows)

    def stacked(self, key: str) -> list[Any]:
        """Residuals, rates f' or accelerations f'' of all rows."""
        return [x for row in self.rows for x in getattr(row, key)]

    @property
    def units(self) -> list[float]:
        """What every row is measured in: 1, or a typical length."""
        scale = self.s.scale
        loop = [1.0, scale, scale] if len(self.s.space) == 3 else [1.0] * 3 + [scale] * 3
        loops = loop * len(self.s.ties)
        return loops + [1.0] * (len(self.lines) - len(loops))

    def nearest(
        self, M: Array, rights: Any, force: Any, held: Mapping[int, Any] | None = None
    ) -> tuple[Array, list[Any]]:
        """Gauss's principle under these rows, and the pivots; some velocities may be `held`."""
        known = held or {}
        lines = [*self.lines, *({j: 1.0} for j in known)]
        return nearest(
            self.s.tree,
            M,
            lines,
            [*rights, *known.values()],
            force=force,
            parts=self.parts(lines),
            units=[*self.units, *[1.0] * len(known)],
            weight=self.weight,
        )

    @property
    def weight(self) -> float:
        """What rows are added to M with where light bodies leave it singular; 0 where not."""
        if not self.s.constrained or not leaves_singular(self.s):
            return 0.0
        return (self.s.heaviest or 1.0) * self.s.scale**2

    @property
    def rank(self) -> int:
        """Rank of J at positions where nothing is special; of pairs that roll in the drawing."""
        if self.s.rolls:
            return drawn_rank(self.s, self.driven, tuple(range(len(self.lines))))
        actual, undriven, local, _ = freedom_counts(self.s)
        return self.s.tree.nv - (undriven if self.driven else actual) - local

    def parts(self, lines: Sequence[Line]) -> Parts:
        """Parts of these rows, and of velocities held behind them, and the rank of each.

        Where rows are to spare it is that in the drawing, if these add up to the rank; parts that
        lack some there are one otherwise.
        """
        nv, count = self.s.tree.nv, len(self.lines)
        rank = min(nv, self.rank + len(lines) - count)
        own = components(lines)
        if rank < len(lines):
            drawn = [
                min(
                    drawn_rank(self.s, self.driven, tuple(i for i in rows if i < count)) + more,
                    width,
                )
                for rows in own
                for more in [sum(i >= count for i in rows)]
                for width in [len({j for i in rows for j in lines[i]})]
            ]
        else:
            drawn = [len(rows) for rows in own]
        pairs = list(zip(own, drawn, strict=True))
        if sum(drawn) != rank:
            full = [(rows, k) for rows, k in pairs if k == len(rows)]
            rest = [i for rows, k in pairs if k < len(rows) for i in rows]
            pairs = [*full, (rest, rank - sum(k for _, k in full))]
            if not 0 <= pairs[-1][1] <= len(rest):
                pairs = [([*range(len(lines))], rank)]
        part = {i: k for k, (rows, _) in enumerate(pairs) for i in rows}
        return Parts(tuple(part[i] for i in range(len(lines))), tuple(k for _, k in pairs))

    def turning(self, v: Any) -> list[Any]:
        """J' v."""
        return _turned(self.s.tree, lambda q: Constraints(self.s, q, self.driven).lines, self.q, v)

    def asked(self, v: Any, back: tuple[float, float] = (0.0, 0.0)) -> list[Any]:
        """f'' - J' v, and with back = (alpha, beta)  - 2 alpha (J v - f') - beta^2 Phi."""
        bends = self.turning(v)
        asked = [f - x for f, x in zip(self.stacked("acceleration"), bends, strict=True)]
        if not any(back):
            return asked
        alpha, beta = back
        speeds = [product(line, np.asarray(v)) for line in self.lines]
        off = zip(asked, speeds, self.stacked("rate"), self.stacked("residual"), strict=True)
        return [a - 2 * alpha * (u - f) - beta**2 * gap for a, u, f, gap in off]


def _turned(tree: Tree, lines: Callable[[Array], list[Line]], q: Any, v: Any) -> list[Any]:
    """J' v of lines that are functions of q, at symbols or numbers."""
    if all(isinstance(x, Expr) and x.op == "variable" for x in q):
        return _turning(tree, lines(q), q, v)
    names = [f"_q[{i}]" for i in range(len(q))]
    at: Array = np.array([variable(name) for name in names], dtype=object)
    values = {name: as_expr(x) for name, x in zip(names, q, strict=True)}
    found = [as_expr(x) for x in _turning(tree, lines(at), at, v)]
    return [_plain(x) for x in substitute_all(found, values)]


def _turning(tree: Tree, lines: list[Line], q: Array, v: Any) -> list[Any]:
    """J' v at symbols for q."""

    def moving(still: Array) -> dict[str, Any]:
        return dict(zip((x.value for x in q), coordinate_rates(tree, q, still), strict=True))

    return list(turning(lines, np.asarray(v, dtype=object), moving))


def _plain(x: Expr) -> Any:
    return float(x.value) if x.op == "constant" else x  # type: ignore[arg-type]


def bias_forces(s: System, q: Any, v: Any) -> Array:
    """h of the opened tree, with damping and loads of the joints that close loops."""
    h = newton_euler.bias_forces(s, q, v)
    return h + closing_efforts(s, all_motion(s.tree, q, v, np.zeros(s.tree.nv)))


def closing_efforts(s: System, x: AllMotion) -> Array:
    """What the motion of the joints that close loops takes: damping, less loads."""
    efforts = np.zeros(len(s.tree.velocities), dtype=object)
    tau = s.loads(x.q, x.v).tau
    for tie in s.ties:
        efforts[tie.v] = tie.joint.damping * x.v[tie.v] - tau[tie.v]
    return x.back(efforts)


def accelerations(
    s: System, q: Any, v: Any, tau: Any, back: tuple[float, float] = (0.0, 0.0)
) -> tuple[Array, list[Any]]:
    """a of (1), and the pivots of the rows, one of which vanishes at a singular position.

    `back` are alpha and beta of Baumgarte's stabilisation, which pulls rows back that have drifted.
    """
    constraints = Constraints(s, q)
    force = np.asarray(tau) - bias_forces(s, q, v)
    M, asked = composite_body.mass_matrix(s, q), constraints.asked(v, back)
    return constraints.nearest(M, asked, force)


def nearest_velocities(s: System, q: Any, v: Any, held: Sequence[int] = ()) -> Array:
    """The velocities that loops and drives allow with the least kinetic energy of the change.

    Those `held`, by their places, stay as they are.
    """
    constraints, M = Constraints(s, q), composite_body.mass_matrix(s, q)
    rate, stay = constraints.stacked("rate"), {j: v[j] for j in held}
    return constraints.nearest(M, rate, M @ np.asarray(v), stay)[0]


def closing_step(s: System, q: Any, held: Sequence[int] = ()) -> tuple[Array, list[Any]]:
    """The shortest step of the tree's joints that closes loops and drives, and Phi before it.

    Joints `held`, by the places of their velocities, do not move.
    """
    constraints = Constraints(s, q)
    gap = constraints.stacked("residual")
    none, back = np.zeros(s.tree.nv), [-x for x in gap]
    stay = dict.fromkeys(held, 0.0)
    return constraints.nearest(shortest_metric(s), back, none, stay)[0], gap


def allowed(s: System, q: Any, x: Any, metric: Array) -> Array:
    """The part of a small motion x that loops and drives allow: nearest to it in a metric."""
    constraints = Constraints(s, q)
    return constraints.nearest(metric, [0.0] * len(constraints.lines), metric @ np.asarray(x))[0]


def shortest_metric(s: System) -> Array:
    """Squares of the velocities of the tree's joints, lengths in a typical one."""
    scale = s.scale
    units = np.array([scale**-2 if kind == "length" else 1.0 for kind in s.tree.velocity_kinds])
    own = {s.tree.free_v.index(i) for tie in s.ties for i in _range(tie.v) if i in s.tree.free_v}
    units[sorted(own)] = 0.0
    return np.diag(units)


def _range(places: slice) -> range:
    return range(places.start, places.stop)


def drive_power(s: System, q: Any, v: Any, a: Any, tau: Any) -> Any:
    """Power of the drives:  v'(M a + h - tau) = lambda' f'."""
    needed = newton_euler.inverse_dynamics(s, q, v, a)
    needed = needed + closing_efforts(s, all_motion(s.tree, q, v, a)) - tau
    return sum((f * u for f, u in zip(needed, v, strict=True)), start=0.0)


def forward_dynamics(s: System, q: Any, v: Any, tau: Any) -> Array:
    """The accelerations of (1); of a tree without drives those that forces give."""
    if not s.constrained:
        return composite_body.forward_dynamics(s, q, v, tau)
    return accelerations(s, q, v, tau)[0]


def inverse_dynamics(s: System, q: Any, v: Any, a: Any) -> Array:
    """The efforts (2); of a tree the forces in all joints."""
    formula = driving_efforts if s.ties else newton_euler.inverse_dynamics
    return formula(s, q, v, a)


def driving_efforts(s: System, q: Any, v: Any, a: Any) -> Array:
    """(2): the efforts of the drives as forces on the velocities that they drive."""
    x, constraints = all_motion(s.tree, q, v, a), Constraints(s, q)
    parts = multipliers(GivenMotion(s, x, s.loads(x.q, x.v), s.t), freedoms(s)).parts
    return spread(constraints, np.concatenate([np.zeros(0), *parts[len(parts) - len(s.drives) :]]))


def driving_columns(s: System, q: Any, x: AllMotion, taken: Array) -> Array:
    """(2) for several loads of all joints, in columns; there must be no idle freedoms."""
    return spread(Constraints(s, q), driving_multipliers(s, x.q, taken))


def spread(constraints: Constraints, drives: Array) -> Array:
    """Efforts of the drives, or columns of them, as forces on the velocities that they drive."""
    lines = constraints.lines[len(constraints.lines) - len(drives) :]
    efforts = np.zeros((constraints.s.tree.nv, *drives.shape[1:]), dtype=object)
    for line, effort in zip(lines, drives, strict=True):
        for j, entry in line.items():
            efforts[j] = efforts[j] + entry * effort
    return efforts


def reduced(s: System, q: Any, v: Any, coordinates: Sequence[str]) -> tuple[Array, Array]:
    """(3): N, and b at velocities v, loops closed and drives at rest aside."""
    constraints, tree = Constraints(s, q, driven=False), s.tree
    places = _places(s, coordinates)
    _refuse_other_count(s, coordinates)
    idle, own, inside, rights = idle_lines(s, q, coordinates), set(places), [], []
    bends = [0.0] * (len(constraints.lines) + len(idle))
    if v is not None:
        bends = constraints.turning(v)
        bends += _turned(tree, lambda q: idle_lines(s, q, coordinates), q, v) if idle else []
    for line, bend in zip([*constraints.lines, *idle], bends, strict=True):
        inside.append({j: x for j, x in line.items() if j not in own})
        rights.append([*(-line.get(place, 0.0) for place in places), -bend])
    found = solved_lines(inside, rights)[0]
    N = np.zeros((tree.nv, len(places) + 1), dtype=object)
    for j, values in found.items():
        N[j] = values
    for k, place in enumerate(places):
        N[place, k] = 1.0
    return N[:, :-1], N[:, -1]


def refuse_idle(s: System, report: Mobility) -> None:
    """An error where a freedom moves nothing else, such as the spin of a rod between two balls."""
    if report.local:
        idle = ", ".join(reason.text for reason in report.reasons[: len(report.locals)])
        raise StructureError(
            f"mechanism {s.m.name!r} has freedoms that move nothing else ({idle}), which no "
            "coordinate or drive stands for; fix them first"
        )


def _refuse_other_count(s: System, names: Sequence[str]) -> None:
    """An error unless there are as many coordinates as freedoms."""
    count = freedom_counts(s)[3]
    if len(names) != count:
        raise StructureError(
            f"coordinates: mechanism {s.m.name!r} has {counted(count, 'freedom')}, so as "
            f"many names are needed, got {', '.join(names) or 'none'}"
        )


def reduced_forward_dynamics(
    s: System, q: Any, v: Any, tau: Any, coordinates: Sequence[str]
) -> Array:
    """Accelerations of the coordinates of (3):  N'M N a_c = N'(tau - h - M b)."""
    if s.drives:
        return np.asarray(accelerations(s, q, v, tau)[0][_places(s, coordinates)])
    N, b = reduced(s, q, v, coordinates)
    M = composite_body.mass_matrix(s, q)
    force = np.asarray(tau) - M @ b - bias_forces(s, q, v)
    return solve_symmetric(N.T @ M @ N, N.T @ force)


def governing(s: System, q: Any, coordinates: Sequence[str]) -> Array:
    """Pivots of the equations that give all velocities from those of the coordinates."""
    lines, places = Constraints(s, q, driven=False).lines, _places(s, coordinates)
    lines = [*lines, *idle_lines(s, q, coordinates)]
    inside = [{j: x for j, x in line.items() if j not in places} for line in lines]
    return np.array(solved_lines(inside, [[0.0]] * len(inside))[1], dtype=object)


def _places(s: System, coordinates: Sequence[str]) -> list[int]:
    """Places of coordinates among the independent velocities."""
    return [s.tree.free_v.index(s.tree.velocity_of(name)) for name in coordinates]


def reduced_mass_matrix(s: System, q: Any, coordinates: Sequence[str]) -> Array:
    """N'M N of (3)."""
    N, _ = reduced(s, q, None, coordinates)
    return np.asarray(N.T @ composite_body.mass_matrix(s, q) @ N)


def reduced_bias_forces(s: System, q: Any, v: Any, coordinates: Sequence[str]) -> Array:
    """N'(M b + h) of (3)."""
    N, b = reduced(s, q, v, coordinates)
    return np.asarray(N.T @ (composite_body.mass_matrix(s, q) @ b + bias_forces(s, q, v)))


FORMULATION = Formulation(
    "multipliers",
    "Gronowicz (2003), (4.198); Featherstone (2008), chapter 8",
    {
        "inverse_dynamics": inverse_dynamics,
        "forward_dynamics": forward_dynamics,
        "bias_forces": bias_forces,
        "mass_matrix": composite_body.mass_matrix,
        "energy": energy.energy,
        "momentum": energy.momentum,
    },
    everyday=True,
    closed=True,
)
