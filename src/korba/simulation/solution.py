"""What a simulation found: arrays with names, energies, and an audit of the run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..errors import KorbaError
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from ..trajectory.tables import dataset, write_csv
from ..verbs.dynamics import Energy, energy

FINISHED, INTERRUPTED, FAILED = "finished", "interrupted", "failed"


class Effort(NamedTuple):
    """What a run took."""

    steps: int
    rejected: int
    """Steps tried that were too inaccurate."""
    evaluations: int
    """Of the right-hand side."""
    stiff: int
    """Steps that stability limits, not accuracy."""
    seconds: float
    """From the call to the answer, compiling included."""


@dataclass(frozen=True, eq=False)
class Solution:
    """A motion: `t` of shape (N,), `q` (N, nq), `v` (N, nv), and how it was found.

    `solution["A"]` is the coordinate A in time, `solution["v_A"]` its velocity, `solution["a_A"]`
    its acceleration, `solution["i_motor"]` the current of a motor with inductance; `status` is
    "finished", "interrupted" or "failed", and `message` says why and until when.
    """

    mechanism: Mechanism = field(repr=False)
    method: str
    t: Array = field(repr=False)
    q: Array = field(repr=False)
    v: Array = field(repr=False)
    currents: Array = field(repr=False)
    """Of the motors with inductance, in their order in the mechanism."""
    work: Array = field(repr=False)
    """Of everything but gravity since the start: given forces, loads, damping."""
    status: str
    message: str
    effort: Effort
    notes: tuple[str, ...] = ()
    gravity: tuple[float, ...] | None = field(default=None, repr=False)
    own_states: tuple[str, ...] = field(default=(), repr=False)
    rates: Callable[[], Array] | None = field(default=None, repr=False)
    """Gives the accelerations of all rows."""
    start: tuple[Array, Array] | None = field(default=None, repr=False)
    """q and v at the start, which need not be among the rows."""

    @property
    def steps(self) -> int:
        """Steps made."""
        return self.effort.steps

    @property
    def rejected(self) -> int:
        """Steps tried that were too inaccurate."""
        return self.effort.rejected

    @cached_property
    def a(self) -> Array:
        """Accelerations, shape (N, nv)."""
        if self.rates is None:
            raise KorbaError("this solution does not know its equations; simulate again")
        return self.rates()

    @cached_property
    def energy(self) -> Energy:
        """Kinetic energy, and potential energy of gravity, in time."""
        return energy(self.mechanism, self.q, self.v, gravity=self.gravity)

    @cached_property
    def balance(self) -> Array:
        """T + V - W less its value at the start: zero where the motion is exact."""
        total = self.energy.kinetic + self.energy.potential - self.work
        if self.start is None:
            return total - total[:1]
        return total - sum(energy(self.mechanism, *self.start, gravity=self.gravity))

    @property
    def audit(self) -> float:
        """Largest |balance|, relative to the energies that came and went; 0 without rows."""
        if not len(self):
            return 0.0
        kinetic, potential = self.energy
        size = np.ptp(potential) + np.max(kinetic) + np.max(np.abs(self.work))
        return float(np.max(np.abs(self.balance)) / size) if size > 0 else 0.0

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns, `t` first."""
        m = self.mechanism
        rates = tuple(f"v_{name}" for name in m.velocities)
        return ("t", *m.coordinates, *rates, *self.own_states)

    @cached_property
    def columns(self) -> Array:
        """All columns, in the order of `names`."""
        return np.column_stack([self.t, self.q, self.v, self.currents])

    def __getitem__(self, name: str) -> Array:
        """A column by its name."""
        if name in self.names:
            return self.columns[:, self.names.index(name)]
        accelerations = [f"a_{each}" for each in self.mechanism.velocities]
        if name in accelerations:
            return self.a[:, accelerations.index(name)]
        raise KorbaError(f"there is no {name!r} in the solution; there are {', '.join(self.names)}")

    def __len__(self) -> int:
        """The number of times."""
        return len(self.t)

    def __str__(self) -> str:
        """A summary to read."""
        name = self.mechanism.name or "mechanism"
        effort = self.effort
        tried = f" ({effort.rejected} rejected)" if effort.rejected else ""
        lines = [
            f"{name!r}: {self.message}",
            f"  method   {self.method}, {effort.steps} steps{tried}, "
            f"{effort.evaluations} evaluations, {effort.seconds:.3g} s",
            *self._ends(),
        ]
        return "\n".join([*lines, *(f"  note: {note}" for note in self.notes)])

    def _ends(self) -> list[str]:
        """The times, the audit and the last row, in lines."""
        if not len(self):
            return ["  times    none of those asked for was reached"]
        lines = [
            f"  times    {len(self)} from {self.t[0]:g} s to {self.t[-1]:g} s",
            f"  audit    energy less work holds to {self.audit:.1e}",
        ]
        lines += [f"  {key:8} {self[key][-1]:.9g} at the end" for key in self.names[1:9]]
        more = len(self.names) - 9
        return [*lines, f"  ...      {more} more"] if more > 0 else lines

    def to_dict(self) -> dict[str, Any]:
        """The summary as data, with the last row."""
        return {
            "ok": self.status == FINISHED,
            "mechanism": self.mechanism.name,
            "method": self.method,
            "status": self.status,
            "message": self.message,
            "rows": len(self),
            "steps": self.effort.steps,
            "rejected": self.effort.rejected,
            "evaluations": self.effort.evaluations,
            "seconds": self.effort.seconds,
            "audit": self.audit,
            "last": {name: float(self[name][-1]) for name in self.names if len(self)},
            "notes": list(self.notes),
        }

    def to_csv(self, path: str | Path) -> None:
        """Write all columns, with their names in the first line."""
        write_csv(path, self.names, self.columns)

    def to_xarray(self) -> Any:
        """An xarray.Dataset with one variable for each name, over `t`."""
        return dataset({name: self[name] for name in self.names}, self.status)
