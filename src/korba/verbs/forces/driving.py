"""What the drives have to do: forces and moments of all drives for a given motion.

Any of the methods of dynamics/catalogue.py finds them. They need no forces of joints, unless the
method goes through them: virtual work and the multipliers of the opened tree are the shorter ways,
and without a name the one of them that takes less work is taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...codegen.routine import Routine
from ...display import Tabled, columns, tidy
from ...dynamics.catalogue import FORCE_METHODS, JOINT_FORCES
from ...dynamics.load_distribution import motion_names, units_of_efforts
from ...errors import StructureError
from ...expr.display_units import IN_SI, DisplayUnits
from ...model.display_units import display_units
from ...model.mechanism import Mechanism
from ...spatial.rotation import Array
from ...system.system import System
from ...wording import named
from ..options import Options
from ..systems import EXTERNAL
from ..verb import Given, verb
from .beside_dead_centres import beside_dead_centres
from .distribution import Distribution, beyond_limits, shares_of_drives
from .limits import least_efforts, limited
from .methods import method_of, overdriven
from .question import equations_of, given_motion
from .reactions import reactions, solved_forces
from .results import Named
from .told import by_joint, left_out
from .undriven import idle_notes, undriven_of

OF_REACTIONS: Options = {
    "at": "child",
    "method": "newton-euler",
}
"""What `reactions` is asked besides, where friction takes the forces in all joints."""


@dataclass(frozen=True, eq=False)
class DrivingForces(Tabled):
    """Forces and moments of the drives; `forces["motor"]` has those of one drive, (...)."""

    rows_of = (("by_name", 0),)

    drives: tuple[str, ...]
    """Names of the drives; one that prescribes several motions stands there with each."""
    efforts: Array
    """(..., drives)."""
    notes: tuple[str, ...] = ()
    """What they leave out."""
    shown: DisplayUnits = field(default=IN_SI, repr=False)
    """In which units people read them."""
    units: Mapping[str, str] = field(default_factory=dict, repr=False)
    """In SI, by the name of the drive: N m or N."""

    @property
    def arrays(self) -> dict[str, Array]:
        """What a program computes of them, by name."""
        return {"efforts": self.efforts}

    def __getitem__(self, drive: str) -> Array:
        """The force or moment of a drive by its name."""
        return self.by_name[drive]

    @property
    def by_name(self) -> dict[str, Array]:
        """All of them by the names of the drives."""
        return Named("drive", zip(self.drives, np.moveaxis(self.efforts, -1, 0), strict=True))

    def __str__(self) -> str:
        """What every drive ranges over."""
        rows = [("drive", "least", "largest")]
        top = np.nanmax(np.abs(self.efforts), initial=0.0)
        for name, effort in self.by_name.items():
            ends = np.min(effort, initial=np.inf), np.max(effort, initial=-np.inf)
            low, high = tidy(ends, top)
            si = self.units.get(name, "")
            rows.append((name, self.shown.told(low, si), self.shown.told(high, si)))
        notes = [f"  note: {note}" for note in self.notes]
        return "\n".join(["Forces and moments of the drives", *columns(rows), *notes])


def _by_drive(m: Mechanism, result: Any, given: Given) -> DrivingForces:
    parts = given.by_name(result)
    if "force" in parts or "smooth" in parts:
        whole = by_joint(m, result, given, "driving_forces")
        own = whole.shown, whole.effort_units
        return DrivingForces(whole.drives, whole.efforts, whole.notes, *own)
    if "split" in parts:
        parts["efforts"] = np.where(parts["solved"][..., None] < 1.0, np.nan, parts["row"])
        idle: Iterable[str] = ()
    else:
        idle = idle_notes(undriven_of(m, tuple(given.design)))
    beside = beside_dead_centres(m, given, parts["efforts"], 1)
    notes = (*left_out(m), *idle, *beyond_limits(m, parts, given), *beside)
    own = display_units(m), units_of_efforts(m)
    return DrivingForces(motion_names(m), parts["efforts"], notes, *own)


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
    """Without a name: the shorter of the methods that need no forces of joints."""
    if options["method"] is not None:
        return [options]
    if overdriven(system.m) or undriven_of(system.in_numbers).names:
        return [{**options, "method": "newton-euler"}]
    return [{**options, "method": way.name} for way in FORCE_METHODS.values() if way.everyday]


def _by_steps(system: System, options: Options, sizes: Mapping[str, int]) -> Routine | None:
    """With friction the routine of the reactions; with limits the one that splits efforts."""
    if options["friction"]:
        return reactions.repetition(system, {**options, **OF_REACTIONS}, sizes)  # type: ignore[return-value]
    return limited(driving_forces, system, options, sizes, _within_limits)


def _within_limits(system: System, q: Any, v: Any, a: Any, **asked: Any) -> dict[str, Array]:
    """What efforts are split within limits with."""
    return least_efforts(equations_of(given_motion(system, q, v, a, asked), asked), None)


@verb(
    closed=True,
    named=EXTERNAL,
    checks={
        "friction": lambda _, given, __: bool(given),
        "method": method_of("driving_forces", joints=False, open_=True),
        "distribution": shares_of_drives,
    },
    pack=lambda found: found.arrays,
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
    distribution: str | Distribution = "least",
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
    typical lengths, within the driven joints' own max_effort, or as `kb.Distribution` says by its
    weights and limits.

    >>> kb.driving_forces(m, motion)["drive A"][:3].round(6)
    array([0.03743 , 0.040619, 0.041401])
    >>> kb.driving_forces(m, motion, method="lever")["drive A"][:3].round(6)
    array([0.03743 , 0.040619, 0.041401])
    """
    if friction:
        raise StructureError("driving_forces: with friction they are found by steps, not a formula")
    given = given_motion(system, q, v, a, {"t": t, "gravity": gravity, "external": external})
    equations, how = equations_of(given, {"distribution": distribution}), method or "multipliers"
    if equations.freedoms.undriven:
        x = JOINT_FORCES[how](given, equations)
        return solved_forces(equations, x, "child")  # type: ignore[return-value]
    return DrivingForces(motion_names(system.m), FORCE_METHODS[how].drives(given, equations))
