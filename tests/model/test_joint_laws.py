"""Every joint type meets the same laws; a new type adds one line to the catalogue."""

from dataclasses import replace

import jsonschema
import numpy as np
import pytest
from law_counts import some
from numpy.testing import assert_allclose

from korba.expr import evaluate, variable
from korba.model.curve import Curve
from korba.model.fields import read_table, table_schema, write_table
from korba.model.joints import JOINT_TYPES
from korba.model.rubbing import BALL_ON_LINE, BALL_ON_PLANE, CONTACT, PLANE, ROLLING, TEETH
from korba.spatial.pose import twist_matrix
from korba.spatial.rotation import rotation_x, rotation_z, vee

EPS = np.finfo(float).eps
STEP = 1e-5
SEEDS = some(1, 4)
BETA = variable("beta")
R_DISC, OFFSET = 0.05, 0.02
DISC = OFFSET * BETA.cos() + (R_DISC**2 - (OFFSET * BETA.sin()) ** 2).sqrt()
GAMMA = variable("gamma")
PEAR = 0.04 + 0.005 * GAMMA.cos() + 0.003 * (2 * GAMMA).sin()
ELLIPSE = 0.12 / (1 + 0.5 * BETA.cos())
EGG = Curve((0, 1, 2.5, 4, 5, 2 * np.pi), (0.05, 0.06, 0.055, 0.05, 0.045, 0.05), periodic=True)

PHI, S = variable("phi"), variable("s")
LIFT = 0.004 * (1.0 - PHI.cos()) + 0.002 * (2 * PHI).sin() + 0.002
SWING = 0.1 * (1.0 - PHI.cos()) + 0.02 * (2 * PHI).sin()
TABLE = Curve((0, 1, 2.5, 4, 5, 2 * np.pi), (0, 0.002, 0.004, 0.003, 0.001, 0), periodic=True)
BEND = Curve((-2, -1.1, 0.2, 0.9, 1.5, 2.2, 3), (-2, -1, 0, 1, 1.2, 2.5, 3), spline="quintic")

