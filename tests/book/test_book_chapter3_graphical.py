"""Section 3.2 of Gronowicz: centres, equivalent linkages, plans, Examples 3.1 and 3.2, and laws."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import plane_models as models
import pytest
from engine_by_numpy import by_numpy
from numpy.testing import assert_allclose

import korba as kb
from korba.course.construction import turned
from korba.course.plane.groups_in_motion import _Solver
from korba.course.plane.rates import PointRate, about

KINDS = ("four-bar", "crank and slider", "yoke", "Watt", "Watt on the base", "Stephenson")


@pytest.fixture(autouse=True)
def nothing_compiled():
    """The engine's programs are evaluated by NumPy."""
    with by_numpy():
        yield


def states(motion, name, k=0):
    """Origin of a body with w, e, v and a of the motion."""
    body = motion.body(name)
    vectors = (x[k, :2] for x in (body.position, body.velocity, body.acceleration))
    return *vectors, body.angular_velocity[k, 2], body.angular_acceleration[k, 2]


def assert_groupwise_equals(motion, k=0):
    """Every link of the group-wise solution moves as in the motion."""
    found = kb.course.groupwise_motion(motion, k)
    names = {body.name for body in motion.mechanism.bodies}
    assert names <= set(found.rates)
    for name in names:
        r, v, a, w, e = states(motion, name, k)
        size = 1e-10 * max(1.0, np.abs(motion.v[k]).max() ** 2, np.abs(motion.a[k]).max())
        assert_allclose(found.angular_velocity(name), w, rtol=0, atol=size)
        assert_allclose(found.angular_acceleration(name), e, rtol=0, atol=size)
        assert_allclose(found.velocity(name, r), v, rtol=0, atol=size)
        assert_allclose(found.acceleration(name, r), a, rtol=0, atol=size)
    for name, rates in found.sliding.items():
        if name in motion.coordinates:
            own = [motion[f"{prefix}{name}"][k] for prefix in ("v_", "a_")]
            assert_allclose(rates, own, rtol=0, atol=size)
    return found


# 1.1 instantaneous centres


def test_centres_of_the_four_bar():
    """Six centres; the numbers of the recomputed four-bar at 90 deg and its ratios (3.38)."""
    centres = kb.course.instant_centres(models.four_bar())
    assert len(centres.centres) == 6
    assert_allclose(centres["coupler", "ground"].point, (0, 1.421431), atol=5e-7)
    assert_allclose(centres["crank", "rocker"].point, (-0.313260, 0), atol=5e-7)
    assert_allclose(10 * centres.ratio("coupler", "crank"), -1.637424, atol=5e-7)
    assert_allclose(10 * centres.ratio("rocker", "crank"), 2.813895, atol=5e-7)
    assert centres["coupler", "ground"].through == ("crank", "rocker")
    assert centres["coupler", "ground"].method == "kennedy"
    assert centres.deviation < 1e-14
    assert "line of crank and line of rocker" in str(centres)


def test_centres_of_the_yoke():
    """Centres and ratio of the constructed yoke; the centre of its sliding pair is at infinity."""
    centres = kb.course.instant_centres(models.yoke())
    assert_allclose(centres["crank", "rocker"].point, (0.522992, 0.130748), atol=5e-7)
    assert_allclose(centres["slider", "ground"].point, (0.156082, -0.322478), atol=5e-7)
    assert_allclose(centres.ratio("rocker", "crank"), 0.235170, atol=5e-7)
    assert_allclose(10 * centres.ratio("slider", "crank"), 2.351702, atol=5e-7)
    assert centres.ratio("slider", "rocker") == pytest.approx(1.0, abs=1e-12)
    guide = centres["slider", "rocker"]
    assert not guide.finite
    assert_allclose(guide.homogeneous @ [*models.yoke().joint("S").axis[:2], 0], 0, atol=1e-15)
    with pytest.raises(kb.StructureError, match="no place in the plane"):
        guide.point  # noqa: B018


def test_centre_of_the_flat_cam():
    """Contact normal and line of pivots meet in S_12 = (0.017478, 0)."""
    m, _ = models.cam_flat()
    centre = kb.course.instant_centres(m)["cam", "rocker"]
    assert_allclose(centre.point, (0.017478, 0), atol=5e-7)
    assert centre.how == "1. normal of joint K and line of ground"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(2))
def test_kennedy_equals_velocities(kind, seed):
    """Constructed centres are those of the velocities, and any three links have theirs in line."""
    motion = kb.motion(models.random_mechanism(kind, seed), [0.0, 0.05])
    for source, k in ((motion, 1), (motion.mechanism, motion.q[1])):
        centres = kb.course.instant_centres(source, k)
        n = len(motion.mechanism.bodies) + 1
        assert len(centres.centres) == n * (n - 1) // 2
        assert {c.method for c in centres.centres} == {"joint", "kennedy"}
        assert centres.deviation < 1e-11
    solved = kb.course.instant_centres(motion, 1, velocities_only=True)
    assert {c.method for c in solved.centres} == {"velocities"}
    for i, j, k in combinations(centres.at.bodies, 3):
        rows = [centres[pair].homogeneous for pair in ((i, j), (j, k), (i, k))]
        rows = [row / np.linalg.norm(row) for row in rows]
        assert abs(np.linalg.det(rows)) < 1e-10


