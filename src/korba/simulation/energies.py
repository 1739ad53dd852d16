"""The energies of a run as columns, and their balance as its audit.

    balance = T + V - W  less its value at the start: zero where the motion is exact             (1)

W is the work of everything but gravity since the start: given forces, loads, damping, and what
events change.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from ..trajectory.audit import Audit
from ..trajectory.columns import Column
from ..verbs.dynamics import Energy
from .right_hand_side import typical_length

TINY, FEW = 1e-9, 10
"""Of a typical energy, and of a typical length in a second: less is not told from rest. And rows
that may all miss where the energies went: with fewer, a hundredth of a typical energy counts too.
"""


def energy_columns(
    of: Callable[..., Energy],
    motion: Sequence[Array],
    start: Sequence[Array],
    work: Array,
) -> dict[str, Column]:
    """Kinetic energy, potential energy of gravity, work, and (1), by `of`, the energy of a state.

    `start` is where (1) counts from; it need not be among the rows.
    """
    both = cache(lambda: _where_known(of, *motion))

    def balance() -> Array:
        kinetic, potential = _where_known(of, *start)
        return both().kinetic + both().potential - work - (kinetic + potential)[..., None]

    return {
        "kinetic": Column(lambda: both().kinetic, "J"),
        "potential": Column(lambda: both().potential, "J"),
        "work": Column(work, "J"),
        "balance": Column(balance, "J"),
    }


def _where_known(of: Callable[..., Energy], *state: Array) -> Energy:
    """Energies of states that were reached; nan for the others."""
    finite = [np.isfinite(x).all(axis=-1) for x in state]
    known = np.logical_and.reduce(finite)
    if known.all():
        return of(*state)
    energies = np.full((2, *known.shape), np.nan)
    energies[:, known] = of(*(x[known] for x in state))
    return Energy(*energies)


def least_energy(m: Mechanism, gravity: Any, rows: int) -> float:
    """Energy beside which errors are judged where a mechanism hardly moves at so many rows."""
    mass, length = sum(body.mass for body in m.bodies), typical_length(m)
    g = float(np.linalg.norm((m.gravity or 0.0) if gravity is None else gravity))
    return (TINY if rows > FEW else 1e-2) * mass * length * (g + TINY * length)


def audit_of(
    columns: dict[str, Column],
    least: Callable[[], float] = float,
    residual: Callable[[], Any] | None = None,
) -> Audit:
    """Largest |balance| of each run, beside the energies that came and went; and its residual."""

    def largest() -> Any:
        kinetic, potential, work, balance = (
            columns[name].values for name in ("kinetic", "potential", "work", "balance")
        )
        size = _span(potential) + largest_of(kinetic) + largest_of(work) + least()
        return np.divide(largest_of(balance), size, out=np.zeros(size.shape), where=size > 0)[()]

    return Audit(energy=largest) if residual is None else Audit(energy=largest, residual=residual)


def largest_of(x: Array) -> Array:
    """The largest of each row that is a number."""
    return np.max(np.abs(x), axis=-1, initial=0.0, where=np.isfinite(x))


def _span(x: Array) -> Array:
    known = np.isfinite(x)
    high = np.max(x, axis=-1, initial=-np.inf, where=known)
    low = np.min(x, axis=-1, initial=np.inf, where=known)
    return np.where(known.any(axis=-1), high - low, 0.0)
