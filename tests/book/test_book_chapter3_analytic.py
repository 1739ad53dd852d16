"""Examples 3.3-3.6 of Gronowicz and the closed loops of 3.5.2: tables, corrections, the engine."""

import numpy as np
import pytest
from book_mechanisms import (
    SIZES,
    drawn_four_bar,
    drawn_generator,
    two_freedoms,
    universal_joint,
    yoke_of_example_3_5,
)
from engine_by_numpy import body_states, engine_motion, link_states, point_states
from numpy.testing import assert_allclose

import korba as kb
from korba.course import (
    DHLink,
    absolute_motion,
    absolute_system,
    cardan_angles,
    cardan_ratio,
    cardan_rows,
    closed_loop,
    dh_frames,
    dh_jacobian,
    dh_matrix,
    dh_motion,
    dh_position,
    four_bar,
    loop_rates,
    loop_residual,
    newton,
    ordered,
    point_homogeneous,
)
from korba.course.dh.loop import product_with, quadratic_term

TABLE_3_3 = [
    (90, 32.55613, 119.37139, -1.63742, 2.81389, 21.31249, 20.21000),
    (120, 29.30957, 128.90364, -0.52323, 3.38037, 21.76353, 1.80179),
    (150, 29.51876, 138.74776, 0.68886, 3.04239, 24.65574, -14.17647),
    (180, 33.55731, 146.44269, 2.00000, 2.00000, 24.12091, -24.12091),
    (210, 41.25224, 150.48124, 3.04239, 0.68886, 14.17647, -24.65574),
    (240, 51.09636, 150.69043, 3.38037, -0.52323, -1.80179, -21.76353),
    (270, 60.62861, 147.44387, 2.81389, -1.63742, -20.21000, -21.31249),
    (300, 66.96170, 140.83408, 1.23411, -2.77257, -39.99177, -21.50116),
    (330, 67.13116, 130.99820, -1.20891, -3.68416, -49.50722, -9.64041),
    (360, 60.00000, 120.00000, -3.33333, -3.33333, -25.66001, 25.66001),
    (390, 49.00180, 112.86884, -3.68416, -1.20891, 9.64041, 49.50722),
    (420, 39.16592, 113.03830, -2.77257, 1.23411, 21.50116, 39.99177),
]


def test_example_3_3_four_bar_over_a_cycle():
    """Example 3.3, (3.38), (3.39): the whole table, and the engine to 1e-10."""
    table = np.array(TABLE_3_3)
    theta = np.radians(table[:, 0])
    found = four_bar(*SIZES, theta, omega=10.0)
    angles = np.degrees([found.theta2, found.theta3]).T
    assert_allclose(np.hstack([angles, found.omega, found.epsilon]), table[:, 1:], atol=5.1e-6)
    m, drawn = drawn_four_bar(drives=[kb.JointDrive("motor", "A", "10*t")])
    times = (theta - theta[0]) / 10
    done = engine_motion(m, times)
    for name, k, start in (("coupler", 0, drawn.theta2), ("rocker", 1, drawn.theta3)):
        q, v, a = body_states(done, name)
        mine = [found.theta2, found.theta3][k]
        assert_allclose(q[:, 2], mine - start, atol=1e-10)
        assert_allclose(v[:, 2], found.omega[:, k], atol=1e-10)
        assert_allclose(a[:, 2], found.epsilon[:, k], atol=1e-9)


def test_example_3_3_extremes():
    """Example 3.3: extremes over the cycle; the curves mirror each other because b = c."""
    theta = np.linspace(0, 2 * np.pi, 20_001)
    found = four_bar(*SIZES, theta, omega=10.0)
    expected = {
        "theta2": (0.50536, 1.18640),
        "theta3": (1.95519, 2.63623),
    }
    for name, ends in expected.items():
        values = getattr(found, name)
        assert_allclose([values.min(), values.max()], ends, atol=5.1e-6)
    assert_allclose(found.omega.min(axis=0), -3.77209, atol=5.1e-6)
    assert_allclose(found.omega.max(axis=0), 3.38530, atol=5.1e-6)
    assert_allclose(found.epsilon.min(axis=0), [-49.7943, -25.3744], atol=5.1e-5)
    assert_allclose(found.epsilon.max(axis=0), [25.3744, 49.7943], atol=5.1e-5)