@pytest.mark.parametrize("kind", KINDS)
def test_ratio_on_the_line_of_centres(kind):
    """(S_i0 S_ij) / (S_j0 S_ij) is the ratio of the motion's angular velocities."""
    motion = kb.motion(models.random_mechanism(kind, 5), [0.0])
    centres = kb.course.instant_centres(motion, 0)
    w = {body.name: states(motion, body.name)[3] for body in motion.mechanism.bodies}
    for name in set(w) - {"crank"}:
        assert_allclose(centres.ratio(name, "crank"), w[name] / w["crank"], atol=1e-10)


def test_where_no_construction_starts_velocities_give_the_centres():
    """Of the 28 centres of a double butterfly only the ten of its joints can be constructed."""
    m = models.double_butterfly()
    centres = kb.course.instant_centres(m)
    methods = [c.method for c in centres.centres]
    assert (methods.count("joint"), methods.count("velocities")) == (10, 18)
    motion = kb.motion(m, [0.0])
    assert_groupwise_equals(motion)
    for c in kb.course.instant_centres(motion, 0).centres:
        assert_allclose(c.homogeneous, centres[c.bodies].homogeneous, rtol=1e-7, atol=1e-7)


def test_several_freedoms_need_a_motion():
    """Centres that depend on speeds are not given without them, and a roller's never are."""
    points = {"A": (0, 0), "B": (-0.1, 0.2), "C": (0.1, 0.4), "D": (0.3, 0.2), "E": (0.2, 0)}
    ends = [("ground", "1"), ("1", "2"), ("2", "3"), ("3", "4"), ("4", "ground")]
    joints = [
        kb.Revolute(name, p, c, at=at)
        for (name, at), (p, c) in zip(points.items(), ends, strict=True)
    ]
    m = models.planar("five-bar", "1234", joints)
    assert kb.course.instant_centres(m)["ground", "2"].method == "free"
    drives = [kb.JointDrive("one", "A", "t"), kb.JointDrive("two", "E", "0.3*t")]
    centres = kb.course.instant_centres(kb.motion(replace(m, drives=drives), [0.0]), 0)
    assert centres["ground", "2"].method == "velocities"
    with pytest.raises(kb.StructureError, match="there is no ratio"):
        kb.course.instant_centres(m).ratio("2", "1")


def test_a_mechanism_at_rest_has_its_centres():
    """Where the drive stands still the centres are those of the motion it can make."""
    motion = kb.motion(models.four_bar("0.1*t^2"), [0.0])
    assert_allclose(
        kb.course.instant_centres(motion)["crank", "rocker"].point, (-0.313260, 0), atol=5e-7
    )


def test_open_chains_and_links_held_together():
    """Without a loop there are centres too; links joined rigidly have none between them."""
    joints = [kb.Revolute("A", "ground", "arm", at=(0.1, 0.2)), kb.Fixed("F", "arm", "hand")]
    m = models.planar("arm", ("arm", "hand"), joints, "t + t^2")
    motion = kb.motion(m, [0.5])
    for centres in (kb.course.instant_centres(m), kb.course.instant_centres(motion)):
        assert_allclose(centres["hand", "ground"].point, (0.1, 0.2), atol=1e-14)
        assert centres["arm", "hand"].method == "rest"
    assert_groupwise_equals(motion)
    assert kb.draw(kb.course.velocity_plan(motion, 0, {"M": ("hand", (0.4, 0.3))}))


# 1.2 kinematic equivalence


def test_cam_with_roller():
    """The equivalent four-bar has b = 0.055, and the constructed velocities and accelerations."""
    motion = kb.motion(models.cam_roller(), [0.0])
    m = kb.course.equivalent_linkage(motion, 0)
    O1, O2 = (np.array(m.joint(f"K on {body}").at[:2]) for body in ("cam", "rocker"))
    assert_allclose(np.linalg.norm(O2 - O1), 0.055, atol=1e-12)
    assert_allclose(np.linalg.norm(O1), 0.02, atol=1e-12)
    angles = [np.degrees(np.arctan2(*(O2 - p)[::-1])) for p in (O1, (0.1, 0))]
    assert_allclose(angles, (56.507247, 132.773723), atol=5e-7)
    done = kb.motion(m, [0.0])
    found = [states(done, name)[3:] for name in ("K link", "rocker")]
    assert_allclose(found, [(-4.486800, 1.158474), (-0.877497, 49.591537)], atol=5e-7)
    assert_allclose(states(motion, "rocker")[3:], found[1], atol=1e-10)


