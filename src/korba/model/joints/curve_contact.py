"""Contact of two curves (K, Z): cam on cam, and non-circular wheels (Gronowicz 1.1, 3.2.2).

Frame F is at the pole of the parent's profile rho(beta), M at that of the child's rho(gamma); z is
the normal of the plane, x the direction in which the angles are zero. The places of contact are the
coordinates. At them both have one point and one tangent,

    t = e t_c,   R_FM = e t t_c~,   p_FM = P - R_FM P_c          e = -1; inside a ring e = 1

with t_c in M, vectors as complex numbers and ~ their conjugates; with the rates of beta and gamma

    w = k beta' - k_c gamma',     u = t_c (e |t| beta' - |t_c| gamma') - w x P_c             (1)

u being the velocity of Mo in M and k the rate at which a tangent turns. The material points of the
contact slide with |t| beta' - e |t_c| gamma'. Curves that roll do not slide, so their arcs are
equal:

    s(beta) - s(0) = e (s_c(gamma) - s_c(phase)),      gamma' = e |t| / |t_c| beta'          (2)

An arc is s = mean (beta + F(beta)) with F a Fourier series, and so is the angle that belongs to an
arc; of smooth curves a few dozen terms are exact to rounding. What rolls has one freedom, and keeps
wheels on fixed shafts only if the curves were made for their distance, as equal ellipses are that
turn about their foci.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple, final

import numpy as np

from ...errors import Fault, StructureError
from ...expr import Expr, derivative, sign, variables
from ...spatial.pose import Pose
from ...spatial.rotation import Array
from ..curve import Curve, LawOrCurve
from ..fields import Invalid, field
from ..joint import Joint
from ..outline import polar
from ..profiles import Profiles, Side
from ..rubbing import CONTACT, ROLLING
from ..specs import Flag, Number
from .contact import Contact, contact_at, profile_fault, radii
from .gear_mesh import USUAL

TERMS = 128
"""Most terms of an arc's Fourier series."""
SAMPLES = 8 * TERMS
"""Places of a profile at which its arc is taken."""
VARIABLES = {"profile": "beta", "child_profile": "gamma"}
"""The angle of each profile."""


