"""The methods by which forces of a given motion are found, under the names of the textbook.

    newton-euler    the equations of all bodies at once: the matrix of the whole system
    multipliers     the equations of the opened tree, with multipliers of ties and drives
    groups          structural groups in the static order, in the plane
    virtual-work    powers at partial velocities; driving forces only
    lever           the same about the pole of the turned velocities, in the plane

They give the same numbers; one that does not apply is refused by its name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...dynamics.group_forces import by_groups
from ...dynamics.kinetostatics import Equations, GivenMotion, parted, solved
from ...dynamics.multiplier_forces import by_multipliers, multipliers
from ...dynamics.virtual_work import by_lever, by_virtual_work
from ...errors import StructureError
from ...model.mechanism import Mechanism
from ...spatial.rotation import Array
from ...structure.groups import Group, groups
from ...structure.mobility import mobility
from ...system.store import kept
from ...system.system import System
from ...wording import given, named
from ..options import Check
from ..verb import Options
from .undriven import undriven_of

REACTIONS = ("newton-euler", "multipliers", "groups")
"""Methods that give the forces in all joints."""
DRIVING = (*REACTIONS, "virtual-work", "lever")
"""Methods that give driving forces."""
PLANAR = ("groups", "lever")


Method = str | tuple[Group, ...]
"""The name of a method; that of groups may be the groups themselves."""


def grouped(system: System, options: Options) -> Sequence[Options]:
    """Options with the groups in place of their method: of a mechanism in numbers."""
    if options["method"] != "groups":
        return [options]
    return [{**options, "method": groups(system.m).groups}]


def unknowns(given: GivenMotion, equations: Equations, method: Method) -> Array:
    """Wrenches of all joints, what couplings carry and efforts of drives, by a method."""
    if method == "multipliers":
        return by_multipliers(given, equations)
    if method == "groups":
        return by_groups(equations, groups(given.system.in_numbers).groups)
    return by_groups(equations, method) if isinstance(method, tuple) else solved(equations)


def driving(given: GivenMotion, equations: Equations, method: Method) -> Array:
    """The efforts of all that drives prescribe, by a method."""
    count = len(given.system.drives)
    if method == "multipliers":
        return np.concatenate(multipliers(given, equations.freedoms).parts[-count:])
    if method in ("virtual-work", "lever"):
        by = by_lever if method == "lever" else by_virtual_work
        return by(given, equations)
    parts = parted(equations, unknowns(given, equations, method))
    return np.concatenate(parts[len(parts) - count :])


def method_of(verb: str, known: tuple[str, ...], *, open_: bool = False) -> Check:
    """The check of a verb's option `method`: one of some names, and one that applies."""

    def check(m: Mechanism, given: Any, options: Mapping[str, Any]) -> str | None:
        if given is None and open_:
            return None
        _refuse_unknown(verb, given, known)
        for applies in (_of_space, _with_friction, _with_inputs, _of_drives, _determinate):
            applies(f"{verb}: method {given!r}", m, str(given), known, options)
        return str(given)

    return check


def _refuse_unknown(verb: str, given: Any, known: tuple[str, ...]) -> None:
    if given in known:
        return
    listed = ", ".join(map(repr, known))
    if given in DRIVING:
        raise StructureError(
            f"{verb}: method {given!r} gives driving forces only; ask "
            f"kb.driving_forces(m, motion, method={given!r}), or take one of {listed} here"
        )
    raise StructureError(f"{verb}: method: expected one of {listed}, got {given!r:.60}")


def _whole() -> str:
    return given("reactions", method="newton-euler")


def _of_space(what: str, m: Mechanism, method: str, known: tuple[str, ...], _: Any) -> None:
    if method in PLANAR and not m.plane:
        others = " or ".join(repr(name) for name in known if name not in PLANAR)
        raise StructureError(
            f"{what} is for the plane, and mechanism {m.name!r} is spatial; take {others}"
        )


def _with_friction(what: str, m: Mechanism, method: str, _: Any, options: Any) -> None:
    if options.get("friction") and method != "newton-euler":
        raise StructureError(
            f"{what} leaves friction out, which depends on the forces in the joints; take "
            f"{_whole()} with {given('reactions', friction=True)}"
        )


def _of_drives(what: str, m: Mechanism, method: str, _: Any, __: Any) -> None:
    """With more drives than freedoms only the matrix of the whole system has a rule to share."""
    if method == "newton-euler" or not overdriven(m):
        return
    raise StructureError(
        f"{what} needs as many drives as freedoms, and mechanism {m.name!r} has more, so that "
        f"their efforts are not determined; take {_whole()}, which shares them so that "
        "the sum of their squares is least, or leave drives out"
    )


def _with_inputs(what: str, m: Mechanism, method: str, _: Any, __: Any) -> None:
    if method in ("newton-euler", "multipliers"):
        return
    if undriven := len(undriven_of(m).names):
        raise StructureError(
            f"{what} needs drives for all freedoms, and mechanism {m.name!r} has {undriven} "
            f"without; give drives ({named('JointDrive')}), or take {_whole()}"
        )


def _determinate(what: str, m: Mechanism, method: str, known: tuple[str, ...], _: Any) -> None:
    passive = _mobility(m).passive if method in REACTIONS[1:] else 0
    if passive and (method == "groups" or known == REACTIONS):
        raise StructureError(
            f"{what} needs a determinate mechanism, and {m.name!r} has {passive} passive "
            f"constraint{'s' * (passive > 1)}, so that its reactions are not unique; take "
            f"{_whole()}, which gives those with the least sum of squares"
        )


def overdriven(m: Mechanism) -> bool:
    """Whether drives prescribe more motions than there are freedoms."""
    drives = sum(drive.count for drive in m.drives)
    return drives > 1 and drives > _mobility(m).actual


def _mobility(m: Mechanism) -> Any:
    return kept(m, ("mobility",), lambda: mobility(m))