def test_cam_with_flat_rocker():
    """The crank with a T pair along the face has the constructed velocity and acceleration."""
    m, phi = models.cam_flat()
    assert_allclose(np.degrees(phi), 189.524660, atol=5e-7)
    motion = kb.motion(m, [0.0])
    linkage = kb.course.equivalent_linkage(motion, 0)
    assert [joint.type for joint in linkage.joints] == [*["revolute"] * 3, "prismatic"]
    found = states(kb.motion(linkage, [0.0]), "rocker")[3:]
    assert_allclose(found, (-2.045751, 20.613576), atol=5e-7)
    assert_allclose(states(motion, "rocker")[3:], found, atol=1e-10)


def higher_pairs():
    wheels = {"parent_radius": 0.3, "child_radius": 0.2, "x_axis": (1, 0)}

    def gears(angle):
        joints = [
            kb.Revolute("A", "ground", "sun", at=(0, 0)),
            kb.Revolute("C", "ground", "carrier", at=(0, 0)),
            kb.Revolute("B", "carrier", "planet", at=(0.5, 0)),
            kb.GearMesh("G", "sun", "planet", at=(0.3, 0), pressure_angle=angle, **wheels),
        ]
        laws = [kb.JointDrive("one", "A", "t + 3*t^2"), kb.JointDrive("two", "C", "2*t - t^2")]
        return models.planar("planet", ("sun", "carrier", "planet"), joints, drives=laws)

    accelerated = "12*t + 20*t^2"
    return {
        "roller": models.cam_roller(accelerated),
        "flat": models.cam_flat(accelerated)[0],
        "pin": models.pin_yoke("10*t - 3*t^2"),
        "wheels": gears(np.radians(20)),
        "wheels on the other flank": gears(np.radians(-25)),
        "wheels without pressure angle": gears(0.0),
    }


@pytest.mark.parametrize("name", higher_pairs())
def test_equivalent_linkages_agree_to_second_order(name):
    """Links of the mechanism have the same velocity and acceleration in the linkage."""
    m = higher_pairs()[name]
    motion = kb.motion(m, [0.0, 0.03])
    linkage = kb.course.equivalent_linkage(motion, 1)
    assert all(joint.lower_pair for joint in linkage.joints)
    done = kb.motion(linkage, [0.03])
    for body in m.bodies:
        for a, b in zip(states(motion, body.name, 1), states(done, body.name), strict=True):
            assert_allclose(a, b, rtol=1e-10, atol=1e-10)
    assert_groupwise_equals(motion, 1)


def test_roller_vanishes_and_profile_of_points():
    """A roller of its own is not in the linkage; the profile may be a spline through points."""
    beta = np.linspace(0, 2 * np.pi, 13)
    rho = 0.04 + 0.01 * np.cos(beta) + 0.004 * np.sin(2 * beta)
    rho[-1] = rho[0]
    curve = kb.Curve(tuple(beta), tuple(rho), periodic=True)
    whole = models.cam_roller(profile=models.DISC)
    cam = replace(whole.joint("K"), profile=curve, drawn=None, child="roller", radius=0.01)
    centre = cam.pose([0.9, 0.0]).p[:2]
    turn = np.array([[np.cos(0.7), -np.sin(0.7)], [np.sin(0.7), np.cos(0.7)]])
    pin = turn @ centre
    joints = [
        whole.joint("A"),
        whole.joint("B"),
        kb.Revolute("C", "rocker", "roller", at=pin),
        replace(cam, x_axis=(*turn[:, 0], 0.0), drawn=(0.9, 0.0)),
    ]
    m = models.planar("cam", ("cam", "rocker", "roller"), joints, "3*t + t^2")
    motion = kb.motion(m, [0.0, 0.01])
    linkage = kb.course.equivalent_linkage(motion, 1)
    assert "roller" not in [body.name for body in linkage.bodies]
    assert "its spin cannot be obtained" in linkage.notes[0]
    done = kb.motion(linkage, [0.01])
    for a, b in zip(states(motion, "rocker", 1), states(done, "rocker"), strict=True):
        assert_allclose(a, b, rtol=1e-9, atol=1e-10)
    centres = kb.course.instant_centres(motion, 1)
    assert centres["cam", "rocker"].how == "1. normal of joint K and line of ground"
    assert centres["cam", "roller"].method == "free"


