"""Contact of two curves: cams on cams against four-bars, wheels that are not round, and laws."""

from dataclasses import replace

import numpy as np
import pytest
from engine_by_numpy import by_numpy
from numpy.testing import assert_allclose
from plane_models import on_shafts, random_cams

import korba as kb
from korba.course import four_bar
from korba.spatial.rotation import cross_in_plane


@pytest.fixture(autouse=True)
def nothing_compiled():
    """The engine's programs are evaluated by NumPy."""
    with by_numpy():
        yield


def disc(radius, offset, angle):
    """A disc whose centre is beside its pole."""
    return f"{offset}*cos({angle}) + sqrt({radius}^2 - {offset}^2*sin({angle})^2)"


def states(motion, name, k=0):
    body = motion.body(name)
    vectors = (x[k, :2] for x in (body.position, body.velocity, body.acceleration))
    return *vectors, body.angular_velocity[k, 2], body.angular_acceleration[k, 2]


@pytest.mark.parametrize("inside", [False, True])
def test_two_discs_are_a_four_bar(inside):
    """Centres of discs in contact keep their distance: r + r_c outside, r - r_c in a ring."""
    (r, e), (r_c, e_c) = ((0.3, 0.01), (0.05, 0.03)) if inside else ((0.04, 0.01), (0.05, 0.03))
    pair = kb.CurveContact("K", "one", "two", at=(0, 0), inner=inside)
    pair = replace(pair, drawn=(0.9, -0.8 if inside else -1.6))
    pair = replace(pair, profile=disc(r, e, "beta"), child_profile=disc(r_c, e_c, "gamma"))
    m = on_shafts(pair)
    assert kb.mobility(m).actual == 1
    X = pair.pose(pair.drawn)
    centre, other, pole = np.array([e, 0]), X.point((e_c, 0, 0))[:2], X.p[:2]
    apart = r - r_c if inside else r + r_c
    assert_allclose(np.linalg.norm(other - centre), apart, rtol=1e-13)
    left = cross_in_plane(pole - centre, other - centre) > 0
    motion = kb.motion(m, np.linspace(0, 1, 6))
    theta = 3 * motion.t + motion.t**2 - np.arctan2(pole[1], pole[0])
    wanted = four_bar(
        e, apart, e_c, np.hypot(*pole), theta, branch="open" if left else "crossed",
        omega=3 + 2 * motion.t, epsilon=2.0,
    )  # fmt: skip
    follower = motion.body("two")
    assert_allclose(follower.angular_velocity[:, 2], wanted.omega[:, 1], atol=1e-11)
    assert_allclose(follower.angular_acceleration[:, 2], wanted.epsilon[:, 1], atol=1e-10)


ECCENTRICITY, FOCAL = 0.5, 0.12


def ellipses(drawn=0.0):
    """Equal ellipses about their foci, the far side of one on the near side of the other."""
    form = f"{FOCAL}/(1 + {ECCENTRICITY}*cos({{}}))"
    profiles = {"profile": form.format("beta"), "child_profile": form.format("gamma")}
    return kb.CurveRolling(
        "Z", "one", "two", at=(0, 0), phase="180 deg", drawn=(drawn,), **profiles
    )


@pytest.mark.parametrize("drawn", [0.0, 0.4])
def test_elliptic_wheels(drawn):
    """w_2 / w_1 = -r / (2 a - r), and in closed form tan(B/2) = (1 - e) / (1 + e) tan(A/2)."""
    m = on_shafts(ellipses(drawn), "3*t + t^2")
    found = kb.mobility(m)
    assert (found.actual, found.passive) == (1, 1)
    motion, e = kb.motion(m, np.linspace(0, 2, 21)), ECCENTRICITY
    beta, w = motion["Z"], motion.body("two").angular_velocity[:, 2]
    r, axis = FOCAL / (1 + e * np.cos(beta)), 2 * FOCAL / (1 - e**2)
    assert_allclose(w / (3 + 2 * motion.t), -r / (axis - r), atol=1e-11)
    assert_allclose(beta, drawn - motion["A"], atol=1e-11)  # the contact stays between the shafts
    if not drawn:
        one, two = motion["A"] / 2, -motion["D"] / 2
        gap = np.sin(two) * np.cos(one) * (1 + e) - (1 - e) * np.sin(one) * np.cos(two)
        assert_allclose(gap, 0, atol=1e-12)
    solved = kb.course.groupwise_motion(motion, 7)
    assert_allclose(solved.angular_acceleration("two"), states(motion, "two", 7)[4], atol=1e-9)
    S = kb.course.instant_centres(motion, 7)["one", "two"]
    assert_allclose(np.linalg.norm(S.point), r[7], atol=1e-11)
    assert S.how == "joint Z"


