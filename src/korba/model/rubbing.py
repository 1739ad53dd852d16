"""Friction in joints: what it does along a joint's own velocities, under the joint's wrench.

Whatever rubs is a contact with a load N, the normal force, and a slip u = J v, linear in the
joint's velocities. Friction acts against the slip, and its effort in the velocities is

    e = -J' mu N u / |u|                                                                     (1)

With the force F and the moment M of the parent on the child about M, d the direction of an axis,
F_t and M_t the parts across it:

    pin       u = r w,         N = |F| / sqrt(1 + mu'^2), so that e = h |F|           (4.63), (4.64)
    slide     u = v,           N1, N2 = F_t / 2 -+ (M_c x d) / l_o                    (4.79), (4.84)
    cylinder  u = (r w, v),    N1 and N2 of the slide, reduced like those of the pin
    screw     u = w sqrt(r^2 + p^2),   N = |r F_a - p M_a / r| / (sqrt(r^2 + p^2) cos(flank angle)),
              M_a = e - p F_a being what the thread carries, without a drive of the joint
    plane     u = (v_x, v_y, r w),     N = |F_n|
    contact   u = the slip at the place of contact,   N = |F_n|                      (4.66) - (4.69)
    ball on a line or plane   the same at the place where the ball, of radius r, touches

The friction of a slide acts on its faces, b from the middle, and turns the slider too, so that the
contacts carry  M_c = M + sign(v) mu b d x F_t, (4.81); without a length of the guide N is F_t. A
pin or cross with a length carries tilting moments by two forces as well. p is the advance of a
screw in one rad; forces across its axis rub along the thread, too. mu' is mu, 4/pi mu (run-in) or
pi/2 mu (new) of round contacts. Rolling resists by a lever f:  (1) with u = f w and mu = 1. Teeth
lose the part 1 - eta of the power that goes into the mesh, seen from the line of centres.

A joint names its law, `rubs = PIN`; one that rubs in another way has a `Law` in its own file.

With a coefficient at rest mu_s friction falls with the speed,  mu + (mu_s - mu) exp(-(u / v_s)^2);
without v_s mu_s holds at rest alone. Or a `law` gives mu (|u|, N), and another one the effort. What
is at rest rubs against the motion that begins.
Source: Gronowicz (2003), sections 4.3.5 and 4.3.6.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..errors import StructureError
from ..expr import Expr, evaluate, less_equal, maximum, sign, substitute, variables, where
from ..expr.node import present
from ..spatial.rotation import Array, cross
from .joint import Joint
from .joint_parts import Friction

RUNNING = {"plain": 1.0, "run-in": 4 / np.pi, "new": np.pi / 2}
"""mu' / mu of a round contact."""
NEVER_ZERO = 1e-30
"""Added under a root, so that it has a slope at 0: in N^2, or (m/s)^2."""
BEGINS = 1e-100
"""What an acceleration counts beside a velocity: nothing, unless that is 0."""
AT_REST = 1e-280
"""Added under the root of a slip that begins, so that what stays at rest has none."""


class GuideForces(NamedTuple):
    """What the two contacts of a guide carry, as vectors: at -l_o/2 and at l_o/2 along it."""

    first: Array
    second: Array


class Rubbing(NamedTuple):
    """A joint with friction at a position; vectors about M in one set of axes."""

    joint: Joint
    data: Friction
    D: Array
    """Twist of the child for a unit of each velocity, 6 x nv."""
    vectors: tuple[Array, ...]
    """What else the joint tells (`Joint.friction_vectors`)."""
    v: Array
    going: Array
    """v + BEGINS a: where it goes, or begins to go."""
    F: Array
    """Wrench (moment, force) of the parent on the child."""
    own: Array
    """Efforts of friction itself: a drive in the joint is part of the wrench, not of contacts."""

    @property
    def radius(self) -> Any:
        """Of the pin, ball or thread."""
        return 0.0 if self.data.radius is None else self.data.radius

    def row(self, k: int, factor: Any = 1.0) -> Array:
        """The slip that is a multiple of one velocity."""
        row = np.zeros((1, self.joint.nv), dtype=object)
        row[0, k] = factor
        return row


