"""Positions of dyads in closed form: plain formulas, for numbers and symbols alike.

A dyad hangs on two known bodies. Seen from the first, in a plane fixed to it, its three pairs move
what they carry one after the other (a product of exponentials): a revolute turns about its pivot,
a sliding pair shifts along its direction, both as they are where all three coordinates are zero.
In complex numbers, with the turns z_k = exp(i theta_k), they have to bring

    the end from e to b = d,    its direction round by phi:    z_1 z_2 z_3 = exp(i phi)       (1)

where a sliding pair has z = 1. Every kind is one real equation of degree two, or linear:

    RRR   z_1 c_1 + z_1 z_2 c_2 = d                     two circles meet                      (2)
    RRT   z_1 c_1 + exp(i phi) (w + s u) = d            a circle and a line                   (3)
    RTR   z_1 (c + s u) = d                             a circle and a line of the dyad       (4)
    TRT   s_1 u_1 + exp(i phi) (w + s_3 u_3) = d        two lines                             (5)
    RTT   w + s_2 u_2 + s_3 u_3 = exp(-i phi) d         two lines of the dyad                 (6)

Of the two solutions of (2) to (4) the `sign` of a root takes one; its `room`, what stands under
the root, is negative where the dyad does not reach. There its coordinates are not a number.

Source: Gronowicz (2003), section 2.3.1, direct method; a sliding pair is his T.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

Vector = tuple[Any, Any]
"""A vector of the plane, or a turn by its cosine and sine."""


class Chain(NamedTuple):
    """What (1) is made of, where all coordinates are zero."""

    kind: str
    """Its pairs, such as `RRT`."""
    places: tuple[Vector, Vector, Vector]
    """Pivot of a revolute, direction of a sliding pair."""
    end: Vector
    """Where the end is."""


class Solved(NamedTuple):
    """Coordinates of the three pairs, a turn or a length each, and the room."""

    coordinates: tuple[Any, Any, Any]
    room: Any


def dot(a: Vector, b: Vector) -> Any:
    """Re a' b."""
    return a[0] * b[0] + a[1] * b[1]


def cross(a: Vector, b: Vector) -> Any:
    """Im a' b."""
    return a[0] * b[1] - a[1] * b[0]


def turned(a: Vector, z: Vector) -> Vector:
    """Z a."""
    return z[0] * a[0] - z[1] * a[1], z[0] * a[1] + z[1] * a[0]


def back(a: Vector, z: Vector) -> Vector:
    """A vector turned the other way: z' a."""
    return dot(z, a), cross(z, a)


def less(a: Vector, b: Vector, factor: Any = 1.0) -> Vector:
    """A - factor b."""
    return a[0] - factor * b[0], a[1] - factor * b[1]


def over(a: Vector, b: Vector, factor: Any) -> Vector:
    """The turn from b to a: a b' factor, which is 1 / |a b'|."""
    x, y = back(a, b)
    return factor * x, factor * y


def two_circles(d: Vector, own: Any, other: Any) -> tuple[Any, Any]:
    """Where circles about 0 and d meet, at (along +- h i) d: along, and the room h^2.

    `own` and `other` are the squares of their radii.
    """
    inverse = 1.0 / dot(d, d)
    along = 0.5 + 0.5 * (own - other) * inverse
    return along, own * inverse - along * along


def circle_and_line(g: Vector, u: Vector, square: Any) -> tuple[Any, Any]:
    """Where the circle about g meets the line along u, at (along +- h) u: along, and the room h^2.

    `square` is that of its radius.
    """
    aside = cross(g, u)
    return dot(g, u), square - aside * aside


def two_lines(u: Vector, w: Vector, d: Vector) -> tuple[Any, Any]:
    """The lengths s and r with s u + r w = d."""
    across = cross(u, w)
    return cross(d, w) / across, cross(u, d) / across


def rrr(chain: Chain, target: Vector, phi: Vector, sign: Any) -> Solved:
    """(2): the inner joint is z_1 c_1 = (along + sign h i) d."""
    p1, p2, p3 = chain.places
    c1, c2, d = less(p2, p1), less(p3, p2), less(target, p1)
    own, other = dot(c1, c1), dot(c2, c2)
    along, room = two_circles(d, own, other)
    inner = turned(d, (along, sign * np.sqrt(room)))
    z1, z12 = over(inner, c1, 1.0 / own), over(less(d, inner), c2, 1.0 / other)
    return Solved((z1, back(z12, z1), back(phi, z12)), room)


def rrt(chain: Chain, target: Vector, phi: Vector, sign: Any) -> Solved:
    """(3): g - s u has the length of c_1, with g = d - exp(i phi) w."""
    p1, p2, u3 = chain.places
    c1, w, u = less(p2, p1), less(chain.end, p2), turned(u3, phi)
    g, own = less(less(target, p1), turned(w, phi)), dot(c1, c1)
    along, room = circle_and_line(g, u, own)
    s = along + sign * np.sqrt(room)
    z1 = over(less(g, u, s), c1, 1.0 / own)
    return Solved((z1, back(phi, z1), s), room)


def rtr(chain: Chain, target: Vector, phi: Vector, sign: Any) -> Solved:
    """(4): c + s u has the length of d."""
    p1, u, p3 = chain.places
    c, d = less(p3, p1), less(target, p1)
    square = dot(d, d)
    along, room = circle_and_line(c, u, square)
    s = sign * np.sqrt(room) - along
    z1 = over(d, less(c, u, -s), 1.0 / square)
    return Solved((z1, s, back(phi, z1)), room)


def trt(chain: Chain, target: Vector, phi: Vector, sign: Any) -> Solved:
    """(5)."""
    u1, p2, u3 = chain.places
    u = turned(u3, phi)
    d = less(less(target, p2), turned(less(chain.end, p2), phi))
    first, last = two_lines(u1, u, d)
    return Solved((first, phi, last), 1.0)


def rtt(chain: Chain, target: Vector, phi: Vector, sign: Any) -> Solved:
    """(6)."""
    p1, u2, u3 = chain.places
    d = less(back(less(target, p1), phi), less(chain.end, p1))
    return Solved((phi, *two_lines(u2, u3, d)), 1.0)


def rrr_lean(chain: Chain, coordinates: tuple[Any, Any, Any]) -> Any:
    """The sign of the root, from the angle between the links."""
    p1, p2, p3 = chain.places
    return cross(turned(less(p3, p2), coordinates[1]), less(p2, p1))


def rrt_lean(chain: Chain, coordinates: tuple[Any, Any, Any]) -> Any:
    """The same, from the angle of the link to the guide."""
    p1, p2, u3 = chain.places
    return -dot(turned(u3, coordinates[1]), less(p2, p1))


def rtr_lean(chain: Chain, coordinates: tuple[Any, Any, Any]) -> Any:
    """The same, from the side of the slide on which the pivot lies."""
    p1, u, p3 = chain.places
    return coordinates[1] + dot(less(p3, p1), u)


Solution = Callable[[Chain, Vector, Vector, Any], Solved]
Lean = Callable[[Chain, tuple[Any, Any, Any]], Any]
"""A number with the sign of the root at given coordinates."""

KINDS: dict[str, tuple[Solution, Lean | None]] = {
    "RRR": (rrr, rrr_lean),
    "RRT": (rrt, rrt_lean),
    "RTR": (rtr, rtr_lean),
    "TRT": (trt, None),
    "RTT": (rtt, None),
}
"""Every kind from the end at which it begins; TRR and TTR are RRT and RTT from the other end."""
