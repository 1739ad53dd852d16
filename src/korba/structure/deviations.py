"""The verb `size_deviations`: what inexact sizes do to a mechanism with passive constraints.

Such a mechanism moves only because some sizes repeat others; where they deviate, it is forced. With
the rows A V of all joints over the twists of the bodies (placement.py), the openings o of the sizes
that deviate by d and the openings O of the parts that give way by y, the loops close where

    A V + o d + O y = 0                                                                 (1)

The columns of N are the self-stresses of the position, N' A = 0: W_B ways in which forces in the
joints balance without any load. They take the motion out of (1). Of all y that close the loops, an
elastic mechanism, of stiffness K, takes the one of least energy y' K y / 2:

    N' O y = -N' o d,     K y = O' N s,     so   (N' O K^-1 O' N) s = -N' o d           (2)

W N s are the wrenches in the joints, and O' N s, o' N s the forces in all sizes, tension positive.
That is the first order in the deviations. Exactly, (1) is solved by Newton's method with (2) at
every step; then the input needs an effort too, the slope of the energy. Source: Gronowicz (2003),
section 1.2.4, where one rod of the drive of the IRb robot gives way (Fig. 1.25).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..display import Displayed, columns
from ..door import public
from ..errors import StructureError, refuse_unknown
from ..expr.quantities import quantity
from ..model.mechanism import Mechanism
from ..model.validate import single_coordinates
from ..positions.rank import least_solution, rank_of, self_stresses
from ..spatial.pose import in_axes
from ..spatial.rotation import Array
from .elastic import Parts, Stiffness, drawn_with, length_of, read_parts, stiffnesses
from .finite import (
    driven_to,
    general_place,
    held_matrix,
    misfits,
    stepped_along,
    steps_to,
)
from .placement import Placement
from .sizes import Size, openings, rate_openings, resized

MOST_ROWS, MOST_PARTS = 12, 3
"""Positions and elastic parts that are printed; all of them are in the data."""


@dataclass(frozen=True, eq=False)
class DeviationEffect(Displayed):
    """Misfits and forces at every value of the input; `print` shows them as a table.

    `force` and `dl` are those of the link: its force, tension positive, and how much longer it is
    than unloaded.
    """

    mechanism: str
    coordinate: str
    values: Array
    passive: int
    """W_B: conditions of motion, which the deviations break."""
    growths: dict[Size, Array]
    """Of the sizes that give way, by position: m or rad."""
    gaps: dict[str, Array]
    """Of the joints that give way, by position: turn and shift of the half on the child, in the
    joint's axes."""
    tensions: dict[Size, Array]
    """Force (moment) in every size that is named, by position; tension is positive."""
    wrenches: dict[str, Array]
    """Moment and force on the child of every joint at its origin, in world axes, by position."""
    energy: Array
    """Elastic energy, by position."""
    effort: Array
    """What the input must be held with, by position: the slope of the energy. It is of second
    order in the deviations, so 0 unless `exact`."""
    link: Size | None = None
    length: float | None = None

    @property
    def dl(self) -> Array:
        """Distance of the joints of the link less its own length."""
        return self.growths[self._link]

    @property
    def force(self) -> Array:
        """Axial force in the link."""
        return self.tensions[self._link]

    @property
    def _link(self) -> Size:
        if self.link is None:
            raise StructureError("no `link` was given; ask `growths`, `tensions` or `wrenches`")
        return self.link

    def __str__(self) -> str:
        """Growths and forces of what gives way, a row for each value of the input."""
        parts = [*self.growths, *self.gaps][:MOST_PARTS]
        heads = [(f"growth of {_told(p)}", "force") for p in parts if p in self.growths]
        heads += [(f"force in {p}", "moment") for p in parts if p in self.gaps]
        rows = [(self.coordinate, *(head for pair in heads for head in pair), "energy")]
        for i, value in enumerate(self.values[:MOST_ROWS]):
            cells = [self._cells(part, i) for part in parts]
            numbers = (value, *(x for pair in cells for x in pair), self.energy[i])
            rows.append(tuple(f"{x:.5g}" for x in numbers))
        name = self.mechanism or "the mechanism"
        lines = [f"Size deviations of {name!r}: W_B = {self.passive}, SI units", "", *columns(rows)]
        if (more := len(self.values) - MOST_ROWS) > 0:
            lines.append(f"  ... and {more} more values")
        if (more := len(self.growths) + len(self.gaps) - len(parts)) > 0:
            lines.append(f"  ({more} more parts give way: see `growths`, `gaps`, `wrenches`)")
        return "\n".join(lines)

    def _cells(self, part: Size | str, i: int) -> tuple[float, float]:
        if not isinstance(part, str):
            return float(self.growths[part][i]), float(self.tensions[part][i])
        moment, force = np.split(self.wrenches[part][i], 2)
        return float(np.linalg.norm(force)), float(np.linalg.norm(moment))


def _told(size: Size | str) -> str:
    return " ".join(size) if not isinstance(size, str) else size