def test_example_3_3_start_is_exact_at_zero():
    """Example 3.3: (60, 120) deg closes at theta_1 = 0; at 90 deg it is a start, 6 steps away."""
    at = four_bar(*SIZES, 0.0)
    assert_allclose([at.theta2, at.theta3], np.radians([60, 120]), atol=1e-15)

    def gap(x):
        return np.array(
            [
                0.6 * np.cos(x[0]) - 0.8 - 0.6 * np.cos(x[1]),
                0.2 + 0.6 * np.sin(x[0]) - 0.6 * np.sin(x[1]),
            ]
        )

    assert_allclose(gap(np.radians([60, 120])), [-0.2, 0.2], atol=1e-15)
    run = newton(gap, None, np.radians([60, 120]), tolerance=1e-14)
    assert_allclose(np.degrees(run.x), TABLE_3_3[0][1:3], atol=5.1e-6)
    assert len(run.steps) <= 7


TABLE_3_4 = [
    (0, 12.42482, 73.98405, 0.18315, 0.46568, -0.00822, -0.15817),
    (1, 22.45586, 95.63858, 0.15962, 0.28417, -0.05183, -0.19436),
    (2.5, 30.33086, 107.70508, 0, 0, -0.14018, -0.18391),
    (4, 22.45586, 95.63858, -0.15962, -0.28417, -0.05183, -0.19436),
    (5, 12.42482, 73.98405, -0.18315, -0.46568, -0.00822, -0.15817),
    (6, 1.56974, 43.51530, -0.19971, -0.58272, -0.02925, -0.06520),
    (7, -10.26989, 10.83211, -0.18497, -0.47205, 0.17157, 0.50970),
    (7.5, -13.37260, 3.08501, 0, 0, 0.51512, 1.25873),
    (9, 1.56974, 43.51530, 0.19971, 0.58272, -0.02925, -0.06520),
]
POINT_3_4 = [
    (0.10768, 0.36854, -0.14053, 0.01972, -0.00223, -0.06667),
    (-0.02147, 0.35898, -0.10679, -0.03130, 0.06222, -0.02310),
    (-0.10256, 0.32204, 0, 0, 0.07141, 0.04568),
    (-0.02147, 0.35898, 0.10679, 0.03130, 0.06222, -0.02310),
    (0.10768, 0.36854, 0.14053, -0.01972, -0.00223, -0.06667),
    (0.23564, 0.31950, 0.10631, -0.07100, -0.05584, -0.02423),
    (0.31195, 0.24892, 0.04395, -0.05541, -0.07364, 0.06878),
    (0.32350, 0.23344, 0, 0, -0.09831, 0.14050),
    (0.23564, 0.31950, -0.10631, 0.07100, -0.05584, -0.02423),
]


def inputs_3_4(t):
    """q, q' and q'' of Example 3.4."""
    w, size = 2 * np.pi / 10, np.array([5 * np.pi / 18, 0.08])
    middle = np.array([np.pi / 2, 0.32])
    s, c = np.sin(w * t), np.cos(w * t)
    return middle + size * s, size * w * c, -size * w * w * s


def test_example_3_4_ordered_matrices():
    """Example 3.4, (3.43), (3.46): links and point M over the cycle, and the engine to 1e-10."""
    system = ordered(two_freedoms, 2, 2)
    rows, points = [], []
    before, x = 0.0, np.radians([12.0, 74.0])
    for t, *_ in TABLE_3_4:
        for s in np.linspace(before, t, 11):
            x = system.position(inputs_3_4(s)[0], x).x
        q, qd, qdd = inputs_3_4(t)
        before = t
        xd, xdd = system.rates(x, q, qd, qdd)
        rows.append([t, *np.degrees(x), *xd, *xdd])
        points.append(coupler_point(q, qd, qdd, x, (xd, xdd)))
    assert_allclose(rows, TABLE_3_4, atol=5.1e-6)
    assert_allclose(points, POINT_3_4, atol=5.1e-6)
    m, M = drawn_generator("5*pi/18*sin(2*pi*t/10)", "0.08*sin(2*pi*t/10)")
    states = point_states(engine_motion(m, [row[0] for row in TABLE_3_4]), "coupler", M)
    engine = np.hstack([each[:, :2] for each in states])
    assert_allclose(engine, points, atol=1e-10)


