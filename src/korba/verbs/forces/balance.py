"""Where power comes from and goes to, over a motion: balance, losses, efficiency.

    drives + loads  =  rate of kinetic energy + dampers + friction                           (1)

at every position. Over a motion each source gives or takes work, the moving masses too:

    efficiency  =  1 - (work lost in friction and dampers) / (work of all sources that give)  (2)

so that of a motor and a load, or of gas and a generator, it is what comes out over what goes in.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...display import Tabled, columns, tidy
from ...spatial.rotation import Array


@dataclass(frozen=True, eq=False)
class PowerBalance(Tabled):
    """Powers at every position, by name, (...) each; in a motion the last axis is its time."""

    rows_of = (
        ("t", 0),
        ("drives", 0),
        ("loads", 0),
        ("kinetic", 0),
        ("damping", 0),
        ("friction", 0),
    )

    drives: Mapping[str, Array]
    """What the drives give."""
    loads: Mapping[str, Array]
    """What forces give, by name, and the weight; less than 0 where they take."""
    kinetic: Array
    """Rate of the kinetic energy."""
    damping: Mapping[str, Array]
    """What viscous damping of joints takes."""
    friction: Mapping[str, Array]
    """What friction of joints takes."""
    t: Array
    """Times of the positions; one number where there are none."""

    @property
    def losses(self) -> Array:
        """What friction and damping take in all joints."""
        return _sum([*self.damping.values(), *self.friction.values()], self.kinetic)

    @property
    def residual(self) -> Array:
        """What is left over in (1): rounding."""
        given = _sum([*self.drives.values(), *self.loads.values()], self.kinetic)
        return np.asarray(given - self.kinetic - self.losses)

    @property
    def audit(self) -> float:
        """The largest residual beside the largest of all powers; positions that jam do not count.

        Powers at rest are all 0, and so is the audit then.
        """
        every = [*self.drives.values(), *self.loads.values(), *self.friction.values()]
        powers = np.array([np.abs(p) for p in (*every, self.kinetic, *self.damping.values())])
        largest = np.nanmax(powers, initial=0.0)
        residual = np.abs(self.residual)
        return float(np.nanmax(residual, initial=0.0) / (largest or 1.0))

    def work(self, power: Any) -> Array:
        """A power summed over the time of the motion; positions without times count the same.

        Of a single position it is the power itself.
        """
        power = np.asarray(power)
        if power.ndim == 0:
            return power
        if np.ndim(self.t) == 0 or self.t.shape[-1] < 2:
            return np.asarray(power.mean(axis=-1))
        return np.asarray(np.trapezoid(power, self.t, axis=-1))

    @property
    def works(self) -> dict[str, Array]:
        """Work over the motion that each drive and load gives, and the masses that slow down."""
        own = {**self.drives, **self.loads, "kinetic energy": -self.kinetic}
        return {name: self.work(power) for name, power in own.items()}

    @property
    def efficiency(self) -> Array:
        """(2) over the motion; nan where nothing gives any work, or where it jams."""
        given = _sum([np.maximum(work, 0.0) for work in self.works.values()], 0.0)
        lost = self.work(self.losses)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(1.0 - lost / np.where(given > 0, given, np.nan))

    def __str__(self) -> str:
        """Works by name, what joints lose and their shares, the efficiency."""
        unit = "J" if np.ndim(self.t) else "W"
        lost = {f"friction in {name}": p for name, p in self.friction.items()}
        lost |= {f"damping in {name}": p for name, p in self.damping.items()}
        rows = [("", "gives", "")]
        means = [np.mean(work) for work in self.works.values()]
        works = dict(zip(self.works, tidy(means), strict=True))
        taken = {name: -np.mean(self.work(p)) for name, p in lost.items()}
        total = sum(taken.values())
        rows += [(name, f"{work:.5g} {unit}", "") for name, work in works.items()]
        for name, work in taken.items():
            share = f"{work / total:.1%} of the losses" if total else ""
            rows.append((name, f"{work:.5g} {unit}", share))
        efficiency = round(float(np.mean(self.efficiency)), 12) + 0.0
        end = f"  efficiency {efficiency:.4g}; powers balance to {self.audit:.1e}"
        return "\n".join(["Work over the motion", *columns(rows), end])


def _sum(parts: list[Any], like: Any) -> Array:
    """The sum of arrays, zeros where there are none."""
    return np.asarray(sum(parts, start=0.0 * np.asarray(like)))
