"""Ready questions about a motion, each with the number it gives and how that changes with sizes.

Most are extremes over time of something y that the motion has at every time. Where the extreme is,
its derivative by a size p is that of y with the time standing still (the envelope theorem),

    d(max y)/dp = dy/dp   at the time of the largest y                                        (1)

and dy/dp goes through the loops (slopes.py). So a gradient takes one motion, as the number does,
and one state more. Source of (1): Danskin (1967), The Theory of Max-Min, chapter I.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..dynamics.load_distribution import motion_names, units_of_efforts
from ..errors import StructureError, refuse_unknown
from ..kinematics.velocity import body_pose
from ..model.body import GROUND
from ..model.drawing import drawing
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from ..system.system import System
from ..trajectory.columns import units_of
from ..trajectory.places import kept_tree, place
from ..trajectory.trajectory import Trajectory
from ..verbs.forces.driving import driving_forces
from ..verbs.verb import Verb, verb
from ..workspace.transmission import driven_output, push_angle, pushing
from .slopes import Slopes
from .turning import ratio_of_times, ratio_slopes

Slope = Callable[[Trajectory, Slopes, Array], Array]
"""From a motion of designs p, (designs, names), to d(answer)/dp, shape (designs, names)."""


class Ready(NamedTuple):
    """What answers a question of many designs at once."""

    ask: Callable[[Trajectory], Array]
    slope: Slope | None = None
    """None where an answer has more than one number."""
    rates: bool = True
    """Whether it looks at velocities or accelerations."""
    unit: str = ""
    """Of what it answers, in SI."""


@dataclass(frozen=True)
class Column:
    """A column of the motion."""

    name: str
    unit: str = ""

    def values(self, moved: Trajectory) -> Array:
        """Shape (designs, times)."""
        return moved[self.name]

    def slopes(self, moved: Trajectory, k: Array, slopes: Slopes, p: Array) -> Array:
        """By the sizes, at one time of each design: shape (designs, names)."""
        names = moved.coordinates, *([f"{x}_{n}" for n in moved.velocities] for x in "va")
        part = next(i for i, own in enumerate(names) if self.name in own)
        rates = slopes.of_state(moved, k, p) if part else (slopes.of_q(*at_time(moved, k), p),)
        return np.asarray(rates[part][:, [*names[part]].index(self.name)])


@dataclass(frozen=True)
class Said:
    """What a verb says at every time."""

    verb: Verb[..., Any]
    options: tuple[tuple[str, Any], ...] = ()

    def values(self, moved: Trajectory) -> Array:
        """Shape (designs, times, ...)."""
        return np.asarray(moved.asked(self.verb, **dict(self.options)))

    def slopes(self, moved: Trajectory, k: Array, slopes: Slopes, p: Array) -> Array:
        """By the sizes, at one time of each design: shape (designs, ..., names)."""
        own = dict(self.options)
        if self.verb.inputs == ("q",):
            return slopes.of(self.verb, *at_time(moved, k), p, **own)
        return slopes.of_verb(self.verb, moved, k, p, **own)


def at_time(moved: Trajectory, k: Array) -> tuple[Array, Array]:
    """Coordinates of every design at a time of its own, and these times."""
    return moved.q[np.arange(len(k)), k], moved.t[k]


def _stroke(m: Mechanism, of: str) -> Ready:
    own = _column(m, of or guided(m))
    rates = own.name not in m.coordinates
    return Ready(partial(_range, own), partial(_range_slope, own), rates, own.unit)


def _range(own: Column, moved: Trajectory) -> Array:
    """How far a column goes: its highest value less its lowest."""
    return np.asarray(np.ptp(own.values(moved), axis=-1))


def _range_slope(own: Column, moved: Trajectory, slopes: Slopes, p: Array) -> Array:
    y = own.values(moved)
    high, low = (own.slopes(moved, f(y, axis=1), slopes, p) for f in (np.argmax, np.argmin))
    return np.asarray(high - low)


def _peak(m: Mechanism, of: str) -> Ready:
    if not of:
        raise StructureError("sweep: 'peak': say of which column, such as 'peak of a_B'")
    own = _column(m, of)
    rates = own.name not in m.coordinates
    return Ready(partial(_largest, own), partial(_largest_slope, own), rates, own.unit)


def _largest(own: Column, moved: Trajectory) -> Array:
    """The largest amount of a column."""
    return np.asarray(np.max(np.abs(own.values(moved)), axis=-1))


def _largest_slope(own: Column, moved: Trajectory, slopes: Slopes, p: Array) -> Array:
    y = own.values(moved)
    k = np.argmax(np.abs(y), axis=1)
    sign = np.sign(y[np.arange(len(y)), k])
    return np.asarray(sign[:, None] * own.slopes(moved, k, slopes, p))


def _transmission(m: Mechanism, of: str) -> Ready:
    joint, output = (of, None) if of else driven_output(m)
    own = Said(push_angle, tuple(pushing(m, joint, output).items()))
    return Ready(partial(_least, own), partial(_least_slope, own), rates=False, unit="rad")


def _least(own: Said, moved: Trajectory) -> Array:
    """The least over the times."""
    return np.asarray(np.min(own.values(moved), axis=-1))


def _least_slope(own: Said, moved: Trajectory, slopes: Slopes, p: Array) -> Array:
    return own.slopes(moved, np.argmin(own.values(moved), axis=1), slopes, p)


def _time_ratio(m: Mechanism, of: str) -> Ready:
    name = _column(m, of or guided(m)).name
    if name not in m.coordinates:
        raise StructureError(f"sweep: 'time ratio' is that of a coordinate, got {name!r:.60}")
    return Ready(partial(ratio_of_times, name), partial(ratio_slopes, name))


def _point(m: Mechanism, of: str) -> Ready:
    body, _, name = of.partition(".")
    if not name:
        raise StructureError("sweep: 'point': say which, such as 'point of coupler.tip'")
    own = Said(place, (("body", m.body(body).name), ("point", name)))
    return Ready(own.values, rates=False, unit="m")


def _torque(m: Mechanism, of: str) -> Ready:
    places = {name: k for k, name in enumerate(motion_names(m))}
    known = {x.coordinate: places[x.name] for x in m.drives if x.coordinate and x.name in places}
    drive = (places | known).get(of) if of or len(places) != 1 else 0
    if drive is None:
        raise StructureError(
            "sweep: 'peak torque': say of which drive, such as 'peak torque of motor'; there are "
            f"{', '.join(places) or 'none'}"
        )
    unit = [*units_of_efforts(m).values()][drive]
    return Ready(partial(_peak_torque, drive), partial(_torque_slope, drive), unit=unit)


def _peak_torque(drive: int, moved: Trajectory) -> Array:
    """The largest torque or force of a drive."""
    return np.asarray(np.max(np.abs(EFFORTS.values(moved)[..., drive]), axis=-1))


def _torque_slope(drive: int, moved: Trajectory, slopes: Slopes, p: Array) -> Array:
    y = EFFORTS.values(moved)[..., drive]
    k = np.argmax(np.abs(y), axis=1)
    sign = np.sign(y[np.arange(len(y)), k])
    return np.asarray(sign[:, None] * EFFORTS.slopes(moved, k, slopes, p)[:, drive])


EFFORTS = Said(driving_forces)


def _size(m: Mechanism, of: str) -> Ready:
    return Ready(_box, _box_slope, rates=False, unit="m")


def _box(moved: Trajectory) -> Array:
    """Diagonal of the box in which all joints stay."""
    span = np.ptp(PLACES.values(moved), axis=(-3, -2))
    return np.asarray(np.sqrt(np.sum(span**2, axis=-1)))


def _box_slope(moved: Trajectory, slopes: Slopes, p: Array) -> Array:
    """d = sqrt(sum s^2): dd = sum s ds / d, each span s with its two ends."""
    tracks, lane = PLACES.values(moved), np.arange(len(p))
    total = np.zeros_like(p)
    for axis in range(3):
        flat = tracks[..., axis].reshape(len(p), -1)
        span = np.ptp(flat, axis=1)
        for f, sign in ((np.argmax, 1.0), (np.argmin, -1.0)):
            k, joint = np.divmod(f(flat, axis=1), tracks.shape[2])
            ends = PLACES.slopes(moved, k, slopes, p)[lane, joint, axis]
            total += sign * span[:, None] * ends
    return total / _box(moved)[:, None]


@verb(closed=True)
def joint_places(system: System, q: Any) -> Array:
    """Where the joints are on their children, shape (..., joints, 3)."""
    drawn = drawing(system.m)
    places = [
        (body_pose(system.tree, q, joint.child) @ drawn.X_BM(joint)).p for joint in system.m.joints
    ]
    return np.array(places, dtype=object)


PLACES = Said(joint_places)


def _singularity(m: Mechanism, of: str) -> Ready:
    return Ready(_least_pivot, _pivot_slope, rates=False)


def _least_pivot(moved: Trajectory) -> Array:
    """Least pivot of the velocity equations over the largest: 0 at a dead point, 1 at best."""
    names, p = tuple(moved.parameters), moved.sizes
    slopes = Slopes(moved.mechanism, names, float(moved.t[0]))
    return np.asarray(np.min(slopes.openness(moved.q, moved.t, p), axis=-1))


def _pivot_slope(moved: Trajectory, slopes: Slopes, p: Array) -> Array:
    k = np.argmin(slopes.openness(moved.q, moved.t, p[:, None]), axis=1)
    return slopes.of_openness(*at_time(moved, k), p)


def guided(m: Mechanism) -> str:
    """The coordinate of the output that the drive moves."""
    _, output = driven_output(m)
    guide = next(each for each in m.joints if each.joins(output) and each.joins(GROUND))
    return guide.coordinates()[0]


def _column(m: Mechanism, name: str) -> Column:
    tree = kept_tree(m)
    known = dict(zip(tree.m.coordinates, units_of(tree, "q"), strict=True))
    for x in "va":
        known |= zip((f"{x}_{n}" for n in tree.m.velocities), units_of(tree, x), strict=True)
    refuse_unknown("column", name, known)
    return Column(name, known[name])


READY: dict[str, Callable[[Mechanism, str], Ready]] = {
    "stroke": _stroke,
    "transmission angle": _transmission,
    "peak torque": _torque,
    "peak": _peak,
    "time ratio": _time_ratio,
    "point": _point,
    "size": _size,
    "singularity": _singularity,
}
"""Ready questions: from a mechanism, and what stands behind `of`, to what answers."""