def coupler_point(q, qd, qdd, x, rates):
    """r_M and its derivatives, as printed in Example 3.4 (its e is the d = 0.2 of the data)."""
    a, e, angle = 0.2, 0.2, x[0] + np.pi / 4
    (xd, _), (xdd, _) = rates
    s, c, s_q, c_q = np.sin(angle), np.cos(angle), np.sin(q[0]), np.cos(q[0])
    return [
        a * c_q + e * c,
        a * s_q + e * s,
        -a * qd[0] * s_q - e * xd * s,
        a * qd[0] * c_q + e * xd * c,
        -a * qdd[0] * s_q - a * qd[0] ** 2 * c_q - e * xdd * s - e * xd**2 * c,
        a * qdd[0] * c_q - a * qd[0] ** 2 * s_q + e * xdd * c - e * xd**2 * s,
    ]


def test_example_3_4_determinant():
    """Example 3.4: det A runs from -0.19516 to -0.03400, near singular at t = 7.5."""
    system = ordered(two_freedoms, 2, 2)
    for t, expected in ((2.5, -0.19516), (7.5, -0.03400)):
        row = next(line for line in TABLE_3_4 if line[0] == t)
        q = inputs_3_4(t)[0]
        x = system.position(q, np.radians(row[1:3])).x
        assert_allclose(np.linalg.det(system.values(system.A, x, q)), expected, atol=5.1e-6)


LINK_3_5 = [
    (0.34175, 0.15075, 2.49432, -1.94882, 0.18785, -0.94193, 2.77295, -7.01075, 34.48271),
    (0.24857, 0.15075, 2.49432, -1.52851, -0.18785, 0.94193, 12.09044, -7.01075, 34.48271),
    (0.18697, 0.13197, 2.58550, -0.80071, -0.51322, 2.41708, 14.90364, -5.13223, 20.53976),
    (0.16561, 0.09943, 2.73256, -0.01610, -0.70108, 3.05644, 14.82459, -1.87853, 4.14020),
    (0.24017, 0.02932, 3.02403, 1.36250, -0.51322, 2.06716, 10.23877, 5.13223, -21.17628),
    (0.41626, 0.01054, 3.09943, 1.72694, 0.18785, -0.75208, -5.30595, 7.01075, -28.09182),
    (0.53236, 0.06186, 2.89156, 0.20089, 0.70108, -2.89430, -21.29565, 1.87853, -9.89459),
]
POINT_3_5 = [
    (0.27887, 0.44899, -1.66790, 0.24708, -7.45535, -9.44351),
    (0.18570, 0.44899, -1.80943, -0.24708, 1.86213, -9.44351),
    (0.03413, 0.37441, -0.85655, -1.10294, 14.91441, -4.99167),
    (0.03521, 0.25492, 0.89616, -0.93690, 15.89186, 8.50838),
    (0.19489, 0.22005, 1.88451, 0.35434, 0.70497, 13.11080),
    (0.35900, 0.31255, 0.92647, 1.20283, -17.36292, 1.49381),
]
TIMES_3_5 = np.array([0, 1, 2, 3, 4, 6, 8, 10]) * np.pi / 60


def test_example_3_5_yoke_in_absolute_coordinates():
    """Example 3.5: q, q', q'' and gamma at t = 0, and the printed numbers of Example 4.11."""
    done = absolute_motion(yoke_of_example_3_5(), TIMES_3_5)
    q, v, a = done.q[0], done.v[0], done.a[0]
    assert_allclose(q, [0.049497, 0.249497, 0.785398, 0.441530, 0.131967, 2.585502], atol=5.1e-7)
    assert_allclose(v, [-0.494975, 0.494975, 10, -1.744877, 0.513223, -2.417084], atol=5.1e-7)
    expected = [-4.949747, -4.949747, 0, -10.552209, -5.132227, 20.539757]
    assert_allclose(a, expected, atol=5.1e-7)
    rows = absolute_system(yoke_of_example_3_5()).rows(q, v, 0.0)
    gamma = [-4.949747, -4.949747, 9.614118, 6.637106, -0.770993, 0]
    assert_allclose(rows.gamma, gamma, atol=5.1e-7)
    assert_allclose(rows.phi_t, [0, 0, 0, 0, 0, -10], atol=0)
    assert_allclose(abs(np.linalg.det(rows.phi_q)), 0.526582, atol=5.1e-7)
    printed = [0.049, 0.249, np.pi / 4, 0.441, 0.132, np.radians(148)]
    assert_allclose(q, printed, atol=2.5e-3)
    assert_allclose(v, [-0.49, 0.49, 10, -1.745, 0.513, -2.417], atol=5.1e-3)