class Contact(NamedTuple):
    """A place that rubs: its load, and the rows of its slip J."""

    load: Any
    J: Array
    round: int = 0
    """How many rows of the slip are part of the load, so that it is reduced."""
    coefficient: Any = None
    """In place of that of the friction data."""


def friction_efforts(r: Rubbing) -> Array:
    """Efforts of friction in the velocities of a joint."""
    efforts = np.zeros(r.joint.nv, dtype=object)
    law = law_of(r.joint)
    for contact in law.contacts(r):
        way, mu = _rubs(r, contact)
        load = contact.load
        if contact.round == len(way):
            load = load / np.sqrt(1.0 + mu * mu)
        elif contact.round:
            part = mu * way[: contact.round]
            load = load / np.sqrt(1.0 + part @ part)
        efforts = efforts - contact.J.T @ (mu * load * way)
    if "effort" in law.reads and rubs_anyway(r.data):
        way = np.array([sign(x) for x in r.going]) if law.separate else _direction(r.going)
        speeds = [np.abs(x) for x in r.v] if law.separate else [norm(r.v)] * len(way)
        own = r.data.effort_law
        most = [r.data.effort if own is None else law_value(own, u=u) for u in speeds]
        efforts = efforts - way * np.array(most, dtype=object)
    return efforts


def rubs_anyway(data: Friction) -> bool:
    """Whether there is friction that does not depend on the load."""
    return data.effort_law is not None or present(data.effort)


def follows_load(data: Friction) -> bool:
    """Whether there is friction that a coefficient tells."""
    return data.law is not None or any(present(x) for x in (data.coefficient, data.static or 0.0))


def law_value(law: Expr, **values: Any) -> Any:
    """A law of friction at numbers or symbols."""
    needed = {name: values[name] for name in variables(law) & values.keys()}
    if any(isinstance(x, Expr) for x in needed.values()) or variables(law) - needed.keys():
        return substitute(law, needed)
    return evaluate([law], needed)[0]


def _rubs(r: Rubbing, contact: Contact) -> tuple[Array, Any]:
    """The direction of a slip, and the coefficient of friction there."""
    way = _direction(contact.J @ r.going)
    if contact.coefficient is not None:
        return way, contact.coefficient
    falls = r.data.static is not None or r.data.law is not None
    mu = coefficient(r.data, norm(contact.J @ r.v) if falls else 0.0, contact.load)
    return way, RUNNING[r.data.running] * mu if contact.round else mu


def coefficient(data: Friction, speed: Any, load: Any = 0.0) -> Any:
    """mu at a speed of slip and a load."""
    if data.law is not None:
        return law_value(data.law, u=speed, N=load)
    if data.static is None:
        return data.coefficient
    if data.stribeck_velocity is None:
        return where(less_equal(speed, 0.0), data.static, data.coefficient)
    ratio = speed / data.stribeck_velocity
    return data.coefficient + (data.static - data.coefficient) * np.exp(-ratio * ratio)


def guide_forces(length: Any, d: Array, F: Array, lever: Any = 0.0) -> GuideForces:
    """N1 and N2 of a slide along d; without a length of the guide N1 has all, and N2 nothing.

    `lever` is sign(v) mu b: where friction on the faces of the guide acts, times mu.
    """
    across = F[3:] - d * (d @ F[3:])
    if length is None:
        return GuideForces(across, np.zeros(3))
    turning = F[:3] - d * (d @ F[:3]) + lever * cross(d, across)
    tilt = cross(turning, d) / length
    return GuideForces(across / 2 - tilt, across / 2 + tilt)


def _pin_guide(r: Rubbing, k: int = 0) -> GuideForces:
    return guide_forces(r.joint.contact_distance, r.D[:3, k], r.F)


def _slide_guide(r: Rubbing) -> GuideForces:
    half, lever = r.data.half_height, 0.0
    if half is not None and present(half):
        way, mu = _rubs(r, Contact(0.0, r.row(0)))
        lever = way[0] * mu * half
    return guide_forces(r.joint.contact_distance, r.D[3:, 0], r.F, lever)


def _cylinder_guide(r: Rubbing) -> GuideForces:
    way, mu = _rubs(r, Contact(0.0, _helix(r), 1))
    return guide_forces(r.joint.contact_distance, r.D[:3, 0], r.F, mu * way[1] * r.radius)


