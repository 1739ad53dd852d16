"""Freedoms that no drive moves, by the coordinates that would have to be driven."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..errors import ModelError
from ..expr.node import as_expr
from ..model.body import GROUND
from ..model.drives.joint_drive import JointDrive
from ..model.joint import Joint
from ..model.mechanism import Mechanism
from .mobility import mobility


@dataclass(frozen=True)
class Undriven:
    """What is missing: how many drives, one set of them, and what else the first could be."""

    count: int
    chosen: tuple[str, ...]
    others: tuple[str, ...]

    def __str__(self) -> str:
        """What to drive."""
        if not self.chosen:
            return "no coordinate of a joint drives them"
        if self.count > 1:
            return f"drive {self.count} coordinates, such as {' and '.join(map(repr, self.chosen))}"
        rest = f" (or {', '.join(map(repr, self.others))})" if self.others else ""
        return f"drive the coordinate {self.chosen[0]!r}{rest}"


def undriven(m: Mechanism) -> Undriven:
    """Coordinates that have to be driven besides; joints on the ground are proposed first.

    A coordinate is taken if one freedom less is undriven with a drive on it, so idle freedoms are
    not missed.
    """
    count = left = mobility(m).undriven
    chosen: list[str] = []
    others: list[str] = []
    for name in _candidates(m):
        less = _left(m, (*chosen, name))
        if less is not None and less < left:
            chosen.append(name)
            left = less
        elif len(chosen) == 1 == count and (_left(m, (name,)) or 0) < count:
            others.append(name)
    return Undriven(count, tuple(chosen), tuple(others))


def proposed(joint: Joint) -> tuple[bool, bool]:
    """What joints are sorted by to drive them: pins and slides come first, then the ground's."""
    return joint.nv > 1, GROUND not in (joint.parent, joint.child)


def _candidates(m: Mechanism) -> list[str]:
    """Coordinates that are their own velocities and not driven, those of pins and slides first."""
    driven = {drive.coordinate for drive in m.drives}
    joints = sorted(
        (joint for joint in m.joints if joint.elastic is None),
        key=proposed,
    )
    return [name for joint in joints for name in joint.own_rates if name not in driven]


def _left(m: Mechanism, names: tuple[str, ...]) -> int | None:
    """Freedoms that are undriven with drives on coordinates besides."""
    taken = {drive.name for drive in m.drives}
    drives = [JointDrive(_free(f"drive of {name}", taken), name, as_expr(0.0)) for name in names]
    try:
        return mobility(replace(m, drives=(*m.drives, *drives))).undriven
    except ModelError:  # such as a coordinate that a coupling prescribes
        return None


def _free(name: str, taken: set[str]) -> str:
    return name if name not in taken else _free(f"{name}'", taken)
