"""Examples 2.1-2.6 and 2.10-2.13: printed numbers (corrected), recomputed tables, the engine."""

from functools import partial

import numpy as np
import pytest
from book_mechanisms import (
    SIZES,
    bodies,
    drawn_four_bar,
    drawn_generator,
    two_freedoms,
    universal_joint,
)
from engine_by_numpy import engine_assembled, engine_motion, point_states
from numpy.testing import assert_allclose

import korba as kb
from korba.course import (
    DHLink,
    cardan_angles,
    cardan_rows,
    circle_meets_line,
    circle_point,
    circles_meet,
    closed_loop,
    dh_frames,
    dh_inverse,
    dh_matrix,
    dh_position,
    four_bar,
    loop_product,
    loop_residual,
    nearest,
    newton,
    ordered,
    planar_inverse,
    planar_matrix,
    refined_start,
    roots_of,
    rot,
    spatial_inverse,
    transl,
)
from korba.course.loop_methods import METHODS
from korba.course.loop_shapes import SHAPES, Loop

TABLE = [
    (np.pi / 2, "open", 0.50571883, 0.52287531, 0.56821159, 2.08342374),
    (np.pi / 2, "crossed", 0.29428117, -0.32287531, -1.05816891, -2.57338107),
    (np.pi / 3, "open", 0.56519215, 0.55214606, 0.68357433, 1.97289058),
    (np.pi / 3, "crossed", 0.33480785, -0.37894098, -1.16870207, -2.45801833),
    (np.pi, "open", 0.3, 0.33166248, 0.58568554, 2.55590711),
]


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


TABLE_2_11 = [
    (0.0, 1.57079633, 0.32000000, 0.21685397, 1.29126525, 0.10768117, 0.36853714),
    (1.25, 2.18786340, 0.37656854, 0.43000676, 1.73416888, -0.04613766, 0.35061789),
    (2.5, 2.44346095, 0.40000000, 0.52937334, 1.87980834, -0.10256150, 0.32203838),
    (6.25, 0.95372925, 0.26343146, -0.02347004, 0.61218101, 0.26043039, 0.30117937),
    (7.5, 0.69813170, 0.24000000, -0.23339587, 0.05384351, 0.32350414, 0.23343616),
]


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
    loop = Loop(SHAPES["four-bar"], *SIZES)
    run = newton(
        lambda x: loop.residual(np.pi / 2, x),
        lambda x: loop.matrix(np.pi / 2, x),
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
    assert_allclose([step.x_next - [0, np.pi] for step in refined.steps], expected[:3], atol=5e-9)
    first = refined.steps[0]
    deviations = 0.2j + 0.6 * np.exp(1j * np.pi / 3) + 0.6 * np.exp(5j * np.pi / 3) - 0.8
    assert_allclose(first.f, [deviations.real, deviations.imag], atol=1e-15)
    assert_allclose(first.x + first.dx, first.x_next)
    assert not refined.converged and abs(refined.residual - 1.7537e-5) < 1e-9
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
    assert loop_residual(cardan_rows(beta), q) < 1e-29
    other = cardan_angles(beta, theta, branch=-1)
    assert loop_residual(cardan_rows(beta), other) < 1e-29
    difference = np.degrees(other - q)[1:] - [180, -2 * t_3, -180]
    assert_allclose((difference + 180) % 360 - 180, 0, atol=1e-7)


@pytest.mark.parametrize("central", [True, False])
def test_example_2_13_universal_joint_by_minimisation(central):
    """Example 2.13, (2.164): DFP from (0, 0, 0) finds the second row in about a dozen steps."""
    beta = theta = np.radians(30)
    found = closed_loop(cardan_rows(beta), {0: theta}, [0, 0, 0], central=central)
    expected = cardan_angles(beta, theta)
    assert_allclose(found.minimum.x, expected[1:], atol=1e-5)
    assert_allclose(loop_product(cardan_rows(beta), found.q), np.eye(4), atol=1e-15)
    assert_allclose(found.q, expected, atol=1e-14)
    assert found.minimum.iterations <= 25


def test_example_2_13_needs_no_accurate_start():
    """Example 2.13: nearly every random start closes the loop; a minimum above zero is refused."""
    rng = np.random.default_rng(4)
    rows, closed = cardan_rows(np.radians(30)), 0
    for start in rng.uniform(-np.pi, np.pi, size=(40, 3)):
        try:
            closed += closed_loop(rows, {0: np.radians(30)}, start).residual < 1e-10
        except kb.KorbaError:
            continue
    assert closed >= 39


def test_example_2_13_with_the_engine():
    """Example 2.13: the loop as a spatial mechanism has the same angles."""
    beta, theta = np.radians([30, 75])
    found = engine_assembled(universal_joint(beta, np.radians(30)), {"1": theta})
    values = [found[name] for name in "1230"]
    assert_allclose(values, cardan_angles(beta, theta), atol=1e-10)
