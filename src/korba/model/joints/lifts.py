"""Cams by what their follower does: the disc that a lift over the cam's angle asks for, exactly.

In the frame of the follower the cam turns anticlockwise by phi; so in that of the cam the follower
goes round it clockwise. A point w of the follower's frame is R w in the cam, with R = Rz(-phi), and
its rates by phi, with J a quarter turn, are

    R w,   R (w' - J w),   R (w'' - 2 J w' - w),   R (w''' - 3 J w'' - 3 w' + J w)            (1)

The centre of a roller draws the pitch curve, the cam lies beside it by the roller's radius:

    slides with the lift s, along x, beside the pole by e:      w = (sqrt(R0^2 - e^2) + s, -e)  (2)
    on an arm l about a pivot at d, swinging by p:     w = (d - l cos(p0 + p), l sin(p0 + p))  (3)

A flat face, whose line has the distance h from the pole and the normal n at the angle a, touches
the cam where its neighbours cross it, with t across n:

    P = h n + g t,   g = h'/a',      speed of P along t:  h a' + g',      t turns at a'       (4)
    slides:   h = R0 + s,   a = -phi              radius of curvature  R0 + s + s''
    on an arm:   h = d sin(p0 + p) + e,   a = 90 deg - p0 - p - phi

Where the speed of the place of contact changes its sign, the cam would be undercut.
Source: Norton (2009), Cam Design and Manufacturing Handbook, chapter 7.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...errors import ExpressionError
from ...expr import Expr, variables
from ...spatial.rotation import Array
from ..curve import Curve, value_at

ROUND = np.linspace(0.0, 2 * np.pi, 721)
"""Angles at which a law is looked at."""
JUMP = 1e-6
"""Part of its range by which a law may miss its own slope between two of them, or not close."""
Jet = Sequence[Any]
"""A value and its derivatives by phi. What is called `cam` is one of the pairs in cam.py."""


def once_round(phi: Any) -> Any:
    """The angle less whole turns."""
    turns = phi / (2 * np.pi)
    return phi - 2 * np.pi * (turns.floor() if isinstance(turns, Expr) else np.floor(turns))


def law_at(law: Expr | Curve, phi: Any) -> Jet:
    """A law of the cam's angle and three derivatives; over and over, turn by turn."""
    x = once_round(phi)
    jet = [value_at(law, "phi", x, order) for order in range(4)]
    return jet if isinstance(phi, Expr) else [y + 0.0 * x for y in jet]


def roller_path(cam: Any, phi: Any) -> list[Array]:
    """The centre of a roller in the cam's frame, and three derivatives."""
    if cam.swing is not None:
        return _seen_in_cam(_on_arm(cam, law_at(cam.swing, phi)), phi)
    s = law_at(cam.lift, phi)
    ahead = np.sqrt(cam.base * cam.base - cam.offset * cam.offset)
    first = np.array([ahead + s[0], -cam.offset + 0.0 * s[0]])
    return _seen_in_cam([first, *(np.array([x, 0.0 * x]) for x in s[1:])], phi)


def face(cam: Any, phi: Any) -> tuple[Array, Array, Any, Any, Any, Any]:
    """(4): the place of contact, t, its speed along t, the rate of that, a' and a''."""
    if cam.swing is not None:
        p, sin = law_at(cam.swing, phi), (cam.base - cam.offset) / cam.distance
        turn = np.arcsin(sin) + p[0]
        c, s = cam.distance * np.cos(turn), cam.distance * np.sin(turn)
        h = [s + cam.offset, p[1] * c, p[2] * c - p[1] ** 2 * s]
        h.append(p[3] * c - 3 * p[1] * p[2] * s - p[1] ** 3 * c)
        a = [np.pi / 2 - turn - phi, -1.0 - p[1], -p[2], -p[3]]
    else:
        lift = law_at(cam.lift, phi)
        h = [cam.base + lift[0], *lift[1:]]
        a = [-phi, -1.0 + 0.0 * lift[0], 0.0 * lift[0], 0.0 * lift[0]]
    g = h[1] / a[1]
    g1 = (h[2] - g * a[2]) / a[1]
    g2 = (h[3] - 2 * g1 * a[2] - g * a[3]) / a[1]
    n, t = np.array([np.cos(a[0]), np.sin(a[0])]), np.array([-np.sin(a[0]), np.cos(a[0])])
    growth = h[1] * a[1] + h[0] * a[2] + g2
    return n * h[0] + t * g, t, h[0] * a[1] + g1, growth, a[1], a[2]


def follower_way(cam: Any, phi: Any) -> Array:
    """The direction in which a follower slides, or across its arm where it touches."""
    if cam.swing is None:
        return np.array([np.cos(phi), -np.sin(phi)])
    if hasattr(cam, "arm"):
        ahead = _on_arm(cam, [law_at(cam.swing, phi)[0], 1.0, 0.0, 0.0])[1] / cam.arm
        return _turned(ahead, phi)
    place = face(cam, phi)[0] - cam.distance * np.array([np.cos(phi), -np.sin(phi)])
    return np.array([place[1], -place[0]]) / np.hypot(*place)


def _on_arm(cam: Any, p: Jet) -> list[Array]:
    """(3)."""
    d, arm = cam.distance, cam.arm
    turn = np.arccos((d * d + arm * arm - cam.base * cam.base) / (2 * d * arm)) + p[0]
    along = np.array([-np.cos(turn), np.sin(turn)]) * arm
    across = np.array([np.sin(turn), np.cos(turn)]) * arm
    return [
        along + np.array([d + 0.0 * p[0], 0.0 * p[0]]),
        across * p[1],
        across * p[2] - along * p[1] ** 2,
        across * (p[3] - p[1] ** 3) - along * (3 * p[1] * p[2]),
    ]


