"""The check of `method`: one of the ways to forces by name (dynamics/catalogue.py) that applies.

All ways that apply give the same numbers; one that does not is refused by its name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...dynamics.catalogue import FORCE_METHODS
from ...dynamics.force_method import ForceMethod
from ...errors import StructureError
from ...model.mechanism import Mechanism
from ...structure.mobility import mobility
from ...wording import given, named
from ..options import Check
from .undriven import undriven_of


def method_of(verb: str, *, joints: bool = True, open_: bool = False) -> Check:
    """The check of a verb's option `method`: of forces in joints, or of driving forces alone."""
    known = {name: way for name, way in FORCE_METHODS.items() if way.joints or not joints}

    def check(m: Mechanism, asked: Any, options: Mapping[str, Any]) -> str | None:
        if asked is None and open_:
            return None
        if asked not in known:
            raise StructureError(_unknown(verb, asked, known))
        for fault in _faults(m, known[asked], known, options.get("friction"), joints):
            raise StructureError(f"{verb}: method {asked!r} {fault}")
        return str(asked)

    return check


def _unknown(verb: str, asked: Any, known: Mapping[str, ForceMethod]) -> str:
    """The sentence on a method that is not there, or gives driving forces alone."""
    listed = ", ".join(map(repr, known))
    if asked in FORCE_METHODS:
        return (
            f"{verb}: method {asked!r} gives driving forces only; ask "
            f"kb.driving_forces(m, motion, method={asked!r}), or take one of {listed} here"
        )
    return f"{verb}: method: expected one of {listed}, got {asked!r:.60}"


def _faults(
    m: Mechanism, way: ForceMethod, known: Mapping[str, ForceMethod], friction: Any, joints: bool
) -> Iterator[str]:
    """Why a method does not apply, the first reason first."""
    whole = given("reactions", method="newton-euler")
    if way.planar and not m.plane:
        others = " or ".join(repr(name) for name, other in known.items() if not other.planar)
        yield f"is for the plane, and mechanism {m.name!r} is spatial; take {others}"
    if way.whole:
        return
    if friction:
        yield (
            "leaves friction out, which depends on the forces in the joints; take "
            f"{whole} with {given('reactions', friction=True)}"
        )
    if not way.undriven and (free := len(undriven_of(m).names)):
        yield (
            f"needs drives for all freedoms, and mechanism {m.name!r} has {free} without; give "
            f"drives ({named('JointDrive')}), or take {whole}"
        )
    if overdriven(m):
        yield (
            f"needs as many drives as freedoms, and mechanism {m.name!r} has more, so that "
            f"their efforts are not determined; take {whole}, which shares them so that "
            "the sum of their squares is least, or leave drives out"
        )
    if (joints or way.determinate) and (passive := mobility(m).passive):
        yield (
            f"needs a determinate mechanism, and {m.name!r} has {passive} passive "
            f"constraint{'s' * (passive > 1)}, so that its reactions are not unique; take "
            f"{whole}, which gives those with the least sum of squares"
        )


def overdriven(m: Mechanism) -> bool:
    """Whether drives prescribe more motions than there are freedoms."""
    drives = sum(drive.count for drive in m.drives)
    return drives > 1 and drives > mobility(m).velocities