def _pin(r: Rubbing, k: int = 0) -> list[Contact]:
    J = r.row(k, r.radius)
    if r.joint.contact_distance is None:
        return [Contact(norm(r.F[3:]), J, 1)]
    thrust = np.abs(r.D[:3, k] @ r.F[3:])
    return [*(Contact(norm(N), J, 1) for N in _pin_guide(r, k)), *_under(thrust, J)]


def _slide(r: Rubbing) -> list[Contact]:
    return [contact for N in _slide_guide(r) for contact in _under(norm(N), r.row(0))]


def _slot(r: Rubbing) -> list[Contact]:
    return [*_slide(r), Contact(norm(r.F[3:]), r.row(1, r.radius), 1)]


def _helix(r: Rubbing) -> Array:
    return np.concatenate([r.row(0, r.radius), r.row(1)])


def _cylinder(r: Rubbing) -> list[Contact]:
    return [Contact(norm(N), _helix(r), 1) for N in _cylinder_guide(r)]


def _screw(r: Rubbing) -> list[Contact]:
    axis = r.D[:3, 0]
    advance, radius = axis @ r.D[3:, 0], r.radius
    along = np.sqrt(radius * radius + advance * advance)
    force = axis @ r.F[3:]
    load = radius * force - advance * (r.own[0] - advance * force) / radius
    flank = np.cos(r.data.flank_angle)
    J = r.row(0, along)
    side = guide_forces(r.joint.contact_distance, axis, r.F)
    return [Contact(np.abs(load) / (along * flank), J), *(Contact(norm(N), J) for N in side)]


def _plane(r: Rubbing) -> list[Contact]:
    J = np.concatenate([r.row(0), r.row(1), r.row(2, r.radius)])
    return _under(np.abs(r.vectors[0] @ r.F[3:]), J)


def _ball(r: Rubbing) -> list[Contact]:
    return [Contact(norm(r.F[3:]), r.radius * np.eye(3), 3)]


def _cross(r: Rubbing) -> list[Contact]:
    return [*_pin(r, 0), *_pin(r, 1)]


def _ball_on_line(r: Rubbing) -> list[Contact]:
    d = r.vectors[0]
    across = r.F[3:] - d * (d @ r.F[3:])
    load = np.sqrt(across @ across + NEVER_ZERO)
    n = across / load
    turning = r.radius * r.D[:3]
    J = np.array([-d @ turning, d @ r.D[3:] + cross(d, n) @ turning])
    return [Contact(load, J, 1), *_rolling(r, load, _tangential(r, n))]


def _ball_on_plane(r: Rubbing) -> list[Contact]:
    n = r.vectors[0]
    load = np.abs(n @ r.F[3:])
    J = r.D[3:] + r.radius * cross(n, r.D[:3].T).T
    return [*_under(load, J), *_rolling(r, load, _tangential(r, n))]


def _tangential(r: Rubbing, n: Array) -> Array:
    """Turning about axes across a normal, for a unit of each velocity."""
    return np.asarray(r.D[:3] - np.outer(n, n @ r.D[:3]))


def _contact(r: Rubbing) -> list[Contact]:
    (x, y, _), n = r.vectors
    load = np.abs(n @ r.F[3:])
    w = r.D[2]
    slip = r.D[3:5] + np.array([-y * w, x * w])
    J = (np.array([-n[1], n[0]]) @ slip)[None]
    return [*_under(load, J), *_rolling(r, load, w[None])]


def _rolls(r: Rubbing) -> list[Contact]:
    return _rolling(r, np.abs(r.vectors[1] @ r.F[3:]), r.D[2][None])


def _mesh(r: Rubbing) -> list[Contact]:
    child = r.F[:3] @ r.vectors[0]
    parent = r.F @ r.D[:, 0] - child
    lost = 0.0 if r.data.efficiency is None else 1.0 - r.data.efficiency
    return [Contact(maximum(np.abs(child), np.abs(parent)), r.row(0), 0, lost)]


def _under(load: Any, J: Array) -> list[Contact]:
    """A contact, where there is any load."""
    return [Contact(load, J)] if present(load) else []


