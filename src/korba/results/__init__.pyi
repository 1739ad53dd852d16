# The classes of results and where they live. Adding one is a line here.
from ..design.optimise import Optimum
from ..design.path_goal import PathGoal
from ..design.result import Sweep
from ..display import Drawing, Page
from ..errors import Fault
from ..export.fmu.export import FMU
from ..forces.mass_properties import PointMasses
from ..machine.balance import Balance, Counterweight
from ..machine.cycle import Cycle
from ..machine.equilibrium import Equilibrium
from ..machine.flywheel import Flywheel
from ..machine.irregularity import Irregularity
from ..machine.linear import LinearSystem, Mode
from ..machine.motor import SteadySpeed
from ..machine.reduction import Reduction
from ..machine.shafts import Shaft
from ..machine.work import Speeds
from ..show.plots.panels import Plot
from ..solve.batch_positions import Positions
from ..solve.configuration import Configuration
from ..solve.configurations import Configurations
from ..solve.inverse_kinematics import InverseKinematics
from ..solve.sensitivity import Sensitivity
from ..spatial.wrench import LineOfAction, Wrench
from ..structure.deviations import DeviationEffect
from ..structure.groups import Groups
from ..structure.mobility import Mobility
from ..structure.rational import RationalVariants
from ..trajectory.audit import Audit, Effort
from ..trajectory.events import Events, Occurrence
from ..trajectory.places import BodyMotion, PointMotion
from ..verbs.base_parameters import BaseParameter, BaseParameters
from ..verbs.crosscheck import CrossCheck
from ..verbs.dynamics import Energy
from ..verbs.forces.balance import PowerBalance
from ..verbs.forces.driving import DrivingForces
from ..verbs.forces.inertia import Harmonic, InertiaForces, ShakingForces
from ..verbs.forces.results import Jam, LiftOff, Reactions
from ..verbs.reduction import ReducedModel
from ..verbs.written import Equations, LayeredEquations, ReducedEquations
from ..workspace.advantage import MechanicalAdvantage
from ..workspace.cam_profile import CamProfile
from ..workspace.coupler_curve import CouplerCurve, CurveBranch
from ..workspace.four_link_loops import FourBar, SliderCrank
from ..workspace.input_range import InputLimit, InputRange
from ..workspace.reachable import Reachable
from ..workspace.singularities import Singularities, Singularity
from ..workspace.transmission import TransmissionAngle

__all__ = [
    "FMU",
    "Audit",
    "Balance",
    "BaseParameter",
    "BaseParameters",
    "BodyMotion",
    "CamProfile",
    "Configuration",
    "Configurations",
    "Counterweight",
    "CouplerCurve",
    "CrossCheck",
    "CurveBranch",
    "Cycle",
    "DeviationEffect",
    "Drawing",
    "DrivingForces",
    "Effort",
    "Energy",
    "Equations",
    "Equilibrium",
    "Events",
    "Fault",
    "Flywheel",
    "FourBar",
    "Groups",
    "Harmonic",
    "InertiaForces",
    "InputLimit",
    "InputRange",
    "InverseKinematics",
    "Irregularity",
    "Jam",
    "LayeredEquations",
    "LiftOff",
    "LineOfAction",
    "LinearSystem",
    "MechanicalAdvantage",
    "Mobility",
    "Mode",
    "Occurrence",
    "Optimum",
    "Page",
    "PathGoal",
    "Plot",
    "PointMasses",
    "PointMotion",
    "Positions",
    "PowerBalance",
    "RationalVariants",
    "Reachable",
    "Reactions",
    "ReducedEquations",
    "ReducedModel",
    "Reduction",
    "Sensitivity",
    "Shaft",
    "ShakingForces",
    "Singularities",
    "Singularity",
    "SliderCrank",
    "Speeds",
    "SteadySpeed",
    "Sweep",
    "TransmissionAngle",
    "Wrench",
]
