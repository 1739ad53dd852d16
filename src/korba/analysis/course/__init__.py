"""Methods as a course teaches them, under their names: they agree with each other.

Gronowicz (2003), Podstawy analizy układów kinematycznych, chapters 2 and 3: construction and
modification, vector loop, complex numbers, Freudenstein's equation, Newton-Raphson, ordered
matrices, absolute coordinates, Denavit-Hartenberg chains and loops.
"""

from .absolute import AbsoluteMotion, AbsoluteSystem, Balance, point_homogeneous
from .absolute_cams import CamFlatPair, CamRollerPair, Profile
from .absolute_drivers import (
    difference_driver,
    length_driver,
    link_driver,
    point_driver,
    prismatic_driver,
    revolute_driver,
)
from .absolute_gears import FreeGearPair, GearPair
from .absolute_model import absolute_system
from .absolute_motion import absolute_motion
from .absolute_pairs import PrismaticPair, RevolutePair, WeldPair, YokePair
from .construction import (
    circle_meets_line,
    circle_point,
    circles_meet,
    common_tangents,
    lines_meet,
    tangents,
)
from .dfp import Minimum, difference_gradient, minimise_dfp
from .dh_loop import (
    ClosedLoop,
    cardan_angles,
    cardan_ratio,
    cardan_rows,
    closed_loop,
    loop_gap,
)
from .dh_loop_rates import LoopRates, loop_rates
from .dh_motion import LinkMotion, dh_jacobian, dh_motion
from .dh_operators import loop_product
from .dh_position import (
    DHLink,
    dh_frames,
    dh_inverse,
    dh_matrix,
    dh_position,
    planar_inverse,
    planar_matrix,
    rot,
    spatial_inverse,
    transl,
)
from .four_bar import FourBar, four_bar
from .laws import Law, law
from .matrix_order import Ordered, ordered
from .modification import nearest, roots_of
from .newton import NewtonRun, newton, predicted, refined_start, start_by_minimisation

__all__ = [
    "AbsoluteMotion",
    "AbsoluteSystem",
    "Balance",
    "CamFlatPair",
    "CamRollerPair",
    "ClosedLoop",
    "DHLink",
    "FourBar",
    "FreeGearPair",
    "GearPair",
    "Law",
    "LinkMotion",
    "LoopRates",
    "Minimum",
    "NewtonRun",
    "Ordered",
    "PrismaticPair",
    "Profile",
    "RevolutePair",
    "WeldPair",
    "YokePair",
    "absolute_motion",
    "absolute_system",
    "cardan_angles",
    "cardan_ratio",
    "cardan_rows",
    "circle_meets_line",
    "circle_point",
    "circles_meet",
    "closed_loop",
    "common_tangents",
    "dh_frames",
    "dh_inverse",
    "dh_jacobian",
    "dh_matrix",
    "dh_motion",
    "dh_position",
    "difference_driver",
    "difference_gradient",
    "four_bar",
    "law",
    "length_driver",
    "lines_meet",
    "link_driver",
    "loop_gap",
    "loop_product",
    "loop_rates",
    "minimise_dfp",
    "nearest",
    "newton",
    "ordered",
    "planar_inverse",
    "planar_matrix",
    "point_driver",
    "point_homogeneous",
    "predicted",
    "prismatic_driver",
    "refined_start",
    "revolute_driver",
    "roots_of",
    "rot",
    "spatial_inverse",
    "start_by_minimisation",
    "tangents",
    "transl",
]
