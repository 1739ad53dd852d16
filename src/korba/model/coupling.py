"""Dependent coordinates `p = F(q)`: gears, belts, mimic joints, differentials, cranks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from ..expr import Expr
from .fields import Element, field
from .specs import Law, Text


@final
@dataclass(frozen=True)
class Coupling(Element):
    """One coordinate as an explicit function of the others and of the time `t`.

    It carries the accompanying elements of Maryniak & Malecki (rotors behind gears, reached by
    lead-in chains p = F(q)), the mimic joints of URDF and every constant-ratio drive.
    """

    section = "coupling"
    joints: ClassVar[tuple[str, ...]] = ("coordinate",)

    name: str = field(Text(), doc="name of the coupling")
    coordinate: str = field(Text(), doc="the dependent coordinate")
    law: Expr = field(
        Law(("angle", "length"), None), doc="its value, in the names of other coordinates and t"
    )