def _seen_in_cam(w: Sequence[Array], phi: Any) -> list[Array]:
    """(1)."""

    def across(x: Array) -> Array:
        return np.array([-x[1], x[0]])

    seen = [
        w[0],
        w[1] - across(w[0]),
        w[2] - 2 * across(w[1]) - w[0],
        w[3] - 3 * across(w[2]) - 3 * w[1] + across(w[0]),
    ]
    return [_turned(x, phi) for x in seen]


def _turned(w: Array, phi: Any) -> Array:
    """R w."""
    c, s = np.cos(phi), np.sin(phi)
    return np.array([c * w[0] + s * w[1], c * w[1] - s * w[0]])


def lift_faults(cam: Any, key: str) -> Iterator[tuple[str, str]]:
    """What is wrong with a cam by the `lift` or `swing` of its follower, and with which field."""
    law, roller = getattr(cam, key), hasattr(cam, "arm")
    needed = [
        "base",
        *(["distance"] if key == "swing" else []),
        *(["arm"] if roller and key == "swing" else []),
    ]
    missing = [name for name in needed if getattr(cam, name) is None]
    if missing:
        yield missing[0], f"is missing; a cam by its {key} needs {' and '.join(needed)}"
    sizes = [getattr(cam, name) for name in (*needed, "offset", *(["radius"] if roller else []))]
    if missing or not all(isinstance(size, float | int) for size in sizes):
        return
    if message := _place_fault(cam, key, roller):
        yield "base", message
    elif messages := [*law_faults(law)]:
        yield key, messages[0]
    elif message := _undercut(cam, roller):
        yield key, message


def _place_fault(cam: Any, key: str, roller: bool) -> str | None:
    """A follower that cannot stand at its lift 0."""
    base, offset, d, arm = cam.base, cam.offset, cam.distance, getattr(cam, "arm", None)
    if key == "lift" and roller and abs(offset) >= base:
        return f"is {base:g} m, but the roller's way passes {abs(offset):g} m beside the pole"
    if key == "swing" and roller and not abs(d - arm) < base < d + arm:
        return (
            f"is {base:g} m, but an arm of {arm:g} m on a pivot {d:g} m away holds its roller "
            f"between {abs(d - arm):g} and {d + arm:g} m from the pole"
        )
    if key == "swing" and not roller and not abs(base - offset) < d:
        return f"is {base:g} m, but the face turns about a pivot that is {d:g} m away"
    return None


def _undercut(cam: Any, roller: bool) -> str | None:
    """What a cam is that its own follower would cut away: with the place and the numbers."""
    law = cam.swing if cam.lift is None else cam.lift
    if isinstance(law, Expr) and variables(law) - {"phi"}:
        return None
    at = cam.lifted(ROUND)
    worst = int(np.argmax(at.speed))
    if at.speed[worst] < 0:
        return None
    where = f"the cam would be undercut at phi = {np.degrees(ROUND[worst]):g} deg: "
    if not roller:
        radius = at.speed[worst] / at.turning[worst]
        return (
            f"{where}its radius of curvature comes to {radius:g} m there; the flat face needs a "
            f"base above {cam.base - radius:g} m, or a softer law"
        )
    bend = cam.radius + at.speed[worst] / at.turning[worst]
    return (
        f"{where}the centre of the roller goes round a bend of radius {bend:g} m there, less than "
        f"the roller's {cam.radius:g} m; take a smaller roller, a larger base, or a softer law"
    )


def law_faults(law: Expr | Curve) -> Iterator[str]:
    """A law of phi without finite values, which jumps, or does not come back after a turn."""
    if isinstance(law, Curve):
        period = law.x[-1] - law.x[0]
        if not law.periodic or abs(period - 2 * np.pi) > 1e-6:
            yield "its points must say periodic = true and span a whole turn, 2 pi = 6.28319 rad"
            return
    elif variables(law) - {"phi"}:
        return
    try:
        with np.errstate(all="ignore"):
            s, slope = (_values(law, order) for order in (0, 1))
    except (ValueError, ExpressionError):
        yield "its values are too large for a law"
        return
    if not np.all(np.isfinite([s, slope])):
        worst = float(np.degrees(ROUND[np.argmin(np.isfinite(s) & np.isfinite(slope))]))
        yield f"has no finite value or slope at phi = {worst:g} deg"
        return
    step, span = ROUND[1], max(float(np.ptp(s)), 1e-12)
    jumps = np.abs(np.diff(s)) - 2 * step * np.abs([slope[:-1], slope[1:]]).max(axis=0)
    jumps -= step * np.ptp(slope) / 4
    at = int(np.argmax(jumps))
    if jumps[at] > JUMP * span:
        yield (
            f"jumps between phi = {np.degrees(ROUND[at]):g} and {np.degrees(ROUND[at + 1]):g} deg, "
            f"from {s[at]:g} to {s[at + 1]:g}; a follower cannot"
        )
    elif abs(s[-1] - s[0]) > JUMP * span:
        yield (
            f"does not come back: it is {s[0]:g} at phi = 0 and {s[-1]:g} at phi = 360 deg; both "
            "must be the same"
        )


def _values(law: Expr | Curve, order: int) -> Array:
    """A derivative of a law all round, both ends of the turn for themselves."""
    if isinstance(law, Curve):
        return np.asarray(law(ROUND, order))
    return np.asarray(value_at(law, "phi", ROUND, order) + 0.0 * ROUND)
