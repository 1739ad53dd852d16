# The public names and where they live. Adding one is a line here.
from .analysis.closed.assemble import Configuration, assemble
from .analysis.closed.batch_positions import Positions, assemble_many
from .analysis.closed.configurations import Configurations, configurations
from .analysis.closed.motion import Motion, motion
from .analysis.closed.point_motion import BodyMotion, PointMotion
from .analysis.course.absolute_model import absolute_system
from .analysis.course.absolute_motion import absolute_motion
from .analysis.course.four_bar import four_bar
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
from .analysis.papers.block_terms import block_terms
from .analysis.papers.congruency import congruency
from .analysis.papers.lagrange_terms import lagrange_terms
from .analysis.papers.semi_canonical import SemiCanonicalState, semi_canonical_state
from .analysis.plane.centres import Centre, InstantCentres, instant_centres
from .analysis.plane.equivalence import equivalent_linkage
from .analysis.plane.groups_in_motion import GroupwiseMotion, groupwise_motion
from .analysis.plane.plans import Plan, PlanVector, acceleration_plan, velocity_plan
from .analysis.plane.vector_equations import PlanTerm, solve_vectors
from .analysis.programmed.motion import programmed_motion
from .analysis.programmed.path import speed_profile
from .analysis.workspace.coupler_curve import CouplerCurve, CurveBranch, coupler_curve
from .analysis.workspace.four_link_loops import FourBar, SliderCrank, grashof
from .analysis.workspace.input_range import InputLimit, InputRange, input_range
from .analysis.workspace.inverse_kinematics import Reached, inverse_kinematics
from .analysis.workspace.singularities import Singularities, Singularity, singularities
from .analysis.workspace.transmission import TransmissionAngle, time_ratio, transmission_angle
from .errors import (
    AssemblyError,
    DeadPointError,
    ExpressionError,
    Fault,
    FileError,
    KorbaError,
    ModelError,
    ReachError,
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
from .show.centre_drawing import centre_drawing
from .show.plan_drawing import plan_drawing
from .show.structure_graph import structure_graph
from .simulation.run import simulate
from .simulation.semi_canonical import SemiCanonicalMotion, semi_canonical
from .simulation.solution import Solution
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
    "Centre",
    "Configuration",
    "Configurations",
    "CouplerCurve",
    "Coupling",
    "CrossCheck",
    "Curve",
    "CurveBranch",
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
    "FourBar",
    "Frame",
    "Free",
    "Friction",
    "GearLineContact",
    "GearMesh",
    "GearPointContact",
    "GroupwiseMotion",
    "InputLimit",
    "InputRange",
    "InstantCentres",
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
    "Plan",
    "PlanTerm",
    "PlanVector",
    "Planar",
    "PointDrive",
    "PointForce",
    "PointMotion",
    "PointOnLine",
    "PointOnPlane",
    "Positions",
    "Prismatic",
    "ReachError",
    "Reached",
    "Revolute",
    "Rotor",
    "Screw",
    "SemiCanonicalMotion",
    "SemiCanonicalState",
    "Shape",
    "SimulationError",
    "Singularities",
    "Singularity",
    "SliderCrank",
    "Solution",
    "Spherical",
    "Spring",
    "StructureError",
    "TransmissionAngle",
    "Universal",
    "absolute_motion",
    "absolute_system",
    "acceleration",
    "acceleration_plan",
    "assemble",
    "assemble_many",
    "bias_forces",
    "block_terms",
    "centre_drawing",
    "centre_of_mass",
    "compile",
    "configurations",
    "congruency",
    "coupler_curve",
    "crosscheck",
    "derivative",
    "dumps",
    "energy",
    "equivalent_linkage",
    "expanded",
    "formulations",
    "forward_dynamics",
    "four_bar",
    "from_dh",
    "generalised_forces",
    "grashof",
    "groups",
    "groupwise_motion",
    "input_range",
    "instant_centres",
    "inverse_dynamics",
    "inverse_kinematics",
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
    "plan_drawing",
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
    "singularities",
    "size_deviations",
    "solve_vectors",
    "speed_profile",
    "structure_graph",
    "time_ratio",
    "transmission_angle",
    "velocity",
    "velocity_plan",
    "write_urdf",
]