@dataclass(frozen=True, eq=False)
class State:
    """One position: growths of the springs, and the self-stress that holds them."""

    place: Placement
    growths: Array
    stress: Array
    """N s, over the rows of joints and couplings."""
    effort: float = 0.0


@public
def size_deviations(
    m: Mechanism,
    coordinate: str,
    values: Sequence[float | str],
    deviations: Mapping[Size, float | str],
    link: Size | None = None,
    *,
    area: float | None = None,
    young: float = 2.1e11,
    stiffness: Mapping[str | Size, Stiffness] | None = None,
    exact: bool = False,
) -> DeviationEffect:
    """Misfits and forces that inexact sizes cause, over the motion of an input.

    `deviations` maps sizes to how much larger they are than drawn: distances of joints such as
    `("rod", "B", "C")`, twists `("rod", "B", "C", "twist")`, and places and directions of axes on
    a body, `("rod", "C", "offset")`, `"dx"`, `"dy"`, `"dz"`, `"rx"`, `"ry"`, `"rz"`.

    What gives way is a `link`, a distance of joints of cross-section `area` and modulus `young`, or
    whatever has a `stiffness`: sizes, `{("rod", "B", "C"): "2e7 N/m"}`, and joints by name, against
    shifts or against shifts and turns, `{"A": (1e8, 1e4)}` in N/m and N m/rad. All else is rigid.

    Misfits are of first order in the deviations, or `exact`, which matters near dead positions. A
    planar mechanism counts in space where a size leaves its plane.

        >>> kb.size_deviations(m, "A", [0.5], {("ground", "D", "dz"): "10 um"},
        ...     stiffness={"D": (1e8, 1e4)}).wrenches["D"][0, 5].round(3)
        np.float64(1000.0)
    """
    known = single_coordinates(m)
    refuse_unknown("coordinate", coordinate, known, end=" to move")
    elastic = dict(stiffness or {})
    named = [size for size in (*deviations, *elastic, link) if isinstance(size, tuple)]
    drawn = drawn_with(m, named)
    parts = read_parts(drawn, deviations, stiffnesses(drawn, link, area, young, elastic))
    joint = known[coordinate]
    kind = joint.coordinate_kinds[joint.coordinates().index(coordinate)]
    inputs = [quantity(f"{coordinate} = {value!r}", value, kind) for value in values]
    _refuse_still(drawn, coordinate)
    passive = _passive(drawn)
    states = (_exact if exact else _first_order)(drawn, coordinate, inputs, parts, passive)
    y = np.array([state.growths for state in states]).reshape(-1, len(parts.springs))
    sizes = {size: y[:, i] for i, size in enumerate(parts.owners) if not isinstance(size, str)}
    return DeviationEffect(
        m.name,
        coordinate,
        np.array(inputs, dtype=float),
        passive,
        sizes,
        _gaps(parts, y),
        _tensions(parts, states),
        _wrenches(drawn, states),
        0.5 * np.sum(y**2 / parts.compliance, axis=1),
        np.array([state.effort for state in states]),
        link,
        length_of(drawn, link) if link else None,
    )


def _refuse_still(place: Placement, coordinate: str) -> None:
    if rank_of(held_matrix(place, [coordinate])).rank == place.rank.rank:
        raise StructureError(
            f"coordinate {coordinate!r} does not move in the drawing position; name one that does, "
            "or draw the mechanism in another position"
        )


def _passive(place: Placement) -> int:
    """W_B: the count of self-stresses where the position is not special."""
    near = general_place(place, place.rank)
    passive = min(self_stresses(p.matrix()).shape[1] for p in (place, near))
    if passive == 0:
        raise StructureError(
            "size deviations need a passive constraint, found 0: without one the mechanism closes "
            "with any sizes, and no deviation forces anything"
        )
    return passive


def _first_order(
    place: Placement, coordinate: str, values: Sequence[float], parts: Parts, passive: int
) -> list[State]:
    """(2) at positions of the mechanism as it is drawn."""
    states = []
    for value in values:
        place = driven_to(place, coordinate, value)
        N = self_stresses(place.matrix())
        _refuse_other(N.shape[1], passive, coordinate, place)
        opened = openings(place, [parts.sizes[size] for size in parts.deviations])
        misfit = -N.T @ opened @ np.array(list(parts.deviations.values()))
        states.append(
            State(place, *_least_energy(N, openings(place, parts.springs), parts, misfit))
        )
    return states


def _exact(
    place: Placement, coordinate: str, values: Sequence[float], parts: Parts, passive: int
) -> list[State]:
    """Positions of the mechanism with all deviations, closed by what gives way."""
    shifts = [parts.sizes[size] for size in parts.deviations]
    deviating = resized(place, shifts, parts.deviations.values())
    state = State(deviating, np.zeros(len(parts.springs)), np.zeros(0))
    states = []
    for value in values:
        for target in steps_to(state.place, coordinate, value):
            state = _fitted(state, deviating, {coordinate: target}, parts, passive)
        states.append(state)
    return states


