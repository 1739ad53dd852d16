"""The verb `lever`: Zhukovsky's lever of a position, the turned velocity plan with its forces.

With a unit of rate of one drive, all others held, every point has a velocity v per unit. Turned by
-90 deg it is an arm h = (v_y, -v_x) from the pole, a rigid lever at whose tips the forces act,
unturned. What a drive has to do, M, keeps the lever in balance:

    M + sum h x F + sum w M_k = 0             (4.53)-(4.55)

for the forces F and moments M_k on links that turn by w per unit. Weights and inertia forces act
at the centre of mass, an inertia moment as M_k besides; other loads on a link on the line of their
sum, at its point nearest to the link's origin, or as a moment where they have no sum. Loads and
springs in joints, and the inertia of their rotors, come as they are, effort times rate.
Source: Gronowicz (2003), section 4.3.4 and Example 4.5.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...display import Displayed, Drawn, columns
from ...door import public
from ...dynamics.kinetostatics import Equations, GivenMotion
from ...dynamics.load_distribution import motion_names, units_of_efforts
from ...dynamics.virtual_work import partial_velocities
from ...errors import StructureError
from ...expr.display_units import IN_SI, DisplayUnits
from ...kinematics.rows import Moving
from ...model.body import GROUND
from ...model.display_units import display_units
from ...spatial.rotation import Array, cross_in_plane
from ..plane.instant import Instant, placed
from ..plane.standing import Source, standing
from .polygons import acting_on_links, given_at

NOTHING = 1e-12
"""Part of the largest force, or moment, below which one is none."""


@dataclass(frozen=True, eq=False)
class LeverForce(Displayed):
    """A force at a tip of the lever, or a moment on a link, and what it turns the lever with."""

    name: str
    kind: str
    """`weight`, `inertia`, `load`, or `joint` for what acts in joints."""
    tip: Array
    """Where it acts on the lever; of a moment the pole."""
    force: Array
    """Zero of a moment."""
    moment: float
    """About the pole: h x F, or w M_k."""
    link: str = ""
    """The link that it acts on; none of what acts in joints."""

    @property
    def arm(self) -> float:
        """Distance h_k of the force's line from the pole, signed as its moment."""
        size = float(np.linalg.norm(self.force))
        return self.moment / size if size else 0.0


@dataclass(frozen=True, eq=False)
class Lever(Drawn):
    """The lever for one drive; `lever["G_rod"]` is a force of it, `print` shows the balance."""

    mechanism: str
    t: float
    drive: str
    unit: str
    """Of what the drive has to do."""
    images: dict[str, Array]
    """Tips of the pins and centres of mass, from the pole (0, 0)."""
    links: dict[str, tuple[str, ...]]
    """Points of every moving link: their tips are its turned image."""
    forces: tuple[LeverForce, ...]
    bodies: tuple[str, ...] = ()
    """All moving links, in the order of the mechanism."""
    shown: DisplayUnits = IN_SI
    """The units that people read; its arrays are in SI."""

    @property
    def effort(self) -> float:
        """What the drive has to do: it balances all moments."""
        return -sum(each.moment for each in self.forces)

    @property
    def per(self) -> str:
        """SI unit of arms: of a drive that turns metres, of one that shifts none."""
        return "m" if self.unit == "N m" else "1"

    @property
    def told(self) -> str:
        """What the drive has to do, as people read it."""
        return self.shown.told(self.effort, self.unit, 6)

    def __getitem__(self, name: str) -> LeverForce:
        """A force or moment by name."""
        for each in self.forces:
            if each.name == name:
                return each
        known = ", ".join(each.name for each in self.forces)
        raise StructureError(f"the lever has no force {name!r}; there are {known or 'none'}")

    def __str__(self) -> str:
        """Forces with their arms, and the balance."""
        force, arm = self.shown.unit("N"), self.per
        moment = self.shown.unit(self.unit)
        rows = [("force", f"size [{force}]", f"arm [{self.shown.unit(arm)}]", f"moment [{moment}]")]
        for each in self.forces:
            size = float(np.linalg.norm(each.force))
            told = ("", "")
            if size:
                told = (self.shown.number(size, "N", 6), self.shown.number(each.arm, arm, 6))
            rows.append((each.name, *told, self.shown.number(each.moment + 0.0, self.unit, 6)))
        title = f"Zhukovsky's lever of {self.mechanism or 'the mechanism'!r} at t = {self.t:g} s"
        balance = f"drive {self.drive!r} balances it with {self.told}"
        return "\n".join([title, "", *columns(rows), "", balance])


