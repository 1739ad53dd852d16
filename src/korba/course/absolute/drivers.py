"""The six kinds of drivers in absolute coordinates (Gronowicz 2.96-2.102), and couplings.

A driver makes a quantity c(q) of the mechanism follow a law:  c(q) - f(t) = 0, so that

    Phi_t = -f',     gamma = f'' - c_v,     c_v being c'' when q'' = 0

The length of an actuator is squared as in the book, d'd - f^2 = 0 (2.98). A coupling makes one
quantity a function of others, c_0 - F(c_1, c_2, ...) = 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ...errors import StructureError
from ...expr import Expr, derivative, evaluate
from ...spatial.rotation import Array
from ..laws import Function, law
from .pairs import TURN, Between, PlanarState, PrismaticPair, Rows, YokePair

PLACES = {"x": 0, "y": 1, "theta": 2}


class Quantity(Protocol):
    """A quantity c(q): its value, its row of derivatives by q, and c_v."""

    def value(self, s: PlanarState) -> tuple[float, Array, float]:
        """c, c_q and c_v at a state."""


@dataclass(frozen=True, eq=False)
class LinkQuantity:
    """sign (zeta_k - zeta_j - c), zeta one of x, y, Theta: of a link, or of two links."""

    k: int
    key: str
    j: int = 0
    c: float = 0.0
    sign: float = 1.0

    def value(self, s: PlanarState) -> tuple[float, Array, float]:
        """Constants in the row; c_v is zero."""
        place = PLACES[self.key]
        one = self.sign * np.eye(3)[place][None]
        row = s.spread([(self.k, one), (self.j, -one)])[0]
        return float(row @ s.q) - self.sign * self.c, row, 0.0


@dataclass(frozen=True, eq=False)
class PointQuantity:
    """x or y of a point of a link."""

    k: int
    s_k: Array
    key: str

    def value(self, s: PlanarState) -> tuple[float, Array, float]:
        """c_v = -Theta'^2 R s."""
        between = Between(s, 0, np.zeros(2), self.k, self.s_k)
        place = PLACES[self.key]
        row = s.spread([(self.k, between.by_k[place][None])])[0]
        return float(between.d[place]), row, float(between.bend[place])


@dataclass(frozen=True, eq=False)
class StrokeQuantity:
    """The part of d along the direction u of link j: the stroke of a slide."""

    j: int
    s_j: Array
    u: Array
    k: int
    s_k: Array

    def value(self, s: PlanarState) -> tuple[float, Array, float]:
        """c_v = d_v'u + 2 Theta'_j d''u_perp - Theta'_j^2 d'u, u a unit vector."""
        between = Between(s, self.j, self.s_j, self.k, self.s_k)
        u = s.link(self.j)[1] @ (self.u / np.linalg.norm(self.u))
        across, w = TURN @ u, s.rate(self.j)
        turning = np.array([[0.0, 0.0, between.d @ across]])
        row = s.spread([*between.blocks(u[None]), (self.j, turning)])[0]
        bend = between.bend @ u + 2 * w * between.rate @ across - w**2 * between.d @ u
        return float(between.d @ u), row, float(bend)


@dataclass(frozen=True, eq=False)
class ProfileQuantity:
    """The parameter beta of a cam pair, by its place among the unknowns."""

    place: int

    def value(self, s: PlanarState) -> tuple[float, Array, float]:
        """An unknown itself."""
        return float(s.q[self.place]), np.eye(len(s.q))[self.place], 0.0


@dataclass(frozen=True, eq=False)
class Driver:
    """c(q) - f(t) = 0."""

    quantity: Quantity
    f: Function
    count: int = 1

    def rows(self, s: PlanarState) -> Rows:
        """Phi_t = -f', gamma = f'' - c_v."""
        value, row, bend = self.quantity.value(s)
        f, rate, second = (self.f(s.t, order) for order in range(3))
        gamma = np.array([second * s.running**2 - bend])
        return Rows(np.array([value - f]), row[None], gamma, np.array([-rate * s.running]))


