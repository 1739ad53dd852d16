"""Questions to the motion of many designs at once: ready ones by name, verbs and functions.

A question takes a motion of designs, q of shape (designs, times, nq), and answers with arrays whose
first axis are the designs. Designs that did not finish are not asked; their answers are nan.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ..door import shown
from ..dynamics import newton_euler
from ..errors import StructureError, way_out
from ..kinematics.velocity import body_pose
from ..model.body import GROUND
from ..model.drawing import drawing
from ..model.mechanism import Mechanism
from ..solve.loop_system import with_sizes
from ..solve.motion import driven_loops
from ..spatial.rotation import Array
from ..system.system import System
from ..trajectory.places import kept_tree
from ..trajectory.trajectory import FINISHED, Trajectory
from ..verbs.systems import under
from ..verbs.verb import Verb, verb
from ..workspace.transmission import driven_output, transmission_angles

STILL = 1e-9
"""Speed of a drive, beside its fastest, below which no torque is computed from the power."""


@dataclass(frozen=True)
class Question:
    """A name, and what answers: an array, or several by name."""

    name: str
    ask: Callable[[Trajectory], Any]

    def answers(self, moved: Trajectory) -> dict[str, Array]:
        """Arrays by name, the designs on their first axis; only those that finished are asked."""
        done = np.flatnonzero(moved.ended == FINISHED)
        whole = len(done) == len(moved.q)
        if not len(done):
            return {}
        said = self.ask(moved if whole else _some(moved, done))
        parts = said if isinstance(said, Mapping) else {self.name: said}
        own = {str(name): self._checked(str(name), x, len(done)) for name, x in parts.items()}
        return own if whole else {n: _scattered(x, done, len(moved.q)) for n, x in own.items()}

    def _checked(self, name: str, given: Any, count: int) -> Array:
        try:
            answer = np.asarray(given, dtype=float)
        except (TypeError, ValueError):
            answer = np.zeros(())
        if answer.shape[:1] != (count,):
            raise StructureError(
                f"sweep: question {name!r}: expected numbers with the designs on the first axis, "
                f"shape ({count}, ...), got {shown(given)}"
            )
        return answer


def _some(moved: Trajectory, numbers: Array) -> Trajectory:
    """The motion of some of the designs."""
    return replace(
        moved,
        q=moved.q[numbers],
        v=moved.v[numbers],
        accelerations=moved.a[numbers],
        ended=np.asarray(moved.ended)[numbers],
        endings={},
        parameters={name: x[numbers] for name, x in moved.parameters.items()},
    )


def _scattered(values: Array, numbers: Array, count: int) -> Array:
    """Answers of some designs in their places; nan for the others."""
    whole = np.full((count, *values.shape[1:]), np.nan)
    whole[numbers] = values
    return whole


def questions_of(m: Mechanism, given: Any) -> tuple[Question, ...]:
    """The questions that were asked: one, several, or several by names of one's own."""
    if isinstance(given, Mapping):
        pairs = [(name, _question(m, each)) for name, each in given.items()]
        asked = tuple(Question(str(name), each.ask) for name, each in pairs)
    elif isinstance(given, Sequence) and not isinstance(given, str | bytes):
        asked = tuple(_question(m, each) for each in given)
    else:
        asked = (_question(m, given),)
    if not asked:
        raise StructureError("sweep: ask at least one question, such as 'transmission angle'")
    return asked


def _question(m: Mechanism, given: Any) -> Question:
    if isinstance(given, str):
        return _ready(m, given)
    if isinstance(given, Verb):
        return Question(given.name, partial(_by_verb, given))
    if callable(given) and not isinstance(given, type):
        return Question(getattr(given, "__name__", "answer"), given)
    raise StructureError(
        f"sweep: question: expected {', '.join(map(repr, READY))}, a verb or a function of a "
        f"motion, got {shown(given)}"
    )


def _ready(m: Mechanism, text: str) -> Question:
    """A ready question, `stroke` or `stroke of D`."""
    name, _, of = (part.strip() for part in text.partition(" of "))
    if name not in READY:
        raise StructureError(f"sweep: there is no question {name!r:.60}; {way_out(name, READY)}")
    return Question(text, READY[name](m, of))


def _by_verb(asked: Verb[..., Any], moved: Trajectory) -> Any:
    """What a verb says at every time."""
    unknown = [name for name in asked.inputs if name not in ("q", "v", "a")]
    if unknown:
        raise StructureError(
            f"sweep: question {asked.name!r} needs {', '.join(unknown)}, which a motion has not; "
            "give a function of the motion that calls it"
        )
    state = [getattr(moved, name) for name in asked.inputs]
    said = asked(moved.mechanism, *state, parameters=dict(moved.parameters))
    return said._asdict() if hasattr(said, "_asdict") else said


def _stroke(m: Mechanism, of: str) -> Callable[[Trajectory], Any]:
    return partial(_range, _column(m, of or guided(m)))


def _range(name: str, moved: Trajectory) -> Array:
    """How far a column goes: its highest value less its lowest."""
    return np.asarray(np.ptp(moved[name], axis=-1))


