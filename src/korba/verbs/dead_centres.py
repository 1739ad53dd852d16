"""Results that are no numbers because a drive is at a dead centre: which drive, in which state.

With N the velocities that the loops allow and J_d the row of a drive, the drive moves nothing where
J_d N = 0: what it would have to do there is not determined.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import NotFiniteError, SingularError
from ..model.mechanism import Mechanism
from ..positions.allowed import allowed
from ..positions.loops import loops_of
from ..positions.rank import TOLERANCE
from ..spatial.rotation import Array
from ..system.system import any_system


def of_dead_centre(name: str, m: Mechanism, q: Array, lost: NotFiniteError) -> NotFiniteError:
    """The error that names the drives, if the first state without an answer is at a dead centre."""
    batch = q.shape[:-1]
    whole = lost.results if isinstance(lost.results, Sequence) else [lost.results]
    missing = np.zeros(batch, dtype=bool)
    for x in (np.asarray(x) for x in whole):
        if x.shape[: len(batch)] == batch:
            missing |= ~np.isfinite(x.reshape(*batch, -1)).all(axis=-1)
    if not missing.any():
        return lost
    place = tuple(int(k) for k in np.argwhere(missing)[0])
    if not (drives := idle_drives(m, q[place])):
        return lost
    names = " and ".join(map(repr, drives))
    many = f" in {int(missing.sum())} of {missing.size} states, the first {[*place]}," * bool(batch)
    others = "; `results` of this error has the other states" * bool(batch)
    return SingularError(
        f"{name}: mechanism {m.name!r} is{many} at a dead centre of drive {names}, which moves "
        f"nothing there, so that the result is not determined; take a position beside it{others}",
        lost.results,
    )


def idle_drives(m: Mechanism, q: Any) -> list[str]:
    """Drives that move nothing in a position."""
    system = any_system(m)
    if not system.ties or not m.drives:
        return []
    driven = loops_of(system)
    free = allowed(loops_of(system, driven=False), q).N
    moved = np.linalg.norm(driven.matrix(q)[-driven.wanted :] @ free, axis=1)
    owners = driven.owners[-driven.wanted :]
    least = TOLERANCE * max(1.0, float(moved.max(initial=0.0)))
    return [owner for owner, x in zip(owners, moved, strict=True) if x <= least]
