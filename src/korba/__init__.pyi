# The public names and where they live. Adding one is a line here.
from . import course, linkages, papers, results, solids
from .design.optimise import optimise
from .design.path_goal import path_goal
from .design.sweep import sweep
from .errors import (
    AssemblyError,
    DeadPointError,
    ExpressionError,
    FileError,
    KorbaError,
    ModelError,
    ReachError,
    SimulationError,
    StructureError,
)
from .export.casadi import casadi
from .export.fmu.export import export_fmu
from .export.jax import jax
from .export.torch import torch
from .files.any_file import load, save
from .files.dh import DHRow, from_dh
from .files.mjcf_read import read_mjcf
from .files.mjcf_write import write_mjcf
from .files.robots import robots
from .files.schema import schema
from .files.sdf_read import read_sdf
from .files.toml_file import dumps, loads, redimension
from .files.urdf_read import read_urdf
from .files.urdf_write import write_urdf
from .forces.mass_properties import MassProperties, mass_properties
from .machine.balance import balance
from .machine.cycle import steady_cycle
from .machine.equilibrium import equilibrium
from .machine.flywheel import flywheel
from .machine.irregularity import irregularity
from .machine.linear import linearise
from .machine.motor import steady_speed
from .machine.reduction import reduce
from .machine.run_up import run_up
from .machine.work import speeds
from .model.body import Body, Shape
from .model.coupling import Coupling
from .model.curve import Curve
from .model.drive import Drive
from .model.drives.body_drive import BodyDrive
from .model.drives.joint_drive import JointDrive
from .model.drives.length_drive import LengthDrive
from .model.drives.point_drive import PointDrive
from .model.force import Force
from .model.forces.bushing import Bushing
from .model.forces.controller import Controller
from .model.forces.joint_force import JointForce
from .model.forces.moment import Moment
from .model.forces.motor import Motor
from .model.forces.pid import PID
from .model.forces.point_force import PointForce
from .model.forces.rope import Rope
from .model.forces.sensor import Sensor
from .model.forces.series_spring import SeriesSpring
from .model.forces.spring import Spring
from .model.frame import Frame
from .model.joint import Joint
from .model.joint_parts import Elastic, Friction, Rotor
from .model.joints import JOINT_TYPES
from .model.joints.ball_on_plane import BallOnPlane
from .model.joints.cam import CamFlat, CamRoller
from .model.joints.curve_contact import CurveContact, CurveRolling
from .model.joints.curved_slot import CurvedSlot
from .model.joints.cylindrical import Cylindrical
from .model.joints.fixed import Fixed
from .model.joints.free import Free
from .model.joints.gear_bevel import GearBevel
from .model.joints.gear_mesh import GearLineContact, GearMesh, GearPointContact
from .model.joints.gear_rack import GearRack
from .model.joints.geneva import Geneva
from .model.joints.knife_edge import KnifeEdge
from .model.joints.omni_wheel import OmniWheel
from .model.joints.pin_in_slot import PinInSlot
from .model.joints.planar import Planar
from .model.joints.point_on_line import PointOnLine
from .model.joints.point_on_plane import PointOnPlane
from .model.joints.prismatic import Prismatic
from .model.joints.revolute import Revolute
from .model.joints.rod import Rod
from .model.joints.rolling_ball import RollingBall
from .model.joints.rolling_wheel import RollingWheel
from .model.joints.screw import Screw
from .model.joints.spherical import Spherical
from .model.joints.universal import Universal
from .model.joints.wheel_on_plane import WheelOnPlane
from .model.mechanism import Mechanism
from .model.named_pose import NamedPose
from .show.drawings.draw import draw
from .show.pages.animate import animate
from .show.pages.live import live
from .show.plots.plot import plot
from .show.report.report import report
from .simulation.contact import Contact, Ratchet
from .simulation.event import Event
from .simulation.method import Method
from .simulation.on_the_way import Stops, Switch
from .simulation.run import simulate
from .solve.assemble import assemble
from .solve.configurations import configurations
from .solve.inverse_kinematics import inverse_kinematics
from .solve.motion import motion
from .solve.programmed.motion import programmed_motion
from .solve.programmed.path import speed_profile
from .solve.sensitivity import sensitivity
from .structure.deviations import size_deviations
from .structure.groups import groups
from .structure.mobility import mobility
from .structure.rational import rational_variants
from .system.expand import expanded
from .trajectory.trajectory import Trajectory
from .verbs.base_parameters import base_parameters, regressor
from .verbs.crosscheck import crosscheck
from .verbs.dynamics import (
    bias_forces,
    energy,
    formulations,
    forward_dynamics,
    generalised_forces,
    gravity_forces,
    inverse_dynamics,
    mass_matrix,
    momentum,
)
from .verbs.equations import equations
from .verbs.forces.distribution import Distribution
from .verbs.forces.driving import driving_forces
from .verbs.forces.inertia import inertia_forces, shaking_forces
from .verbs.forces.reactions import reactions
from .verbs.generate import generate
from .verbs.kinematics import (
    acceleration,
    centre_of_mass,
    jacobian,
    jacobian_rate,
    pose,
    poses,
    velocity,
)
from .verbs.uses import compile, derivative, operations
from .workspace.advantage import mechanical_advantage
from .workspace.cam_profile import cam_profile
from .workspace.coupler_curve import coupler_curve
from .workspace.four_link_loops import grashof
from .workspace.input_range import input_range
from .workspace.reachable import reachable
from .workspace.singularities import singularities
from .workspace.transmission import time_ratio, transmission_angle

