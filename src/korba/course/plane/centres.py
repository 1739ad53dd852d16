"""The verb `instant_centres`: all n (n - 1) / 2 centres of a planar mechanism.

Centres of joints come first, then Kennedy's constructions (kennedy.py). What these do not reach
(groups of class III and higher) follows from solved velocities: with the relative motion
(w, v_x, v_y) of two links the centre is (-v_y, v_x, w). Both ways are compared where both go.

Angular velocities of two links i, j relative to a third one are on the line of their centres

    w_j / w_i = (S_i0 S_ij) / (S_j0 S_ij)                    signed                        (1)

Source: Gronowicz (2003), section 3.2.1, equation (3.5).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from ...display import Displayed, columns
from ...errors import StructureError
from ...model.body import GROUND
from ...model.mechanism import Mechanism
from ...solve.assemble import Configuration
from ...spatial.rotation import Array
from ...trajectory.trajectory import Trajectory
from .instant import RANK, Instant, instant
from .kennedy import Found, Known, Pair, centre_of, kennedy, pair

INFINITE = 1e-9
"""A centre farther away than a typical length over this is at infinity."""


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
class InstantCentres(Displayed):
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
        """(1): angular velocity of `body` over that of `to`, both relative to `base`."""
        points = [self._shifted(*ends) for ends in ((to, base), (body, base), (body, to))]
        p_i, p_j, p_ij = points
        line = np.cross(p_i, p_j)
        above, below = np.cross(p_i, p_ij) @ line * p_j[2], np.cross(p_j, p_ij) @ line * p_i[2]
        if not line.any() or abs(below) <= 1e-14 * abs(above):
            raise StructureError(
                f"the ratio of {body!r} to {to!r} relative to {base!r} is not determined by their "
                f"centres: {'; '.join(str(self[e]) for e in ((to, base), (body, base)))}"
            )
        return float(above / below)

    def _shifted(self, i: str, j: str) -> Array:
        """A centre in coordinates about the middle of the mechanism, in typical lengths."""
        centre = self[i, j]
        if centre.homogeneous is None:
            raise StructureError(f"there is no ratio: centre {centre}")
        x, y, w = centre.homogeneous
        middle = _middle(self.at)
        scale = self.at.scale if w else 1.0
        return np.array([(x - w * middle[0]) / scale, (y - w * middle[1]) / scale, w])

    @property
    def deviation(self) -> float:
        """Largest difference of a constructed centre from that of the velocities, as an angle."""
        return max((c.deviation for c in self.centres if c.deviation is not None), default=0.0)

    def __str__(self) -> str:
        """One row for each centre."""
        rows = [("links", "centre", "found by")]
        rows += [(" - ".join(c.bodies), _place(c), c.how) for c in self.centres]
        name = self.m.name or "the mechanism"
        heading = f"{len(self.centres)} instantaneous centres of {name!r}"
        return "\n".join([heading, "", *columns(rows)])


def instant_centres(
    source: Mechanism | Trajectory | Configuration, at: Any = None, *, velocities_only: bool = False
) -> InstantCentres:
    """All instantaneous centres of a planar mechanism at a position.

    A mechanism is taken at its drawing, at coordinates `at` or at a configuration; a motion at the
    index `at` of its times. Mechanisms of several freedoms have centres that depend on how fast
    their drives are: give a motion. With `velocities_only` nothing is constructed.
    """
    now = instant(source, at)
    known, rigid = _joints(now)
    still = {key for key in _pairs(now) if key not in known and _relative(now, key) is None}
    found = {} if velocities_only else kennedy(list(now.bodies), known, rigid | still)
    centres = tuple(_centre(now, key, found.get(key)) for key in _pairs(now))
    return InstantCentres(now.m, now, centres)


def _pairs(now: Instant) -> list[Pair]:
    return [pair(i, j) for i, j in combinations(now.bodies, 2)]


def _middle(now: Instant) -> Array:
    places = [X.p[:2] for X in now.X_WM.values()]
    return np.asarray(np.mean(places, axis=0), dtype=float)


def _scaled(now: Instant, V: Array) -> Array:
    """Relative motions about the middle of the mechanism, in typical lengths."""
    x, y = _middle(now)
    return np.array([V[0], (V[1] - V[0] * y) / now.scale, (V[2] + V[0] * x) / now.scale])


def _joints(now: Instant) -> tuple[dict[Pair, Known], set[Pair]]:
    """What joints say about the centre of their links; and links that they hold together."""
    spaces: dict[Pair, tuple[str, Array]] = {}
    for joint in now.m.joints:
        key = pair(joint.parent, joint.child)
        S = _scaled(now, now.freedoms(joint))
        name, other = spaces.get(key, (joint.name, None))
        spaces[key] = (name, S) if other is None else (f"{name}, {joint.name}", _common(other, S))
    known = {}
    for key, (name, S) in spaces.items():
        if S.shape[1] == 1:
            known[key] = Known(name, centre_of(S[:, 0]), None)
        elif S.shape[1] == 2:
            line = np.cross(centre_of(S[:, 0]), centre_of(S[:, 1]))
            known[key] = Known(name, None, line / np.linalg.norm(line))
    return known, {key for key, (_, S) in spaces.items() if S.shape[1] == 0}


def _common(S: Array, T: Array) -> Array:
    """Motions that two joints of the same links allow."""
    if not S.size or not T.size:
        return np.zeros((3, 0))
    _, s, V = np.linalg.svd(np.column_stack([S, -T]))
    rank = int(np.sum(s > RANK * s[0]))
    return np.asarray(S @ V[rank:, : S.shape[1]].T)


def _relative(now: Instant, key: Pair) -> Array | None:
    """All relative motions of two links, in scaled form; None where they have none."""
    V = _scaled(now, now.motions[key[1]] - now.motions[key[0]])
    whole = max(float(np.abs(_scaled(now, M)).max(initial=0.0)) for M in now.motions.values())
    return V if np.abs(V).max(initial=0.0) > RANK * whole else None


def _centre(now: Instant, key: Pair, found: Found | None) -> Centre:
    bodies = tuple(sorted(key, key=now.bodies.index))
    solved = _of_velocities(now, key)
    if found is not None:
        apart = None
        if isinstance(solved, np.ndarray):
            apart = float(np.linalg.norm(np.cross(solved, found.point)))
        method = "kennedy" if found.step else "joint"
        place = _unscaled(now, found.point)
        return Centre(bodies, place, method, _words(found), found.through, apart)  # type: ignore[arg-type]
    if isinstance(solved, str):
        how = {
            "rest": "no relative motion",
            "free": "depends on the speeds of several freedoms",
        }[solved]
        return Centre(bodies, None, solved, how)  # type: ignore[arg-type]
    return Centre(bodies, _unscaled(now, solved), "velocities", "velocities")  # type: ignore[arg-type]


def _of_velocities(now: Instant, key: Pair) -> Array | str:
    """The centre in scaled coordinates, or why there is none."""
    V = _relative(now, key)
    if V is None:
        return "rest"
    U, s, _ = np.linalg.svd(V)
    return "free" if np.sum(s > 1e-7 * s[0]) > 1 else centre_of(U[:, 0])


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
    middle = _middle(now)
    place = np.array([middle[0] + now.scale * x / w, middle[1] + now.scale * y / w])
    return np.array([*np.where(np.abs(place) < 1e-15 * now.scale, 0.0, place), 1.0])


def _place(centre: Centre) -> str:
    if centre.homogeneous is None:
        return "-"
    x, y, w = centre.homogeneous + 0.0
    return f"({x:.6g}, {y:.6g})" if w else f"at infinity along ({x:.6g}, {y:.6g})"