@dataclass(frozen=True, eq=False)
class LengthDriver:
    """d'd - f(t)^2 = 0: an actuator between points of the links j and k (2.98), (2.99)."""

    j: int
    s_j: Array
    k: int
    s_k: Array
    f: Function
    count: int = 1

    def rows(self, s: PlanarState) -> Rows:
        """Phi_t = -2 f f', gamma = -2 d''d' - 2 d'd_v + 2 (f'^2 + f f'')."""
        between = Between(s, self.j, self.s_j, self.k, self.s_k)
        d, rate = between.d, between.rate
        f, f1, f2 = (self.f(s.t, order) for order in range(3))
        phi_q = s.spread(between.blocks(2 * d[None]))
        gamma = 2 * (f1**2 + f * f2) * s.running**2 - 2 * rate @ rate - 2 * d @ between.bend
        phi_t = np.array([-2 * f * f1 * s.running])
        return Rows(np.array([d @ d - f * f]), phi_q, np.array([gamma]), phi_t)


@dataclass(frozen=True, eq=False)
class CoupledQuantities:
    """c_0 - F(c_1, c_2, ...) = 0, F an expression in the names of the quantities."""

    of: Quantity
    law: Expr
    by: dict[str, Quantity]
    count: int = 1

    def rows(self, s: PlanarState) -> Rows:
        """gamma = -c_v + sum of F_i c_iv + sum of F_ij c_i' c_j'."""
        value, row, bend = self.of.value(s)
        parts = {name: each.value(s) for name, each in self.by.items()}
        at = {name: part[0] for name, part in parts.items()} | {"t": 0.0}
        rates = {name: float(part[1] @ s.v) for name, part in parts.items()}
        gamma = -bend
        for one, part in parts.items():
            slope = derivative(self.law, one)
            row = row - _number(slope, at) * part[1]
            gamma += _number(slope, at) * part[2]
            for two in parts:
                gamma += _number(derivative(slope, two), at) * rates[one] * rates[two]
        phi = np.array([value - _number(self.law, at)])
        return Rows(phi, row[None], np.array([gamma]), np.zeros(1))


def link_driver(k: int, key: str, f: Any) -> Driver:
    """x, y or theta of a link in time (2.96)."""
    return Driver(LinkQuantity(k, _key(key)), law(f))


def difference_driver(j: int, k: int, key: str, f: Any) -> Driver:
    """x, y or theta of link k less that of link j in time (2.97)."""
    return Driver(LinkQuantity(k, _key(key), j), law(f))


def length_driver(j: int, s_j: Any, k: int, s_k: Any, f: Any) -> LengthDriver:
    """Length of an actuator between points of two links in time (2.98)."""
    return LengthDriver(j, np.asarray(s_j, dtype=float), k, np.asarray(s_k, dtype=float), law(f))


def point_driver(k: int, s_k: Any, key: str, f: Any) -> Driver:
    """x or y of a point of a link in time (2.100)."""
    return Driver(PointQuantity(k, np.asarray(s_k, dtype=float), _key(key)), law(f))


def revolute_driver(j: int, k: int, f: Any, *, c: float = 0.0) -> Driver:
    """Angle of a revolute pair in time (2.101); it is zero where Theta_k - Theta_j = c."""
    return Driver(LinkQuantity(k, "theta", j, c), law(f))


def prismatic_driver(pair: PrismaticPair | YokePair, f: Any) -> Driver:
    """Stroke of a prismatic pair (or of a yoke's pin) in time (2.102)."""
    direction = pair.u if isinstance(pair, PrismaticPair) else pair.e
    return Driver(StrokeQuantity(pair.j, pair.s_j, direction, pair.k, pair.s_k), law(f))


def _key(key: str) -> str:
    if key not in PLACES:
        raise StructureError(f"expected 'x', 'y' or 'theta', got {key!r}")
    return key


def _number(e: Expr, at: dict[str, float]) -> float:
    return float(evaluate([e], at)[0])
