"""Mechanisms and what takes their place: random cams on cams, curves that roll, and actuators."""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from law_counts import seeds
from numpy.testing import assert_allclose

import korba as kb
from korba.course import absolute_motion
from korba.spatial.rotation import cross_in_plane

sys.path.append(str(Path(__file__).parents[1] / "book"))

import plane_models as models
from engine_by_numpy import by_numpy


@pytest.fixture(autouse=True)
def nothing_compiled():
    """The engine's programs are evaluated by NumPy."""
    with by_numpy():
        yield


def states(motion, name, k=0):
    body = motion.body(name)
    vectors = (x[k, :2] for x in (body.position, body.velocity, body.acceleration))
    return *vectors, body.angular_velocity[k, 2], body.angular_acceleration[k, 2]


@pytest.mark.parametrize("seed", seeds(0.2))
def test_cams_move_as_their_differences_say(seed):
    """Rates are differences; absolute coordinates, the linkage and the plans give the same."""
    m, h = models.random_cams(seed), 1e-4
    motion = kb.motion(m, [0.0, 0.3 - h, 0.3, 0.3 + h])
    rate = (motion.q[3] - motion.q[1]) / (2 * h)
    second = (motion.q[3] - 2 * motion.q[2] + motion.q[1]) / h**2
    assert_allclose(rate, motion.v[2], atol=1e-5 * (1 + np.abs(motion.a[2]).max()) ** 2)
    assert_allclose(second, motion.a[2], atol=1e-5 * (1 + np.abs(motion.a[2]).max()) ** 2)
    assert kb.mobility(m).actual == 1
    size = 1e-9 * (1 + np.abs(motion.a[2]).max())
    solved = kb.course.groupwise_motion(motion, 2)
    linkage = kb.course.equivalent_linkage(motion, 2)
    assert [joint.type for joint in linkage.joints] == ["revolute"] * 4
    done, absolute = kb.motion(linkage, [0.3]), absolute_motion(m, motion.t)
    _, _, _, w, e = states(motion, "two", 2)
    assert_allclose([solved.angular_velocity("two"), states(done, "two")[3]], w, atol=size)
    assert_allclose([solved.angular_acceleration("two"), states(done, "two")[4]], e, atol=size)
    assert_allclose(absolute["v_two.rate"][2], w, atol=size)
    assert_allclose(absolute["a_two.rate"][2], e, atol=10 * size)
    plan = kb.course.acceleration_plan(motion, 2)
    assert plan.residual < size and "a_K on two" in {vector.name for vector in plan.vectors}


@pytest.mark.parametrize("seed", seeds(0.2))
def test_the_centre_of_two_cams_is_on_the_normal(seed):
    """S_12 is where the common normal meets the line of the shafts."""
    m = models.random_cams(seed)
    pair = m.joint("K")
    on_parent, _ = pair.contacts(*pair.drawn)
    centres = kb.course.instant_centres(m)
    S, pole = centres["one", "two"].point, pair.pose(pair.drawn).p[:2]
    far = 1 + np.linalg.norm(S)
    assert abs(cross_in_plane(S, pole)) < 1e-10 * far
    assert abs((S - on_parent.point) @ on_parent.tangent) < 1e-10 * far
    assert centres.deviation < 1e-10


@pytest.mark.parametrize("seed", seeds(0.2))
@pytest.mark.parametrize("inside", [False, True])
def test_curves_that_roll_do_not_slide(seed, inside):
    """The point of contact is at rest, and the arcs that passed it are equal."""
    a, b, c = np.random.default_rng([seed, 5]).uniform(-0.05, 0.05, 3)
    pair = kb.CurveRolling("Z", "a", "b", inner=inside, phase=-0.8)
    pair = replace(
        pair,
        profile=f"0.5 + {a}*cos(beta) + {b}*sin(2*beta)",
        child_profile=f"0.3 + {c}*cos(gamma) + {a}*sin(gamma)^2",
    )
    for beta in (-4.0, 0.0, 1.3, 8.0):
        gamma = pair.gamma(beta)
        w, u = pair.motion_subspace([beta])[2, 0], pair.motion_subspace([beta])[3:5, 0]
        x, y = pair.contacts(beta, gamma)[1].point
        assert_allclose(u + w * np.array([-y, x]), 0, atol=1e-14)
    nodes, weights = np.polynomial.legendre.leggauss(60)
    arcs = []
    for k, (start, end) in enumerate(((0.0, 2.1), (-0.8, pair.gamma(2.1)))):
        angles = start + (end - start) * (nodes + 1) / 2
        speeds = [pair.contacts(each, each)[k].speed for each in angles]
        arcs.append((end - start) / 2 * weights @ speeds)
    assert_allclose(arcs[1], pair.sense * arcs[0], rtol=1e-13)


@pytest.mark.parametrize("seed", seeds(0.2))
def test_an_actuator_moves_as_its_cylinder_and_rod(seed):
    """The linkage has the motion of the mechanism at all times, wherever it was drawn."""
    m, times = models.with_a_jack(seed), np.array([0.0, 0.1, 0.3])
    motion = kb.motion(m, times)
    linkage = kb.course.equivalent_linkage(motion, 1)
    assert kb.mobility(linkage).actual == kb.mobility(m).actual == 1
    assert [drive.joint for drive in linkage.drives] == ["jack stroke"]
    done = kb.motion(linkage, times[1:])
    for k, body in ((k, body.name) for k in (0, 1) for body in m.bodies):
        for one, two in zip(states(motion, body, k + 1), states(done, body, k), strict=True):
            assert_allclose(one, two, rtol=0, atol=1e-9)
    wanted = [m.drives[0].values(t)["length"] for t in times[1:]]
    assert_allclose(done["jack stroke"], wanted, atol=1e-12)