def test_round_wheels_roll_as_gears_do():
    """Circles about their centres: the child turns by 1 + r / r_c, in a ring by 1 - r / r_c."""
    for inside, ratio in ((False, 1 + 0.3 / 0.2), (True, 1 - 0.3 / 0.2)):
        pair = kb.CurveRolling(
            "Z", "a", "b", profile="0.3", child_profile="0.2", inner=inside, phase=0.4
        )
        gear = kb.GearMesh("Z", "a", "b", parent_radius=0.3, child_radius=0.2)
        start = pair.pose([0.0]).R
        for beta in (-2.0, 0.7, 9.0):
            X = pair.pose([beta])
            angle = ratio * beta
            turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
            assert_allclose((X.R @ start.T)[:2, :2], turn, atol=1e-14)
            if not inside:
                Y = gear.pose([beta, 0.5])
                assert_allclose(X.p, Y.p, atol=1e-15)
                assert_allclose(X.R @ start.T, Y.R, atol=1e-14)


@pytest.mark.parametrize("flat", ["parent", "child"])
def test_where_a_curve_is_straight(flat):
    """1 / rho + (1 / rho)'' = 0: a T pair to second order; two straight ones are refused."""
    straight, round_ = "0.3/(1 + cos(2*{0})/3 + 0.3*sin({0}))", "0.2 + 0.03*sin({0})"
    one, two = (straight, round_) if flat == "parent" else (round_, straight)
    drawn = (0.0, 0.8) if flat == "parent" else (0.8, 0.0)
    pair = kb.CurveContact(
        "K", "one", "two", at=(0, 0), profile=one.format("beta"),
        child_profile=two.format("gamma"), drawn=drawn,
    )  # fmt: skip
    motion = kb.motion(on_shafts(pair), [0.0])
    linkage = kb.course.equivalent_linkage(motion, 0)
    assert sorted(joint.type for joint in linkage.joints) == ["prismatic", *["revolute"] * 3]
    solved, (_, _, _, w, e) = kb.course.groupwise_motion(motion, 0), states(motion, "two")
    assert_allclose(solved.angular_velocity("two"), w, rtol=1e-10)
    assert_allclose(solved.angular_acceleration("two"), e, rtol=1e-9)
    both = {"profile": straight.format("beta"), "child_profile": straight.format("gamma")}
    with pytest.raises(kb.StructureError, match="both curves are straight"):
        replace(pair, **both).profiles((0.0, 0.0), 1.0)


def test_faults_of_curves():
    """Missing profiles, open ones, points that would roll and sharp bends are explained."""
    beta = np.linspace(0, 2 * np.pi, 9)
    points = kb.Curve(tuple(beta), (0.3,) * 9, periodic=True)
    cases = [
        (kb.CurveContact, {"profile": "0.3"}, "child_profile", "expression in gamma"),
        (kb.CurveContact, {"profile": "beta", "child_profile": "0.3"}, "profile", "radius 0 m"),
        (kb.CurveRolling, {"profile": points, "child_profile": "0.3"}, "profile", "of points"),
        (
            kb.CurveRolling,
            {"profile": "0.3 + 0.1*abs(sin(beta))", "child_profile": "0.3"},
            "profile",
            "bends too sharply",
        ),
    ]
    for cls, more, key, text in cases:
        (fault,) = list(cls("J", "ground", "a", **more).faults())
        assert fault.where[-1] == key and text in fault.message


def test_curves_in_a_file():
    """A mechanism with both pairs reads back from the text that is written of it."""
    for pair in (ellipses(0.4), random_cams(0).joint("K")):
        m = on_shafts(pair)
        again = kb.loads(kb.dumps(m))
        assert again.joints == m.joints


def test_curves_whose_sizes_are_inputs():
    """Sizes of curves that slide may be inputs of a program; arcs of those that roll may not."""

    def alone(kind):
        return kb.loads(
            f"""
            korba = 1
            plane = "xy"
            parameters = {{size = "0.3 m"}}
            body = [{{name = "b"}}]
            [[joint]]
            name = "K"
            type = "{kind}"
            parent = "ground"
            child = "b"
            at = [0, 0]
            profile = "size + 10 mm*sin(beta)"
            child_profile = "size/2"
            """
        )

    m, q = alone("curve-contact"), [0.4, 1.1]
    wanted = kb.poses(kb.redimension(m, size="0.4 m"), q)["b"]
    assert_allclose(kb.poses(m, q, parameters={"size": 0.4})["b"], wanted, atol=1e-14)
    with pytest.raises(kb.StructureError, match="keep such a parameter a number"):
        kb.poses(alone("curve-rolling"), q[:1], parameters={"size": 0.4})
