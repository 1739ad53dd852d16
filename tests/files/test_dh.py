"""Denavit-Hartenberg rows give the frames and masses that the sources print."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from urdf_cases import world_poses

from korba.errors import ModelError
from korba.files.dh import DHRow, from_dh
from korba.model.frame import Frame
from korba.spatial.inertia import pseudo_inertia

DEG = np.pi / 180

# Maryniak & Malecki (1988), section 4: B matrices of a two-link arm, standard convention.
B1 = [[225.32, 0, 0, -275.1], [0, 4.2575, 0, 0], [0, 0, 4.2575, 0], [-275.1, 0, 0, 393.0]]
B2 = [
    [35.9464, 9.6285, 0, -77.028],
    [9.6285, 4.0348, 0, -27.51],
    [0, 0, 2.1091, 0],
    [-77.028, -27.51, 0, 220.08],
]
# 6R arm of the reference case mm88_arm6_two_rotors: a, alpha (deg), s, mass, centre of mass.
ARM6 = [
    (0.0, -90, 0.66, 13.0, (0.0, 0.31, 0.02)),
    (0.43, 0, 0.15, 17.4, (-0.3638, 0.006, 0.2275)),
    (-0.02, 90, 0.0, 4.8, (-0.0203, -0.0141, 0.07)),
    (0.0, -90, 0.43, 0.82, (0.0, 0.19, 0.0)),
    (0.0, 90, 0.0, 0.34, (0.0, 0.0, 0.013)),
    (0.0, 0, 0.06, 0.09, (0.001, -0.002, 0.032)),
]


def row_matrix(a, alpha, theta, d, convention):
    """The 4 x 4 matrix of a row, as printed: (3.1) of Maryniak & Malecki, (2.31) of Gronowicz."""
    c, s, ca, sa = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
    if convention == "standard":
        rows = [[c, -s * ca, s * sa, a * c], [s, c * ca, -c * sa, a * s], [0, sa, ca, d]]
    else:
        rows = [[c, -s, 0, a], [ca * s, ca * c, -sa, -d * sa], [sa * s, sa * c, ca, d * ca]]
    return np.array([*rows, [0, 0, 0, 1]])


@pytest.mark.parametrize("convention", ["standard", "modified"])
@pytest.mark.parametrize("seed", range(5))
def test_frames_are_products_of_the_printed_matrices(convention, seed):
    """Link frames at any q are the products of the row matrices with q added to theta or d."""
    rng = np.random.default_rng(seed)
    rows = [
        DHRow(["revolute", "prismatic"][rng.integers(2)], *(float(x) for x in rng.normal(size=4)))
        for _ in range(6)
    ]
    base = Frame((1, 2, 3), (0.1, 0.2, 0.3))
    q = rng.normal(size=6)
    m = from_dh(rows, convention=convention, base=base)
    X = world_poses(m, {f"q{i + 1}": [q[i]] for i in range(6)})
    expected = base.pose().matrix()
    for i, row in enumerate(rows):
        turn, slide = (q[i], 0) if row.joint == "revolute" else (0, q[i])
        expected = expected @ row_matrix(
            row.a, row.alpha, row.theta + turn, row.d + slide, convention
        )
        assert_allclose(X[f"link{i + 1}"].matrix(), expected, atol=1e-13)


def test_rrt_manipulator_of_gronowicz():
    """Example 2.12: origin of {3} and point M at q = (30 deg, 40 deg, 0.3)."""
    rows = [
        {"d": 0.5},
        {"a": "200 mm", "alpha": "270 deg", "d": 0.1},
        {"joint": "prismatic", "alpha": 1.5 * np.pi},
    ]
    m = from_dh(rows, convention="modified", name="RRT")
    X = world_poses(m, {"q1": [30 * DEG], "q2": [40 * DEG], "q3": [0.3]})["link3"]
    assert_allclose(X.p, [-0.04379604, 0.09018440, 0.27018667], atol=5e-9)
    assert_allclose(X.point([0, 0, 0.15]), [-0.12729660, 0.04197533, 0.15528000], atol=5e-9)


@pytest.mark.parametrize(
    ("beta", "angles"),
    [
        (30, (0, -90, 60, 90)),
        (30, (30, -73.89788625, 64.34109373, 56.30993247)),
        (30, (60, -63.43494882, 75.52248781, 26.56505118)),
        (45, (20, -71.11827877, 48.35885673, 62.76368652)),
    ],
)
def test_cardan_joint_of_gronowicz(beta, angles):
    """Example 2.13: the product of the four rows closes on the identity."""
    rows = [{"alpha": f"{alpha} deg"} for alpha in (beta, 270, 270, 90)]
    m = from_dh(rows, convention="modified")
    q = {f"q{i + 1}": [angle * DEG] for i, angle in enumerate(angles)}
    assert_allclose(world_poses(m, q)["link4"].matrix(), np.eye(4), atol=1e-9)


def test_two_link_arm_of_maryniak_and_malecki():
    """B matrices give the printed masses, centres and W_2 at (30 deg, 30 deg)."""
    m = from_dh([DHRow(a=1.2, B=B1), DHRow(a=0.7, B=B2)], gravity=(-9.81, 0, 0))
    one, two = m.bodies
    assert (one.mass, two.mass) == (393.0, 220.08)
    assert_allclose(one.com, (-0.7, 0, 0), atol=1e-15)
    assert_allclose(two.com, (-0.35, -0.125, 0), atol=1e-15)
    for body, B in ((one, B1), (two, B2)):
        assert_allclose(pseudo_inertia(body.mass, body.com, body.inertia), B, atol=1e-13)
    X = world_poses(m, {"q1": [30 * DEG], "q2": [30 * DEG]})
    assert_allclose(X["link2"].p, [1.3892304845413266, 1.206217782649107, 0], atol=1e-15)
    V = -sum(b.mass * np.dot(m.gravity, X[b.name].point(b.com)) for b in m.bodies)
    assert_allclose(V, 4524.628980205547, rtol=1e-15)


@pytest.mark.parametrize(
    ("q", "V"),
    [
        ((-0.84, 0.77, 1.23, -0.68, 0.39, -0.34), 169.03560160992788),
        ((0.99, 1.37, 0.84, -0.91, -0.2, 0.22), 157.63900049219046),
        ((-1.37, -1.03, -0.93, -1.19, -1.05, -1.04), 222.78777364221807),
    ],
)
def test_six_joint_arm_has_the_potential_energy_of_the_reference_case(q, V):
    """The heights of all centres of mass of mm88_arm6_two_rotors give V of the main chain."""
    rows = [
        {"a": a, "alpha": f"{alpha} deg", "d": s, "mass": mass, "com": com}
        for a, alpha, s, mass, com in ARM6
    ]
    m = from_dh(rows)
    X = world_poses(m, {f"q{i + 1}": [angle] for i, angle in enumerate(q)})
    heights = [b.mass * X[b.name].point(b.com)[2] for b in m.bodies]
    assert_allclose(9.81 * sum(heights), V, rtol=4e-15)


def test_units_are_read_in_every_number():
    """Lengths, angles, masses and tensors may carry units."""
    row = {"a": "30 cm", "alpha": "90 deg", "mass": "200 g", "com": ["10 mm", 0, 0]}
    m = from_dh([row | {"inertia": ["1 kg*m^2", 1, 1], "name": "arm", "link": "L"}])
    (body,) = m.bodies
    assert (body.name, body.mass, body.com[0]) == ("L", pytest.approx(0.2), 0.01)
    assert m.coordinates == ("arm",)
    assert_allclose(world_poses(m, {})["L"].p, [0.3, 0, 0])


def test_faults_of_all_rows_are_told_together():
    """Unknown keys, wrong units, doubled masses and impossible inertias stand in one error."""
    rows = [
        {"a": "3 kg"},
        {"alfa": 1.0, "joint": "screw"},
        {"B": B1, "mass": 2.0},
        {"mass": 1.0, "inertia": [5, 1, 1]},
        {"B": [[1, 2], [3, 4]]},
        7,
        {"theta": float("nan")},
    ]
    with pytest.raises(ModelError) as caught:
        from_dh(rows)
    numbers = [fault.where[1] for fault in caught.value.faults]
    assert numbers == ["1", "2", "2", "3", "4", "5", "6", "7"]
    assert "did you mean 'alpha'?" in str(caught.value)


@pytest.mark.parametrize(
    ("rows", "convention"), [([], "craig"), (7, "standard"), ("a", "standard")]
)
def test_calls_that_make_no_sense_are_model_errors(rows, convention):
    """An unknown convention and rows that are none."""
    with pytest.raises(ModelError):
        from_dh(rows, convention=convention)


def test_an_arm_without_rows_is_empty():
    """No rows, no bodies."""
    assert from_dh([]).bodies == ()
