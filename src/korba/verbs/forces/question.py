"""What the forces of a motion are asked with: the motion, its loads, and the equations of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...dynamics.kinetostatics import Equations, GivenMotion, equations
from ...dynamics.load_distribution import distributed
from ...kinematics.couplings import all_motion
from ...system.system import System
from ..systems import loads_with, under
from .distribution import Shares, shares_of_forces, springs_of


def given_motion(system: System, q: Any, v: Any, a: Any, options: Mapping[str, Any]) -> GivenMotion:
    """The motion of all joints, and what acts on the bodies, wrenches from outside too."""
    s = under(system, options.get("gravity"), options.get("t", 0.0))
    x = all_motion(system.tree, q, v, a)
    return GivenMotion(s, x, loads_with(s, x.q, x.v, options.get("external") or {}), s.t)


def equations_of(given: GivenMotion, options: Mapping[str, Any]) -> Equations:
    """The equations of all bodies, with the units by which forces that are open are distributed."""
    asked = options["distribution"]
    shares = asked if isinstance(asked, Shares) else shares_of_forces(given.system.m, asked, {})
    springs, weights = springs_of(shares.stiffness), dict(shares.weights)
    return distributed(given.system, equations(*given), springs, weights)
