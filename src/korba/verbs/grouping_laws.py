"""How base parameters are put together, as formulas of sizes, held against other sizes.

What motions feel (dynamics/identifiable.py) is found in numbers; dynamics/regrouping.py writes
most as formulas. A number that it knows no formula for is tried as a product of powers of sizes,
found by changing one size at a time; and whatever was written has to hold for another design.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..dynamics.identifiable import Identifiable, identifiable_by
from ..dynamics.regressor import parameters_of
from ..dynamics.regrouping import Grouping, grouping, recognised
from ..errors import KorbaError
from ..expr.waves import Waves, number, symbol
from ..files.toml_file import redimension
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from ..system.store import kept
from ..system.system import System, any_system
from .equations import sizes_by_symbol
from .systems import gravity_system

STRETCH = 1.1
"""By which a size is changed to see how a coefficient depends on it."""
AGREES = 1e-7
"""Part of a column by which formulas may miss it at other sizes."""


def identifiable_in(m: Mechanism, gravity: Any, friction: bool) -> Identifiable:
    """What motions of a mechanism, rotors written out, feel; of massless bodies too."""

    def made() -> Identifiable:
        system = gravity_system(m, gravity)
        return identifiable_by(system, parameters_of(system.m, friction=friction, massless=True))

    return kept(m, ("identifiable", gravity, friction), made)


def laws_of(
    m: Mechanism,
    base: Identifiable,
    shadow: System,
    sizes: Mapping[str, float],
    asked: tuple[Any, bool],
) -> tuple[Grouping, tuple[str, ...]]:
    """Coefficients as formulas, held against the mechanism at other sizes."""
    system = any_system(m)
    laws = grouping(base, system, shadow, sizes, lambda _, __, x: recognised(x))
    if not sizes or _holds(m, base, laws, shadow, asked):
        return laws, ()
    if laws.by_numbers:
        powers = _Powers(m, base, shadow, asked)
        other = grouping(base, system, shadow, sizes, powers.formula)
        if _holds(m, base, other, shadow, asked):
            return other, ()
    names = ", ".join(base.parameters[k].name for k in laws.by_numbers)
    return laws, (f"numbers with {names} are those of these sizes and hold for no others",)


def _design(
    m: Mechanism,
    shadow: System,
    factors: Sequence[float],
    asked: tuple[Any, bool],
    base: Identifiable,
) -> tuple[dict[str, float], Identifiable | None]:
    """Other sizes, and what motions feel of that design; None where it cannot be made."""
    own = sizes_by_symbol(m, shadow)
    sizes = {name: x * f for (name, x), f in zip(own.items(), factors, strict=True)}
    try:
        other = redimension(m, **dict(zip(shadow.parameters, sizes.values(), strict=True)))
        known = identifiable_in(any_system(other).m, *asked)
    except KorbaError:
        return sizes, None
    return sizes, known if known.kept == base.kept else None


def _holds(
    m: Mechanism, base: Identifiable, laws: Grouping, shadow: System, asked: tuple[Any, bool]
) -> bool:
    """Whether formulas hold at other sizes too; a design that cannot be made says nothing."""
    factors = 1.0 + 0.05 * np.random.default_rng(1).uniform(-1, 1, len(shadow.parameters))
    sizes, other = _design(m, shadow, factors.tolist(), asked, base)
    if other is None:
        return not laws.by_numbers
    C, own = laws.matrix(base, sizes), other.coefficients
    return bool(np.abs(C - own).max(initial=0.0) <= AGREES * max(1.0, np.abs(own).max(initial=0.0)))


class _Powers:
    """How numbers depend on sizes: as products of their powers, c p_1^n_1 p_2^n_2 ..."""

    def __init__(
        self, m: Mechanism, base: Identifiable, shadow: System, asked: tuple[Any, bool]
    ) -> None:
        self.base, self.sizes = base, sizes_by_symbol(m, shadow)
        self.stretched: dict[str, Array] = {}
        for i, name in enumerate(self.sizes):
            factors = [STRETCH if i == k else 1.0 for k in range(len(self.sizes))]
            other = _design(m, shadow, factors, asked, base)[1]
            if other is not None:
                self.stretched[name] = other.coefficients

    def formula(self, k: int, d: int, x: float) -> Waves:
        """The number with which d goes into k, as a formula where it is such a product."""
        i, j = self.base.kept.index(k), self.base.dependent.index(d)
        rest, whole = x, number(1.0)
        for name, C in self.stretched.items():
            n = np.log(C[i, j] / x) / np.log(STRETCH) if C[i, j] * x > 0 else 0.0
            if round(n) and abs(n - round(n)) < 1e-6:
                whole = whole * symbol(name, round(n))
                rest /= self.sizes[name] ** round(n)
        return recognised(rest) * whole
