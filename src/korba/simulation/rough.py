"""Dry friction in the joints of a tree while it moves: what slips, and how much could stick.

The wrenches in the joints are linear in the accelerations, and these in the efforts e of friction,

    F_j = F_j0 + sum F_jk e_k,        e_j = - way_j phi_j(F_j)  where j slips                    (1)

so a few steps of Newton's method in the efforts alone solve (1), from e = 0. phi is the law of
forces/friction.py, under the force in the joint; while a joint sticks it is the largest force that
holds. Source: Gronowicz (2003), sections 4.3.5 and 4.3.6.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..codegen.program import symbols
from ..dynamics.newton_euler import INWARD, outward
from ..dynamics.recursions import link_values
from ..errors import StructureError
from ..expr.differentiate import jacobian_columns
from ..expr.evaluate import substitute_all
from ..expr.node import as_expr
from ..forces.friction import coefficient, norm, pin_lever
from ..kinematics.couplings import all_motion
from ..kinematics.sweep import swept
from ..model.joint import Friction
from ..spatial.rotation import Array
from ..system.system import System
from ..system.tree import Tree

STEPS = 4
"""Of Newton's method."""


@dataclass(frozen=True)
class Stick:
    """Dry friction of one velocity: its law, and where it is."""

    name: str
    place: int
    data: Friction
    link: int
    pin: bool
    unit: float = 1.0
    """A typical length, or a radian."""

    @property
    def modes(self) -> tuple[str, ...]:
        """Switches: 1 where it sticks, and the sign of the velocity where it slips."""
        return f"sticks_{self.name}", f"way_{self.name}"

    @property
    def events(self) -> tuple[str, ...]:
        """Events: it halts, and slips again."""
        return f"{self.name} halts", f"{self.name} slips"

    def slipping(self, load: Any, speed: Any) -> Any:
        """The force against the motion; `load` is the force that the friction stands under."""
        data = self.data
        if data.stribeck_velocity is None:
            return self._force(load, data.coefficient)
        slip = speed * data.radius if self.pin else speed
        return self._force(load, coefficient(data, slip))

    def sticking(self, load: Any) -> Any:
        """The largest force that holds."""
        data = self.data
        return self._force(load, data.coefficient if data.static is None else data.static)

    def _force(self, load: Any, mu: Any) -> Any:
        if not self.loaded:
            return self.data.effort
        lever = pin_lever(self.data, mu) if self.pin else mu
        return lever * load + self.data.effort

    @property
    def loaded(self) -> bool:
        """Whether the force depends on the load of the joint."""
        return bool(self.data.coefficient or self.data.static)


def sticks_of(tree: Tree, wanted: bool, length: float) -> Iterator[Stick]:
    """Dry friction of the joints."""
    places = {tree.velocities[i]: k for k, i in enumerate(tree.free_v)}
    links = {x.joint.name: i for i, x in enumerate(tree.links)}
    for joint in tree.m.joints if wanted else ():
        data = joint.friction
        if data is None:
            continue
        loaded = bool(data.coefficient or data.static)
        if (
            joint.nv != 1
            or joint.velocities()[0] not in places
            or joint.name not in links
            or (loaded and joint.role not in {"pin", "slide"})
        ):
            raise StructureError(
                f"friction: that of joint {joint.name!r} is not simulated yet; simulate takes "
                "friction of pins and slides of a tree that no coupling moves"
            )
        if loaded and joint.role == "pin" and data.radius is None:
            raise StructureError(f"joint {joint.name!r}: friction of a pin needs its radius")
        if loaded and joint.role == "slide" and joint.contact_distance is not None:
            raise StructureError(
                f"friction: joint {joint.name!r} has a guide_length, which simulate does not take "
                "yet; leave it out, and the guide presses by its force across alone"
            )
        if loaded or data.effort:
            unit = length if joint.velocity_kinds[0] == "length" else 1.0
            name = joint.velocities()[0]
            yield Stick(name, places[name], data, links[joint.name], joint.role == "pin", unit)


def loads(s: System, sticks: Sequence[Stick], q: Array, v: Array, a: Array) -> list[Array]:
    """The force on each joint with friction that presses: all of a pin's, that across a slide."""
    x = all_motion(s.tree, q, v, a)
    given = link_values(s.tree, {"q": x.q, "v": x.v, "a": x.a}, s.loads(x.q, x.v))
    own = swept(s.tree, (outward(s.gravity), INWARD), given)
    made = []
    for stick in sticks:
        values, link = own[stick.link], s.tree.links[stick.link]
        f = np.asarray(values["F"] + values["F_children"])[3:]
        if not stick.pin:
            d = np.asarray(link.joint.motion_subspace(values["q"]))[3:, 0]
            f = f - d * (d @ f)
        made.append(f)
    return made


def efforts(
    sticks: Sequence[Stick],
    ways: Sequence[Any],
    speeds: Sequence[Any],
    pressed: Callable[[Array], list[Array]],
) -> tuple[Array, list[Any]]:
    """Efforts of the friction that slips (1), and what could hold where it sticks.

    `ways` are zero where a joint sticks; `pressed` gives the forces on the joints for efforts.
    """
    n = len(sticks)
    if not any(stick.loaded for stick in sticks):
        given = [-way * stick.data.effort for stick, way in zip(sticks, ways, strict=True)]
        return np.array(given, dtype=object), [stick.sticking(0.0) for stick in sticks]
    unit, none = np.eye(n), np.zeros(n)
    first = pressed(none)
    columns = [[f - f_0 for f, f_0 in zip(pressed(unit[k]), first, strict=True)] for k in range(n)]

    def sizes(e: Array) -> list[Any]:
        return [norm(first[j] + sum(columns[k][j] * e[k] for k in range(n))) for j in range(n)]

    def law(e: Array) -> Array:
        each = zip(sticks, ways, sizes(e), speeds, strict=True)
        return np.array([-way * s.slipping(x, u) for s, way, x, u in each], dtype=object)

    e = _newton(law, n)
    return e, [stick.sticking(x) for stick, x in zip(sticks, sizes(e), strict=True)]


def _newton(law: Callable[[Array], Array], n: int) -> Array:
    """E = law(e), by Newton's method from e = 0 with a fixed count of steps."""
    e = symbols("effort", n)
    rest = [as_expr(x) for x in e - law(e)]
    slopes = np.array(jacobian_columns(rest, [f"effort[{i}]" for i in range(n)]), dtype=object).T
    graph = [*rest, *map(as_expr, slopes.flat)]
    value = law(np.zeros(n))
    for _ in range(STEPS):
        put = {f"effort[{i}]": as_expr(x) for i, x in enumerate(value)}
        flat = substitute_all(graph, put)
        value = value - _solved(np.array(flat[n:], dtype=object).reshape(n, n), flat[:n])
    return value


def _solved(A: Array, b: Sequence[Any]) -> Array:
    """A x = b by elimination: A is the identity and a little more."""
    A, x = np.array(A, dtype=object), np.array(b, dtype=object)
    for k in range(len(x)):
        for i in range(k + 1, len(x)):
            share = A[i, k] / A[k, k]
            A[i, k:] = A[i, k:] - share * A[k, k:]
            x[i] = x[i] - share * x[k]
    for k in reversed(range(len(x))):
        x[k] = (x[k] - A[k, k + 1 :] @ x[k + 1 :]) / A[k, k]
    return x