__version__: str

__all__ = [
    "JOINT_TYPES",
    "PID",
    "AssemblyError",
    "BallOnPlane",
    "Body",
    "BodyDrive",
    "Bushing",
    "CamFlat",
    "CamRoller",
    "Contact",
    "Controller",
    "Coupling",
    "Curve",
    "CurveContact",
    "CurveRolling",
    "CurvedSlot",
    "Cylindrical",
    "DHRow",
    "DeadPointError",
    "Distribution",
    "Drive",
    "Elastic",
    "Event",
    "ExpressionError",
    "FileError",
    "Fixed",
    "Force",
    "Frame",
    "Free",
    "Friction",
    "GearBevel",
    "GearLineContact",
    "GearMesh",
    "GearPointContact",
    "GearRack",
    "Geneva",
    "Joint",
    "JointDrive",
    "JointForce",
    "KnifeEdge",
    "KorbaError",
    "LengthDrive",
    "MassProperties",
    "Mechanism",
    "Method",
    "ModelError",
    "Moment",
    "Motor",
    "NamedPose",
    "OmniWheel",
    "PinInSlot",
    "Planar",
    "PointDrive",
    "PointForce",
    "PointOnLine",
    "PointOnPlane",
    "Prismatic",
    "Ratchet",
    "ReachError",
    "Revolute",
    "Rod",
    "RollingBall",
    "RollingWheel",
    "Rope",
    "Rotor",
    "Screw",
    "Sensor",
    "SeriesSpring",
    "Shape",
    "SimulationError",
    "Spherical",
    "Spring",
    "Stops",
    "StructureError",
    "Switch",
    "Trajectory",
    "Universal",
    "WheelOnPlane",
    "acceleration",
    "animate",
    "assemble",
    "balance",
    "base_parameters",
    "bias_forces",
    "cam_profile",
    "casadi",
    "centre_of_mass",
    "compile",
    "configurations",
    "coupler_curve",
    "course",
    "crosscheck",
    "derivative",
    "draw",
    "driving_forces",
    "dumps",
    "energy",
    "equations",
    "equilibrium",
    "expanded",
    "export_fmu",
    "flywheel",
    "formulations",
    "forward_dynamics",
    "from_dh",
    "generalised_forces",
    "generate",
    "grashof",
    "gravity_forces",
    "groups",
    "inertia_forces",
    "input_range",
    "inverse_dynamics",
    "inverse_kinematics",
    "irregularity",
    "jacobian",
    "jacobian_rate",
    "jax",
    "linearise",
    "linkages",
    "live",
    "load",
    "loads",
    "mass_matrix",
    "mass_properties",
    "mechanical_advantage",
    "mobility",
    "momentum",
    "motion",
    "operations",
    "optimise",
    "papers",
    "path_goal",
    "plot",
    "pose",
    "poses",
    "programmed_motion",
    "rational_variants",
    "reachable",
    "reactions",
    "read_mjcf",
    "read_sdf",
    "read_urdf",
    "redimension",
    "reduce",
    "regressor",
    "report",
    "results",
    "robots",
    "run_up",
    "save",
    "schema",
    "sensitivity",
    "shaking_forces",
    "simulate",
    "singularities",
    "size_deviations",
    "solids",
    "speed_profile",
    "speeds",
    "steady_cycle",
    "steady_speed",
    "sweep",
    "time_ratio",
    "torch",
    "transmission_angle",
    "velocity",
    "write_mjcf",
    "write_urdf",
]