def test_dwell():
    """An arc about the cam's pivot is a crank of length zero: said, and the rocker stands."""
    m = models.cam_roller()
    O2 = models.meeting((0, 0), (0.1, 0), 0.055, 0.08)
    beta = np.arctan2(O2[1], O2[0]) - np.radians(40)
    cam = replace(m.joint("K"), profile="0.04", drawn=(beta, 0.0))
    m = replace(m, joints=[*m.joints[:2], cam], drives=m.drives)
    linkage = kb.course.equivalent_linkage(kb.motion(m, [0.0]), 0)
    assert "crank of length zero on 'cam'" in linkage.notes[0]
    assert_allclose(states(kb.motion(linkage, [0.0]), "rocker")[3:], 0, atol=1e-12)


def test_example_3_2_with_a_length():
    """An actuator given by its length is cylinder and rod: every number of Example 3.2 again."""
    motion = kb.motion(models.with_a_jack(), [0.0])
    found = assert_groupwise_equals(motion)
    assert [step.method for step in found.steps] == ["special point"]
    names = ("jack cylinder", "jack rod", *"345")
    w, e = (
        [rate(name) for name in names]
        for rate in (found.angular_velocity, found.angular_acceleration)
    )
    assert_allclose(w, (-0.942809, -0.942809, 0.628539, -1.257079, -0.942809), atol=5e-7)
    assert_allclose(e, (-1.276896, -1.276896, 1.563786, -1.201646, 0.246914), atol=5e-7)
    a = kb.course.acceleration_plan(motion)
    assert_allclose(a["a_jack on 3"], (0.402469, -1.024691), atol=5e-7)
    slip = "jack on 3,jack on 3(jack cylinder)"
    v = kb.course.velocity_plan(motion)[f"v_{slip}"]
    assert_allclose(np.linalg.norm(v), 0.2, atol=1e-12)
    assert_allclose(a[f"a^c_{slip}"], 2 * w[0] * turned(v), atol=1e-12)
    assert_allclose(a[f"a^t_{slip}"], 0, atol=1e-12)


def test_an_actuator_without_length_is_refused():
    """Where both ends are at one point, cylinder and rod have no direction."""
    jack = kb.LengthDrive("jack", "ground", (1, 0), "arm", (0, 1), "1.5 + t")
    joints = [kb.Revolute("A", "ground", "arm", at=(0, 0))]
    m = models.planar("arm", ("arm",), joints, drives=[jack])
    linkage = kb.course.equivalent_linkage(m)
    assert_allclose(linkage.joint("jack stroke").drawn, np.sqrt(2), rtol=1e-15)
    with pytest.raises(kb.StructureError, match="cylinder has no direction"):
        kb.course.equivalent_linkage(m, [-np.pi / 2])


def test_no_linkage_where_there_is_none():
    """Driven coordinates of a higher pair are refused in words."""
    m = models.cam_roller()
    m = replace(m, drives=[kb.JointDrive("motor", "K.beta", "t")])
    with pytest.raises(kb.StructureError, match="drive another joint"):
        kb.course.equivalent_linkage(m)


def test_a_prismatic_pair_may_stand_anywhere():
    """Shifting a T pair parallel to itself changes no velocity and no acceleration."""
    m = models.yoke("10*t + 4*t^2")
    moved = replace(m.joint("S"), at=(0.7, -0.3, 0.0))
    other = replace(m, joints=[moved if j.name == "S" else j for j in m.joints])
    one, two = (kb.motion(each, [0.1]) for each in (m, other))
    for body in m.bodies:
        for a, b in zip(states(one, body.name), states(two, body.name), strict=True):
            assert_allclose(a, b, rtol=0, atol=1e-10)
    assert_groupwise_equals(two)


# 1.3 vector equations and plans


def test_example_3_1():
    """Crank and slider with a coupler point: every constructed number, by the plans."""
    motion = kb.motion(models.crank_slider(), [0.0])
    B, C = np.array([0.05, 0.0866025403784]), np.array([0.337228132327, 0])
    u = (C - B) / 0.3
    M = B + 0.15 * u + 0.08 * turned(u)
    assert_allclose(M, (0.216708, 0.119895), atol=5e-7)
    centre = kb.course.instant_centres(motion)["coupler", "ground"]
    assert_allclose(centre.point, (0.337228, 0.584096), atol=5e-7)
    v = kb.course.velocity_plan(motion, 0, {"M": ("coupler", M)})
    a = kb.course.acceleration_plan(motion, 0, {"M": ("coupler", M)})
    assert_allclose(v["v_B"], (-1.732051, 1), atol=5e-7)
    assert_allclose(v["v_C"], (-2.033562, 0), atol=5e-7)
    assert_allclose(v["v_M"], (-1.616140, 0.419597), atol=5e-7)
    assert_allclose(np.linalg.norm(v["v_M"]), 1.669721, atol=5e-7)
    assert_allclose(v.angular["coupler"], -3.481553, atol=5e-7)
    assert_allclose(a["a_B"], (-20, -34.641016), atol=5e-7)
    assert_allclose(a["a_C"], (-13.353399, 0), atol=5e-7)
    assert_allclose(a["a_M"], (-25.914304, -15.548081), atol=5e-7)
    assert_allclose(a.angular["coupler"], 116.949855, atol=5e-7)
    assert_allclose(a["a^n_CB"], -(3.481553**2) * (C - B), atol=5e-6)
    assert_allclose(a["a^t_CB"], 116.949855 * turned(C - B), atol=5e-7)
    assert_allclose(a["a_B"] + a["a^n_CB"] + a["a^t_CB"], a["a_C"], atol=1e-12)
    assert v.methods["coupler"] == "RRT"
    done = motion.point("coupler", M)
    assert_allclose(v["v_M"], done.velocity[0, :2], atol=1e-10)
    assert_allclose(a["a_M"], done.acceleration[0, :2], atol=1e-10)