RING = {"parent_radius": 0.6, "child_radius": 0.2, "inner": True}
TYRE = {"radius": 0.3, "tyre": 0.04}
PLANE_KIND = " in a plane"
CATALOGUE = [
    ("ball-on-plane", {"radius": 0.2}),
    ("knife-edge", {}),
    ("omni-wheel", TYRE),
    ("rolling-ball", {"radius": 0.2}),
    ("rolling-wheel", TYRE),
    ("wheel-on-plane", TYRE),
    ("cam-flat", {"profile": DISC}),
    ("cam-flat", {"profile": EGG}),
    ("cam-roller", {"profile": DISC, "radius": 0.01}),
    ("cam-roller", {"profile": EGG, "radius": 0.01}),
    ("cam-roller", {"lift": LIFT, "base": 0.04, "offset": 0.004, "radius": 0.01}),
    ("cam-roller", {"lift": TABLE, "base": 0.04, "offset": -0.006, "radius": 0.01}),
    ("cam-roller", {"swing": SWING, "base": 0.04, "distance": 0.09, "arm": 0.08, "radius": 0.01}),
    (
        "cam-roller",
        {"profile_x": BETA.cos() * 0.05, "profile_y": BETA.sin() * 0.04, "radius": 0.01},
    ),
    ("cam-flat", {"profile_x": BETA.cos() * 0.05, "profile_y": BETA.sin() * 0.04}),
    ("cam-flat", {"lift": LIFT, "base": 0.04}),
    ("cam-flat", {"swing": SWING, "base": 0.04, "distance": 0.09, "offset": 0.005}),
    ("curved-slot", {"x": S, "y": 0.1 * (3.0 * S).sin()}),
    ("curved-slot", {"x": BEND, "y": S * S}),
    ("curve-contact", {"profile": DISC, "child_profile": PEAR}),
    ("curve-contact", {"profile": EGG, "child_profile": EGG}),
    ("curve-contact", {"profile": ELLIPSE, "child_profile": PEAR, "inner": True}),
    ("curve-rolling", {"profile": DISC, "child_profile": PEAR, "phase": 0.7}),
    ("curve-rolling", {"profile": ELLIPSE, "child_profile": PEAR, "inner": True}),
    ("cylindrical", {}),
    ("fixed", {}),
    ("free", {}),
    ("gear-line-contact", {"parent_radius": 0.2, "child_radius": 0.3}),
    ("gear-bevel", {"parent_radius": 0.2, "child_radius": 0.3}),
    ("gear-bevel", {"parent_radius": 0.3, "child_radius": 0.2, "shaft_angle": 1.2}),
    ("gear-line-contact", {**RING, "pressure_angle": 0.35}),
    ("gear-mesh", {"parent_radius": 0.2, "child_radius": 0.4}),
    ("gear-mesh", {**RING, "pressure_angle": 0.35}),
    ("gear-mesh", {"parent_radius": 0.2, "child_radius": 0.6, "inner": True}),
    ("gear-point-contact", {"parent_radius": 0.2, "child_radius": 0.3}),
    ("gear-point-contact", {"parent_radius": 0.2, "child_radius": 0.3, "pressure_angle": -0.35}),
    ("gear-rack", {"radius": 0.3}),
    ("gear-rack", {"radius": 0.3, "pressure_angle": -0.35}),
    ("geneva", {"slots": 4, "radius": 0.5}),
    ("geneva", {"slots": 5, "radius": 0.5, "pins": 2}),
    ("geneva", {"slots": 4, "radius": 0.5, "inner": True}),
    ("pin-in-slot", {}),
    ("planar", {}),
    ("point-on-line", {}),
    ("point-on-plane", {}),
    ("prismatic", {}),
    ("revolute", {}),
    ("rod", {"length": 0.7}),
    ("rod in a plane", {"length": 0.7}),
    ("screw", {"lead": 0.8}),
    ("spherical", {}),
    ("universal", {}),
]


def joint_of(entry):
    name, plane, _ = entry[0].partition(PLANE_KIND)
    return JOINT_TYPES[name]("J", "a", "b", **entry[1]).in_space(bool(plane))


every_joint = pytest.mark.parametrize(
    "joint", [joint_of(e) for e in CATALOGUE], ids=[name for name, _ in CATALOGUE]
)


def state(joint, seed):
    """Random coordinates with a unit quaternion, and velocities."""
    rng = np.random.default_rng(seed)
    q = joint.normalised(rng.uniform(-1.2, 1.2, size=joint.nq))
    return q, rng.uniform(-1, 1, size=joint.nv)


def rate(function, joint, q, v):
    """Rate of function(q) along the motion, by central differences."""
    qdot = joint.qdot(q, v)
    return (function(q + STEP * qdot) - function(q - STEP * qdot)) / (2 * STEP)


def difference_error(*arrays):
    """Error of a central difference of values of this size: rounding and third derivative."""
    size = 1 + max(np.abs(a).max(initial=0.0) for a in arrays)
    return 100 * size * (EPS / STEP + STEP**2)


def test_the_catalogue_covers_every_joint_type():
    """No joint type escapes these laws."""
    assert {name.removesuffix(PLANE_KIND) for name, _ in CATALOGUE} == set(JOINT_TYPES)


@every_joint
def test_names_and_counts_fit(joint):
    """Names, kinds and rest have nq entries, velocities nv; more q: a quaternion, or it rolls."""
    assert len(joint.coordinate_names) == len(joint.coordinate_kinds) == joint.nq
    assert len(joint.drawn_coordinates) == joint.nq
    assert len(joint.coordinates()) == joint.nq
    assert len(joint.velocities()) == joint.nv
    assert joint.nq - joint.slipping.nv in (0, 1, 3)
    assert (joint.nv < joint.slipping.nv) == joint.rolls
    assert len(set(joint.coordinates())) == joint.nq
    assert joint.planar or joint.spatial