def _fitted(
    state: State, deviating: Placement, held: dict[str, float], parts: Parts, passive: int
) -> State:
    """The closed position at a value of the input, by Newton's method with (2) at every step."""
    place, x, springs = state.place, state.growths, parts.springs
    ((coordinate, value),) = held.items()
    stiff = 1 / np.sqrt(parts.compliance)
    rounding = 1e-13 * place.scale * float(stiff.max())
    for _ in range(40):
        wanted, gap = misfits(place, held)
        A = held_matrix(place, held)
        N = self_stresses(A)
        _refuse_other(N.shape[1], passive, coordinate, place)
        on_rate = rate_openings(place, springs, x, coordinate)
        opened = np.vstack([openings(place, springs, x), on_rate])
        y, stress = _least_energy(N, opened, parts, N.T @ (wanted + opened @ x))
        change = float(np.linalg.norm(stiff * (y - x)))
        close = gap < 1e-12 and change < 1e-10 * float(np.linalg.norm(stiff * y)) + rounding
        twists = least_solution(A, wanted - opened @ (y - x))
        if not np.all(np.isfinite(twists)) or np.abs(twists).max(initial=0.0) > 1.0:
            break
        place = place if close else stepped_along(place, twists, close=True)
        place, x = replace(place, ties=resized(deviating, springs, y).ties), y
        if close:
            return State(place, y, stress[:-1], float(stress[-1]))
    raise StructureError(
        f"with these deviations the mechanism does not close at {coordinate} = {value:g}"
    )


def _least_energy(N: Array, opened: Array, parts: Parts, misfit: Array) -> tuple[Array, Array]:
    """Growths y with N' O y = misfit of least energy, and the stress N s that holds them (2)."""
    share, soft = opened.T @ N, np.sqrt(parts.compliance)
    _, sizes, Vt = np.linalg.svd(soft[:, None] * share, full_matrices=False)
    taken = sizes > 1e-9 * float((soft * np.linalg.norm(opened, axis=0)).max())
    V = Vt[taken].T
    left = float(np.linalg.norm(misfit - V @ (V.T @ misfit)))
    if left > 1e-9 * float(np.linalg.norm(misfit)) + 1e-13:
        owners = ", ".join(dict.fromkeys(map(str, parts.owners)))
        raise StructureError(
            f"what gives way ({owners}) takes part in {np.count_nonzero(taken)} of the "
            f"{N.shape[1]} passive constraints, and the deviations open more of them; give a "
            "stiffness to other joints too, against shifts and against turns"
        )
    s = V @ ((V.T @ misfit) / sizes[taken] ** 2)
    return parts.compliance * (share @ s), N @ s


def _refuse_other(count: int, passive: int, coordinate: str, place: Placement) -> None:
    if count > passive:
        raise StructureError(
            f"at {coordinate} = {place.values[coordinate]:g} the position is singular: {count} "
            f"constraints are passive there and {passive} elsewhere; ask for values beside it"
        )
    if count < passive:
        raise StructureError(
            f"the mechanism can take up deviations by moving while {coordinate} is held, so there "
            "is no one exact position; ask for the first order, or drive fewer freedoms"
        )


def _gaps(parts: Parts, y: Array) -> dict[str, Array]:
    """Growths of the springs of joints; those against shifts come last."""
    gaps: dict[str, Array] = {}
    for name in dict.fromkeys(owner for owner in parts.owners if isinstance(owner, str)):
        own = [i for i, owner in enumerate(parts.owners) if owner == name]
        gaps[name] = np.zeros((len(y), 6))
        gaps[name][:, 6 - len(own) :] = y[:, own]
    return gaps


def _tensions(parts: Parts, states: Sequence[State]) -> dict[Size, Array]:
    """o' N s of every size; K y where it gives way."""
    named = list(parts.sizes.values())
    forces = [openings(state.place, named).T @ state.stress for state in states]
    tensions = dict(zip(parts.sizes, np.array(forces).reshape(-1, len(named)).T, strict=True))
    for i, owner in enumerate(parts.owners):
        if not isinstance(owner, str):
            tensions[owner] = np.array([s.growths[i] for s in states]) / parts.compliance[i]
    return tensions


def _wrenches(drawn: Placement, states: Sequence[State]) -> dict[str, Array]:
    """W N s on the child of every joint, at the origin of M, in world axes."""
    wrenches = {name: np.zeros((len(states), 6)) for name in drawn.graph.joints}
    for i, state in enumerate(states):
        place, start = state.place, 0
        for name, W, X_WM in zip(wrenches, place.blocked, place.X_WM, strict=True):
            stop = start + W.shape[1]
            wrench = np.zeros(6)
            wrench[list(place.space)] = W @ state.stress[start:stop]
            wrench[3:] /= place.scale
            wrenches[name][i] = in_axes(X_WM.R, wrench) if place.size == 6 else wrench
            start = stop
    return wrenches