def test_example_3_1_by_vector_equations():
    """(3.19), the pair (3.20) that shares v_M, and (3.21), solved as they are written."""
    known, along, unknown = (
        kb.course.PlanTerm.known,
        kb.course.PlanTerm.along,
        kb.course.PlanTerm.unknown,
    )
    B, C = np.array([0.05, 0.0866025403784]), np.array([0.337228132327, 0])
    M = np.array([0.216708, 0.119895])
    v_B, a_B = 20 * turned(B), -400 * B
    first = kb.course.solve_vectors(
        ([along("C", (1, 0))], [known("B", v_B), along("CB", turned(C - B))])
    )
    assert_allclose(first["C"], (-2.033562, 0), atol=5e-7)
    second = kb.course.solve_vectors(
        ([unknown("M")], [known("B", v_B), along("MB", turned(M - B))]),
        ([unknown("M")], [known("C", first["C"]), along("MC", turned(M - C))]),
    )
    assert_allclose(second["M"], (-1.616140, 0.419597), atol=5e-6)
    w = first["CB"] @ turned(C - B) / 0.09
    third = kb.course.solve_vectors(
        (
            [along("C", (1, 0))],
            [known("B", a_B), known("n", -(w**2) * (C - B)), along("t", turned(C - B))],
        )
    )
    assert_allclose(third["C"], (-13.353399, 0), atol=5e-7)
    with pytest.raises(kb.StructureError, match="determine 2 unknowns, but M, MB has 3"):
        kb.course.solve_vectors(([unknown("M")], [known("B", v_B), along("MB", (1, 0))]))
    with pytest.raises(kb.StructureError, match="parallel"):
        kb.course.solve_vectors(([known("B", v_B)], [along("x", (1, 1)), along("y", (2, 2))]))


def test_a_guide_that_is_an_arc():
    """(3.13)-(3.16): a slider on an arc is a link that turns about its centre in the guide."""
    rng = np.random.default_rng(3)
    centre, K, P = rng.normal(size=(3, 2))
    guide = about(PointRate(P, np.array([0.3, -0.2]), np.array([0.1, 0.5])), 1.3, -0.7)
    slider = about(guide.at(centre), -2.1, 0.4)
    w, e, rho = slider.w - guide.w, slider.e - guide.e, K - centre
    v = slider.at(K).v - guide.at(K).v
    assert_allclose(v, w * turned(rho), atol=1e-14)
    parts = -(w**2) * rho, e * turned(rho), 2 * guide.w * turned(v)
    assert_allclose(guide.at(K).a + sum(parts), slider.at(K).a, atol=1e-13)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(2))
def test_plans_hold_the_motion(kind, seed):
    """Vectors of all points are those of the motion; polygons close; images are similar figures."""
    motion = kb.motion(models.random_mechanism(kind, seed), [0.0, 0.05])
    assert_groupwise_equals(motion, 1)
    point = {"M": (motion.mechanism.bodies[1].name, (0.3, 0.5))}
    v, a = kb.course.velocity_plan(motion, 1, point), kb.course.acceleration_plan(motion, 1, point)
    assert max(v.residual, a.residual) < 1e-10
    done = motion.point(*point["M"])
    assert_allclose(v.images["M"], done.velocity[1, :2], atol=1e-10)
    assert_allclose(a.images["M"], done.acceleration[1, :2], atol=1e-10)
    assert set(v.methods.values()) <= {"input", "RRR", "RRT", "RTR"}
    for plan in (v, a):
        ends = {tuple(np.round(x, 9) + 0.0) for vector in plan.vectors for x in (vector.end,)}
        for name, image in plan.images.items():
            if np.abs(image).max() > 1e-9 and name != "pole":
                assert tuple(np.round(image, 9) + 0.0) in ends
        for names in plan.links.values():
            for one, two, three in combinations(names, 3):
                sides, images = (
                    [places[two] - places[one], places[three] - places[one]]
                    for places in (plan.points, plan.images)
                )
                (a, b), (c, d) = ([complex(*x) for x in pair] for pair in (sides, images))
                assert_allclose(a * d, b * c, rtol=0, atol=1e-9)


