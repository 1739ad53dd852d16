"""Methods as a course teaches them, under their names: they agree with each other.

Gronowicz (2003), Podstawy analizy układów kinematycznych, chapters 2 and 3: construction and
modification, vector loop, complex numbers, Freudenstein's equation, Newton-Raphson, ordered
matrices, absolute coordinates, Denavit-Hartenberg chains and loops.
"""

from .absolute.motion import absolute_motion
from .absolute.system import AbsoluteSystem, Balance, absolute_system
from .construction import (
    circle_meets_line,
    circle_point,
    circles_meet,
    common_tangents,
    lines_meet,
    tangents,
)
from .dfp import Minimum, difference_gradient, minimise_dfp
from .dh.chain import (
    DHLink,
    LinkMotion,
    dh_frames,
    dh_inverse,
    dh_jacobian,
    dh_matrix,
    dh_motion,
    dh_position,
    planar_inverse,
    planar_matrix,
    point_homogeneous,
    rot,
    spatial_inverse,
    transl,
)
from .dh.loop import (
    ClosedLoop,
    LoopRates,
    cardan_angles,
    cardan_ratio,
    cardan_rows,
    closed_loop,
    loop_gap,
    loop_product,
    loop_rates,
)
from .four_bar import FourBarMotion, four_bar
from .laws import Law, law
from .matrix_order import Ordered, ordered
from .modification import nearest, roots_of
from .newton import NewtonRun, newton, predicted, refined_start, start_by_minimisation
from .plane.centres import Centre, InstantCentres, instant_centres
from .plane.equivalence import equivalent_linkage
from .plane.groups_in_motion import GroupwiseMotion, groupwise_motion
from .plane.plans import Plan, PlanVector, acceleration_plan, velocity_plan
from .plane.vector_equations import PlanTerm, solve_vectors

__all__ = [
    "AbsoluteSystem",
    "Balance",
    "Centre",
    "ClosedLoop",
    "DHLink",
    "FourBarMotion",
    "GroupwiseMotion",
    "InstantCentres",
    "Law",
    "LinkMotion",
    "LoopRates",
    "Minimum",
    "NewtonRun",
    "Ordered",
    "Plan",
    "PlanTerm",
    "PlanVector",
    "absolute_motion",
    "absolute_system",
    "acceleration_plan",
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
    "difference_gradient",
    "equivalent_linkage",
    "four_bar",
    "groupwise_motion",
    "instant_centres",
    "law",
    "lines_meet",
    "loop_gap",
    "loop_product",
    "loop_rates",
    "minimise_dfp",
    "nearest",
    "newton",
    "ordered",
    "planar_inverse",
    "planar_matrix",
    "point_homogeneous",
    "predicted",
    "refined_start",
    "roots_of",
    "rot",
    "solve_vectors",
    "spatial_inverse",
    "start_by_minimisation",
    "tangents",
    "transl",
    "velocity_plan",
]