def _peak(m: Mechanism, of: str) -> Callable[[Trajectory], Any]:
    if not of:
        raise StructureError("sweep: 'peak': say of which column, such as 'peak of a_B'")
    return partial(_largest, _column(m, of))


def _largest(name: str, moved: Trajectory) -> Array:
    """The largest amount of a column."""
    return np.asarray(np.max(np.abs(moved[name]), axis=-1))


def _transmission(m: Mechanism, of: str) -> Callable[[Trajectory], Any]:
    joint, output = (of, None) if of else driven_output(m)
    return partial(_least_angle, joint, output)


def _least_angle(joint: str, output: str | None, moved: Trajectory) -> Array:
    """The least transmission angle over the times."""
    return np.asarray(np.min(transmission_angles(moved, joint, output), axis=-1))


def _time_ratio(m: Mechanism, of: str) -> Callable[[Trajectory], Any]:
    return partial(_ratio, _column(m, of or guided(m)))


def _ratio(name: str, moved: Trajectory) -> Array:
    """Time in which a coordinate goes the slow way over that of the quick one."""
    way = np.sign(np.diff(moved[name], axis=-1)) * np.diff(moved.t)
    there, back = (np.sum(np.clip(sign * way, 0, None), axis=-1) for sign in (1, -1))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.maximum(there, back) / np.minimum(there, back))


def _point(m: Mechanism, of: str) -> Callable[[Trajectory], Any]:
    body, _, name = of.partition(".")
    if not name:
        raise StructureError("sweep: 'point': say which, such as 'point of coupler.tip'")
    return partial(_positions, m.body(body).name, name)


def _positions(body: str, name: str, moved: Trajectory) -> Array:
    """Where a point of a body is at every time, shape (designs, times, 3)."""
    return moved.point(body, name).position


def _torque(m: Mechanism, of: str) -> Callable[[Trajectory], Any]:
    names = [drive.coordinate for drive in m.drives if drive.coordinate]
    if len(m.drives) != 1 or len(names) != 1 or (of and of not in names):
        raise StructureError(
            "sweep: 'peak torque' is that of the one drive of a joint: the mechanism has "
            f"{len(m.drives)} drives, of joints {', '.join(names) or 'none'}"
        )
    return partial(_peak_torque, names[0])


def _peak_torque(name: str, moved: Trajectory) -> Array:
    """The largest driving torque or force, from the power: loops do no work.

    tau v_drive = v' (M a + h - loads)
    """
    power, speed = moved.asked(driving_power), np.abs(moved[f"v_{name}"])
    fastest = np.max(speed, axis=-1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        torque = np.where(speed > STILL * fastest, np.abs(power) / speed, 0.0)
    return np.asarray(np.max(torque, axis=-1))


@verb(closed=True)
def driving_power(system: System, q: Any, v: Any, a: Any) -> Any:
    """Power that drives bring in: what the opened tree takes, as its loops do no work."""
    return np.asarray(v) @ newton_euler.inverse_dynamics(under(system), q, v, a)


def _size(m: Mechanism, of: str) -> Callable[[Trajectory], Any]:
    return _box


def _box(moved: Trajectory) -> Array:
    """Diagonal of the box in which all joints stay."""
    tracks = np.asarray(moved.asked(joint_places))
    span = np.ptp(tracks, axis=(-3, -2))
    return np.asarray(np.sqrt(np.sum(span**2, axis=-1)))


@verb(closed=True)
def joint_places(system: System, q: Any) -> Array:
    """Where the joints are on their children, shape (..., joints, 3)."""
    drawn = drawing(system.m)
    places = [
        (body_pose(system.tree, q, joint.child) @ drawn.X_BM(joint)).p for joint in system.m.joints
    ]
    return np.array(places, dtype=object)


def _singularity(m: Mechanism, of: str) -> Callable[[Trajectory], Any]:
    return _least_pivot


def _least_pivot(moved: Trajectory) -> Array:
    """Least pivot of the velocity equations over the largest: 0 at a dead point, 1 at best."""
    m, t, names = moved.mechanism, moved.t, tuple(moved.parameters)
    system = with_sizes(m, driven_loops(m, float(t[0])), names)
    p = np.stack(np.broadcast_arrays(*moved.parameters.values()), axis=-1)
    clock, rest = np.stack([t, np.ones_like(t)], axis=-1), np.zeros(system.wanted)
    pivots = system.rates(moved.q, rest, rest, clock, p, check_finite=False)[3]
    return np.asarray(np.min(pivots.min(axis=-1) / pivots.max(axis=-1), axis=-1))


def guided(m: Mechanism) -> str:
    """The coordinate of the output that the drive moves."""
    _, output = driven_output(m)
    guide = next(each for each in m.joints if each.joins(output) and each.joins(GROUND))
    return guide.coordinates()[0]


def _column(m: Mechanism, name: str) -> str:
    own = kept_tree(m).m
    known = [*own.coordinates, *(f"{x}_{n}" for x in "va" for n in own.velocities)]
    if name not in known:
        raise StructureError(f"sweep: there is no column {name!r:.60}; {way_out(name, known)}")
    return name


READY: dict[str, Callable[[Mechanism, str], Callable[[Trajectory], Any]]] = {
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
