"""Korba: describe a mechanism or robot; get its mobility, its equations and its motion.

import korba as kb

m = kb.load("four_bar.toml")
print(kb.mobility(m))
"""

from .analysis.block_terms import block_terms
from .analysis.closed.assemble import Configuration, assemble
from .analysis.closed.configurations import Configurations, configurations
from .analysis.closed.motion import Motion, motion
from .analysis.closed.point_motion import BodyMotion, PointMotion
from .analysis.congruency import congruency
from .analysis.crosscheck import CrossCheck, crosscheck
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
from .analysis.generalised_forces import generalised_forces
from .analysis.joint_wrenches import JointWrenches, joint_wrenches
from .analysis.kinematics import (
    acceleration,
    centre_of_mass,
    jacobian_rate,
    pose,
    poses,
    velocity,
)
from .analysis.lagrange_terms import lagrange_terms
from .analysis.path import speed_profile
from .analysis.programmed import programmed_motion
from .analysis.semi_canonical import SemiCanonicalState, semi_canonical_state
from .errors import (
    AssemblyError,
    DeadPointError,
    ExpressionError,
    Fault,
    FileError,
    KorbaError,
    ModelError,
    SimulationError,
    StructureError,
)
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
from .simulate.run import simulate
from .simulate.semi_canonical import SemiCanonicalMotion, semi_canonical
from .simulate.solution import Solution
from .structure.count import loops, single_loops
from .structure.deviations import size_deviations
from .structure.groups import groups
from .structure.matrix import placement_matrix
from .structure.mobility import mobility
from .structure.rational import rational_variants

__all__ = [
    "JOINT_TYPES",
    "AssemblyError",
    "Body",
    "BodyDrive",
    "BodyMotion",
    "CamFlat",
    "CamRoller",
    "Configuration",
    "Configurations",
    "Coupling",
    "CrossCheck",
    "Curve",
    "Cylindrical",
    "DHRow",
    "DeadPointError",
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
    "JointWrenches",
    "KorbaError",
    "LengthDrive",
    "Mechanism",
    "ModelError",
    "Moment",
    "Motion",
    "Motor",
    "PinInSlot",
    "Planar",
    "PointDrive",
    "PointForce",
    "PointMotion",
    "PointOnLine",
    "PointOnPlane",
    "Prismatic",
    "Revolute",
    "Rotor",
    "Screw",
    "SemiCanonicalMotion",
    "SemiCanonicalState",
    "Shape",
    "SimulationError",
    "Solution",
    "Spherical",
    "Spring",
    "StructureError",
    "Universal",
    "acceleration",
    "assemble",
    "bias_forces",
    "block_terms",
    "centre_of_mass",
    "compile",
    "configurations",
    "congruency",
    "crosscheck",
    "derivative",
    "dumps",
    "energy",
    "expanded",
    "formulations",
    "forward_dynamics",
    "from_dh",
    "generalised_forces",
    "groups",
    "inverse_dynamics",
    "jacobian",
    "jacobian_rate",
    "joint_wrenches",
    "lagrange_terms",
    "load",
    "loads",
    "loops",
    "mass_matrix",
    "mobility",
    "momentum",
    "motion",
    "operations",
    "placement_matrix",
    "pose",
    "poses",
    "programmed_motion",
    "rational_variants",
    "read_mjcf",
    "read_urdf",
    "redimension",
    "save",
    "schema",
    "semi_canonical",
    "semi_canonical_state",
    "simulate",
    "single_loops",
    "size_deviations",
    "speed_profile",
    "structure_graph",
    "velocity",
    "write_urdf",
]