@public
def lever(source: Source, at: Any = None, drive: str | None = None) -> Lever:
    """Zhukovsky's lever of a planar motion at the index `at`, for one of its drives.

    Of a mechanism it is at a position of its drives, `{"A": "60 deg"}`, with their constant speeds.
    Its `effort` is what `kb.driving_forces(m, motion, method="lever")` gives, and
    `lever.draw()` is its picture.

    >>> lever = kb.course.lever(motion, 0)
    >>> bool(abs(lever.effort - kb.driving_forces(m, motion)["drive A"][0]) < 1e-9)
    True
    """
    motion, k = standing("lever", source, at)
    now, m = placed(motion, k), motion.mechanism
    names = motion_names(m)
    if drive is None and len(names) == 1:
        drive = names[0]
    if drive not in names:
        raise StructureError(
            f"lever: expected one of the drives {', '.join(names) or '(there is none)'}, got "
            f"{drive!r}; the others stand still in it"
        )
    given, whole = given_at(motion, k)
    if whole.freedoms.undriven:
        raise StructureError(f"lever: mechanism {m.name!r} has too few drives for its freedoms")
    v = partial_velocities(given, whole.freedoms)[:, names.index(drive)].astype(float)
    twists = _twists(whole, v)
    forces = [*_on_links(given, whole, twists), *_in_joints(whole, v)]
    most = max((abs(each.moment) for each in forces), default=0.0)
    largest = max((float(np.abs(each.force).max()) for each in forces), default=0.0)
    felt = tuple(
        each
        for each in forces
        if abs(each.moment) > NOTHING * most or np.abs(each.force).max() > NOTHING * largest
    )
    images, links = _images(now, whole, twists)
    bodies = tuple(body.name for body in m.bodies)
    return Lever(
        m.name,
        now.t,
        drive,
        units_of_efforts(m)[drive],
        images,
        links,
        felt,
        bodies,
        display_units(m),
    )


Twists = dict[str, tuple[Array, Array]]
"""Of every link: its origin in the world, and (w, v_x, v_y) of it per unit of the drive's rate."""


def _twists(whole: Equations, v: Array) -> Twists:
    at = whole.at
    tree, plane = Moving(at.tree, at.q_all), list(at.space)
    found = {}
    for k, link in enumerate(at.tree.links):
        moving = tree.twist_columns(k, at.pose(k).p).items()
        twist = sum((V * v[i] for i, V in moving), start=np.zeros(6))
        origin = np.asarray(at.pose(k).p[:2], dtype=float)
        found[link.name] = origin, np.asarray(twist[plane], dtype=float)
    return found


def _tip(origin: Array, twist: Array, r: Array) -> Array:
    """The velocity of the point at r of a link, turned by -90 deg."""
    w, v_x, v_y = twist
    x, y = r - origin
    return np.array([v_y + w * x, -(v_x - w * y)])


def _on_links(given: GivenMotion, whole: Equations, twists: Twists) -> Iterator[LeverForce]:
    """Inertia, weight and loads of all links."""
    for link, (name, parts) in zip(
        whole.at.tree.links, acting_on_links(given, whole).items(), strict=True
    ):
        origin, twist = twists[name]
        S = _centre(whole, name) if link.mass else origin
        for label, kind, (n, *f), _ in parts:
            F = np.array(f)
            square = float(F @ F)
            r = S
            if kind == "load" and square:
                r = origin + n * np.array([F[1], -F[0]]) / square
            tip, rest = _tip(origin, twist, r), float(n - cross_in_plane(r - origin, F))
            yield LeverForce(label, kind, tip, F, cross_in_plane(tip, F), name)
            moment = label.replace("F^b", "M^b").replace("Q_", "M_")
            about = float(twist[0] * rest)
            yield LeverForce(moment, kind, np.zeros(2), np.zeros(2), about, name)


def _in_joints(whole: Equations, v: Array) -> Iterator[LeverForce]:
    """What acts in the joints' own coordinates."""
    taken = np.array(whole.b[whole.at.first :], dtype=float)
    names = whole.at.tree.velocities
    for name, rate, effort in zip(names, v, taken, strict=True):
        yield LeverForce(f"in {name}", "joint", np.zeros(2), np.zeros(2), float(-rate * effort))


def _centre(whole: Equations, name: str) -> Array:
    number = whole.at.tree.number(name)
    link = whole.at.tree.links[number]
    centre = whole.at.pose(number).point(np.asarray(link.h, dtype=float) / link.mass)
    return np.asarray(centre[:2], dtype=float)


def _images(
    now: Instant, whole: Equations, twists: Twists
) -> tuple[dict[str, Array], dict[str, tuple[str, ...]]]:
    """Tips of all pins and centres of mass, and which links have them."""
    images: dict[str, Array] = {}
    links: dict[str, list[str]] = {name: [] for name in twists}
    for joint in now.m.joints:
        if not joint.turns_only:
            continue
        r, ends = now.place(joint), [b for b in (joint.parent, joint.child) if b in twists]
        fixed = GROUND in (joint.parent, joint.child)
        images[joint.name] = np.zeros(2) if fixed else _tip(*twists[ends[0]], r)
        for body in ends:
            links[body].append(joint.name)
    for link in whole.at.tree.links:
        if link.mass and link.name in links:
            name = f"S({link.name})"
            images[name] = _tip(*twists[link.name], _centre(whole, link.name))
            links[link.name].append(name)
    return images, {body: tuple(names) for body, names in links.items()}