def test_example_3_5_over_a_cycle():
    """Example 3.5: tables of link 2 and of M, and the same from homogeneous matrices (3.63)."""
    done = absolute_motion(yoke_of_example_3_5(), TIMES_3_5)
    assert_allclose(np.hstack(link_states(done, "2"))[1:], LINK_3_5, atol=5.1e-6)
    path = done.point("2", (0.23, -0.2))
    M = np.hstack([x[:, :2] for x in (path.position, path.velocity, path.acceleration)])
    first = [0.351759, 0.423243, -1.040841, 0.730206, -16.010460, -8.677814]
    assert_allclose(M[0], first, atol=5.1e-7)
    assert_allclose(M[[1, 2, 4, 5, 6, 7]], POINT_3_5, atol=5.1e-6)
    for k, row in enumerate(M):
        matrices = point_homogeneous(*(each[k] for each in link_states(done, "2")))
        found = np.concatenate([(A @ [0.23, -0.2, 1.0])[:2] for A in matrices])
        assert_allclose(found, row, atol=1e-12)


def test_example_3_5_extremes_and_the_engine():
    """Example 3.5: extremes over the cycle; the engine moves the same mechanism alike to 1e-10."""
    times = np.linspace(0, np.pi / 5, 361)
    done = absolute_motion(yoke_of_example_3_5(), times)
    q, v, a = link_states(done, "2")
    M = done.point("2", (0.23, -0.2)).position
    for values, ends, fine in (
        (q[:, 2], (2.48186, 3.10933), 5e-5),
        (v[:, 2], (-3.08610, 3.08610), 2e-4),
        (a[:, 2], (-29.0474, 36.7423), 5e-3),
        (M[:, 0], (0.01127, 0.38200), 5e-5),
        (M[:, 1], (0.21538, 0.45223), 5e-5),
    ):
        assert_allclose([values.min(), values.max()], ends, atol=fine)
    start = done.q[0]
    B = [0.18 * np.cos(start[2]), 0.2 + 0.18 * np.sin(start[2])]
    frames = [kb.Frame((*start[i : i + 2], 0.0), float(start[i + 2])) for i in (0, 3)]
    C = start[3:5] - 0.25 * np.array([np.cos(start[5]), np.sin(start[5])])
    joints = [
        kb.Revolute("A", "ground", "1", at=(0, 0.2)),
        kb.Revolute("B", "1", "2", at=B),
        kb.PinInSlot("C", "ground", "2", at=(C[0], 0), axis=(1, 0)),
    ]
    both = [kb.Body(name, frame=frame) for name, frame in zip("12", frames, strict=True)]
    drives = [kb.JointDrive("motor", "A", "10*t")]
    m = kb.Mechanism("yoke", both, joints, plane="xy", drives=drives)
    engine = body_states(engine_motion(m, times[::40]), "2")
    for mine, other in zip((q, v, a), engine, strict=True):
        assert_allclose(mine[::40], other, atol=1e-10)


def rrt(b=0.3, c=0.1, h=0.5):
    """Example 3.6."""
    right = 3 * np.pi / 2
    return DHLink(0, 0, 0, h), DHLink(b, right, 0, c), DHLink(0, right, pair="T")


STATE_3_6 = np.array([0.4, 0.7, 0.6]), np.array([0.5, -0.3, 0.2]), np.array([0.1, 0.2, -0.4])


def test_example_3_6_recursion():
    """Example 3.6, (3.68)-(3.88): the recursion's numbers; (3.104) as printed has y wrong."""
    links = dh_motion(rrt(), *STATE_3_6)
    r, v, a = links[2].point((0, 0, 0.2))
    assert_allclose(r, [-0.237315, 0.008235, -0.111874], atol=5.1e-7)
    assert_allclose(links[1].v, [-0.104466, 0.118688, 0], atol=5.1e-7)
    assert_allclose(links[2].v, [-0.021074, -0.055883, -0.268928], atol=5.1e-7)
    assert_allclose(links[2].w, [0.116826, -0.276318, 0.5], atol=5.1e-7)
    assert_allclose(links[2].w_rate, [0.060275, 0.242625, 0.1], atol=5.1e-7)
    assert_allclose(links[2].a, [0.289769, 0.095560, 0.347238], atol=5.1e-7)
    assert_allclose(v, [0.046281, -0.097349, -0.307581], atol=5.1e-7)
    assert_allclose(a, [0.289086, 0.131106, 0.386774], atol=5.1e-7)
    (q_1, q_2, q_3), (d_1, d_2, d_3), _ = STATE_3_6
    reach = q_3 + 0.2
    right_y = d_1 * (0.3 * np.cos(q_1) - 0.1 * np.sin(q_1)) - d_3 * np.sin(q_1) * np.sin(q_2)
    right_y -= reach * (d_2 * np.sin(q_1) * np.cos(q_2) + d_1 * np.cos(q_1) * np.sin(q_2))
    assert_allclose(v[1], right_y, atol=1e-15)


