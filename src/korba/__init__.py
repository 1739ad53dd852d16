"""Korba: describe a mechanism or robot; get its mobility, its equations and its motion.

import korba as kb

m = kb.load("four_bar.toml")
print(kb.mobility(m))
"""

from .analysis.dynamics import (
    bias_forces,
    compile,
    derivative,
    energy,
    formulations,
    forward_dynamics,
    inverse_dynamics,
    jacobian,
    mass_matrix,
    momentum,
    operations,
)
from .errors import ExpressionError, Fault, FileError, KorbaError, ModelError, StructureError
from .files.dh import DHRow, from_dh
from .files.mjcf_read import read_mjcf
from .files.schema import schema
from .files.toml_file import dumps, load, loads, redimension, save
from .files.urdf_read import read_urdf
from .files.urdf_write import write_urdf
from .model.body import Body, Shape
from .model.coupling import Coupling
from .model.curve import Curve
from .model.drive import BodyDrive, Drive, JointDrive, LengthDrive, PointDrive
from .model.expand import expanded
from .model.force import Force, JointForce, Moment, Motor, PointForce, Spring
from .model.frame import Frame
from .model.joint import Elastic, Friction, Joint, Rotor
from .model.joints import JOINT_TYPES
from .model.joints.cam import CamFlat, CamRoller
from .model.joints.cylindrical import Cylindrical
from .model.joints.fixed import Fixed
from .model.joints.free import Free
from .model.joints.gear_mesh import GearLineContact, GearMesh, GearPointContact
from .model.joints.pin_in_slot import PinInSlot
from .model.joints.planar import Planar
from .model.joints.point_on_line import PointOnLine
from .model.joints.point_on_plane import PointOnPlane
from .model.joints.prismatic import Prismatic
from .model.joints.revolute import Revolute
from .model.joints.screw import Screw
from .model.joints.spherical import Spherical
from .model.joints.universal import Universal
from .model.mechanism import Mechanism
from .show.structure_graph import structure_graph
from .structure.count import loops, single_loops
from .structure.deviations import size_deviations
from .structure.groups import groups
from .structure.matrix import placement_matrix
from .structure.mobility import mobility
from .structure.rational import rational_variants

__all__ = [
    "JOINT_TYPES",
    "Body",
    "BodyDrive",
    "CamFlat",
    "CamRoller",
    "Coupling",
    "Curve",
    "Cylindrical",
    "DHRow",
    "Drive",
    "Elastic",
    "ExpressionError",
    "Fault",
    "FileError",
    "Fixed",
    "Force",
    "Frame",
    "Free",
    "Friction",
    "GearLineContact",
    "GearMesh",
    "GearPointContact",
    "Joint",
    "JointDrive",
    "JointForce",
    "KorbaError",
    "LengthDrive",
    "Mechanism",
    "ModelError",
    "Moment",
    "Motor",
    "PinInSlot",
    "Planar",
    "PointDrive",
    "PointForce",
    "PointOnLine",
    "PointOnPlane",
    "Prismatic",
    "Revolute",
    "Rotor",
    "Screw",
    "Shape",
    "Spherical",
    "Spring",
    "StructureError",
    "Universal",
    "bias_forces",
    "compile",
    "derivative",
    "dumps",
    "energy",
    "expanded",
    "formulations",
    "forward_dynamics",
    "from_dh",
    "groups",
    "inverse_dynamics",
    "jacobian",
    "load",
    "loads",
    "loops",
    "mass_matrix",
    "mobility",
    "momentum",
    "operations",
    "placement_matrix",
    "rational_variants",
    "read_mjcf",
    "read_urdf",
    "redimension",
    "save",
    "schema",
    "single_loops",
    "size_deviations",
    "structure_graph",
    "write_urdf",
]