@every_joint
@pytest.mark.parametrize("seed", SEEDS)
def test_pose_is_a_rotation_and_a_place(joint, seed):
    """R of X_FM is orthonormal and right-handed at any coordinates."""
    q, _ = state(joint, seed)
    X = joint.pose(q)
    assert_allclose(X.R @ X.R.T, np.eye(3), rtol=0, atol=20 * EPS)
    assert_allclose(np.linalg.det(X.R), 1, rtol=0, atol=20 * EPS)
    assert X.p.shape == (3,)


@every_joint
@pytest.mark.parametrize("seed", SEEDS)
def test_motion_subspace_is_the_rate_of_the_pose(joint, seed):
    """S v is the twist of M in F: w from R' Rdot, velocity R' pdot, along qdot(q, v)."""
    q, v = state(joint, seed)
    R = joint.pose(q).R
    w = vee(R.T @ rate(lambda q: joint.pose(q).R, joint, q, v))
    velocity = R.T @ rate(lambda q: joint.pose(q).p, joint, q, v)
    S = joint.motion_subspace(q)
    assert S.shape == (6, joint.nv)
    atol = difference_error(S, q) * (1 + np.linalg.norm(joint.qdot(q, v))) ** 3
    assert_allclose(S @ v, np.concatenate([w, velocity]), rtol=0, atol=atol)


@every_joint
@pytest.mark.parametrize("seed", SEEDS)
def test_bias_is_the_rate_of_the_subspace(joint, seed):
    """Bias is d/dt S at constant v, times v."""
    q, v = state(joint, seed)
    found, bias = rate(joint.motion_subspace, joint, q, v) @ v, joint.bias(q, v)
    assert bias.shape == (6,)
    assert_allclose(bias, found, rtol=0, atol=10 * difference_error(joint.motion_subspace(q), bias))


@every_joint
@pytest.mark.parametrize("seed", SEEDS)
def test_qdot_keeps_quaternions_unit(joint, seed):
    """The rate of a quaternion is perpendicular to it; those of `own_rates` are the velocities."""
    q, v = state(joint, seed)
    qdot = joint.qdot(q, v)
    assert qdot.shape == (joint.nq,)
    for places in joint.quaternions:
        assert abs(q[places] @ qdot[places]) < 20 * EPS
    names, rates = joint.coordinates(), joint.velocities()
    for name, own in joint.own_rates.items():
        assert qdot[names.index(name)] == v[rates.index(own)]
    assert joint.rolls or joint.quaternions or len(joint.own_rates) == joint.nq


@every_joint
@pytest.mark.parametrize("seed", SEEDS)
def test_what_rolls_moves_as_what_slips(joint, seed):
    """V = S v is that of the pair that slips with the same rates of the same coordinates."""
    q, v = state(joint, seed)
    slips = joint.slipping
    assert slips.coordinates() == joint.coordinates()
    assert_allclose(slips.pose(q).matrix(), joint.pose(q).matrix(), rtol=0, atol=10 * EPS)
    rates = np.reshape([slips.qdot(q, e) for e in np.eye(slips.nv)], (slips.nv, joint.nq)).T
    own = np.linalg.pinv(rates) @ joint.qdot(q, v)
    assert_allclose(rates @ own, joint.qdot(q, v), rtol=0, atol=1e-13)
    twists = joint.motion_subspace(q) @ v, slips.motion_subspace(q) @ own
    assert_allclose(*twists, rtol=0, atol=1e-13)


@every_joint
@pytest.mark.parametrize("seed", SEEDS)
def test_freedoms_are_independent(joint, seed):
    """S has full column rank: nv is the class of the pair."""
    q, _ = state(joint, seed)
    assert np.linalg.matrix_rank(joint.motion_subspace(q), tol=1e-9) == joint.nv


