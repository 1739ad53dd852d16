"""Examples 2.1-2.13 of Gronowicz: printed numbers (corrected), recomputed tables, the engine."""

from functools import partial

import numpy as np
import pytest
from engine_by_numpy import body_states, by_numpy, engine_assembled, engine_motion, point_states
from numpy.testing import assert_allclose

import korba as kb
from korba.analysis.course.absolute import AbsoluteSystem
from korba.analysis.course.absolute_cams import CamFlatPair, CamRollerPair, Profile
from korba.analysis.course.absolute_drivers import link_driver, point_driver
from korba.analysis.course.absolute_gears import GearPair
from korba.analysis.course.absolute_motion import absolute_motion
from korba.analysis.course.absolute_pairs import PrismaticPair, RevolutePair, YokePair
from korba.analysis.course.construction import circle_meets_line, circle_point, circles_meet
from korba.analysis.course.dh_loop import (
    cardan_angles,
    cardan_rows,
    closed_loop,
    loop_gap,
    loop_product,
)
from korba.analysis.course.dh_position import (
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
from korba.analysis.course.four_bar import four_bar
from korba.analysis.course.four_bar_methods import METHODS, loop_matrix
from korba.analysis.course.four_bar_methods import loop_gap as four_bar_gap
from korba.analysis.course.laws import law
from korba.analysis.course.matrix_order import ordered
from korba.analysis.course.modification import nearest, roots_of
from korba.analysis.course.newton import newton, refined_start, start_by_minimisation

SIZES = (0.2, 0.6, 0.6, 0.8)
TABLE = [
    (np.pi / 2, "open", 0.50571883, 0.52287531, 0.56821159, 2.08342374),
    (np.pi / 2, "crossed", 0.29428117, -0.32287531, -1.05816891, -2.57338107),
    (np.pi / 3, "open", 0.56519215, 0.55214606, 0.68357433, 1.97289058),
    (np.pi / 3, "crossed", 0.33480785, -0.37894098, -1.16870207, -2.45801833),
    (np.pi, "open", 0.3, 0.33166248, 0.58568554, 2.55590711),
]


def bodies(*names):
    return [kb.Body(name) for name in names]


def drawn_four_bar(branch="open", **more):
    """The four-bar of Example 3.3 as a mechanism, drawn at theta_1 = 90 deg."""
    at = four_bar(*SIZES, np.pi / 2, branch=branch)
    joints = [
        kb.Revolute("A", "ground", "crank", at=(0, 0)),
        kb.Revolute("B", "crank", "coupler", at=at.B),
        kb.Revolute("C", "coupler", "rocker", at=at.C),
        kb.Revolute("D", "ground", "rocker", at=(0.8, 0)),
    ]
    m = kb.Mechanism("four-bar", bodies("crank", "coupler", "rocker"), joints, plane="xy", **more)
    return m, at


def test_example_2_1_composition_of_transformations():
    """Example 2.1, (2.29): displacements multiply from left to right in the moved frame."""
    x, y, z = 0.3, -0.7, 1.1
    A = transl(x, y, z) @ rot("y", -np.pi / 2) @ rot("x", np.pi / 2)
    assert_allclose(A, [[0, -1, 0, x], [0, 0, -1, y], [1, 0, 0, z], [0, 0, 0, 1]], atol=1e-15)
    swapped = rot("x", np.pi / 2) @ rot("y", -np.pi / 2)
    assert_allclose(swapped[:3, :3], [[0, 0, -1], [-1, 0, 0], [0, 1, 0]], atol=1e-15)


def test_matrices_of_frames_and_their_inverses():
    """(2.12), (2.23), (2.31), (2.32): a matrix times its inverse is one; (2.30) gives (2.31)."""
    rng = np.random.default_rng(1)
    for a, alpha, theta, d in rng.normal(size=(20, 4)):
        A = dh_matrix(a, alpha, theta, d)
        steps = transl(x=a) @ rot("x", alpha) @ transl(z=d) @ rot("z", theta)
        assert_allclose(A, steps, atol=1e-15)
        assert_allclose(A @ dh_inverse(a, alpha, theta, d), np.eye(4), atol=1e-15)
        assert_allclose(A @ spatial_inverse(A), np.eye(4), atol=1e-15)
        P = planar_matrix(a, d, theta)
        assert_allclose(P @ planar_inverse(P), np.eye(3), atol=1e-15)


def test_example_2_2_intermittent_mechanism():
    """Example 2.2: the stroke is the projection of the pin's chord on the slide; engine agrees."""
    r, height = 0.05, 0.03
    B_1, B = circle_meets_line((0, 0), r, (0, -height), (1, 0))
    stroke = B_1[0] - B[0]
    assert_allclose(stroke, 2 * np.sqrt(r**2 - height**2), rtol=1e-15)
    start, end = np.arctan2(B[1], B[0]), np.arctan2(B_1[1], B_1[0])
    joints = [
        kb.Revolute("A", "ground", "crank", at=(0, 0)),
        kb.Prismatic("slide", "ground", "slider", at=(0, 0.1), axis=(1, 0)),
        kb.PinInSlot("pin", "slider", "crank", at=B, axis=(0, 1)),
    ]
    m = kb.Mechanism("intermittent", bodies("crank", "slider"), joints, plane="xy")
    found = engine_assembled(m, {"A": end - start})
    assert_allclose(found["slide"], stroke, atol=1e-12)


@pytest.mark.parametrize("row", TABLE)
@pytest.mark.parametrize("method", METHODS)
def test_examples_2_3_2_5_and_2_6_four_bar(method, row):
    """Examples 2.3, 2.5, 2.6: every method gives the digits of the table on both branches."""
    theta, branch, x, y, theta_2, theta_3 = row
    found = four_bar(*SIZES, theta, method=method, branch=branch, coupler=(0.4, np.pi / 6))
    assert_allclose([*found.C, found.theta2, found.theta3], [x, y, theta_2, theta_3], atol=5e-9)
    M = found.B + 0.4 * np.array([np.cos(theta_2 + np.pi / 6), np.sin(theta_2 + np.pi / 6)])
    assert_allclose(found.M, M, atol=5e-9)


@pytest.mark.parametrize("branch", ["open", "crossed"])
def test_the_table_of_example_2_3_with_the_engine(branch):
    """Example 2.3: the engine's assembled four-bar has the same point C to 1e-10."""
    m, drawn = drawn_four_bar(branch)
    for theta in (np.pi / 3, 2.5):
        found = engine_assembled(m, {"A": theta - np.pi / 2})
        wanted = four_bar(*SIZES, theta, branch=branch)
        turned = drawn.theta3 + found["D"]
        assert_allclose(wanted.C, circle_point((0.8, 0), 0.6, turned), atol=1e-10)


def test_printed_constants_of_freudenstein_are_wrong():
    """(2.55), (2.58): as printed, without k_3 and with -k_4, they give 1.738285 and 0.637341."""
    a, b, c, d = SIZES

    def root(p, q, r):
        return 2 * np.arctan((-q - np.sqrt(q * q - 4 * p * r)) / (2 * p))

    theta = np.pi / 2
    k_1, k_2, k_3 = d / a, d / c, (a * a - b * b + c * c + d * d) / (2 * a * c)
    cos, sin = np.cos(theta), np.sin(theta)
    printed = root(cos - k_1 - k_2 * cos + k_3, -2 * sin, k_1 - (k_2 + 1) * cos)
    assert_allclose(printed, 1.738285, atol=5e-7)
    cos, sin = np.cos(np.pi / 3), np.sin(np.pi / 3)
    k_4, k_5 = d / b, (c * c - d * d - a * a - b * b) / (2 * a * b)
    printed = root(cos - k_1 - k_4 * cos + k_5, -2 * sin, k_1 + (k_4 - 1) * cos + k_5)
    assert_allclose(printed, 0.637341, atol=5e-7)


def test_formulas_2_38_to_2_40_as_printed():
    """(2.38)-(2.40): y_C of the book's quadratic is the construction's, both signs."""
    a, b, c, d = SIZES
    x_B, y_B = a * np.cos(1.1), a * np.sin(1.1)
    C_1 = (a * a - b * b + c * c - d * d) / (2 * (x_B - d))
    p, q = y_B**2 / (x_B - d) ** 2 + 1, (d - C_1) ** 2 - c * c
    s = 2 * y_B * (d - C_1) / (x_B - d)
    root = np.sqrt(s * s - 4 * p * q)
    y_C = np.array([-s + root, -s - root]) / (2 * p)
    both = circles_meet((x_B, y_B), b, (d, 0), c)
    assert_allclose(both[:, 1], y_C, atol=1e-14)
    assert_allclose(both[:, 0], C_1 - y_B * y_C / (x_B - d), atol=1e-14)


def removed_condition(theta, x_F, branch):
    """|EF| = 0.7 of Example 2.4, with E on the coupler and F on the guide y = 0.2."""
    at = four_bar(*SIZES, theta, branch=branch, coupler=(0.4, np.pi / 6), unreached="nan")
    return float((at.M[0] - x_F) ** 2 + (at.M[1] - 0.2) ** 2 - 0.49)


def test_example_2_4_modification_method():
    """Example 2.4: two roots on the open branch, none on the crossed; history chooses; engine."""
    at = four_bar(*SIZES, np.pi / 3, coupler=(0.4, np.pi / 6))
    assert_allclose(at.M, [0.24226515, 0.54705081], atol=5e-9)
    x_F = circle_meets_line(at.M, 0.7, (0, 0.2), (1, 0))[0][0]
    assert_allclose(x_F, 0.85017611, atol=5e-9)
    roots = roots_of(partial(removed_condition, x_F=x_F, branch="open"), 0, 2 * np.pi)
    assert_allclose(roots, [1.04719755, 6.05157580], atol=5e-9)
    assert not len(roots_of(partial(removed_condition, x_F=x_F, branch="crossed"), 0, 2 * np.pi))
    assert nearest(roots, 1.2) == roots[0]
    assert_allclose(nearest(roots, 0.0, 2 * np.pi), roots[1] - 2 * np.pi, atol=1e-12)
    m, drawn = drawn_four_bar()
    E = drawn.B + 0.4 * np.array(
        [np.cos(drawn.theta2 + np.pi / 6), np.sin(drawn.theta2 + np.pi / 6)]
    )
    F = circle_meets_line(E, 0.7, (0, 0.2), (1, 0))[0]
    joints = [
        *m.joints,
        kb.Revolute("E", "coupler", "rod", at=E),
        kb.Revolute("F", "rod", "slider", at=F),
        kb.Prismatic("slide", "ground", "slider", at=F, axis=(1, 0)),
    ]
    six = kb.Mechanism("six links", [*m.bodies, *bodies("rod", "slider")], joints, plane="xy")
    found = engine_assembled(six, {"slide": x_F - F[0]})
    assert_allclose(np.pi / 2 + found["A"], roots[0], atol=1e-10)


def test_example_2_7_yoke():
    """Example 2.7, (2.110): rows as printed, both configurations, and the engine."""
    a, b, w = 0.18, 0.62, 0.2
    pairs = (
        RevolutePair(0, np.array([0.0, w]), 1, np.zeros(2)),
        RevolutePair(2, np.array([0.0, b]), 1, np.array([a, 0.0])),
        YokePair(0, np.zeros(2), np.array([1.0, 0.0]), 2, np.zeros(2)),
    )
    drivers = (link_driver(1, "theta", np.pi / 4),)
    start = np.array([0, w, 0.8, 0.6, 0, 1.0])
    system = AbsoluteSystem(("1", "2"), pairs, drivers, start)
    q = np.random.default_rng(2).normal(size=6)
    x_1, y_1, t_1, x_2, y_2, t_2 = q
    printed = [
        x_1,
        y_1 - w,
        x_1 + a * np.cos(t_1) - x_2 + b * np.sin(t_2),
        y_1 + a * np.sin(t_1) - y_2 - b * np.cos(t_2),
        y_2,
    ]
    assert_allclose(system.rows(q).phi[:5], printed, atol=1e-15)
    balance = system.balance()
    assert (balance.pair_equations, balance.driver_equations, balance.unknowns) == (5, 1, 6)
    assert (balance.redundant, balance.free) == (0, 0)
    q, _ = system.position(0.0)
    assert_allclose(q[[3, 5]], [0.65386094, 1.01470594], atol=5e-9)
    other, _ = system.position(0.0, [0, w, 0.8, -0.4, 0, -1.0])
    assert_allclose(other[3], -0.39930250, atol=5e-9)
    B = q[:2] + a * np.array([np.cos(q[2]), np.sin(q[2])])
    joints = [
        kb.Revolute("A", "ground", "crank", at=(0, w)),
        kb.Revolute("B", "crank", "rod", at=B),
        kb.PinInSlot("C", "ground", "rod", at=(q[3], 0), axis=(1, 0)),
    ]
    m = kb.Mechanism("yoke", bodies("crank", "rod"), joints, plane="xy")
    found = engine_assembled(m, {"A": 0.5})
    system = AbsoluteSystem(("1", "2"), pairs, (link_driver(1, "theta", np.pi / 4 + 0.5),), q)
    moved, _ = system.position(0.0)
    assert_allclose(found["C.stroke"], moved[3] - q[3], atol=1e-10)


def test_example_2_7_from_the_start_of_the_drawing():
    """Example 2.7 with the frames of 3.5: the book's rough start leads to the solution."""
    system = yoke_of_example_3_5()
    q, sizes = system.position(0.0)
    expected = [0.04949747, 0.24949747, 0.78539816, 0.44152960, 0.13196743, 2.58550226]
    assert_allclose(q, expected, atol=5e-9)
    assert sizes[3] < 1e-9
    c, s = np.cos(q[5]), np.sin(q[5])
    M = q[3:5] + np.array([[c, -s], [s, c]]) @ [0.23, -0.2]
    assert_allclose(M, [0.35175871, 0.42324253], atol=5e-9)


def yoke_of_example_3_5(drive="pi/4 + 10*t"):
    a, b, c, d, w = 0.07, 0.11, 0.37, 0.25, 0.2
    pairs = (
        RevolutePair(0, np.array([0.0, w]), 1, np.array([-a, 0.0])),
        RevolutePair(2, np.array([c, 0.0]), 1, np.array([b, 0.0])),
        YokePair(0, np.zeros(2), np.array([1.0, 0.0]), 2, np.array([-d, 0.0])),
    )
    start = np.array([0.05, 0.25, np.pi / 4, 0.44, 0.13, 15 * np.pi / 18])
    return AbsoluteSystem(("1", "2"), pairs, (link_driver(1, "theta", drive),), start)


def test_example_2_8_serial_manipulator():
    """Example 2.8, corrected (2.111)-(2.113): rows, the balance 4 + 2, and the gripper's path."""
    a, b, c = 0.3, 0.25, 0.2
    K = np.array([0.35, 0.05])
    pairs = (
        RevolutePair(0, np.zeros(2), 1, np.array([-a, 0.0])),
        RevolutePair(2, np.array([-c, 0.0]), 1, np.array([b, 0.0])),
    )
    q = np.random.default_rng(3).normal(size=6)
    x_1, y_1, t_1, x_2, y_2, t_2 = q
    expected = [
        x_1 - a * np.cos(t_1),
        y_1 - a * np.sin(t_1),
        x_1 + b * np.cos(t_1) - x_2 + c * np.cos(t_2),
        y_1 + b * np.sin(t_1) - y_2 + c * np.sin(t_2),
    ]
    drivers = (point_driver(2, K, "x", "0.7 + 0.1*sin(t)"), point_driver(2, K, "y", "0.3 + 0.1*t"))
    start = np.array([0.3, 0.0, 0.2, 0.7, 0.2, 0.9])
    system = AbsoluteSystem(("1", "2"), pairs, drivers, start)
    assert_allclose(system.rows(q).phi[:4], expected, atol=1e-15)
    balance = system.balance()
    assert (balance.pair_equations, balance.driver_equations, balance.rank) == (4, 2, 6)
    done = absolute_motion(system, np.linspace(0, 1, 5))
    path = np.column_stack([0.7 + 0.1 * np.sin(done.t), 0.3 + 0.1 * done.t])
    assert_allclose(done.point("2", K)[0], path, atol=1e-12)


GENERATOR = {"a": 0.1, "b": 0.2, "c_1": 0.15, "c_2": -0.15, "d": 0.2, "e": 0.1, "h": 0.3, "g": 0.1}


def generator(start):
    """Example 2.9 with the synthetic sizes."""
    a, b, c_1, c_2, d, e, h, g = GENERATOR.values()
    points = [
        (0, (0, 0), 1, (-a, 0)),
        (2, (-b, c_2), 1, (a, 0)),
        (3, (d, 0), 2, (-b, c_1)),
        (4, (e, 0), 3, (-d, 0)),
        (4, (-e, 0), 0, (h, -g)),
    ]
    pairs = tuple(RevolutePair(j, np.array(s_j), k, np.array(s_k)) for j, s_j, k, s_k in points)
    drivers = (link_driver(1, "theta", np.radians(60)), link_driver(4, "theta", np.radians(100)))
    return AbsoluteSystem(("1", "2", "3", "4"), pairs, drivers, np.array(start))


SOLUTIONS_2_9 = [
    [0.31238528, 0.30508568, -0.08781960, 0.19579120, 0.28450527, 1.92558887],
    [-0.14778733, 0.20639298, 2.36494689, 0.07750155, 0.02809304, -2.79005423],
]


@pytest.mark.parametrize("middle", SOLUTIONS_2_9)
def test_example_2_9_trajectory_generator(middle):
    """Example 2.9, corrected (2.122): both solutions from rough starts, and the engine's."""
    t_1, t_4 = np.radians([60, 100])
    ends = [0.05, 0.09, t_1], [0.28, 0.0, t_4]
    rough = [*ends[0], *np.round(middle, 1), *ends[1]]
    system = generator(rough)
    balance = system.balance()
    assert (balance.pair_equations, balance.driver_equations, balance.unknowns) == (10, 2, 12)
    better = start_by_minimisation(lambda q: system.rows(q).phi, rough, weight=1e4)
    q, _ = system.position(0.0, better)
    expected = [0.05, 0.08660254, t_1, *middle, 0.28263518, -0.00151922, t_4]
    assert_allclose(q, expected, atol=5e-9)
    assert np.abs(system.rows(better).phi).max() < np.abs(system.rows(rough).phi).max()
    points = [(1, (-0.1, 0)), (1, (0.1, 0)), (2, (-0.2, 0.15)), (3, (-0.2, 0)), (4, (-0.1, 0))]
    at = [planar_matrix(*q[3 * i - 3 : 3 * i]) @ [*s, 1] for i, s in points]
    names = ["ground", "1", "2", "3", "4", "ground"]
    joints = [
        kb.Revolute(key, names[i], names[i + 1] if i < 4 else "4", at=p[:2])
        for i, (key, p) in enumerate(zip("ABCD", at, strict=False))
    ]
    joints.append(kb.Revolute("E", "ground", "4", at=at[4][:2]))
    m = kb.Mechanism("generator", bodies("1", "2", "3", "4"), joints, plane="xy")
    found = engine_assembled(m, {"A": 0.1, "E": -0.1})
    drivers = (link_driver(1, "theta", t_1 + 0.1), link_driver(4, "theta", t_4 - 0.1))
    moved, _ = AbsoluteSystem(system.links, system.pairs, drivers, q).position(0.0)
    assert_allclose(found["A"] + found["B"], moved[5] - q[5], atol=1e-10)


TABLE_1 = {
    2.0: [
        (2.00000, 1.33333, -2.00000, 0.66667, 2.66667),
        (2.66667, 0.04938, -1.77778, 0.02778, 2.69444),
        (2.69444, 0.00026, -1.75887, 0.00015, 2.69459),
        (2.69459, 0.00000, -1.75877, 0.00000, 2.69459),
    ],
    0.3: [
        (0.30000, 3.91450, -0.55500, 7.05315, 7.35315),
        (7.35315, 16.19391, 12.32812, -1.31357, 6.03958),
        (6.03958, 4.24062, 6.15910, -0.68851, 5.35107),
        (5.35107, 0.90308, 3.61482, -0.24983, 5.10124),
        (5.10124, 0.10198, 2.80884, -0.03631, 5.06493),
        (5.06493, 0.00204, 2.69691, -0.00075, 5.06418),
    ],
    -1.0: [
        (-1.00000, 2.83333, 2.50000, -1.13333, -2.13333),
        (-2.13333, -2.16928, 6.54222, 0.33158, -1.80175),
        (-1.80175, -0.22115, 5.22666, 0.04231, -1.75944),
        (-1.75944, -0.00339, 5.06669, 0.00067, -1.75877),
    ],
}


@pytest.mark.parametrize(("start", "root"), [(2.0, 2.69459), (0.3, 5.06418), (-1.0, -1.75877)])
def test_example_2_10_table_1(start, root):
    """Example 2.10: all digits of Table 1 (its run 1 goes one step further than needed)."""
    tolerance = 1e-9 if start == 2.0 else 1e-6
    run = newton(
        lambda x: x**3 / 6 - x**2 + 4, lambda x: x**2 / 2 - 2 * x, start, tolerance=tolerance
    )
    log = [(s.x, s.f, s.derivative, s.dx, s.x_next) for s in run.steps]
    assert_allclose(log, TABLE_1[start], atol=5.000001e-6)
    assert_allclose(run.x, root, atol=5e-6)
    assert run.converged and len(str(run).splitlines()) == len(log) + 2


def test_a_singular_jacobian_is_reported():
    """Newton's method says where the determinant is zero."""
    with pytest.raises(kb.KorbaError, match="singular configuration at step 1"):
        newton(lambda x: x**3 / 6 - x**2 + 4, lambda x: x**2 / 2 - 2 * x, 0.0)


def two_freedoms(x, q):
    """(2.130) of Example 2.11."""
    a, b, c = 0.2, 0.5, 0.4
    return [
        a * np.cos(q[0]) + b * np.cos(x[0]) - c - q[1] * np.cos(x[1]),
        a * np.sin(q[0]) + b * np.sin(x[0]) - q[1] * np.sin(x[1]),
    ]


TABLE_2_11 = [
    (0.0, 1.57079633, 0.32000000, 0.21685397, 1.29126525, 0.10768117, 0.36853714),
    (1.25, 2.18786340, 0.37656854, 0.43000676, 1.73416888, -0.04613766, 0.35061789),
    (2.5, 2.44346095, 0.40000000, 0.52937334, 1.87980834, -0.10256150, 0.32203838),
    (6.25, 0.95372925, 0.26343146, -0.02347004, 0.61218101, 0.26043039, 0.30117937),
    (7.5, 0.69813170, 0.24000000, -0.23339587, 0.05384351, 0.32350414, 0.23343616),
]


def drawn_generator(law_1, law_2):
    """Example 2.11 as a mechanism, drawn at t = 0; the actuator is a cylinder and a rod."""
    x_1, x_2 = ordered(two_freedoms, 2, 2).position([np.pi / 2, 0.32], np.radians([12, 74])).x
    C = circle_point((0.0, 0.2), 0.5, x_1)
    joints = [
        kb.Revolute("A", "ground", "crank", at=(0, 0)),
        kb.Revolute("B", "crank", "coupler", at=(0, 0.2)),
        kb.Revolute("C", "coupler", "rod", at=C),
        kb.Prismatic("piston", "cylinder", "rod", at=(0.4, 0), axis=(np.cos(x_2), np.sin(x_2))),
        kb.Revolute("D", "ground", "cylinder", at=(0.4, 0)),
    ]
    drives = [kb.JointDrive("motor", "A", law_1), kb.JointDrive("oil", "piston", law_2)]
    names = ("crank", "coupler", "rod", "cylinder")
    M = circle_point((0.0, 0.2), 0.2, x_1 + np.pi / 4)
    return kb.Mechanism("generator", bodies(*names), joints, plane="xy", drives=drives), M


def test_example_2_11_two_freedoms():
    """Example 2.11: the table over T = 10 s, the first step from the book's start, the engine."""
    system = ordered(two_freedoms, 2, 2)
    first = system.position([np.pi / 2, 0.32], np.radians([12, 74])).steps[0]
    assert_allclose(first.x_next, [0.21683932, 1.29121662], atol=5e-9)
    x = np.radians([12, 74])
    rows = []
    for t in np.arange(0, 8.75, 0.25):
        swing = np.sin(2 * np.pi * t / 10)
        q = np.array([np.pi / 2 + 5 * np.pi / 18 * swing, 0.32 + 0.08 * swing])
        x = system.position(q, x).x
        M = circle_point((0, 0), 0.2, q[0]) + 0.2 * np.array(
            [np.cos(x[0] + np.pi / 4), np.sin(x[0] + np.pi / 4)]
        )
        rows.append([t, *q, *x, *M])
    table = np.array([row for row in rows if row[0] in {line[0] for line in TABLE_2_11}])
    assert_allclose(table, TABLE_2_11, atol=5e-9)
    m, M = drawn_generator("5*pi/18*sin(2*pi*t/10)", "0.08*sin(2*pi*t/10)")
    done = engine_motion(m, np.array([row[0] for row in rows]))
    position = point_states(done, "coupler", M)[0]
    assert_allclose(position[:, :2], np.array(rows)[:, 5:], atol=1e-10)


def test_newton_for_the_four_bar_from_the_start_of_the_book():
    """Section 2.10: iterates from (pi/3, 2 pi/3), and the same from (2.142) shifted by pi."""
    run = newton(
        lambda x: four_bar_gap(SIZES, np.pi / 2, x),
        lambda x: loop_matrix(SIZES, *x),
        [np.pi / 3, 2 * np.pi / 3],
    )
    expected = [
        (0.52141413, 1.95351186),
        (0.57655007, 2.08312953),
        (0.56820949, 2.08338891),
        (0.56821159, 2.08342374),
    ]
    assert_allclose([step.x_next for step in run.steps[:4]], expected, atol=5e-9)
    refined = refined_start(SIZES, np.pi / 2, [np.pi / 3, 5 * np.pi / 3], rounds=3)
    assert_allclose(refined - [0, np.pi], expected[2], atol=5e-9)
    assert_allclose(run.determinants[-1], 0.36 * np.sin(0.56821159 - 2.08342374), atol=1e-3)


RRT = (DHLink(0, 0, 0, 0.5), DHLink(0.2, 3 * np.pi / 2, 0, 0.1), DHLink(0, 3 * np.pi / 2, pair="T"))


def test_example_2_12_serial_manipulator():
    """Example 2.12, corrected matrices and (2.156): numbers, and the engine's poses."""
    q = np.array([np.radians(30), np.radians(40), 0.3])
    (c_1, c_2), (s_1, s_2) = np.cos(q[:2]), np.sin(q[:2])
    h, b, c, tool = 0.5, 0.2, 0.1, 0.15
    A_12 = [[c_2, -s_2, 0, b], [0, 0, 1, c], [-s_2, -c_2, 0, 0], [0, 0, 0, 1]]
    assert_allclose(RRT[1].matrix(q[1]), A_12, atol=1e-15)
    A_03 = dh_frames(RRT, q)[-1]
    expected = [[c_1 * c_2, s_1, -c_1 * s_2], [s_1 * c_2, -c_1, -s_1 * s_2], [-s_2, 0, -c_2]]
    assert_allclose(A_03[:3, :3], expected, atol=1e-15)
    assert_allclose(A_03[:3, 3], [-0.04379604, 0.09018440, 0.27018667], atol=5e-9)
    r_M = dh_position(RRT, q, (0, 0, tool))
    assert_allclose(r_M, [-0.12729660, 0.04197533, 0.15528000], atol=5e-9)
    reach = tool + q[2]
    formula = [
        -reach * c_1 * s_2 + b * c_1 - c * s_1,
        -reach * s_1 * s_2 + b * s_1 + c * c_1,
        -reach * c_2 + h,
    ]
    assert_allclose(r_M, formula, atol=1e-15)
    rows = [
        {"d": h},
        {"a": b, "alpha": 3 * np.pi / 2, "d": c},
        {"alpha": 3 * np.pi / 2, "joint": "prismatic"},
    ]
    m = kb.from_dh(rows, convention="modified")
    drives = [kb.JointDrive(f"d{i}", f"q{i}", float(value)) for i, value in enumerate(q, start=1)]
    done = engine_motion(kb.Mechanism("arm", m.bodies, m.joints, drives=drives), [0.0])
    assert_allclose(point_states(done, "link3", (0, 0, tool))[0][0], r_M, atol=1e-10)


CARDAN = [
    (30, 0, -90, 60, 90),
    (30, 30, -73.89788625, 64.34109373, 56.30993247),
    (30, 60, -63.43494882, 75.52248781, 26.56505118),
    (45, 20, -71.11827877, 48.35885673, 62.76368652),
]


@pytest.mark.parametrize(("beta", "t_1", "t_2", "t_3", "t_0"), CARDAN)
def test_example_2_13_universal_joint_in_closed_form(beta, t_1, t_2, t_3, t_0):
    """Example 2.13, (2.161): the table, closure to 1e-15, and the other branch."""
    beta, theta = np.radians([beta, t_1])
    q = cardan_angles(beta, theta)
    assert_allclose(np.degrees(q[1:]), [t_2, t_3, t_0], atol=5e-9)
    assert loop_gap(cardan_rows(beta), q) < 1e-29
    other = cardan_angles(beta, theta, branch=-1)
    assert loop_gap(cardan_rows(beta), other) < 1e-29
    difference = np.degrees(other - q)[1:] - [180, -2 * t_3, -180]
    assert_allclose((difference + 180) % 360 - 180, 0, atol=1e-7)


@pytest.mark.parametrize("central", [True, False])
def test_example_2_13_universal_joint_by_minimisation(central):
    """Example 2.13, (2.164): DFP from (0, 0, 0) finds the second row in about a dozen steps."""
    beta = theta = np.radians(30)
    found = closed_loop(cardan_rows(beta), {0: theta}, [0, 0, 0], central=central)
    expected = cardan_angles(beta, theta)
    assert_allclose(loop_product(cardan_rows(beta), found.q), np.eye(4), atol=2e-5)
    assert_allclose(found.q, expected, atol=1e-5)
    assert found.minimum.iterations <= 25


def test_example_2_13_needs_no_accurate_start():
    """Example 2.13: nearly every random start closes the loop; a minimum above zero is refused."""
    rng = np.random.default_rng(4)
    rows, closed = cardan_rows(np.radians(30)), 0
    for start in rng.uniform(-np.pi, np.pi, size=(40, 3)):
        try:
            closed += closed_loop(rows, {0: np.radians(30)}, start).gap < 1e-10
        except kb.KorbaError:
            continue
    assert closed >= 39


def test_example_2_13_with_the_engine():
    """Example 2.13: the loop as a spatial mechanism has the same angles."""
    beta = np.radians(30)
    q = cardan_angles(beta, np.radians(30))
    joints = []
    names = ["ground", "shaft in", "cross", "shaft out", "ground"]
    for i, row in enumerate(cardan_rows(beta)):
        A = dh_matrix(row.a, row.alpha, 0, 0)
        frame = kb.Frame(A[:3, 3], A[:3, :3])
        name = "0123"[(i + 1) % 4]
        joints.append(
            kb.Revolute(
                name, names[i], names[i + 1], on_parent=frame, on_child=kb.Frame(), drawn=(q[i],)
            )
        )
    m = kb.Mechanism("universal joint", bodies(*names[1:4]), joints)
    theta = np.radians(75)
    found = engine_assembled(m, {"1": theta})
    values = [found[name] for name in "1230"]
    assert_allclose(values, cardan_angles(beta, theta), atol=1e-10)


DISC = "0.02*cos(beta) + sqrt(0.05**2 - 0.02**2*sin(beta)**2)"


def disc_points():
    beta = np.linspace(0, 2 * np.pi, 721)
    return np.column_stack(
        [beta, 0.02 * np.cos(beta) + np.sqrt(0.0025 - 0.0004 * np.sin(beta) ** 2)]
    )


PROFILES = {
    "text": DISC,
    "function": lambda b: 0.02 * np.cos(b) + (0.0025 - 0.0004 * np.sin(b) ** 2) ** 0.5,
    "points": disc_points(),
    "curve": kb.Curve(tuple(disc_points()[:, 0]), tuple(disc_points()[:, 1]), periodic=True),
}


def cam_system(kind, profile, theta, y, beta):
    """A cam about the origin and a follower that slides on the y axis; unknown 6 is beta."""
    shape = Profile(law(profile, "beta"))
    contact = {
        "roller": CamRollerPair(1, shape, 2, np.zeros(2), 0.01, 6),
        "flat": CamFlatPair(1, shape, 2, np.zeros(2), np.array([0.0, 1.0]), 6),
    }[kind]
    pairs = (
        RevolutePair(0, np.zeros(2), 1, np.zeros(2)),
        PrismaticPair(0, np.zeros(2), np.array([0.0, 1.0]), 2, np.zeros(2), 0.0),
        contact,
    )
    drivers = (link_driver(1, "theta", theta),)
    start = np.array([0, 0, theta, 0, y + 0.001, 0, beta + 0.01])
    return AbsoluteSystem(("cam", "follower"), pairs, drivers, start)


@pytest.mark.parametrize("form", PROFILES)
@pytest.mark.parametrize(
    ("kind", "degrees", "y", "beta"),
    [
        ("roller", 0, 0.0565685425, 1.5002031475),
        ("roller", 30, 0.0674456265, 0.9973566482),
        ("roller", 90, 0.08, 0.0),
        ("roller", 200, 0.0501402176, -1.8429462287),
        ("flat", 30, 0.06, 0.7661626497),
        ("flat", 200, 0.0431595971, -1.5091735721),
    ],
)
def test_cams_of_section_2_8(form, kind, degrees, y, beta):
    """(2.89), (2.91): an eccentric disc with roller and flat follower, any form of the profile."""
    system = cam_system(kind, PROFILES[form], np.radians(degrees), y, beta)
    q, _ = system.position(0.0)
    fine = 5e-11 if form in ("text", "function") else 1e-8
    assert_allclose(q[[4, 6]], [y, beta], atol=fine)
    balance = system.balance()
    assert (balance.unknowns, balance.rank, balance.parameters) == (7, 7, 1)


def test_gears_of_section_2_8():
    """(2.92): wheels of 20 and 40 on a fixed carrier, and rolling round a fixed sun."""
    row = GearPair(1, 20.0, 2, 40.0, 3, (0.0, 0.0, 0.0))
    others = tuple(RevolutePair(0, np.zeros(2), i, np.zeros(2)) for i in (1, 2, 3))
    for fixed, given, wanted in (((3, 1), (0, 60), -30), ((1, 3), (0, 90), 135)):
        drivers = tuple(
            link_driver(i, "theta", np.radians(angle))
            for i, angle in zip(fixed, given, strict=True)
        )
        system = AbsoluteSystem(("j", "k", "m"), (row, *others), drivers, np.zeros(9))
        q, _ = system.position(0.0)
        assert_allclose(np.degrees(q[5]), wanted, atol=1e-12)


def test_the_engine_gives_the_same_cam_motion():
    """Section 2.8: roller cam as a mechanism, absolute coordinates and the engine to 1e-10."""
    joints = [
        kb.Revolute("A", "ground", "cam", at=(0, 0)),
        kb.Prismatic("B", "ground", "follower", at=(0, 0), axis=(0, 1)),
        kb.CamRoller(
            "C", "cam", "follower", at=(0, 0), profile=DISC, radius=0.01,
            drawn=(1.5002031475, 0),
        ),
    ]  # fmt: skip
    drives = [kb.JointDrive("camshaft", "A", "6*t")]
    frame = kb.Frame((0, 0.0565685425))
    both = [kb.Body("cam"), kb.Body("follower", frame=frame)]
    m = kb.Mechanism("cam", both, joints, plane="xy", drives=drives)
    times = np.linspace(0, 1, 9)
    found, done = absolute_motion(m, times), engine_motion(m, times)
    y = 0.02 * np.sin(6 * times) + np.sqrt(0.06**2 - 0.0004 * np.cos(6 * times) ** 2)
    assert_allclose(found.link("follower")[0][:, 1], y, atol=1e-9)
    with by_numpy():
        for mine, engine in zip(found.link("follower"), body_states(done, "follower"), strict=True):
            assert_allclose(mine, engine, atol=1e-10)