def _rolling(r: Rubbing, load: Any, turning: Array) -> list[Contact]:
    """What resists rolling."""
    lever = r.data.rolling
    return [Contact(load, lever * turning, 0, 1.0)] if present(lever) else []


class Law(NamedTuple):
    """How a joint rubs, and what that reads of `Friction`.

    One number is an effort of joints that only turn or slide.
    """

    contacts: Callable[[Rubbing], list[Contact]]
    reads: tuple[str, ...]
    radius: str = ""
    """What is said where the radius is not given, if it is needed."""
    separate: int = 0
    """How many of the first velocities rub each for itself, so that it can stick."""
    guide: Callable[[Rubbing], GuideForces] | None = None
    """N1 and N2, where it has two contacts along an axis."""
    held_by_length: bool = False
    """Whether it has them only where their distance is known."""
    in_plane: bool = True
    """Whether anything presses it in a planar mechanism."""


def law_of(joint: Joint) -> Law:
    """The law of a joint that rubs."""
    if joint.rubs is None:
        raise StructureError(f"nothing rubs in a {joint.type} joint; take its friction away")
    return joint.rubs


def guided(joint: Joint) -> bool:
    """Whether it has two contacts along an axis, N1 and N2."""
    law = law_of(joint)
    return law.guide is not None and not (law.held_by_length and joint.contact_distance is None)


def contact_forces(r: Rubbing) -> GuideForces:
    """N1 and N2 of a joint that is guided."""
    guide = law_of(r.joint).guide
    if guide is None:
        raise StructureError(f"joint {r.joint.name!r} has no two contacts along an axis")
    return guide(r)


DRY = ("coefficient", "static", "stribeck_velocity", "law")
ANYWAY = ("effort", "effort_law")
ROUND = (*DRY, "radius", "running")
PIN = Law(
    _pin,
    (*ROUND, *ANYWAY),
    "a pin needs its radius",
    1,
    _pin_guide,
    held_by_length=True,
)
SLIDE = Law(_slide, (*DRY, "half_height", *ANYWAY), "", 1, _slide_guide)
SLOT = Law(_slot, ROUND, "a pin in a slot needs its radius", 2, _slide_guide)
BALL = Law(_ball, (*ROUND, *ANYWAY), "a ball needs its radius")
CROSS = Law(_cross, (*ROUND, *ANYWAY), "a cross needs the radius of its pins", 2)
CYLINDER = Law(_cylinder, ROUND, "a cylinder needs its radius", guide=_cylinder_guide)
SCREW = Law(
    _screw,
    (*DRY, "radius", "flank_angle", *ANYWAY),
    "a screw needs the mean radius of its thread",
    1,
)
PLANE = Law(
    _plane,
    (*DRY, "radius"),
    "a plane needs a radius, the mean distance of what touches from the middle",
    in_plane=False,
)
BALL_ON_LINE = Law(
    _ball_on_line,
    (*ROUND, "rolling"),
    "a ball in a cylinder needs its radius (of a mere point: '1 nm')",
)
BALL_ON_PLANE = Law(
    _ball_on_plane,
    (*DRY, "radius", "rolling"),
    "a ball on a plane needs its radius (of a mere point: '1 nm')",
)
CONTACT = Law(_contact, (*DRY, "rolling"))
ROLLING = Law(_rolls, ("rolling",))
TEETH = Law(_mesh, ("efficiency",), separate=1)


def pin_lever(data: Friction, mu: Any) -> Any:
    """h: the radius of the friction circle (4.64)."""
    own = RUNNING[data.running] * mu
    return (0.0 if data.radius is None else data.radius) * own / np.sqrt(1.0 + own * own)


def _direction(u: Array) -> Array:
    """u / |u|, and 0 where it is 0."""
    if len(u) == 1:
        return np.array([sign(u[0])], dtype=object)
    return np.asarray(u / np.sqrt(sum(x * x for x in u) + AT_REST))


def norm(parts: Any) -> Any:
    """Length of a vector; of one component its size."""
    own = [x for x in parts if present(x)]
    if len(own) < 2:
        return np.abs(own[0]) if own else 0.0
    return np.sqrt(sum(x * x for x in own) + NEVER_ZERO)
