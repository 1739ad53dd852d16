"""Terms of a Lagrangian besides kinetic energy and gravity: a(q)'q' + L_0(q).

    L = q'A q'/2 + a(q)'q' + L_0(q),      p = A q' + a(q)                          (2.1), (2.9)

A magnetic field gives such an a, and so does a frame that moves, in whose coordinates the system is
written: with the speed w of a turntable a particle has a = m w (-y, x) and L_0 = m w^2 (x^2+y^2)/2.
The inner problem is then A z = b with b = p - a(q) (3.3), and

    p' = dL/dq + Q,      dL/dq has (da/dq)'z + dL_0/dq besides                              (1)

As a force on A z that is (da/dq)'z - (da/dq)z - da/dt + dL_0/dq, whose first two parts do no work.
Source: Dunskaya & Pyatnitsky (1996), (2.9), (3.2), (3.3).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..codegen.program import symbols
from ..errors import StructureError, refuse_unknown
from ..expr import Expr
from ..expr.differentiate import directional, jacobian_rows
from ..expr.evaluate import substitute_all
from ..expr.node import as_expr
from ..kinematics.couplings import law_value
from ..simulation.event import known_names, read
from ..spatial.rotation import Array
from ..system.tree import Tree


@dataclass(frozen=True, eq=False)
class Terms:
    """a by the places of velocities, and L_0, as expressions of coordinates and t."""

    names: tuple[str, ...] = ()
    """Of the independent coordinates, in the order of their velocities."""
    a: tuple[tuple[int, Expr], ...] = ()
    L0: Expr | None = None

    def __bool__(self) -> bool:
        return bool(self.a)

    @property
    def key(self) -> tuple[Hashable, ...]:
        """What tells programs with these terms from others."""
        return (self.a, self.L0) if self.a or self.L0 is not None else ()

    def linear(self, q: Any, t: Any) -> Array:
        """a(q)."""
        found = np.zeros(len(self.names), dtype=object)
        for place, law in self.a:
            found[place] = law_value(law, self._values(q, t))
        return found

    def scalar(self, q: Any, t: Any) -> Any:
        """L_0(q)."""
        return 0.0 if self.L0 is None else law_value(self.L0, self._values(q, t))

    def slope(self, q: Any, z: Any, t: Any) -> Array:
        """(da/dq)'z + dL_0/dq."""
        if not self.key:
            return np.zeros(len(z))
        at = symbols("_q", len(q))
        still = symbols("_z", len(z))
        whole = as_expr(self.linear(at, t) @ still + self.scalar(at, t))
        (rows,) = jacobian_rows([whole], [f"_q[{i}]" for i in range(len(q))])
        return self._at(rows, q, z)

    def force(self, q: Any, z: Any, t: Any) -> Array:
        """What they do to A z."""
        if not self.key:
            return np.zeros(len(z))
        at, still, clock = symbols("_q", len(q)), symbols("_z", len(z)), symbols("_t", 1)
        a = [as_expr(x) for x in self.linear(at, clock[0])]
        along = {f"_q[{i}]": x for i, x in enumerate(still)} | {"_t[0]": as_expr(1.0)}
        rates = [substitute_all([x], {"_t[0]": as_expr(t)})[0] for x in directional(a, along)]
        return self.slope(q, z, t) - self._at(rates, q, z)

    def _at(self, expressions: Any, q: Any, z: Any) -> Array:
        values = {f"_q[{i}]": as_expr(x) for i, x in enumerate(q)}
        values |= {f"_z[{i}]": as_expr(x) for i, x in enumerate(z)}
        return np.array(substitute_all([as_expr(x) for x in expressions], values), dtype=object)

    def _values(self, q: Any, t: Any) -> dict[str, Any]:
        return {**dict(zip(self.names, q, strict=True)), "t": t}


NO_TERMS = Terms()


def terms_of(tree: Tree, a: Mapping[str, Any] | None, L0: Any) -> Terms:
    """What the user gives as a and L0, by the independent coordinates of a tree."""
    names = [tree.coordinates[i] for i in tree.free_q]
    if a is None and L0 is None:
        return Terms(tuple(names))
    if names != [tree.velocities[i] for i in tree.free_v]:
        raise StructureError(
            f"a, L0: mechanism {tree.m.name!r} has velocities that are no rates of coordinates; "
            "such terms are written in coordinates, so give it joints whose coordinates are rates, "
            "as turns and slides one after the other"
        )
    known = {name: x for name, x in known_names(tree).items() if name in {*names, "t"}}
    laws = []
    for name, given in (a or {}).items():
        refuse_unknown("coordinate", name, names, "a")
        laws.append((names.index(name), as_expr(read(f"a, {name!r}", given, known).value)))
    scalar = None if L0 is None else as_expr(read("L0", L0, known).value)
    return Terms(tuple(names), tuple(laws), scalar)