@dataclass(frozen=True)
class CurvePair(Joint):
    """What touching curves share: both profiles, and where the child is at two places of them."""

    rubs = CONTACT
    lower_pair = False
    planar = True
    spatial = False

    profile: Expr | Curve | None = field(
        LawOrCurve("beta", "length"),
        default=None,
        doc="radius rho(beta) of the parent: an expression in beta, or a periodic curve of points",
    )
    child_profile: Expr | Curve | None = field(
        LawOrCurve("gamma", "length"),
        default=None,
        doc="radius rho(gamma) of the child: an expression in gamma, or a periodic curve of points",
    )
    inner: bool = field(
        Flag(), default=False, doc="whether one curve runs inside the other, as in a ring"
    )

    def faults(self) -> Iterator[Fault]:
        """Missing profiles, and those that do not go round their pole and close."""
        yield from super().faults()
        for key, variable in VARIABLES.items():
            profile = getattr(self, key)
            if isinstance(profile, Invalid):
                continue
            if message := profile_fault(profile, variable):
                yield self.fault(message, key)

    def outlines(self) -> tuple[tuple[str, Array], ...]:
        """Both curves."""
        sides = zip(("parent", "child"), VARIABLES.items(), strict=True)
        return tuple((side, polar(getattr(self, key), name)) for side, (key, name) in sides)

    @property
    def sense(self) -> float:
        """e: whether both go round in the same sense (1) or not (-1)."""
        return 1.0 if self.inner else -1.0

    def contacts(self, beta: Any, gamma: Any) -> tuple[Contact, Contact]:
        """The places of contact, each in the frame of its profile."""
        one, two = self.profile, self.child_profile
        return contact_at(one, "beta", beta), contact_at(two, "gamma", gamma)  # type: ignore[arg-type]

    def touching(self, on_parent: Contact, on_child: Contact) -> Pose:
        """X_FM where two places touch."""
        (x, y), (a, b) = on_parent.tangent, on_child.tangent
        c, s = self.sense * (x * a + y * b), self.sense * (y * a - x * b)
        R = np.array([[c, -s], [s, c]])
        p = on_parent.point - R @ on_child.point
        return Pose(
            np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]), np.array([p[0], p[1], 0.0])
        )

    def columns(self, on_parent: Contact, on_child: Contact) -> Array:
        """(1) for a unit of each rate."""
        k, k_c, (x, y) = on_parent.turning, on_child.turning, on_child.point
        one = self.sense * on_parent.speed * on_child.tangent - k * np.array([-y, x])
        two = k_c * np.array([-y, x]) - on_child.speed * on_child.tangent
        return np.array([[0, 0.0], [0, 0], [k, -k_c], [one[0], two[0]], [one[1], two[1]], [0, 0]])

    def contact_vectors(self, on_child: Contact) -> tuple[Array, Array]:
        """The place of contact and the normal from the parent to the child, in M."""
        n = -self.sense * on_child.inward
        return np.array([*on_child.point, 0.0]), np.array([*n, 0.0])

    def column_rates(self, on_parent: Contact, on_child: Contact, v: Any) -> Array:
        """Rate of (1) with beta' and gamma' constant."""
        k, k_c, (x, y) = on_parent.turning, on_child.turning, on_child.point
        e, turning = self.sense, on_parent.change * v[0] ** 2 - on_child.change * v[1] ** 2
        along = e * on_parent.growth * v[0] ** 2 - on_child.growth * v[1] ** 2
        across = (e * on_parent.speed * k_c - on_child.speed * k) * v[0] * v[1]
        u = on_child.tangent * along + on_child.inward * across - turning * np.array([-y, x])
        return np.array([0.0, 0.0, turning, u[0], u[1], 0.0])

    def sides(self, q: Any, scale: float) -> tuple[Side, Side, Contact]:
        """Circles of curvature of both curves in F, and the place of contact."""
        on_parent, on_child = self.contacts(*q)
        X, one = self.touching(on_parent, on_child), on_parent.side(scale)
        two = on_child.side(scale)
        if one.direction is not None and two.direction is not None:
            raise StructureError(
                f"joint {self.name!r}: both curves are straight at the contact, so they touch "
                "along a line and there is no equivalent linkage at this position"
            )
        along = None if two.direction is None else X.R @ two.direction
        return one, Side(X.point(two.at), along), on_parent


@final
@dataclass(frozen=True)
class CurveContact(CurvePair):
    """Two curves that slide on each other (K, class II): cam on cam.

    Two discs, each with its own pole, move as a four-bar whose coupler joins their centres:

        >>> disc = "0.02*cos({0}) + sqrt(0.04^2 - 0.02^2*sin({0})^2)"
        >>> profiles = {"profile": disc.format("beta"), "child_profile": disc.format("gamma")}
        >>> pair = kb.CurveContact("K", "cam", "follower", at=(0, 0), **profiles)
        >>> X = pair.pose([0.3, 1.1])
        >>> round(float(np.linalg.norm(X.point((0.02, 0, 0)) - (0.02, 0, 0))), 12)
        0.08
    """

    type = "curve-contact"
    symbol = "K"
    coordinate_names = ("beta", "gamma")
    periodic = ("beta", "gamma")
    profile_coordinates = ("beta", "gamma")
    coordinate_kinds = ("angle", "angle")
    velocity_names = ("contact", "child_contact")

    def pose(self, q: Any) -> Pose:
        """Where the child's profile touches the parent's at beta and gamma."""
        return self.touching(*self.contacts(*q))

    def motion_subspace(self, q: Any) -> Array:
        """(1)."""
        return self.columns(*self.contacts(*q))

    def bias(self, q: Any, v: Any) -> Array:
        """Rate of (1)."""
        return self.column_rates(*self.contacts(*q), v)

    def friction_vectors(self, q: Any) -> tuple[Array, ...]:
        """The place of contact and the normal."""
        return self.contact_vectors(self.contacts(*q)[1])

    def pushes(self, q: Any) -> Array:
        """Into the child; out of one that goes round the parent, whose curve bends less."""
        on_parent, on_child = self.contacts(*q)
        bends = on_child.turning * on_parent.speed - on_parent.turning * on_child.speed
        side = sign(bends) if self.inner else 1.0
        return np.array([*(side * on_child.inward), 0.0], dtype=object)

    def profiles(self, q: Any, scale: float) -> Profiles:
        """Both circles of curvature."""
        one, two, _ = self.sides(q, scale)
        return Profiles(one, two)


