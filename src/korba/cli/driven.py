"""Options of commands that move a mechanism by its drives over a cycle, and that motion."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..errors import DeadPointError, StructureError, refuse_unknown
from ..expr import variable
from ..expr.quantities import quantity
from ..model.drives.joint_drive import JointDrive
from ..model.mechanism import Mechanism
from ..solve.cycle import period
from ..solve.motion import motion
from ..spatial.rotation import Array
from ..trajectory.trajectory import DOUBTFUL, FINISHED, Trajectory
from .answers import ended


@dataclass(frozen=True, kw_only=True)
class Cycle:
    """A motion by drives: how long, how finely, by which of them."""

    cycle: int = 360
    until: float | None = None
    drive: str | None = None
    speed: str | None = None

    def moved(self, m: Mechanism) -> tuple[Trajectory, str]:
        """The motion as far as it goes, and why it stopped."""
        m = driven(m, self.drive, self.speed)
        end = cycle_time(m) if self.until is None else self.until
        return moved(m, np.linspace(0.0, end, self.cycle + 1))


def driven(m: Mechanism, coordinate: str | None, speed: str | None) -> Mechanism:
    """The mechanism with one drive at a steady speed; its own drives without either option."""
    if coordinate is None and speed is None:
        return m
    rest = () if coordinate is not None else m.drives[1:]
    lead = coordinate or next((drive.coordinate for drive in m.drives[:1]), None)
    for joint in m.joints:
        if lead in joint.coordinates():
            place = joint.coordinates().index(lead)
            rate = speed_of(speed, joint.coordinate_kinds[place]) if speed is not None else 1.0
            law = rate * variable("t") + float(joint.drawn_coordinates[place])
            return replace(m, drives=(JointDrive(f"drive of {lead}", lead, law), *rest))
    if coordinate is not None:
        refuse_unknown("coordinate", coordinate, m.coordinates, end=" to drive")
    raise StructureError(
        f"--speed: mechanism {m.name!r} has no drive of a coordinate first; name one with "
        f"--drive, there are {', '.join(m.coordinates)}"
    )


def speed_of(given: str, kind: str = "angle") -> float:
    """A speed in rad/s or m/s, from a number or a quantity such as '200 rpm'."""
    try:
        plain: float | str = float(given)
    except ValueError:
        plain = given
    kinds = {"angle": "angular velocity", "length": "velocity"}
    return quantity("--speed", plain, kinds[kind])


def cycle_time(m: Mechanism, end: str = "give the end of the motion with --until") -> float:
    """Time of one turn or swing of the drives, or what to say at a terminal instead."""
    if not m.drives:
        raise StructureError(
            f"mechanism {m.name!r} has no drive; name a coordinate with --drive, such as "
            f"--drive {m.coordinates[0] if m.coordinates else 'A'}"
        )
    return period(m, end)


def moved(m: Mechanism, times: Array) -> tuple[Trajectory, str]:
    """The motion as far as it goes, and why it stopped."""
    try:
        done = motion(m, times)
    except DeadPointError as error:
        return error.motion, str(error)
    if done.status not in (FINISHED, DOUBTFUL):
        return done, f"interrupted at t = {done.t[-1]:g} s"
    return done, "; ".join(done.audit.doubts)


def stop(done: Trajectory, stopped: str) -> None:
    """The exit status of a motion: 0 unless it stopped before its end."""
    if stopped:
        ended(str(done.status) if done.status != FINISHED else stopped)
