"""The verb `instant_centres`: all n (n - 1) / 2 centres of a planar mechanism.

A relative motion (w, v_x, v_y) of two links, velocity taken at the origin, has its centre at

    S = (-v_y, v_x, w)                                                                      (1)

in homogeneous coordinates: a point of the plane, or at infinity where w = 0. A joint with one
freedom gives the point, one with two freedoms only a line that S lies on: the common normal of its
profiles. By the theorem of Aronhold and Kennedy the three centres of three links are in line, so
with the centres to two other links known

    S_ij = (S_ik x S_jk) x (S_il x S_jl)                                                    (2)

where x is the cross product of 3-vectors: the line through two points, or the point on two lines.
What constructions do not reach (groups of class III and higher) follows from solved velocities by
(1). Both ways are compared where both go. Angular velocities of two links i, j relative to a third
one are on the line of their centres

    w_j / w_i = (S_i0 S_ij) / (S_j0 S_ij)                    signed                        (3)

Source: Gronowicz (2003), section 3.2.1, equation (3.5).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from ...display import Displayed, Drawn, columns, tidy
from ...door import public
from ...errors import StructureError
from ...expr.display_units import IN_SI, DisplayUnits
from ...model.body import GROUND
from ...model.display_units import display_units
from ...model.mechanism import Mechanism
from ...positions.rank import TOLERANCE, rank_of
from ...solve.configuration import Configuration
from ...spatial.rotation import Array, cross
from ...trajectory.trajectory import Trajectory
from .instant import Instant, instant

SAME = 1e-9
"""Sine of the angle below which two points, or two lines, are the same one."""
CLEAR = 1e-7
"""Least sine of the angle of two lines whose intersection counts."""
INFINITE = 1e-9
"""A centre farther away than a typical length over this is at infinity."""
WITHOUT = {"rest": "no relative motion", "free": "depends on the speeds of several freedoms"}
"""Why two links have no centre."""


@dataclass(frozen=True, eq=False)
class Centre(Displayed):
    """The instantaneous centre of two links."""

    bodies: tuple[str, str]
    homogeneous: Array | None
    """(x, y, 1), or (n_x, n_y, 0) in the direction n at infinity; None where there is none."""
    method: str
    """`joint`, `kennedy`, `velocities`; `rest` without relative motion, `free` if undetermined."""
    how: str
    """The same in words."""
    through: tuple[str, ...] = ()
    """Links whose lines cross in it (Kennedy)."""
    deviation: float | None = None
    """Distance of the constructed centre from that of the velocities, as an angle."""

    @property
    def finite(self) -> bool:
        """Whether it is a point of the plane."""
        return self.homogeneous is not None and bool(self.homogeneous[2] != 0)

    @property
    def point(self) -> Array:
        """Its place in the plane; an error where it is at infinity or there is none."""
        if self.homogeneous is None or not self.finite:
            raise StructureError(f"centre {self}; it has no place in the plane")
        return np.asarray(self.homogeneous[:2])

    def __str__(self) -> str:
        return f"{' - '.join(self.bodies)}: {_place(self)} ({self.how})"


@dataclass(frozen=True, eq=False)
class InstantCentres(Drawn):
    """All centres of a mechanism at one position; `centres["crank", "rocker"]` is one of them."""

    m: Mechanism
    at: Instant
    """The position."""
    centres: tuple[Centre, ...]

    def __getitem__(self, bodies: tuple[str, str]) -> Centre:
        """The centre of two links, in any order."""
        for centre in self.centres:
            if set(centre.bodies) == set(bodies):
                return centre
        raise StructureError(
            f"there is no centre of {' and '.join(bodies)}; links are {', '.join(self.at.bodies)}"
        )

    def ratio(self, body: str, to: str, base: str = GROUND) -> float:
        """(3): angular velocity of `body` over that of `to`, both relative to `base`."""
        ends = (to, base), (body, base), (body, to)
        for centre in (self[each] for each in ends):
            if centre.homogeneous is None:
                raise StructureError(f"there is no ratio: centre {centre}")
        p_i, p_j, p_ij = (_about_middle(self.at) @ self[each].homogeneous for each in ends)
        line = cross(p_i, p_j)
        above, below = cross(p_i, p_ij) @ line * p_j[2], cross(p_j, p_ij) @ line * p_i[2]
        if not line.any() or abs(below) <= 1e-14 * abs(above):
            raise StructureError(
                f"the ratio of {body!r} to {to!r} relative to {base!r} is not determined by their "
                f"centres: {'; '.join(str(self[each]) for each in ends[:2])}"
            )
        return float(above / below)

    @property
    def deviation(self) -> float:
        """Largest difference of a constructed centre from that of the velocities, as an angle."""
        return max((c.deviation for c in self.centres if c.deviation is not None), default=0.0)

    def __str__(self) -> str:
        """One row for each centre."""
        shown = display_units(self.m)
        rows = [("links", f"centre [{shown.unit('m')}]", "found by")]
        rows += [(" - ".join(c.bodies), _place(c, shown), c.how) for c in self.centres]
        title = f"{len(self.centres)} instantaneous centres of {self.m.name or 'the mechanism'!r}"
        return "\n".join([title, "", *columns(rows)])


@public
def instant_centres(
    source: Mechanism | Trajectory | Configuration, at: Any = None, *, velocities_only: bool = False
) -> InstantCentres:
    """All instantaneous centres of a planar mechanism at a position.

    A mechanism is taken at its drawing, at coordinates `at` (`{"A": "60 deg"}`: the others follow)
    or at a configuration; a motion at the index `at` of its times. Mechanisms of several freedoms
    have centres that depend on how fast their drives are: give a motion. With `velocities_only`
    nothing is constructed.
    """
    now = instant(source, at)
    pairs = [pair(*ends) for ends in combinations(now.bodies, 2)]
    found, normals, skip = _joints(now)
    known = {*found, *normals}
    skip |= {key for key in pairs if key not in known and not _relative(now, key).size}
    if not velocities_only:
        Construction(now.bodies, normals, found).complete(skip)
    chosen = {} if velocities_only else found
    centres = tuple(_centre(now, key, chosen.get(key)) for key in pairs)
    return InstantCentres(now.m, now, centres)


Pair = tuple[str, str]


@dataclass(frozen=True, eq=False)
class Found:
    """A centre, and how it was found."""

    point: Array
    step: int
    """0 for centres of joints, then in the order of construction."""
    joint: str
    """The joint whose centre, or whose normal, it is."""
    through: tuple[str, ...]
    """The links that its lines belong to."""


def pair(i: str, j: str) -> Pair:
    """A pair of links, in one order."""
    return (i, j) if i < j else (j, i)


@dataclass(frozen=True, eq=False)
class Construction:
    """Centres found so far, and the lines that others lie on."""

    links: tuple[str, ...]
    normals: Mapping[Pair, tuple[str, Array]]
    """Joint and line, of unit length, where a joint has two freedoms."""
    found: dict[Pair, Found]
    """Those of the joints with one freedom at first."""

    def complete(self, skip: set[Pair]) -> None:
        """Find all centres that constructions (2) reach; pairs in `skip` have none."""
        pairs = [pair(*ends) for ends in combinations(self.links, 2)]
        wanted = [key for key in pairs if key not in self.found and key not in skip]
        before = -1
        while len(self.found) != before:
            before = len(self.found)
            for key in wanted:
                centre = None if key in self.found else self._constructed(key)
                if centre is not None:
                    self.found[key] = centre

    def _constructed(self, key: Pair) -> Found | None:
        """(2) with the two lines that cross at the largest angle."""
        step = 1 + max((each.step for each in self.found.values()), default=0)
        lines: list[Line] = []
        if key in self.normals:
            joint, normal = self.normals[key]
            lines.append((joint, "", normal))
        for k in (name for name in self.links if name not in key):
            one, two = (self.found.get(pair(body, k)) for body in key)
            if one is None or two is None:
                lines += self._carried(key, k)
                continue
            line = cross(one.point, two.point)
            length = float(np.linalg.norm(line))
            if length < SAME:
                return Found(one.point, step, "", (k,))
            lines.append(("", k, line / length))
        return _crossing(lines, step)

    def _carried(self, key: Pair, k: str) -> list[Line]:
        """The normal that S_ik lies on holds S_ij too if it goes through S_jk (a roller's pin)."""
        lines = []
        for i, j in (key, key[::-1]):
            joint, normal = self.normals.get(pair(i, k), ("", None))
            pin = self.found.get(pair(j, k))
            if normal is not None and pin is not None and abs(normal @ pin.point) < SAME:
                lines.append((joint, "", normal))
        return lines


Line = tuple[str, str, Array]
"""A line that a centre lies on: the joint, or the link, that it belongs to, and its coordinates."""


def _crossing(lines: list[Line], step: int) -> Found | None:
    best, sine = None, CLEAR
    for (joint, k, one), (other, n, two) in combinations(lines, 2):
        product = cross(one, two)
        size = float(np.linalg.norm(product))
        if size > (sine if best is None else 1.5 * sine):
            through = tuple(name for name in (k, n) if name)
            best, sine = Found(product / size, step, joint or other, through), size
    return best


def _about_middle(now: Instant) -> Array:
    """From points in the world to points about the middle of a mechanism, in typical lengths."""
    x, y = np.mean([X.p[:2] for X in now.X_WM.values()], axis=0)
    return np.array([[1.0, 0.0, -x], [0.0, 1.0, -y], [0.0, 0.0, now.scale]]) / now.scale


def _centres(now: Instant, V: Array) -> Array:
    """(1) of relative motions in columns, about the middle."""
    return np.asarray(_about_middle(now) @ np.array([-V[2], V[1], V[0]]))


def _joints(
    now: Instant,
) -> tuple[dict[Pair, Found], dict[Pair, tuple[str, Array]], set[Pair]]:
    """Centres that joints give, the lines they give instead, and links that they hold together."""
    spaces: dict[Pair, tuple[str, Array]] = {}
    for joint in now.m.joints:
        key, S = pair(joint.parent, joint.child), _centres(now, now.freedoms(joint))
        if key in spaces:
            name, other = spaces[key]
            spaces[key] = f"{name}, {joint.name}", _common(other, S)
        else:
            spaces[key] = joint.name, S
    found, normals = {}, {}
    for key, (name, S) in spaces.items():
        if S.shape[1] == 1:
            found[key] = Found(S[:, 0] / np.linalg.norm(S), 0, name, ())
        elif S.shape[1] == 2:
            line = cross(S[:, 0], S[:, 1])
            normals[key] = name, line / np.linalg.norm(line)
    return found, normals, {key for key, (_, S) in spaces.items() if S.shape[1] == 0}


def _common(S: Array, T: Array) -> Array:
    """Motions that two joints of the same links allow."""
    if not S.size or not T.size:
        return np.zeros((3, 0))
    return np.asarray(S @ rank_of(np.column_stack([S, -T])).null[: S.shape[1]])


def _relative(now: Instant, key: Pair) -> Array:
    """Centres of all relative motions of two links, in columns; none where they have none."""
    S = _centres(now, now.motions[key[1]] - now.motions[key[0]])
    whole = max(np.abs(_centres(now, V)).max(initial=0.0) for V in now.motions.values())
    return S if np.abs(S).max(initial=0.0) > TOLERANCE * whole else np.zeros((3, 0))


def _centre(now: Instant, key: Pair, found: Found | None) -> Centre:
    one, two = sorted(key, key=now.bodies.index)
    solved = _of_velocities(now, key)
    if found is not None:
        apart = None
        if not isinstance(solved, str):
            apart = float(np.linalg.norm(cross(solved, found.point)))
        method, place = "kennedy" if found.step else "joint", _unscaled(now, found.point)
        return Centre((one, two), place, method, _words(found), found.through, apart)
    if isinstance(solved, str):
        return Centre((one, two), None, solved, WITHOUT[solved])
    return Centre((one, two), _unscaled(now, solved), "velocities", "velocities")


def _of_velocities(now: Instant, key: Pair) -> Array | str:
    """The centre in scaled coordinates, or why there is none."""
    S = _relative(now, key)
    if not S.size:
        return "rest"
    U, s, _ = np.linalg.svd(S)
    return "free" if np.sum(s > TOLERANCE * s[0]) > 1 else np.asarray(U[:, 0])


def _words(found: Found) -> str:
    """How a centre was found."""
    if not found.step:
        return f"joint {found.joint}"
    lines = [f"normal of joint {found.joint}"] if found.joint else []
    lines += [f"line of {name}" for name in found.through]
    if len(lines) == 1:
        return f"{found.step}. both centres with {found.through[0]} are there"
    return f"{found.step}. {' and '.join(lines)}"


def _unscaled(now: Instant, p: Array) -> Array:
    x, y, w = p
    if abs(w) < INFINITE:
        n = np.array([x, y]) / np.hypot(x, y)
        return np.array([*(n if n[np.argmax(np.abs(n))] > 0 else -n), 0.0])
    place = np.linalg.solve(_about_middle(now), p / w)[:2]
    return np.array([*np.where(np.abs(place) < 1e-15 * now.scale, 0.0, place), 1.0])


def _place(centre: Centre, shown: DisplayUnits = IN_SI) -> str:
    if centre.homogeneous is None:
        return "-"
    x, y = tidy(centre.homogeneous[:2]) + 0.0
    if centre.finite:
        x, y = (float(shown.values(float(e), "m")) for e in (x, y))
    return f"({x:.6g}, {y:.6g})" if centre.finite else f"at infinity along ({x:.6g}, {y:.6g})"