@final
@dataclass(frozen=True)
class CurveRolling(CurvePair):
    """Two curves that roll on each other without sliding (Z, class I): non-circular wheels.

    Equal ellipses that turn about foci 2 a apart stay in touch; the ratio of their speeds is
    that of the radii at the contact:

        >>> ellipse = "0.12/(1 + 0.5*cos({0}))"
        >>> profiles = {"profile": ellipse.format("beta"), "child_profile": ellipse.format("gamma")}
        >>> pair = kb.CurveRolling("Z", "one", "two", at=(0, 0), phase="180 deg", **profiles)
        >>> round(float(np.linalg.norm(pair.pose([1.3]).p)), 12)
        0.32
    """

    type = "curve-rolling"
    rubs = ROLLING
    symbol = "Z"
    coordinate_names = ("beta",)
    profile_coordinates = ("beta",)
    coordinate_kinds = ("angle",)
    velocity_names = ("rolling",)

    phase: float = field(
        Number("angle"), default=0.0, doc="gamma of the child's place that touches beta = 0"
    )

    def faults(self) -> Iterator[Fault]:
        """Profiles whose arcs are no short series: of points, or with sharp corners."""
        faults = list(super().faults())
        yield from faults
        wrong = {fault.where[-1] for fault in faults}
        for key, variable in VARIABLES.items():
            profile = getattr(self, key)
            if key in wrong or isinstance(profile, Invalid):
                continue
            if isinstance(profile, Curve):
                message = "is a curve of points, which is too rough to roll; give an expression"
                yield self.fault(f"{message} in {variable}", key)
            elif len(arcs(profile, variable).angle) > TERMS:
                yield self.fault("bends too sharply to roll: its arc has no short series", key)

    def gamma(self, beta: Any) -> Any:
        """Where the child is touched, by (2)."""
        one, two = arcs(self.profile, "beta"), arcs(self.child_profile, "gamma")
        travel = self.sense * one.mean / two.mean * (one.at(beta) - one.at(0.0))
        turned = two.at(self.phase) + travel
        return turned + series(two.angle, turned)

    def pose(self, q: Any) -> Pose:
        """Where the child is after rolling to beta."""
        return self.touching(*self.contacts(q[0], self.gamma(q[0])))

    def motion_subspace(self, q: Any) -> Array:
        """(1) with (2)."""
        places = self.contacts(q[0], self.gamma(q[0]))
        return (self.columns(*places) @ np.array([1.0, self._rate(*places)]))[:, None]

    def bias(self, q: Any, v: Any) -> Array:
        """Rate of (1) with (2), of which gamma'' is the derivative."""
        places = one, two = self.contacts(q[0], self.gamma(q[0]))
        rate = self._rate(*places)
        growth = (self.sense * one.growth - two.growth * rate * rate) / two.speed * v[0] ** 2
        rates = self.column_rates(*places, (v[0], rate * v[0]))
        return rates + self.columns(*places)[:, 1] * growth

    def friction_vectors(self, q: Any) -> tuple[Array, ...]:
        """The place of contact and the normal."""
        return self.contact_vectors(self.contacts(q[0], self.gamma(q[0]))[1])

    def _rate(self, on_parent: Contact, on_child: Contact) -> Any:
        """gamma' / beta'."""
        return self.sense * on_parent.speed / on_child.speed

    def profiles(self, q: Any, scale: float) -> Profiles:
        """Involute teeth on both curves.

        Their centres of curvature are the feet of the perpendiculars from those of the curves to
        the line of action, as for round wheels; the tooth of a straight one is straight.
        """
        one, two, at = self.sides((q[0], self.gamma(q[0])), scale)
        action = np.cos(USUAL) * at.tangent + np.sin(USUAL) * at.inward
        along, P = np.array([*action, 0.0]), np.array([*at.point, 0.0])
        across = np.array([-action[1], action[0], 0.0])
        teeth = [
            Side(P + along * ((side.at - P) @ along)) if side.direction is None else Side(P, across)
            for side in (one, two)
        ]
        note = f"curves of {self.name}: drawn with teeth of a pressure angle of 20 deg; the "
        note += "linkage holds while their bearings keep them rolling"
        return Profiles(teeth[0], teeth[1], (note,))


