"""Many runs of one mechanism from different starts: arrays with the runs in front."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import KorbaError
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from ..verbs.dynamics import Energy, energy
from .solution import FAILED, FINISHED, Effort, Solution


@dataclass(frozen=True, eq=False)
class Runs:
    """Motions at the same times: `t` of shape (T,), `q` (..., T, nq), `v` (..., T, nv).

    `runs[3]` or `runs[1, 2]` is one of them as a `Solution`; `runs["A"]`, `["v_A"]` and `["a_A"]`
    are columns of all, shape (..., T). Rows that a run did not reach are nan. `status` says of each
    how it ended; `effort` has steps, rejected steps and evaluations of each.
    """

    mechanism: Mechanism = field(repr=False)
    method: str
    t: Array = field(repr=False)
    q: Array = field(repr=False)
    v: Array = field(repr=False)
    currents: Array = field(repr=False)
    work: Array = field(repr=False)
    """Of everything but gravity since the start."""
    status: Array = field(repr=False)
    effort: Effort = field(repr=False)
    gravity: tuple[float, ...] | None = field(repr=False)
    one: Callable[[int], Solution] = field(repr=False)
    """Gives a run by its number."""
    rates: Callable[[], Array] = field(repr=False)
    starts: tuple[Array, Array] = field(repr=False)
    """q and v at the starts."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The leading axes."""
        return self.status.shape

    @cached_property
    def a(self) -> Array:
        """Accelerations, shape (..., T, nv)."""
        return self.rates()

    @cached_property
    def energy(self) -> Energy:
        """Kinetic energy, and potential energy of gravity, shape (..., T)."""
        return Energy(*self._energy(self.q, self.v))

    def _energy(self, q: Array, v: Array) -> tuple[Array, Array]:
        known = np.isfinite(q).all(axis=-1) & np.isfinite(v).all(axis=-1)
        found = np.full((2, *known.shape), np.nan)
        if known.any():
            found[:, known] = energy(self.mechanism, q[known], v[known], gravity=self.gravity)
        return found[0], found[1]

    @cached_property
    def balance(self) -> Array:
        """T + V - W less its value at the start, shape (..., T): zero where a motion is exact."""
        total = self.energy.kinetic + self.energy.potential - self.work
        kinetic, potential = self._energy(*self.starts)
        return total - (kinetic + potential)[..., None]

    @cached_property
    def audit(self) -> Array:
        """Largest |balance| of each run, relative to its energies that came and went."""
        kinetic, potential = self.energy
        size = _span(potential) + _largest(kinetic) + _largest(self.work)
        return np.divide(_largest(self.balance), size, out=np.zeros(self.shape), where=size > 0)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        m = self.mechanism
        return (*m.coordinates, *(f"{x}_{name}" for x in "va" for name in m.velocities))

    def __getitem__(self, key: Any) -> Any:
        """A column of all runs by its name, or one run by its place."""
        if not isinstance(key, str):
            return self.one(int(np.arange(self.status.size).reshape(self.shape)[key]))
        if key not in self.names:
            raise KorbaError(f"there is no {key!r} in the runs; there are {', '.join(self.names)}")
        place = self.names.index(key)
        sizes = [x.shape[-1] for x in (self.q, self.v)]
        if place < sizes[0]:
            return self.q[..., place]
        rates = self.v if place < sum(sizes) else self.a
        return rates[..., (place - sizes[0]) % sizes[1]]

    def __len__(self) -> int:
        """The length of the first axis."""
        return len(self.status)

    @property
    def message(self) -> str:
        """How they ended, in a sentence; the first that failed is named."""
        count, failed = self.status.size, np.argwhere(self.status == FAILED)
        finished = int(np.sum(self.status == FINISHED))
        if not len(failed):
            return f"{finished} of {count} runs finished at t = {self.t[-1]:g} s"
        place = tuple(map(int, failed[0]))
        where = place[0] if len(place) == 1 else place
        return f"{len(failed)} of {count} runs failed, the first, {where}, {self[place].message}"

    def __str__(self) -> str:
        """A summary to read."""
        steps, rejected, _, _, seconds = self.effort
        lines = [
            f"{self.mechanism.name or 'mechanism'!r}: {self.message}",
            f"  method   {self.method}, {int(np.sum(steps))} steps ({int(np.sum(rejected))} "
            f"rejected), {seconds:.3g} s",
            f"  times    {len(self.t)} from {self.t[0]:g} s to {self.t[-1]:g} s",
        ]
        if self.status.size:
            lines.append(f"  audit    energy less work holds to {np.max(self.audit):.1e}")
        return "\n".join(lines)


def _largest(x: Array) -> Array:
    return np.max(np.abs(x), axis=-1, initial=0.0, where=np.isfinite(x))


def _span(x: Array) -> Array:
    known = np.isfinite(x)
    high = np.max(x, axis=-1, initial=-np.inf, where=known)
    low = np.min(x, axis=-1, initial=np.inf, where=known)
    return np.where(known.any(axis=-1), high - low, 0.0)