@pytest.mark.parametrize("kind", ["rolling-wheel", "omni-wheel", "rolling-ball", "knife-edge"])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_point_that_touches_does_not_slip(kind, seed):
    """The child's point at the contact is at rest on the plane; an omni wheel's but to the side."""
    joint = joint_of((kind, dict(CATALOGUE)[kind]))
    q, v = state(joint, seed)
    X, twist = joint.pose(q), joint.motion_subspace(q) @ v
    arm = X.R.T @ (np.array([q[0], q[1], 0.0]) - X.p)
    speed = X.R @ (twist[3:] + np.cross(twist[:3], arm))
    if kind in ("omni-wheel", "knife-edge"):
        ahead = np.array([np.cos(q[2]), np.sin(q[2]), 0.0])
        left = np.array([-ahead[1], ahead[0], 0.0])
        speed = speed - v[0] * (left if kind == "omni-wheel" else ahead)
    assert_allclose(speed, 0.0, rtol=0, atol=1e-14)


@every_joint
def test_quaternions_and_velocities_fit(joint):
    """Normalising makes quaternions unit and leaves the rest; their rates are angles."""
    q = np.random.default_rng(3).normal(size=(5, joint.nq))
    unit, others = joint.normalised(q), slice(joint.nq - 4 * len(joint.quaternions))
    for places in joint.quaternions:
        assert_allclose(np.linalg.norm(unit[:, places], axis=1), 1, rtol=10 * EPS)
    if joint.quaternions:
        turning = np.array(joint.velocity_kinds) == "angle"
        S = joint.motion_subspace(joint.normalised(q[0]))
        assert_allclose(np.abs(S[:3]).max(axis=0) > 0, turning)
    elif not joint.rolls:
        assert joint.velocity_kinds == joint.coordinate_kinds
    assert_allclose(unit[:, others], q[:, others], rtol=0, atol=0)
    assert len(joint.velocity_kinds) == joint.nv
    assert joint.rates_are_velocities == (joint.nq == joint.nv)


@every_joint
@pytest.mark.parametrize("seed", SEEDS)
def test_a_periodic_coordinate_goes_round(joint, seed):
    """A whole turn of a periodic angle gives the same pose."""
    q, _ = state(joint, seed)
    for name in joint.periodic:
        i = joint.coordinate_names.index(name)
        round_ = joint.pose(q + 2 * np.pi * np.eye(joint.nq)[i])
        assert joint.coordinate_kinds[i] == "angle"
        assert joint.coordinates()[i] in joint.round_coordinates
        assert_allclose(round_.R, joint.pose(q).R, rtol=0, atol=200 * EPS)
        assert_allclose(round_.p, joint.pose(q).p, rtol=0, atol=200 * EPS)


@every_joint
def test_limits_hold_all_coordinates(joint):
    """Without limits, and for quaternions, everything is allowed."""
    lower, upper = joint.limits
    assert lower.shape == upper.shape == (joint.nq,)
    assert np.all(np.isinf(lower)) and np.all(lower < upper)
    bounded = replace(joint, lower=(-0.5,) * joint.nq, upper=(2.0,) * joint.nq)
    assert np.all(np.isfinite(bounded.limits)) == joint.rates_are_velocities


@every_joint
@pytest.mark.parametrize("seed", SEEDS)
def test_what_a_joint_says_of_its_motion_is_so(joint, seed):
    """A pin and a ball turn about Mo, a slide shifts along z, a slot's pin stays on its axis."""
    q, _ = state(joint, seed)
    S = joint.motion_subspace(q)
    assert joint.centred == (joint.nv > 0 and not np.any(S[3:]))
    assert joint.turns_only == np.array_equal(S, np.eye(6)[:, 2:3])
    assert joint.shifts_only == np.array_equal(S, np.eye(6)[:, 5:])
    assert joint.turns_all_ways == np.array_equal(S, np.eye(6)[:, :3])
    if joint.slotted:
        assert (joint.nv, joint.axis_in_plane) == (2, True)
        assert_allclose(joint.pose(q).p, [0, 0, q[0]], rtol=0, atol=0)