def test_example_3_6_jacobian_and_differences():
    """Example 3.6: J q' is the velocity, the recursion with q'' = 0 is J' q', and differences."""
    q, qd, qdd = STATE_3_6
    J = dh_jacobian(rrt(), q, (0, 0, 0.2))
    expected = [
        [-0.008235, -0.563573, -0.593364],
        [-0.237315, -0.238275, -0.250870],
        [0, 0.515374, -0.764842],
    ]
    assert_allclose(J[:3], expected, atol=5.1e-7)
    assert_allclose(np.linalg.det(J[:3]), 0.172299, atol=5.1e-7)
    last = dh_motion(rrt(), q, qd, qdd)[2]
    _, v, a = last.point((0, 0, 0.2))
    assert_allclose(J @ qd, [*v, *last.w], atol=1e-15)
    still = dh_motion(rrt(), q, qd)[2]
    bias = [*still.point((0, 0, 0.2))[2], *still.w_rate]
    assert_allclose(J @ qdd + bias, [*a, *last.w_rate], atol=1e-15)
    h = 1e-4

    def place(s):
        return dh_position(rrt(), q + s * qd + 0.5 * s * s * qdd, (0, 0, 0.2))

    assert_allclose((place(h) - place(-h)) / (2 * h), v, atol=1e-8)
    assert_allclose((place(h) - 2 * place(0) + place(-h)) / h**2, a, atol=1e-6)


def test_example_3_6_with_the_engine():
    """Example 3.6: the arm of the same rows has the same point, velocity and acceleration."""
    rows = [
        {"d": 0.5},
        {"a": 0.3, "alpha": 3 * np.pi / 2, "d": 0.1},
        {"alpha": 3 * np.pi / 2, "joint": "prismatic"},
    ]
    arm = kb.from_dh(rows, convention="modified")
    laws = [f"{q!r} + {v!r}*t + {a / 2!r}*t**2" for q, v, a in np.array(STATE_3_6).T.tolist()]
    drives = [kb.JointDrive(f"d{i}", f"q{i}", each) for i, each in enumerate(laws, start=1)]
    m = kb.Mechanism("arm", arm.bodies, arm.joints, drives=drives)
    engine = point_states(engine_motion(m, [0.0]), "link3", (0, 0, 0.2))
    mine = dh_motion(rrt(), *STATE_3_6)[2].point((0, 0, 0.2))
    for one, other in zip(mine, engine, strict=True):
        assert_allclose(one, other[0], atol=1e-10)


def test_universal_joint_by_the_operators_q():
    """(3.105)-(3.128): rates of the universal joint; the printed sign of D_A is wrong."""
    beta, theta = np.radians([30, 40])
    rows, q = cardan_rows(beta), cardan_angles(beta, theta)
    assert_allclose(np.degrees(q[1:]), [-69.639425, 67.478988, 45.904687], atol=5.1e-7)
    found = loop_rates(rows, q, {0: 10.0}, {0: 5.0})
    assert_allclose(found.qd[1:], [3.887370, 3.479270, -10.149203], atol=5.1e-7)
    assert_allclose(found.qdd[1:], [-41.891502, 38.184573, 24.209017], atol=5.1e-7)
    assert found.rest < 1e-13
    assert_allclose(found.qd[3], 10 * cardan_ratio(beta, theta), rtol=1e-14)
    B = np.stack([product_with(rows, q, (i,))[np.triu_indices(4, 1)] for i in range(4)], axis=1)
    D = quadratic_term(rows, q, found.qd)[np.triu_indices(4, 1)]
    printed = np.linalg.lstsq(B[:, 1:], -5 * B[:, 0] - D, rcond=None)[0]
    assert_allclose(printed, [45.78, -34.71, -34.36], atol=5.1e-3)


def test_universal_joint_with_the_engine():
    """(3.105)-(3.128): the spatial mechanism has the same velocities and accelerations."""
    beta, theta = np.radians([30, 40])
    q = cardan_angles(beta, theta)
    drives = [kb.JointDrive("motor", "1", f"{float(theta)!r} + 10*t + 2.5*t**2")]
    done = engine_motion(universal_joint(beta, theta, drives=drives), [0.0])
    mine = loop_rates(cardan_rows(beta), q, {0: 10.0}, {0: 5.0})
    order = [done.velocities.index(name) for name in "1230"]
    assert_allclose(done.v[0, order], mine.qd, atol=1e-10)
    assert_allclose(done.a[0, order], mine.qdd, atol=1e-10)


