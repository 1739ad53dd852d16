"""The verbs `four_bar`, `slider_crank` and `inverted_slider_crank`: positions, rates, a point.

Positions are those of a method of loop_methods.py, rates follow from (3.38) and (3.39) in
loop_shapes.py. The coupler point M lies at the distance e from B, at the angle beta from BC (2.43),
(2.44); in an inverted slider-crank it is a point of the slider, and beta counts from the guide.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..display import Displayed
from ..door import public
from ..errors import AssemblyError, StructureError
from ..spatial.rotation import Array
from ..verbs.states import refuse_other
from .loop_methods import BRANCHES, METHODS
from .loop_shapes import SHAPES, Loop, Position

IN_LINE = 3e-7
"""Sine of the angle between the columns of (3.38) that rounding leaves at a dead point."""


@dataclass(frozen=True, eq=False)
class LoopMotion(Displayed):
    """A loop at one crank angle or many: arrays of the shape of `theta1`.

    What has two columns is of the coupler BC and of the rocker or guide at D: `omega`, `epsilon`.
    """

    theta1: Array
    theta2: Array
    """Angle of the coupler; of a slider, that of its guide."""
    theta3: Array
    """Angle of the rocker or guide."""
    s: Array
    """How far C is along the guide; in a four-bar the length c."""
    omega: Array
    epsilon: Array
    v_s: Array
    """Speed along the guide, and its rate."""
    a_s: Array
    B: Array
    C: Array
    M: Array
    """Coupler point, shape (..., 2), with its velocity and acceleration below."""
    v_M: Array
    a_M: Array


@public
def four_bar(
    a: float,
    b: float,
    c: float,
    d: float,
    theta: Any,
    *,
    method: str = "freudenstein",
    branch: str = "open",
    omega: Any = 0.0,
    epsilon: Any = 0.0,
    coupler: tuple[float, float] = (0.0, 0.0),
    start: Any = None,
    unreached: str = "raise",
) -> LoopMotion:
    """The four-bar with crank a, coupler b, rocker c and base d at crank angles theta.

    `method` is "freudenstein", "vector", "complex", "construction" or "newton"; all agree. The
    branch is "open" (C left of the line from B to D) or "crossed". `omega` and `epsilon` are the
    crank's angular velocity and acceleration, `coupler` is (e, beta) of the coupler point, `start`
    is (theta_2, theta_3) for Newton's method and decides the branch. Angles at which the links do
    not reach each other are an `AssemblyError`, or nan with `unreached="nan"`.

        >>> float(kb.course.four_bar(0.2, 0.6, 0.6, 0.8, 0.0).theta2.round(6))   # 60 deg
        1.047198
    """
    loop = _loop("four-bar", a=a, b=b, c=c, d=d)
    return _moved(loop, theta, Asked(method, branch, omega, epsilon, coupler, start, unreached))


@public
def slider_crank(
    a: float,
    b: float,
    theta: Any,
    *,
    e: float = 0.0,
    method: str = "vector",
    branch: str = "open",
    omega: Any = 0.0,
    epsilon: Any = 0.0,
    coupler: tuple[float, float] = (0.0, 0.0),
    start: Any = None,
    unreached: str = "raise",
) -> LoopMotion:
    """The slider-crank with crank a, coupler b and the guide along x, e above A.

    The other arguments are those of `four_bar`; the branch is "open" (C further along the guide)
    or "crossed", and `start` is (theta_2, s). `s` of the answer is the slider's place x_C.

        >>> float(kb.course.slider_crank(0.1, 0.3, np.pi / 3, omega=20).v_s.round(6))
        -2.033562
    """
    loop = _loop("slider-crank", a=a, b=b, e=e)
    return _moved(loop, theta, Asked(method, branch, omega, epsilon, coupler, start, unreached))


@public
def inverted_slider_crank(
    a: float,
    d: float,
    theta: Any,
    *,
    e: float = 0.0,
    method: str = "vector",
    branch: str = "open",
    omega: Any = 0.0,
    epsilon: Any = 0.0,
    coupler: tuple[float, float] = (0.0, 0.0),
    start: Any = None,
    unreached: str = "raise",
) -> LoopMotion:
    """The inverted slider-crank: the pin B of crank a slides in a guide that turns about D.

    D is at (d, 0); the guide at the angle theta_3 passes it at the distance e, and B is s along
    it. The other arguments are those of `four_bar`; the branch is "open" (s above 0) or "crossed",
    `start` is (theta_3, s), and `coupler` a point of the slider.

        >>> at = kb.course.inverted_slider_crank(0.2, 0.5, np.pi / 2, omega=10)
        >>> float(at.omega[1].round(6))
        1.37931
    """
    loop = _loop("inverted slider-crank", a=a, d=d, e=e)
    return _moved(loop, theta, Asked(method, branch, omega, epsilon, coupler, start, unreached))


def _loop(name: str, **sizes: float) -> Loop:
    """A loop with its sizes, lengths above 0."""
    for key, size in sizes.items():
        if key != "e" and not 0 < size < np.inf:
            raise StructureError(f"{name}: {key} must be a length above 0, got {size!r}")
    return Loop(SHAPES[name], **{key: float(size) for key, size in sizes.items()})


class Asked(NamedTuple):
    """What the three verbs are asked alike."""

    method: str
    branch: str
    omega: Any
    epsilon: Any
    coupler: tuple[float, float]
    start: Any
    unreached: str


def _moved(loop: Loop, theta: Any, asked: Asked) -> LoopMotion:
    """Positions by a method, where they are reached, and their rates."""
    refuse_other("method", asked.method, METHODS)
    refuse_other("branch", asked.branch, BRANCHES)
    refuse_other("unreached", asked.unreached, ("raise", "nan"))
    theta, omega, epsilon = np.broadcast_arrays(
        *(np.asarray(x, float) for x in (theta, asked.omega, asked.epsilon))
    )
    reached = _reached(loop, theta)
    if asked.unreached == "raise" and not reached.all():
        raise _not_reached(loop, float(theta[~reached].flat[0]))
    values = np.full((3, *theta.shape), np.nan)
    more = {"start": asked.start} if asked.method == "newton" else {}
    solve = METHODS[asked.method]
    values[:, reached] = solve(loop, theta[reached], BRANCHES[asked.branch], **more)
    values[:2] = np.pi - (np.pi - values[:2]) % (2 * np.pi)  # in (-pi, pi]
    return _rates(loop, theta, Position(*values), (omega, epsilon), asked.coupler)


def _rates(
    loop: Loop, theta: Array, at: Position, crank: tuple[Array, Array], coupler: tuple[float, float]
) -> LoopMotion:
    """Rates by (3.38) and (3.39), and points, at solved positions."""
    (omega, epsilon), (reach, beta) = crank, coupler
    AB, BC, DC, u = loop.vectors(theta, at)
    BM = reach * np.exp(1j * (at.theta2 + beta))
    columns = loop.columns(BC, DC, u)
    moving = np.abs(omega) + np.abs(epsilon)
    w_2, w_3, v_s = _named(loop, _solved(loop, columns, -1j * omega * AB, theta, omega))
    bend = w_2**2 * BC - w_3**2 * DC + 2j * w_3 * v_s * u
    right = bend - (1j * epsilon - omega**2) * AB
    e_2, e_3, a_s = _named(loop, _solved(loop, columns, right, theta, moving))
    v_M = 1j * (omega * AB + w_2 * BM)
    a_M = (1j * epsilon - omega**2) * AB + (1j * e_2 - w_2**2) * BM
    points = (np.stack([z.real, z.imag], axis=-1) for z in (AB, AB + BC, AB + BM, v_M, a_M))
    pairs = (np.stack(pair, axis=-1) for pair in ((w_2, w_3), (e_2, e_3)))
    found = (theta, *at, *pairs, v_s, a_s, *points)
    return LoopMotion(*(np.asarray(each) for each in found))


def _named(loop: Loop, rates: tuple[Array, Array]) -> tuple[Array, Array, Array]:
    """Rates of theta_2, theta_3 and s; a slider turns with its guide, other known ones rest."""
    zero = np.zeros_like(rates[0])
    known = dict(zip(loop.shape.unknowns, rates, strict=True))
    theta3 = known.get("theta3", zero)
    return known.get("theta2", theta3), theta3, known.get("s", zero)


def _solved(
    loop: Loop, columns: tuple[Any, Any], right: Array, theta: Array, moving: Array
) -> tuple[Array, Array]:
    """Real x, y with x one + y two = right; a dead point is an error unless the crank rests."""
    one, two = columns
    det = (one.conjugate() * two).imag
    dead = np.abs(det) <= IN_LINE * np.abs(one) * np.abs(two)
    if np.any(dead & (moving != 0)):
        at = float(theta[dead & (moving != 0)].flat[0])
        raise StructureError(
            f"{loop.shape.name} at theta = {at:.12g} rad: {loop.shape.dead}, a dead point; "
            "velocities are not determined there"
        )
    safe = np.where(dead, 1.0, det)
    return (right.conjugate() * two).imag / safe, (one.conjugate() * right).imag / safe


def _reached(loop: Loop, theta: Array) -> Array:
    """Whether the links can span what they must."""
    z = loop.to_D(theta)
    distance, low, high = loop.shape.reach(loop, z)
    slack = 4e-16 * loop.size
    return np.asarray((high + slack >= distance) & (low - slack <= distance) & ~_loose(loop, z))


def _loose(loop: Loop, z: Any) -> Any:
    """Whether (2) leaves its angle free, P = Q = 0: B is on D."""
    P, Q, _ = next(iter(loop.shape.equations.values()))(loop, z)
    return np.hypot(P, Q) == 0


def _not_reached(loop: Loop, theta: float) -> AssemblyError:
    shape, z = loop.shape, loop.to_D(np.asarray(theta))
    distance, low, high = (float(x) for x in shape.reach(loop, z))
    message = f"{shape.name} at theta = {theta:.9g} rad cannot be assembled: "
    message += shape.apart.format(f"{distance:.9g}")
    if _loose(loop, z):
        return AssemblyError(f"{message}, so the links turn freely about one point")
    gap = max(low - distance, distance - high)
    text = f"{message}, {shape.span} {low:.9g} to {high:.9g}; {gap:.4g} is missing"
    return AssemblyError(text, {"BC": gap})