def test_coriolis_term_of_the_yoke():
    """a_B = a_B(rocker) + a^c + a^t with a^c = 2 w x v_rel, and v_rel along the guide."""
    motion = kb.motion(models.yoke("10*t + 2*t^2"), [0.0])
    v, a = kb.course.velocity_plan(motion), kb.course.acceleration_plan(motion)
    slip, turn = v["v_B,B(rocker)"], v.angular["rocker"]
    axis = np.array(models.yoke().joint("S").axis[:2])
    assert abs(slip @ turned(axis)) < 1e-14
    assert_allclose(a["a^c_B,B(rocker)"], 2 * turn * turned(slip), atol=1e-13)
    total = a["a_B(rocker)"] + a["a^c_B,B(rocker)"] + a["a^t_B,B(rocker)"]
    assert_allclose(total, a["a_B"], atol=1e-13)
    assert abs(a["a^t_B,B(rocker)"] @ turned(axis)) < 1e-12
    assert {x.kind for x in a.vectors} == {
        "absolute",
        "normal",
        "tangential",
        "coriolis",
        "sliding",
    }


def test_vectors_that_are_zero_are_in_the_plan():
    """Fixed points, a guide at rest and its Coriolis term; equations read with them; drawn too."""
    motion = kb.motion(models.crank_slider("20*t"), [0.0])
    v, a = kb.course.velocity_plan(motion), kb.course.acceleration_plan(motion)
    for plan, names in (
        (v, ("v_A", "v_C(ground)")),
        (a, ("a_A", "a_C(ground)", "a^t_BA", "a^c_C,C(ground)")),
    ):
        for name in names:
            assert_allclose(plan[name], 0, atol=1e-13)
            assert f"  {name}" in str(plan)
    assert_allclose(v["v_A"] + v["v_BA"], v["v_B"], atol=1e-14)
    assert_allclose(v["v_C(ground)"] + v["v_C,C(ground)"], v["v_C"], atol=1e-14)
    parts = a["a_C(ground)"] + a["a^c_C,C(ground)"] + a["a^t_C,C(ground)"]
    assert_allclose(parts, a["a_C"], atol=1e-12)
    picture = kb.draw(v)
    assert "<title>v_B = v_BA</title>" in picture and "<title>v_A</title>" not in picture


def test_a_plan_at_rest_is_all_zero():
    """A mechanism whose drive stands still has its vectors, all zero, and a picture."""
    plan = kb.course.velocity_plan(kb.motion(models.yoke("0.1*t^2"), [0.0]))
    assert {vector.name for vector in plan.vectors} >= {"v_A", "v_B", "v_BA", "v_B,B(rocker)"}
    assert max(np.abs(vector.vector).max() for vector in plan.vectors) == 0
    assert "nan" not in kb.draw(plan) and "inf" not in kb.draw(plan)


DYADS = {
    "TRT": [
        ("S", "prismatic", "crank", "1", (0.1, 0.4), (1, 0.3)),
        ("C", "revolute", "1", "2", (0.6, 0.5), None),
        ("D", "prismatic", "ground", "2", (0.6, 0.5), (0.2, 1)),
    ],
    "RTT": [
        ("B", "revolute", "crank", "1", (0.1, 0.4), None),
        ("S", "prismatic", "1", "2", (0.5, 0.4), (0.3, 1)),
        ("D", "prismatic", "ground", "2", (0.6, 0.1), (1, 0.2)),
    ],
    "TTR": [
        ("S", "prismatic", "crank", "1", (0.1, 0.4), (0.4, 1)),
        ("T", "prismatic", "1", "2", (0.5, 0.4), (1, -0.2)),
        ("D", "revolute", "ground", "2", (0.9, 0.1), None),
    ],
    "TRR": [
        ("S", "prismatic", "crank", "1", (0.1, 0.4), (0.4, 1)),
        ("C", "revolute", "1", "2", (0.4, 0.6), None),
        ("D", "revolute", "ground", "2", (0.9, 0.1), None),
    ],
}


@pytest.mark.parametrize("kind", DYADS)
def test_dyads_with_sliding_pairs(kind):
    """Dyads whose guides move, by two scalar equations each, are those of the motion."""
    joints = [kb.Revolute("A", "ground", "crank", at=(0, 0))]
    for name, type_, parent, child, at, axis in DYADS[kind]:
        more = {} if axis is None else {"axis": axis}
        joints.append(kb.JOINT_TYPES[type_](name, parent, child, at=at, **more))
    m = models.planar(kind, ("crank", "1", "2"), joints, "2*t + t^2")
    found = assert_groupwise_equals(kb.motion(m, [0.0, 0.04]), 1)
    assert [step.method for step in found.steps] == ["input", kind]
    slides = [name for name, type_, *_ in DYADS[kind] if type_ == "prismatic"]
    assert list(found.sliding) == slides
    assert all(abs(speed) > 1e-3 for speed, _ in found.sliding.values())
    for name, point in found.points.items():
        assert_allclose(point.v, found.velocity(m.joint(name).child, point.r), atol=1e-12)
    assert set(found.points) == {"A"} | {
        name for name, type_, *_ in DYADS[kind] if type_ != "prismatic"
    }
    assert f"{slides[0]}     " in str(found) and "s'' [m/s^2]" in str(found)


