"""What the verbs of dynamics ask of motions of mechanisms with loops, and refuse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..codegen.repetition import Repetition
from ..dynamics.multipliers import Constraints, governing, shortest_metric
from ..errors import NotFiniteError, SingularError, StructureError
from ..model.drawing import drawing
from ..model.mechanism import Mechanism
from ..positions.allowed import allowed
from ..positions.loops import loops_of
from ..positions.rank import TOLERANCE, governing_rows
from ..spatial.rotation import Array
from ..structure.mobility import mobility
from ..structure.undriven import proposed, undriven
from ..system.store import kept
from ..system.system import System, any_system
from ..wording import named
from .options import Options
from .systems import MANY
from .verb import Given, verb

OPEN = 1e-6
"""Residual of loops, beside what moves, above which they are not closed."""
NEARLY = 0.1
"""Part of the most that a coordinate moves, squared, with which one is taken that is easily driven.
"""


def refuse_undriven(system: System) -> None:
    """An error for loops with freedoms that no drive moves, so that no effort can be told."""
    if not system.ties:
        return
    report = mobility(system.in_numbers)
    if report.undriven:
        reasons = [reason.text for reason in report.reasons if "drive" in reason.text]
        raise StructureError(
            f"mechanism {system.m.name!r} has {report.undriven} freedom"
            f"{'s' * (report.undriven > 1)} that no drive moves, so the forces of a motion are not "
            f"determined; {undriven(system.m)} ({named('JointDrive')}). "
            f"{' '.join(reasons)}".rstrip()
        )


@verb(closed=True)
def misfits(system: System, q: Any, v: Any, a: Any) -> tuple[Array, ...]:
    """Residuals of the loops in positions, velocities and accelerations, (..., rows) each."""
    loops = Constraints(system, q, driven=False)
    residual = np.array(loops.stacked("residual"))
    speed = _product(loops, v)
    return residual, speed, _product(loops, a) + np.array(loops.turning(v))


def repeats_over_joints(system: System) -> bool:
    """Whether a mechanism with loops has many bodies, and can be repeated; found once."""
    if len(system.tree.links) < MANY or system.parameters:
        return False
    from .repetition.pairs import takes

    return kept(system.m, "repeated over joints", lambda: takes(system))


def _repeated(system: System, _: Options, sizes: Mapping[str, int]) -> Repetition | None:
    """Of many bodies the residuals are repeated over the joints."""
    if not repeats_over_joints(system):
        return None
    from .repetition.residuals import repeated_residuals

    return repeated_residuals(system, sizes)


@verb(closed=True, repetition=_repeated)
def residuals(system: System, q: Any, v: Any) -> tuple[Array, ...]:
    """Residuals of the loops in positions and velocities, (..., rows) each."""
    loops = Constraints(system, q, driven=False)
    return np.array(loops.stacked("residual")), _product(loops, v)


def _product(loops: Constraints, v: Any) -> Array:
    return np.array([sum(x * v[j] for j, x in line.items()) for line in loops.lines])


def refuse_broken(name: str, m: Mechanism, given: Given) -> None:
    """An error where q, v, or a where there is one, are none that the loops allow."""
    tree, scale = any_system(m).tree, kept(m, "typical length", lambda: drawing(m).scale)
    q, v = (np.asarray(x, dtype=float) for x in given.arrays[:2])
    moves = name in ("inverse_dynamics", "regressor")
    a = np.asarray(given.arrays[2], dtype=float) if moves else 0.0 * v
    design = dict(given.design) or None
    open_by = (
        misfits(m, q, v, a, parameters=design) if moves else residuals(m, q, v, parameters=design)
    )
    rows = [1.0, scale, scale] if m.plane else [1.0] * 3 + [scale] * 3
    units = np.array([scale if kind == "length" else 1.0 for kind in tree.velocity_kinds])
    sizes = np.tile(rows, len(tree.closing))
    fast, faster = (np.abs(x / units).max(axis=-1, initial=0.0) for x in (v, a))
    beside = [1.0, fast, fast * fast + faster]
    words = ["positions", "velocities", "accelerations"]
    for word, residual, size in zip(words, open_by, beside, strict=False):
        open_ = np.abs(residual / sizes).max(axis=-1, initial=0.0)
        if np.any(open_ > OPEN * np.maximum(size, np.finfo(float).tiny)):
            _refuse(name, m, word, np.abs(residual / sizes))


def _place(lost: Array) -> list[int]:
    """Where in a batch the first state is that is lost."""
    return [int(k) for k in np.argwhere(lost)[0]]


def _refuse(name: str, m: Mechanism, word: str, residual: Array) -> None:
    """The sentence, with the joint whose loop is most open, and in which state."""
    height = 3 if m.plane else 6
    at = f" of state {_place(residual == residual.max())[:-1]}" if residual.ndim > 1 else ""
    row = int(np.argmax(residual.reshape(-1, residual.shape[-1]).max(axis=0)))
    joint = any_system(m).tree.closing[row // height].name
    ways = {
        "positions": f"take q from {named('assemble')}, {named('motion')} or {named('simulate')}",
        "velocities": f"velocities of all joints belong together: take them from {named('motion')} "
        f"or {named('simulate')}",
        "accelerations": f"take a from {named('motion')}, {named('forward_dynamics')} or "
        f"{named('simulate')}",
    }
    raise StructureError(
        f"{name}: the {word}{at} break the loop that joint {joint!r} closes, by "
        f"{residual.max():.2g} in typical lengths and radians; {ways[word]}"
    )


def refuse_undetermined(m: Mechanism, a: Array) -> None:
    """An error where accelerations are not finite: loops or drives have lost rank there."""
    lost = np.asarray(~np.isfinite(a).all(axis=-1))
    if not lost.any():
        return
    many = (
        f" in {int(lost.sum())} of {lost.size} states, the first {_place(lost)},"
        if lost.ndim
        else ""
    )
    raise SingularError(
        f"forward_dynamics: mechanism {m.name!r} is{many} at a singular position, where its loops "
        "or drives leave more freedoms than elsewhere, so that accelerations are not determined; "
        f"take a position beside it{many and ', or the `results` of this error'}",
        np.where(lost[..., None], np.nan, a),
    )


@verb(closed=True, checks={"coordinates": lambda _, given, __: tuple(given)})
def pivots_of(system: System, q: Any, *, coordinates: Sequence[str] = ()) -> Array:
    """Pivots of the equations that give all velocities from those of some coordinates."""
    return governing(system, q, coordinates)


def refuse_ungoverned(name: str, m: Mechanism, given: Given) -> None:
    """An error where the coordinates that stand for all others are at a dead centre."""
    names = given.options.get("coordinates")
    if not names or not any_system(m).ties:
        return
    q = np.asarray(given.arrays[0], dtype=float)
    try:
        pivots = np.abs(pivots_of(m, q, coordinates=names, parameters=dict(given.design) or None))
    except NotFiniteError as lost:
        pivots = np.abs(np.nan_to_num(np.asarray(lost.results), posinf=0.0, neginf=0.0))
    share = pivots.min(axis=-1, initial=1.0) / pivots.max(axis=-1, initial=1.0)
    if np.all(share > TOLERANCE):
        return
    worst = np.broadcast_to(q, (*share.shape, q.shape[-1])).reshape(-1, q.shape[-1])
    there = governing_coordinates(m, worst[int(np.argmin(share))])
    others = f"; take coordinates={there}, or" if there else ";"
    raise StructureError(
        f"{name}: mechanism {m.name!r} is at a dead centre of the coordinates {names}, from which "
        f"the others do not follow there{others} leave `coordinates` out: "
        'formulation="minimal" changes them as it goes'
    )


def governing_coordinates(m: Mechanism, q: Array) -> tuple[str, ...]:
    """As many coordinates as there are freedoms, those that one would drive: pins and slides, and
    of these the ground's, that move nearly as much as any with loops closed.

    None where freedoms have no coordinates that are their own velocities, as a ball's.
    """
    system = any_system(m)
    tree, loops = system.tree, loops_of(system, driven=False)
    count = mobility(m).velocities
    N = allowed(loops, q, rank=tree.nv - count).N / loops.units[:, None]
    own = {place: name for name, place in tree.rates.items()}
    names = {k: own[place] for k, place in enumerate(tree.free_v) if place in own}
    order = {name: proposed(joint) for joint in tree.m.joints for name in joint.coordinates()}

    def best(worth: Array) -> int:
        shares = {k: (worth[k] / max(worth[list(names)].max(), TOLERANCE)) ** 2 for k in names}
        able = [k for k in names if shares[k] >= NEARLY * max(shares.values())]
        return min(able, key=lambda k: (order[names[k]], -round(shares[k], 6)))

    chosen = governing_rows(N, best) if names else []
    return tuple(names[k] for k in sorted(chosen)) if len(chosen) == count else ()


@verb(closed=True)
def allowed_velocities(system: System, q: Any, v: Any) -> Array:
    """The velocities nearest to given ones with which the loops stay closed."""
    loops, metric = Constraints(system, q, driven=False), shortest_metric(system)
    return loops.nearest(metric, [0.0] * len(loops.lines), metric @ np.asarray(v))[0]