@every_joint
def test_every_joint_that_moves_is_seen_and_can_rub(joint):
    """It has a mark, or curves, or a rail; what is free or fixed has neither them nor friction.

    What rolls does not rub, and its pair that slips is smooth.
    """
    seen = bool(joint.picture or joint.outlines() or joint.shifts_only or joint.slotted)
    frictionless = ("ball-on-plane", "wheel-on-plane", "rod", "geneva")
    smooth = joint.rolls or joint.type in frictionless
    assert seen == (0 < joint.nv < 6) == (joint.rubs is not None or smooth)
    assert (bool(joint.wheels) and not joint.shaped) == (joint.rubs is TEETH)
    assert joint.ball_on_child <= bool(joint.picture)


@every_joint
@pytest.mark.parametrize("seed", SEEDS)
def test_vectors_of_friction_are_those_of_the_motion(joint, seed):
    """Nothing moves along a normal, or across a line; profiles do not part where they touch."""
    q, _ = state(joint, seed)
    S, vectors = joint.motion_subspace(q), joint.friction_vectors(q)
    if joint.rubs in (PLANE, BALL_ON_PLANE):
        (n,) = vectors
        assert_allclose(n @ S[3:], 0, rtol=0, atol=1e-15)
    elif joint.rubs is BALL_ON_LINE:
        (d,) = vectors
        assert_allclose(np.cross(d, S[3:].T), 0, rtol=0, atol=1e-15)
    elif joint.rubs in (CONTACT, ROLLING):
        p, n = vectors
        apart = n @ (S[3:] + np.cross(S[:3].T, p).T)
        assert_allclose(apart, 0, rtol=0, atol=1e-13 * (1 + np.abs(S).max()))


@every_joint
@pytest.mark.parametrize("seed", SEEDS)
def test_algebraic_joints_are_a_shift_and_a_turn(joint, seed):
    """In the plane: lengths along z where that lies in the plane, else along x and y; one turn."""
    if not joint.algebraic:
        return
    q, _ = state(joint, seed)
    lengths = [x for x, kind in zip(q, joint.coordinate_kinds, strict=True) if kind == "length"]
    angle = sum(x for x, kind in zip(q, joint.coordinate_kinds, strict=True) if kind == "angle")
    axes = [2] if joint.axis_in_plane else [0, 1]
    shift = np.zeros(3)
    shift[axes[: len(lengths)]] = lengths
    turn = rotation_x(angle) if joint.axis_in_plane else rotation_z(angle)
    assert joint.planar
    assert_allclose(joint.pose(q).p, shift, rtol=0, atol=0)
    assert_allclose(joint.pose(q).R, turn, rtol=0, atol=0)


@every_joint
def test_profiles_keep_their_distance(joint):
    """The centres of two circles of curvature keep their distance to second order; a centre keeps
    its distance from a straight line. Wheels in mesh do so while they roll.
    """
    q = joint.normalised(np.array(joint.drawn_coordinates) + 0.3)
    if joint.profiles(q, 1.0) is None:
        return
    if joint.one_sided:
        q = joint.drawn_coordinates
    sides, X = joint.profiles(q, 1.0), joint.pose(q)
    child = X.inverse().point(sides.child.at)  # fixed in M
    free = 1 if joint.one_sided else joint.nv
    for v in np.eye(joint.nv)[:free]:
        apart = []
        for h in (-STEP, 0.0, STEP):
            Y = joint.pose(q + h * v)
            gap = Y.point(child) - sides.parent.at
            along = sides.parent.direction
            if sides.child.direction is not None:
                along = Y.R @ X.R.T @ sides.child.direction
            across = np.array(gap if along is None else np.cross(along, gap))
            apart.append(np.linalg.norm(across))
        size = 1 + max(apart)
        assert abs(apart[2] - apart[0]) / (2 * STEP) < difference_error(size)
        assert abs(apart[2] - 2 * apart[1] + apart[0]) < 100 * size * (EPS + STEP**3)