# 1.4 class III


def test_example_3_2():
    """Every constructed number of the actuator and triad, by the special point."""
    motion = kb.motion(models.triad(), [0.0])
    found = assert_groupwise_equals(motion)
    assert found.steps[0].method == "special point"
    H = found.steps[0].special[1]
    assert_allclose(H.r, (0.585714, 0.585714), atol=5e-7)
    assert_allclose(H.v, (0.323249, -0.040406), atol=5e-7)
    assert_allclose(H.a, (-0.059259, -0.749206), atol=5e-7)
    w = [found.angular_velocity(name) for name in "12345"]
    assert_allclose(w, (-0.942809, -0.942809, 0.628539, -1.257079, -0.942809), atol=5e-7)
    e = [found.angular_acceleration(name) for name in "12345"]
    assert_allclose(e, (-1.276896, -1.276896, 1.563786, -1.201646, 0.246914), atol=5e-7)
    v, a = kb.course.velocity_plan(motion), kb.course.acceleration_plan(motion)
    assert_allclose(v["v_C"], (0.471405, -0.188562), atol=5e-7)
    assert_allclose(v["v_E"], (0.502831, -0.062854), atol=5e-7)
    assert_allclose(v["v_F"], (0.377124, 0.094281), atol=5e-7)
    assert_allclose(a["a_C"], (0.402469, -1.024691), atol=5e-7)
    assert_allclose(a["a_E"], (0.401646, -0.692181), atol=5e-7)
    assert_allclose(a["a_F"], (-0.009877, -0.380247), atol=5e-7)
    a_B = found.acceleration("2", np.zeros(2))
    assert_allclose(a_B, (0.266667, -0.266667), atol=5e-7)


def random_triad(seed, law="0.3*t + 0.2*t^2"):
    """A link on three legs, one pin of a leg on a crank, some legs sliders."""
    rng = np.random.default_rng(seed)

    def near(x, y):
        return np.array([x, y]) + rng.uniform(-0.07, 0.07, 2)

    joints = [
        kb.Revolute("A", "ground", "crank", at=(0, 0)),
        kb.Revolute("B", "crank", "1", at=near(0.2, 0.3)),
        kb.Revolute("C", "1", "4", at=near(0.4, 0.8)),
        kb.Revolute("E", "2", "4", at=near(0.8, 0.7)),
        kb.Revolute("F", "4", "3", at=near(1.1, 1.0)),
        kb.Revolute("D", "ground", "2", at=near(0.9, 0)),
    ]
    if seed % 2:
        joints.append(kb.Prismatic("G", "crank", "3", at=near(1.4, 0.5), axis=near(1, 0.3)))
    else:
        joints.append(kb.Revolute("G", "ground", "3", at=near(1.7, 0.2)))
    return models.planar("triad", ("crank", "1", "2", "3", "4"), joints, law)


@pytest.mark.parametrize("seed", [0, 1, 4, 5])
def test_special_point_equals_simultaneous_equations(seed, monkeypatch):
    """Triads by the special point, by simultaneous equations and by the motion are one."""
    motion = kb.motion(random_triad(seed), [0.0, 0.1])
    methods = [step.method for step in assert_groupwise_equals(motion, 1).steps]
    assert methods == ["input", "special point"]
    monkeypatch.setattr(_Solver, "_triad", lambda self: None)
    methods = [step.method for step in assert_groupwise_equals(motion, 1).steps]
    assert methods == ["input", "simultaneous equations"]


OTHER_DRIVES = {
    "length": [kb.LengthDrive("jack", "ground", (0.1, -0.2), "coupler", (0.4, 0.9), "1.0 + 0.2*t")],
    "point": [kb.PointDrive("hand", "coupler", (0.3, 0.6), x="0.3 + 0.2*t - t^2")],
    "body": [kb.BodyDrive("spin", "coupler", relative_to="crank", angle="0.4*t + t^2")],
    "rocker": [kb.JointDrive("motor", "D", "0.4*t + t^2")],
}


@pytest.mark.parametrize("kind", OTHER_DRIVES)
def test_groups_with_other_drives(kind):
    """Whatever moves a four-bar, the group-wise solution is the motion."""
    m = models.four_bar(None)
    drive = OTHER_DRIVES[kind][0]
    if kind == "length":
        length = np.hypot(0.3, 1.1)
        drive = replace(drive, length=f"{length} + 0.2*t - t^2")
    assert_groupwise_equals(kb.motion(replace(m, drives=[drive]), [0.0, 0.05]), 1)


