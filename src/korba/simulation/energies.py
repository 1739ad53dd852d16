"""Energies and work of a simulation as columns of its trajectory, and their balance.

    balance = T + V - W  less its value at the start: zero where the motion is exact             (1)

W is the work of everything but gravity since the start: given forces, loads, damping.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from ..spatial.rotation import Array
from ..trajectory.audit import Audit
from ..trajectory.columns import Column
from ..verbs.dynamics import Energy


def energy_columns(
    of: Callable[[Array, Array], Energy],
    motion: tuple[Array, Array],
    start: tuple[Array, Array],
    work: Array,
) -> dict[str, Column]:
    """Kinetic energy, potential energy of gravity, work, and (1), by `of`, the energy of (q, v).

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


def _where_known(of: Callable[[Array, Array], Energy], q: Array, v: Array) -> Energy:
    """Energies of states that were reached; nan for the others."""
    known = np.isfinite(q).all(axis=-1) & np.isfinite(v).all(axis=-1)
    if known.all():
        return of(q, v)
    energies = np.full((2, *known.shape), np.nan)
    energies[:, known] = of(q[known], v[known])
    return Energy(*energies)


def audit_of(columns: dict[str, Column]) -> Audit:
    """Largest |balance| of each run, relative to the energies that came and went."""

    def largest() -> Any:
        kinetic, potential, work, balance = (
            columns[name].values for name in ("kinetic", "potential", "work", "balance")
        )
        size = _span(potential) + _largest(kinetic) + _largest(work)
        return np.divide(_largest(balance), size, out=np.zeros(size.shape), where=size > 0)[()]

    return Audit(energy=largest)


def _largest(x: Array) -> Array:
    return np.max(np.abs(x), axis=-1, initial=0.0, where=np.isfinite(x))


def _span(x: Array) -> Array:
    known = np.isfinite(x)
    high = np.max(x, axis=-1, initial=-np.inf, where=known)
    low = np.min(x, axis=-1, initial=np.inf, where=known)
    return np.where(known.any(axis=-1), high - low, 0.0)