@every_joint
def test_planar_joints_stay_in_the_plane(joint):
    """A pair of the plane turns about its normal and moves in it: 3 components are enough."""
    if not joint.planar or joint.nv == 0 or joint.kind_in(True) is not type(joint):
        return
    q, v = state(joint, 7)
    normal = np.array([1.0, 0, 0]) if joint.axis_in_plane else np.array([0, 0, 1.0])
    X, V = joint.pose(q), joint.motion_subspace(q) @ v
    assert_allclose(X.R @ normal, normal, rtol=0, atol=20 * EPS)
    assert abs(X.p @ normal) == 0
    assert abs(V[3:] @ normal) == 0
    assert_allclose(np.cross(V[:3], normal), 0, rtol=0, atol=0)


@every_joint
@pytest.mark.parametrize("seed", SEEDS)
def test_symbols_and_numbers_agree(joint, seed):
    """The formulas called with symbols evaluate to what they give with numbers."""
    q, v = state(joint, seed)
    q_names = [f"q{i}" for i in range(joint.nq)]
    v_names = [f"v{i}" for i in range(joint.nv)]
    Q = np.array([variable(name) for name in q_names], dtype=object)
    V = np.array([variable(name) for name in v_names], dtype=object)
    values = dict(zip(q_names + v_names, [*q, *v], strict=True))
    pairs = [
        (joint.pose(Q).R, joint.pose(q).R),
        (joint.pose(Q).p, joint.pose(q).p),
        (joint.motion_subspace(Q), joint.motion_subspace(q)),
        (joint.bias(Q, V), joint.bias(q, v)),
        (joint.qdot(Q, V), joint.qdot(q, v)),
    ]
    for written, computed in pairs:
        assert np.shape(written) == np.shape(computed)
        atol = 1000 * EPS * (1 + np.abs(computed).max(initial=0.0))
        assert_allclose(evaluate(written, values), computed, rtol=0, atol=atol)


@every_joint
def test_a_joint_reads_back_from_its_own_table(joint):
    """A table written from a joint fits the schema and gives the same joint again."""
    table = write_table(joint)
    jsonschema.validate(table, table_schema(type(joint)))
    again, faults = read_table(type(joint), table, {})
    assert faults == []
    assert again == joint
    assert hash(again) == hash(joint)


@pytest.mark.parametrize("beta", np.linspace(-3, 3, 13))
def test_roller_on_an_eccentric_disc_keeps_its_distance(beta):
    """The roller's centre is R + r from the disc's centre, whatever the contact."""
    joint = JOINT_TYPES["cam-roller"]("J", "a", "b", profile=DISC, radius=0.01)
    centre = joint.pose(np.array([beta, 0.3])).p
    assert_allclose(np.linalg.norm(centre - [OFFSET, 0, 0]), R_DISC + 0.01, rtol=10 * EPS)


@pytest.mark.parametrize("beta", np.linspace(-3, 3, 13))
def test_flat_follower_on_an_eccentric_disc_keeps_its_distance(beta):
    """The face is R from the disc's centre, whatever the contact and the slide."""
    joint = JOINT_TYPES["cam-flat"]("J", "a", "b", profile=DISC)
    X = joint.pose(np.array([beta, 0.02]))
    outward = -X.R[:, 1]
    assert_allclose((X.p - [OFFSET, 0, 0]) @ outward, R_DISC, rtol=0, atol=20 * EPS)


@pytest.mark.parametrize(
    ("theta", "y", "beta"),
    [
        (0, 0.0565685425, 1.5002031475),
        (30, 0.0674456265, 0.9973566482),
        (90, 0.08, 0.0),
        (200, 0.0501402176, -1.8429462287),
    ],
)
def test_cam_roller_of_section_3_11(theta, y, beta):
    """A roller on the y axis is where the closed form puts it, at the printed contact."""
    joint = JOINT_TYPES["cam-roller"]("J", "a", "b", profile=DISC, radius=0.01)
    angle = np.radians(theta)
    centre = rotation_z(angle) @ joint.pose(np.array([beta, 0.0])).p
    exact = OFFSET * np.sin(angle) + np.sqrt(0.06**2 - (OFFSET * np.cos(angle)) ** 2)
    assert_allclose(y, exact, rtol=0, atol=5.1e-11)  # printed to ten decimals
    assert_allclose(centre, [0, exact, 0], rtol=0, atol=1e-10)