class Arcs(NamedTuple):
    """Arc lengths of a profile: s = mean (angle + F(angle)), angle = s / mean + G(s / mean)."""

    mean: float
    """Length of the profile over 2 pi."""
    arc: tuple[complex, ...]
    """Coefficients of F: the real part of their sum c_k e^(i k angle)."""
    angle: tuple[complex, ...]
    """Coefficients of G."""

    def at(self, angle: Any) -> Any:
        """s / mean."""
        return angle + series(self.arc, angle)


def series(coefficients: tuple[complex, ...], x: Any) -> Any:
    """Real part of the sum of c_k e^(i k x) for k = 0, 1, ..., by the addition theorem."""
    cos, sin, total = np.cos(x), np.sin(x), coefficients[0].real
    c, s = cos, sin
    for each in coefficients[1:]:
        total = total + each.real * c - each.imag * s
        c, s = c * cos - s * sin, s * cos + c * sin
    return total


@lru_cache(maxsize=256)
def arcs(profile: Expr, variable: str) -> Arcs:
    """The series of a profile, from samples; longer than TERMS where it is not smooth."""
    if symbols := variables(profile) - {variable}:
        raise StructureError(
            f"a curve that rolls has the length of its arcs in numbers, but its profile depends on "
            f"{', '.join(sorted(symbols))}; keep such a parameter a number"
        )
    x = np.linspace(0.0, 2 * np.pi, SAMPLES, endpoint=False)
    speed = np.hypot(radii(profile, variable, x), radii(derivative(profile, variable), variable, x))
    c = np.fft.rfft(speed) / SAMPLES
    mean, k = float(c[0].real), np.arange(1, len(c))
    arc = _shortened([0.0, *(2 * c[1:] / (1j * k) / mean)])
    if len(arc) > TERMS:
        return Arcs(mean, arc, arc)
    angle, k = x, np.arange(len(arc))
    for _ in range(40):  # Newton's method for arc = x, at all samples
        waves = np.exp(1j * np.outer(angle, k)) * arc
        step = (angle + waves.sum(axis=1).real - x) / (1 + (waves @ (1j * k)).real)
        angle = angle - step
        if np.abs(step).max() < 1e-15:
            break
    g = np.fft.rfft(angle - x) / SAMPLES
    return Arcs(mean, arc, _shortened([g[0], *(2 * g[1:])]))


def _shortened(coefficients: list[Any]) -> tuple[complex, ...]:
    """Without the terms at the end that are rounding."""
    last = int(np.max(np.nonzero(np.abs(coefficients) > 1e-16)[0], initial=0))
    return tuple(complex(each) for each in coefficients[: last + 1])
