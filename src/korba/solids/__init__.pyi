# The public names of kb.solids and where they live. Adding one is a line here.
from ..model.solid import Solid, Solids
from ..model.solid_kinds import (
    Bar,
    Box,
    Cone,
    Cylinder,
    Lump,
    Measured,
    Plate,
    Revolved,
    Rod,
    Sphere,
)
from .meshes import mesh

__all__ = [
    "Bar",
    "Box",
    "Cone",
    "Cylinder",
    "Lump",
    "Measured",
    "Plate",
    "Revolved",
    "Rod",
    "Solid",
    "Solids",
    "Sphere",
    "mesh",
]
