"""What the drives have to do: forces and moments of all drives for a given motion.

Any of the methods of methods.py finds them. They need no forces of joints, unless the method
goes through them: virtual work and the multipliers of the opened tree are the shorter ways, and
without a name the one of them that takes less work is taken.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...codegen.routine import Routine
from ...display import Displayed, columns, tidy
from ...dynamics.kinetostatics import GivenMotion, equations
from ...dynamics.load_distribution import drive_places, motion_names, shared, split
from ...errors import StructureError
from ...kinematics.couplings import all_motion
from ...model.mechanism import Mechanism
from ...spatial.rotation import Array
from ...system.system import System
from ...wording import named
from ..systems import EXTERNAL, loads_with, under
from ..verb import Given, Options, verb
from .by_joint import beyond_limits, beyond_own_limits, by_joint, left_out
from .distribution import limits_key, weights_key
from .joint_frames import Seen
from .limits import LINEAR, limited
from .methods import DRIVING, driving, grouped, method_of, overdriven, unknowns
from .named import Named
from .reactions import packed, reactions, solved_forces
from .undriven import idle_notes, undriven_of

OF_REACTIONS: Options = {
    "at": "child",
    "axes": "world",
    "distribution": "least",
    "stiffness": None,
    "method": "newton-euler",
}
"""What `reactions` is asked besides, where friction takes the forces in all joints."""
WHOLE = (4, 5)
"""How many arrays there are where all forces were found on the way."""


@dataclass(frozen=True, eq=False)
class DrivingForces(Displayed):
    """Forces and moments of the drives; `forces["motor"]` has those of one drive, (...)."""

    drives: tuple[str, ...]
    """Names of the drives; one that prescribes several motions stands there with each."""
    efforts: Array
    """(..., drives)."""
    notes: tuple[str, ...] = ()
    """What they leave out."""

    def __getitem__(self, drive: str) -> Array:
        """The force or moment of a drive by its name."""
        if drive not in self.drives:
            known = ", ".join(self.drives)
            raise StructureError(f"there is no drive {drive!r} here; there are {known}")
        return np.asarray(self.efforts[..., self.drives.index(drive)])

    @property
    def by_name(self) -> dict[str, Array]:
        """All of them by the names of the drives."""
        return Named("drive", {name: self[name] for name in self.drives})

    def __str__(self) -> str:
        """What every drive ranges over."""
        rows = [("drive", "least", "largest")]
        top = np.nanmax(np.abs(self.efforts), initial=0.0)
        for name, effort in self.by_name.items():
            ends = np.min(effort, initial=np.inf), np.max(effort, initial=-np.inf)
            low, high = tidy(ends, top)
            rows.append((name, f"{low:.6g}", f"{high:.6g}"))
        notes = [f"  note: {note}" for note in self.notes]
        return "\n".join(["Forces and moments of the drives", *columns(rows), *notes])


def _by_drive(m: Mechanism, result: Any, given: Given) -> DrivingForces:
    if given.options.get("friction") or (isinstance(result, tuple) and len(result) in WHOLE):
        whole = by_joint(m, result, given, "driving_forces")
        return DrivingForces(whole.drives, whole.efforts, whole.notes)
    if isinstance(result, np.ndarray):
        names = motion_names(m)
        notes = (*left_out(m), *idle_notes(undriven_of(m, tuple(given.design))))
        notes += beyond_own_limits(names, result, given)
        return DrivingForces(names, result, notes)
    efforts, split_efforts, solved = result
    lost = solved < 1.0
    efforts = np.where(lost[..., None], np.nan, efforts)
    notes = (*left_out(m), *beyond_limits(m, split_efforts, lost, given))
    return DrivingForces(motion_names(m), efforts, notes)


def _refuse(system: System) -> None:
    """An error for a mechanism without drives."""
    if not system.drives:
        raise StructureError(
            f"mechanism {system.m.name!r} has drives for 0 of its {system.tree.nv} freedoms; "
            f"driving forces need one for each, such as {named('JointDrive')}. "
            f"{named('reactions')} gives the forces in its joints, {named('inverse_dynamics')} "
            "what all joints have to do without drives"
        )


def _ways(system: System, options: Options) -> Sequence[Options]:
    """Without a name: the shorter of the two methods that need no forces of joints."""
    if options["method"] is not None:
        return grouped(system, options)
    whole = overdriven(system.m) or undriven_of(system.in_numbers).names
    names = ("newton-euler",) if whole else ("multipliers", "virtual-work")
    return [{**options, "method": name} for name in names]


def _by_steps(system: System, options: Options, sizes: Mapping[str, int]) -> Routine | None:
    """With friction the routine of the reactions; with limits the one that splits efforts."""
    if options["friction"]:
        return reactions.repetition(system, {**options, **OF_REACTIONS}, sizes)  # type: ignore[return-value]
    return limited(driving_forces, system, options, sizes)


@verb(
    closed=True,
    named=EXTERNAL,
    checks={
        "friction": lambda _, given, __: bool(given),
        "method": method_of("driving_forces", DRIVING, open_=True),
        "weights": weights_key,
        "limits": limits_key,
    },
    pack=lambda found: found.efforts if isinstance(found, DrivingForces) else found,
    unpack=_by_drive,
    refuse=_refuse,
    finished=True,
    ways=_ways,
    repetition=_by_steps,
)
def driving_forces(
    system: System,
    q: Any,
    v: Any,
    a: Any,
    *,
    t: Any = 0.0,
    gravity: Any = None,
    external: Mapping[str, Any] | None = None,
    friction: bool = False,
    method: str | None = None,
    weights: Mapping[str, Any] | None = None,
    limits: Mapping[str, Any] | None = None,
) -> DrivingForces:
    """Forces and moments of the drives that a given motion takes, by their names.

    The motion is q, v, a of all joints, or a trajectory. There must be drives for all freedoms, of
    any kind, in a mechanism of any kind, or the motion must be one that its loads give. `external`
    gives wrenches that act on bodies besides the mechanism's own loads, as in `reactions`. `method`
    names the way; all ways that apply give the same numbers: "multipliers", "newton-euler" (the
    matrix of the whole system), "groups" and "lever" (Zhukovsky's, both in the plane),
    "virtual-work".

    With friction=True friction of all joints acts against their motion, as in `reactions`: it
    depends on the forces in the joints, so that "newton-euler" is the only method.

    With more drives than freedoms the squares of their efforts are least, moments counted in
    typical lengths, times `weights` by drive and within `limits` by drive: the largest effort, or
    the least and the greatest; without them the driven joints' own max_effort.

    >>> kb.driving_forces(m, motion)["drive A"][:3].round(6)
    array([0.03743 , 0.040619, 0.041401])
    >>> kb.driving_forces(m, motion, method="lever")["drive A"][:3].round(6)
    array([0.03743 , 0.040619, 0.041401])
    """
    if friction:
        raise StructureError("driving_forces: with friction they are found by steps, not a formula")
    s, x = under(system, gravity, t), all_motion(system.tree, q, v, a)
    given = GivenMotion(s, x, loads_with(s, x.q, x.v, external or {}), t)
    whole = shared(s, equations(*given), None, dict(weights or ()))
    asked: Any = limits
    if asked is LINEAR:
        own, places = split(whole), drive_places(whole)
        least, more = own.x[list(places)], own.X[list(places)]
        return least, more, least / np.array(own.units), np.ravel(own.R)  # type: ignore[return-value]
    how = method or "multipliers"
    if whole.freedoms.undriven:
        return packed(solved_forces(whole, unknowns(given, whole, how), Seen()))  # type: ignore[return-value]
    efforts = driving(given, whole, how)
    return DrivingForces(motion_names(s.m), efforts)