def test_slider_crank_as_a_loop_with_a_t_pair():
    """(3.111): RRRT with its numbers."""
    rows = (
        DHLink(0, np.pi / 2),
        DHLink(0.1),
        DHLink(0.3),
        DHLink(0, -np.pi / 2, pair="T"),
    )
    q = closed_loop(rows, {0: np.pi / 3}, [0.8, -1.6, -0.3]).q
    assert_allclose(np.degrees(q[1:3]), [39.594068, -99.594068], atol=5.1e-7)
    assert_allclose(q[3], -0.382407, atol=5.1e-7)
    assert loop_residual(rows, q) < 1e-28
    found = loop_rates(rows, q, {0: 20.0})
    assert_allclose(found.qd[1:], [-25.855400, 5.855400, -1.292770], atol=5.1e-7)
    assert_allclose(found.qdd[1:], [-61.816997, 61.816997, 41.692017], atol=5.1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_loops_of_seven_pairs(seed):
    """(3.120), (3.127): a random closed loop of six R and one T; rates are differences."""
    rng = np.random.default_rng(seed)
    rows = [DHLink(*rng.uniform(-1, 1, 2), 0.0, rng.uniform(-1, 1)) for _ in range(6)]
    rows[3] = DHLink(*rng.uniform(-1, 1, 2), rng.uniform(-1, 1), 0.0, pair="T")
    q = rng.uniform(-1, 1, 7)
    rows = closing_row(rows, q)
    assert loop_residual(rows, q) < 1e-26
    found = loop_rates(rows, q, {0: 1.3}, {0: -0.4})
    assert found.rank == 6

    def at(t):
        first = q[0] + 1.3 * t - 0.2 * t * t
        guess = q + found.qd * t + 0.5 * found.qdd * t * t

        def gap(x):
            return dh_frames(rows, [first, *x])[-1][([0, 0, 0, 1, 1, 2], [1, 2, 3, 2, 3, 3])]

        return np.array([first, *newton(gap, None, guess[1:], tolerance=1e-14, strict=False).x])

    h = 1e-3
    assert_allclose((at(h) - at(-h)) / (2 * h), found.qd, atol=1e-4 * np.abs(found.qdd).max())
    size = 1e-3 * max(1.0, np.abs(found.qdd).max())
    assert_allclose((at(h) - 2 * q + at(-h)) / h**2, found.qdd, atol=size)


def closing_row(rows, q):
    """Rows with the last ones chosen so that the loop closes: the last frame is taken back.

    The matrix that is left, A = (A_01 ... A_56)^-1, is one row [a, alpha, theta, d] only if its
    element (1, 3) is zero; a row of turned axes before it takes care of that.
    """
    A = np.linalg.inv(dh_frames(rows, q[:6])[-1])
    # A = Rz(t) Tz(s) [Tx(a) Rx(alpha) Tz(d) Rz(theta)]: the first two join the row before
    turn = np.arctan2(A[0, 2], -A[1, 2])
    inner = np.linalg.inv(dh_matrix(0, 0, turn, 0)) @ A
    alpha = np.arctan2(-inner[1, 2], inner[2, 2])
    theta = np.arctan2(-inner[0, 1], inner[0, 0])
    a, (y, z) = inner[0, 3], inner[1:3, 3]
    d = -y / np.sin(alpha)
    shift = z - d * np.cos(alpha)
    last = rows[5]
    before = DHLink(last.a, last.alpha, last.theta + turn, last.d + shift)
    return [*rows[:5], before, DHLink(a, alpha, theta - q[6], d)]


def test_an_open_loop_and_a_dead_point_are_refused():
    """Rates need a closed loop and a regular position; a crank at rest needs neither."""
    with pytest.raises(kb.KorbaError, match="the loop is open"):
        loop_rates(cardan_rows(0.5), np.zeros(4), {0: 1.0})
    with pytest.raises(kb.KorbaError, match="dead point"):
        four_bar(0.2, 0.3, 0.3, 0.4, np.pi, omega=1.0)
    assert_allclose(four_bar(0.2, 0.3, 0.3, 0.4, np.pi).omega, 0)