@pytest.mark.parametrize(
    ("theta", "y", "beta"), [(30, 0.06, 0.7661626497), (200, 0.0431595971, -1.5091735721)]
)
def test_cam_flat_of_section_3_11(theta, y, beta):
    """A face normal to y is where the closed form puts it, at the printed contact."""
    joint = JOINT_TYPES["cam-flat"]("J", "a", "b", profile=DISC)
    angle = np.radians(theta)
    X = joint.pose(np.array([beta, 0.0]))
    exact = OFFSET * np.sin(angle) + R_DISC
    assert_allclose(y, exact, rtol=0, atol=5.1e-11)
    assert_allclose((rotation_z(angle) @ X.p)[1], exact, rtol=0, atol=1e-10)
    face = rotation_z(angle) @ X.R[:, 0]
    assert_allclose(np.abs(face), [1, 0, 0], rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", ["gear-mesh", "gear-line-contact", "gear-point-contact"])
@pytest.mark.parametrize("radii", [(20, 40), (40, 20), (60, -20), (-20, 60)])
def test_gear_meets_2_92(name, radii):
    """[(Tj - Tm)] rj + [(Tk - Tm)] rk = 0 for wheels j, k that turn with the carrier m."""
    rj, rk = radii
    sizes = {"parent_radius": abs(rj), "child_radius": abs(rk), "inner": rj * rk < 0}
    joint = JOINT_TYPES[name]("J", "j", "k", **sizes)
    rng = np.random.default_rng(5)
    for Tj, Tm in rng.uniform(-3, 3, size=(10, 2)):
        q = joint.drawn_coordinates
        q[0] = Tm - Tj
        Tk = Tj + q[0] * (1 + joint.ratio)
        R_Wk = rotation_z(Tj) @ joint.pose(q).R
        assert_allclose(R_Wk, rotation_z(Tk), rtol=0, atol=200 * EPS)
        assert abs((Tj - Tm) * rj + (Tk - Tm) * rk) < 2000 * EPS
        assert_allclose(joint.drawn_coordinates[1], rj + rk, rtol=10 * EPS)
        assert_allclose(np.linalg.norm(joint.pose(q).p), rj + rk, rtol=10 * EPS)


@every_joint
def test_wheels_roll_without_sliding(joint):
    """While teeth roll, the pitch point is at rest, of cones their whole common line."""
    if not joint.wheels or joint.shaped:
        return
    q = joint.drawn_coordinates
    rolling = (twist_matrix(joint.pose(q)) @ joint.motion_subspace(q))[:, 0]
    w, v = rolling[:3], rolling[3:]
    at = joint.parent_anchor().inverse().p  # the pitch point, or the apex of cones
    assert_allclose(v + np.cross(w, at), 0, rtol=0, atol=10 * EPS)
    if "angle" in joint.one_sided:
        axes = np.array([[0, 0, 1.0], joint.pose(q).R[:, 2]])
        sines = np.linalg.norm(np.cross(axes, w / np.linalg.norm(w)), axis=1)
        radii = [joint.parent_radius, joint.child_radius]
        assert_allclose(sines[0] * radii[1], sines[1] * radii[0], rtol=10 * EPS)


@pytest.mark.parametrize(("Tj", "Tm", "Tk"), [(60, 0, -30), (0, 90, 135)])
def test_gear_of_section_3_11(Tj, Tm, Tk):
    """Radii 20 and 40: fixed carrier and fixed sun give the printed angles."""
    joint = JOINT_TYPES["gear-mesh"]("J", "j", "k", parent_radius=20, child_radius=40)
    q = np.array([np.radians(Tm - Tj), 60.0])
    R_Wk = rotation_z(np.radians(Tj)) @ joint.pose(q).R
    assert_allclose(R_Wk, rotation_z(np.radians(Tk)), rtol=0, atol=20 * EPS)