def test_directions_of_joints_do_not_matter():
    """Axes into the plane, links named the other way round and bodies with frames: the same."""
    m = models.four_bar()
    joints = [
        kb.Revolute("A", "ground", "crank", at=(0, 0), axis=(0, 0, -1)),
        replace(m.joint("B"), parent="coupler", child="crank"),
        replace(m.joint("C"), axis=(0, 0, -1)),
        replace(m.joint("D"), parent="rocker", child="ground"),
    ]
    turned_body = kb.Body("coupler", frame=kb.Frame((0.2, 0.1), 0.7))
    m = replace(
        m,
        bodies=[m.bodies[0], turned_body, m.bodies[2]],
        joints=joints,
        drives=[kb.JointDrive("motor", "A", "-10*t - t^2")],
    )
    found = assert_groupwise_equals(kb.motion(m, [0.0]))
    assert_allclose(found.angular_velocity("rocker"), 2.813895, atol=5e-7)
    assert_allclose(kb.course.instant_centres(m).ratio("rocker", "crank"), 0.2813895, atol=5e-8)


def test_coupled_joints_follow_from_the_whole_motion():
    """A group that a coupling determines is taken from the motion, and said to be."""
    joints = [
        kb.Revolute("A", "ground", "1", at=(0, 0)),
        kb.Revolute("B", "1", "2", at=(0.3, 0.1)),
    ]
    m = models.planar(
        "geared", "12", joints, "t^2 + t", couplings=[kb.Coupling("gear", "B", "2*A^2")]
    )
    found = assert_groupwise_equals(kb.motion(m, [0.2]))
    assert found.steps[-1].method == "whole mechanism"


def test_what_is_not_planar_or_not_there_is_refused():
    """Spatial mechanisms, open loops, wrong indices and unknown names have clear errors."""
    m = models.four_bar()
    motion = kb.motion(m, [0.0])
    arm = kb.Mechanism("arm", [kb.Body("a")], [kb.Revolute("A", "ground", "a", at=(0, 0, 0))])
    for source, at, text in (
        (arm, None, "is spatial"),
        (m, np.ones(4), "are open by"),
        (m, np.ones(3), "expected the 4 values of A, B, C, D"),
        (motion, 7, "there is no index 7"),
        (motion, 0.5, "expected the index"),
    ):
        with pytest.raises(kb.StructureError, match=text):
            kb.course.instant_centres(source, at)
    with pytest.raises(kb.StructureError, match="has no vector 'v_X'"):
        kb.course.velocity_plan(motion)["v_X"]
    with pytest.raises(kb.StructureError, match="'B' is a joint already"):
        kb.course.velocity_plan(motion, 0, {"B": ("crank", (0, 0))})
    with pytest.raises(kb.StructureError, match="links are ground, crank"):
        kb.course.instant_centres(m)["crank", "wheel"]


def test_arc_guides_have_their_terms_in_plans():
    """(3.12)-(3.16): v_KJ = w x rho; a_K = a_J + a^c + a^n + a^t for a point on either link."""
    motion = kb.motion(models.four_bar("10*t + 3*t^2"), [0.0, 0.05])
    pin = motion.mechanism.joint("C")
    for body, guide in ((pin.child, pin.parent), (pin.parent, pin.child)):
        points, arcs = {"K": (body, (0.1, 0.2))}, {"K": "C"}
        v = kb.course.velocity_plan(motion, 1, points, arcs)
        a = kb.course.acceleration_plan(motion, 1, points, arcs)
        J = f"K({guide})"
        w, e = (plan.angular[body] - plan.angular[guide] for plan in (v, a))
        rho, slip = v.points["K"] - v.points["C"], v[f"v_K,{J}"]
        assert_allclose(slip, w * turned(rho), atol=1e-12)
        assert_allclose(a[f"a^n_K,{J}"], -(w**2) * rho, atol=1e-10)
        assert_allclose(a[f"a^t_K,{J}"], e * turned(rho), atol=1e-10)
        assert_allclose(a[f"a^c_K,{J}"], 2 * v.angular[guide] * turned(slip), atol=1e-10)
        total = a[f"a_{J}"] + sum(a[f"a^{part}_K,{J}"] for part in "cnt")
        assert_allclose(total, a["a_K"], atol=1e-10)
        assert_allclose(a["a_K"], motion.point(*points["K"]).acceleration[1, :2], atol=1e-10)
    with pytest.raises(kb.StructureError, match="arcs: there is no pin 'Q'"):
        kb.course.velocity_plan(motion, 1, points, {"K": "Q"})
    with pytest.raises(kb.StructureError, match="a point that slides about 'A' is"):
        kb.course.velocity_plan(motion, 1, {"K": ("rocker", (0, 0))}, {"K": "A"})
